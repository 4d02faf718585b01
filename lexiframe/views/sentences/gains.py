"""In which direction a comparison points, by what its test compares."""

from __future__ import annotations

import polars as pl

from lexiframe.significance import tests


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
