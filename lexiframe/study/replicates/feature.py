"""The parts of replicates that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Replication
from lexiframe.study.replicates import algorithms
from lexiframe.study.replicates.from_replicates import evaluate_replicates

FEATURE = (
    Replication(
        algorithms.mean_of_replicates,
        algorithms.algorithm_means,
        algorithms.algorithm_rows,
        evaluate_replicates,
    ),
)
