"""What the pages of a Parquet file say of their sizes, which its metadata need not say rightly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lexiframe.io.files.thrift import Fields, struct_in

_END = 8  # bytes: the length of the metadata, and the magic bytes
_HEADS = (1 << 8, 1 << 12, 1 << 24)
"""Bytes that are read for the head of a page, until it ends; there may be statistics in it."""
_ROWS, _DICTIONARY, _ROWS_2 = 0, 2, 3  # kinds of pages
_SAME_BEGINNING = 7  # an encoding: values that begin like the one before are kept without that
_OF_DICTIONARY = (2, 8)  # encodings


@dataclass(frozen=True)
class Dictionary:
    """Where the texts of a column stand that its rows refer to, and how they are packed."""

    at: int
    packed: int
    size: int
    codec: int


@dataclass(frozen=True)
class Pages:
    """The pages of one column in one group of rows.

    ``size`` is what they take unpacked, ``values`` how many values they have. A value may take up
    to ``longest`` bytes more than it has in its page: 0 where each value stands in its place.
    """

    size: int
    values: int
    longest: int
    dictionary: Dictionary | None
    begins_coded: bool  # whether the first rows refer to a dictionary
    is_shared: bool  # whether values are kept without what the one before begins with


def row_groups(file: pa.NativeFile) -> list[list[Fields]]:
    """Return the metadata of all columns in each group of rows of a file that Arrow has opened."""
    file.seek(file.size() - _END)
    length = int.from_bytes(file.read(4), "little")
    file.seek(file.size() - _END - length)
    try:
        metadata, _ = struct_in(file.read(length))
        return [[column[3] for column in group[1]] for group in metadata[4]]
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"damaged metadata: {error}") from None


def pages_of(file: pa.NativeFile, column: Fields) -> Pages:
    """Read the heads of the pages of one column in one group of rows."""
    size = values = longest = 0
    encodings: list[int] = []
    dictionaries: list[Dictionary] = []
    is_text = column.get(1) == _TEXT
    try:
        for at, head in _heads(file, column):
            size += head[2]
            if head[1] == _DICTIONARY:
                dictionaries.append(Dictionary(at, head[3], head[2], column[4]))
                each = head[2] - 4 * head[7][1] if is_text else head[2] // max(head[7][1], 1)
                longest = max(longest, each)
            elif head[1] in (_ROWS, _ROWS_2):
                of_rows, encoding = (head[5], 2) if head[1] == _ROWS else (head[8], 4)
                values += of_rows[1]
                encodings.append(of_rows[encoding])
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"damaged heads of pages: {error}") from None
    is_shared = _SAME_BEGINNING in encodings
    begins = bool(encodings) and encodings[0] in _OF_DICTIONARY
    only = dictionaries[0] if is_text and len(dictionaries) == 1 else None
    return Pages(size, values, max(longest, size * is_shared), only, begins, is_shared)


def longest_of_short_texts(file: pa.NativeFile, dictionary: Dictionary) -> int | None:
    """Return the bytes of the longest text of a dictionary, if that is quickly seen.

    Each text stands behind its length, a number of four bytes. Three of them are 0 if it is below
    256; other zeros are rare. So the zeros show where the texts may begin, and the lengths whether
    they do. Return None if they do not, and if another codec than the usual ones packed them.
    """
    file.seek(dictionary.at)
    packed = file.read(dictionary.packed)
    try:
        name = _CODECS[dictionary.codec]
        data = pa.decompress(packed, dictionary.size, name) if name else packed
    except (KeyError, OSError, ValueError):
        return None
    texts = np.frombuffer(data, np.uint8)
    zeros = np.flatnonzero(texts == 0)
    firsts, lasts = zeros[::3], zeros[2::3]
    if len(firsts) != len(lasts) or not len(firsts) or firsts[0] != 1:
        return None
    lengths = texts[firsts - 1]
    after = firsts + lengths + 4  # where the zeros of the next length begin
    is_so = np.array_equal(after[:-1], firsts[1:]) and after[-1] == len(texts) + 1
    return int(lengths.max()) if is_so and np.array_equal(firsts + 2, lasts) else None


_CODECS = {0: None, 1: "snappy", 2: "gzip", 6: "zstd", 7: "lz4_raw"}
_TEXT = 6  # a type of columns: texts, each behind its length


def _heads(file: pa.NativeFile, column: Fields) -> Iterator[tuple[int, Fields]]:
    """Yield where each page begins behind its head, and its head."""
    starts = [column[number] for number in (9, 11) if column.get(number, 0) > 0]
    at = min(starts)
    end = min(at + column[7], file.size())
    while at < end:
        for most in _HEADS:
            file.seek(at)
            try:
                head, length = struct_in(file.read(most))
                break
            except IndexError:
                if most == _HEADS[-1] or at + most > file.size():
                    raise
        if head[2] < 0 or head[3] < 0:
            raise ValueError("pages of negative sizes")
        yield at + length, head
        at += length + head[3]
