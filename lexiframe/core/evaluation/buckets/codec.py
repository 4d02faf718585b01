"""Sums as bytes: written by one process, read by another, and never able to run code."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any
from zipfile import BadZipFile

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError

_DIGEST = sha256().digest_size


class DamagedError(LexiframeError):
    """Bytes that differ from the written ones."""


def encoded(value: Any) -> bytes:
    """Return numbers, texts, arrays, tables and the library's values of them as bytes.

    They begin with a digest of the remaining bytes. Arrays keep all of their bits.
    """
    arrays: dict[str, np.ndarray] = {}
    seen: dict[int, Any] = {}
    head = json.dumps(_node(value, arrays, seen)).encode()
    held = io.BytesIO()
    np.savez(held, head=np.frombuffer(head, np.uint8), **arrays)  # type: ignore[arg-type]
    data = held.getvalue()
    return sha256(data).digest() + data


def decoded(data: bytes, classes: tuple[type, ...]) -> Any:
    """Return the value that `encoded` was given; its classes have to be among ``classes``."""
    if sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        raise DamagedError("sums of requests: the bytes are not as they were written")
    try:
        with np.load(io.BytesIO(data[_DIGEST:]), allow_pickle=False) as arrays:
            held = {name: arrays[name] for name in arrays.files}
        known = {one.__name__: one for one in classes}
        return _decode_node(json.loads(held["head"].tobytes()), held, known)
    except (ValueError, KeyError, TypeError, BadZipFile, pl.exceptions.PolarsError) as error:
        raise DamagedError(f"sums of requests: they cannot be read ({error})") from None


def _node(value: Any, arrays: dict[str, np.ndarray], seen: dict[int, Any]) -> list[Any]:
    """Return a value as JSON; arrays and tables are put into ``arrays``, each once."""
    if isinstance(value, np.ndarray | pl.Series | pl.DataFrame):
        if id(value) not in seen:
            name = f"a{len(arrays)}"
            arrays[name] = value if isinstance(value, np.ndarray) else _bytes_of(value)
            seen[id(value)] = (name, value)  # held, so that no other value gets its id
        return [type(value).__name__, seen[id(value)][0]]
    if is_dataclass(value):
        parts = {f.name: _node(getattr(value, f.name), arrays, seen) for f in fields(value)}
        return ["value", type(value).__name__, parts]
    if isinstance(value, Mapping):
        return ["dict", [[key, _node(one, arrays, seen)] for key, one in value.items()]]
    if isinstance(value, tuple | list):
        return [type(value).__name__, [_node(one, arrays, seen) for one in value]]
    return ["plain", value.item() if isinstance(value, np.generic) else value]


def _bytes_of(table: pl.Series | pl.DataFrame) -> np.ndarray:
    frame = table.to_frame() if isinstance(table, pl.Series) else table
    return np.frombuffer(frame.write_ipc(None).getvalue(), np.uint8)


def _decode_node(
    node: list[Any], arrays: Mapping[str, np.ndarray], known: Mapping[str, type]
) -> Any:
    kind, *rest = node
    if kind == "plain":
        return rest[0]
    if kind == "ndarray":
        return arrays[rest[0]]
    if kind in ("Series", "DataFrame"):
        frame = pl.read_ipc(io.BytesIO(arrays[rest[0]].tobytes()))
        return frame if kind == "DataFrame" else frame.to_series()
    if kind == "dict":
        return {key: _decode_node(one, arrays, known) for key, one in rest[0]}
    if kind in ("tuple", "list"):
        several = [_decode_node(one, arrays, known) for one in rest[0]]
        return tuple(several) if kind == "tuple" else several
    name, parts = rest
    return known[name](**{part: _decode_node(one, arrays, known) for part, one in parts.items()})
