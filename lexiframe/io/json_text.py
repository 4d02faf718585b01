"""Tables in JSON: lines of records, a list of them, or ``{query: {document: number}}``."""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl

from lexiframe.errors import ReadError, in_one_line
from lexiframe.io.dialects import DIALECTS, candidates_for
from lexiframe.io.frames import is_one_run, to_frame
from lexiframe.io.lines import count_of

_BEGINNING = re.compile(rb"""\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[\[{"\]]|-?[0-9.]+\s*,|$))""")
_IDS = ("run", "query_id", "doc_id")
_NO_ID = rb"""\s*:\s*(-?[0-9]+[.eE][^\s,}]*|true|false|[\[{])"""
_NUMBERS = {name for ours in ("score", "relevance") for name in DIALECTS[ours]}


class RepeatedNameError(ValueError):
    """An object of JSON has two fields of one name."""


def is_json(data: bytes) -> bool:
    r"""Tell whether text begins as JSON does; an id may begin with a bracket too.

    Examples
    --------
    >>> is_json(b'{"qid": 7}\n'), is_json(b"{7} Q0 d1 1 0.5 bm25\n")
    (True, False)
    """
    return bool(_BEGINNING.match(data, 0, 1000))


def load_json(text: str | bytes) -> Any:
    r"""Parse JSON as Python does, but refuse what would lose data or is no text.

    Raises
    ------
    ValueError
        For what is no JSON, an object with two fields of one name (Python keeps the second), and
        half a pair of surrogates, which is no character.

    Examples
    --------
    >>> load_json('{"q1": {"d1": 1, "d1": 2}}')
    Traceback (most recent call last):
    lexiframe.io.json_text.RepeatedNameError: two fields are named 'd1'
    """
    value = json.loads(text, object_pairs_hook=_without_twins)
    half = rb"\ud" if isinstance(text, bytes) else r"\ud"
    if half in text.lower():  # type: ignore[operator]
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _without_twins(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(fields)
    if len(record) < len(fields):
        names = [name for name, _ in fields]
        twin = next(name for n, name in enumerate(names) if name in names[:n])
        raise RepeatedNameError(f"two fields are named {twin!r}")
    return record


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
    keys: dict[str, Any] = {name: pl.String() for ours in _IDS for name in DIALECTS[ours]}
    record = _first_record(data)
    _refuse_odd_ids(data, where, unit, record or {})
    try:
        if record is not None:
            known = {n: keys[n] for n in record if n in keys and _may_be_id(record[n])}
            known |= {name: pl.Float64() for name in record if name in _NUMBERS}
            return _read_ndjson(data, known)
        whole: Any = load_json(data)
    except (
        *(ValueError, TypeError, OverflowError, RecursionError),
        pl.exceptions.PolarsError,
    ) as error:
        raise _no_json(data, where, unit, error) from None
    if isinstance(whole, dict) and is_one_run(whole):
        return to_frame(whole, value, where)
    if isinstance(whole, list) and whole and all(isinstance(record, dict) for record in whole):
        lines = "\n".join(json.dumps(record) for record in whole).encode()
        return parse_json(lines, where, value, "record")
    raise ReadError(
        f"{where}: expected JSON with a record a line, a list of records, or "
        f"{{query: {{document: number}}}}, found {type(whole).__name__}"
    )


def _refuse_odd_ids(data: bytes, where: str, unit: str, record: dict[str, Any]) -> None:
    """Raise for an id that is neither text nor a whole number, which Polars would write as text."""
    found = (candidates_for(DIALECTS[ours], list(record)) for ours in _IDS)
    names = "|".join(re.escape(names[0]) for names in found if names)
    odd = re.search(b'"(%s)"' % names.encode() + _NO_ID, data) if names else None
    if odd is not None:
        line = data.count(b"\n", 0, odd.start()) + 1
        raise ReadError(
            f"{where}, {unit} {line}: expected text or a whole number as {odd[1].decode()}, found "
            f"{odd[2].decode()}"
        )


def _may_be_id(value: Any) -> bool:
    """Tell text and whole numbers, which are read as text, from what is refused as an id."""
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _read_ndjson(data: bytes, types: dict[str, Any]) -> pl.DataFrame:
    """Read records; look at all of them for their types only when the first do not tell."""
    options: dict[str, Any] = {"schema_overrides": types}
    if rb"\ud" in data.lower():  # half a surrogate pair is no text; Polars takes it for U+0000
        _records_of(data)
    try:
        return _without_lost_fields(pl.read_ndjson(data, **options), data)
    except pl.exceptions.PolarsError:
        options["infer_schema_length"] = None
    try:
        return _without_lost_fields(pl.read_ndjson(data, **options), data)
    except pl.exceptions.PolarsError:  # Python writes Infinity, which is no JSON but a score
        return pl.DataFrame(_records_of(data), **options)


def _records_of(data: bytes) -> list[Any]:
    return [load_json(line) for line in data.splitlines() if line.strip()]


def _without_lost_fields(table: pl.DataFrame, data: bytes) -> pl.DataFrame:
    """Refuse records with two fields of one name, of which Polars keeps the first.

    The records are looked at one by one only when their colons, then their names, are too many.
    """
    n_values = sum(table.height - column.null_count() for column in table)
    if count_of(":", data) > n_values and any(
        data.count(json.dumps(name).encode()) > table.height for name in table.columns
    ):
        _records_of(data)
    return table


def _no_json(data: bytes, where: str, unit: str, error: Exception) -> ReadError:
    """Name the first line that is no JSON record, or holds a score or grade that is no number."""
    if isinstance(error, RepeatedNameError) and not is_json_lines(data):
        return ReadError(f"{where}: expected JSON without repeated names, found {error}")
    for number, line in enumerate(data.splitlines(), 1):
        expected, why, shown = "", "", line[:80].decode("utf-8", "backslashreplace")
        try:
            record = load_json(line) if line.strip() else {}
            if isinstance(record, dict):
                texts = {name: record[name] for name in record if name in _NUMBERS}
                for name, value in texts.items():
                    expected, shown = f"a number as {name}", str(value)[:80]
                    float(0 if value is None else value)
                continue
            expected = "a record in braces"
        except (ValueError, TypeError, RecursionError) as wrong:
            expected, why = expected or "JSON", "" if expected else f" ({wrong})"
        return ReadError(f"{where}, {unit} {number}: expected {expected}, found {shown!r}{why}")
    return ReadError(f"{where}: cannot be read as JSON records ({in_one_line(error)})")
