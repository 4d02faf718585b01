"""The power of the paired t-test by simulation: on requests drawn from the observed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from lexiframe.base import progress, resampling
from lexiframe.pairwise import Pairs
from lexiframe.significance.differences import alike

AT_ONCE = 2**20
"""The number of cells (samples × pairs of runs) tested at once: an array of them takes 8 MB."""

SIZES = [2]
"""The sizes of samples that are tried: they rise by 1, later by 7 %."""
while SIZES[-1] < 100_000:
    SIZES.append(min(100_000, max(SIZES[-1] + 1, SIZES[-1] * 107 // 100)))


_EQUAL = 1e-13
"""A variance that is no more than this share of the mean square is one of rounding alone."""


@dataclass(frozen=True)
class Simulation:
    """A t-test, and how many samples of requests are drawn to find its power.

    It asks whether ``room`` of the mean difference is above 0: by default whether there is a
    difference, in either direction, so that ``alpha`` is the level of both sides. ``with_margin``
    says that samples of equal differences do not reject.
    """

    alpha: float
    samples: int
    seed: int
    room: Callable[[np.ndarray], np.ndarray] = np.abs
    with_margin: bool = False

    def size(self, pairs: Pairs, power: float) -> np.ndarray:
        """Find for each pair the least of `SIZES` at which enough samples are significant.

        The result is 0 for a pair that no size is enough for, or whose room is a tie.
        """
        required = np.zeros(len(pairs.a), np.int64)
        for pair, complete, rough in _paired_values(pairs):
            left = np.flatnonzero(self.room(complete.mean(axis=0)) > rough)
            for size in progress(SIZES, len(SIZES), "simulating requests"):
                share = self._significant(complete[:, left], rough[left], size)
                required[pair[left[share >= power]]] = size
                left = left[share < power]
                if not len(left):
                    break
        return required

    def power(self, pairs: Pairs, sizes: np.ndarray | None) -> np.ndarray:
        """Return the share of significant samples, pairs × sizes; NaN for a pair with one request.

        If ``sizes`` is None, there is one size: the number of requests that the pair has.
        """
        shares = np.full((len(pairs.a), 1 if sizes is None else len(sizes)), np.nan)
        for pair, complete, rough in _paired_values(pairs):
            tried = [len(complete)] if sizes is None else sizes.tolist()
            for k, size in enumerate(progress(tried, len(tried), "simulating requests")):
                shares[pair, k] = self._significant(complete, rough, size)
        return shares

    def _significant(self, values: np.ndarray, rounding: np.ndarray, size: int) -> np.ndarray:
        """Draw samples of requests; return for each pair the share of them whose test rejects."""
        blocks = resampling.drawn_blocks(len(values), self.samples, self.seed, size=size)
        at_once = max(1, AT_ONCE // resampling.ROWS)
        n_rejected = np.zeros(values.shape[1], np.int64)
        for drawn in blocks:
            weights = drawn / size
            for start in range(0, values.shape[1], at_once):
                part = np.s_[start : start + at_once]
                rejects = self._rejects(weights, values[:, part], rounding[part], size)
                n_rejected[part] += rejects.sum(axis=0)
        return n_rejected / self.samples

    def _rejects(
        self, weights: np.ndarray, values: np.ndarray, rounding: np.ndarray, size: int
    ) -> np.ndarray:
        """Return where t > t_{1−α/2, n−1}, with t² = n · room² / variance, without a division.

        Equal differences, whose variance is 0 but for rounding, have p = 2^(1−n) where there is
        room, as the t-test of a comparison has; with a margin they decide nothing.
        """
        from scipy.stats import t

        mean, square = weights @ values, weights @ values**2
        variance = (square - mean**2) * (size / (size - 1))
        above = self.room(mean)
        above[above <= rounding] = 0.0
        rejects = size * above**2 > t.isf(self.alpha / 2, size - 1) ** 2 * variance
        enough = not self.with_margin and 0.5 ** (size - 1) < self.alpha
        return np.where(variance <= _EQUAL * square, enough & (above > 0), rejects)


def _paired_values(pairs: Pairs) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield pairs that have the same requests, their values for these, and their rounding.

    Pairs with one request are left out: nothing can be estimated from it.
    """
    rounding = pairs.mean_rounding
    for pair, requests in alike(~np.isnan(pairs.values)):
        if len(requests) > 1:
            yield pair, pairs.values[np.ix_(requests, pair)], rounding[pair]
