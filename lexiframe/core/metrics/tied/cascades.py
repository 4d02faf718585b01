"""Metrics with memory that have a closed form over tied orders all the same: ERR and bpref."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lexiframe.core.base import coded
from lexiframe.core.metrics.kinds import counts, judged
from lexiframe.core.metrics.kinds.cascade import CascadeMetric
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.rankings import GRADE, Rankings
from lexiframe.core.metrics.tied.counted_groups import (
    Found,
    groups_of_grades,
    judged_groups,
    summed,
)
from lexiframe.core.metrics.tied.groups import Exposures, Groups, last_ranks
from lexiframe.core.metrics.tied.order_sums import moments_by_rank
from lexiframe.core.projection import tied_orders


def cascade_form(metric: CascadeMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ over groups of Q Σ_x (E_{x−1} − E_x) e(s + x).

    Q is Π (1 − R) of the groups before, and E_x the mean of Π (1 − R) over the x-subsets of the
    group: documents are added to it one by one, and each is in x of the n + 1 places.
    """
    groups = groups_of_grades(metric, rankings, tied)
    stays = 1 - rankings.item_values(metric.evaluate(metric.stop, GRADE))[groups.item]
    e = Exposures(metric, metric.exposure, groups, rankings.first_row("n_relevant"))
    arrives, mean = _chances_to_arrive(groups, stays), np.zeros(len(groups))
    for some, width in groups.batches(np.arange(len(groups)), groups.n):
        left = _subset_means(groups, stays, some, width)
        mean[some] = arrives[some] * (-np.diff(left, axis=1) * e.at(some, width)).sum(axis=1)
    return summed(groups, len(rankings), mean, np.full(len(groups), np.nan))


def _chances_to_arrive(groups: Groups, stays: np.ndarray) -> np.ndarray:
    """Return Q of each group: Π (1 − R) of the items of the groups before it in its ranking."""
    arrives = np.ones(len(groups))
    if not len(groups):
        return arrives
    of_group = np.multiply.reduceat(stays, groups.start)
    is_first = coded.begins(groups.ranking)
    starts = np.flatnonzero(is_first)
    longest = int(np.diff(starts, append=len(is_first)).max())
    for _ in range(longest - 1):  # from one group of each ranking to the next one
        arrives[1:] = np.where(is_first[1:], 1.0, (arrives * of_group)[:-1])
    return arrives


def _subset_means(groups: Groups, stays: np.ndarray, some: np.ndarray, width: int) -> np.ndarray:
    """Return E_0 to E_width of groups that have as many relevant items: groups × (width + 1).

    All other documents have 1 − R = 1.
    """
    t, r, x = groups.size[some], int(groups.n[some[0]]), np.arange(width + 1)
    means = np.ones((len(some), width + 1))
    for j in range(r):
        share = np.minimum(x / (t - r + j + 1)[:, None], 1)
        before = np.pad(means[:, :-1], ((0, 0), (1, 0)))
        means = (1 - share) * means + share * stays[groups.start[some] + j][:, None] * before
    return means


def preferred_form(metric: judged.JudgedMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return 1/m Σ of 1 − min(b, m)/min(m, N) over the relevant items retrieved.

    Only the judged documents of a group matter: r relevant ones and v that are not relevant, in
    any order. Where the depth divides the group, the first j of these are seen, j random.
    """
    items, m = rankings.judged_items, counts.relevant(rankings).astype(np.float64)
    nonrelevant = items.nonrelevant(rankings.rel)
    n = np.bincount(items.ranking[nonrelevant & (items.grade >= 0)], minlength=len(m))
    most = np.minimum(m, n) if metric.values["denominator"] == "min" else m
    groups = judged_groups(rankings, tied, last_ranks(rankings, None))
    mean, variance = np.zeros((2, len(groups)))
    r, above = _relevant_and_above(groups, ~nonrelevant[groups.item])
    for some, width in groups.batches(np.flatnonzero(r > 0), groups.size, groups.n, r):
        ranking = groups.ranking[some]
        term = _preferred_terms(above[some], int(r[some[0]]), m[ranking], most[ranking])
        t, both = int(groups.size[some[0]]), int(groups.n[some[0]])
        seen = tied_orders.count_chances(t, both, np.array([width]))[0]
        moments = moments_by_rank(np.full(len(some), both), r[some], both, term)
        sums = [chance * of[1:].sum(axis=2) for chance, of in zip(seen[1:], moments, strict=True)]
        first, square = np.sum(sums, axis=0)
        mean[some], variance[some] = first, np.maximum(square - first**2, 0)
    total, spread = summed(groups, len(m), mean, variance)
    return ratio(total, m), ratio(spread, m**2)


def _relevant_and_above(groups: Groups, are_relevant: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the relevant items of each group, and the other judged ones in the groups above."""
    if not len(groups):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    r = np.add.reduceat(are_relevant.astype(np.int64), groups.start)
    others = np.cumsum(~are_relevant) - ~are_relevant
    first_of_ranking = np.searchsorted(groups.ranking, groups.ranking)
    return r, others[groups.start] - others[groups.start[first_of_ranking]]


def _preferred_terms(
    above: np.ndarray, r: int, m: np.ndarray, most: np.ndarray
) -> Callable[[int], np.ndarray]:
    """Return the function from a judged document's place x to 1 − min(b, m)/most, by relevant k.

    b are the ``above`` and the x − 1 − k of the group that are not relevant.
    """
    k, of_most = np.arange(r + 1), np.broadcast_to(most[:, None], (len(above), r + 1))

    def term(x: int) -> np.ndarray:
        lost = np.minimum(above[:, None] + np.maximum(x - 1 - k, 0), m[:, None])
        return np.asarray(1 - ratio(lost, of_most))

    return term
