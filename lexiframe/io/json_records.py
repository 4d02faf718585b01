"""Records of JSON one by one: parsed without a loss, and what is wrong with each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from lexiframe.io.dialects import DIALECTS, candidates_for
from lexiframe.io.problems import undecodable
from lexiframe.schemas import PROBLEMS

_IDS = ("run", "query_id", "doc_id")
_NUMBERS = {name for ours in ("score", "relevance") for name in DIALECTS[ours]}
_SHOWN = 80


class RepeatedNameError(ValueError):
    """An object of JSON has two fields of one name."""


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
    lexiframe.io.json_records.RepeatedNameError: two fields are named 'd1'
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


def records_of_lines(data: bytes) -> list[Any]:
    """Parse every line that is not empty."""
    return [load_json(line) for line in data.splitlines() if line.strip()]


@dataclass(frozen=True)
class CheckedRecords:
    """Records of JSON.

    Attributes
    ----------
    good
        Those that are in order, a line each.
    places
        The line, or the record in a list, of each of them.
    problems
        Those of the others, as of `check_run`; in a list ``line`` counts records.
    """

    good: bytes
    places: list[int]
    problems: pl.DataFrame


def check_lines(data: bytes, where: str) -> CheckedRecords:
    r"""Check a record a line.

    Examples
    --------
    >>> checked = check_lines(b'{"qid": 7}\n\n{"qid": \n{"qid": true}\n', "a.jsonl")
    >>> checked.places, checked.problems.select("line", "problem").rows()
    ([1], [(3, 'fields'), (4, 'id')])
    """
    lines = ((place, line) for place, line in enumerate(data.splitlines(), 1) if line.strip())
    return _checked(((place, _problem_of_line(line), line) for place, line in lines), where)


def check_list(records: list[Any], where: str) -> CheckedRecords:
    """Check a list of records; a place is that of the record in the list."""
    texts = ((place, record, json.dumps(record)) for place, record in enumerate(records, 1))
    found = ((place, _problem_of_record(r, text), text.encode()) for place, r, text in texts)
    return _checked(found, where)


def _checked(
    records: Iterator[tuple[int, tuple[str, str, str] | None, bytes]], where: str
) -> CheckedRecords:
    good, places, bad = [], [], []
    for place, problem, text in records:
        if problem is None:
            good.append(text)
            places.append(place)
        else:
            bad.append((where, place, *problem, ""))
    problems = pl.DataFrame(bad, schema=PROBLEMS.columns, orient="row")
    return CheckedRecords(b"\n".join(good), places, problems)


def _problem_of_line(line: bytes) -> tuple[str, str, str] | None:
    """Say the problem of a line, what was expected and what was found; None when it has none."""
    bad_bytes = undecodable(line).get(1)
    if bad_bytes is not None:
        return "encoding", "UTF-8 text", f"the bytes {bad_bytes}"
    text = line.decode()
    try:
        record = load_json(text)
    except (ValueError, RecursionError) as error:
        return "fields", "JSON", f"{text[:_SHOWN]!r} ({error})"
    return _problem_of_record(record, text)


def _problem_of_record(record: Any, text: str) -> tuple[str, str, str] | None:
    if not isinstance(record, dict):
        return "fields", "a record in braces", repr(text[:_SHOWN])
    lists = [value for value in record.values() if isinstance(value, list)]
    items = [item for values in lists for item in values if isinstance(item, dict)]
    problems = (_problem_of_fields(fields) for fields in (record, *items))
    return next((problem for problem in problems if problem), None)


def _problem_of_fields(fields: dict[str, Any]) -> tuple[str, str, str] | None:
    for ours in _IDS:
        name = next(iter(candidates_for(DIALECTS[ours], list(fields))), None)
        if name is not None and not may_be_id(fields[name]):
            found = json.dumps(fields[name])[:_SHOWN]
            return "id", f"text or a whole number as {name}", found
    for name in fields.keys() & _NUMBERS:
        try:
            float(0 if fields[name] is None else fields[name])
        except (ValueError, TypeError, OverflowError):
            return "number", f"a number as {name}", repr(str(fields[name])[:_SHOWN])
    return None


def may_be_id(value: Any) -> bool:
    """Tell text and whole numbers, which are read as text, from what is refused as an id."""
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))
