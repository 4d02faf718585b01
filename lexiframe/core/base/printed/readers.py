"""The readers of printed text: at a terminal, or in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Reader = Literal["python", "terminal"]

_reader: ContextVar[Reader] = ContextVar("reader", default="python")


@contextmanager
def written_for(reader: Reader) -> Iterator[None]:
    """Write for this reader: advice names options in the terminal, and functions in Python."""
    token = _reader.set(reader)
    try:
        yield
    finally:
        _reader.reset(token)


def advice(*, python: str = "", terminal: str = "") -> str:
    """Return the advice in the form for the reader; "" if the reader cannot follow it."""
    return python if _reader.get() == "python" else terminal
