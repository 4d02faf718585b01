"""A checksum of a whole Parquet file, which detects damaged bytes.

Parquet has checksums of pages, but none of the footer, which holds the names and types of columns.
So lexiframe adds a checksum of all bytes to the files that it writes. It stands between the pages
and the footer: readers ignore that place, and no other writer copies it to a file that it changes.
Before it stands, in files that were written together, a fingerprint of them all.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from lexiframe.core.base import Problem, ReadError

_MARK = b"lexiframe:crc32:"
_TOGETHER, _SIZE = b"lexiframe:written-together:", 16
_END = 8  # bytes behind the footer: its size (4 bytes) and PAR1
_BLOCK = 1 << 16  # so small that freed memory is used again, and none is asked of the system


def add_checksum(file: BinaryIO, before: bytes = b"") -> None:
    """Insert the checksum of all bytes into a Parquet file, and the fields ``before`` it."""
    begin = _footer_of(file)
    footer = file.read()
    crc = zlib.crc32(before, _crc_of(file, 0, begin))
    file.seek(begin)
    file.write(before + _MARK + zlib.crc32(footer, crc).to_bytes(4, "little") + footer)


def add_fingerprint(paths: Iterable[Path]) -> None:
    """Insert a fingerprint of several files with checksums into each: it is a hash of all these."""
    together = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            file.seek(_footer_of(file) - 4)
            together.update(file.read(4))
    for path in paths:
        with path.open("r+b") as file:
            add_checksum(file, _TOGETHER + together.digest()[:_SIZE])


def fingerprint_in(data: bytes) -> str | None:
    """Return the fingerprint of files that were written together; None if there is none."""
    begin = _footer_of(BytesIO(data)) - 4 - len(_MARK) - _SIZE
    return data[begin : begin + _SIZE].hex() if data.endswith(_TOGETHER, 0, max(begin, 0)) else None


def _footer_of(file: BinaryIO) -> int:
    """Return where the footer begins."""
    file.seek(-_END, os.SEEK_END)
    return file.seek(-_END - int.from_bytes(file.read(4), "little"), os.SEEK_END)


def file_has_checksum(file: BinaryIO, where: str) -> bool:
    """Check the checksum of an open file like `has_checksum`, without holding all its bytes."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - _END, 0))
    footer = size - _END - int.from_bytes(file.read(4), "little")
    begin = footer - len(_MARK) - 4
    if begin < 0:
        return False
    file.seek(begin)
    mark, crc = file.read(len(_MARK)), file.read(4)
    if mark != _MARK:
        return False
    found = _crc_of(file, 0, begin)
    if _crc_of(file, footer, size, found).to_bytes(4, "little") != crc:
        raise _damaged(where)
    return True


def _crc_of(file: BinaryIO, start: int, end: int, crc: int = 0) -> int:
    file.seek(start)
    while block := file.read(min(_BLOCK, end - file.tell())):
        crc = zlib.crc32(block, crc)
    return crc


def _damaged(where: str) -> ReadError:
    found = "is damaged: its bytes do not match the checksum in it"
    return ReadError(Problem(where, "", found, "copy or write it again"))


def has_checksum(data: bytes, where: str) -> bool:
    """Return whether a Parquet file has the checksum; raise if it does not match the bytes."""
    return file_has_checksum(BytesIO(data), where)
