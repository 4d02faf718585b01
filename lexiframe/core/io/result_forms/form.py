"""The forms of results: their file names and readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lexiframe.core.base import Problem, ReadError, errors, shown
from lexiframe.core.io.files.unpacking import content_of
from lexiframe.core.io.problems.problem_tables import decoded
from lexiframe.core.io.text.json_values import load_json

_START = 200
"""The number of bytes in which the first name of a field stands."""
_KINDS: dict[type, str] = {dict: "fields", list: "a list", str: "text"}
"""What error messages call the values of JSON."""


class Part(NamedTuple):
    """The part of a collection that a score belongs to: a run's value is the mean of its subsets.

    ``split`` may also be how the collection was set: 5-shot, version 2. ``is_chosen`` says whether
    the subset is in the language that is asked for.
    """

    split: str
    subset: str
    is_chosen: bool


class Result(NamedTuple):
    """One score in a file: of a run in a collection, or in a request or a part of it.

    ``version`` orders repeated measurements of a run: the greatest is the newest; ``replicate`` is
    what the tool calls them. ``smaller_is_better`` is None where the file does not say it.
    """

    run: str
    collection: str
    query_id: str | None
    measure: str
    value: float | None
    replicate: str
    version: tuple[Any, ...]
    part: Part | None = None
    smaller_is_better: bool | None = None


@dataclass(frozen=True)
class ResultForm:
    """A form of results: one module in `lexiframe.core.io.result_forms` declares it.

    Attributes
    ----------
    name
        What error messages call it.
    is_named
        Whether a file is called as the tool calls its results.
    read
        From a file, and the language whose subsets count (None: all), to its scores; raise
        ReadError for a file that is not as the tool writes it.
    """

    name: str
    is_named: Callable[[Path], bool]
    read: Callable[[Path, str | None], Iterator[Result]]


@dataclass(frozen=True)
class Json:
    """A value of unknown type in a file of JSON: each access names the type it expects.

    ``at`` is the path to the value, for errors: ``scores.test.0``.
    """

    value: Any
    where: str
    tool: str
    at: str = ""

    def refused(self, expected: str, found: str | None = None) -> ReadError:
        """Return the error for a value that is not as the tool writes it."""
        place = f" in {self.at}" if self.at else ""
        found = shown(self.value) if found is None else found
        return ReadError(
            Problem(self.where, f"{expected}, as {self.tool} writes it", found + place)
        )

    def value_as(self, kind: type) -> Any:
        """Return the value, which has to be of a kind."""
        if not isinstance(self.value, kind):
            raise self.refused(_KINDS[kind])
        return self.value

    def __getitem__(self, name: str) -> Json:
        """Return a field of the value; one that is not there is null."""
        return self._inside(self.value_as(dict).get(name), name)

    def fields(self) -> Iterator[tuple[str, Json]]:
        """Return the names and values of the fields."""
        return ((name, self._inside(value, name)) for name, value in self.value_as(dict).items())

    def parts(self) -> Iterator[Json]:
        """Return the values of a list."""
        return (self._inside(value, str(n)) for n, value in enumerate(self.value_as(list)))

    def text(self) -> str:
        """Return a name: text that is not blank."""
        if not self.value_as(str).strip():
            raise self.refused("a name")
        return str(self.value)

    def number(self, whose: str = "", kinds: Any = int | float) -> float | None:
        """Return a finite number, which ``kinds`` may hold, or None where there is none."""
        value = self.value
        if value is None or value != value:
            return None
        try:
            number = float(value) if isinstance(value, kinds) else None
        except (OverflowError, ValueError):
            number = None
        if number is None or isinstance(value, bool) or abs(number) == float("inf"):
            found = f"{shown(value)}{whose or f' in {self.at}'}"
            raise ReadError(Problem(self.where, "a finite number as score", found))
        return number

    def _inside(self, value: Any, name: str) -> Json:
        return Json(value, self.where, self.tool, f"{self.at}.{name}" if self.at else name)


def begins_with(path: Path, beginning: re.Pattern[bytes]) -> bool:
    """Return whether the first bytes of a file match the beginning of a tool's files."""
    try:
        with path.open("rb") as file:
            return beginning.match(file.read(_START)) is not None
    except OSError:
        return False


def parsed(path: Path, tool: str) -> Json:
    """Return the content of a file of JSON; raise ReadError if it cannot be read."""
    return parsed_text(text_of(path, tool), str(path), tool)


def text_of(path: Path, tool: str) -> str:
    """Return the text of a file; raise ReadError if it cannot be read or is no text."""
    if not path.is_file():
        raise ReadError(Problem(str(path), f"a file, as {tool} writes it", "none"))
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReadError(Problem(str(path), "", f"cannot be read ({error.strerror})")) from None
    return decoded(content_of(data, str(path), f"results of {tool}").data, str(path))


def parsed_text(text: str, where: str, tool: str) -> Json:
    """Return the value of JSON text; raise ReadError for other text, and for a repeated field."""
    try:
        return Json(load_json(text), where, tool)
    except RecursionError:
        found = "no JSON (nested too deeply)"
    except ValueError as error:
        found = f"no JSON ({errors.one_line(error)})"
    raise ReadError(Problem(where, f"results of {tool}", found))
