"""Strengths of runs whose collections are judgments (Bradley & Terry 1952).

Each unit judges each pair of runs that both have a result there, once: the better one wins, and
equal ones have half a win each. A unit's judgments count with its weight, the mean weight as 1.
"""

from __future__ import annotations

import numpy as np

from lexiframe.base import sums
from lexiframe.orderings.across.cells import Valued, ranks_in_units
from lexiframe.orderings.strengths.existence import has_maximum, refuse_no_maximum
from lexiframe.orderings.strengths.fitting import EQUAL, Counts, fit, probabilities


def wins_of(cells: np.ndarray, weights: np.ndarray, rounding: float) -> np.ndarray:
    """Return how often the row's run was better than the column's, runs × runs; ties count half.

    Examples
    --------
    >>> cells = np.array([[0.5, 0.75, 0.5], [0.5, 0.25, np.nan]])
    >>> wins_of(cells, np.array([0.5, 0.5]), 0.0).tolist()
    [[0.0, 1.0, 0.5], [1.0, 0.0, 1.0], [0.5, 0.0, 0.0]]
    """
    ranks, known = ranks_in_units(cells, rounding), ~np.isnan(cells)
    wins = np.zeros((cells.shape[1],) * 2)
    for weight, of_unit, there in zip(weights, ranks, known, strict=True):
        if weight:
            wins += weight * _shares(of_unit, there)
    np.fill_diagonal(wins, 0.0)
    return np.asarray(wins * len(weights) / weights.sum())


def _shares(of_unit: np.ndarray, there: np.ndarray) -> np.ndarray:
    """1 where the row's run is better, 1/2 where both are equal, 0 where one has no result."""
    return np.asarray((there & there[:, None]) * (1 + np.sign(of_unit - of_unit[:, None])) / 2)


def _counts(wins: np.ndarray) -> Counts:
    a, b = np.triu_indices(len(wins), k=1)
    met = wins[a, b] + wins[b, a] > 0
    a, b = a[met], b[met]
    return Counts(len(wins), a, b, wins[a, b], wins[b, a], np.zeros(len(a)))


def refuse_no_strengths(wins: np.ndarray, runs: list[str]) -> None:
    """Raise where no strengths are likeliest, and name the runs that prevent it."""
    if len(runs) > 1:
        refuse_no_maximum(_counts(wins), runs, function="leaderboard")


def strengths(wins: np.ndarray) -> Valued:
    """Return β of the runs (Σ β = 0), and keys that order them; prior = 1 where no β is likeliest.

    Examples
    --------
    >>> found = strengths(np.array([[0, 3.0], [1.0, 0]]))
    >>> found.value.round(3).tolist(), found.keys.tolist()
    ([0.549, -0.549], [0, -1])
    """
    if len(wins) < 2:
        return Valued(np.zeros(len(wins)), np.zeros(len(wins)))
    counts = _counts(wins)
    has_prior = not has_maximum(counts)
    beta = fit(counts, prior=float(has_prior)).beta
    return Valued(beta, -sums.tie_groups(beta, EQUAL), has_prior)


def strength_points(cells: np.ndarray, weights: np.ndarray, rounding: float) -> np.ndarray:
    """Return what β averages, units × runs: β + n H⁻¹ u for a unit with the scores u.

    Their weighted mean is β, because the scores of all units cancel there; with equal weights their
    variance gives the sandwich over units times n/(n − 1), as intervals of `bradley_terry` have it.
    All runs have a result in each unit.
    """
    n, n_runs = cells.shape
    if n_runs < 2:
        return np.zeros(cells.shape)
    fitted = fit(_counts(wins_of(cells, weights, rounding)))
    beta = fitted.beta
    expected = probabilities(beta[:, None] - beta, np.nan)[0].sum(axis=1)
    # Wins against all runs, and half a win against itself as expected has it.
    scores = n_runs + 0.5 - ranks_in_units(cells, rounding) - expected
    return np.asarray(beta + n * scores @ fitted.bread[:-1, :-1])
