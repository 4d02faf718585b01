"""The parts of replicates that the core asks for."""

from __future__ import annotations

from lexiframe.core.base.feature import Feature, Replication
from lexiframe.study.replicates import algorithms
from lexiframe.study.replicates.from_replicates import evaluate_replicates

FEATURE = Feature(
    replication=Replication(
        algorithms.mean_of_replicates,
        algorithms.algorithm_means,
        algorithms.algorithm_rows,
        evaluate_replicates,
    ),
)
