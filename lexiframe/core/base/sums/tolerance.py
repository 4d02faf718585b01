"""The tolerance of comparisons: differences that rounding may have caused count as ties."""

from __future__ import annotations

import numpy as np

TIE = 1e-12
"""A difference up to this is a tie; for values above 1, a difference up to this share of them."""


def difference(a: np.ndarray, b: np.ndarray, tolerance: float = TIE) -> np.ndarray:
    """Return a − b, exactly 0 where |a − b| ≤ tolerance · max(1, |a|, |b|); equal infinities tie.

    Examples
    --------
    >>> difference(np.array([0.1 + 0.2, 1e6 + 0.1]), np.array([0.3, 1e6])).round(6).tolist()
    [0.0, 0.1]
    >>> difference(np.array([np.inf, 1e15 + 1]), np.array([np.inf, 1e15])).tolist()
    [0.0, 0.0]
    """
    if are_small(a) and are_small(b):
        delta = a - b
        return np.where(np.abs(delta) <= tolerance, 0.0, delta)
    with np.errstate(invalid="ignore"):
        delta = a - b
        size = np.maximum(np.maximum(np.abs(a), np.abs(b)), 1.0)
        is_tie = (np.abs(delta) <= tolerance * size) & np.isfinite(size)
    return np.where(is_tie | (a == b), 0.0, delta)


def metric_difference(
    a: np.ndarray,
    b: np.ndarray,
    *,
    smaller_is_better: bool,
    is_exact: bool,
    parts: np.ndarray | None = None,
) -> np.ndarray:
    """Return the advantage of the values ``a`` of a metric over the values ``b``.

    Exact metrics tie only where values are equal to the last bit. Such values are whole numbers
    over a number of ``parts`` of each request (0: unknown): the difference of the numerators is
    exact, so that the result is rounded only once.
    """
    better, worse = (b, a) if smaller_is_better else (a, b)
    if not is_exact or parts is None:
        return difference(better, worse, 0.0 if is_exact else TIE)
    known = np.maximum(parts, 1)
    exact = (np.rint(better * known) - np.rint(worse * known)) / known
    return np.where(parts > 0, exact, difference(better, worse, 0.0))


def largest(values: np.ndarray) -> float:
    """Return the largest size of values, the unit of rounding errors; 1 without any."""
    size = np.fmax.reduce(np.abs(values), axis=None, initial=0.0)
    return float(size) or 1.0


_MOST_PARTS = 2000


def parts_of(values: np.ndarray) -> np.ndarray:
    """Return the least n for which n times each value of a request is whole; 0 if unknown.

    ``values`` are requests × runs; NaN is no value. A search length is a whole number or a half
    over the number m of relevant items, which a table of scores does not have.

    Examples
    --------
    >>> parts_of(np.array([[10 / 3, 7.5], [4.0, np.nan], [np.pi, 1.0]])).ravel().tolist()
    [6, 1, 0]
    """
    parts = np.zeros(len(values), np.int64)
    left = np.arange(len(values))
    for n in range(1, _MOST_PARTS + 1):
        scaled = values[left] * n
        error = np.abs(scaled - np.rint(scaled))
        is_whole = ~(error > 4 * np.finfo(np.float64).eps * np.abs(scaled)).any(axis=1)
        parts[left[is_whole]] = n
        left = left[~is_whole]
        if not len(left):
            break
    return parts[:, None]


def rounding(values: np.ndarray) -> np.ndarray:
    """Return a bound on the rounding error of each value: `TIE` · max(1, |value|).

    The result can be broadcast to the values: it is a single number if all are in −1..1.
    """
    if are_small(values):
        return np.full((1,) * values.ndim, TIE)
    sizes = np.abs(values)
    return TIE * np.where(np.isfinite(sizes), np.maximum(sizes, 1.0), 1.0)


def above_zero(p: np.ndarray) -> np.ndarray:
    """Return p-values with the least positive float in place of 0.

    No sample shows that something is impossible.
    """
    return np.asarray(np.maximum(p, np.finfo(np.float64).tiny))


def are_small(values: np.ndarray) -> bool:
    """Return whether all values are in −1..1 and none is NaN."""
    return not values.size or bool(values.min() >= -1 and values.max() <= 1)
