"""Reading tables of every form but text, and making Arrow tables that other readers understand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl
import pyarrow as pa

from lexiframe.base import LexiframeError, Problem, ReadError, errors
from lexiframe.io.files.unpacking import Content, room_for, too_much


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


def read_arrow(content: Content, where: str) -> pa.Table:
    """Read a file that is no text into a table.

    The checksums in a Parquet file are verified: those of its pages, if the writer added any, and
    that of the whole file, if lexiframe wrote it. Damage to other bytes may not be noticed. Raise
    ReadError if the file is damaged, or holds more than `content_of` would unpack.
    """
    if content.form is None:
        raise ReadError(Problem(where, "a table that is no text", "text"))
    room, tables = room_for(content.data), []
    with reading(where, content.form.name):
        opened = content.form.open(pa.BufferReader(content.data), where)
        if (opened.n_bytes or 0) > room:
            raise too_much(where, len(content.data))
        for batch in opened.batches(None, None):
            tables.append(as_table(batch))
            room -= 0 if opened.n_bytes is not None else batch.nbytes
            if room < 0:
                raise too_much(where, len(content.data))
        table = pa.concat_tables(tables) if tables else opened.schema.empty_table()
        table.validate(full=True)  # or Polars would follow broken offsets out of its memory
        _ = table.column_names  # raises when they are no UTF-8
    return table


def as_table(batch: pa.Table | pa.RecordBatch) -> pa.Table:
    """Return a batch of rows as a table."""
    return batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Convert a frame to Arrow with plain strings: not all readers know large or view ones."""
    table = frame.to_arrow()
    is_text = (pa.types.is_string_view, pa.types.is_large_string)
    types = [pa.string() if any(t(f.type) for t in is_text) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
