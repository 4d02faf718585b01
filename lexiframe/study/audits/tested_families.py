"""Families of comparisons: many are tested at once, with the results of `compare` for each."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.significance.corrections import MAX_T, correct_each
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.joint_flips import max_t
from lexiframe.core.significance.paired_tests import Outcome, d_z_outcome
from lexiframe.core.significance.tests import TESTS


def compare_families(
    test: str, d: Differences, size: int, correction: str, options: Options
) -> tuple[Outcome, np.ndarray]:
    """Test families of ``size`` pairs; return the outcome and corrected p, families × pairs."""
    if correction == MAX_T:
        places = pl.int_range(d.n, eager=True)  # a request that is drawn twice has two signs
        found = max_t(places, d.values, d.rounding, options, size)
        outcome = d_z_outcome(d, options, d.mean, found.p_value)
        return outcome, found.p_adjusted.reshape(-1, size)
    outcome = TESTS[test].compute(d, options)
    return outcome, correct_each(outcome.p_value.reshape(-1, size), correction)


def some_columns(d: Differences, columns: np.ndarray) -> Differences:
    """Return the differences of some pairs."""
    if len(columns) == d.values.shape[1]:
        return d
    rounding = d.rounding if d.rounding.size == 1 else d.rounding[:, columns]
    return Differences(d.values[:, columns], rounding, d.queries)
