"""Runs ordered by Borda's points: in each unit, the number of runs below."""

from __future__ import annotations

from operator import attrgetter

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.orderings.ordering_rules import OrderingRule
from lexiframe.core.pairwise import Pairs, arrays


def _unit_points(table: Pairs | arrays.Cells) -> tuple[np.ndarray, np.ndarray]:
    return table.points, np.full((1, 1), sums.TIE)  # points are multiples of 1/2


RULE = OrderingRule("borda", of_units=_unit_points, of_sums=attrgetter("borda"))
