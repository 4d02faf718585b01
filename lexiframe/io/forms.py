"""The forms of files: a table in Arrow, JSON or CSV, or lines of TREC; and ir_datasets' tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError, Problem, ReadError, in_one_line
from lexiframe.io import trec
from lexiframe.io.arrow import read_arrow
from lexiframe.io.content import Content
from lexiframe.io.delimited import parse_delimited, table_in
from lexiframe.io.frames import to_frame
from lexiframe.io.items import with_rows_of_lists
from lexiframe.io.json_text import is_json, json_rows, parse_json
from lexiframe.io.places import Places
from lexiframe.io.problems import first_error, problem_of, table_of
from lexiframe.io.row_problems import problems_of_rows
from lexiframe.io.rows import Rows
from lexiframe.io.sources import IR_DATASETS, File
from lexiframe.io.text_table import checked_table
from lexiframe.io.trec import Dialect, Layout
from lexiframe.io.trec_rows import rows_of_lines
from lexiframe.schemas import RUNS, TableSchema

_PLACE = "\0place"  # no column of a file


def parse_table(
    data: bytes, where: str, dialect: Dialect, schema: TableSchema
) -> pl.DataFrame | None:
    """Give the table that text holds, with the columns that it has; None for lines of TREC text.

    Parameters
    ----------
    data
        UTF-8 text.
    where
        What error messages call it.
    dialect
        What text cannot say of itself.
    schema
        What it holds.
    """
    if is_json(data):
        return parse_json(data, where, schema, dialect.columns)
    text, separator = table_in(data, dialect)
    return None if separator is None else parse_delimited(text, where, separator, dialect)


def layout_of(data: bytes, where: str, dialect: Dialect, schema: TableSchema) -> Layout:
    """Give the layout of lines of TREC text.

    Raises
    ------
    ReadError
        For ``columns`` of lines without a header.
    """
    if dialect.columns:
        named = ", ".join(map(repr, dialect.columns.values()))
        expected = f"a first line with the names in columns= ({named})"
        advice = "leave columns out, or say header=True"
        raise ReadError(Problem(where, expected, "lines of TREC text", advice))
    is_run = schema is RUNS
    return trec.run_layout(data, dialect.third) if is_run else trec.qrels_layout(data)


def rows_of(content: Content, where: str, dialect: Dialect, schema: TableSchema) -> Rows:
    """Give the rows of a file as they are written, with the problems of what is no row.

    Raises
    ------
    LexiframeError
        For what is wrong with the file as a whole.
    """
    data = content.data
    if content.kind != "text":
        table = to_frame(read_arrow(content, where), "score", where, keep_twins=True)
        table = table.with_columns(pl.int_range(1, pl.len() + 1).alias(_PLACE))
        flat = with_rows_of_lists(table, where, dialect.columns)
        return Rows(flat.drop(_PLACE), flat[_PLACE], "row")
    if is_json(data):
        return json_rows(data, where, schema, dialect.columns)
    text, separator = table_in(data, dialect)
    if separator is not None:
        table, lines, problems = checked_table(text, where, separator)
        is_row = ~lines.is_in(problems["line"].to_list())
        rows, places = table.filter(is_row), lines.filter(is_row)
        return Rows(rows, places, problems=problems, decimal=dialect.decimal)
    return rows_of_lines(data, where, layout_of(data, where, dialect, schema), dialect)


def problems_of(
    content: Content, where: str, dialect: Dialect, schema: TableSchema
) -> pl.DataFrame:
    """List the problems of a file in parts, in its order; those of the file as a whole are last."""
    try:
        rows = rows_of(content, where, dialect, schema)
    except LexiframeError as error:
        return table_of([problem_of(error, where)])
    of_rows = problems_of_rows(rows, where, schema, dialect.columns)
    problems = pl.concat([rows.problems, of_rows])
    if rows.hint is not None:
        is_first = (pl.col("line") == rows.hint.line) & (pl.col("problem") == "number")
        hinted = pl.when(is_first).then(pl.lit(rows.hint.advice)).otherwise("advice")
        problems = problems.with_columns(advice=hinted)
    return problems.sort("order", nulls_last=True, maintain_order=True)


def error_with_line(
    error: LexiframeError, content: Content, where: str, dialect: Dialect, schema: TableSchema
) -> LexiframeError:
    """Give the error for the first problem of a file that could not be read, with its line."""
    problems = problems_of(content, where, dialect, schema)
    return first_error(error, problems, "check_run" if schema is RUNS else "check_qrels")


def places_in(file: File, dialect: Dialect, schema: TableSchema) -> Places:
    """Give the function that reads a file again and numbers the places of its rows.

    It knows none when the file has changed by then, or is gone.
    """
    stamp = file.stamp()

    def of_rows() -> tuple[str, np.ndarray]:
        try:
            rows = rows_of(file.content(), str(file), dialect, schema)
        except LexiframeError:
            return "", np.empty(0, np.int64)
        is_same = file.stamp() == stamp
        return rows.unit * is_same, rows.places.to_numpy()

    return of_rows


def from_ir_datasets(name: str, what: str) -> pl.DataFrame:
    """Load the judgments (``qrels``) or runs (``scoreddocs``) of a data set of ir_datasets.

    Raises
    ------
    ReadError
        When ir_datasets is not installed, does not know the name, has no such table, or cannot
        fetch or read it.
    """
    try:
        import ir_datasets
    except ImportError:
        raise ReadError(
            f"{name}: needs ir_datasets; install it with pip install 'lexiframe[interop]'"
        ) from None
    try:
        dataset: Any = ir_datasets.load(name.removeprefix(IR_DATASETS))
    except KeyError:
        raise ReadError(f"{name}: ir_datasets knows no data set of this name") from None
    if not getattr(dataset, f"has_{what}")():
        raise ReadError(f"{name}: this data set of ir_datasets has no {what}")
    try:  # here it fetches files, and parses them
        rows = list(getattr(dataset, f"{what}_iter")())
    except (RuntimeError, OSError, ValueError, EOFError) as error:
        raise ReadError(
            f"{name}: ir_datasets cannot give the {what} ({in_one_line(error):.200}); "
            f"`ir_datasets export {name.removeprefix(IR_DATASETS)} {what}` says more"
        ) from None
    return to_frame(rows, "score", name)
