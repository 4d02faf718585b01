"""Votes: which of two answers people or models prefer, and the strengths of runs by them."""

"For other features: names that they use"
from .concordances.ratios import Ratios as Ratios
from .stated.reading import read_preferences as read_preferences
from . import stated as stated
from .page import strength_report as strength_report
from . import strengths as strengths
