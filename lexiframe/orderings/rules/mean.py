"""Runs ordered by their mean scores, or by their mean preferences over the other runs."""

from __future__ import annotations

import numpy as np

from lexiframe.base import sums
from lexiframe.orderings.ordering_rules import AnyPairs, AnyScores, OrderingRule
from lexiframe.pairwise import Pairs, arrays


def _of_units(table: arrays.Scores | Pairs) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(table, arrays.Scores):
        return table.values, sums.rounding(table.values)
    return table.means, table.request_rounding[:, None]


def _of_sums(table: AnyScores | AnyPairs) -> sums.Moments:
    return table.scores if isinstance(table, AnyScores) else table.preferred


RULE = OrderingRule("mean", of_units=_of_units, of_sums=_of_sums, takes_scores=True)
