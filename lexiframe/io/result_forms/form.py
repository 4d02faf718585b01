"""What a form of results is: how its files are called and read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lexiframe.base import Problem, ReadError, errors


class Result(NamedTuple):
    """One score in a file: of a run in a collection, or in a request of it.

    ``version`` orders repeated measurements of a run: the greatest is the newest; ``replicate`` is
    what the tool calls them.
    """

    run: str
    collection: str
    query_id: str | None
    measure: str
    value: Any
    replicate: str
    version: tuple[Any, ...]


@dataclass(frozen=True)
class ResultForm:
    """A form of results: one module in `lexiframe.io.result_forms` declares it.

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


def parsed(path: Path, tool: str) -> Any:
    """Return what a file of JSON holds; raise ReadError if it cannot be read."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ReadError(Problem(str(path), "", f"cannot be read ({error.strerror})")) from None
    except ValueError as error:
        found = f"no JSON ({errors.in_one_line(error)})"
        raise ReadError(Problem(str(path), f"results of {tool}", found)) from None


def refuse_other(path: Path, tool: str, expected: str, found: str) -> ReadError:
    """Return the error for a file that is called like results but is not."""
    return ReadError(Problem(str(path), f"{expected}, as {tool} writes it", found))
