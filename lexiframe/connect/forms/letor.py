"""Rows of learning to rank, ``grade qid:QUERY 1:0.5 2:0.1 # document``, and their predictions.

A run is a file with one number for each row. Its requests and documents are those of the rows,
which LETOR's files name; LightGBM and XGBoost keep the numbers of rows of the queries beside them.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from lexiframe.core.base import Problem, ReadError, n_and_first, schemas
from lexiframe.core.io.column_forms.column_names import CHANGED_PLACES
from lexiframe.core.io.files.data_sources import only_file
from lexiframe.core.io.problems.problem_tables import decoded
from lexiframe.core.io.problems.rows_as_written import Rows
from lexiframe.core.io.reading_options import TextOptions

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ONE_NUMBER = re.compile(rf"\s*{_NUMBER}\s*")
_ONE_FIELD = re.compile(r"\s*[^\s,;]+(,\d+)?\s*")
_ROW = re.compile(rf"\s*{_NUMBER}(?=\s[^#]*:)(\s+(?i:qid):\S+)?(\s+\d+:({_NUMBER}|nan))*\s*(#.*)?")
_ROWS = "rows of learning to rank (grade qid:QUERY 1:0.5 ...)"


def rows_of_letor(
    data: bytes, where: str, options: TextOptions, schema: schemas.TableSchema
) -> Rows | None:
    r"""Return the judgments in rows of learning to rank, or the scores in predictions; else None.

    Documents are named by the comments (``# docid = GX1``, or the first word), if these are
    distinct; else by their places among the rows of the query, from 1. Raise ReadError for rows or
    predictions without their counterpart.

    Examples
    --------
    >>> data = b"2 qid:7 1:0.5 # docid = GX1\n0 qid:7 1:0.1 # docid = GX2\n"
    >>> rows_of_letor(data, "test.txt", TextOptions(), schemas.QRELS).table.rows()
    [('7', 'GX1', '2'), ('7', 'GX2', '0')]
    """
    is_column = options.rows is not None and _ONE_FIELD.fullmatch(_first_line(data))
    if not (is_column or is_of_letor(data, schema)):
        return None
    lines, keys, name, number = _lines(data, where), None, "score", r"^\s*(.*?)\s*$"
    if _ROW.fullmatch(_first_line(data)):
        if schema is schemas.RUNS:
            advice = f"a run is a file with a prediction for each of them: rows=; {CHANGED_PLACES}"
            raise ReadError(Problem(where, "a run", _ROWS, advice, is_first=True))
        keys, name, number = _keys(lines, where, options.rows), "relevance", r"^\s*(\S+)"
    elif options.rows is None:
        advice = "if they are predictions, say of which rows: rows='test.svm', a file with qid:, "
        advice += "or with the number of rows of each query"
        found = "one number in each line"
        raise ReadError(Problem(where, "a query and a document", found, advice, is_first=True))
    keys = _keys_in(str(options.rows)) if keys is None else keys
    is_named = not re.search(r"\d", _first_line(data))
    lines = lines.slice(options.header and is_named)
    if lines.height != keys.height:
        found = f"{lines.height}, and {keys.height} in {options.rows}"
        advice = "if the first line names the column, say so with header=True" * is_named
        expected = "as many rows as queries have"
        raise ReadError(Problem(where, expected, found, advice, is_first=True))
    numbers = lines["text"].str.extract(number).alias(name)
    numbers = numbers.str.replace(options.decimal, ".", literal=True)
    return Rows(keys.with_columns(numbers), lines["line"].cast(pl.Int64), decimal=".")


def is_of_letor(data: bytes, schema: schemas.TableSchema) -> bool:
    r"""Return whether text has rows of learning to rank, or predictions where a run is expected."""
    first = _first_line(data)
    is_run = schema is schemas.RUNS
    return bool(_ROW.fullmatch(first) or (is_run and _ONE_NUMBER.fullmatch(first)))


def _first_line(data: bytes) -> str:
    """Return the first line that is neither blank nor a comment."""
    found = re.match(rb"(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+)*([^\r\n]*)", data)
    return found[1].decode("utf-8", "replace") if found else ""


def _lines(data: bytes, where: str) -> pl.DataFrame:
    text = decoded(data, where).replace("\r\n", "\n").replace("\r", "\n")
    lines = pl.DataFrame({"text": text.split("\n")}).with_row_index("line", offset=1)
    return lines.filter(~pl.col("text").str.contains(r"^\s*(?:#|$)"))


def _keys_in(path: str) -> pl.DataFrame:
    """Return query and document of each row in a file of rows, or of numbers of rows."""
    file = only_file(path)
    where, data = str(file), file.content("rows of queries").data
    if _ROW.fullmatch(_first_line(data)):
        return pl.DataFrame(_keys(_lines(data, where), where, None))
    numbers = _lines(data, where)["text"].str.strip_chars()
    whole = numbers.cast(pl.Int64, strict=False)
    if whole.has_nulls() or bool((whole < 1).any()):
        odd = n_and_first(numbers.filter(whole.fill_null(0) < 1))
        raise ReadError(Problem(where, f"{_ROWS}, or the number of rows of each query", odd))
    query = pl.int_range(1, len(whole) + 1, eager=True).repeat_by(whole).explode()
    return _by_place(pl.DataFrame({"query_id": query.cast(pl.String)}))


def _by_place(queries: pl.DataFrame) -> pl.DataFrame:
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    return queries.with_columns(doc_id=place.cast(pl.String))


def _keys(lines: pl.DataFrame, where: str, rows: str | Path | None) -> pl.DataFrame | None:
    """Return query and document of each row of LETOR; None if ``rows`` has them instead."""
    query = lines["text"].str.extract(r"^\s*\S+\s+(?i:qid):(\S+)").alias("query_id")
    if query.null_count() == len(query) and rows is not None:
        return None
    if query.has_nulls():
        advice = "rows='train.query' (LightGBM, XGBoost: .group) has the numbers of rows of queries"
        n = int(lines["line"][int(query.is_null().arg_max() or 0)])
        raise ReadError(Problem(where, "qid:QUERY", "none", advice, line=n, is_first=True))
    comment = lines["text"].str.extract(r"#\s*(.*)$")
    word = comment.str.extract(r"docid\s*=\s*(\S+)").fill_null(comment.str.extract(r"^(\S+)"))
    named = pl.DataFrame([query, word.alias("doc_id")])
    is_named = not word.has_nulls() and not named.is_duplicated().any()
    return named if is_named else _by_place(named.select("query_id"))
