"""Reading tables of every form but text, and making Arrow tables that other readers understand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl
import pyarrow as pa

from lexiframe.base import LexiframeError, Problem, ReadError, errors
from lexiframe.io.files.form import Batch, Form, Opened
from lexiframe.io.files.unpacking import room_for, too_much


@contextmanager
def reading(where: str, kind: str) -> Iterator[None]:
    """Raise ReadError for the errors of Arrow."""
    try:
        yield
    except LexiframeError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        found = f"cannot be read as {kind} ({errors.in_one_line(error):.300})"
        raise ReadError(Problem(where, "", found, "fetch or write it again")) from None


def read_arrow(form: Form, data: bytes, where: str) -> pa.Table:
    """Read the bytes of a file that is no text into a table.

    The checksums in a Parquet file are verified: those of its pages, if the writer added any, and
    that of the whole file, if lexiframe wrote it. Damage to other bytes may not be noticed. Raise
    ReadError if the file is damaged, or holds more than `content_of` would unpack.
    """
    with reading(where, form.name):
        opened = form.open(pa.BufferReader(data), where)
        tables = _within(room_for(data), opened)
        if tables is None:
            raise too_much(where, len(data))
        table = pa.concat_tables(tables) if tables else opened.schema.empty_table()
        table.validate(full=True)  # or Polars would follow broken offsets out of its memory
        _ = table.column_names  # raises when they are no UTF-8
    return table


def _within(room: float, opened: Opened) -> list[pa.Table] | None:
    """Read all batches; return None if they take more than ``room`` bytes."""
    if opened.n_bytes is not None:
        return None if opened.n_bytes > room else [*map(as_table, opened.batches(None, None))]
    tables = []
    for batch in opened.batches(None, None):
        tables.append(as_table(batch))
        room -= batch.nbytes
        if room < 0:
            return None
    return tables


def as_table(batch: Batch) -> pa.Table:
    """Return a batch of rows as a table."""
    return batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Convert a frame to Arrow with plain strings: not all readers know large or view ones."""
    table = frame.to_arrow()
    is_text = (pa.types.is_string_view, pa.types.is_large_string)
    types = [pa.string() if any(t(f.type) for t in is_text) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
