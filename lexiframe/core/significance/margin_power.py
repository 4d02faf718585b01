"""The power of paired t-tests on normal differences, also of tests against a margin."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache

import numpy as np

from lexiframe.core.significance.arguments import LARGEST

QUESTIONS = ("a not worse", "b not worse", "better", "equivalent")
"""What may be asked about two runs, see `lexiframe.equivalence`; sorted."""

_NODES = 64
"""The points of the Gauss–Legendre quadrature: more of them change no power by 1e-11."""
_LEAST = 1e-15
"""The probability of standard deviations that the quadrature leaves out at either end."""
_FAR = 9.0
"""A standard normal is beyond this with a probability of 1e-19."""
FAR = 1e4
"""Larger noncentralities are replaced by this one: SciPy is slow there, and the power is 1."""
NONE_BEHIND = 37.0
"""The largest noncentrality for the lower tail, which is as good as 0 beyond."""


def room(question: str, mean: np.ndarray, margin: float) -> np.ndarray:
    """Return the distance of mean differences from the limit, positive where yes is possible."""
    if question == "better":
        return np.asarray(np.abs(mean))
    if question == "equivalent":
        return np.asarray(margin - np.abs(mean))
    return np.asarray(margin + mean if question == "a not worse" else margin - mean)


def question_power(
    question: str,
    mean: np.ndarray,
    deviation: np.ndarray,
    margin: float,
    n: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Return the probability of the answer yes with n requests, given the mean and deviation.

    With deviation 0 it is 0 for questions with a margin, which equal differences do not decide.
    """
    if question == "better":
        with np.errstate(divide="ignore", invalid="ignore"):
            return t_power(mean / deviation, n, alpha)
    error = np.where(deviation > 0, deviation, 1.0) / np.sqrt(np.maximum(n, 1))
    below, above = (margin + mean) / error, (margin - mean) / error
    freedom = np.maximum(n - 1, 1)
    if question == "a not worse":
        above = np.full_like(below, np.inf)
    if question == "b not worse":
        below = np.full_like(above, np.inf)
    power = tost_power(below, above, freedom, alpha)
    return np.where((n < 2) | ~(deviation > 0), 0.0, power)


def question_size(
    question: str,
    mean: np.ndarray,
    deviation: np.ndarray,
    margin: float,
    power: float,
    alpha: float,
    share: np.ndarray | int = 1,
) -> np.ndarray:
    """Find the least n for which `question_power` reaches ``power``; 0 if there is none.

    Without `room`, more requests make a yes less probable. Of n requests ``share`` · n count.
    """
    required = np.zeros(len(mean), np.int64)
    asked = np.flatnonzero(room(question, mean, margin) > 0)
    mean, deviation = mean[asked], deviation[asked]
    share = np.broadcast_to(share, required.shape)[asked]
    required[asked] = least_n(
        lambda n: question_power(question, mean, deviation, margin, n * share, alpha),
        len(asked),
        power,
    )
    return required


def t_power(effect: np.ndarray, n: np.ndarray, alpha: float) -> np.ndarray:
    """P(|T| > t_{1−α/2, n−1}), T noncentral t with n − 1 degrees of freedom, noncentrality d_z √n.

    ``effect`` is d_z: infinite when all differences are equal, which are significant from the n on
    whose p = 2^(1−n) is below α, and NaN when they are all 0.
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
    of_equal = 0.5 ** (n - 1.0) < alpha
    power = np.where(np.isinf(effect), of_equal, np.minimum(power, 1.0))
    return np.where(np.isnan(effect) | (n < 2), 0.0, power)


def least_n(power_of: Callable[[np.ndarray], np.ndarray], pairs: int, power: float) -> np.ndarray:
    """Find for each pair the least n from 2 whose power is enough, by bisection; 0 if none is."""
    low, high = np.ones(pairs, np.int64), np.full(pairs, LARGEST)
    while (high - low > 1).any():
        middle = (low + high) // 2
        is_enough = power_of(middle) >= power
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
    return np.where(power_of(high) >= power, high, 0)


def tost_power(
    below: np.ndarray, above: np.ndarray, freedom: np.ndarray, alpha: float
) -> np.ndarray:
    """Return the probability that two one-sided t-tests both reject.

    ``below`` and ``above`` are the distances of the mean from the lower and the upper limit, in
    standard errors; infinite for a test that always rejects. Given w, the observed standard
    deviation over the true one, both reject if a standard normal lies between t w − ``below`` and
    ``above`` − t w, with t = t_{1−α}. This is integrated over w = √(χ²/df), from 0 to (``below`` +
    ``above``) / 2t; it is the difference of two values of Owen's Q (Phillips, Journal of
    Pharmacokinetics and Biopharmaceutics 1990, doi:10.1007/BF01063556).

    Examples
    --------
    >>> tost_power(np.array([3.0, 5.0]), np.array([3.0, 1.0]), np.array([30, 30]), 0.05).round(4)
    array([0.8017, 0.2517])
    """
    from scipy.special import chdtr, chdtri, ndtr
    from scipy.stats import t

    below, above = below[..., None], above[..., None]
    df = np.broadcast_to(freedom, below.shape[:-1]).astype(np.float64)[..., None]
    limit = t.isf(alpha, df)
    least, greatest = (np.sqrt(chdtri(df, tail) / df) for tail in (1 - _LEAST, _LEAST))
    # Up to the first of these w the normal lies between for certain, from the second on never.
    nearest, middle = np.minimum(below, above), (below + above) / 2
    first = np.clip((nearest - _FAR) / limit, least, greatest)
    last = np.clip(np.minimum(nearest + _FAR, middle) / limit, first, greatest)
    w, density = _chi(df, first, last)
    inside = np.maximum(ndtr(above - limit * w) - ndtr(limit * w - below), 0.0)
    whole = _chi(df, least, greatest)[1].sum(axis=-1)
    certain = np.where(first > least, chdtr(df, df * first**2), 0.0)[..., 0]
    power = certain + (density * inside).sum(axis=-1) / whole
    return np.asarray(np.clip(power, 0.0, 1.0))


def _chi(df: np.ndarray, first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points between ``first`` and ``last``, and the density of √(χ²/df) there · weight.

    The density is that of mode 1, ∝ w^(df − 1) exp(−df w²/2); its constant would cancel nearly all
    digits where df is large.
    """
    nodes, weights = _quadrature(_NODES)
    half = (last - first) / 2
    w = first + half * (1 + nodes)
    return w, np.exp(df * (np.log(w) + (1 - w**2) / 2)) / w * weights * half


@cache
def _quadrature(points: int) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return nodes, weights
