"""Tests whether the differences of pairs of runs differ between two groups of requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from lexiframe.base import sums
from lexiframe.pairwise import Pairs, arrays
from lexiframe.significance.differences import Differences, alike, differences_of


class Interaction(NamedTuple):
    """The results of a test for each pair of runs.

    ``least_p`` is the least p-value that the groups' sizes and the number of trials allow.
    """

    interaction: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    least_p: np.ndarray


_ROUNDING = 1e-9
"""Values of t that differ by this share of them, or less, are equal."""
_NO_VARIANCE = 1e-13
"""The share of the mean square that a variance may have by rounding alone."""
_PAIRS_AT_ONCE = 1000
"""The number of pairs of runs at once: their values of t stay in the processor's cache."""


@dataclass(frozen=True)
class TwoGroups:
    """The differences of the same pairs of runs in two groups of requests."""

    a: Differences
    b: Differences

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of requests in each group."""
        return self.a.n, self.b.n

    @property
    def interaction(self) -> np.ndarray:
        """The mean difference in the first group minus that in the second; 0 if they are equal."""
        difference = self.a.mean - self.b.mean
        return np.where(np.abs(difference) <= self.rough, 0.0, difference)

    @property
    def rough(self) -> np.ndarray:
        """The rounding error that each interaction may have."""
        return np.asarray(self.a.mean_rounding + self.b.mean_rounding)

    @property
    def reverses(self) -> np.ndarray:
        """Whether one run is better in the first group, and the other in the second."""
        signs = (
            np.where(np.abs(d.mean) > d.mean_rounding, np.sign(d.mean), 0) for d in (self.a, self.b)
        )
        return np.asarray(next(signs) * next(signs) < 0)

    def welch(self, alpha: float) -> Interaction:
        """Welch's t-test: t = interaction / √(v_a + v_b), v the squared standard errors.

        One request in a group shows no variance: p is then 1, and t and the interval are NaN. Where
        all differences of each group are equal, t is infinite, the interval NaN, and p that of the
        groups among all splits of the requests in two.
        """
        from scipy.special import binom

        v_a, v_b = (d.deviation**2 / d.n if d.n > 1 else d.mean * np.nan for d in (self.a, self.b))
        n_a, n_b = (max(n - 1, 1) for n in self.sizes)
        error, spread = np.sqrt(v_a + v_b), v_a**2 / n_a + v_b**2 / n_b
        df = (v_a + v_b) ** 2 / np.where(spread > 0, spread, np.nan)
        t = _ratio(self.interaction, error)
        of_splits = min(2 / binom(sum(self.sizes), self.sizes[0]), 1.0)
        e = sums.Estimates(self.interaction, error, df)
        p_value = np.where(np.isinf(t), sums.above_zero(of_splits), e.apart())
        low, high = e.ends(alpha / 2)
        return Interaction(self.interaction, low, high, t, p_value, np.zeros(len(t)))

    def permutation(self, alpha: float, trials: int, seed: int) -> Interaction:
        """Permutation test of Welch's t: p = (1 + count) / (1 + trials), over requests."""
        by_welch = self.welch(alpha)
        if min(self.sizes) < 2:
            return by_welch
        n_a, n = self.a.n, sum(self.sizes)
        parts = self._divide()
        # The observed t is computed like the others, so that equal ones differ by little.
        first = (np.arange(n) < n_a).astype(np.float64)[None]
        least = [part.sizes_of_t(first) * (1 - _ROUNDING) for part in parts]
        counts = [np.ones(len(part.rough)) for part in parts]
        for split in arrays.splits(n_a, n, trials, seed):
            for part, count, observed in zip(parts, counts, least, strict=True):
                count += (part.sizes_of_t(split) >= observed).sum(axis=0)
        count, total = np.concatenate(counts), 1 + arrays.n_splits(n_a, n, trials)
        # Of all splits in halves, each has a twin with the halves swapped, and the same |t|.
        least_count = 2 if arrays.are_all(n_a, n, trials) and 2 * n_a == n else 1
        least_p = np.full(len(count), least_count / total)
        return by_welch._replace(p_value=count / total, least_p=least_p)

    def _divide(self) -> list[_Together]:
        """Return the differences in both groups, for some pairs at a time."""
        values = np.concatenate([self.a.values, self.b.values])
        values = values - values.mean(axis=0)  # else variances of parts lose digits
        starts = range(0, values.shape[1], _PAIRS_AT_ONCE)
        some = [slice(start, start + _PAIRS_AT_ONCE) for start in starts]
        return [
            _Together(values[:, s].copy(), values[:, s] ** 2, self.rough[s], self.sizes)
            for s in some
        ]


@dataclass(frozen=True)
class _Together:
    """The differences of pairs over the requests of two groups; their sum is 0 for each pair."""

    values: np.ndarray
    squared: np.ndarray
    rough: np.ndarray
    sizes: tuple[int, int]

    def sizes_of_t(self, split: np.ndarray) -> np.ndarray:
        """Return |t| by Welch between the two parts of each split: splits × pairs; 0 for 0/0."""
        (n_a, n_b), total = self.sizes, self.squared.sum(axis=0)
        sums, squares = split @ self.values, split @ self.squared
        variances = [
            (squares / n_a - (sums / n_a) ** 2) / (n_a - 1),
            ((total - squares) / n_b - (sums / n_b) ** 2) / (n_b - 1),
        ]
        none = _NO_VARIANCE * total / (n_a + n_b)
        error = np.sqrt(sum(np.where(v > none, v, 0.0) for v in variances))
        difference = sums / n_a + sums / n_b
        difference = np.where(np.abs(difference) <= self.rough, 0.0, difference)
        t = np.abs(_ratio(difference, error))
        return np.asarray(np.where(np.isnan(t), 0.0, t))


def _ratio(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return t: infinite without variance, and NaN if there is no difference either."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(difference / error)


def pair_two_groups(
    pairs: Pairs, of_a: pl.Series, of_b: pl.Series
) -> Iterator[tuple[np.ndarray, TwoGroups]]:
    """Yield the pairs of runs that have the same requests, and their differences in two groups.

    Pairs without a request in one of the groups are left out.
    """
    in_a, in_b = (pairs.queries.is_in(of.implode()).to_numpy() for of in (of_a, of_b))
    rows, rounding = np.flatnonzero(in_a | in_b), pairs.rounding
    for pair, known in alike(~np.isnan(pairs.values[rows])):
        requests = rows[known]
        of_each = [requests[is_in[requests]] for is_in in (in_a, in_b)]
        if all(map(len, of_each)):
            a, b = (differences_of(pairs.values, rounding, each, pair) for each in of_each)
            yield pair, TwoGroups(a, b)
