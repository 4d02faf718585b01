"""The column ``collection`` of runs and judgments: requests of one id are different in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from lexiframe.core.base import Problem, SchemaError, n_and_first

COLLECTION = "collection"


def has_collections(names: Iterable[str], columns: Mapping[str, str]) -> bool:
    """Return whether a table has the column, and the caller gives it no other meaning."""
    return COLLECTION in {*names} - {*columns.values()}


def rows_by_collection(table: pl.DataFrame, where: str) -> Iterator[tuple[str, pl.Series]]:
    """Yield each collection and the places of its rows, the first one of the table first."""
    named = table[COLLECTION].cast(pl.String)
    if n := named.null_count():
        expected, found = "a collection in each row", f"none in {n:,} rows"
        raise SchemaError(Problem(where, expected, found, "fill it in, or drop the column"))
    places = pl.DataFrame({"name": named}).with_row_index("row")
    each = places.group_by("name", maintain_order=True).agg("row")
    yield from zip(each["name"], each["row"], strict=True)


def refuse_several(names: Sequence[str | None], where: str) -> None:
    """Raise for rows of several collections where they would be pooled."""
    if len(found := dict.fromkeys(names)) > 1:
        raise several_in_one(where, n_and_first([str(name) for name in found]))


def several_in_one(where: str, found: str) -> SchemaError:
    """Return the error of several collections where one is expected."""
    advice = "read runs with read_runs and judgments with read_qrels, which keep the column, and "
    advice += "give both tables, or give {name: (runs, qrels)}; or drop the column"
    named = f"{found} in the column {COLLECTION}"
    return SchemaError(Problem(where, "one collection", named, advice))
