"""The randomization test: the signs of the differences are flipped."""

from __future__ import annotations

import polars as pl

from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.joint_flips import max_t
from lexiframe.core.significance.paired_tests import Outcome, PairedTest, d_z_outcome


def randomization_test(d: Differences, options: Options) -> Outcome:
    """Randomization test of each pair alone; its p-values after max-t need all pairs of a family.

    If there are at most ``trials`` choices of signs, all of them are taken.
    """
    known = len(d.queries) == d.n  # samples of requests have no ids
    queries = d.queries if known else pl.int_range(d.n, eager=True)
    found = max_t(queries, *d.weighed, options)
    return d_z_outcome(d, options, d.mean, found.p_value, found.least_p)


TEST = PairedTest(
    "randomization",
    "paired randomization test",
    randomization_test,
    draws=True,
    why_not_shifted="with a margin it would test whether the differences are symmetric about the "
    "margin, not whether their mean is beyond it, and equal differences would pass",
)
