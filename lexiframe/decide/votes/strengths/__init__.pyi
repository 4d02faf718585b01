"""Strengths of runs from judgments of pairs: Bradley–Terry and Davidson, with their intervals."""

"For other features: names that they use"
from .strengths_of import bradley_terry as bradley_terry
from .fitted_strengths import Strengths as Strengths
