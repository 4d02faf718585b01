"""The direction of a comparison, by the quantity that its test compares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.core.significance import corrections, own_tests, tests


def _gain() -> pl.Expr:
    name, gain = pl.col("test").str.extract(r"^([^(]*)"), pl.col("mean_difference")
    for test in tests.TESTS.values():
        ahead = pl.col(test.compares.column) - test.compares.neither
        gain = pl.when(name == test.name).then(ahead).otherwise(gain)
    return gain


GAIN = _gain()
"""Greater than 0 if the test favours run_a, even where the mean difference does not."""


def both_ways(c: pl.DataFrame, rivals: pl.DataFrame) -> pl.DataFrame:
    """Return the comparisons of runs with their ``rivals``, one row for each run and rival.

    ``run`` gains ``gain`` over ``rival``; further columns of ``rivals`` say where they are rivals
    (by a measure, say). Of a million pairs few contain a rival, and all would be twice here.
    """
    on = [name for name in rivals.columns if name != "rival"]
    return pl.concat(
        c.join(
            rivals.rename({"rival": rival}), on=[*on, rival], how="semi", nulls_equal=True
        ).with_columns(run=pl.col(run), rival=pl.col(rival), gain=sign * GAIN)
        for run, rival, sign in (("run_a", "run_b", 1), ("run_b", "run_a", -1))
    )


def first_test_rows(comparisons: pl.DataFrame, inference: Mapping[str, Any]) -> pl.DataFrame:
    """Return the comparisons by the first test and correction that were named, or by the default.

    The columns name the test: t with Holm's correction may stand for the default of both.
    """
    test, correction = (own_tests.several(inference[name])[0] for name in ("test", "correction"))
    if test == tests.AUTO:
        by_default = correction in (tests.AUTO, corrections.MAX_T)
        return comparisons if by_default else comparisons.filter(correction=correction)
    named = pl.col("test").str.extract(r"^([^(]*)") == test
    correction = corrections.usual(correction) if correction == tests.AUTO else correction
    return comparisons.filter(named, correction=correction)
