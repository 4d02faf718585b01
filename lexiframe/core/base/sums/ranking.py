"""Ranks, in which values that are equal up to rounding tie, and ratios that may be undefined."""

from __future__ import annotations

import numpy as np

from lexiframe.core.base.sums.tolerance import TIE

_FEW = 32
_MANY = 200
"""Of few values of many rows, each is compared with each in less time than they are sorted."""


def tie_groups(values: np.ndarray, rounding: np.ndarray | float = TIE) -> np.ndarray:
    """Number the distinct values of each row, 0 for the greatest.

    Two neighbours in the sorted row are equal when they differ by no more than the ``rounding`` of
    either: they may be one sum, added up in another order. ``rounding`` is a number, or an array
    that broadcasts to the values. It depends on the terms of the sums, not on the sums, because a
    small sum of large terms has the rounding of the large terms.

    Examples
    --------
    >>> tie_groups(np.array([0.3, 0.5, 0.1 + 0.2])).tolist()
    [1, 0, 1]
    >>> tie_groups(np.array([0.3, 0.5, 0.3 + 1e-10]), rounding=1e-6).tolist()
    [1, 0, 1]
    """
    has_one_error = not isinstance(rounding, np.ndarray) or rounding.shape[-1:] == (1,)
    are_few = values.ndim == 2 and 1 < values.shape[1] <= _FEW and len(values) >= _MANY
    if has_one_error and are_few and np.isfinite(values).all():
        return _few_groups(values, rounding)
    order = np.argsort(-values, axis=-1, kind="stable")
    falling = np.take_along_axis(values, order, axis=-1)
    if isinstance(rounding, np.ndarray) and rounding.shape[-1:] > (1,):  # else one for each row
        errors = np.take_along_axis(np.broadcast_to(rounding, values.shape), order, axis=-1)
        rounding = np.maximum(errors[..., :-1], errors[..., 1:])
    steps = np.zeros(values.shape, np.int64)
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is NaN, never greater: equal infinities tie
        # Equality spreads along a chain of close values, or it would not be transitive.
        steps[..., 1:] = np.cumsum(falling[..., :-1] - falling[..., 1:] > rounding, axis=-1)
    groups = np.empty_like(steps)
    np.put_along_axis(groups, order, steps, axis=-1)
    return groups


def _few_groups(values: np.ndarray, rounding: np.ndarray | float) -> np.ndarray:
    """Return the `tie_groups` of rows of few finite values, each with one rounding error.

    Each value is compared with the values above which there is a step, for all rows at once: that
    takes half the time of undoing the sort.
    """
    rising = np.sort(values, axis=-1).T.copy()
    steps = rising[1:] - rising[:-1] > np.transpose(rounding)
    columns = values.T.copy()
    groups, is_below = np.zeros(columns.shape, np.int8), np.empty(columns.shape, bool)
    for value, step in zip(rising, steps, strict=False):
        np.less_equal(columns, value, out=is_below)
        is_below &= step
        groups += is_below.view(np.int8)
    return groups.T.astype(np.int64, order="C")


def mid_ranks(values: np.ndarray, rounding: np.ndarray | float = TIE) -> np.ndarray:
    """Rank each row's values, 1 for the greatest; equal ones share the mean of their ranks.

    `tie_groups` decides which values are equal.
    """
    return mid_ranks_of(tie_groups(values, rounding))


def mid_ranks_of(groups: np.ndarray) -> np.ndarray:
    """Return the `mid_ranks` of values whose `tie_groups` are known."""
    # SciPy's rankdata does the same, but importing scipy.stats takes half a second.
    rows, n = int(np.prod(groups.shape[:-1])), groups.shape[-1]
    cells = groups.reshape(rows, n) + np.arange(rows)[:, None] * n
    sizes = np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n)
    middle = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    return np.asarray(middle.ravel()[cells].reshape(groups.shape))


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide a part by its whole; the ratio is NaN where both are 0."""
    with np.errstate(invalid="ignore"):
        return np.asarray(part / whole)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjust p-values as Holm (1979) does, step by step from the smallest; each row is a family.

    It is own code, since statsmodels runs the garbage collector at each call.
    """
    order = np.argsort(p_values, axis=-1)
    stepped = np.take_along_axis(p_values, order, axis=-1) * np.arange(p_values.shape[-1], 0, -1)
    adjusted = np.empty_like(p_values)
    least = np.minimum(np.maximum.accumulate(stepped, axis=-1), 1.0)
    np.put_along_axis(adjusted, order, least, axis=-1)
    return adjusted
