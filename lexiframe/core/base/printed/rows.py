"""Sentences about the rows of a table, and groups of requests in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.base.errors import escaped
from lexiframe.core.base.printed.words import group_end, group_title


def sentence_of_each(
    table: pl.DataFrame,
    schema: schemas.TableSchema,
    key: Sequence[str],
    say: Callable[[pl.DataFrame, str], str],
) -> pl.DataFrame:
    """Return a sentence on the rows of each key, in each group of requests, in their order.

    ``say`` takes these rows, and the group as the end of a phrase (see `group_end`). Attributes of
    groups are the columns in front of the table's own.
    """
    names = [*takewhile(lambda name: name not in schema.columns, table.columns)]
    on = [*names, *key]
    parts = table.partition_by(on, maintain_order=True) if on else [table]
    groups = [group_end(part.row(0, named=True), names) if names else "" for part in parts]
    said = [escaped(say(part, group)) for part, group in zip(parts, groups, strict=True)]
    keys = table.select(on).unique(maintain_order=True)
    return pl.DataFrame([*keys, pl.Series("sentence", said, pl.String)])


def place_among(measures: Iterable[str]) -> pl.Expr:
    """Return the place of a row's measure in the user's list; other measures come last."""
    places = {measure: place for place, measure in enumerate(dict.fromkeys(measures))}
    return pl.col("measure").replace_strict(places, default=len(places), return_dtype=pl.Int64)


_NAMES = ("collection", "by collection")


def group_order(by: Sequence[str], table: pl.DataFrame) -> list[pl.Expr]:
    """Return the keys of groups in order: values, and the places of collections in a table."""
    return [_place_in(table, n) if n in _NAMES else pl.col(n) for n in by]


def _place_in(table: pl.DataFrame, name: str) -> pl.Expr:
    """Return the place of a value in a column, by its first row; unknown values come last."""
    values = table[name if name in table.columns else name.removeprefix("by ")]
    places = {value: n for n, value in enumerate(values.unique(maintain_order=True))}
    return pl.col(name).replace_strict(places, default=len(places), return_dtype=pl.Int64)


def name_groups(table: pl.DataFrame, by: Sequence[str], called: str = "group") -> pl.DataFrame:
    """Replace the attributes of groups by a column ``called``, their names and values in words."""
    there = [name for name in by if name in table.columns]
    if not there:
        return table.with_columns(pl.lit("").alias(called))
    groups = table.select(there).unique()
    titles = [group_title(there, row) for row in groups.iter_rows()]
    groups = groups.with_columns(pl.Series(_TITLE, titles, pl.String))
    titled = table.select(there).join(
        groups, on=there, how="left", nulls_equal=True, maintain_order="left"
    )
    return table.drop(there).with_columns(titled[_TITLE].alias(called))


_TITLE = "\x1ftitle"  # no attribute has this name; one may be called "group"
