"""The randomisation test: signs of the differences at random."""

from __future__ import annotations

import numpy as np

from lexiframe.base import progress, resampling
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.paired_tests import Outcome, PairedTest, with_d_z


def randomization_test(d: Differences, options: Options) -> Outcome:
    """Randomisation test: signs of the differences at random, p = (1 + count) / (1 + trials).

    If there are at most ``trials`` choices of signs, all of them are enumerated.
    """
    n_drawn = resampling.n_signs(d.n, options.trials)
    blocks = resampling.sign_blocks(d.n, options.trials, options.seed)
    count = np.zeros(len(d.mean), np.int64)
    for drawn in progress(blocks, -(-n_drawn // resampling.ROWS), "randomization"):
        means = drawn @ d.values
        means /= d.n
        is_extreme = options.extreme(means, d.mean, d.mean_rounding)
        count += is_extreme.view(np.uint8).sum(axis=0, dtype=np.uint8)  # of at most 200 rows
    p_value = (1 + count) / (1 + n_drawn)
    n_not_zero = (np.abs(d.values) > d.rounding).sum(axis=0)
    are_all = resampling.are_enumerated(d.n, options.trials)
    by_signs = options.least_p(0.5**n_not_zero)
    least_p = by_signs if are_all else 1 / (1 + n_drawn)
    return with_d_z(d, options, d.mean, p_value, least_p)


TEST = PairedTest(
    "randomization",
    "paired randomisation test",
    randomization_test,
    draws=True,
    why_not_shifted="with a margin it would test whether the differences are symmetric about the "
    "margin, not whether their mean is beyond it, and equal differences would pass",
)
