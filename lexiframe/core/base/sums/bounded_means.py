"""Intervals of means of values that have bounds, or can be few numbers only."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiframe.core.base.sums.estimates import Estimates
from lexiframe.core.base.sums.tolerance import TIE

Ends = tuple[np.ndarray, np.ndarray]


def hits_ends(hits: np.ndarray, n: np.ndarray, tail: float) -> Ends:
    """Return the ends of the intervals of shares of hits among n: Clopper and Pearson.

    Biometrika 26 (1934), doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> low, high = hits_ends(np.array([0, 14]), np.array([28, 28]), 0.025)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.3065], [0.1234, 0.6935])
    """
    from scipy.special import betaincinv

    misses = n - hits
    some, others = hits > 0, misses > TIE * n  # by weights a hit may count less than 1
    low = betaincinv(np.where(some, hits, 1), misses + 1, tail)
    high = betaincinv(hits + 1, np.where(others, misses, 1), 1 - tail)
    return np.where(some, low, 0.0), np.where(others, high, 1.0)


def signs_ends(wins: np.ndarray, losses: np.ndarray, n: np.ndarray, tail: float) -> Ends:
    """Return the ends of the intervals of means of −1, 0 and 1: Bonett and Price.

    p̃ − q̃ ± z √((p̃ + q̃ − (p̃ − q̃)²)/(n + 2)), p̃ = (wins + 1)/(n + 2), q̃ = (losses + 1)/(n + 2).
    Journal of Educational and Behavioral Statistics 37 (2012), doi:10.3102/1076998611411915.

    Examples
    --------
    >>> low, high = signs_ends(np.array([5, 0]), np.array([0, 0]), np.array([5, 5]), 0.025)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.196, -0.396], [1.0, 0.396])
    """
    from scipy.special import ndtri

    won, lost = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = -ndtri(tail) * np.sqrt((won + lost - (won - lost) ** 2) / (n + 2))
    return np.maximum(won - lost - half, -1.0), np.minimum(won - lost + half, 1.0)


def add_bounds(d: Any, least: float, most: float) -> Estimates:
    """Return the means of values and one more at each bound, from their moments.

    Examples
    --------
    >>> e = add_bounds(Estimates(np.array([1.0]), np.array([0.0]), 3, np.array([4])), 0.0, 1.0)
    >>> [round(end.item(), 3) for end in e.ends(0.025)]
    [0.405, 1.262]
    """
    n = np.asarray(d.n) + 2
    mean = (d.mean * d.n + least + most) / n
    around = d.deviation**2 * (n - 3) + d.n * (d.mean - mean) ** 2
    around += (least - mean) ** 2 + (most - mean) ** 2
    return Estimates(mean, np.sqrt(around / (n - 1)), n - 1, n)


def hold_mean(low: np.ndarray, high: np.ndarray, mean: np.ndarray) -> Ends:
    """Widen the intervals that miss their own mean to it, as for levels below .7."""
    return np.minimum(low, mean), np.maximum(high, mean)
