"""The precision at shares of the relevant items, and at multiples of their number."""

from __future__ import annotations

import numpy as np

from lexiframe.core.metrics.kinds.counts import ratio, relevant, retrieved
from lexiframe.core.metrics.rankings import Rankings

_ELEVEN = [n / 10 for n in range(11)]


def interpolated_precision(rankings: Rankings, *, recall: float, rounding: str) -> np.ndarray:
    """The greatest i/p_i of the levels i from the one that is the share ``recall`` of m."""
    found = rankings.found
    position, level = (found.relevant[x].to_numpy() for x in ("position", "level"))
    counts = level >= _level_at(recall, relevant(rankings), rounding)[found.relevant_rankings]
    precision = np.zeros(len(rankings))
    np.maximum.at(precision, found.relevant_rankings[counts], level[counts] / position[counts])
    return precision


def eleven_point_average(rankings: Rankings, *, rounding: str) -> np.ndarray:
    """The mean of the interpolated precision at the shares 0, 0.1 ... 1."""
    points = [interpolated_precision(rankings, recall=r, rounding=rounding) for r in _ELEVEN]
    # np.mean would add in another order for a single ranking
    return np.asarray(sum(points[1:], start=points[0]) / len(points))


def precision_at_multiple(rankings: Rankings, *, multiple: float) -> np.ndarray:
    """The precision of the first ⌊x m + 0.9⌋ ranks."""
    k = _level_at(multiple, relevant(rankings), "up")
    position = rankings.relevant["position"].to_numpy()
    is_seen = (
        position <= k[rankings.relevant_rankings]
    )  # NaN, what was not retrieved, compares as False
    return ratio(np.bincount(rankings.relevant_rankings[is_seen], minlength=len(rankings)), k)


def _level_at(share: float, m: np.ndarray, rounding: str) -> np.ndarray:
    """Return share · m as a whole number: the nearest one, halves up, or ⌊share · m + 0.9⌋.

    The first is what trec_eval 10 does (lround), the second what earlier versions do.
    """
    if rounding == "up":
        return np.floor(share * m + 0.9)
    whole = np.floor(share * m)
    return whole + (share * m - whole >= 0.5)


def work_saved(rankings: Rankings, *, percent: float) -> np.ndarray:
    """(ñ − p)/ñ − (1 − R), where p is the rank at which the recall R is reached, or else ñ."""
    n, m = retrieved(rankings), relevant(rankings)
    level, position = (rankings.relevant[x].to_numpy() for x in ("level", "position"))
    # 100 i ≥ percent · m, and not i/m ≥ R, which rounding decides
    reached = 100 * level >= percent * m[rankings.relevant_rankings]
    found = reached & np.isfinite(position)
    read = n.copy()
    np.minimum.at(read, rankings.relevant_rankings[found], position[found])
    return ratio(n - read, n) - (1 - percent / 100)
