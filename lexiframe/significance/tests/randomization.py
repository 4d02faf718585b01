"""The randomisation test: signs of the differences at random."""

from __future__ import annotations

from functools import partial

import numpy as np

from lexiframe.base import in_threads, resampling
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.paired_tests import Outcome, PairedTest, with_d_z

_ROWS = 96
"""The trials of one product of matrices; few enough that their counts fit in a byte."""
_ALONE = 2**18
"""A product of so many terms is made in one thread: threads that wait for one another at each
product take many times as long where other programs use the processor."""
_FEWEST = 32
"""With fewer columns a product alone takes longer than one in several threads."""


def randomization_test(d: Differences, options: Options) -> Outcome:
    """Randomisation test: signs of the differences at random, p = (1 + count) / (1 + trials).

    If there are at most ``trials`` choices of signs, all of them are enumerated.
    """
    n_drawn, count = resampling.n_flips(d.n, options.trials), np.zeros(len(d.mean), np.int64)
    drawn, n_blocks = (
        resampling.flips(d.n, options.trials, options.seed),
        -(-n_drawn // resampling.FLIPS),
    )
    work = n_drawn * len(count) // 100  # where this is little, threads take longer to start
    for some in in_threads(partial(_counts, d, options), drawn, "randomization", work, n_blocks):
        count += some
    n_not_zero = (np.abs(d.values) > d.rounding).sum(axis=0)
    are_all = resampling.are_enumerated(d.n, options.trials)
    least_p = options.least_p(0.5**n_not_zero) if are_all else 1 / (1 + n_drawn)
    return with_d_z(d, options, d.mean, (1 + count) / (1 + n_drawn), least_p)


def _counts(d: Differences, options: Options, flipped: np.ndarray) -> np.ndarray:
    """Return how often each pair's sum is as extreme as the observed one, if signs are flipped."""
    is_two_sided, n_pairs = options.alternative == "two-sided", d.values.shape[1]
    side = -1.0 if options.alternative == "less" else 1.0
    least = (np.abs(d.mean) if is_two_sided else side * d.mean) - d.mean_rounding
    least *= d.n
    width = _ALONE // (_ROWS * d.n)
    width = n_pairs if width < _FEWEST else width
    columns = [slice(first, first + width) for first in range(0, n_pairs, width)]
    parts = [side * d.values[:, some] for some in columns]
    count, sums = np.zeros(n_pairs, np.int64), np.empty((_ROWS, n_pairs))
    is_extreme = np.empty(sums.shape, bool)
    for first in range(0, len(flipped), _ROWS):
        signs = flipped[first : first + _ROWS] * -2.0
        signs += 1.0
        drawn, found = sums[: len(signs)], is_extreme[: len(signs)]
        for some, values in zip(columns, parts, strict=True):
            np.matmul(signs, values, out=drawn[:, some])
        if is_two_sided:
            np.abs(drawn, out=drawn)
        np.greater_equal(drawn, least, out=found)
        count += found.view(np.uint8).sum(axis=0, dtype=np.uint8)
    return count


TEST = PairedTest(
    "randomization",
    "paired randomisation test",
    randomization_test,
    draws=True,
    why_not_shifted="with a margin it would test whether the differences are symmetric about the "
    "margin, not whether their mean is beyond it, and equal differences would pass",
)
