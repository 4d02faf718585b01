"""Tables in JSON: lines of records, a list of them, or ``{query: {document: number}}``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError, ReadError
from lexiframe.io.dialects import candidates_for, words_for
from lexiframe.io.frames import is_one_run, to_frame
from lexiframe.io.json_rows import Form, members_in, records_in, rows_of_json, table_in
from lexiframe.io.lines import count_of
from lexiframe.io.rows import Rows, may_be_id
from lexiframe.schemas import TableSchema

_BEGINNING = re.compile(rb"""\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|$))""")
_NO_ID = rb"""\s*:\s*(?:-?[0-9]+[.eE]|true|false|[\[{])"""
_HALF_A_PAIR = re.compile(rb"(?i)\\ud[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..)\\ud[c-f]")
_START = 1 << 20  # so much tells the names
_NUMBERS = ("score", "relevance", "value")


def is_json(data: bytes) -> bool:
    r"""Tell whether text begins as JSON does; an id may begin with a bracket too.

    Examples
    --------
    >>> is_json(b'{"qid": 7}\n'), is_json(b"{7} Q0 d1 1 0.5 bm25\n")
    (True, False)
    """
    return bool(_BEGINNING.match(data, 0, 1000))


def _form_of(data: bytes) -> Form:
    """Tell what JSON holds, by its first line; by most of its lines when that is broken."""
    if data.lstrip().startswith(b"["):
        return "list"
    record = _first_record(data)
    if record is not None:
        holds_queries = isinstance(next(iter(record.values()), None), dict) and is_one_run(record)
        return "queries" if holds_queries else "lines"
    lines = [line.strip(b" \t,") for line in data.split(b"\n") if line.strip()]
    n_records = sum(line.startswith(b"{") and line.endswith(b"}") for line in lines)
    return "lines" if n_records > len(lines) / 2 else "queries"


def _first_record(data: bytes) -> dict[str, Any] | None:
    """Give the record that the first line holds; None when it holds none."""
    first = data.lstrip().split(b"\n", 1)[0]
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _with_line_feeds(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def parse_json(
    data: bytes, where: str, schema: TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame:
    r"""Parse JSON lines, a list of records, or ``{query: {document: number}}``.

    Parameters
    ----------
    data
        UTF-8 text.
    where
        What error messages call it.
    schema
        What it holds.
    columns
        What its columns are called, where that was said.

    Raises
    ------
    ReadError
        With the line or record, for what is no JSON or no record, for a name that is twice in one
        object, and for what can be no id.

    Examples
    --------
    >>> from lexiframe.schemas import RUNS
    >>> parse_json(b'{"qid": "007", "docno": 7, "score": 1}\n', "bm25.jsonl", RUNS, {}).rows()
    [('007', '7', 1.0)]
    """
    data = _with_line_feeds(data)
    form = _form_of(data)
    if form == "queries":
        members = members_in(data, where, form)
        for problem in members.problems:
            raise ReadError(problem)
        whole = dict(zip(members.names, members.values, strict=True))
        return to_frame(whole, _number(schema), where)
    table = _parse_quickly(data, schema, columns) if form == "lines" else None
    if table is not None:
        return table
    records = records_in(data, where, form, columns)
    return table_in(records, where, form, _ids(records.names, schema, columns))


def json_rows(data: bytes, where: str, schema: TableSchema, columns: Mapping[str, str]) -> Rows:
    """Give what `parse_json` would parse as it is, with the problems of what is no row."""
    data = _with_line_feeds(data)
    return rows_of_json(data, where, _form_of(data), _number(schema), columns)


def names_in(data: bytes) -> list[str]:
    """Give the names in the first records, of which some may be broken."""
    data = _with_line_feeds(data[:_START])
    form = _form_of(data)
    try:
        return [] if form == "queries" else records_in(data, "", form, {}).names
    except LexiframeError:
        return []


def _number(schema: TableSchema) -> str:
    return next(name for name in _NUMBERS if name in schema.columns)


def _ids(names: Iterable[str], schema: TableSchema, columns: Mapping[str, str]) -> set[str]:
    """Give the names that hold ids."""
    known = [candidates_for(words_for(ours, columns), [*names]) for ours in schema.key]
    return {candidates[0] for candidates in known if candidates}


# --- JSON lines in Polars -----------------------------------------------------------------------


def _parse_quickly(
    data: bytes, schema: TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame | None:
    """Let Polars parse lines; None when it cannot, or would take for text what is none."""
    first = _first_record(data) or {}
    ids = _ids(_names_in(first), schema, columns)
    numbers = {word for ours in ("score", "relevance") for word in words_for(ours, columns)}
    types: dict[str, Any] = {n: pl.String() for n in ids & {*first} if may_be_id(first[n])}
    types |= {name: pl.Float64() for name in first if name in numbers}
    if _may_have_odd_ids(data, ids) or _may_have_halves(data):
        return None
    for length in (100, None):  # look at all records for their types only when some do not tell
        try:
            table = pl.read_ndjson(data, schema_overrides=types, infer_schema_length=length)
        except pl.exceptions.PolarsError:
            continue
        return None if _may_have_lost_fields(table, data) else table
    return None


def _names_in(record: Mapping[str, Any]) -> list[str]:
    """Give the names of fields, and of the fields of items."""
    lists = [value for value in record.values() if isinstance(value, list)]
    items = [item for values in lists for item in values[:1] if isinstance(item, dict)]
    return [*record, *(name for item in items for name in item)]


def _may_have_odd_ids(data: bytes, ids: set[str]) -> bool:
    """Look for an id that is neither text nor a whole number; Polars would write it as text."""
    names = "|".join(re.escape(json.dumps(name)[1:-1]) for name in ids)
    return bool(ids) and re.search(b'"(?:%s)"' % names.encode() + _NO_ID, data) is not None


def _may_have_halves(data: bytes) -> bool:
    """Look for half a pair of surrogates, which is no text; Polars takes it for U+0000."""
    return rb"\ud" in data.lower() and _HALF_A_PAIR.search(data) is not None


def _may_have_lost_fields(table: pl.DataFrame, data: bytes) -> bool:
    """Tell whether records may have two fields of one name, of which Polars keeps the first.

    A name that is twice is found where it is written without escapes: when there are more colons
    than values, and then more of the name than records.
    """
    n_values = sum(table.height - column.null_count() for column in table)
    return count_of(":", data) > n_values and any(
        data.count(json.dumps(name).encode()) > table.height for name in table.columns
    )
