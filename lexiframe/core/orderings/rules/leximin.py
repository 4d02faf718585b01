"""Runs ordered by their worst units: the worst decides, of equal ones the second worst."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiframe import features
from lexiframe.core.base.feature import Worst
from lexiframe.core.orderings.ordering_rules import OrderingRule, ValuesAndRanks


def _order(table: Any, counts: np.ndarray | None) -> ValuesAndRanks:
    return ValuesAndRanks(*features.needed(Worst, "leximin").leximin_ranks(table, counts))


RULE = OrderingRule("leximin", of_samples=_order, takes_scores=True)
