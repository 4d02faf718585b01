"""Results of runs as cells, units × runs, with weights of the units: ranks, leads, places.

A unit is a collection, or a request of one. A cell is NaN where the run has no result there: it
then loses to the runs that have one, and two runs without one neither win nor tie.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lexiframe.base import LexiframeError, errors, shown, sums
from lexiframe.orderings.ordered import weighted_sums as weighted_sums

_LAST = -1e300  # below all values; −∞ would make differences NaN


class Valued(NamedTuple):
    """The value of each run, the keys that order the runs, and whether a prior was needed.

    ``size`` is that of the numbers whose rounding errors the keys have.
    """

    value: np.ndarray
    keys: np.ndarray
    has_prior: bool = False
    size: float = 1.0


def ranks_in_units(cells: np.ndarray, rounding: float) -> np.ndarray:
    """Return the mid-ranks of the runs in each unit; those without a result share the last ones.

    Examples
    --------
    >>> ranks_in_units(np.array([[0.5, np.nan, 0.75, 0.5]]), 0.0).tolist()
    [[2.5, 4.0, 1.0, 2.5]]
    """
    return sums.mid_ranks(np.where(np.isnan(cells), _LAST, cells), rounding)


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


def places_of(keys: np.ndarray, size: float = 1.0) -> np.ndarray:
    """Rank each row: 1 + the number of runs with a better key; NaN comes last.

    ``size`` is that of the numbers whose rounding errors the keys have.

    Examples
    --------
    >>> places_of(np.array([0.3, 0.5, 0.1 + 0.2, 0.2])).tolist()
    [2, 1, 2, 4]
    """
    keys = np.where(np.isnan(keys), _LAST, keys)
    large = np.max(np.abs(keys[np.abs(keys) < -_LAST]), initial=size)
    groups = np.atleast_2d(sums.tie_groups(keys, sums.TIE * float(large)))
    rows, n = groups.shape
    cells = groups + np.arange(rows)[:, None] * n
    sizes = np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n)
    first = np.cumsum(sizes, axis=1) - sizes + 1
    return np.asarray(first.ravel()[cells].reshape(keys.shape))


def own_values(rule: Any, name: str, cells: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Call a rule of one's own with cells, units × runs, and weights; it returns a value a run."""
    units, n = cells.shape
    expected = f"leaderboard: expected the rule {name} to return a number for each of {n} runs"
    try:
        found = rule(cells.copy(), weights.copy())
    except Exception as error:
        gaps = ", NaN where missing" if np.isnan(cells).any() else ""
        raise LexiframeError(
            f"leaderboard: the rule {name} raised {type(error).__name__}: "
            f"{errors.in_one_line(error)}; it gets cells (units × runs), here {units} × {n}{gaps}, "
            "and the weights of the units, and returns a value for each run: compute over axis 0"
        ) from error
    try:
        value = np.asarray(found, np.float64)
    except (TypeError, ValueError):
        raise LexiframeError(f"{expected}, found {shown(found)}") from None
    if value.shape != (n,):
        raise LexiframeError(f"{expected}, found an array of the shape {value.shape}")
    if not np.isfinite(value).all():
        odd = value[~np.isfinite(value)][0]
        raise LexiframeError(f"{expected}, found {odd} where a number is needed")
    return value
