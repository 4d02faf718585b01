"""Documents that occur twice in one ranking, or twice in the judgments of a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import polars as pl

from lexiframe.errors import SchemaError, check_choice
from lexiframe.io.problems.line_numbers import Places, places_of_rows

Duplicates = Literal["error", "best"]


def check_duplicates(duplicates: str) -> None:
    """Raise for a policy that does not exist."""
    check_choice("duplicates", duplicates, get_args(Duplicates))


def repeated_document(rows: pl.DataFrame, where: str, places: Places | None = None) -> SchemaError:
    """Build the error for the first document that is more than once in a ranking.

    Parameters
    ----------
    rows
        The columns ``query_id`` and ``doc_id``, in the order of the file.
    where
        What error messages call the file.
    places
        Returns the line or record of every row, if they come from text.
    """
    (query_id, doc_id), said, n = _first_repeated(rows, ("query_id", "doc_id"), places)
    return SchemaError(
        f"{where}: the document {doc_id!r} is more than once in the ranking for query "
        f"{query_id!r} ({said}; {n} such rows in all); mend the run, or keep the best-ranked one "
        "with duplicates='best'"
    )


def repeated_judgment(rows: pl.DataFrame, where: str, places: Places | None = None) -> SchemaError:
    """Build the error for the first document that is judged twice in an iteration of a query."""
    key = ("query_id", "iteration", "doc_id")
    first, twins, n = _first_repeated(rows, key, places)
    grades = rows.filter(_has(key, first))
    said = " and ".join(f"{grade:g}" for grade in grades["relevance"].head(3))
    return SchemaError(
        f"{where}: the document {first[2]!r} is judged more than once for query {first[0]!r}, with "
        f"the grades {said} ({twins}; {n} such rows in all); mend the qrels, or keep the highest "
        "grade with duplicates='best'"
    )


def _first_repeated(
    rows: pl.DataFrame, key: Sequence[str], places: Places | None
) -> tuple[tuple[str, ...], str, int]:
    """Return the first repeated key, where its rows are, and how many rows have a repeated key."""
    twins = rows.select(key).with_row_index("row").filter(pl.struct(key).is_duplicated())
    first = twins.row(0)[1:]
    of_first = twins.filter(_has(key, first))["row"].head(3).to_numpy()
    unit, numbers = places_of_rows(rows.height, places)
    return first, f"{unit}s {' and '.join(map(str, numbers[of_first]))}", twins.height


def _has(key: Sequence[str], values: Sequence[str]) -> pl.Expr:
    return pl.all_horizontal(pl.col(name) == value for name, value in zip(key, values, strict=True))


def highest_grade(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Keep the highest grade of each document in an iteration of a query; count those removed."""
    key = ["query_id", "iteration", "doc_id"]
    order = rows.with_row_index("row").sort("relevance", "row", descending=[True, False])
    kept = order.unique(key, keep="first").sort("row").drop("row")
    return kept, rows.height - kept.height
