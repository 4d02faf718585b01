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
    differs = [pl.col(name).ne_missing(pl.col(name).shift()) for name in names]
    is_first = table.select(pl.any_horizontal(differs)).to_series().to_numpy(writable=True)
    is_first[:1] = True
    return is_first
