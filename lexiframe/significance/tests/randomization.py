"""The randomisation test: signs of the differences at random."""

from __future__ import annotations

import numpy as np

from lexiframe.base import progress, resampling
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.paired_tests import ROWS, Outcome, PairedTest, with_d_z


def randomization_test(d: Differences, options: Options) -> Outcome:
    """Randomisation test: signs of the differences at random, p = (1 + count) / (1 + trials).

    If there are at most ``trials`` choices of signs, all of them are enumerated.
    """
    drawn = resampling.signs(d.n, options.trials, options.seed)
    rounding = d.mean_rounding
    count = np.zeros(len(d.mean), np.int64)
    for first in progress(range(0, len(drawn), ROWS), -(-len(drawn) // ROWS), "randomization"):
        means = drawn[first : first + ROWS] @ d.values / d.n
        count += options.extreme(means, d.mean, rounding).sum(axis=0)
    p_value = (1 + count) / (1 + len(drawn))
    n_not_zero = (np.abs(d.values) > d.rounding).sum(axis=0)
    # An enumeration lacks the observed signs, so it has 2^n − 1 rows.
    are_all = len(drawn) < options.trials or 2**d.n == options.trials + 1
    by_signs = options.least_p(0.5**n_not_zero)
    least_p = by_signs if are_all else 1 / (1 + len(drawn))
    return with_d_z(d, options, d.mean, p_value, least_p)


TEST = PairedTest(
    "randomization",
    "paired randomisation test",
    randomization_test,
    draws=True,
    why_not_shifted="with a margin it would test whether the differences are symmetric about the "
    "margin, not whether their mean is beyond it, and equal differences would pass",
)
