"""Tables in JSON: recognising and parsing lines, lists, and ``{query: {document: number}}``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, ReadError, schemas
from lexiframe.io.column_forms.column_names import candidates_for, words_for
from lexiframe.io.column_forms.numbers import EXACT
from lexiframe.io.column_forms.objects import is_one_run, to_frame
from lexiframe.io.problems.rows_as_written import Rows, may_be_id
from lexiframe.io.text.json_rows import (
    Form,
    has_clean_blocks,
    members_in,
    names_of,
    records_in,
    rows_of_json,
    table_in,
    table_of_lines,
)
from lexiframe.io.text.lines import PIECE, blocks_of_lines, count_of, with_line_feeds

_BEGINNING = re.compile(rb"""\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|$))""")
_NAME = re.compile(rb'(?:^|[\s,{\[])"[^"\r\n]*"[ \t]*:')
_NO_ID = rb"""\s*:\s*(?:-?[0-9]+[.eE]|true|false|[\[{])"""
_HALF_A_PAIR = re.compile(rb"(?i)\\ud[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..)\\ud[c-f]")
_ESCAPED_COLONS = (rb"\u003a", rb"\u003A")
_NULL = re.compile(rb"(:[ \t]*)null(?=[ \t]*[,}])")
_START = 1 << 20  # this many bytes are enough to find the form and the names
_NUMBERS = ("score", "relevance", "value")


def is_json(data: bytes) -> bool:
    r"""Return whether text begins like JSON; a bracket alone may also begin an id.

    Text whose first line has a quoted name and a colon counts as JSON: its beginning may be lost.

    Examples
    --------
    >>> is_json(b'{"qid": 7}\n'), is_json(b"{7} Q0 d1 1 0.5 bm25\n")
    (True, False)
    """
    first = re.match(rb"\s*[^\r\n]*", data[:1000])
    return bool(_BEGINNING.match(data, 0, 1000) or (first and _NAME.search(first[0])))


def _form_of(data: bytes, columns: Mapping[str, str]) -> Form:
    """Return the form of JSON by its first line, or by most of its lines if that one is broken."""
    if data.lstrip().startswith(b"["):
        return "list"
    record = _first_record(data)
    if record is not None:
        is_run = is_one_run(record) and not _has_fields(record, columns)
        return "queries" if is_run and isinstance(next(iter(record.values())), dict) else "lines"
    start = data[:_START]
    lines = [line.strip(b" \t,") for line in start.split(b"\n") if line.strip()]
    n_records = sum(line.startswith(b"{") and line.endswith(b"}") for line in lines)
    return "lines" if n_records > len(lines) / 2 else "queries"


def _has_fields(record: Mapping[str, Any], columns: Mapping[str, str]) -> bool:
    """Return whether an object is a record, not ``{query: {...}}``; its fields may be objects."""
    plain = [name for name, value in record.items() if not isinstance(value, dict)]
    queries, documents = ({*words_for(name, columns)} for name in ("query_id", "doc_id"))
    names = {*_names_in(record)}
    return not queries.isdisjoint(plain) and not documents.isdisjoint(names)


def _first_record(data: bytes) -> dict[str, Any] | None:
    """Return the record in the first line; None if that line is not a record."""
    data = data.lstrip()
    first = data[: data.find(b"\n") % (len(data) + 1)]
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def parse_json(
    data: bytes, where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame:
    r"""Parse JSON lines, a list of records, or ``{query: {document: number}}``.

    A repeated name in an object and a value that cannot be an id are errors.

    Examples
    --------
    >>> from lexiframe.base.schemas import RUNS
    >>> parse_json(b'{"qid": "007", "docno": 7, "score": 1}\n', "bm25.jsonl", RUNS, {}).rows()
    [('007', '7', 1.0)]
    """
    data = with_line_feeds(data)
    form = _form_of(data, columns)
    if form == "queries":
        members = members_in(data, where, form)
        for problem in members.problems:
            raise ReadError(problem)
        whole = dict(zip(members.names, members.values, strict=True))
        return to_frame(whole, _number(schema), where)
    table = _parse_quickly(data, schema, columns) if form == "lines" else None
    if table is not None:
        return table
    ids_in = partial(_ids, schema=schema, columns=columns)
    if has_clean_blocks(data, form):
        clean = partial(_clean_lines, schema=schema, columns=columns)
        return table_of_lines(data, where, clean, ids_in)
    return table_in(records_in(data, where, form, columns)(), where, form, ids_in)


def pieces_of_json(
    data: bytes, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> Iterator[pl.DataFrame | None]:
    """Parse JSON lines in pieces; yield None for one with a problem, nothing for other forms."""
    if _form_of(data, columns) == "lines":
        for piece in blocks_of_lines(data, PIECE):
            yield _parse_quickly(with_line_feeds(piece), schema, columns)


def json_rows(
    data: bytes, where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> Iterator[Rows]:
    """Yield the rows that `parse_json` parses, unconverted, with the problems of other text."""
    data = with_line_feeds(data)
    clean = partial(_clean_lines, schema=schema, columns=columns)
    return rows_of_json(data, where, _form_of(data, columns), _number(schema), columns, clean)


def names_in(data: bytes) -> list[str]:
    """Return the names of fields in the first records; none if they cannot be read."""
    data = with_line_feeds(data[:_START])
    form = _form_of(data, {})
    try:
        return [] if form == "queries" else names_of(records_in(data, "", form, {})())
    except LexiframeError:
        return []


def _number(schema: schemas.TableSchema) -> str:
    return next(name for name in _NUMBERS if name in schema.columns)


def _ids(names: Iterable[str], schema: schemas.TableSchema, columns: Mapping[str, str]) -> set[str]:
    """Return the names of columns that hold ids."""
    known = [candidates_for(words_for(ours, columns), [*names]) for ours in schema.key]
    return {candidates[0] for candidates in known if candidates}


# --- JSON lines in Polars -----------------------------------------------------------------------


def _parse_quickly(
    data: bytes, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame | None:
    """Let Polars parse lines; return None if it fails, or would drop or change a value."""
    first = _first_record(data) or {}
    ids = _ids(_names_in(first), schema, columns)
    ranks = {*words_for("rank", columns)}
    numbers = {w for ours in ("score", "relevance") for w in words_for(ours, columns)} | ranks
    types: dict[str, Any] = {n: pl.String() for n in ids & {*first} if may_be_id(first[n])}
    types |= {name: pl.Float64() for name in first if name in numbers - ranks}
    if _may_have_odd_ids(data, ids) or _may_have_halves(data):
        return None
    for length in (100, None):  # infer from all records only if the first 100 are not enough
        try:
            table = pl.read_ndjson(data, schema_overrides=types, infer_schema_length=length)
        except pl.exceptions.PolarsError:
            continue
        if _holds_all_fields(table, data):
            fields = _fields_of(table)
            late = _ids([name for name, _ in fields], schema, columns) - ids
            is_odd = any(dtype == pl.Boolean for name, dtype in fields if name in numbers)
            return None if is_odd or _may_have_odd_ids(data, late) else table
    return None


def _clean_lines(
    data: bytes, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame | None:
    """Let Polars parse lines if each is a record without an empty or huge value, else return None.

    The problems of other lines are found in the values as they are written, which is slower.
    """
    table = _parse_quickly(data, schema, columns)
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if table is None or table.height != n_lines:
        return None
    is_plain = all(_is_plain(column) for column in table)
    return table if is_plain else None


def _is_plain(column: pl.Series) -> bool:
    if column.null_count():
        return False
    if column.dtype == pl.String:
        return bool((column != "").all())
    if column.dtype == pl.Float64:
        return bool((column.abs() < EXACT).all())  # others may have lost digits
    return column.dtype == pl.Int64


def _names_in(record: Mapping[str, Any]) -> list[str]:
    """Return the names of fields, and of the fields of items."""
    lists = [value for value in record.values() if isinstance(value, list)]
    items = [item for values in lists for item in values[:1] if isinstance(item, dict)]
    return [*record, *(name for item in items for name in item)]


def _fields_of(table: pl.DataFrame) -> list[tuple[str, Any]]:
    """Return the names and types of columns, and of the fields of items."""
    lists = [dtype.inner for dtype in table.dtypes if isinstance(dtype, pl.List)]
    items = [inner for inner in lists if isinstance(inner, pl.Struct)]
    return [*table.schema.items(), *(pair for item in items for pair in item.to_schema().items())]


def _may_have_odd_ids(data: bytes, ids: set[str]) -> bool:
    """Return whether an id may be neither text nor a whole number; Polars would make it text."""
    names = "|".join(re.escape(json.dumps(name)[1:-1]) for name in ids)
    return bool(ids) and re.search(b'"(?:%s)"' % names.encode() + _NO_ID, data) is not None


def _may_have_halves(data: bytes) -> bool:
    """Return whether there is an unpaired surrogate; Polars would read it as U+0000."""
    return (
        any(half in data for half in (rb"\ud", rb"\uD")) and _HALF_A_PAIR.search(data) is not None
    )


# --- Whether Polars kept every field ------------------------------------------------------------


def _holds_all_fields(table: pl.DataFrame, data: bytes) -> bool:
    """Return whether each field of the records is in the table; False if in doubt.

    Polars drops fields that first appear after the records from which it infers types, and keeps
    only the first of two fields of one name. Each field has a colon. So if a field was dropped, the
    text has more colons than the table has values and colons inside texts.
    """
    if any(colon in data for colon in _ESCAPED_COLONS):
        return False
    extra = count_of(":", data) - _n_colons(table)
    return extra == 0 or (extra > 0 and extra == _n_nulls(data, table.columns))


def _n_colons(table: pl.DataFrame) -> int:
    """Count the colons in JSON with the values of a table and without its nulls."""
    return sum(len(values) - values.null_count() + _n_colons_inside(values) for values in table)


def _n_colons_inside(values: pl.Series) -> int:
    if isinstance(values.dtype, pl.String):
        return int(values.str.count_matches(":", literal=True).sum())
    if isinstance(values.dtype, pl.Struct):
        return _n_colons(values.struct.unnest())
    return _n_colons_inside(values.explode()) if isinstance(values.dtype, pl.List) else 0


def _n_nulls(data: bytes, names: Sequence[str]) -> int:
    """Count the fields that are null; -1 if their records may have two fields of one name."""
    records = b"\n".join(_lines_with(b"null", data))
    filled, n_nulls = _NULL.subn(rb"\1false", records)
    try:  # as text, which can hold any value: nested ones become JSON
        texts = pl.read_ndjson(filled, schema=dict.fromkeys(names, pl.String()))
    except pl.exceptions.PolarsError:
        return -1
    return n_nulls if count_of(":", filled) == _n_colons(texts) else -1


def _lines_with(word: bytes, data: bytes) -> Iterator[bytes]:
    at = data.find(word)
    while at >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at) % (len(data) + 1)
        yield data[start:end]
        at = data.find(word, end)
