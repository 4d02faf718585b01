"""Documents that occur twice in one ranking, or twice in the judgments of a query."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import SchemaError, schemas
from lexiframe.core.io.doubts.several_rankings import how_told_apart
from lexiframe.core.io.problems.line_numbers import Places, places_of_rows


def repeated_document(
    rows: pl.DataFrame, where: str, places: Places | None = None, unread: Sequence[str] = ()
) -> SchemaError:
    """Build the error for the first document that occurs more than once in a ranking.

    ``rows`` have the columns ``query_id`` and ``doc_id``, in the order of the file. A column of
    ``unread`` may distinguish several rankings, which must not be merged.
    """
    several = how_told_apart(unread)
    mend = "if it is one run, mend it" if several else "mend the run"
    (query_id, doc_id), twins, n = _first_repeated(rows, ("query_id", "doc_id"), places)
    return SchemaError(
        f"{where}: the document {doc_id!r} occurs more than once in the ranking for query "
        f"{query_id!r} ({twins}; {n} such rows in all); {several}{mend}, or keep "
        "the best-ranked one with duplicates='best'"
    )


def repeated_judgment(rows: pl.DataFrame, where: str, places: Places | None = None) -> SchemaError:
    """Build the error for the first document that is judged twice in an iteration of a query."""
    first, twins, n = _first_repeated(rows, schemas.QRELS.key, places)
    grades = rows.filter(_has(schemas.QRELS.key, first))
    listed = " and ".join(f"{grade:g}" for grade in grades["relevance"].head(3))
    return SchemaError(
        f"{where}: the document {first[2]!r} is judged more than once for query {first[0]!r}, with "
        f"the grades {listed} ({twins}; {n} such rows in all); mend the qrels, or keep the highest "
        "grade with duplicates='best'"
    )


def _first_repeated(
    rows: pl.DataFrame, key: Sequence[str], places: Places | None
) -> tuple[tuple[str, ...], str, int]:
    """Return the first repeated key, where its rows are, and how many rows have a repeated key."""
    twins = rows.select(key).with_row_index("row").filter(pl.struct(key).is_duplicated())
    first = twins.row(0)[1:]
    first_rows = twins.filter(_has(key, first))["row"].head(3).to_numpy()
    unit, numbers = places_of_rows(rows.height, places)
    return first, f"{unit}s {' and '.join(map(str, numbers[first_rows]))}", twins.height


def _has(key: Sequence[str], values: Sequence[str]) -> pl.Expr:
    return pl.all_horizontal(pl.col(name) == value for name, value in zip(key, values, strict=True))


def highest_grade(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Keep a document's highest grade in each iteration of a query; count the removed rows."""
    order = rows.with_row_index("row").sort("relevance", "row", descending=[True, False])
    kept = order.unique(schemas.QRELS.key, keep="first").sort("row").drop("row")
    return kept, rows.height - kept.height
