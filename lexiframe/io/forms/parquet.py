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
_ROWS = 1 << 16  # of a column that are looked at together
_FEW = 256  # values that a column may have that tells several systems apart
_LEAST = 8  # bytes in memory that a value needs at least: a number, or the offset of a text


_MAGIC = b"PAR1"  # behind which the first page begins
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
    is_verified = is_whole or not _pages_have_checksums(file)
    frame = _frame if is_verified else None
    constant, few = partial(_constant, file, opened), partial(_has_few, file, opened)
    return Opened(opened.schema_arrow, batches, size, frame, constant, few)


def _frame(data: bytes, columns: list[str]) -> pl.DataFrame:
    return pl.read_parquet(data, columns=columns)


def _pages_have_checksums(file: pa.NativeFile) -> bool:
    """Return whether the first page has a checksum: writers give one to all pages, or to none."""
    file.seek(len(_MAGIC))
    return _PAGE_WITH_CHECKSUM.match(bytes(file.read(_HEAD))) is not None


def _constant(file: pa.NativeFile, opened: Any, name: str) -> str | None:
    """Return the text in all rows of a column of text, if there is just one.

    The column is read as numbers of a dictionary, which takes a fraction of the time that its texts
    take. Statistics are not asked, since they need not be true. A column without a dictionary is
    read with the others.
    """
    from pyarrow import parquet

    metadata = opened.metadata
    if not _is_text(opened.schema_arrow.field(name).type):
        return None
    coded = parquet.ParquetFile(
        file, metadata=metadata, read_dictionary=[name], buffer_size=BUFFER, pre_buffer=False
    )
    texts: set[str | None] = set()
    for number in range(metadata.num_row_groups):
        for batch in coded.iter_batches(_ROWS, [number], [name], use_threads=False):
            column = batch.column(name)
            if not texts and not _has_dictionary(metadata, number, name):
                return None
            if column.null_count or len(column.dictionary) > 1:
                return None
            texts |= {*column.dictionary.to_pylist()}
    return texts.pop() if len(texts) == 1 else None


def _is_text(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_string(dtype) or pa.types.is_large_string(dtype))


def _has_dictionary(metadata: Any, number: int, name: str) -> bool:
    """Return whether a column at the top of the table, of which rows were read, has a dictionary.

    PyArrow ends the process when it is asked for metadata of a column that are damaged, and raises
    an error when it reads such a column. So they are asked for only when rows have been read.
    """
    paths = [metadata.schema.column(leaf).path for leaf in range(metadata.num_columns)]
    return bool(metadata.row_group(number).column(paths.index(name)).has_dictionary_page)


def _has_few(file: pa.NativeFile, opened: Any, name: str) -> bool:
    """Return whether a column of text or whole numbers has few values in its first rows."""
    from pyarrow import parquet

    dtype = opened.schema_arrow.field(name).type
    if not (_is_text(dtype) or pa.types.is_integer(dtype)):
        return False
    coded = parquet.ParquetFile(
        file, metadata=opened.metadata, read_dictionary=[name], buffer_size=BUFFER, pre_buffer=False
    )
    batches = coded.iter_batches(_ROWS, columns=[name], use_threads=False)
    first = next((batch for batch in batches if batch.num_rows), None)
    return first is not None and len(first.column(name).unique()) <= _FEW


def _n_rows(file: pa.NativeFile) -> int:
    from pyarrow import parquet

    return int(parquet.read_metadata(file).num_rows)


FORM = Form("Parquet", (".parquet",), (_MAGIC,), _open, n_rows=_n_rows, spark={"format": "parquet"})
