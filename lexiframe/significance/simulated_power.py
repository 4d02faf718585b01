"""The power of the paired t-test on requests drawn anew from those there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiframe.measures.ties import TIE
from lexiframe.progress import progress
from lexiframe.resampling import drawn_requests

AT_ONCE = 2**20
"""Samples × pairs of runs that are tested together: 8 MB an array."""

SIZES = [2]
"""The sizes of samples that are looked at: steps of 1, later of 7 %."""
while SIZES[-1] < 100_000:
    SIZES.append(min(100_000, max(SIZES[-1] + 1, SIZES[-1] * 107 // 100)))


def simulated_size(
    values: np.ndarray, power: float, alpha: float, samples: int, seed: int
) -> np.ndarray:
    """Find for each pair the least of `SIZES` at which the share of samples that differ is power.

    ``values`` are requests × pairs, NaN where there is none. A pair that never gets there, or has
    no difference in the mean, has 0.
    """
    required = np.zeros(values.shape[1], np.int64)
    for pair, complete in _complete(values):
        left = np.flatnonzero(np.abs(complete.mean(axis=0)) > TIE)
        for size in progress(SIZES, len(SIZES), "simulating requests"):
            share = _significant(complete[:, left], size, alpha, samples, seed)
            required[pair[left[share >= power]]] = size
            left = left[share < power]
            if not len(left):
                break
    return required


def simulated_power(
    values: np.ndarray, sizes: np.ndarray, alpha: float, samples: int, seed: int
) -> np.ndarray:
    """Give the share of samples that differ, pairs × sizes; NaN for a pair with one request."""
    shares = np.full((values.shape[1], len(sizes)), np.nan)
    for pair, complete in _complete(values):
        for k, size in enumerate(progress(sizes, len(sizes), "simulating requests")):
            shares[pair, k] = _significant(complete, int(size), alpha, samples, seed)
    return shares


def simulated_power_at_n(values: np.ndarray, alpha: float, samples: int, seed: int) -> np.ndarray:
    """Give the share of samples that differ, each as large as there are requests of the pair."""
    shares = np.full(values.shape[1], np.nan)
    for pair, complete in _complete(values):
        shares[pair] = _significant(complete, len(complete), alpha, samples, seed)
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
    values: np.ndarray, size: int, alpha: float, samples: int, seed: int
) -> np.ndarray:
    """Draw samples of requests and give, for each pair, the share of them whose t-test rejects."""
    counts = drawn_requests(len(values), samples, seed, size=size) / size
    block = max(1, AT_ONCE // samples)
    starts = range(0, values.shape[1], block)
    shares = [_rejects(counts, values[:, s : s + block], size, alpha).mean(axis=0) for s in starts]
    return np.concatenate([np.empty(0), *shares])


def _rejects(weights: np.ndarray, values: np.ndarray, size: int, alpha: float) -> np.ndarray:
    """|t| > t_{1−α/2, n−1} with t² = n · mean² / variance; without variance any mean is enough.

    A variance of 0 comes out as one of rounding, too small to matter.
    """
    from scipy.stats import t

    mean, square = weights @ values, weights @ values**2
    mean[np.abs(mean) <= TIE] = 0.0
    variance = (square - mean**2) * (size / (size - 1))
    return np.asarray(size * mean**2 > t.isf(alpha / 2, size - 1) ** 2 * variance)
