"""Compatibility with an ideal ranking, and how well a ranking separates relevant items."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.core.metrics.kinds.counts import ratio, relevant, relevant_retrieved, retrieved
from lexiframe.core.metrics.rankings import Rankings


def compatibility(rankings: Rankings, *, p: float, normalize: bool) -> np.ndarray:
    """RBO of the ranking and the ideal one that is most like it, to the end of the longer one.

    RBO is Σ_{d≤D} p^(d−1) X_d / d, where X_d items are in the first d of both. An item whose ranks
    are r and s adds p^(d−1)/d for each d from max(r, s) to D.
    """
    m = relevant(rankings)
    depth = np.maximum(retrieved(rankings), m)
    up_to = _sums(p, int(depth.max(initial=1)))
    of, position, place = _ideal_places(rankings)
    whole = up_to[depth][of]
    found = position > 0
    both = np.maximum(position, place)[found]
    overlap = np.bincount(of[found], whole[found] - up_to[both - 1], len(rankings))
    best = np.bincount(of, whole - up_to[place - 1], len(rankings))
    return ratio(overlap, best if normalize else (1 - p**depth) / (1 - p))


def _sums(p: float, depth: int) -> np.ndarray:
    """Return Σ_{d≤i} p^(d−1)/d, for i from 0 to ``depth``.

    The sums are from the top, so that they do not depend on how long other rankings are.
    """
    d = np.arange(1.0, depth + 1)
    return np.concatenate([[0.0], np.cumsum(p ** (d - 1) / d)])


def _ideal_places(rankings: Rankings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each relevant item its ranking, rank (0: not retrieved) and place in the ideal.

    Of the ideal rankings, in decreasing order of grade, this is the one most like the ranking:
    items of one grade stand in the order of their ranks.
    """
    items = rankings.items_by_level.sort(
        "ranking", pl.col("relevance") * -1, pl.col("position").fill_null(2**62)
    )
    of = items["ranking"].to_numpy()
    first = np.searchsorted(of, of)
    return of, items["position"].fill_null(0).to_numpy(), np.arange(len(of)) - first + 1


def accuracy(rankings: Rankings, *, cutoff: int | None = None) -> np.ndarray:
    """1 − Σ_i (p_i − i) / (r (k − r)) over the r relevant items in the first k; k ≤ ñ."""
    position, level = (rankings.relevant[x].to_numpy() for x in ("position", "level"))
    is_seen = position <= (np.inf if cutoff is None else cutoff)  # False for NaN: not retrieved
    above = np.bincount(
        rankings.relevant_rankings[is_seen], (position - level)[is_seen], len(rankings)
    )
    r = relevant_retrieved(rankings, cutoff=cutoff)
    n = retrieved(rankings) if cutoff is None else np.minimum(retrieved(rankings), cutoff)
    return np.where(r > 0, 1 - ratio(above, r * (n - r)), 0.0)


def binary_gain(rankings: Rankings) -> np.ndarray:
    """1/m Σ_i 1/log2(2 + p_i − i)."""
    found = rankings.found
    terms = 1 / np.log2(2 + (found.relevant["position"] - found.relevant["level"]).to_numpy())
    return ratio(np.bincount(found.relevant_rankings, terms, len(found)), relevant(rankings))
