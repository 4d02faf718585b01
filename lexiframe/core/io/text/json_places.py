"""Values of JSON that know where they stand, so that an error names file, line and key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lexiframe.core.base import Problem, ReadError, shown
from lexiframe.core.io.text.json_values import load_json

if TYPE_CHECKING:
    from lexiframe.core.io.files.data_sources import File


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
        """Return the error for an unexpected value."""
        at = f" at {self.keys}" if self.keys else ""
        found = shown(self.data) if found is None else found
        return ReadError(
            replace(self.place, expected=expected, found=found, behind=at, advice=advice)
        )

    @property
    def where(self) -> str:
        """The file and the line, in words."""
        return str(replace(self.place, found="")).removesuffix(": ")

    def has(self, key: str) -> bool:
        """Return whether there is something else than null behind a key."""
        return isinstance(self.data, dict) and self.data.get(key) is not None

    def __getitem__(self, key: str) -> Value:
        if isinstance(self.data, dict) and key in self.data and not self.has(key):
            raise self.get(key).wrong("a value", found="null")
        if not self.has(key):
            found = ", ".join(self.data) if isinstance(self.data, dict) else shown(self.data)
            raise self.wrong(f"the key {key}", found=found or "none")
        return self.get(key)

    def get(self, key: str, default: Any = None) -> Value:
        """Return the value of a key, or the default where nothing or null is there."""
        found = self.data[key] if self.has(key) else default
        return Value(found, self.place, f"{self.keys}.{key}".lstrip("."))

    def each(self) -> Iterator[Value]:
        """Yield the elements of a list."""
        elements = enumerate(self._checked_data(list, "a list"))
        yield from (Value(x, self.place, f"{self.keys}[{n}]") for n, x in elements)

    def members(self) -> Iterator[tuple[str, Value]]:
        """Yield the members of an object with their keys."""
        members = self._checked_data(dict, "an object").items()
        yield from ((key, Value(x, self.place, f"{self.keys}[{key!r}]")) for key, x in members)

    def name(self) -> str:
        """Return an id or a text as text."""
        if self.data == "":
            raise self.wrong("a text that is not empty")
        return str(self._checked_data(str | int, "a text"))

    def number(self) -> float:
        """Return a number."""
        return float(self._checked_data(int | float, "a number"))

    def flag(self) -> bool:
        """Return True or False."""
        return bool(self._checked_data(bool, "true or false"))

    def _checked_data(self, kind: Any, expected: str) -> Any:
        if not isinstance(self.data, kind) or (isinstance(self.data, bool) and kind is not bool):
            raise self.wrong(expected)
        return self.data


def values_of_lines(data: bytes, where: str) -> Iterator[Value]:
    """Yield the value of each line that is not empty."""
    for n, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield _parsed(line, Problem(where, "", "", line=n))


def records_of(file: File, what: str) -> Iterator[Value]:
    """Yield the records of a file: of its lines, of its list, or the whole file."""
    data, where = file.content(what).data, str(file)
    lines = [line.strip() for line in data.split(b"\n") if line.strip()]
    n_records = sum(line.startswith((b"{", b"[[", b'["')) and len(line) > 1 for line in lines)
    if len(lines) > 1 and n_records > len(lines) / 2:  # even if some are broken
        yield from values_of_lines(data, where)
        return
    whole = _parsed(data, Problem(where, "", ""))
    several = whole.data if isinstance(whole.data, list) else [whole.data]
    for n, value in enumerate(several, 1):
        at = f"record {n}" if several is whole.data else ""
        yield Value(value, Problem(where, "", "", at=at))


def _parsed(text: bytes, place: Problem) -> Value:
    try:
        return Value(load_json(text.decode().rstrip()), place)
    except (ValueError, RecursionError) as error:
        line = place.line or getattr(error, "lineno", None)
        found = f"{shown(text.decode(errors='replace').strip()[:40])} ({error})"
        advice = "mend it, or leave it out"
        raise ReadError(
            replace(place, expected="JSON", found=found, line=line, advice=advice)
        ) from None
