"""Strengths of runs from judgments of pairs: Bradley–Terry and Davidson, with their intervals."""

"For other rooms: what they use of it"
from .strengths_of import bradley_terry as bradley_terry
from .fitted_strengths import Strengths as Strengths
from .fitted_strengths import Ties as Ties
from .variances import Unit as Unit
