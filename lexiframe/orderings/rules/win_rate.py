"""Runs ordered by the shares of units that they win against the other runs."""

from __future__ import annotations

import numpy as np

from lexiframe.base import sums
from lexiframe.orderings.ordering_rules import (
    AnyPairs,
    OrderingRule,
    ValuesAndRanks,
    ranked,
    sums_by_run,
)


def win_rate(pairs: AnyPairs, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    """Mean over the other runs of the share won; ties count half, as do pairs never compared."""
    shares = np.nan_to_num(sums.ratio(lead, n))
    return ranked(0.5 + sums_by_run(pairs, shares) / 2 / (len(pairs.runs) - 1))


RULE = OrderingRule("win_rate", of_leads=win_rate)
