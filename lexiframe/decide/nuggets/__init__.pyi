"""Nuggets: answers in text, judged by which facts they state and whether citations support them."""

"For other rooms: what they use of it"
from .judged_answers import Nuggets as Nuggets
from .reading import read_nuggets as read_nuggets
from .scored_answers import nugget_scores as nugget_scores
from .sentence_positions import nugget_positions as nugget_positions
