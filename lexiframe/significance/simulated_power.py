"""The power of the paired t-test on requests drawn anew from those there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiframe.layouts.arrays import Pairs
from lexiframe.progress import progress
from lexiframe.resampling import drawn_requests

AT_ONCE = 2**20
"""Samples × pairs of runs that are tested together: 8 MB an array."""

SIZES = [2]
"""The sizes of samples that are looked at: steps of 1, later of 7 %."""
while SIZES[-1] < 100_000:
    SIZES.append(min(100_000, max(SIZES[-1] + 1, SIZES[-1] * 107 // 100)))


def simulated_size(pairs: Pairs, power: float, alpha: float, samples: int, seed: int) -> np.ndarray:
    """Find for each pair the least of `SIZES` at which the share of samples that differ is power.

    A pair that never gets there, or has no difference in the mean, has 0.
    """
    required = np.zeros(len(pairs.a), np.int64)
    rounding = pairs.mean_rounding
    for pair, complete in _complete(pairs.values):
        rough = rounding[pair]
        left = np.flatnonzero(np.abs(complete.mean(axis=0)) > rough)
        for size in progress(SIZES, len(SIZES), "simulating requests"):
            share = _significant(complete[:, left], rough[left], size, alpha, samples, seed)
            required[pair[left[share >= power]]] = size
            left = left[share < power]
            if not len(left):
                break
    return required


def simulated_power(
    pairs: Pairs, sizes: np.ndarray, alpha: float, samples: int, seed: int
) -> np.ndarray:
    """Give the share of samples that differ, pairs × sizes; NaN for a pair with one request."""
    shares = np.full((len(pairs.a), len(sizes)), np.nan)
    rounding = pairs.mean_rounding
    for pair, complete in _complete(pairs.values):
        for k, size in enumerate(progress(sizes, len(sizes), "simulating requests")):
            share = _significant(complete, rounding[pair], int(size), alpha, samples, seed)
            shares[pair, k] = share
    return shares


def simulated_power_at_n(pairs: Pairs, alpha: float, samples: int, seed: int) -> np.ndarray:
    """Give the share of samples that differ, each as large as there are requests of the pair."""
    shares = np.full(len(pairs.a), np.nan)
    rounding = pairs.mean_rounding
    for pair, complete in _complete(pairs.values):
        shares[pair] = _significant(complete, rounding[pair], len(complete), alpha, samples, seed)
    return shares


def _complete(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give the pairs that have the same requests together, with their values of these, no NaN.

    Pairs with one request are left out: it says nothing about others.
    """
    patterns, group = np.unique(~np.isnan(values), axis=1, return_inverse=True)
    for g, known in enumerate(patterns.T):
        if known.sum() > 1:
            pair = np.flatnonzero(group.ravel() == g)
            yield pair, values[np.ix_(known, pair)]


def _significant(
    values: np.ndarray, rounding: np.ndarray, size: int, alpha: float, samples: int, seed: int
) -> np.ndarray:
    """Draw samples of requests and give, for each pair, the share of them whose t-test rejects."""
    counts = drawn_requests(len(values), samples, seed, size=size) / size
    block = max(1, AT_ONCE // samples)
    shares = []
    for start in range(0, values.shape[1], block):
        some = np.s_[start : start + block]
        rejects = _rejects(counts, values[:, some], rounding[some], size, alpha)
        shares.append(rejects.mean(axis=0))
    return np.concatenate([np.empty(0), *shares])


def _rejects(
    weights: np.ndarray, values: np.ndarray, rounding: np.ndarray, size: int, alpha: float
) -> np.ndarray:
    """|t| > t_{1−α/2, n−1} with t² = n · mean² / variance; without variance any mean is enough.

    A variance of 0 comes out as one of rounding, too small to matter.
    """
    from scipy.stats import t

    mean, square = weights @ values, weights @ values**2
    mean[np.abs(mean) <= rounding] = 0.0
    variance = (square - mean**2) * (size / (size - 1))
    return np.asarray(size * mean**2 > t.isf(alpha / 2, size - 1) ** 2 * variance)
