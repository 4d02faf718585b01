"""The studentised range, for thousands of values at once.

`scipy.stats.studentized_range` integrates for each value separately, which takes 10 ms each (a
minute for the pairs of 110 runs), and it warns where the integrand is narrow. Here the distribution
of the range is tabulated once over log w, and all values share the table. Both integrands are
analytic and vanish at both ends; for such integrands the trapezoidal rule converges exponentially.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

NEGLIGIBLE = 40.0
"""The density of log s counts as 0 where it is below e^−40 of its value at the mode."""
BLOCK = 2**20
"""The number of cells of an array that is computed at once."""


def survival(q: np.ndarray, k: int, df: int) -> np.ndarray:
    """Return P(Q > q) for the studentised range of k means with df degrees of freedom, q ≥ 0.

    P(Q > q) = ∫ f(s) P(W > q s) ds, where W is the range of k standard normal variables and df · s²
    is χ² with df degrees of freedom. The integration runs over log s. The nodes are chosen such
    that log w = log q + log s is a multiple of the step, so that all q use the same table.
    """
    step = min(0.04, 0.5 / math.sqrt(2 * df))
    low, high = _support(df)
    tails = np.ones(len(q))
    apart = np.flatnonzero(q > 0)
    if not len(apart):
        return tails
    log_q = np.log(q[apart])
    first = np.floor((log_q + low) / step).astype(np.int64)
    width = np.arange(math.ceil((high - low) / step) + 2)
    least = int(first.min())
    table = _range_survival(np.exp(step * np.arange(least, first.max() + len(width))), k)
    for part in np.array_split(np.arange(len(apart)), 1 + len(apart) * len(width) // BLOCK):
        node = first[part, None] + width
        weight = np.exp(_log_density(step * node - log_q[part, None], df))
        tails[apart[part]] = (weight * table[node - least]).sum(axis=1) / weight.sum(axis=1)
    return np.minimum(tails, 1.0)


@lru_cache  # measures of the same runs and requests ask for the same one
def quantile(tail: float, k: int, df: int) -> float:
    """Return the q with P(Q > q) = tail."""
    from scipy.optimize import brentq

    def above(log_q: float) -> float:
        return float(survival(np.exp([log_q]), k, df)[0]) - tail

    high = 1.0
    while above(high) > 0:
        high += 2.0
    low = 0.0
    while above(low) < 0:
        low -= 2.0
    return math.exp(brentq(above, low, high, xtol=1e-13, rtol=1e-14))


def _log_density(t: np.ndarray, df: int) -> np.ndarray:
    """Return the log density of t = log s, ∝ exp(df t − df e^2t / 2), minus its value at the mode.

    The normalising constant is not computed, because for many degrees of freedom it would lose
    digits: `survival` divides by the sum of the weights instead.
    """
    return np.asarray(-df / 2 * (np.expm1(2 * t) - 2 * t))


def _support(df: int) -> tuple[float, float]:
    """Return the interval of log s; outside of it the density is negligible."""
    from scipy.optimize import brentq

    def above(t: float) -> float:
        return NEGLIGIBLE - df / 2 * (math.expm1(2 * t) - 2 * t)

    # Even with one degree of freedom the density is negligible at −1 − NEGLIGIBLE and at 3.
    return brentq(above, -1 - NEGLIGIBLE, 0.0), brentq(above, 0.0, 3.0)


def _range_survival(w: np.ndarray, k: int) -> np.ndarray:
    """P(W > w) = k ∫ φ(z) (Φ(z)^(k−1) − (Φ(z) − Φ(z − w))^(k−1)) dz, where z is the largest of k.

    The difference of powers is computed by log1p and expm1, so that small tails keep their digits.
    """
    from scipy.special import log_ndtr, ndtr

    step = 0.05
    z = np.arange(-9.0, 12.0, step)  # beyond, the density of the largest is below 1e-17
    density = step * k * np.exp((k - 1) * log_ndtr(z) - z**2 / 2) / math.sqrt(2 * math.pi)
    tails = np.empty(len(w))
    for part in np.array_split(np.arange(len(w)), 1 + len(w) * len(z) // BLOCK):
        # Below 1, because log1p(−1) is −∞.
        others = np.minimum(ndtr(z - w[part, None]) / ndtr(z), 1 - 2.0**-53)
        tails[part] = -np.expm1((k - 1) * np.log1p(-others)) @ density
    return tails
