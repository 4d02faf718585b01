"""Finding all rows of a file that have no id or number, or repeat a document.

Readers call this only after they failed, to report the line, so it need not be fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from lexiframe.io.problems.advice import DECIMAL_COMMA, NO_DOCUMENT, NO_ID, NO_NUMBER, ONE_OF_TWINS
from lexiframe.io.problems.problem_tables import PARTS, table_of
from lexiframe.io.problems.rows_as_written import Column, Rows, columns_in, shown
from lexiframe.io.tables.numbers import IN_RANGE, NUMBER, TOO_GREAT, are_too_great, whole_ranks
from lexiframe.schemas import INT, QRELS, STR, TableSchema

_NUMBERS = ("relevance", "score", "rank")
_OF_A_ROW = ("query_id", "doc_id")
_OF_A_QUERY = ("run", "query_id")


def problems_of_rows(
    rows: Rows, where: str, schema: TableSchema, columns: Mapping[str, str], first: int = 0
) -> pl.DataFrame:
    """List the problems of rows: missing columns, ids and numbers.

    Parameters
    ----------
    rows
        The rows of a file or of a block of it, with their places.
    where
        What messages call the file.
    schema
        What the file should hold: ``RUNS`` or ``QRELS``.
    columns
        The user's ``columns=``, which names columns.
    first
        How many rows of the file come before these.

    Returns
    -------
    polars.DataFrame
        The columns in ``PARTS``, and ``row``, the number of the row, by which they are sorted. The
        problems of columns as a whole are last.
    """
    if not rows.table.width:  # no row could be read, or two columns have the same name
        return _numbered(table_of([]))
    found, of_columns = columns_in(rows, where, schema, columns)
    if not {*_OF_A_ROW} <= set(
        found
    ):  # this may be no table of runs or qrels, so its rows are not reported
        return _numbered(table_of(of_columns))
    number = next((found[name] for name in _NUMBERS if name in found), None)
    places = _places(rows, found, where, first)
    is_empty = _are_empty_lists(found, rows.table.height)
    problems = [_empty_lists(places.filter(is_empty & (schema is QRELS)))]
    for column in found.values():
        is_id = column.ours in schema.key
        bad = _no_ids(column) if is_id else _no_numbers(column, is_needed=column is number)
        bad &= ~is_empty
        tell = _told_ids if is_id else _told_numbers
        problems.append(tell(places.filter(bad), column.filter(bad), rows.decimal))
    in_order = pl.concat(frame.select(*PARTS, "row") for frame in problems)
    in_order = in_order.sort("order", "row", maintain_order=True)
    return pl.concat([in_order, _numbered(table_of(of_columns))])


def _numbered(problems: pl.DataFrame) -> pl.DataFrame:
    return problems.with_columns(row=pl.lit(None, INT))


def keys_of_rows(
    rows: Rows, where: str, schema: TableSchema, columns: Mapping[str, str], first: int = 0
) -> pl.DataFrame | None:
    """Return each row's place, key and hash of the key; None if repeats are found elsewhere.

    Rows of {query: {document: number}} have no unit such as line or record. There a repeated
    document is a repeated name, which the parser of JSON reports.
    """
    if not rows.table.width or not rows.unit:
        return None
    found, _ = columns_in(rows, where, schema, columns)
    key = [name for name in schema.key if name in found]
    if not {*_OF_A_ROW} <= set(key):
        return None
    places = _places(rows, found, where, first)
    keyed = places.with_columns(found[name].texts.alias(name) for name in key)
    keyed = keyed.filter(pl.all_horizontal(pl.col(key) != ""))
    return keyed.with_columns(hash=pl.struct(key).hash(), unit=pl.lit(rows.unit))


def queries_of(
    rows: Rows, where: str, schema: TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame:
    """Return the run and the query of each row; no rows if the columns are not known."""
    found, _ = columns_in(rows, where, schema, columns) if rows.table.width else ({}, [])
    if not {*_OF_A_ROW} <= set(found):
        return pl.DataFrame(schema=dict.fromkeys(_OF_A_QUERY, STR))
    queries = found["query_id"].texts
    runs = found["run"].texts if "run" in found else pl.repeat("", len(queries), eager=True)
    return pl.DataFrame([runs.alias("run"), queries.alias("query_id")])


def empty_rows(
    rows: Rows, where: str, schema: TableSchema, columns: Mapping[str, str], first: int = 0
) -> pl.DataFrame:
    """Return places, runs and queries of rows that have neither a document nor a number."""
    found, _ = columns_in(rows, where, schema, columns) if rows.table.width else ({}, [])
    if not {*_OF_A_ROW} <= set(found):
        return pl.DataFrame()
    is_empty = _are_empty_lists(found, rows.table.height)
    if not is_empty.any():
        return pl.DataFrame()
    run = queries_of(rows, where, schema, columns)["run"]
    return _places(rows, found, where, first).with_columns(run).filter(is_empty)


def empty_beside_others(empty: pl.DataFrame, queries: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """List the `empty_rows` of queries that have several rows.

    ``queries`` are the results of `queries_of` for all blocks of rows.
    """
    asked = empty.select(_OF_A_QUERY).unique()
    alike = (of.join(asked, on=_OF_A_QUERY, how="semi", nulls_equal=True) for of in queries)
    several = pl.concat(alike).filter(pl.struct(_OF_A_QUERY).is_duplicated())
    return (
        empty.join(several, on=_OF_A_QUERY, how="semi", nulls_equal=True, maintain_order="left")
        .with_columns(
            problem=pl.lit("id"),
            expected=pl.lit("a document and a number in each row of a query"),
            found=pl.lit("neither"),
            behind=pl.format(" (query '{}')", "query_id"),
            advice=pl.lit(NO_DOCUMENT),
        )
        .select(*PARTS, "row")
    )


def documents_again(keyed: pl.DataFrame, schema: TableSchema) -> pl.DataFrame:
    """List rows that repeat a document of the same ranking, even if score or grade differ."""
    key = [name for name in schema.key if name in keyed.columns]
    twins = keyed.filter(pl.struct(key).is_duplicated())
    nth = pl.int_range(pl.len()).over(key)
    again = twins.with_columns(first=pl.col("place").first().over(key)).filter(nth > 0)
    return again.select(
        "row",
        "file",
        "line",
        "at",
        "order",
        problem=pl.lit("duplicate"),
        expected=pl.lit("each document once"),
        found=pl.format("'{}' of query '{}'", "doc_id", "query_id"),
        behind=pl.format(" again, after {} {}", "unit", "first"),
        advice=pl.lit(ONE_OF_TWINS[schema.name]),
    ).select(*PARTS, "row")


def _places(rows: Rows, found: Mapping[str, Column], where: str, first: int) -> pl.DataFrame:
    """Return each row's ids, and the parts of messages that are the same for all its problems."""
    ids = {name: found[name].texts for name in _OF_A_ROW}
    blank, is_line = pl.lit(""), rows.unit == "line"
    at = pl.format("{} {}", pl.lit(rows.unit), "place") if rows.unit else blank
    whose = pl.format(" (query '{}', document '{}')", *(pl.col(n).fill_null("") for n in ids))
    behind = (blank if is_line else whose) if rows.behind is None else pl.lit(rows.behind)
    return (
        pl.DataFrame({"place": rows.places.cast(INT)})
        .with_columns(row=pl.int_range(first, first + pl.len()))
        .with_columns(order="place" if rows.order is None else rows.order.cast(INT), **ids)
        .with_columns(
            file=pl.lit(where),
            line=pl.col("place") if is_line else pl.lit(None, INT),
            at=blank if is_line else at,
            behind=behind,
        )
    )


