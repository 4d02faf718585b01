"""Readers of the forms in which other tools keep per-request scores."""

"For other rooms: what they use of it"
from .sources import Keys as Keys
from .sources import given_scores as given_scores
from .sources import score_files as score_files

"For features: modules whose names they use"
from . import layouts as layouts
from . import sources as sources
