"""JSON member by member: the records of lines and lists, and the queries of an object.

Each line is parsed by itself, so all broken lines are found. A list or an object is parsed up to
the first place that is not JSON: behind it, it is not known where the next member begins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lexiframe.core.base import Problem
from lexiframe.core.io.problems.advice import NO_JSON, TWO_OBJECTS, TWO_RECORDS
from lexiframe.core.io.text.json_values import (
    AS_IT_IS,
    DECODERS,
    OF_ANY_LENGTH,
    RepeatedNameError,
    half_character,
    load_json,
)

_BLANKS = re.compile(r"[ \t\r\n]*")
_SHOWN = 80
_PARSE_ERRORS = (ValueError, RecursionError)


def _load_value(text: str, *, exact: bool) -> Any:
    try:
        return load_json(text, exact=exact)
    except (json.JSONDecodeError, RepeatedNameError, UnicodeError):
        raise
    except ValueError:  # of a whole number, or of half a character, which is found again
        return load_json(text, exact=exact, any_length=True)


@dataclass
class Members:
    """The members of a file: records of lines or a list, or the queries of an object.

    ``places`` has the line of each member, or its number in the list or object, from 1.
    """

    values: list[Any] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  # sorts members among the file's problems
    names: list[str | None] = field(default_factory=list)  # the queries; None for records
    problems: list[Problem] = field(default_factory=list)  # of text that is no member


def members_of_lines(text: str, where: str, first: int = 1, *, exact: bool = False) -> Members:
    r"""Parse each line as a record; ``first`` is the number of the first line."""
    members, has_halves = Members(), r"\ud" in text.lower()
    scan = DECODERS[exact].scan_once  # type: ignore[attr-defined]
    for line, record in enumerate(text.split("\n"), first):
        try:  # most lines are one record from end to end, for which this is enough
            value, end = scan(record, 0)
            is_whole = end == len(record) and not has_halves
        except (StopIteration, *_PARSE_ERRORS):
            is_whole = False
        if is_whole:
            members.values.append(value)
            members.places.append(line)
        elif record.strip():
            _add_line(members, record, where, line, exact=exact)
    members.order, members.names = [*members.places], [None] * len(members.places)
    return members


def _add_line(members: Members, record: str, where: str, line: int, *, exact: bool) -> None:
    try:
        members.values.append(_load_value(record, exact=exact))
        members.places.append(line)
    except _PARSE_ERRORS as error:
        problem = replace(_problem_of_text(where, error, record), line=line, order=line)
        if getattr(error, "msg", "") == "Extra data":
            problem = replace(problem, advice=TWO_RECORDS)
        members.problems.append(problem)


def members_of(text: str, where: str, *, exact: bool = False) -> Members:
    """Parse a list or an object as a whole; if that fails, member by member to find the problem."""
    try:
        whole = _load_value(text, exact=exact)
    except _PARSE_ERRORS:
        return members_one_by_one(text, where)
    places = [*range(1, len(whole) + 1)]
    if isinstance(whole, dict):
        return Members([*whole.values()], places, places, [*whole])
    return Members(whole, places, places, [None] * len(whole))


def members_one_by_one(text: str, where: str) -> Members:
    r"""Parse a list or an object up to the first place that is not JSON, the last of its problems.

    Repeated names and unpaired surrogates are problems too, but parsing goes on behind them.
    """
    members, names = Members(), set[str | None]()
    start = _behind_blanks(text, 0)
    closing = {"[": "]", "{": "}"}.get(text[start : start + 1])
    if closing is None:  # the beginning of the file is lost
        members.problems.append(_problem_of_text(where, ValueError("Expecting value"), text, start))
        return members
    has_halves = r"\ud" in text.lower()
    place, at = 0, _behind_blanks(text, start + 1)
    at = -1 if text[at : at + 1] == closing else at
    try:
        while at >= 0:
            place += 1
            name, begin = _field_name(text, at) if closing == "}" else (None, at)
            value, end, twins = _parse_value(text, begin)
            twins += [name] if name is not None and name in names else []
            names.add(name)
            half = half_character((name, value)) if has_halves else ""
            members.problems += _problems_of_member(where, twins, half, name, place, at)
            if not half and (name is not None or not twins):
                members.values.append(value)
                members.places.append(place)
                members.order.append(at)
                members.names.append(name)
            at = _next(text, end, closing)
    except _PARSE_ERRORS as error:
        members.problems.append(_problem_of_text(where, error, text, at))
    return members


def _behind_blanks(text: str, at: int) -> int:
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]


def _field_name(text: str, at: int) -> tuple[str, int]:
    """Parse the name of a field; return it and where its value begins."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name in double quotes", text, at)
    name, end = AS_IT_IS.raw_decode(text, at)
    colon = _behind_blanks(text, end)
    if text[colon : colon + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, colon)
    return name, _behind_blanks(text, colon + 1)


def _parse_value(text: str, at: int) -> tuple[Any, int, list[str]]:
    """Parse a value; return it, where it ends, and the names that are repeated in an object."""
    try:
        return *OF_ANY_LENGTH[True].raw_decode(text, at), []
    except RepeatedNameError as error:
        return *AS_IT_IS.raw_decode(text, at), error.names


def _next(text: str, end: int, closing: str) -> int:
    """Return where the next member begins, or -1 after the last one."""
    at = _behind_blanks(text, end)
    if text[at : at + 1] == ",":
        return _behind_blanks(text, at + 1)
    if text[at : at + 1] != closing:
        raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    rest = _behind_blanks(text, at + 1)
    if rest < len(text):
        raise json.JSONDecodeError("Extra data", text, rest)
    return -1


# --- What is wrong with them --------------------------------------------------------------------


def _problem_of_text(where: str, error: Exception, text: str, at: int = 0) -> Problem:
    """Describe text that is not JSON, with the line where the parser stops."""
    if isinstance(error, RepeatedNameError):
        return _repeated_names(where, str(error))
    pos, reason = at, str(error)
    if isinstance(error, json.JSONDecodeError):
        pos, reason = error.pos, error.msg
    line, begin = text.count("\n", 0, pos) + 1, text.rfind("\n", 0, pos) + 1
    found = f"{text[begin : begin + _SHOWN].partition(chr(10))[0]!r} ({reason})"
    advice = TWO_OBJECTS if reason == "Extra data" else NO_JSON
    expected = "JSON" if advice == NO_JSON else "nothing behind the first object or list"
    return Problem(where, expected, found, advice, "fields", line, order=pos)


def _repeated_names(where: str, found: str) -> Problem:
    return Problem(where, "JSON without repeated names", found, "rename one", "fields")


def _problems_of_member(
    where: str, twins: list[str], half: str, name: str | None, place: int, order: int
) -> Iterator[Problem]:
    """Describe repeated names (Python would keep one only), and an unpaired surrogate."""
    at = f"record {place}" if name is None else ""
    for twin in dict.fromkeys(twins):
        whose = f" (query {name!r})" if name not in (None, twin) else ""
        problem = _repeated_names(where, f"two fields are named {twin!r}")
        yield replace(problem, at=at, behind=whose, order=order)
    if half:
        yield Problem(where, "JSON", half, NO_JSON, "fields", at=at, order=order)
