"""A checksum of a whole Parquet file, against bits that flip.

Parquet knows checksums of pages, but its footer has none, and there are the names and types of the
columns. So the files that lexiframe writes also have one of all their bytes. It stands between the
pages and the footer, where no reader of Parquet looks and which no other writer copies.
"""

from __future__ import annotations

import os
import zlib
from typing import BinaryIO

from lexiframe.errors import Problem, ReadError

_MARK = b"lexiframe:crc32:"
_END = 8  # behind the footer: its size, and PAR1
_BLOCK = 1 << 20


def add_checksum(file: BinaryIO) -> None:
    """Put the checksum of its bytes into a Parquet file that was just written."""
    file.seek(-_END, os.SEEK_END)
    size = int.from_bytes(file.read(4), "little")
    begin = file.seek(-_END - size, os.SEEK_END)
    footer = file.read()
    file.seek(0)
    crc = 0
    while block := file.read(min(_BLOCK, begin - file.tell())):
        crc = zlib.crc32(block, crc)
    file.seek(begin)
    file.write(_MARK + zlib.crc32(footer, crc).to_bytes(4, "little") + footer)


def has_checksum(data: bytes, where: str) -> bool:
    """Tell whether a Parquet file has the checksum, which then fits.

    Raises
    ------
    ReadError
        When it does not fit.
    """
    footer = len(data) - _END - int.from_bytes(data[-_END:-4], "little")
    begin = footer - len(_MARK) - 4
    if begin < 0 or not data.startswith(_MARK, begin):
        return False
    view = memoryview(data)
    if zlib.crc32(view[footer:], zlib.crc32(view[:begin])) != int.from_bytes(
        view[footer - 4 : footer], "little"
    ):
        found = "is damaged: its bytes do not fit the checksum with which they were written"
        raise ReadError(Problem(where, "", found, "copy or write it again"))
    return True
