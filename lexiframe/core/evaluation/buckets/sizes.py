"""How large runs and judgments are, how much memory is allowed, and how many buckets that needs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from lexiframe.core.base import LexiframeError, memory_use, shown
from lexiframe.core.io import batches

BYTES_PER_ROW = 350
"""The memory that a row of a run takes at most while its bucket is evaluated."""
BYTES_PER_RANK = 12
"""The memory of a judged item in a run, while its rank is found and scores are computed."""
BASE = 250_000_000
"""The memory that Python, Polars and PyArrow take without any data."""
KEPT = 0.2
"""The share of the memory allowed that is left to what allocators keep of what was freed."""
UNKNOWN = 10_000_000
"""The rows that a stream is taken to have, whose length nobody knows before it is read."""
_MOST = 1 << 15
_UNEVEN = 1.25  # the largest bucket has more rows than an average one
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def parse_memory(memory: str | float) -> int:
    """Return an amount of memory in bytes.

    ``memory`` is a number of bytes, or text: a number with the unit ``kB``, ``MB``, ``GB`` or
    ``TB`` (powers of 1000), or ``KiB``, ``MiB``, ``GiB`` or ``TiB`` (powers of 1024).
    """
    if isinstance(memory, bool) or not isinstance(memory, str | int | float):
        raise TypeError(f"memory: expected a size such as '4GB', found {shown(memory)}")
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?i?)b?\s*", str(memory).lower())
    units = _UNITS | _BINARY
    has_unit = found is not None and found[2] in units and not str(memory).strip()[-1].isdigit()
    if isinstance(memory, str) and not has_unit:
        raise LexiframeError(
            f"memory: expected a size such as '4GB' or '500MB', found {shown(memory)}"
        )
    number = float(found[1]) * units[found[2]] if isinstance(memory, str) and found else memory
    size = float(number)
    if not 1 <= size < math.inf:
        raise LexiframeError(f"memory: expected a positive number of bytes, found {shown(memory)}")
    return int(size)


def memory_allowed(memory: str | float | None) -> int:
    """Return the bytes that may be taken: the user's limit, or four fifths of the free ones."""
    if memory is not None:
        return parse_memory(memory)
    there = memory_use.available()
    return 2**62 if there is None else there * 4 // 5


def is_small(sources: batches.Sources, memory: int, *, was_told: bool) -> bool:
    """Return whether runs and judgments can be evaluated at once in the memory allowed.

    Data of unknown size cannot, if the user ``was_told`` to keep to an amount of memory; else
    objects of other libraries, which are in memory already, count as small.
    """
    units = [*sources.runs, *sources.qrels]
    if not was_told:
        units = [unit for unit in units if unit.rows() is not None or unit.alone]
    is_known = all(unit.rows() is not None for unit in units)
    return n_rows(units) * BYTES_PER_ROW <= room_in(memory) and (is_known or not was_told)


def can_be_ranked_at_once(sources: batches.Sources, memory: int) -> bool:
    """Return whether the ranks of the judged items fit in the memory allowed, for all runs.

    The runs are then read one file at a time, two files at once.
    """
    units = sources.runs
    if any(batches.is_query(unit.origin) for unit in units):
        return False
    counts = [unit.rows() or UNKNOWN for unit in units]
    judged = n_rows(sources.qrels)
    needed = BYTES_PER_RANK * judged * len(units) + 2 * BYTES_PER_ROW * max(counts, default=0)
    return len(units) > 1 and needed <= room_in(memory)


def n_rows(units: Iterable[batches.Unit]) -> int:
    """Count or estimate the rows of units, without reading them, and add them up.

    Parquet files, frames, data sets and queries are counted; the rows of text are estimated from
    the size of the file and its first lines.
    """
    counts = [unit.rows() for unit in units]
    return sum(UNKNOWN if n is None else n for n in counts)


def room_in(memory: int) -> int:
    """Return the bytes for data: the memory allowed, less the share of libraries and allocators."""
    return max(round(memory * (1 - KEPT)) - BASE, memory // 4, 1)


def n_buckets(rows: int, memory: int) -> int:
    """Return the number of buckets for rows, so that each can be evaluated in the memory."""
    needed = math.ceil(rows * BYTES_PER_ROW * _UNEVEN / room_in(memory))
    return min(max(needed, 1), _MOST, max(rows, 1))
