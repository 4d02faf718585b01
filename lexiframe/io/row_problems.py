"""What is wrong with the rows of a table, all of it, for `check_run` and `check_qrels`.

The rows come from any file. A line of text is named in the column ``line``; a row of Parquet or a
record in a list has no line, and is named by its number where the problem is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from lexiframe.io.advice import NO_NUMBER
from lexiframe.io.dialects import in_our_words, whole_ranks, with_rows_of_lists
from lexiframe.io.trec import Dialect
from lexiframe.schemas import PROBLEMS, QRELS, RUNS, TableSchema, check

_PLACE, _NO_RANK = "\0place", "\0no rank"  # no columns of a file
_WHAT = {"score": "a number", "relevance": "a finite number", "rank": "a whole number"}
_MEND_ID = "give it an id, or leave the row out"


@dataclass(frozen=True)
class Rows:
    """Rows of a file, and where they are.

    Attributes
    ----------
    table
        With the columns that the file has.
    places
        The number of each row's line, row or record.
    unit
        Which of these a place counts: ``"line"``, ``"row"`` or ``"record"``.
    """

    table: pl.DataFrame
    places: pl.Series
    unit: str


def problems_of_rows(rows: Rows, where: str, schema: TableSchema, dialect: Dialect) -> pl.DataFrame:
    """List the rows without an id or a number, and documents that were there before.

    Parameters
    ----------
    rows
        The table, and where its rows are in the file.
    where
        What to call the file.
    schema
        What it should be: ``RUNS`` or ``QRELS``.
    dialect
        What its columns are called, where that was said.

    Returns
    -------
    polars.DataFrame
        The table of `check_run`.

    Raises
    ------
    SchemaError
        For what is wrong with a column as a whole.
    """
    if not rows.table.width:  # no row is in order
        return pl.DataFrame(schema=PROBLEMS.columns)
    placed = rows.table.with_columns(rows.places.cast(pl.Int64).alias(_PLACE))
    flat = with_rows_of_lists(placed, where)
    is_ranked = "rank" in (*flat.columns, *dialect.columns.keys(), *dialect.columns.values())
    needless = ("run", "score", "rank") if is_ranked else ("run", "rank")
    named = in_our_words(flat.drop(_PLACE), schema, where, dialect.columns, needless)
    named, no_rank = _with_numbers(named)
    named = check(named, _as_found(schema, named), where)
    named = named.with_columns(flat[_PLACE], no_rank.alias(_NO_RANK))
    if schema is RUNS:
        named = named.filter(~_is_empty_list(named))
    problem = _problem(named, schema)
    judged = named.with_columns(problem.alias("problem"))
    key = [name for name in schema.key if name in named.columns]
    good = judged.filter(pl.col("problem").is_null())
    again = good.with_columns(
        pl.col(_PLACE).first().over(key).alias("first"), nth=pl.int_range(pl.len()).over(key)
    ).filter(pl.col("nth") > 0)
    found = (
        _told(judged.drop_nulls("problem"), rows.unit, where),
        _told_again(again, rows.unit, where),
    )
    return pl.concat(found).sort(_PLACE, maintain_order=True).drop(_PLACE)


def _with_numbers(table: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """Make numbers of columns of numbers, null where there is none; and tell bad ranks."""
    for name in ("score", "relevance"):
        if name in table.columns and table[name].dtype in (pl.String, pl.Boolean, pl.Null):
            table = table.with_columns(pl.col(name).cast(pl.Float64, strict=False))
    if "rank" not in table.columns or table["rank"].dtype != pl.String:
        return table, pl.repeat(False, table.height, dtype=pl.Boolean, eager=True)
    ranks = whole_ranks(table["rank"])
    return table.with_columns(ranks), ranks.is_null() & table["rank"].is_not_null()


def _as_found(schema: TableSchema, table: pl.DataFrame) -> TableSchema:
    """Let ids be null, and columns that need not be there be missing: both are looked at here."""
    missing = [name for name in schema.columns if name not in table.columns]
    return replace(schema, optional=(*schema.optional, *missing), nullable=schema.key)


def _number(table: pl.DataFrame) -> str:
    return next(name for name in ("relevance", "score", "rank") if name in table.columns)


def _is_empty_list(table: pl.DataFrame) -> pl.Series:
    """Tell the rows that say that a query was answered with nothing."""
    return table["doc_id"].is_null() & table[_number(table)].is_null() & _is_id(table["query_id"])


def _is_id(column: pl.Series) -> pl.Series:
    return column.is_not_null() & (column != "").fill_null(value=False)


def _problem(table: pl.DataFrame, schema: TableSchema) -> pl.Expr:
    """Give the name of the first column of a row that does not hold what it must; else null."""
    names = [name for name in schema.key if name in table.columns]
    is_bad = {name: pl.col(name).is_null() | (pl.col(name) == "") for name in names}
    number = pl.col(_number(table))
    is_bad[_number(table)] = number.is_null() | number.is_nan()
    if schema is QRELS:
        is_bad[_number(table)] |= number.is_infinite()
    is_bad["rank"] = is_bad.get("rank", pl.lit(value=False)) | pl.col(_NO_RANK)
    return pl.coalesce(pl.when(bad).then(pl.lit(name)) for name, bad in is_bad.items())


def _told(bad: pl.DataFrame, unit: str, where: str) -> pl.DataFrame:
    is_number = pl.col("problem").is_in(list(NO_NUMBER))
    number = pl.when(problem=_number(bad)).then(pl.col(_number(bad)).cast(pl.String))
    found = pl.when(is_number).then(number.fill_null("none")).otherwise(_id_as_found(bad))
    if unit != "line":
        ids = (pl.col(name).fill_null("") for name in ("query_id", "doc_id"))
        at = pl.format(f" in {unit} {{}} (query '{{}}', document '{{}}')", _PLACE, *ids)
        found += at
    what = pl.col("problem").replace_strict(_WHAT, default="an id")
    return bad.select(
        *_place(where, unit),
        pl.when(is_number).then(pl.lit("number")).otherwise(pl.lit("id")).alias("problem"),
        pl.format("{} as {}", what, "problem").alias("expected"),
        found.alias("found"),
        pl.col("problem").replace_strict(NO_NUMBER, default=_MEND_ID).alias("advice"),
        _PLACE,
    )


def _id_as_found(bad: pl.DataFrame) -> pl.Expr:
    ids = [name for name in ("run", "query_id", "iteration", "doc_id") if name in bad.columns]
    is_null = pl.any_horizontal((pl.col("problem") == n) & pl.col(n).is_null() for n in ids)
    return pl.when(is_null).then(pl.lit("none")).otherwise(pl.lit("an empty one"))


def _told_again(again: pl.DataFrame, unit: str, where: str) -> pl.DataFrame:
    here = "" if unit == "line" else f" in {unit} {{}}"
    words = f"'{{}}' of query '{{}}'{here} again, after {unit} {{}}"
    places = ["first"] if unit == "line" else [_PLACE, "first"]
    return again.select(
        *_place(where, unit),
        pl.lit("duplicate").alias("problem"),
        pl.lit("each document once").alias("expected"),
        pl.format(words, "doc_id", "query_id", *places).alias("found"),
        pl.lit("mend the file, or keep one of them with duplicates='best'").alias("advice"),
        _PLACE,
    )


def _place(where: str, unit: str) -> list[pl.Expr]:
    line = pl.col(_PLACE) if unit == "line" else pl.lit(None, pl.Int64)
    return [pl.lit(where).alias("file"), line.alias("line")]
