"""Logs of experiments: read from files and MLflow, joined with tables."""

"For other rooms: what they use of it"
from .joining import entries_of as entries_of
from .joining import join_entries as join_entries
from .joining import no_common_keys as no_common_keys
from .joining import with_log as with_log
from .files import read_log as read_log

"For features: modules whose names they use"
from . import files as files
