"""Recall levels: relevant items are numbered from 1 within their ranking, the best rank first."""

from __future__ import annotations

import numpy as np

from lexiframe.base import coded


def levels_in(group: np.ndarray, *keys: np.ndarray) -> np.ndarray:
    """Number rows from 1 within their group, in the order of their keys.

    ``group`` has the number of each row's group and never decreases. The keys are whole numbers
    from 0, one for each row; rows with equal keys are numbered in the order that they have.

    Examples
    --------
    >>> levels_in(np.array([0, 0, 0, 1]), np.array([8, 2, 5, 9])).tolist()
    [3, 1, 2, 1]
    """
    begins = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(begins, append=len(group))
    nth = np.arange(1, len(group) + 1) - np.repeat(begins, sizes)

    if not keys:
        return nth
    level = np.empty(len(group), np.int64)
    level[coded.order_of(group, *keys)] = nth
    return level
