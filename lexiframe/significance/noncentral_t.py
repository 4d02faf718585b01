"""The power of the paired t-test on normally distributed differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

LARGEST = 10**9
"""The largest number of requests that `least_size` considers."""
FAR = 1e4
"""Larger noncentralities are replaced by this one: SciPy is slow there, and the power is 1."""
NONE_BEHIND = 37.0
"""The largest noncentrality for the lower tail, which is as good as 0 beyond."""


def t_power(effect: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """P(|T| > t_{1−α/2, n−1}), T noncentral t with n − 1 degrees of freedom, noncentrality d_z √n.

    ``effect`` is d_z: infinite when all differences are equal, NaN when they are all 0.

    Examples
    --------
    >>> t_power(np.array([0.5, np.inf, np.nan]), np.array([34, 2, 34]), 0.05).round(3).tolist()
    [0.808, 1.0, 0.0]
    """
    from scipy.stats import nct, t

    freedom = np.maximum(n - 1, 1)
    limit = t.isf(alpha / 2, freedom)
    finite = np.where(np.isfinite(effect), np.abs(effect), 0.0)
    shift = np.minimum(finite * np.sqrt(n), FAR)
    # The lower tail is written as an upper one, because nct.cdf is NaN where it is tiny.
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        lower = nct.sf(limit, freedom, -np.minimum(shift, NONE_BEHIND))
        power = nct.sf(limit, freedom, shift) + lower
    power = np.where(np.isinf(effect), 1.0, np.minimum(power, 1.0))
    return np.where(np.isnan(effect) | (n < 2), 0.0, power)


def least_n(power_of: Callable[[np.ndarray], np.ndarray], pairs: int, power: float) -> np.ndarray:
    """Find for each pair the least n from 2 whose power is enough, by bisection; 0 if none is."""
    low, high = np.ones(pairs, np.int64), np.full(pairs, LARGEST)
    while (high - low > 1).any():
        middle = (low + high) // 2
        is_enough = power_of(middle) >= power
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
    return np.where(power_of(high) >= power, high, 0)
