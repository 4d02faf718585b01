"""How many requests a gate would need to decide: `requests_to_decide`."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from lexiframe.significance.noncentral_t import FAR, LARGEST, NONE_BEHIND

Size = Callable[[np.ndarray], np.ndarray]
"""From a number of requests for each row to the probability that the row is decided."""


def requests_to_decide(
    require: str,
    mean: np.ndarray,
    deviation: np.ndarray,
    margin: np.ndarray,
    alpha: float,
    power: float,
) -> np.ndarray:
    """Return the least numbers of requests that let rows pass, or fail, with probability ``power``.

    The arrays have the mean difference of each row, its standard deviation and the margin. The
    result is 0 where more than 10^9 requests would be needed, and for a deviation of NaN.

    Examples
    --------
    >>> mean, deviation = np.array([0.0, -0.01, -0.02]), np.full(3, 0.05)
    >>> requests_to_decide("not-worse", mean, deviation, np.full(3, 0.01), 0.05, 0.8).tolist()
    [156, 0, 156]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        low, mid, high = ((mean + shift) / deviation for shift in (margin, 0.0, -margin))

    def above(effect: np.ndarray, level: float) -> np.ndarray:
        return _least(lambda n: _power_above(effect, n, level), power, len(mean))

    if require == "not-worse":
        sizes = above(low, alpha), above(-low, alpha)
    elif require == "better":  # by a two-sided test; else not by the margin
        sizes = above(mid, alpha / 2), above(-high, alpha)
    else:
        within = _least(lambda n: _power_within(low, high, n, alpha), power, len(mean))
        sizes = within, above(np.maximum(high, -low), alpha / 2)
    none = np.iinfo(np.int64).max
    least = np.minimum(*(np.where(size > 0, size, none) for size in sizes))
    return np.where(least == none, 0, least)


def _least(decided: Size, power: float, rows: int) -> np.ndarray:
    """Find the least number of requests by bisection; 0 if there is none."""
    low, high = np.ones(rows, np.int64), np.full(rows, LARGEST)
    while (high - low > 1).any():
        middle = (low + high) // 2
        is_enough = decided(middle) >= power
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
    return np.where(decided(high) >= power, high, 0)


def _power_above(effect: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """P(T > t_{1−α, n−1}), T noncentral t with n − 1 degrees of freedom, noncentrality d √n.

    ``effect`` is d: the distance of the mean from the limit, in standard deviations.
    """
    from scipy.stats import nct, t

    freedom = n - 1
    shift = np.clip(np.nan_to_num(effect, posinf=FAR, neginf=-FAR) * np.sqrt(n), -NONE_BEHIND, FAR)
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        power = nct.sf(t.isf(alpha, freedom), freedom, shift)
    return np.where(np.isfinite(effect), power, effect > 0)


def _power_within(low: np.ndarray, high: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """Return how often both one-sided tests reject, so that the mean is shown to be inside.

    Given the standard deviation of the sample, its mean has to lie in an interval; the integral
    over the standard deviation is Gauss and Legendre's. (The two powers minus 1 would be too low
    where power is.) ``low`` and ``high`` are the distances of the mean from −δ and δ, in standard
    deviations.
    """
    from scipy.special import ndtr
    from scipy.stats import chi2, t

    freedom, root = n - 1, np.sqrt(n)
    limit = t.isf(alpha, freedom)
    ends = np.sqrt(chi2.ppf([[_TINY], [1 - _TINY]], freedom) / freedom)
    # A greater ratio of the sample's deviation to the true one leaves no room between −δ and δ.
    known = np.isfinite(low) & np.isfinite(high)
    width = np.where(known, low - high, 0.0)
    start, stop = np.minimum(ends, width / 2 * root / limit)
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    half = (stop - start) / 2
    ratio = start + half * (node[:, None] + 1)
    with np.errstate(invalid="ignore"):
        inside = ndtr(-high * root - limit * ratio) - ndtr(limit * ratio - low * root)
        density = 2 * ratio * freedom * chi2.pdf(ratio**2 * freedom, freedom)
    power = half * (weight @ np.where(known, inside * density, 0.0))
    return np.where(known, power, (low > 0) & (high < 0))


_NODES = 100
_TINY = 1e-12
"""The probability of samples that are left out on either side."""
