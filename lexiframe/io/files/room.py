"""How much memory a file may take, and how much a table takes."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pyarrow as pa

from lexiframe.base import Problem, ReadError

RATIO = "LEXIFRAME_UNPACK_RATIO"
"""The environment variable that limits the unpacked size to this many times the packed one."""
_RATIO = 100.0
_ROOM = 1 << 30  # a file may always unpack to this many bytes
LEAST = 8
"""The bytes in memory that a value needs at least: a number, or the offset of a text."""


def room_for(size: int) -> float:
    """Return the number of bytes that a file of ``size`` bytes may take in memory."""
    setting = os.environ.get(RATIO, _RATIO)
    try:
        ratio = float(setting)
    except ValueError:
        ratio = math.nan
    if not ratio > 0:
        raise ReadError(f"{RATIO}: expected a positive number or inf, found {setting!r}")
    return max(_ROOM, ratio * max(size, 1))


def too_much(where: str, size: int, what: str = "file") -> ReadError:
    """Build the error for a file, or part of one, that would fill the memory."""
    found = f"the {size:,} bytes of the {what} hold far more than data of this kind ever do"
    advice = f"it would fill the memory; if you trust it, set {RATIO}=inf in the environment"
    return ReadError(Problem(where, "", found, advice))


def size_in_rows(table: pa.Table | pa.RecordBatch, room: float = math.inf) -> float:
    """Return the bytes of a valid table if each value stood in its row; inf if far above ``room``.

    Arrow keeps a text that many rows have once: in dictionaries, views, run lengths and lists.

    Examples
    --------
    >>> coded = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), ["x" * 1000])
    >>> coded.nbytes < 6000, size_in_rows(pa.table({"doc_id": coded}))
    (True, 1008000.0)
    """
    chunks = (chunk for column in table.columns for chunk in getattr(column, "chunks", [column]))
    return sum(_size(chunk, np.ones(1), room) for chunk in chunks)


def _size(array: Any, times: np.ndarray, room: float) -> float:
    """Return the bytes of an array of which each element occurs so many ``times``."""
    kind, n = array.type, len(array)
    if n * LEAST > room:
        return math.inf
    times = np.broadcast_to(times, n)
    if isinstance(array, pa.ExtensionArray):
        return _size(array.storage, times, room)
    if pa.types.is_dictionary(kind):
        codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        is_text = array.is_valid().to_numpy(zero_copy_only=False)
        counts = np.bincount(codes, times * is_text, len(array.dictionary))[: len(array.dictionary)]
        return _size(array.dictionary, counts, room)
    if pa.types.is_run_end_encoded(kind):
        first, count = array.find_physical_offset(), array.find_physical_length()
        ends = array.run_ends.to_numpy()[first : first + count].astype(np.int64) - array.offset
        until = np.concatenate([[0.0], np.cumsum(times)])[np.minimum(ends, n)]
        return _size(array.values.slice(first, count), np.diff(until, prepend=0.0), room)
    size = float(times.sum()) * LEAST
    if any(is_of(kind) for is_of in _LISTS):
        offsets = array.offsets.to_numpy().astype(np.int64)
        starts = offsets[:n]
        ends = starts + array.sizes.to_numpy() if hasattr(array, "sizes") else offsets[1:]
        values = array.values
        steps = np.zeros(len(values) + 1)
        np.add.at(steps, starts, times)
        np.subtract.at(steps, ends, times)
        return size + _size(values, np.cumsum(steps)[:-1], room)
    if pa.types.is_fixed_size_list(kind):
        if n * kind.list_size * LEAST > room:
            return math.inf
        values = array.values.slice(array.offset * kind.list_size, n * kind.list_size)
        return size + _size(values, np.repeat(times, kind.list_size), room)
    if pa.types.is_struct(kind):
        return size + sum(_size(field, times, room) for field in array.flatten())
    if any(is_of(kind) for is_of in _VIEWS):
        views = np.frombuffer(array.buffers()[1], np.int32)[4 * array.offset :][: 4 * n : 4]
        return size + float(times @ views)
    if any(is_of(kind) for is_of in _TEXTS):
        import pyarrow.compute as pc  # takes long to load, and few files need it

        return size + float(times @ pc.binary_length(array).fill_null(0).to_numpy())
    if pa.types.is_fixed_size_binary(kind):
        return size + float(times.sum() * kind.byte_width)
    return max(size, float(array.nbytes))


_LISTS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_map,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)
_VIEWS = (pa.types.is_string_view, pa.types.is_binary_view)
_TEXTS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
)
