"""What modules of sentences share: the order of measures, and the best of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from lexiframe.orderings import is_count


def without_counts(table: pl.DataFrame) -> pl.DataFrame:
    """Leave out the measures that are counts: more of them is not better, so they have no best."""
    counts = [name for name in table["measure"].unique() if is_count(name)]
    return table.filter(~pl.col("measure").is_in(counts))


def place_among(measures: Iterable[str]) -> pl.Expr:
    """Return the place of a row's measure among those that were asked for; others come last."""
    places = {measure: place for place, measure in enumerate(dict.fromkeys(measures))}
    return pl.col("measure").replace_strict(places, default=len(places), return_dtype=pl.Int64)


def is_first(by: Sequence[str] = ()) -> pl.Expr:
    """Return whether the run of a row has the best rank by its measure (in its group)."""
    return pl.col("rank") == pl.col("rank").min().over(*by, "measure")
