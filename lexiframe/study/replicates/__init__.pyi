"""Runs that were trained or sampled several times."""

"For other features: names that they use"
from .algorithms import algorithm_answers as algorithm_answers
from .algorithms import mean_of_replicates as mean_of_replicates
