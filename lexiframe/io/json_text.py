"""Tables in JSON: lines of records, a list of them, or ``{query: {document: number}}``."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl

from lexiframe.errors import ReadError, in_one_line
from lexiframe.io.dialects import DIALECTS, candidates_for
from lexiframe.io.frames import is_one_run, to_frame
from lexiframe.io.json_records import (
    RepeatedNameError,
    check_lines,
    check_list,
    load_json,
    may_be_id,
    records_of_lines,
)
from lexiframe.io.lines import count_of
from lexiframe.io.problems import first_of

_BEGINNING = re.compile(rb"""\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|$))""")
_IDS = ("run", "query_id", "doc_id")
_NO_ID = rb"""\s*:\s*(?:-?[0-9]+[.eE]|true|false|[\[{])"""
_NUMBERS = {name for ours in ("score", "relevance") for name in DIALECTS[ours]}
_SHOWN = 80
_NOT_READ = (ValueError, TypeError, OverflowError, RecursionError, pl.exceptions.PolarsError)


def is_json(data: bytes) -> bool:
    r"""Tell whether text begins as JSON does; an id may begin with a bracket too.

    Examples
    --------
    >>> is_json(b'{"qid": 7}\n'), is_json(b"{7} Q0 d1 1 0.5 bm25\n")
    (True, False)
    """
    return bool(_BEGINNING.match(data, 0, 1000))


def is_json_lines(data: bytes) -> bool:
    """Tell whether every line is to hold a record, by the first."""
    return _first_record(data) is not None


def _first_record(data: bytes) -> dict[str, Any] | None:
    """Give the record that a first line holds; None when the lines are no records."""
    first = data.lstrip().split(b"\n", 1)[0]
    try:
        record = json.loads(first) if first.startswith(b"{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    is_whole = isinstance(next(iter(record.values()), None), dict) and is_one_run(record)
    return None if is_whole else record


def is_meant_as_lines(data: bytes) -> bool:
    r"""Tell whether every line is to hold a record, also when the first is broken.

    Examples
    --------
    >>> is_meant_as_lines(b'{"qid": }\n{"qid": 7}\n'), is_meant_as_lines(b'[\n{"qid": }]\n')
    (True, False)
    """
    if is_json_lines(data):
        return True
    lines = (line.strip() for line in data.splitlines())
    begins = not data.lstrip().startswith(b"[")
    if not begins or not any(line[:1] == b"{" and line[-1:] == b"}" for line in lines):
        return False
    try:
        load_json(data)
    except (ValueError, RecursionError):
        return True
    return False


def parse_json(data: bytes, where: str, value: str, unit: str = "line") -> pl.DataFrame:
    r"""Parse JSON lines, a list of records, or ``{query: {document: number}}``.

    Errors count in ``unit``: a list has records where others have lines. A name that is twice in a
    record of a line is found where it is written without escapes.

    Raises
    ------
    ReadError
        With the line's number, for what is no JSON, and for a name that is twice in one object.

    Examples
    --------
    >>> parse_json(b'{"qid": "007", "docno": 7, "score": 1}\n', "bm25.jsonl", "score").rows()
    [('007', '7', 1.0)]
    """
    record = _first_record(data)
    if record is not None:
        return _parse_records(data, where, unit, record)
    whole = load_whole(data, where)
    if isinstance(whole, dict):
        return to_frame(whole, value, where)
    checked = check_list(whole, where)
    if checked.problems.height:
        raise first_of(checked.problems, "record")
    return parse_json(checked.good, where, value, "record")


def load_whole(data: bytes, where: str) -> Any:
    """Parse a file that is one list of records, or ``{query: {document: number}}``.

    Raises
    ------
    ReadError
        When it is no JSON, or none of these.
    """
    try:
        whole = load_json(data)
    except RepeatedNameError as error:
        raise ReadError(f"{where}: expected JSON without repeated names, found {error}") from None
    except (ValueError, RecursionError) as error:
        raise _broken(data, where, error) from None
    if isinstance(whole, dict) and is_one_run(whole):
        return whole
    if isinstance(whole, list) and any(isinstance(record, dict) for record in whole):
        return whole
    raise ReadError(
        f"{where}: expected JSON with a record a line, a list of records, or "
        f"{{query: {{document: number}}}}, found {type(whole).__name__}"
    )


def _broken(data: bytes, where: str, error: Exception) -> ReadError:
    """Name the line where JSON breaks: the first bad record, or where the parser stops."""
    if is_meant_as_lines(data) or not isinstance(error, json.JSONDecodeError):
        return first_of(check_lines(data, where).problems)
    line = data.splitlines()[error.lineno - 1 :][:1] or [b""]
    found = line[0][:_SHOWN].decode("utf-8", "backslashreplace")
    return ReadError(f"{where}, line {error.lineno}: expected JSON, found {found!r} ({error.msg})")


def _parse_records(data: bytes, where: str, unit: str, first: dict[str, Any]) -> pl.DataFrame:
    """Parse a record a line, and check them one by one only when that does not go."""
    keys: dict[str, Any] = {name: pl.String() for ours in _IDS for name in DIALECTS[ours]}
    known = {n: keys[n] for n in first if n in keys and may_be_id(first[n])}
    known |= {name: pl.Float64() for name in first if name in _NUMBERS}
    try:
        if not _may_have_odd_ids(data, first):
            return _read_ndjson(data, known)
        error: Exception | None = None
    except _NOT_READ as raised:
        error = raised
    problems = check_lines(data, where).problems
    if problems.height:
        raise first_of(problems, unit)
    if error is not None:
        raise _unreadable(where, error)
    return _read_ndjson(data, known)


def _unreadable(where: str, error: Exception) -> ReadError:
    return ReadError(f"{where}: cannot be read as JSON records ({in_one_line(error)})")


def _may_have_odd_ids(data: bytes, record: dict[str, Any]) -> bool:
    """Look for an id that is neither text nor a whole number; Polars would write it as text."""
    found = (candidates_for(DIALECTS[ours], list(record)) for ours in _IDS)
    names = "|".join(re.escape(names[0]) for names in found if names)
    return bool(names) and re.search(b'"(?:%s)"' % names.encode() + _NO_ID, data) is not None


def _read_ndjson(data: bytes, types: dict[str, Any]) -> pl.DataFrame:
    """Read records; look at all of them for their types only when the first do not tell."""
    options: dict[str, Any] = {"schema_overrides": types}
    if rb"\ud" in data.lower():  # half a surrogate pair is no text; Polars takes it for U+0000
        records_of_lines(data)
    try:
        return _without_lost_fields(pl.read_ndjson(data, **options), data)
    except pl.exceptions.PolarsError:
        options["infer_schema_length"] = None
    try:
        return _without_lost_fields(pl.read_ndjson(data, **options), data)
    except pl.exceptions.PolarsError:  # Python writes Infinity, which is no JSON but a score
        return pl.DataFrame(records_of_lines(data), **options)


def _without_lost_fields(table: pl.DataFrame, data: bytes) -> pl.DataFrame:
    """Refuse records with two fields of one name, of which Polars keeps the first.

    The records are looked at one by one only when their colons, then their names, are too many.
    """
    n_values = sum(table.height - column.null_count() for column in table)
    if count_of(":", data) > n_values and any(
        data.count(json.dumps(name).encode()) > table.height for name in table.columns
    ):
        records_of_lines(data)
    return table
