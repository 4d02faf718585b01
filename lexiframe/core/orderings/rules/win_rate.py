"""Runs ordered by the shares of units that they win against the other runs."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.orderings.ordering_rules import (
    AnyLeads,
    OrderingRule,
    ValuesAndRanks,
    ranked,
    sums_by_run,
)
from lexiframe.core.pairwise import arrays


def win_rate(pairs: AnyLeads, lead: np.ndarray, n: np.ndarray) -> ValuesAndRanks:
    """Mean over the other runs of the share won; ties count half, as do pairs never compared."""
    shares = np.nan_to_num(sums.ratio(lead, n))
    return ranked(0.5 + sums_by_run(pairs, shares) / 2 / (len(pairs.runs) - 1))


def _unit_win_rates(cells: arrays.Cells) -> tuple[np.ndarray, np.ndarray]:
    """Share of the other runs that a run beats: (S − mid-rank)/(S − 1); NaN of a single run."""
    return sums.ratio(cells.points, np.array(len(cells.runs) - 1.0)), np.full((1, 1), sums.TIE)


RULE = OrderingRule("win_rate", of_units=_unit_win_rates, of_leads=win_rate)
