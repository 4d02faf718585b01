"""Values of JSON that know where they stand, so that an error names file, line and key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lexiframe.base import Problem, ReadError, shown
from lexiframe.io import File


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

    def elements(self, key: str) -> Iterator[Value]:
        """Yield the elements of a list behind a key, none where there is no such key."""
        return self[key].each() if self.has(key) else iter(())

    def name(self) -> str:
        """Return an id or a text as text."""
        if not isinstance(self.data, str | int) or isinstance(self.data, bool) or self.data == "":
            raise self.wrong("a text that is not empty")
        return str(self.data)

    def flag(self) -> bool:
        """Return True or False."""
        if not isinstance(self.data, bool):
            raise self.wrong("true or false")
        return self.data


def records_of(file: File) -> Iterator[Value]:
    """Yield the records of a file: those of its lines or of its list, or the whole file."""
    text = file.content("judgments of answers").data.decode("utf-8", "replace")
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    whole = Problem(str(file), "", "")
    if len(lines) == 1 or not _are_records([line for _, line in lines]):
        value = _parsed(text, whole, 0)
        several = value if isinstance(value, list) else [value]
        at = (f"record {n}" if isinstance(value, list) else "" for n in range(1, 1 + len(several)))
        yield from (Value(x, replace(whole, at=one)) for x, one in zip(several, at, strict=True))
    else:
        for n, line in lines:
            yield Value(_parsed(line, whole, n), replace(whole, line=n))


def _are_records(lines: list[str]) -> bool:
    """Return whether most lines are objects, even if some are broken."""
    return sum(line.strip().startswith("{") and len(line.strip()) > 1 for line in lines) > (
        len(lines) / 2
    )


def _parsed(text: str, place: Problem, line: int) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        where = line or getattr(error, "lineno", None)
        found = f"{shown(text.strip()[:40])} ({getattr(error, 'msg', error)})"
        advice = "mend it, or leave it out"
        raise ReadError(
            replace(place, expected="JSON", found=found, line=where, advice=advice)
        ) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found
