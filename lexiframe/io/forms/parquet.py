"""Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.io.files.checksum import file_has_checksum
from lexiframe.io.files.form import Batch, Form, Opened

BUFFER = 1 << 20
"""The bytes of a file that are read at once; without it, whole row groups are."""
_LEAST = 8  # bytes in memory that a value needs at least: a number, or the offset of a text


_PAGE_WITH_CHECKSUM = re.compile(rb"(?:\x15[\x80-\xff]*[\x00-\x7f]){3}\x15", re.DOTALL)
"""The head of a page in Thrift's compact form: kind, two sizes and, as a fourth number, a CRC."""
_HEAD = 20  # bytes that these numbers take at most


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
    # PyArrow verifies the checksums of pages, Polars does not.
    is_verified = is_whole or not _pages_have_checksums(file, metadata)
    frame = _frame if is_verified else None
    few = partial(_has_few, metadata, opened.schema_arrow)
    return Opened(opened.schema_arrow, batches, size, frame, partial(_constant, metadata), few)


def _frame(data: bytes, columns: list[str]) -> pl.DataFrame:
    return pl.read_parquet(data, columns=columns)


def _pages_have_checksums(file: pa.NativeFile, metadata: Any) -> bool:
    """Return whether the first page has a checksum: writers give one to all pages, or to none."""
    if not metadata.num_row_groups or not metadata.num_columns:
        return False
    column = metadata.row_group(0).column(0)
    file.seek(
        min(column.data_page_offset, column.dictionary_page_offset or column.data_page_offset)
    )
    return _PAGE_WITH_CHECKSUM.match(file.read(_HEAD)) is not None


def _constant(metadata: Any, name: str) -> str | None:
    """Return the text in all rows of a column, if the least and the greatest are known and equal.

    A row without text is not counted among these, so there must be none.
    """
    texts = set()
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        column = group.column(metadata.schema.names.index(name))
        known = column.statistics
        if known is None or not known.has_min_max or known.null_count != 0:
            return None
        texts |= {known.min, known.max}
    only = texts.pop() if len(texts) == 1 else None
    return only if isinstance(only, str) else None


_ROOM = 1 << 12
"""The bytes that a column of few values takes beside those of its rows: the values themselves."""


def _has_few(metadata: Any, schema: pa.Schema, name: str) -> bool:
    """Return whether a column takes at most a byte a row, as numbers of few values do."""
    dtype = schema.field(name).type
    if not (
        pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_integer(dtype)
    ):
        return False
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    columns = [group.column(n) for group in groups for n in range(group.num_columns)]
    size = sum(c.total_uncompressed_size for c in columns if c.path_in_schema == name)
    return bool(size <= metadata.num_rows + _ROOM * len(groups))


def _n_rows(file: pa.NativeFile) -> int:
    from pyarrow import parquet

    return int(parquet.read_metadata(file).num_rows)


FORM = Form(
    "Parquet", (".parquet",), (b"PAR1",), _open, n_rows=_n_rows, spark={"format": "parquet"}
)
