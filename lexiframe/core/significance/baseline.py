"""All runs against one of them: a row for each run and measure, as an experiment reports them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import printed, schemas

_COUNTS = ("better", "worse", "tied")


def against_baseline(
    means: pl.DataFrame,
    wins: pl.DataFrame,
    comparisons: pl.DataFrame,
    baseline: str,
    by: Sequence[str] = (),
) -> pl.DataFrame:
    """Join the means, wins and comparisons of each run against the baseline in one table.

    ``means`` are orderings by mean scores, whose ``value`` is the mean; attributes ``by`` are
    columns of all three tables. The columns are described as ``against_baseline`` of `Evaluation`.
    """
    tested = ["test", "correction"]
    others = comparisons.rename({"run_a": "run"}).drop("run_b")
    of_run, of_measure = [*by, "measure", "run"], [*by, "measure"]
    others = others.join(
        _request_counts(wins, baseline, by), on=of_run, how="left", nulls_equal=True
    )
    itself = others.select(*of_measure, *tested).unique().with_columns(run=pl.lit(baseline))
    table = pl.concat([others, itself], how="diagonal")
    mean = means.select(*of_run, mean="value")
    table = table.join(mean, on=of_run, how="left", nulls_equal=True)
    return schemas.AGAINST_BASELINE.arranged(table, by)


def _request_counts(wins: pl.DataFrame, baseline: str, by: Sequence[str]) -> pl.DataFrame:
    """Count the requests in which each run is better than, worse than, or equal to the baseline."""
    a, b = pl.col("run_a"), pl.col("run_b")
    pairs = wins.filter((a == baseline) | (b == baseline))
    turned = pl.when(a == baseline)
    return pairs.select(
        *by,
        "measure",
        run=turned.then(b).otherwise(a),
        better=turned.then("losses").otherwise("wins"),
        worse=turned.then("wins").otherwise("losses"),
        tied="ties",
    )


def baseline_in_short(
    table: pl.DataFrame, measures: Sequence[str], by: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the table for reading: each measure's runs, the best against the baseline first.

    The baseline stands where its difference, 0, belongs. Constant columns (test, correction, n) are
    left out.
    """
    tested = [name for name in ("test", "correction") if table[name].n_unique() > 1]
    is_other = pl.col("p_value").is_not_null()
    place = pl.col("measure").cast(pl.Enum(list(dict.fromkeys(measures))))
    gain = pl.col("mean_difference").fill_null(0.0)
    ordered = table.sort(*printed.group_order(by, table), place, *tested, -gain, is_other, "run")
    n = ["n"] * (table["n"].drop_nulls().n_unique() > 1)
    mean = ["mean"] * (table["mean"].count() > 0)  # preferences have none
    tests = ["mean_difference", "ci_low", "ci_high", "p_value", "p_adjusted"]
    return ordered.select(*by, "measure", *tested, "run", *mean, *tests, *_COUNTS, *n)
