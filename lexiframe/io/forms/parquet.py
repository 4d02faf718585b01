"""Parquet."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from lexiframe.io.files.checksum import file_has_checksum
from lexiframe.io.files.form import Batch, Form, Opened

BUFFER = 1 << 20
"""The bytes of a file that are read at once; without it, whole row groups are."""
_LEAST = 8  # bytes in memory that a value needs at least: a number, or the offset of a text


def _open(file: pa.NativeFile, where: str) -> Opened:
    from pyarrow import parquet

    # The checksum of the whole file covers the pages, so theirs are not computed again.
    is_whole = file_has_checksum(file, where)
    opened = parquet.ParquetFile(
        file, page_checksum_verification=not is_whole, buffer_size=BUFFER, pre_buffer=False
    )
    metadata = opened.metadata
    groups = (metadata.row_group(n) for n in range(metadata.num_row_groups))
    unpacked = sum(group.total_byte_size for group in groups)

    def batches(columns: list[str] | None, rows: int | None) -> Iterator[Batch]:
        if rows is None:
            return iter([opened.read(columns)])
        some: Iterator[Batch] = opened.iter_batches(rows, columns=columns, use_threads=False)
        return some

    size = max(unpacked, metadata.num_rows * metadata.num_columns * _LEAST)
    return Opened(opened.schema_arrow, batches, size)


def _n_rows(file: pa.NativeFile) -> int:
    from pyarrow import parquet

    return int(parquet.read_metadata(file).num_rows)


FORM = Form(
    "Parquet", (".parquet",), (b"PAR1",), _open, n_rows=_n_rows, spark={"format": "parquet"}
)
