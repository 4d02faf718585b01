"""In which direction a comparison points, by what its test compares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from lexiframe.significance import own_tests, tests


def _gain() -> pl.Expr:
    name, gain = pl.col("test").str.extract(r"^([^(]*)"), pl.col("mean_difference")
    for test in tests.TESTS.values():
        ahead = pl.col(test.compares.column) - test.compares.neither
        gain = pl.when(name == test.name).then(ahead).otherwise(gain)
    return gain


GAIN = _gain()
"""Greater than 0 if the test favours run_a, even where the mean difference does not."""


def both_ways(c: pl.DataFrame) -> pl.DataFrame:
    """Return each comparison for both of its runs: ``run``, its ``rival``, and how far it gains."""
    a, b = pl.col("run_a"), pl.col("run_b")
    return pl.concat(
        c.with_columns(run=run, rival=rival, gain=sign * GAIN)
        for run, rival, sign in ((a, b, 1), (b, a, -1))
    )


def of_first_test(comparisons: pl.DataFrame, inference: Mapping[str, Any]) -> pl.DataFrame:
    """Return the comparisons by the test and the correction that were named first."""
    test, correction = (own_tests.several(inference[name])[0] for name in ("test", "correction"))
    named = pl.col("test").str.extract(r"^([^(]*)") == test
    return comparisons.filter(named, pl.col("correction") == correction)
