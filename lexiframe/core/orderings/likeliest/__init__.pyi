"""The strengths of runs that make wins likeliest: whether there are any, and which they are."""

"For features: modules whose names they use"
from . import existence as existence
from . import fitting as fitting
