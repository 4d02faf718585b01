"""Readers of the forms in which other tools keep per-request scores."""

"For other rooms: what they use of it"
from .sources import Keys as Keys
from .sources import given_scores as given_scores
from .sources import score_files as score_files
from .layouts import COLLECTION_WORDS as COLLECTION_WORDS
from ..checks_of_scores import OtherKind as OtherKind
from ..checks_of_scores import check_other as check_other
from ..checks_of_scores import check_results as check_results
from ..checks_of_scores import doubted as doubted
