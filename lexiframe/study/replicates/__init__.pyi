"""Runs that were trained or sampled several times."""

"For others: what other rooms use"
from .algorithms import algorithm_answers as algorithm_answers
from .algorithms import mean_of_replicates as mean_of_replicates
