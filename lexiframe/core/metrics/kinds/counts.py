"""Counts of items, and metrics of the retrieved set, with trec_eval's definitions.

r of the m relevant items are among the ñ documents retrieved.
"""

from __future__ import annotations

import numpy as np

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.rankings import LEVEL, RANK, Rankings


def retrieved(rankings: Rankings) -> np.ndarray:
    """Return ñ, the number of documents in each ranking."""
    return rankings.first_row("n_retrieved")


def relevant(rankings: Rankings) -> np.ndarray:
    """Return m, the number of relevant items of each ranking's request."""
    return rankings.first_row("n_relevant")


def relevant_retrieved(rankings: Rankings, *, cutoff: int | None = None) -> np.ndarray:
    """Return the number of relevant items that have a rank, or one up to the cut-off."""
    return np.bincount(rankings.within(cutoff).ranking, minlength=len(rankings))


def nonrelevant_retrieved(rankings: Rankings) -> np.ndarray:
    """Return how many documents that are judged not relevant were retrieved."""
    items = rankings.judged_items
    counted = items.nonrelevant(rankings.rel) & (items.grade >= 0) & (items.rank > 0)
    return np.bincount(items.ranking[counted], minlength=len(rankings))


def one(rankings: Rankings) -> np.ndarray:
    """Return 1 for each ranking, so that the sum is the number of requests."""
    return np.ones(len(rankings))


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, and 0 where b is 0: of requests without relevant items, and of empty rankings.

    It is NaN where b is not finite, as a sum of very large gains can be: a share of it is unknown.
    """
    values = np.divide(a, b, out=np.zeros(a.shape), where=b > 0)
    return np.where(np.isfinite(b), values, np.nan)


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


def patent_retrieval_score(rankings: Rankings, *, cutoff: int) -> np.ndarray:
    """1 − (1/m Σ r_i − (m + 1)/2)/k, to which items with r_i = k + i add nothing."""
    found = rankings.within(cutoff)
    saved = found.item_values(cutoff + LEVEL - RANK)
    total = np.bincount(found.relevant_rankings, saved, len(found))
    return ratio(total, cutoff * relevant(rankings))


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
