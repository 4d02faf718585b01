"""The bucket of a request: a hash of its id that is the same on every machine and in every version.

Polars' and Python's own hashes change with their version, the machine or the process. A job that
was started elsewhere, or before an update, could not go on with theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, made odd
_WORD = 8
_BLOCK = 1 << 15
"""Ids that are hashed at once: the arrays of so many stay in the processor's cache."""


def bucket_of(query_ids: pl.Series, n: int) -> np.ndarray:
    """Return the bucket of each id, from 0 to ``n`` - 1.

    The bucket, an int64, depends only on the UTF-8 bytes of the id; an integer has the bucket of
    its text. The 8-byte words of the text, little-endian and padded with zeros, are added to a
    state one after the other; after each, the state is multiplied and its upper bits are folded
    into its lower ones, with the constants of SplitMix64 (Steele, Lea & Flood, Fast splittable
    pseudorandom number generators, OOPSLA 2014, https://doi.org/10.1145/2660193.2660195). The state
    starts with the length of the text, so that zeros at the end of an id count.

    Examples
    --------
    >>> bucket_of(pl.Series(["7", "8", "u-000001"]), 100).tolist()
    [64, 97, 34]
    >>> bucket_of(pl.Series([7, 8]), 100).tolist()
    [64, 97]
    """
    if isinstance(query_ids.dtype, pl.Enum) and len(query_ids.dtype.categories) < len(query_ids):
        return np.asarray(_buckets(query_ids.dtype.categories, n)[query_ids.to_physical()])
    # Rows of one request mostly follow each other: only the first of them is hashed.
    begins = np.flatnonzero((query_ids != query_ids.shift()).fill_null(True).to_numpy())
    if len(begins) < len(query_ids):
        lengths = np.diff(begins, append=len(query_ids))
        return np.repeat(_buckets(query_ids.gather(begins), n), lengths)
    return _buckets(query_ids, n)


def hashes_of(ids: pl.Series) -> np.ndarray:
    """Return a hash of 64 bits of each id: strings, integers or categories, without nulls."""
    if isinstance(ids.dtype, pl.Enum):
        return np.asarray(_hash_distinct(ids.dtype.categories)[ids.to_physical()])
    return _hash_distinct(ids)


def _buckets(ids: pl.Series, n: int) -> np.ndarray:
    hashes = _hash_distinct(ids)
    hashes %= np.uint64(n)
    return hashes.view(np.int64)


def _hash_distinct(ids: pl.Series) -> np.ndarray:
    """Return a hash of 64 bits for each id, some of them at once."""
    hashes = np.empty(len(ids), np.uint64)
    for start in range(0, len(ids), _BLOCK):
        hashes[start : start + _BLOCK] = _hashes(ids[start : start + _BLOCK].cast(pl.String))
    return hashes


def _hashes(texts: pl.Series) -> np.ndarray:
    """Return a hash of 64 bits for each text."""
    data, start, length = _bytes_of(texts)
    state = mixed(length.astype(np.uint64))
    words = np.ndarray(len(data) - _WORD + 1, "<u8", data, strides=(1,))
    active = np.arange(len(start))
    for offset in range(0, int(length.max(initial=0)), _WORD):
        active = active[length[active] > offset]
        here = slice(None) if len(active) == len(start) else active
        left = np.minimum(length[here] - offset, _WORD).astype(np.uint64)
        word = words[start[here] + offset] & _ones(left)
        state[here] = mixed(state[here] + word)
    return state


def _ones(n_bytes: np.ndarray) -> np.ndarray:
    """Return for each number of bytes, from 1 to 8, a word whose lowest bytes are all ones."""
    return np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(8) * (np.uint64(_WORD) - n_bytes))


def mixed(state: np.ndarray) -> np.ndarray:
    """Make every bit of the state depend on every bit (the finaliser of SplitMix64)."""
    state = state + _MULTIPLIER
    shifted = np.empty_like(state)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state ^= np.right_shift(state, np.uint64(shift), out=shifted)
        state *= np.uint64(factor)
    state ^= np.right_shift(state, np.uint64(31), out=shifted)
    return state


def sum_of_rows(columns: Sequence[pl.Series | np.ndarray]) -> int:
    """Return the sum of a hash of each row of some columns, independent of the order of rows.

    A column has ids, numbers that are compared as floats, or 64 bits in an array. A few rows at a
    time are hashed, so that intermediate results stay in the cache.
    """
    first = _hashes_by_block(columns[0], mixed)
    others = [_hashes_by_block(column) for column in columns[1:]]
    total = np.zeros(1, np.uint64)
    for start in range(0, len(columns[0]), _BLOCK):
        rows = slice(start, start + _BLOCK)
        state = first(rows)
        for hashes_of_block in others:
            state = mixed(state + hashes_of_block(rows))
        total += state.sum(dtype=np.uint64)
    return int(total[0])


def _hashes_by_block(
    column: pl.Series | np.ndarray, then: Callable[[np.ndarray], np.ndarray] = np.asarray
) -> Callable[[slice], np.ndarray]:
    """Return a function from some rows of a column to 64 bits for each of them.

    ``then`` is applied to the bits; for categories, only once to each category.
    """
    if isinstance(column, np.ndarray):
        return lambda rows: then(column[rows])
    dtype = column.dtype
    if dtype.is_numeric():
        return lambda rows: then(bits_of(column[rows]))
    if not isinstance(dtype, pl.Enum):
        return lambda rows: then(_hashes(column[rows]))
    hashes, code = then(_hash_distinct(dtype.categories)), column.to_physical().to_numpy()
    return lambda rows: hashes.take(code[rows])


def _bytes_of(texts: pl.Series) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bytes of all texts, with room for a word behind them, and starts and lengths."""
    # The oldest form is that of one buffer; a cast to it would import pyarrow.compute.
    arrow = texts.to_arrow(compat_level=pl.CompatLevel.oldest())
    _, offset_buffer, data = arrow.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[arrow.offset :][: len(arrow) + 1]
    used = np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]]
    padded = np.zeros(len(used) + _WORD, np.uint8)
    padded[: len(used)] = used
    return padded, offsets[:-1] - offsets[0], np.diff(offsets)


def bits_of(numbers: pl.Series) -> np.ndarray:
    """Return the bits of numbers; both zeros, which are equal, have the bits of 0."""
    floats = numbers.cast(pl.Float64)
    values = (floats.fill_null(float("nan")) if floats.has_nulls() else floats).to_numpy() + 0.0
    return np.asarray(values.view(np.uint64))
