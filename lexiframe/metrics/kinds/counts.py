"""Counts of retrieved and of relevant items, and of those that are judged not relevant."""

from __future__ import annotations

import numpy as np

from lexiframe.metrics.kinds.metric_parameters import MOST
from lexiframe.metrics.rankings import Rankings


def retrieved(rankings: Rankings) -> np.ndarray:
    """Return ñ, the number of documents in each ranking."""
    return rankings.first_row("n_retrieved")


def relevant(rankings: Rankings) -> np.ndarray:
    """Return m, the number of relevant items of each ranking's request."""
    return rankings.first_row("n_relevant")


def relevant_retrieved(rankings: Rankings, *, cutoff: int | None = None) -> np.ndarray:
    """Return the number of relevant items that have a rank, or one up to the cut-off."""
    has_rank = rankings.relevant["position"] <= (MOST if cutoff is None else cutoff)
    is_found = has_rank.fill_null(value=False).to_numpy()
    return np.bincount(rankings.of_relevant[is_found], minlength=len(rankings))


def nonrelevant_retrieved(rankings: Rankings) -> np.ndarray:
    """Return how many documents that are judged not relevant were retrieved."""
    items = rankings.judged_items
    counted = items.nonrelevant(rankings.rel) & (items.grade >= 0) & (items.rank > 0)
    return np.bincount(items.ranking[counted], minlength=len(rankings))


def one(rankings: Rankings) -> np.ndarray:
    """Return 1 for each ranking, so that the sum is the number of requests."""
    return np.ones(len(rankings))


def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, and 0 where b is 0: of requests without relevant items, and of empty rankings."""
    return np.asarray(np.divide(a, b, out=np.zeros(a.shape), where=b > 0))
