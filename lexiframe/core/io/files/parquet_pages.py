"""The sizes of the pages of a Parquet file, as its metadata need not be right about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

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
    different: int  # the most different values, beside null, where all rows refer to one; else 0
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
    size = values = longest = different = 0
    encodings: list[int] = []
    dictionaries: list[Dictionary] = []
    is_text = column.get(1) == _TYPE_OF_TEXTS
    try:
        for at, head in _heads(file, column):
            unpacked = max(head[2], head[3])  # a page that is not packed need not say its size
            size += unpacked
            if head[1] == _DICTIONARY:
                dictionaries.append(Dictionary(at, head[3], head[2], column[4]))
                each = unpacked - 4 * head[7][1] if is_text else unpacked // max(head[7][1], 1)
                longest, different = max(longest, each), different + head[7][1]
            elif head[1] in (_ROWS, _ROWS_2):
                of_rows, encoding = (head[5], 2) if head[1] == _ROWS else (head[8], 4)
                values += of_rows[1]
                encodings.append(of_rows[encoding])
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"damaged heads of pages: {error}") from None
    is_shared = _SAME_BEGINNING in encodings
    begins = bool(encodings) and encodings[0] in _OF_DICTIONARY
    only = dictionaries[0] if is_text and len(dictionaries) == 1 else None
    different *= {*encodings} <= {*_OF_DICTIONARY}
    return Pages(size, values, max(longest, size * is_shared), only, begins, different, is_shared)


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
_TYPE_OF_TEXTS = 6  # a type of columns: texts, each behind its length


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
        if head[2] < 0 or not 0 <= head[3] <= file.size() - at - length:
            raise ValueError("pages of negative sizes, or beyond the end of the file")
        yield at + length, head
        at += length + head[3]


Fields = dict[int, Any]
"""The values of a struct by the numbers of its fields."""
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _TEXT, _LIST, _SET, _MAP, _STRUCT, _UUID = (
    *(0, 1, 2, 3, 7, 8, 9, 10, 11, 12, 13),
)
_LONG = 15  # a list says its length apart from 15 elements on
_DEEPEST = 32
_WIDTHS = {_BYTE: 1, _DOUBLE: 8, _UUID: 16}


def struct_in(data: bytes, at: int = 0, depth: int = 0) -> tuple[Fields, int]:
    """Return the struct that begins at a byte, and where it ends.

    Raise ValueError for what is none, and IndexError where the bytes end before it does.
    """
    if depth > _DEEPEST:
        raise ValueError("structs in structs, too deep")
    fields: Fields = {}
    last = 0
    while data[at]:
        step, kind = divmod(data[at], 16)
        at += 1
        if step:
            last += step
        else:
            last, at = _signed_number(data, at)
        fields[last], at = _thrift_value(data, at, kind, depth)
    return fields, at + 1


def _thrift_value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (_TRUE, _FALSE):
        return kind == _TRUE, at
    if _BYTE < kind < _DOUBLE:
        return _signed_number(data, at)
    if kind in (_LIST, _SET):
        return _elements(data, at, depth)
    if kind == _STRUCT:
        return struct_in(data, at, depth + 1)
    if kind == _TEXT:
        size, at = _unsigned_number(data, at)
    elif kind in _WIDTHS:
        size = _WIDTHS[kind]
    else:  # Parquet has no maps
        raise ValueError(f"a field of the unknown type {kind}")
    if at + size > len(data):
        raise IndexError("the bytes end within a text")
    return data[at : at + size], at + size


def _elements(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    size, kind = divmod(data[at], 16)
    at += 1
    if size == _LONG:
        size, at = _unsigned_number(data, at)
    kind = _BYTE if kind in (_TRUE, _FALSE) else kind
    values = []
    for _ in range(size):
        value, at = _thrift_value(data, at, kind, depth)
        values.append(value)
    return values, at


def _unsigned_number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of groups of seven bits, the lowest first."""
    value = shift = 0
    while data[at] >= 128:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if shift > 70:
            raise ValueError("a number that is too long")
    return value | data[at] << shift, at + 1


def _signed_number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number whose lowest bit is its sign."""
    value, at = _unsigned_number(data, at)
    return value >> 1 ^ -(value & 1), at
