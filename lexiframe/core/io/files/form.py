"""The forms of files: their beginnings, their readers and their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa

Batch: TypeAlias = pa.Table | pa.RecordBatch
LEAST = 8
"""The bytes in memory that a value needs at least: a number, or the offset of a text."""


class Opened(NamedTuple):
    """A file that was opened: its columns, and a function that reads its rows.

    The function is given the names of the columns that are needed and the number of rows of a
    batch; None is all, in one batch where that is faster. It may return more columns and rows, and
    is called again to read the rows from the first one on.
    ``n_bytes`` is how much memory the table takes at least, if that is known before it is read.
    ``fits`` says whether some columns, or all, take at most so many bytes when each value stands in
    its row, before this memory is taken; what it lets pass is measured again when it was read.
    ``frame`` reads some columns from the bytes of the whole file straight into Polars, where that
    is safe and faster; it returns None where they would take more than so many bytes. ``distinct``
    yields the distinct values, in stretches of rows, of a column of text or whole numbers, and
    ``has_few`` says whether its first rows have some, but no more than a number of these.
    """

    schema: pa.Schema
    batches: Callable[[list[str] | None, int | None], Iterator[Batch]]
    n_bytes: int | None = None
    fits: Callable[[list[str] | None, float], bool] = lambda _columns, _room: True
    frame: Callable[[bytes, list[str], float], pl.DataFrame | None] | None = None
    distinct: Callable[[str], Iterator[pa.Array]] = lambda _: iter(())
    has_few: Callable[[str, int], bool] = lambda _name, _most: False


@dataclass(frozen=True)
class Form:
    """A form of file that is no text: one module in `lexiframe.core.io.forms` declares it.

    A file has this form if it begins with one of ``magic``. ``open`` is given the file and what
    error messages call it. ``n_rows`` counts the rows without reading them. ``spark`` are the
    options with which Spark reads the form; None if it does not.
    """

    name: str  # what error messages call it
    endings: tuple[str, ...]
    magic: tuple[bytes, ...]
    open: Callable[[pa.NativeFile, str], Opened]
    n_rows: Callable[[pa.NativeFile], int] | None = None
    spark: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class TextForm:
    """A form of text, which is recognised by its lines; `core.io.parsing` chooses a reader."""

    name: str
    endings: tuple[str, ...]
    spark: Mapping[str, Any] | None = None


TREC = TextForm("TREC text", (".trec", ".run", ".runs", ".res", ".results", ".txt"))
TEXT_FORMS = (
    TREC,
    TextForm("CSV", (".csv",), {"format": "csv", "header": True}),
    TextForm("TSV", (".tsv",), {"format": "csv", "header": True, "sep": "\t"}),
    TextForm("RecBole's table", (".inter",)),
    TextForm("JSON", (".json", ".jsonl"), {"format": "json"}),
    TextForm("JSON lines", (".ndjson",)),  # read by the driver, which names the run like the file
)


def size_in_rows(table: Batch, room: float = math.inf) -> float:
    """Return the bytes of a valid table if each value stood in its row; inf if far above ``room``.

    Arrow keeps a text that many rows have once: in dictionaries, views, run lengths and lists.
    """
    chunks = (chunk for column in table.columns for chunk in getattr(column, "chunks", [column]))
    return sum(_array_bytes(chunk, np.ones(1), room) for chunk in chunks)


def _array_bytes(array: Any, times: np.ndarray, room: float) -> float:
    """Return the bytes of an array in which element i occurs ``times[i]`` times."""
    kind, n = array.type, len(array)
    if n * LEAST > room:
        return math.inf
    times = np.broadcast_to(times, n)
    if isinstance(array, pa.ExtensionArray):
        return _array_bytes(array.storage, times, room)
    if pa.types.is_dictionary(kind):
        codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        is_text = array.is_valid().to_numpy(zero_copy_only=False)
        counts = np.bincount(codes, times * is_text, len(array.dictionary))[: len(array.dictionary)]
        return _array_bytes(array.dictionary, counts, room)
    if pa.types.is_run_end_encoded(kind):
        first, count = array.find_physical_offset(), array.find_physical_length()
        ends = array.run_ends.to_numpy()[first : first + count].astype(np.int64) - array.offset
        until = np.concatenate([[0.0], np.cumsum(times)])[np.minimum(ends, n)]
        return _array_bytes(array.values.slice(first, count), np.diff(until, prepend=0.0), room)
    size = float(times.sum()) * LEAST
    if any(is_of(kind) for is_of in _LISTS):
        offsets = array.offsets.to_numpy().astype(np.int64)
        ends = offsets[:n] + array.sizes.to_numpy() if hasattr(array, "sizes") else offsets[1:]
        steps = np.zeros(len(array.values) + 1)
        np.add.at(steps, offsets[:n], times)
        np.subtract.at(steps, ends, times)
        return size + _array_bytes(array.values, np.cumsum(steps)[:-1], room)
    if pa.types.is_fixed_size_list(kind):
        if n * kind.list_size * LEAST > room:
            return math.inf
        values = array.values.slice(array.offset * kind.list_size, n * kind.list_size)
        return size + _array_bytes(values, np.repeat(times, kind.list_size), room)
    if pa.types.is_struct(kind):
        return size + sum(_array_bytes(field, times, room) for field in array.flatten())
    return _flat_bytes(array, times, size)


def _flat_bytes(array: Any, times: np.ndarray, size: float) -> float:
    """Return the bytes of an array of texts or numbers, at least ``size``."""
    kind, n = array.type, len(array)
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
