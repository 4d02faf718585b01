"""The power of sign flips: exact for differences of one size, else close to the power of t."""

from __future__ import annotations

import math

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.pairwise import Pairs
from lexiframe.core.significance.joint_flips import MOST_REQUESTS as MOST


def flips_power(pairs: Pairs, by_t: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """Return the power of sign flips with n requests, from the power of t: pairs × sizes.

    It is 0 where not even equal signs reject, as their p is 2^(1−n).
    """
    power = np.where(0.5 ** (n - 1.0) < alpha, by_t, 0.0)
    pair, row, table = sign_powers(pairs, alpha)
    n = np.broadcast_to(n, power.shape)[pair]
    exact = table[row[:, None], np.clip(n, 1, MOST) - 1]
    power[pair] = np.where(n <= MOST, exact, power[pair])
    return power


def flips_size(pairs: Pairs, by_t: np.ndarray, power: float, alpha: float) -> np.ndarray:
    """Return the least n at which sign flips have the power, from t's; 0 if there is none."""
    least = math.floor(1 - math.log2(alpha)) + 1
    required = np.where(by_t > 0, np.maximum(by_t, least), 0)
    pair, row, table = sign_powers(pairs, alpha)
    is_enough = (table >= power)[row]
    more = np.where(required[pair] > 0, np.maximum(required[pair], MOST + 1), 0)
    required[pair] = np.where(is_enough.any(axis=1), is_enough.argmax(axis=1) + 1, more)
    return required


def sign_powers(pairs: Pairs, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs whose differences are −c, 0 or c, and their rows in a table of powers.

    Requests with weights have no differences of one size.

    The table has the power of the sign test with 1 to `MOST` requests like the observed ones. With
    m requests that are no ties, it rejects from k wins or losses on, the least k with 2 P(X ≥ k) <
    α for X ~ Bin(m, ½). Wins are Bin(m, wins / (wins + losses)), and each further request raises m
    by one with the probability (wins + losses) / n.
    """
    from scipy.stats import binom

    d = pairs.differences
    pair = np.flatnonzero((d.wins + d.losses > 0) & (not d.has_weights))
    pair = pair[d[pair].each_has_one_size]
    counts, row = np.unique(
        [of[pair] for of in (d.wins, d.losses, d.n)], axis=1, return_inverse=True
    )
    wins, losses, n = counts[..., None]
    m, differs, chance = np.arange(MOST + 1), (wins + losses) / n, wins / (wins + losses)
    k = binom.isf(alpha / 2 * (1 - sums.TIE), m, 0.5) + 1  # a p of alpha does not reject
    power = binom.sf(k - 1, m, chance) + binom.cdf(m - k, m, chance)
    table = np.empty((len(n), MOST))
    for size in range(MOST):
        power = (1 - differs) * power[:, :-1] + differs * power[:, 1:]
        table[:, size] = power[:, 0]
    return pair, row.ravel(), table
