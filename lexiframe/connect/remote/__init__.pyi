"""Files that are fetched from elsewhere, and data sets of ir_datasets."""

"For other features: names that they use"
from .remote import hide_secrets as hide_secrets
