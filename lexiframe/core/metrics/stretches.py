"""Rows that belong together follow each other: where each such stretch of a table begins."""

from __future__ import annotations

import numpy as np
import polars as pl


def begins(table: pl.DataFrame, *names: str) -> np.ndarray:
    """Return which rows differ from the row before them in some columns; the first one does."""
    if table.is_empty():  # of which there is no row before the last
        return np.zeros(0, bool)
    is_first = np.zeros(table.height, bool)
    is_first[0] = True
    for name in names:
        column = table[name]
        is_first[1:] |= column.slice(1).ne_missing(column.slice(0, table.height - 1)).to_numpy()
    return is_first
