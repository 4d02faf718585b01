"""Scores of runs behind the differences of all pairs, whose signs are flipped: `scores_of`."""

from __future__ import annotations

import math

import numpy as np

_EXACT = 1e-3
"""The share of their rounding errors by which differences may differ from those of scores."""


def scores_of(values: np.ndarray, errors: np.ndarray) -> np.ndarray | None:
    """Return scores, runs × requests, whose differences are the values of all pairs, to the digit.

    None for preferences, some of the pairs and missing requests; few runs need none.
    Differences that are ties but not 0 are no differences of scores: they would count.
    """
    (n_pairs, n), n_runs = values.shape, math.isqrt(2 * len(values)) + 1
    n_behind = np.arange(n_runs - 1, 0, -1)
    if n_runs >= n_pairs or n_behind.sum() != n_pairs:
        return None
    scores = np.concatenate([np.zeros((1, n)), -values[: n_runs - 1]])
    ends, errors = n_behind[:-1].cumsum(), _EXACT * np.broadcast_to(errors, values.shape)
    parts = zip(np.split(values, ends), np.split(errors, ends), strict=True)
    are_differences = (
        (np.abs(scores[run] - scores[run + 1 :] - of_run) <= error).all()
        for run, (of_run, error) in enumerate(parts)
    )
    return scores if all(are_differences) else None
