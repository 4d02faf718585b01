"""Thrift's compact form, in which Parquet describes its columns and pages."""

from __future__ import annotations

from typing import Any

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

    Examples
    --------
    >>> struct_in(bytes([0x15, 4, 0x18, 1, 65, 0]))
    ({1: 2, 2: b'A'}, 6)
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
