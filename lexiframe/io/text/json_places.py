"""Values of JSON that know where they stand, so that an error names file, line and key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lexiframe.base import Problem, ReadError, shown
from lexiframe.io.text.json_values import load_json


@dataclass(frozen=True)
class Value:
    """A value of JSON; ``place`` has its file and line, and ``keys`` lead to it from there.

    Examples
    --------
    >>> record = Value({"nuggets": [{"text": 7}]}, Problem("a.jsonl", "", "", line=2))
    >>> str(next(record["nuggets"].each())["text"].wrong("a text"))
    'a.jsonl, line 2: expected a text, found 7 at nuggets[0].text'
    """

    data: Any
    place: Problem
    keys: str = ""

    def wrong(self, expected: str, advice: str = "", found: str | None = None) -> ReadError:
        """Return the error for a value that is not what was expected."""
        at = f" at {self.keys}" if self.keys else ""
        found = shown(self.data) if found is None else found
        return ReadError(
            replace(self.place, expected=expected, found=found, behind=at, advice=advice)
        )

    @property
    def where(self) -> str:
        """The file and the line, in words."""
        return str(replace(self.place, found="")).removesuffix(": ")

    def has(self, path: str) -> bool:
        """Return whether there is something else than null behind keys with dots between them."""
        value: Any = self.data
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value is not None

    def __getitem__(self, path: str) -> Value:
        if not self.has(path):
            found = ", ".join(self.data) if isinstance(self.data, dict) else shown(self.data)
            raise self.wrong(f"the key {path}", found=found or "none")
        value, keys = self.data, [self.keys] if self.keys else []
        for key in path.split("."):
            value = value[key]
        return Value(value, self.place, ".".join([*keys, path]))

    def each(self) -> Iterator[Value]:
        """Yield the elements of a list."""
        if not isinstance(self.data, list):
            raise self.wrong("a list")
        yield from (Value(x, self.place, f"{self.keys}[{n}]") for n, x in enumerate(self.data))

    def members(self) -> Iterator[tuple[str, Value]]:
        """Yield the members of an object with their keys."""
        if not isinstance(self.data, dict):
            raise self.wrong("an object")
        yield from ((k, Value(x, self.place, f"{self.keys}[{k!r}]")) for k, x in self.data.items())

    def elements(self, key: str) -> Iterator[Value]:
        """Yield the elements of a list behind a key, none where there is no such key."""
        return self[key].each() if self.has(key) else iter(())

    def name(self) -> str:
        """Return an id or a text as text."""
        if not isinstance(self.data, str | int) or isinstance(self.data, bool) or self.data == "":
            raise self.wrong("a text that is not empty")
        return str(self.data)

    def number(self) -> float:
        """Return a number."""
        if not isinstance(self.data, int | float) or isinstance(self.data, bool):
            raise self.wrong("a number")
        return self.data

    def flag(self) -> bool:
        """Return True or False."""
        if not isinstance(self.data, bool):
            raise self.wrong("true or false")
        return self.data


def values_of_lines(data: bytes, where: str) -> Iterator[Value]:
    """Yield the value of each line that is not empty."""
    for n, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if line.strip():
            yield Value(_parsed(line, Problem(where, "", ""), n), Problem(where, "", "", line=n))


def records_of(data: bytes, where: str) -> Iterator[Value]:
    """Yield the records of a file: those of its lines or of its list, or the whole file."""
    lines = [line.strip() for line in data.split(b"\n") if line.strip()]
    n_records = sum(line.startswith((b"{", b"[[", b'["')) and len(line) > 1 for line in lines)
    if len(lines) > 1 and n_records > len(lines) / 2:  # even if some are broken
        yield from values_of_lines(data, where)
        return
    value = _parsed(data.decode("utf-8", "replace"), Problem(where, "", ""))
    if isinstance(value, list):
        places = (Problem(where, "", "", at=f"record {n}") for n in range(1, len(value) + 1))
        yield from map(Value, value, places)
    else:
        yield Value(value, Problem(where, "", ""))


def _parsed(text: str, place: Problem, line: int | None = None) -> Any:
    try:
        return load_json(text)
    except (ValueError, RecursionError) as error:
        at = line or getattr(error, "lineno", None)
        found = f"{shown(text.strip()[:40])} ({getattr(error, 'msg', error)})"
        advice = "mend it, or leave it out"
        raise ReadError(
            replace(place, expected="JSON", found=found, line=at, advice=advice)
        ) from None
