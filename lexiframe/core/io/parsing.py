"""Choosing the reader for a file's form (Arrow, JSON, CSV or TREC), and finding its problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, ReadError, schemas
from lexiframe.core.io.column_forms.column_names import words_for
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.problems.line_numbers import Places
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text.csv_tables import parse_delimited, pieces_of_table, table_in
from lexiframe.core.io.text.lines import PIECE, is_json
from lexiframe.core.io.text_forms import json_reader, records_of_tool, rows_of_letor

if TYPE_CHECKING:
    pass


def parse_table(
    data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema
) -> pl.DataFrame | None:
    """Parse text into a table with the columns of the file; return None for TREC text."""
    is_long = len(data) > 2 * PIECE
    if is_json(data):
        data = records_of_tool(data, where, schema)
        if is_long:
            pieces = json_reader().pieces_of_json(data, schema, options.columns)
            _refuse_malformed(pieces, data, where, options, schema)
        table: pl.DataFrame = json_reader().parse_json(data, where, schema, options.columns)
        return table
    if (letor := rows_of_letor(data, where, options, schema)) is not None:
        return letor.table.with_columns(pl.last().cast(pl.Float64, strict=False))
    text, separator = table_in(data, options)
    if separator is None:
        return None
    if is_long:
        pieces = pieces_of_table(text, where, separator, options)
        _refuse_malformed(pieces, data, where, options, schema)
    return parse_delimited(text, where, separator, options)


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
    from lexiframe.core.io.problems.problem_tables import first_error
    from lexiframe.core.io.rows_of_files import first_problem

    first, count = first_problem(Content(data), where, options, schema)
    if count:
        raise first_error(ReadError(where), first, count, schema)


def _has_gaps(table: pl.DataFrame, words: set[str]) -> bool:
    """Return whether an id or a number is missing; names of columns may end in RecBole's types."""
    known = [column for column in table if column.name.partition(":")[0] in words]
    return any(
        column.has_nulls() or (column.dtype == pl.String and bool((column == "").any()))
        for column in known
    )


def places_in(file: File, options: TextOptions, schema: schemas.TableSchema) -> Places:
    """Return a function that reads a file again and returns the places of its rows.

    It returns no places if the file has changed by then, or is gone.
    """
    stamp = file.stamp()

    def places() -> tuple[str, np.ndarray]:
        from lexiframe.core.io.rows_of_files import rows_of

        try:
            blocks = [*rows_of(file.content(), str(file), options, schema)]
        except LexiframeError:
            return "", np.empty(0, np.int64)
        is_same = file.stamp() == stamp
        return blocks[0].unit * is_same, np.concatenate([rows.places for rows in blocks])

    return places
