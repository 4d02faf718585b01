"""Numbers to ranks, with ties honoured."""

from __future__ import annotations

import numpy as np

SAME = 1e-12
"""Aggregates that differ by no more are the same number, summed in another order."""


def tie_groups(values: np.ndarray) -> np.ndarray:
    """Number the distinct values of each row, 0 for the greatest; nearly equal ones are one.

    Examples
    --------
    >>> tie_groups(np.array([0.3, 0.5, 0.1 + 0.2])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(-values, axis=-1, kind="stable")
    falling = np.take_along_axis(values, order, axis=-1)
    steps = np.zeros(values.shape, np.int64)
    steps[..., 1:] = np.cumsum(falling[..., :-1] - falling[..., 1:] > SAME, axis=-1)
    groups = np.empty_like(steps)
    np.put_along_axis(groups, order, steps, axis=-1)
    return groups


def mid_ranks(values: np.ndarray) -> np.ndarray:
    """Rank each row's values, 1 for the greatest; equal ones share the mean of their ranks.

    Examples
    --------
    >>> mid_ranks(np.array([0.3, 0.5, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    from scipy.stats import rankdata

    ranks: np.ndarray = rankdata(tie_groups(values), axis=-1)
    return ranks
