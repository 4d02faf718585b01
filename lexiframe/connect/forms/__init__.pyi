"""Forms of runs and judgments that few tools write."""

"For other features: names that they use"
from .lists_of_ids import split_texts as split_texts
