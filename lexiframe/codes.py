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
    stretches = column.rle().struct.unnest()
    values = stretches["value"]
    names = values.unique().sort()
    codes = names.search_sorted(values).to_numpy().astype(np.int64)
    if stretches.height == len(column):
        return names, codes
    return names, np.repeat(codes, stretches["len"].to_numpy())


def decode(names: pl.Series, codes: np.ndarray) -> pl.Series:
    """Give the string of each code."""
    return names.gather(codes)
