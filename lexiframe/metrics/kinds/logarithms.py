"""Metrics that are logarithms of others, so that their means are geometric."""

from __future__ import annotations

import numpy as np

from lexiframe.metrics.kinds.counts import relevant
from lexiframe.metrics.kinds.metric import Metric
from lexiframe.metrics.rankings import Rankings

LEAST = 1e-5
"""Values below it count as this, as in trec_eval; otherwise one 0 would make the mean 0."""


def logarithm(of: Metric, rankings: Rankings) -> np.ndarray:
    """ln max(μ, 10⁻⁵)."""
    return np.asarray(np.log(np.maximum(of.compute(rankings), LEAST)))


def log_odds(of: Metric, rankings: Rankings) -> np.ndarray:
    """ln((1 + m μ) / (1 + m − m μ))."""
    m = relevant(rankings)
    total = m * of.compute(rankings)
    return np.asarray(np.log((1 + total) / (1 + m - total)))
