"""How files are packed (gzip, bzip2, xz, zstd), and how much memory a file may take."""

from __future__ import annotations

import bz2
import lzma
import math
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from lexiframe.core.base import Problem, ReadError, errors

_BLOCK = 1 << 20
RATIO = "LEXIFRAME_UNPACK_RATIO"
"""The environment variable that limits the unpacked size to this many times the packed one."""
_RATIO = 100.0
_ROOM = 1 << 30  # a file may always unpack to this many bytes


def room_for(size: int) -> float:
    """Return the number of bytes that a file of ``size`` bytes may take in memory."""
    setting = os.environ.get(RATIO, _RATIO)
    try:
        ratio = float(setting)
    except ValueError:
        ratio = math.nan
    if not ratio > 0:
        raise ReadError(f"{RATIO}: expected a positive number or inf, found {setting!r}")
    return max(_ROOM, ratio * max(size, 1))


def too_much(where: str, size: int, what: str = "file") -> ReadError:
    """Build the error for a file, or part of one, that would fill the memory."""
    found = f"the {size:,} bytes of the {what} hold far more than data of this kind ever do"
    advice = f"it would fill the memory; if you trust it, set {RATIO}=inf in the environment"
    return ReadError(Problem(where, "", found, advice))


class TooMuchError(Exception):
    """Data unpack to more bytes than the limit."""


@dataclass(frozen=True)
class Packing:
    """A way to pack files; ``unpack`` is given a file, the bytes to read at once, and the limit."""

    name: str
    magic: bytes
    endings: tuple[str, ...]
    unpack: Callable[[BinaryIO, int, float], Iterator[bytes]]


def packing_of(start: bytes) -> Packing | None:
    """Return how a file is packed, by its first bytes; None if it is not."""
    return next((packing for packing in PACKINGS if start.startswith(packing.magic)), None)


def unpacked(
    file: BinaryIO, packing: Packing, where: str, size: int = -1, room: float = math.inf
) -> Iterator[bytes]:
    """Unpack a file, reading ``size`` bytes at once (−1: all)."""
    try:
        yield from packing.unpack(file, size, room)
    except (EOFError, zlib.error, lzma.LZMAError, ValueError, OSError) as error:
        broken = f"the {packing.name} data is broken or cut short ({errors.one_line(error)})"
        raise ReadError(Problem(where, "", broken, "fetch or pack it again")) from None


def _streams(start: Callable[[], Any], file: BinaryIO, size: int, room: float) -> Iterator[bytes]:
    """Unpack streams that follow each other, perhaps padded with zeros.

    This function reports bytes behind a stream that do not begin another one. Python's bz2 and lzma
    modules ignore them, and so lose all streams behind a broken header without an error.
    """
    data, stream = file.read(size), start()
    while True:
        # One byte above the limit shows that there is more; sys.maxsize is the largest argument.
        part = stream.decompress(data, int(min(room + 1, sys.maxsize)))
        room -= len(part)
        if room < 0:
            raise TooMuchError
        yield part
        data = stream.unused_data if stream.eof else b""
        while stream.eof and not (data := data.lstrip(b"\0")):
            if not (data := file.read(size)):
                return
        if stream.eof:
            stream = start()
        elif not (data := file.read(size)):
            raise EOFError("it ends before its end-of-stream marker")


def _gzip(file: BinaryIO, size: int, room: float) -> Iterator[bytes]:
    """Unpack gzip: Arrow, if it can, since it takes a quarter less time than Python's zlib.

    Arrow is given whole files whose last four bytes tell how long the text is. What does not come
    out as that is unpacked anew, by the functions that say what is wrong: several streams in one
    file, zeros behind them, damaged data.
    """
    if size == -1:
        start = file.tell()
        text = _inflated(file.read(), room)
        if text is not None:
            yield text
            return
        file.seek(start)
    # wbits=31: zlib data with the header and checksum of gzip
    yield from _streams(partial(zlib.decompressobj, wbits=31), file, size, room)


_MOST = 100  # times its size that a file is unpacked to in one go


def _inflated(data: bytes, room: float) -> bytes | None:
    """Return the text of one whole gzip stream; None where it is anything else."""
    said = int.from_bytes(data[-4:], "little")
    if said > min(room, _MOST * len(data)):
        return None
    try:
        with pa.CompressedInputStream(pa.BufferReader(data), "gzip") as stream:
            text: bytes = stream.read(said)
            return text if len(text) == said and not stream.read(1) else None
    except OSError:
        return None


def _zstd(file: BinaryIO, size: int, room: float) -> Iterator[bytes]:
    # Python has no module for zstd before 3.14.
    with pa.CompressedInputStream(file, "zstd") as stream:
        while part := stream.read(_BLOCK):
            room -= len(part)
            if room < 0:
                raise TooMuchError
            yield part


PACKINGS = (
    Packing("gzip", b"\x1f\x8b", (".gz",), _gzip),
    Packing("bzip2", b"BZh", (".bz2",), partial(_streams, bz2.BZ2Decompressor)),
    Packing("xz", b"\xfd7zXZ\0", (".xz",), partial(_streams, lzma.LZMADecompressor)),
    Packing("zstd", b"\x28\xb5\x2f\xfd", (".zst", ".zstd"), _zstd),
)
