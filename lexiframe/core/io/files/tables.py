"""Reading tables of every form but text, and making Arrow tables that other readers understand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from lexiframe.core.base import LexiframeError, Problem, ReadError, errors
from lexiframe.core.io.files.form import Batch, Form, Opened, size_in_rows
from lexiframe.core.io.files.packings import room_for, too_much


@contextmanager
def reading(where: str, kind: str) -> Iterator[None]:
    """Raise ReadError for the errors of Arrow, and of the types that pandas registers there."""
    try:
        yield
    except LexiframeError:
        raise
    except (
        pa.ArrowException,
        OSError,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
    ) as error:
        found = f"cannot be read as {kind} ({errors.one_line(error):.300})"
        raise ReadError(Problem(where, "", found, "fetch or write it again")) from None


def read_arrow(form: Form, data: bytes, where: str) -> pa.Table:
    """Read the bytes of a file that is no text into a table.

    The checksums in a Parquet file are verified: one for each page, if the writer added them, and
    one for the file, if lexiframe wrote it. Damage to other bytes may not be noticed.
    """
    with reading(where, form.name):
        opened = form.open(pa.BufferReader(data), where)
        tables = _within(room_for(len(data)), opened)
        if tables is None:
            raise too_much(where, len(data))
        table = pa.concat_tables(tables) if tables else opened.schema.empty_table()
        _ = table.column_names  # raises when they are no UTF-8
    return table


class Columns(NamedTuple):
    """Some columns of a file, and all that its schema says."""

    frame: pl.DataFrame
    schema: pa.Schema


_DIRECT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_floating)


def read_columns(
    form: Form, data: bytes, where: str, choose: Callable[[Opened], list[str] | None]
) -> Columns | None:
    """Read some columns of a file straight into Polars, if the result equals `read_arrow`'s.

    ``choose`` is given the opened file and returns the names of the columns. Return None if it
    returns none, and for everything else that `read_arrow` reads or has an error for.
    """
    with reading(where, form.name):
        opened = form.open(pa.BufferReader(data), where)
        names, room = opened.schema.names, room_for(len(data))
        if opened.frame is None or opened.n_bytes is None or opened.n_bytes > room:
            return None
        columns = choose(opened) if len({*names}) == len(names) else None
        if not columns or not all(_is_direct(opened.schema.field(name).type) for name in columns):
            return None
        frame = opened.frame(data, columns, room)
    return None if frame is None else Columns(frame, opened.schema)


def _is_direct(dtype: pa.DataType) -> bool:
    """Return whether Polars and PyArrow read a column of this type alike."""
    return any(is_of(dtype) for is_of in _DIRECT) and not pa.types.is_float16(dtype)


def _within(room: float, opened: Opened) -> list[pa.Table] | None:
    """Read all batches; return None if they take more than ``room`` bytes."""
    if (opened.n_bytes or 0) > room or not opened.fits(None, room):
        return None
    tables, left = [], room
    for batch in opened.batches(None, None):
        table = as_table(batch)
        table.validate(full=True)  # or Polars would follow broken offsets out of its memory
        left -= size_in_rows(table, room)
        if left < 0:
            return None
        tables.append(table)
    return tables


def as_table(batch: Batch) -> pa.Table:
    """Return a batch of rows as a table."""
    return batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
