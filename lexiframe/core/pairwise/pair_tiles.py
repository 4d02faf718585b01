"""All pairs of runs, in parts of the runs whose rankings fit in memory together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

_RANKS = 1 << 24  # runs × documents of which the ranks are known at once: 64 MB


def tiles_of(n_runs: int, longest: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield runs to look at together, and the pairs of them: indices a and b, a ascending.

    Runs may share no document, so that there are at most runs × ``longest`` documents. If these are
    too many, the pairs lie within a part of the runs, or between two parts.
    """
    most = max(2, math.isqrt(_RANKS // max(longest, 1)))
    size = n_runs if n_runs <= most else most // 2
    parts = [np.arange(n, min(n + size, n_runs)) for n in range(0, n_runs, size)]
    for part in parts:
        yield part, *np.triu_indices(len(part), k=1)
    for first, second in combinations(parts, 2):
        a, b = np.indices((len(first), len(second))).reshape(2, -1)
        yield np.concatenate([first, second]), a, b + len(first)


def number_of(a: np.ndarray, b: np.ndarray, n_runs: int) -> np.ndarray:
    """Return the number of each pair of runs, in the order of the table's key."""
    return np.asarray(a * (2 * n_runs - a - 1) // 2 + b - a - 1)
