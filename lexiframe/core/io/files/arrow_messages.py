"""Tables in Arrow's own form, as a file or as a stream, and how much memory they will take."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from lexiframe.core.io.files.form import LEAST, Batch, Opened
from lexiframe.core.io.files.packings import room_for, too_much

STREAM = b"\xff\xff\xff\xff"
"""The first bytes of a stream, and of each of its messages."""


def open_arrow(file: pa.NativeFile, where: str) -> Opened:
    """Open a file or a stream of Arrow."""
    is_stream = file.read(len(STREAM)) == STREAM
    file.seek(0)
    reader = pa.ipc.open_stream(file) if is_stream else pa.ipc.open_file(file)
    try:
        sizes = [*(_sizes_of_stream(file) if is_stream else _sizes_of_file(file))]
    except (struct.error, IndexError) as error:
        raise ValueError(f"damaged messages: {error}") from None

    def batches(columns: list[str] | None, rows: int | None) -> Iterator[Batch]:
        if max(sizes, default=0) > room_for(file.size()):
            raise too_much(where, file.size())
        if is_stream:  # its batches can be read once, and may be asked for again
            file.seek(0)
            return iter(pa.ipc.open_stream(file))
        return map(reader.get_batch, range(reader.num_record_batches))

    return Opened(reader.schema, batches, sum(sizes))


class _Table(NamedTuple):
    """A table of a flatbuffer, the encoding of Arrow's messages."""

    data: bytes
    at: int

    def position(self, number: int) -> int | None:
        """Return where a field is; None if the table has none."""
        names = self.at - _int("<i", self.data, self.at)
        if 4 + 2 * number >= _int("<H", self.data, names):
            return None
        step = _int("<H", self.data, names + 4 + 2 * number)
        return self.at + step if step else None

    def number(self, number: int, form: str) -> int:
        """Return a number; 0 if there is none."""
        at = self.position(number)
        return 0 if at is None else _int(form, self.data, at)

    def table(self, number: int) -> _Table:
        """Return a table in this one."""
        at = self.position(number)
        if at is None:
            raise IndexError("a table is missing")
        return _Table(self.data, at + _int("<I", self.data, at))

    def records(self, number: int, form: str) -> list[tuple[int, ...]]:
        """Return a list of records of numbers; an empty one if there is none."""
        if self.position(number) is None:
            return []
        _, at = self.table(number)
        end = at + 4 + _int("<I", self.data, at) * struct.calcsize(form)
        if end > len(self.data):
            raise IndexError("a list does not end")
        return [*struct.iter_unpack(form, self.data[at + 4 : end])]


def _int(form: str, data: bytes, at: int) -> int:
    if at < 0:
        raise IndexError("a position before the beginning")
    return int(struct.unpack_from(form, data, at)[0])


def _root(data: bytes) -> _Table:
    return _Table(data, _int("<I", data, 0))


_DICTIONARY, _ROWS = 2, 3  # kinds of messages


def _sizes_of_file(file: pa.NativeFile) -> Iterator[int]:
    """Yield how much memory each message takes that the end of a file names."""
    length = _int("<i", _bytes(file, file.size() - 10, 4), 0)
    footer = _root(_bytes(file, file.size() - 10 - length, length))
    for number in (2, 3):  # dictionaries, rows
        for at, _, _ in footer.records(number, "<qi4xq"):
            yield _message(file, at)[0]


def _sizes_of_stream(file: pa.NativeFile) -> Iterator[int]:
    """Yield how much memory each message of a stream takes."""
    at = 0
    while at + 8 <= file.size():
        size, at = _message(file, at)
        if at < 0:
            return
        yield size


def _bytes(file: pa.NativeFile, at: int, length: int) -> bytes:
    """Return bytes of a file; raise before memory is taken for more than it has."""
    if not 0 <= at <= at + length <= file.size():
        raise IndexError("a part beyond the end of the file")
    file.seek(at)
    return bytes(file.read(length))


def _message(file: pa.NativeFile, at: int) -> tuple[int, int]:
    """Return how much memory a message takes, and where the next one begins; −1 behind the last.

    Each buffer that is packed says in its first bytes how large it will be.
    """
    head = _bytes(file, at, 8)
    is_new = head.startswith(STREAM)  # the older form has the length at once
    length = _int("<i", head, 4 if is_new else 0)
    if length <= 0:
        return 0, -1
    start = at + (8 if is_new else 4)
    message = _root(_bytes(file, start, length))
    body = start + length
    after = body + message.number(3, "<q")
    kind = message.number(1, "<B")
    if kind not in (_DICTIONARY, _ROWS):
        return 0, after
    rows = message.table(2) if kind == _ROWS else message.table(2).table(1)
    least = LEAST * sum(n for n, _ in rows.records(1, "<qq"))
    total = 0
    for offset, size in rows.records(2, "<qq"):
        unpacked = size
        if rows.position(3) is not None and size >= LEAST:
            unpacked = _int("<q", _bytes(file, body + offset, 8), 0)
        total += size if unpacked < 0 else unpacked
    return max(total, least), after