# --- Finding the rows -----------------------------------------------------------------------------


def _are_empty_lists(found: Mapping[str, Column], height: int) -> pl.Series:
    """Return which rows stand for a query with an empty list: no document and no number."""
    needed = [found[name] for name in ("doc_id", *_NUMBERS) if name in found]
    is_empty = ~_no_ids(found["query_id"])
    for column in needed:
        is_empty &= column.values.is_null()
    return is_empty & pl.repeat(len(needed) > 1, height, dtype=pl.Boolean, eager=True)


def _no_ids(column: Column) -> pl.Series:
    return (column.texts == "").fill_null(value=True)


def _no_numbers(column: Column, *, is_needed: bool) -> pl.Series:
    if column.ours == "rank":  # a rank may be missing if there is a score
        return whole_ranks(column.texts).is_null() & (column.values.is_not_null() | is_needed)
    no_number = ~column.texts.str.contains(NUMBER).fill_null(value=False)
    is_infinite = _are_infinite(column.texts) & (column.ours == "relevance")
    return no_number | is_infinite | are_too_great(column.texts)


def _are_infinite(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Float64, strict=False).is_infinite().fill_null(value=False)


# --- Describing them ----------------------------------------------------------------------------


def _empty_lists(places: pl.DataFrame) -> pl.DataFrame:
    return places.with_columns(
        problem=pl.lit("id"),
        expected=pl.lit("judgments for every query"),
        found=pl.lit("an empty list"),
        behind=pl.format(" (query '{}')", "query_id"),
        advice=pl.lit("leave this query out"),
    )


def _told_ids(places: pl.DataFrame, column: Column, _decimal: str) -> pl.DataFrame:
    is_odd = column.texts.is_null() & column.values.is_not_null()
    what = pl.when(is_odd).then(pl.lit("text or a whole number")).otherwise(pl.lit("an id"))
    is_empty = (column.texts == "").fill_null(value=False)
    found = pl.when(is_empty).then(pl.lit("an empty one")).otherwise(shown(column.values))
    return places.with_columns(
        problem=pl.lit("id"),
        expected=what + f" {column.called}",
        found=found,
        advice=pl.lit(NO_ID),
    )


def _told_numbers(places: pl.DataFrame, column: Column, decimal: str) -> pl.DataFrame:
    what = "a whole number" if column.ours == "rank" else "a number"
    is_infinite = _are_infinite(column.texts) & (column.ours == "relevance")
    is_too_great = are_too_great(column.texts) & (column.ours != "rank")
    english = column.texts.str.replace(",", ".", literal=True)
    has_comma = (english != column.texts) & english.str.contains(NUMBER) & (decimal == ".")
    advice = (
        pl.when(has_comma)
        .then(pl.lit(DECIMAL_COMMA))
        .when(is_too_great)
        .then(pl.lit(TOO_GREAT))
        .otherwise(pl.lit(NO_NUMBER[column.ours]))
    )
    finite = pl.when(is_infinite).then(pl.lit("a finite number")).otherwise(pl.lit(what))
    expected = pl.when(is_too_great).then(pl.lit(IN_RANGE)).otherwise(finite)
    return places.with_columns(
        problem=pl.lit("number"),
        expected=expected + f" {column.called}",
        found=shown(column.values),
        advice=advice,
    )
