"""Strings as integer codes: long tables have strings as keys, arrays have integers."""

from __future__ import annotations

import numpy as np
import polars as pl


def encode(column: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Return a column's distinct strings, sorted, and each row's index among them.

    Examples
    --------
    >>> names, codes = encode(pl.Series(["b", "a", "b"]))
    >>> names.to_list(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if column.head(_SEEN).rle_id().max() == min(len(column), _SEEN) - 1:
        return _encode(column)
    stretches = column.rle().struct.unnest()
    names, codes = _encode(stretches["value"])
    return names, np.repeat(codes, stretches["len"].to_numpy())


def _encode(column: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Hash the strings, so that only the distinct ones are sorted."""
    hashed = column.cast(pl.Categorical(pl.Categories.random()))
    code = hashed.to_physical().to_numpy().astype(np.int64)
    some_row = np.zeros(int(code.max(initial=-1)) + 1, np.int64)
    some_row[code] = np.arange(len(code))
    names = column.gather(some_row)
    order = names.arg_sort().to_numpy()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return names.gather(order), place[code]


_SEEN = 1000  # rows that tell whether equal strings stand together


def decode(names: pl.Series, codes: np.ndarray) -> pl.Series:
    """Give the string of each code."""
    return names.gather(codes)
