"""Tables in JSON: parsing lines, lists, and ``{query: {document: number}}``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.core.base import LexiframeError, ReadError, schemas
from lexiframe.core.io.column_forms.column_names import candidates_for, words_for
from lexiframe.core.io.column_forms.numbers import EXACT
from lexiframe.core.io.column_forms.objects import is_one_run, to_frame
from lexiframe.core.io.problems.rows_as_written import Rows
from lexiframe.core.io.text.json_rows import (
    Form,
    are_plain_lists,
    members_in,
    names_of,
    no_lines,
    records_in,
    rows_of_json,
    table_in,
)
from lexiframe.core.io.text.json_values import whole_or_infinite
from lexiframe.core.io.text.lines import (
    LARGEST,
    PIECE,
    blocks_of_lines,
    check_utf8,
    unify_line_ends,
)

_LINE_ENDS = re.compile(rb"[ \t]*\n[ \t\n]*")
_BLOCK = 1 << 16  # of records that have fields of their own
_MANY_FIELDS = 100
_START = 1 << 20  # this many bytes are enough to find the form and the names
_NUMBERS = ("score", "relevance", "value")


def _form_of(data: bytes, columns: Mapping[str, str]) -> Form:
    """Return the form of JSON by its first line, or by most of its lines if that one is broken."""
    if data.lstrip().startswith(b"["):
        return "list"
    record = _first_record(data)
    if record is not None:
        is_run = is_one_run(record) and not _has_fields(record, columns)
        of_first = next(iter(record.values()), None)
        is_by_query = is_run and isinstance(of_first, dict | list)
        return "queries" if is_by_query or are_plain_lists([*record.values()]) else "lines"
    start = data[:_START]
    lines = [line.strip(b" \t,") for line in start.split(b"\n") if line.strip()]
    n_records = sum(line.startswith(b"{") and line.endswith(b"}") for line in lines)
    return "lines" if n_records > len(lines) / 2 else "queries"


def _has_fields(record: Mapping[str, Any], columns: Mapping[str, str]) -> bool:
    """Return whether an object is a record, not ``{query: {...}}``; its fields may be objects."""
    plain = [name for name, value in record.items() if not isinstance(value, dict)]
    queries, documents = ({*words_for(name, columns)} for name in ("query_id", "doc_id"))
    names = {*_field_names(record)}
    return not queries.isdisjoint(plain) and not documents.isdisjoint(names)


def _first_record(data: bytes) -> dict[str, Any] | None:
    """Return the record in the first line; None if that line is not a record."""
    data = data.lstrip()
    first = data[: data.find(b"\n") % (len(data) + 1)]
    try:
        record = json.loads(first, parse_int=whole_or_infinite)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def parse_json(
    data: bytes, where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame:
    r"""Parse JSON lines, a list of records, or ``{query: {document: number}}``.

    A repeated name in an object and a value that cannot be an id are errors.
    """
    data = unify_line_ends(data)
    form = _form_of(data, columns)
    if form == "queries":
        members = members_in(data, where, form)
        for problem in members.problems:
            raise ReadError(problem)
        whole = dict(zip(members.names, members.values, strict=True))
        return to_frame(whole, _number_column(schema), where)
    table = _parse_quickly(data, schema, columns) if form == "lines" else None
    if table is not None:
        return table
    ids_in = partial(_ids, schema=schema, columns=columns)
    clean = partial(_clean_lines, schema=schema, columns=columns)
    return table_in(records_in(data, where, form, columns, clean)(), where, form, ids_in)


def pieces_of_json(
    data: bytes, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> Iterator[pl.DataFrame | None]:
    """Parse JSON lines in pieces; yield None for one with a problem, nothing for other forms."""
    if _form_of(data, columns) == "lines":
        for piece in blocks_of_lines(data, PIECE):
            yield _parse_quickly(unify_line_ends(piece), schema, columns)


def json_rows(
    data: bytes, where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> Iterator[Rows]:
    """Yield the rows that `parse_json` parses, unconverted, with the problems of other text."""
    data = unify_line_ends(data)
    clean = partial(_clean_lines, schema=schema, columns=columns)
    return rows_of_json(
        data, where, _form_of(data, columns), _number_column(schema), columns, clean
    )


def names_in(data: bytes) -> list[str]:
    """Return the names of fields in the first records; none if they cannot be read."""
    data = unify_line_ends(data[:_START])
    form = _form_of(data, {})
    try:
        return [] if form == "queries" else names_of(records_in(data, "", form, {}, no_lines)())
    except LexiframeError:
        return []


def _number_column(schema: schemas.TableSchema) -> str:
    return next(name for name in _NUMBERS if name in schema.columns)


def _ids(names: Iterable[str], schema: schemas.TableSchema, columns: Mapping[str, str]) -> set[str]:
    """Return the names of columns that hold ids."""
    known = [candidates_for(words_for(ours, columns), [*names]) for ours in schema.key]
    return {candidates[0] for candidates in known if candidates}


# --- JSON lines in Arrow ------------------------------------------------------------------------


def _parse_quickly(
    data: bytes, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame | None:
    """Let Arrow parse lines; return None if it fails, or could change an id or a number."""
    from pyarrow import json as arrow_json

    data = data.strip(b" \t\n")
    if data.count(b"}\n{") < data.count(b"\n"):
        data = _LINE_ENDS.sub(b"\n", data)
    n_lines, first = data.count(b"\n") + 1, _first_record(data) or {}
    scores = {word for ours in ("score", "relevance") for word in words_for(ours, columns)}
    # Without this type, Arrow would take texts such as 2020-01-01 for times.
    types = {name: pa.string() for name, value in first.items() if isinstance(value, str)}
    types |= {name: pa.float64() for name in first if name in scores}
    parsing = arrow_json.ParseOptions(explicit_schema=pa.schema([*types.items()]))

    def records(data: bytes) -> pl.DataFrame:
        reading = arrow_json.ReadOptions(use_threads=False, block_size=min(len(data), LARGEST))
        arrow = arrow_json.read_json(pa.BufferReader(data), reading, parsing)
        there = {*arrow.column_names}
        arrow = arrow.select(
            [n for n in dict.fromkeys([*first, *arrow.column_names]) if n in there]
        )
        # Polars fails on a list of null and an object.
        found = pl.DataFrame(pl.from_arrow(arrow)).cast({pl.Null: pl.String})
        found.columns = arrow.column_names  # Polars would call a column without a name column_0
        return found

    try:
        check_utf8(data)
        ours = {word for name in schema.columns for word in words_for(name, columns)}
        table = _common_fields_alone(data, first, ours, records)
        table = records(data) if table is None else table
    except (pa.ArrowException, pl.exceptions.PolarsError):
        return None
    # Arrow takes objects, wherever a line ends.
    is_one_per_line = data.count(b"}\n{") + 1 == n_lines == table.height
    fields = _fields_of(table)
    ids = _ids([name for name, _ in fields], schema, columns)
    numbers = scores | {*words_for("rank", columns)}
    is_odd = any(
        dtype.is_temporal()
        or (name in ids and dtype not in (pl.String, pl.Int64))
        or (name in numbers and dtype == pl.Boolean)
        for name, dtype in fields
    )
    return table if is_one_per_line and not is_odd else None


def _common_fields_alone(
    data: bytes, first: Mapping[str, Any], ours: set[str], records: Callable[[bytes], pl.DataFrame]
) -> pl.DataFrame | None:
    """Parse records of very many fields, most of them rare; None if the fields are few.

    A column of each field would make a table that grows with the square of the file. Fields that
    only one record in a hundred has, and that are not read, are left out.
    """
    last = _first_record(data[data.rfind(b"\n") + 1 :])
    if last is None or last.keys() == first.keys():
        return None
    parts: list[pl.DataFrame] = []
    for block in blocks_of_lines(data, _BLOCK):
        part = records(block)
        if not parts and part.width <= _MANY_FIELDS:
            return None
        most = 0.99 * part.height
        parts.append(part.select(c for c in part if c.name in ours or c.null_count() < most))
    return pl.concat(parts, how="diagonal")


def _clean_lines(
    data: bytes, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> pl.DataFrame | None:
    """Let Arrow parse lines if each is a record without an empty or huge value, else return None.

    The problems of other lines are found in the values as they are written, which is slower.
    """
    table = _parse_quickly(data, schema, columns)
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if table is None or table.height != n_lines:
        return None
    is_plain = all(_is_exact(column) for column in table)
    return table if is_plain else None


def _is_exact(column: pl.Series) -> bool:
    if column.null_count():
        return False
    if column.dtype == pl.String:
        return bool((column != "").all())
    if column.dtype == pl.Float64:
        return bool((column.abs() < EXACT).all())  # others may have lost digits
    return column.dtype == pl.Int64


def _field_names(record: Mapping[str, Any]) -> list[str]:
    """Return the names of fields, and of the fields of items."""
    lists = [value for value in record.values() if isinstance(value, list)]
    items = [item for values in lists for item in values[:1] if isinstance(item, dict)]
    return [*record, *(name for item in items for name in item)]


def _fields_of(table: pl.DataFrame) -> list[tuple[str, Any]]:
    """Return the names and types of columns, and of the fields of items."""
    lists = [dtype.inner for dtype in table.dtypes if isinstance(dtype, pl.List)]
    items = [inner for inner in lists if isinstance(inner, pl.Struct)]
    return [*table.schema.items(), *(pair for item in items for pair in item.to_schema().items())]
