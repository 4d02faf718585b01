"""Means and variances, over the orders of groups of equal scores, of sums over their items.

A group has t documents, r of which count, and its first ranks are seen. Y_x is 1 where rank x of
the group has an item that counts, else 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np


def linear_variance(e: np.ndarray, t: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Return the variance of Σ_x g(x) e(x): Σ(g − ḡ)² Σ(e − ē)² / (t − 1).

    ``e`` is groups × ranks seen, 0 at all other ranks; ``squares`` are the Σ(g − ḡ)².
    """
    mean = e.sum(axis=1) / t
    spread = np.square(e - mean[:, None]).sum(axis=1) + (t - e.shape[1]) * mean**2
    return np.asarray(squares * spread / np.maximum(t - 1, 1))


def pair_sums(
    a: np.ndarray, b: np.ndarray, t: np.ndarray, r: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of Σ_x a_x Y_x + Σ_{y<x} b_x Y_x Y_y, for each group.

    ``a`` and ``b`` are groups × ranks. The chance that d given ranks all have items that count is
    q_d = r (r − 1) ... / (t (t − 1) ...), whichever the ranks are, so that the second moment
    follows from sums over two, three and four different ranks.
    """
    q1, q2, q3, q4 = np.cumprod(
        [np.maximum(r - d, 0) / np.maximum(t - d, 1) for d in range(4)], axis=0
    )
    before = np.arange(a.shape[1])
    paired = b * before
    total, pairs = a.sum(axis=1), paired.sum(axis=1)
    mean = q1 * total + q2 * pairs
    if not b.any():
        return mean, linear_variance(a, t, r * (t - r) / t)
    squares = np.square(a).sum(axis=1)
    below = _sums_before(a)
    one_rank, two_ranks = (a * paired).sum(axis=1), (b * below).sum(axis=1)
    same, later = (b * paired).sum(axis=1), (b * paired * (before - 1)).sum(axis=1)
    behind = b.sum(axis=1, keepdims=True) - _sums_before(b) - b
    other = np.square(behind).sum(axis=1) - same
    chained = 2 * (b * _sums_before(paired)).sum(axis=1)
    of_a = q1 * squares + q2 * (total**2 - squares)
    of_both = q2 * (one_rank + two_ranks) + q3 * (total * pairs - one_rank - two_ranks)
    of_b = q2 * same + q3 * (later + other + chained)
    of_b += q4 * (pairs**2 - same - later - other - chained)
    return mean, np.maximum(of_a + 2 * of_both + of_b - mean**2, 0)


def _sums_before(values: np.ndarray) -> np.ndarray:
    """Return the sum of the values before each rank."""
    return np.asarray(values.cumsum(axis=1) - values)


def moments_by_rank(
    t: np.ndarray, r: np.ndarray, last: int, term: Callable[[int], np.ndarray]
) -> Iterator[np.ndarray]:
    """Yield, after each rank x up to the last, P, E V and E V² by the number k found: 3 × G × k.

    V is the sum, over the ranks with items that count, of ``term(x)``, which is groups × k, where k
    items have been found before. E V and E V² are parts: those of the orders with that k.
    """
    k = np.arange(int(r.max()) + 1)
    moments = np.zeros((3, len(t), len(k)))
    moments[0, :, 0] = 1
    for x in range(1, last + 1):
        hit = np.clip((r[:, None] - k) / np.maximum(t - x + 1, 1)[:, None], 0, 1)
        chance, mean, square = moments * hit
        moments *= 1 - hit
        w = term(x)
        square += w * (2 * mean + w * chance)
        mean += w * chance
        moments[:, :, 1:] += np.stack([chance, mean, square])[:, :, :-1]
        yield moments
