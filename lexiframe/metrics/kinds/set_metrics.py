"""Metrics of what was retrieved as a set, with trec_eval's definitions.

r of the m relevant items are among the ñ documents retrieved.
"""

from __future__ import annotations

import numpy as np

from lexiframe.base import LexiframeError
from lexiframe.metrics.kinds.counts import ratio, relevant, relevant_retrieved, retrieved
from lexiframe.metrics.rankings import Rankings


def precision(rankings: Rankings, *, relative: bool) -> np.ndarray:
    """r / ñ, or r / min(ñ, m)."""
    n = retrieved(rankings)
    most = np.minimum(n, relevant(rankings)) if relative else n
    return ratio(relevant_retrieved(rankings), most)


def recall(rankings: Rankings) -> np.ndarray:
    """r / m."""
    return ratio(relevant_retrieved(rankings), relevant(rankings))


def weighted_mean(rankings: Rankings, *, beta: float) -> np.ndarray:
    """(β + 1) P R / (β P + R), which is (β + 1) r / (β m + ñ)."""
    r, n, m = relevant_retrieved(rankings), retrieved(rankings), relevant(rankings)
    return ratio((beta + 1) * r, beta * m + n)


def average_precision(rankings: Rankings) -> np.ndarray:
    """r² / (ñ m)."""
    r = relevant_retrieved(rankings).astype(np.float64)
    return ratio(r * r, retrieved(rankings) * relevant(rankings).astype(np.float64))


def utility(
    rankings: Rankings, *, a: float, b: float, c: float, d: float, n: float | None = None
) -> np.ndarray:
    """a r + b (ñ − r) + c (m − r) + d (n − ñ − m + r)."""
    if d and n is None:
        raise LexiframeError(
            f"utility(d={d:g}): counts what is neither relevant nor retrieved, and needs the "
            "number of items in the corpus: write utility(d=..., n=...)"
        )
    found, n_retrieved = relevant_retrieved(rankings), retrieved(rankings)
    m, neither = relevant(rankings), 0.0
    if d and n is not None:
        neither = d * (n - n_retrieved - m + found)
    return np.asarray(a * found + b * (n_retrieved - found) + c * (m - found) + neither)
