"""Reading Parquet and Arrow files, and making Arrow tables that other readers understand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl
import pyarrow as pa

from lexiframe.base import Problem, ReadError, errors
from lexiframe.io.files.checksum import has_checksum
from lexiframe.io.files.unpacking import Content, room_for, too_much

_LEAST = 8  # bytes in memory that a value needs at least: a number, or the offset of a text


def read_arrow(content: Content, where: str) -> pa.Table:
    """Read a Parquet file, an Arrow file or an Arrow stream.

    The checksums in a Parquet file are verified: those of its pages, if the writer added any, and
    that of the whole file, if lexiframe wrote it. Damage to other bytes may not be noticed. Raise
    ReadError if the file is damaged, or holds more than `content_of` would unpack.
    """
    is_whole = content.kind == "parquet" and has_checksum(content.data, where)
    names: dict[str, tuple[str, Callable[[pa.Buffer, float], pa.Table | None]]] = {
        "parquet": ("Parquet", partial(_read_parquet, verified=is_whole)),
        "arrow": ("an Arrow file", _read_ipc),
    }
    name, read = names[content.kind]
    room = room_for(content.data)
    try:
        table = read(pa.py_buffer(content.data), room)
        if table is not None:
            table.validate(full=True)  # or Polars would follow broken offsets out of its memory
            _ = table.column_names  # raises when they are no UTF-8
    except (pa.ArrowException, OSError, ValueError) as error:
        found = f"cannot be read as {name} ({errors.in_one_line(error)})"
        raise ReadError(Problem(where, "", found, "fetch or write it again")) from None
    if table is None:
        raise too_much(where, len(content.data))
    return table


def _read_parquet(buffer: pa.Buffer, room: float, *, verified: bool) -> pa.Table | None:
    """Read Parquet; return None if the table takes more than ``room`` bytes."""
    from pyarrow import parquet

    # The checksum of the whole file covers the pages, so theirs are not computed again.
    file = parquet.ParquetFile(pa.BufferReader(buffer), page_checksum_verification=not verified)
    metadata = file.metadata
    groups = (metadata.row_group(n) for n in range(metadata.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)
    is_too_much = max(unpacked, metadata.num_rows * metadata.num_columns * _LEAST) > room
    return None if is_too_much else file.read()


def _read_ipc(buffer: pa.Buffer, room: float) -> pa.Table | None:
    """Read an Arrow file or stream; return None if the table takes more than ``room`` bytes."""
    is_stream = buffer[:4].to_pybytes() == b"\xff\xff\xff\xff"
    batches = []
    with pa.ipc.open_stream(buffer) if is_stream else pa.ipc.open_file(buffer) as reader:
        some = reader if is_stream else map(reader.get_batch, range(reader.num_record_batches))
        for batch in some:
            batches.append(batch)
            room -= batch.nbytes
            if room < 0:
                return None
        return pa.Table.from_batches(batches, reader.schema)


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Convert a frame to Arrow with plain strings: not all readers know large or view ones."""
    table = frame.to_arrow()
    is_text = (pa.types.is_string_view, pa.types.is_large_string)
    types = [pa.string() if any(t(f.type) for t in is_text) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
