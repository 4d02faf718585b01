"""Rules that order runs across collections: from cells, units × runs, and weights of the units.

A unit is a collection, or a request of one. A cell is NaN where the run has no result there: it
then loses to the runs that have one, and two runs without one neither win nor tie. Rules that
average points do so by `Across.points`; the others count the weight of the units that prefer one
run of a pair to the other, their lead. In all of them a larger value is better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lexiframe.base import sums
from lexiframe.orderings.across.least_contradicted import kemeny_places
from lexiframe.orderings.ordered import weighted_sums as weighted_sums
from lexiframe.orderings.rules.mc4 import mc4

AcrossRule = Literal[
    "mean", "mean_z", "mean_rank", "borda", "win_rate", "copeland", "mc4", "kemeny"
]
_LAST = -1e300  # below all values; −∞ would make differences NaN


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
    of_votes
        Whether it only asks which run is better in a unit, so that a run without a result can lose.
    """

    points: Callable[[np.ndarray, float], np.ndarray] | None = None
    of_leads: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None
    of_votes: bool = True


def ranks_in_units(cells: np.ndarray, rounding: float) -> np.ndarray:
    """Return the mid-ranks of the runs in each unit; those without a result share the last ones.

    Examples
    --------
    >>> ranks_in_units(np.array([[0.5, np.nan, 0.75, 0.5]]), 0.0).tolist()
    [[2.5, 4.0, 1.0, 2.5]]
    """
    return sums.mid_ranks(np.where(np.isnan(cells), _LAST, cells), rounding)


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
    spread = np.ptp(cells, axis=1, keepdims=True) > np.maximum(rounding, sums.rounding(cells))
    centred = cells - cells.mean(axis=1, keepdims=True)
    sd = np.where(spread, cells.std(axis=1, ddof=1, keepdims=True), 1.0)
    return np.asarray(np.where(spread, centred / sd, 0.0))


def _win_rate(cells: np.ndarray, rounding: float) -> np.ndarray:
    """Share of the other runs that a run beats, ties half: (S − mid-rank)/(S − 1)."""
    others = cells.shape[1] - 1
    return _borda(cells, rounding) / others if others else np.full(cells.shape, np.nan)


def _copeland(leads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs won by most of the weight, minus pairs lost."""
    value = np.sign(leads).sum(axis=1)
    return value, value


def _mc4(leads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    layers, shares = mc4(leads)
    # Shares may be tiny and still differ: compare their logarithms, that is, their ratios.
    places = sums.tie_groups(np.log(np.maximum(shares, np.finfo(np.float64).tiny)))
    return layers + shares, layers * float(len(leads)) - places


def _kemeny(leads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value = -kemeny_places(leads).places
    return value, value


ACROSS: dict[str, Across] = {
    "mean": Across(lambda cells, rounding: cells, of_votes=False),
    "mean_z": Across(_standard, of_votes=False),
    "mean_rank": Across(lambda cells, rounding: _borda(cells, rounding) - cells.shape[1]),
    "borda": Across(_borda),
    "win_rate": Across(_win_rate),
    "copeland": Across(of_leads=_copeland),
    "mc4": Across(of_leads=_mc4),
    "kemeny": Across(of_leads=_kemeny),
}
"""The rules by name."""


def signs_of(cells: np.ndarray, rounding: float) -> np.ndarray:
    """Return for each unit which run of a pair a < b is better: 1 for a, −1 for b; units × pairs.

    Examples
    --------
    >>> signs_of(np.array([[0.5, np.nan, 0.75]]), 0.0).tolist()
    [[1, -1, -1]]
    """
    ranks = ranks_in_units(cells, rounding)
    a, b = np.triu_indices(cells.shape[1], k=1)
    return np.asarray(np.sign(ranks[:, b] - ranks[:, a]).astype(np.int8))


def square_of(of_pairs: np.ndarray, n_runs: int) -> np.ndarray:
    """Lay numbers of the pairs a < b out as an antisymmetric matrix, runs × runs.

    Examples
    --------
    >>> square_of(np.array([1.0, -1.0, 0.0]), 3).tolist()
    [[0.0, 1.0, -1.0], [-1.0, 0.0, 0.0], [1.0, -0.0, 0.0]]
    """
    square = np.zeros((n_runs, n_runs))
    a, b = np.triu_indices(n_runs, k=1)
    square[a, b], square[b, a] = of_pairs, -of_pairs
    return square


def leads_of(cells: np.ndarray, weights: np.ndarray, rounding: float) -> np.ndarray:
    """Return the weight of the units that prefer the row's run, minus that of the others.

    Examples
    --------
    >>> leads_of(np.array([[0.5, 0.75], [0.5, np.nan]]), np.array([0.75, 0.25]), 0.0)[0, 1]
    np.float64(-0.5)
    """
    ranks, leads = ranks_in_units(cells, rounding), np.zeros((cells.shape[1],) * 2)
    for weight, of_unit in zip(weights, ranks, strict=True):
        leads += weight * np.sign(of_unit - of_unit[:, None])
    return np.asarray(np.where(np.abs(leads) <= sums.TIE, 0.0, leads))


def places_of(keys: np.ndarray) -> np.ndarray:
    """Rank each row: 1 + the number of runs with a better key; NaN comes last.

    Examples
    --------
    >>> places_of(np.array([0.3, 0.5, 0.1 + 0.2, 0.2])).tolist()
    [2, 1, 2, 4]
    """
    keys = np.where(np.isnan(keys), _LAST, keys)
    large = np.max(np.abs(keys[np.abs(keys) < -_LAST]), initial=1.0)
    groups = np.atleast_2d(sums.tie_groups(keys, sums.TIE * max(1.0, float(large))))
    rows, n = groups.shape
    cells = groups + np.arange(rows)[:, None] * n
    sizes = np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n)
    first = np.cumsum(sizes, axis=1) - sizes + 1
    return np.asarray(first.ravel()[cells].reshape(keys.shape))


def own_values(rule: Any, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Call a rule of one's own with cells, units × runs, and weights; it returns a value a run."""
    return np.asarray(rule(cells.copy(), weights.copy()), np.float64)
