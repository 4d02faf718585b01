"""What modules of sentences share: the order of measures, and the best of the rows."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.orderings import is_count


def without_counts(table: pl.DataFrame) -> pl.DataFrame:
    """Leave out the measures that are counts: more of them is not better, so they have no best."""
    counts = [name for name in table["measure"].unique() if is_count(name)]
    return table.filter(~pl.col("measure").is_in(counts))


def is_first(by: Sequence[str] = ()) -> pl.Expr:
    """Return whether the run of a row has the best rank by its measure (in its group)."""
    return pl.col("rank") == pl.col("rank").min().over(*by, "measure")
