"""The groups of the items that a metric counts, in rankings with ties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiframe.core.metrics.judged_items import Items
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.rankings import Rankings
from lexiframe.core.metrics.tied.groups import Groups, last_ranks
from lexiframe.core.projection import tied_orders

Found = tuple[np.ndarray, np.ndarray]
"""The mean over the orders, and the variance, of each ranking; NaN where it has no closed form."""


def spans_of_items(items: Items) -> np.ndarray:
    """Return the first and the last rank of each judged item; expected ties give them."""
    return np.zeros((2, len(items.rank))) if items.spans is None else items.spans


def relevant_groups(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Groups:
    """Return the groups of the relevant items of the tied rankings, seen down to the cut-off."""
    rows, of = rankings.relevant, rankings.relevant_rankings
    first, last = (rows[name].fill_null(0).to_numpy() for name in ("tied_from", "tied_to"))
    groups = Groups.find(
        of, np.where(tied[of], first, 0), last, last_ranks(rankings, metric.cutoff)
    )
    if "corpus_size" in rows.columns:  # places of items that were not retrieved are seen, too
        most = np.inf if metric.cutoff is None else metric.cutoff
        is_imputed = groups.before >= last_ranks(rankings, None)[groups.ranking]
        seen = (is_imputed & (groups.before < most)).astype(np.int64)
        groups = replace(groups, seen=np.where(is_imputed, seen, groups.seen))
    return groups


def are_divided(metric: Metric, rankings: Rankings, groups: Groups) -> np.ndarray:
    """Return whether the depth divides each group, and ranks behind it are imputed."""
    if "corpus_size" not in rankings.rows.columns:
        return np.zeros(len(groups), bool)
    depth = last_ranks(rankings, None)[groups.ranking]
    is_divided = (groups.before < depth) & (depth < groups.before + groups.size)
    if metric.cutoff is not None:
        is_divided &= depth < metric.cutoff
    return np.asarray(is_divided)


def groups_of_grades(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Groups:
    """Return the groups of relevant items, for metrics in which it matters which item has a rank.

    Imputed ranks are given by grade, so that they depend on the order where the depth divides a
    group.
    """
    groups = relevant_groups(metric, rankings, tied)
    if are_divided(metric, rankings, groups).any():
        raise tied_orders.no_closed_form(f"{metric} of imputed ranks")
    return groups


def summed(groups: Groups, n: int, mean: np.ndarray, variance: np.ndarray) -> Found:
    """Return the sums of independent groups in each ranking."""
    return np.bincount(groups.ranking, mean, n), np.bincount(groups.ranking, variance, n)


def judged_groups(rankings: Rankings, tied: np.ndarray, limit: np.ndarray) -> Groups:
    """Return the groups of the judged items of one run; negative grades are no judgments."""
    items, spans = rankings.judged_items, spans_of_items(rankings.judged_items)
    counted = tied[items.ranking] & (items.grade >= 0)
    return Groups.find(items.ranking, np.where(counted, spans[0], 0), spans[1], limit)
