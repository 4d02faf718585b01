"""The forms of text: a table in JSON or CSV, or lines of TREC; and the tables of ir_datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.errors import ReadError
from lexiframe.io.delimited import lines_of_rows, parse_delimited, separator_of
from lexiframe.io.frames import to_frame
from lexiframe.io.json_text import is_json, is_json_lines, parse_json
from lexiframe.io.lines import line_numbers
from lexiframe.io.places import LineNumbers
from lexiframe.io.sources import IR_DATASETS, File
from lexiframe.io.trec import Dialect


def table_of(data: bytes, where: str, dialect: Dialect, value: str) -> pl.DataFrame | None:
    """Give the table that text holds, with the columns that it has; None for lines of TREC text.

    Parameters
    ----------
    data
        UTF-8 text.
    where
        What error messages call it.
    dialect
        What text cannot say of itself.
    value
        What to call the numbers of ``{query: {document: number}}``.
    """
    if is_json(data):
        return parse_json(data, where, value)
    separator = separator_of(data, dialect)
    return None if separator is None else parse_delimited(data, where, separator, dialect)


def refuse_columns(dialect: Dialect, where: str) -> None:
    """Raise when columns were named of text that has no names.

    Raises
    ------
    ReadError
        For ``columns`` of lines without a header.
    """
    if dialect.columns:
        named = ", ".join(map(repr, dialect.columns.values()))
        raise ReadError(
            f"{where}: expected a first line with the names in columns= ({named}), found lines of "
            "TREC text; leave columns out, or say header=True"
        )


def line_numbers_of(file: File, dialect: Dialect) -> LineNumbers:
    """Give the function that reads a file again and numbers the lines of its rows."""

    def of_rows() -> np.ndarray:
        data, where = file.content().data, str(file)
        if is_json(data) and not is_json_lines(data):
            return np.array([], int)  # a row is no line
        separator = None if is_json(data) else separator_of(data, dialect)
        if separator is None:
            return line_numbers(data, where)
        return lines_of_rows(data, where, separator)

    return of_rows


def from_ir_datasets(name: str, what: str) -> pl.DataFrame:
    """Load the judgments (``qrels``) or runs (``scoreddocs``) of a data set of ir_datasets.

    Raises
    ------
    ReadError
        When ir_datasets is not installed, does not know the name, or has no such table.
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
    return to_frame(getattr(dataset, f"{what}_iter")(), "score")
