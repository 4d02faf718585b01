"""Families of comparisons, of which many are tested at once as `compare` tests one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from lexiframe.significance.bets import SHARING
from lexiframe.significance.corrections import MAX_T, correct_each
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.joint_flips import max_t
from lexiframe.significance.paired_tests import Outcome, d_z_outcome
from lexiframe.significance.tests import TESTS


def compare_families(
    test: str, d: Differences, size: int, correction: str, options: Options
) -> tuple[Outcome, np.ndarray]:
    """Test families of ``size`` pairs; return the outcome and p after the correction.

    p is families × pairs. Sign flips of a pair end as soon as it is known that its p is too large
    to be significant: first of any pair of its family, and, where some pair is, of the others.
    """
    if correction == MAX_T:
        places = pl.int_range(d.n, eager=True)  # a request that is drawn twice has two signs
        found = max_t(places, d.values, d.rounding, options, size)
        outcome = d_z_outcome(d, options, d.mean, found.p_value)
        return outcome, found.p_adjusted.reshape(-1, size)
    first = options.alpha / size if correction in SHARING else options.alpha
    outcome = TESTS[test].compute(d, replace(options, exact_below=first))
    p_adjusted = correct_each(outcome.p_value.reshape(-1, size), correction)
    again = np.flatnonzero((p_adjusted < options.alpha).any(axis=1))
    if test == "randomization" and first < options.alpha and len(again):
        columns = columns_of(again, size)
        some = replace(options, exact_below=options.alpha)
        outcome.p_value[columns] = TESTS[test].compute(some_columns(d, columns), some).p_value
        p = outcome.p_value[columns].reshape(-1, size)
        p_adjusted[again] = correct_each(p, correction)
    return outcome, p_adjusted


def columns_of(families: np.ndarray, size: int) -> np.ndarray:
    """Return the columns of some families."""
    return np.asarray((families[:, None] * size + np.arange(size)).ravel())


def some_columns(d: Differences, columns: np.ndarray) -> Differences:
    """Return the differences of some pairs."""
    if len(columns) == d.values.shape[1]:
        return d
    rounding = d.rounding if d.rounding.size == 1 else d.rounding[:, columns]
    return Differences(d.values[:, columns], rounding, d.queries)
