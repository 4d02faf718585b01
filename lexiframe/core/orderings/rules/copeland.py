"""Runs ordered by the number of other runs that they beat by a majority of units."""

from __future__ import annotations

import numpy as np

from lexiframe.core.orderings.ordering_rules import (
    AnyLeads,
    OrderingRule,
    ValuesAndRanks,
    ranked,
    sums_by_run,
)


def copeland(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    """Pairs of runs won by a majority of units, minus pairs lost: −(S − 1) to S − 1."""
    return ranked(sums_by_run(pairs, np.sign(lead)))


RULE = OrderingRule("copeland", of_leads=copeland, of_majorities=True)
