"""The power of paired tests by simulation: on requests drawn from the observed ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.base import progress, resampling
from lexiframe.core.pairwise import Pairs
from lexiframe.core.significance.differences import Options, alike
from lexiframe.core.significance.joint_flips import MOST_REQUESTS as MOST
from lexiframe.core.significance.joint_flips import max_t

AT_ONCE = 2**20
"""The number of cells (samples × pairs of runs) tested at once: an array of them takes 8 MB."""

SIZES = [2]
"""The sizes of samples that are tried: they rise by 1, later by 7 %."""
while SIZES[-1] < 100_000:
    SIZES.append(min(100_000, max(SIZES[-1] + 1, SIZES[-1] * 107 // 100)))


_STEPS = 8, 4, 2, 1
"""The steps in which sizes are tried: by the first up to a size that is enough, then back."""
_TRIALS, _ROWS = 512, (100, 20, 4, 1)
"""The least number of sign flips, which each hundred of samples has of its own, and how many
samples may be tested at once."""
_EQUAL = 1e-13
"""A variance that is no more than this share of the mean square is one of rounding alone."""


@dataclass(frozen=True)
class Simulation:
    """A test, and how many samples of requests are drawn to find its power.

    It asks whether ``room`` of the mean difference is above 0: by default whether there is a
    difference, in either direction, so that ``alpha`` is the level of both sides. ``with_margin``
    says that samples of equal differences do not reject. The test is t or, with ``flips``, that of
    sign flips, up to as many requests as have it; these correct for ``comparisons`` by step-down
    max-t if there are so many pairs. Otherwise the level is divided by them.
    """

    alpha: float
    samples: int
    seed: int
    room: Callable[[np.ndarray], np.ndarray] = np.abs
    with_margin: bool = False
    flips: bool = False
    comparisons: int = 1

    def size(self, pairs: Pairs, power: float) -> np.ndarray:
        """Find for each pair the first of `SIZES` from which on enough samples are significant.

        It is 0 for a pair without such a size, or whose room is a tie.
        """
        required, last = np.zeros(len(pairs.a), np.int64), len(SIZES) - 1
        for pair, complete, rough in _paired_values(pairs):
            left = np.flatnonzero(self.room(complete.mean(axis=0)) > rough)
            before = np.full(len(pair), -1)  # the place of a size that is not enough
            for step in _STEPS:
                going = left
                while len(going):
                    at = np.minimum(before[going] + step, last)
                    lacks = self._shares(complete, rough, going, at) < power
                    before[going[lacks]] = at[lacks]
                    left = np.setdiff1d(left, going[lacks & (at == last)])
                    going = going[lacks & (at < last) & (step == _STEPS[0])]
            required[pair[left]] = np.take(SIZES, before[left] + 1)
        return required

    def _shares(
        self, complete: np.ndarray, rough: np.ndarray, some: np.ndarray, at: np.ndarray
    ) -> np.ndarray:
        """Return the share of significant samples of some pairs, each with the size at a place."""
        shares, is_joint = np.empty(len(some)), complete.shape[1] == self.comparisons
        for place in np.unique(at):
            here = at == place
            tested = np.arange(self.comparisons) if is_joint else some[here]
            found = self._significant(complete[:, tested], rough[tested], SIZES[place], is_joint)
            shares[here] = found[np.searchsorted(tested, some[here])]
        return shares

    def power(self, pairs: Pairs, sizes: np.ndarray | None) -> np.ndarray:
        """Return the share of significant samples, pairs × sizes; NaN for a pair with one request.

        If ``sizes`` is None, there is one size: the number of requests that the pair has.
        """
        shares = np.full((len(pairs.a), 1 if sizes is None else len(sizes)), np.nan)
        for pair, complete, rough in _paired_values(pairs):
            tried = [len(complete)] if sizes is None else sizes.tolist()
            is_joint = len(pair) == self.comparisons
            for k, size in enumerate(progress(tried, len(tried), "simulating requests")):
                shares[pair, k] = self._significant(complete, rough, size, is_joint)
        return shares

    def _significant(
        self, values: np.ndarray, rounding: np.ndarray, size: int, is_joint: bool
    ) -> np.ndarray:
        """Draw samples of requests; return for each pair the share of them whose test rejects.

        ``is_joint`` says that sign flips correct for all pairs together.
        """
        (n, n_pairs), flips = values.shape, self.flips and size <= MOST
        cells = n_pairs * (size if flips else 1)
        rows = next((rows for rows in _ROWS if rows * cells <= AT_ONCE), 1)
        blocks = resampling.drawn_blocks(n, self.samples, self.seed, size=size, rows=rows)
        n_rejected = np.zeros(n_pairs, np.int64)
        for block, drawn in enumerate(blocks):
            if flips:
                rejects = self._flipped(drawn, values, is_joint, block * rows // _ROWS[0])
            else:
                rejects = self._rejects(drawn / size, values, rounding, size)
            n_rejected += rejects.sum(axis=0)
        return n_rejected / self.samples

    def _flipped(
        self, drawn: np.ndarray, values: np.ndarray, is_joint: bool, block: int
    ) -> np.ndarray:
        """Return where sign flips reject: samples × pairs."""
        level = self.alpha if is_joint else self.alpha / self.comparisons
        trials = max(_TRIALS, math.ceil(10 / level))
        options = Options("two-sided", level, trials, self.seed + block)
        requests = np.tile(np.arange(len(values)), len(drawn))
        which = np.repeat(requests, drawn.ravel().astype(np.int64)).reshape(len(drawn), -1)
        sampled, n_pairs = values[which.T].reshape(which.shape[1], -1), values.shape[1]
        queries, size = pl.Series(map(str, range(len(sampled)))), n_pairs if is_joint else 1
        p = max_t(queries, sampled, np.zeros((1, 1)), options, size).p_adjusted
        return np.asarray(p.reshape(-1, n_pairs) < level)

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
        level = self.alpha / self.comparisons
        rejects = size * above**2 > t.isf(level / 2, size - 1) ** 2 * variance
        enough = not self.with_margin and 0.5 ** (size - 1) < level
        return np.where(variance <= _EQUAL * square, enough & (above > 0), rejects)


def _paired_values(pairs: Pairs) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield pairs that share all requests, their values for these, and their rounding.

    Pairs with one request are left out: nothing can be estimated from it.
    """
    rounding = pairs.mean_rounding
    known = np.where(np.abs(pairs.values) <= pairs.rounding, 0.0, pairs.values)
    for pair, requests in alike(~np.isnan(known)):
        if len(requests) > 1:
            yield pair, known[np.ix_(requests, pair)], rounding[pair]
