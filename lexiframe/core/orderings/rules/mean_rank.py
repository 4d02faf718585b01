"""Runs ordered by their mean places in the units, with a minus sign: Borda's order."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.orderings.ordering_rules import OrderingRule
from lexiframe.core.pairwise import Pairs, arrays


def _unit_ranks(table: Pairs | arrays.Cells) -> tuple[np.ndarray, np.ndarray]:
    return table.points - len(table.runs), np.full((1, 1), sums.TIE)  # multiples of 1/2


RULE = OrderingRule("mean_rank", of_units=_unit_ranks, are_places=True)
