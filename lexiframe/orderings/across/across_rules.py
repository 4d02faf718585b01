"""Rules that order runs across collections: from cells, units × runs, and weights of the units.

Rules that average points do so by `Across.points`; others count the weight of the units that prefer
one run of a pair to the other, their lead, or the wins where both have a result. In all of them a
larger value is better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lexiframe.base import sums
from lexiframe.orderings.across.cells import Valued, ranks_in_units
from lexiframe.orderings.across.paired_wins import strengths
from lexiframe.orderings.rules.kemeny import kemeny_places
from lexiframe.orderings.rules.mc4 import mc4

AcrossRule = Literal[
    "mean", "mean_z", "mean_rank", "borda", "win_rate", "copeland", "mc4", "kemeny",
    "bradley_terry",
]  # fmt: skip


@dataclass(frozen=True)
class Across:
    """A rule across collections.

    Attributes
    ----------
    points
        From cells, units × runs, and the rounding that two equal cells may differ by, to what is
        averaged over the units with their weights; None for a rule that takes leads.
    of_leads
        From leads, runs × runs, to values, and to keys that order the runs.
    of_wins
        From wins where both runs have a result, runs × runs, to values and keys.
    of_votes
        Whether it only asks which run is better in a unit, so that a run without a result can lose.
    """

    points: Callable[[np.ndarray, float], np.ndarray] | None = None
    of_leads: Callable[[np.ndarray], Valued] | None = None
    of_wins: Callable[[np.ndarray], Valued] | None = None
    of_votes: bool = True


def _borda(cells: np.ndarray, rounding: float) -> np.ndarray:
    """S − mid-rank; nothing without a result."""
    below = cells.shape[1] - ranks_in_units(cells, rounding)
    return np.where(np.isnan(cells), 0.0, below)


def _standard(cells: np.ndarray, rounding: float) -> np.ndarray:
    """z = (x − mean)/sd over the runs, the sample's sd (S − 1); 0 where all are equal.

    With S in place of S − 1 all values would be larger by √(S/(S − 1)), in the same order.
    """
    if cells.shape[1] < 2:
        return np.zeros_like(cells)
    error = np.maximum(rounding, sums.TIE * np.abs(cells).max(axis=1, keepdims=True))
    spread = np.ptp(cells, axis=1, keepdims=True) > error
    centred = cells - cells.mean(axis=1, keepdims=True)
    sd = np.where(spread, cells.std(axis=1, ddof=1, keepdims=True), 1.0)
    return np.asarray(np.where(spread, centred / sd, 0.0))


def _win_rate(cells: np.ndarray, rounding: float) -> np.ndarray:
    """Share of the other runs that a run beats, ties half: (S − mid-rank)/(S − 1)."""
    others = cells.shape[1] - 1
    return _borda(cells, rounding) / others if others else np.full(cells.shape, np.nan)


def _copeland(leads: np.ndarray) -> Valued:
    """Pairs won by most of the weight, minus pairs lost."""
    value = np.sign(leads).sum(axis=1)
    return Valued(value, value)


def _mc4(leads: np.ndarray) -> Valued:
    layers, shares = mc4(leads)
    # Shares may be tiny and still differ: compare their logarithms, that is, their ratios.
    places = sums.tie_groups(np.log(np.maximum(shares, np.finfo(np.float64).tiny)))
    return Valued(layers + shares, layers * float(len(leads)) - places)


def _kemeny(leads: np.ndarray) -> Valued:
    value = -kemeny_places(leads).places
    return Valued(value, value)


ACROSS: dict[str, Across] = {
    "mean": Across(lambda cells, rounding: cells, of_votes=False),
    "mean_z": Across(_standard, of_votes=False),
    "mean_rank": Across(lambda cells, rounding: _borda(cells, rounding) - cells.shape[1]),
    "borda": Across(_borda),
    "win_rate": Across(_win_rate),
    "copeland": Across(of_leads=_copeland),
    "mc4": Across(of_leads=_mc4),
    "kemeny": Across(of_leads=_kemeny),
    "bradley_terry": Across(of_wins=strengths),
}
"""The rules by name."""
