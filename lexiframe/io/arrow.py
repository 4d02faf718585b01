"""Arrow tables: out of Parquet and Arrow files, and with plain strings into them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl
import pyarrow as pa

from lexiframe.errors import Problem, ReadError, in_one_line
from lexiframe.io.checksum import has_checksum
from lexiframe.io.content import Content


def read_arrow(content: Content, where: str) -> pa.Table:
    """Read Parquet, or an Arrow file or stream, as it is.

    The checksums that a Parquet file has are verified: of its pages, where the writer left some,
    and of all of it, where lexiframe wrote it. Damage to what has none may go unseen.

    Raises
    ------
    ReadError
        When it is none, or damaged.
    """
    is_whole = content.kind == "parquet" and has_checksum(content.data, where)
    names: dict[str, tuple[str, Callable[[pa.Buffer], pa.Table]]] = {
        "parquet": ("Parquet", partial(_read_parquet, verified=is_whole)),
        "arrow": ("an Arrow file", _read_ipc),
    }
    name, read = names[content.kind]
    try:
        table = read(pa.py_buffer(content.data))
        table.validate(full=True)  # broken offsets lead Polars out of its memory
        _ = table.column_names  # raises when they are no UTF-8
    except (pa.ArrowException, OSError, ValueError) as error:
        found = f"cannot be read as {name} ({in_one_line(error)})"
        raise ReadError(Problem(where, "", found)) from None
    return table


def _read_parquet(buffer: pa.Buffer, *, verified: bool) -> pa.Table:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(buffer), page_checksum_verification=not verified)
    return file.read()


def _read_ipc(buffer: pa.Buffer) -> pa.Table:
    is_stream = buffer[:4].to_pybytes() == b"\xff\xff\xff\xff"
    open_ = pa.ipc.open_stream if is_stream else pa.ipc.open_file
    with open_(buffer) as reader:
        return reader.read_all()


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Give a frame with plain Arrow strings, which every reader of Arrow and Parquet knows."""
    table = frame.to_arrow()
    is_text = (pa.types.is_string_view, pa.types.is_large_string)
    types = [pa.string() if any(t(f.type) for t in is_text) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
