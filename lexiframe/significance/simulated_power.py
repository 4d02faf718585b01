"""The power of the paired t-test by simulation: on requests drawn from the observed ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiframe.layouts.arrays import Pairs
from lexiframe.progress import progress
from lexiframe.resampling import drawn_requests

AT_ONCE = 2**20
"""The number of cells (samples × pairs of runs) tested at once: an array takes 8 MB."""

SIZES = [2]
"""The sizes of samples that are tried: they rise by 1, later by 7 %."""
while SIZES[-1] < 100_000:
    SIZES.append(min(100_000, max(SIZES[-1] + 1, SIZES[-1] * 107 // 100)))


def simulated_size(pairs: Pairs, power: float, alpha: float, samples: int, seed: int) -> np.ndarray:
    """Find for each pair the least of `SIZES` at which enough samples are significant.

    The result is 0 for a pair that no size is enough for, or whose mean difference is a tie.
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
    """Return the share of significant samples, pairs × sizes; NaN for a pair with one request."""
    shares = np.full((len(pairs.a), len(sizes)), np.nan)
    rounding = pairs.mean_rounding
    for pair, complete in _complete(pairs.values):
        for k, size in enumerate(progress(sizes, len(sizes), "simulating requests")):
            share = _significant(complete, rounding[pair], int(size), alpha, samples, seed)
            shares[pair, k] = share
    return shares


def simulated_power_at_n(pairs: Pairs, alpha: float, samples: int, seed: int) -> np.ndarray:
    """Return the share of significant samples of as many requests as each pair has."""
    shares = np.full(len(pairs.a), np.nan)
    rounding = pairs.mean_rounding
    for pair, complete in _complete(pairs.values):
        shares[pair] = _significant(complete, rounding[pair], len(complete), alpha, samples, seed)
    return shares


def _complete(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield pairs, those with the same requests together, with their values for these requests.

    Pairs with one request are left out: nothing can be estimated from it.
    """
    patterns, group = np.unique(~np.isnan(values), axis=1, return_inverse=True)
    for g, known in enumerate(patterns.T):
        if known.sum() > 1:
            pair = np.flatnonzero(group.ravel() == g)
            yield pair, values[np.ix_(known, pair)]


def _significant(
    values: np.ndarray, rounding: np.ndarray, size: int, alpha: float, samples: int, seed: int
) -> np.ndarray:
    """Draw samples of requests; return for each pair the share of them whose t-test rejects."""
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
    """Return where |t| > t_{1−α/2, n−1}, with t² = n · mean² / variance, without a division.

    If the variance is 0 any mean but 0 rejects. Rounding may make it slightly more or less than 0,
    which is too little to matter.
    """
    from scipy.stats import t

    mean, square = weights @ values, weights @ values**2
    mean[np.abs(mean) <= rounding] = 0.0
    variance = (square - mean**2) * (size / (size - 1))
    return np.asarray(size * mean**2 > t.isf(alpha / 2, size - 1) ** 2 * variance)
