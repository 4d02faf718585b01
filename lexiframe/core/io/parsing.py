"""Choosing the reader for a file's form (Arrow, JSON, CSV or TREC), and finding its problems."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, Problem, ReadError, schemas
from lexiframe.core.base.feature import Forms
from lexiframe.core.io.column_forms.column_names import MODEL_OF_MTEB, words_for
from lexiframe.core.io.column_forms.line_layouts import Layout
from lexiframe.core.io.column_forms.lists_of_items import unnest_lists
from lexiframe.core.io.column_forms.objects import to_frame
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.files.tables import read_arrow
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.problems.doubted_judgments import DOUBT
from lexiframe.core.io.problems.line_numbers import Places
from lexiframe.core.io.problems.problem_tables import first_error, problem_of, table_of
from lexiframe.core.io.problems.rows_as_written import Rows
from lexiframe.core.io.rare_forms import forms_of_table, forms_of_text
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text import trec
from lexiframe.core.io.text.csv_tables import parse_delimited, pieces_of_table, table_in
from lexiframe.core.io.text.json_values import is_json
from lexiframe.core.io.text.lines import PIECE, first_fields

if TYPE_CHECKING:
    from lexiframe.core.io.problems.bad_rows import Block

_PLACE = "\0place"  # no file has a column of this name


def json_reader() -> Any:
    """Return the module that reads JSON, which is loaded when it is first asked for."""
    from lexiframe.core.io.text import json_tables

    return json_tables


def parse_table(
    data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema
) -> pl.DataFrame | None:
    """Parse text into a table with the columns of the file; return None for TREC text."""
    is_long = len(data) > 2 * PIECE
    if is_json(data):
        data = _records_of_tool(data, where, schema)
        if is_long:
            pieces = json_reader().pieces_of_json(data, schema, options.columns)
            _refuse_malformed(pieces, data, where, options, schema)
        table: pl.DataFrame = json_reader().parse_json(data, where, schema, options.columns)
        return table
    if (letor := _rows_of_letor(data, where, options, schema)) is not None:
        return letor.table.with_columns(pl.last().cast(pl.Float64, strict=False))
    text, separator = table_in(data, options)
    if separator is None:
        return None
    if is_long:
        pieces = pieces_of_table(text, where, separator, options)
        _refuse_malformed(pieces, data, where, options, schema)
    return parse_delimited(text, where, separator, options)


def _records_of_tool(data: bytes, where: str, schema: schemas.TableSchema) -> bytes:
    """Return the runs or judgments in a tool's JSON as records; any other JSON unchanged."""
    if MODEL_OF_MTEB.encode() not in data[:1000]:
        documents = features.found(Forms)
        is_run = schema is schemas.RUNS
        return documents.as_records(data, where, is_run=is_run) if documents else data
    text_of_one_split = features.needed(Forms, where).text_of_one_split
    found: bytes = text_of_one_split(data, where, is_run=schema is schemas.RUNS)
    return found


def _rows_of_letor(
    data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema
) -> Rows | None:
    letor = forms_of_text(data) if options.rows is None else features.needed(Forms, "rows")
    found: Rows | None = (
        None if letor is None else letor.rows_of_letor(data, where, options, schema)
    )
    return found


def _refuse_malformed(
    pieces: Iterator[pl.DataFrame | None],
    data: bytes,
    where: str,
    options: TextOptions,
    schema: schemas.TableSchema,
) -> None:
    """Raise for the first problem of long text before its whole table is made, to save memory.

    The lines are searched for problems only if a piece could not be parsed.
    """
    words = {word for name in schema.required for word in words_for(name, options.columns)}
    if all(piece is not None and not _has_gaps(piece, words) for piece in pieces):
        return
    first, count = _first_problem(Content(data), where, options, schema)
    if count:
        raise first_error(ReadError(where), first, count, schema)


def _has_gaps(table: pl.DataFrame, words: set[str]) -> bool:
    """Return whether an id or a number is missing; names of columns may end in RecBole's types."""
    known = [column for column in table if column.name.partition(":")[0] in words]
    return any(
        column.has_nulls() or (column.dtype == pl.String and bool((column == "").any()))
        for column in known
    )


def layout_of(data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema) -> Layout:
    """Return the layout of lines of TREC text; raise for ``columns=``, as it has no header."""
    if options.columns:
        named = ", ".join(map(repr, options.columns.values()))
        expected = f"a first line with the names in columns= ({named})"
        advice = "leave columns out, or say header=True"
        raise ReadError(Problem(where, expected, "lines of TREC text", advice))
    is_run = schema is schemas.RUNS
    fields = first_fields(data)
    if len(fields) > 1 and all(field.endswith((b",", b";")) for field in fields[:-1]):
        from lexiframe.core.io.problems.advice import no_names

        ids = ", ".join(repr(field.decode(errors="replace")) for field in fields[:-1])
        found = f"{ids}, which end with a separator"
        names = f"query_id,doc_id,{'score' if is_run else 'relevance'}"
        raise ReadError(Problem(where, "ids", found, no_names(names), DOUBT))
    return (
        trec.run_layout(data, options.third)
        if is_run
        else trec.qrels_layout(data, labelled=bool(options.grades))
    )


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
        data = _records_of_tool(data, where, schema)
        rows: Iterator[Rows] = json_reader().json_rows(data, where, schema, options.columns)
        return rows
    if (letor := _rows_of_letor(data, where, options, schema)) is not None:
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
        first, count = _first_problem(content, where, options, schema)
    except LexiframeError:
        return error
    return first_error(error, first, count, schema)


def _first_problem(
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


def places_in(file: File, options: TextOptions, schema: schemas.TableSchema) -> Places:
    """Return a function that reads a file again and returns the places of its rows.

    It returns no places if the file has changed by then, or is gone.
    """
    stamp = file.stamp()

    def places() -> tuple[str, np.ndarray]:
        try:
            blocks = [*rows_of(file.content(), str(file), options, schema)]
        except LexiframeError:
            return "", np.empty(0, np.int64)
        is_same = file.stamp() == stamp
        return blocks[0].unit * is_same, np.concatenate([rows.places for rows in blocks])

    return places
