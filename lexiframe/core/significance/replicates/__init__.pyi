"""Runs that were trained or sampled several times: what varies, and comparing algorithms."""

"For other rooms: what they use of it"
from .designs import Replicates as Replicates
from .designs import DESIGNS as DESIGNS
from .designs import Seeds as Seeds
from .designs import refuse_unstated as refuse_unstated

"For features: modules whose names they use"
from . import designs as designs
