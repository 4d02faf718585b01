"""Rows that belong together follow each other: where each such stretch of a table begins."""

from __future__ import annotations

import numpy as np
import polars as pl


def begins(table: pl.DataFrame, *names: str) -> np.ndarray:
    """Return which rows differ from the row before them in one of some columns; the first one does.

    Examples
    --------
    >>> begins(pl.DataFrame({"run": ["a", "a", "b"]}), "run").tolist()
    [True, False, True]
    """
    is_first = np.zeros(table.height, bool)
    is_first[:1] = True
    for name in names:
        is_first |= table[name].ne_missing(table[name].shift()).to_numpy()
    return is_first
