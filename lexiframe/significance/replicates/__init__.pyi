"""Runs that were trained or sampled several times: what varies, and comparing algorithms."""

"For other rooms: what they use of it"
from .designs import Replicates as Replicates
from .designs import DESIGNS as DESIGNS
from .designs import Seeds as Seeds
from .designs import refuse_unstated as refuse_unstated

"Added by features: what is computed of replicates"
from .algorithms import mean_of_replicates as mean_of_replicates
from .algorithms import algorithm_means as algorithm_means
from .algorithms import algorithm_rows as algorithm_rows
