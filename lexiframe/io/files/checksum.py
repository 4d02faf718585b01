"""A checksum of a whole Parquet file, which detects damaged bytes.

Parquet has checksums of pages, but none of the footer, which holds the names and types of columns.
So lexiframe adds a checksum of all bytes to the files that it writes. It stands between the pages
and the footer: readers ignore that place, and no other writer copies it to a file that it changes.
"""

from __future__ import annotations

import os
import zlib
from typing import BinaryIO

from lexiframe.errors import Problem, ReadError

_MARK = b"lexiframe:crc32:"
_END = 8  # bytes behind the footer: its size (4 bytes) and PAR1
_BLOCK = 1 << 20


def add_checksum(file: BinaryIO) -> None:
    """Insert the checksum of all bytes into a Parquet file that was just written."""
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
    """Return whether a Parquet file has the checksum; raise if it does not match the bytes."""
    footer = len(data) - _END - int.from_bytes(data[-_END:-4], "little")
    begin = footer - len(_MARK) - 4
    if begin < 0 or not data.startswith(_MARK, begin):
        return False
    view = memoryview(data)  # slices of bytes would be copies
    crc = zlib.crc32(view[footer:], zlib.crc32(view[:begin]))
    if view[footer - 4 : footer] != crc.to_bytes(4, "little"):
        found = "is damaged: its bytes do not match the checksum in it"
        raise ReadError(Problem(where, "", found, "copy or write it again"))
    return True
