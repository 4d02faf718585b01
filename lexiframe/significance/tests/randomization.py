"""The randomisation test: signs of the differences at random."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from lexiframe.base import in_threads, resampling
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.paired_tests import Outcome, PairedTest, d_z_outcome

_ROWS = 96
"""The trials of one product of matrices; few enough that their counts fit in a byte."""
_ALONE = 2**18
"""A product of so many terms is made in one thread: threads that wait for one another at each
product take many times as long where other programs use the processor."""
_PAIRS = 2**10
"""The columns that are counted together where counts end early: they stay in the cache."""
_FEWEST = 32
"""With fewer columns a product alone takes longer than one in several threads."""


def randomization_test(d: Differences, options: Options) -> Outcome:
    """Randomisation test: signs of the differences at random, p = (1 + count) / (1 + trials).

    If there are at most ``trials`` choices of signs, all of them are enumerated.
    """
    n_drawn, count = resampling.n_flips(d.n, options.trials), np.zeros(len(d.mean), np.int64)
    drawn = resampling.flips(d.n, options.trials, options.seed)
    n_blocks = resampling.n_blocks(d.n, options.trials)
    is_two_sided = options.alternative == "two-sided"
    side = -1.0 if options.alternative == "less" else 1.0
    least = (np.abs(d.mean) if is_two_sided else side * d.mean) - d.mean_rounding
    least *= d.n
    if options.exact_below < math.inf:
        most = options.exact_below * (1 + n_drawn) - 1
        count = _counts_up_to(most, drawn, side * d.values, least, is_two_sided=is_two_sided)
    else:
        counts = partial(_count_extreme_sums, side * d.values, least, is_two_sided=is_two_sided)
        work = n_drawn * len(count) // 100  # where this is little, threads take longer to start
        for some in in_threads(counts, drawn, "randomization", work, n_blocks):
            count += some
    n_not_zero = (np.abs(d.values) > d.rounding).sum(axis=0)
    are_all = resampling.are_enumerated(d.n, options.trials)
    least_p = options.least_p(0.5**n_not_zero) if are_all else 1 / (1 + n_drawn)
    return d_z_outcome(d, options, d.mean, (1 + count) / (1 + n_drawn), least_p)


def _count_extreme_sums(
    values: np.ndarray, least: np.ndarray, flipped: np.ndarray, *, is_two_sided: bool
) -> np.ndarray:
    """Return how often each pair's sum of values reaches its least one, if signs are flipped."""
    n, n_pairs = values.shape
    width = _ALONE // (_ROWS * n)
    width = n_pairs if width < _FEWEST else min(width, n_pairs)
    n_parts = -(-n_pairs // width)
    # All products of a few trials are made by one call, in which other threads can go on.
    parts, limits = np.zeros((n, n_parts * width)), np.full(n_parts * width, np.inf)
    parts[:, :n_pairs], limits[:n_pairs] = values, least
    stacked = np.ascontiguousarray(parts.reshape(n, n_parts, width).swapaxes(0, 1))
    limits = limits.reshape(n_parts, 1, width)
    count, sums = np.zeros((n_parts, width), np.int64), np.empty((n_parts, _ROWS, width))
    is_extreme = np.empty(sums.shape, bool)
    for first in range(0, len(flipped), _ROWS):
        signs = flipped[first : first + _ROWS] * -2.0
        signs += 1.0
        drawn, found = sums[:, : len(signs)], is_extreme[:, : len(signs)]
        np.matmul(signs, stacked, out=drawn)
        if is_two_sided:
            np.abs(drawn, out=drawn)
        np.greater_equal(drawn, limits, out=found)
        count += found.view(np.uint8).sum(axis=1, dtype=np.uint8)
    return count.ravel()[:n_pairs]


def _counts_up_to(
    most: float,
    drawn: Iterator[np.ndarray],
    values: np.ndarray,
    least: np.ndarray,
    *,
    is_two_sided: bool,
) -> np.ndarray:
    """Return the same for all signs that are drawn, or for some, where there are ``most`` or more.

    Most pairs of many are left out after the first signs.
    """
    count, pair = np.zeros(len(least), np.int64), np.arange(len(least))
    for block in drawn:
        for first in range(0, len(block), 2 * _ROWS):
            flipped = block[first : first + 2 * _ROWS]
            for start in range(0, len(pair), _PAIRS):
                some = slice(start, start + _PAIRS)
                count[pair[some]] += _count_extreme_sums(
                    values[:, some], least[some], flipped, is_two_sided=is_two_sided
                )
            is_open = count[pair] < most
            if 2 * np.count_nonzero(is_open) < len(pair):  # to leave others out takes time too
                pair, values, least = pair[is_open], values[:, is_open], least[is_open]
            if not len(pair):
                return count
    return count


TEST = PairedTest(
    "randomization",
    "paired randomisation test",
    randomization_test,
    draws=True,
    why_not_shifted="with a margin it would test whether the differences are symmetric about the "
    "margin, not whether their mean is beyond it, and equal differences would pass",
)
