"""The unconverted rows of a file, their places, and the problems among them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, schemas
from lexiframe.core.io.column_forms.lists_of_items import unnest_lists
from lexiframe.core.io.column_forms.objects import to_frame
from lexiframe.core.io.doubts.first_looks import DOUBT
from lexiframe.core.io.files.tables import read_arrow
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.problems.problem_tables import first_error, problem_of, table_of
from lexiframe.core.io.problems.rows_as_written import Rows
from lexiframe.core.io.rare_forms import forms_of_table
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text.csv_tables import table_in
from lexiframe.core.io.text.lines import is_json
from lexiframe.core.io.text_forms import json_reader, layout_of, records_of_tool, rows_of_letor

if TYPE_CHECKING:
    from lexiframe.core.io.problems.bad_rows import Block

_PLACE = "\0place"  # no file has a column of this name


def rows_of(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> Iterator[Rows]:
    """Return the rows of a file, unconverted, and the problems of text that is no row.

    Text comes in blocks, so that memory does not grow with the file. A problem of the whole file is
    raised.
    """
    for rows in _rows_as_they_are(content, where, options, schema):
        lists = forms_of_table(rows.table, schema)
        yield rows if lists is None else lists.unnested(rows, schema, where, options.columns)


def _rows_as_they_are(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> Iterator[Rows]:
    from lexiframe.core.io.text.trec_rows import rows_of_lines

    data = content.data
    if content.form is not None:
        table = to_frame(
            read_arrow(content.form, content.data, where), "score", where, keep_twins=True
        )
        table = table.with_columns(pl.int_range(1, pl.len() + 1).alias(_PLACE))
        flat = unnest_lists(table, where, options.columns)
        return iter([Rows(flat.drop(_PLACE), flat[_PLACE], "row")])
    if is_json(data):
        data = records_of_tool(data, where, schema)
        rows: Iterator[Rows] = json_reader().json_rows(data, where, schema, options.columns)
        return rows
    if (letor := rows_of_letor(data, where, options, schema)) is not None:
        return iter([letor])
    text, separator = table_in(data, options)
    if separator is not None:
        return _rows_of_table(text, where, separator, options)
    return rows_of_lines(data, where, layout_of(data, where, options, schema), options)


def _rows_of_table(data: bytes, where: str, separator: str, options: TextOptions) -> Iterator[Rows]:
    from lexiframe.core.io.text.csv_rows import blocks_of_table, drop_empty_unnamed

    for table, lines, problems in blocks_of_table(data, where, separator):
        is_row = ~lines.is_in(problems["line"].to_list())
        rows, places = drop_empty_unnamed(table).filter(is_row), lines.filter(is_row)
        yield Rows(rows, places, problems=problems, decimal=options.decimal)


def _content_blocks(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> Iterator[Block]:
    from lexiframe.core.io.problems.bad_rows import blocks_of

    return blocks_of(rows_of(content, where, options, schema), where, schema, options.columns)


def problems_of(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> pl.DataFrame:
    """List the problems of a file (columns ``PARTS``) in order, problems of the whole file last."""
    from lexiframe.core.io.problems.bad_rows import (
        documents_again,
        empty_beside_others,
        empty_rows,
        problems_of_block,
    )

    blocks = partial(_content_blocks, content, where, options, schema)
    try:
        found = [(problems_of_block(block), empty_rows(block)) for block in blocks()]
        again = documents_again(blocks, schema)
        beside = empty_beside_others([empty for _, empty in found], blocks, schema)
    except LexiframeError as error:
        return table_of([problem_of(error, where)])
    problems = pl.concat([*(table for table, _ in found), again, beside])
    whole_file = problems.filter(pl.col("order").is_null())
    whole_file = whole_file.unique(maintain_order=True)  # since each block lists them
    return pl.concat([_placed(problems), whole_file]).drop("row")


def _placed(problems: pl.DataFrame) -> pl.DataFrame:
    """Return the problems that have a line or record, in the order of the file."""
    placed = problems.filter(pl.col("order").is_not_null())
    return placed.sort("order", "row", maintain_order=True)


def error_with_line(
    error: LexiframeError,
    content: Content,
    where: str,
    options: TextOptions,
    schema: schemas.TableSchema,
) -> LexiframeError:
    """Build the error for the first problem of a file that could not be read, with its line."""
    if error.problem is not None and (error.problem.is_first or error.problem.problem == DOUBT):
        return error
    error = error.with_traceback(None)  # its frames keep parsed tables in memory
    try:
        first, count = first_problem(content, where, options, schema)
    except LexiframeError:
        return error
    return first_error(error, first, count, schema)


def first_problem(
    content: Content, where: str, options: TextOptions, schema: schemas.TableSchema
) -> tuple[pl.DataFrame, int]:
    """Return the first problem that has a line or record, and the number of such problems."""
    from lexiframe.core.io.problems.bad_rows import (
        empty_beside_others,
        empty_rows,
        problems_of_block,
    )

    blocks = partial(_content_blocks, content, where, options, schema)
    first: list[pl.DataFrame] = []
    empty, count = [], 0
    for block in blocks():
        placed = _placed(problems_of_block(block))
        if not count:  # of later blocks only the number is kept, to save memory
            first = [placed.head(1)]
        count += placed.height
        empty.append(empty_rows(block))
    beside = empty_beside_others(empty, blocks, schema)
    return _placed(pl.concat([*first, beside])).drop("row").head(1), count + beside.height
