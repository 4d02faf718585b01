"""Runs ordered by their mean scores, or by their mean preferences over the other runs."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.orderings.ordering_rules import AnyPairs, AnyScores, OrderingRule
from lexiframe.core.pairwise import Pairs, arrays


def unit_means(table: arrays.Scores | Pairs | arrays.Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return scores, or mean preferences over the other runs, and their rounding errors."""
    if isinstance(table, Pairs):
        return table.means, table.request_rounding[:, None]
    errors = table.errors if isinstance(table, arrays.Cells) else sums.rounding(table.values)
    return table.values, errors


def _sum_moments(table: AnyScores | AnyPairs) -> sums.Moments:
    return table.scores if isinstance(table, AnyScores) else table.preferred


RULE = OrderingRule("mean", of_units=unit_means, of_sums=_sum_moments, takes_scores=True)
