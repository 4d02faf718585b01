"""Strings as integer codes: long tables have strings as keys, arrays have integers."""

from __future__ import annotations

import numpy as np
import polars as pl


def encode(column: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Give a column's distinct strings, sorted, and each row's index among them.

    Examples
    --------
    >>> names, codes = encode(pl.Series(["b", "a", "b"]))
    >>> names.to_list(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if column.head(_SEEN).rle_id().max() == min(len(column), _SEEN) - 1:
        names = column.unique().sort()
        return names, column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    stretches = column.rle().struct.unnest()
    names = stretches["value"].unique().sort()
    codes = names.search_sorted(stretches["value"]).to_numpy().astype(np.int64)
    return names, np.repeat(codes, stretches["len"].to_numpy())


_SEEN = 1000  # rows that tell whether equal strings stand together


def decode(names: pl.Series, codes: np.ndarray) -> pl.Series:
    """Give the string of each code."""
    return names.gather(codes)
