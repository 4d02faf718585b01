"""Sums of gain times discount, and numbers of items, in expectation over tied orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lexiframe.core.metrics.kinds import counts, judged
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.exposures import constant
from lexiframe.core.metrics.kinds.graded import GradedMetric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.rankings import GRADE, Rankings
from lexiframe.core.metrics.tied.counted_groups import (
    Found,
    groups_of_grades,
    judged_groups,
    relevant_groups,
    spans_of_items,
    summed,
)
from lexiframe.core.metrics.tied.groups import Exposures, Groups, last_ranks
from lexiframe.core.metrics.tied.order_sums import linear_variance


def graded_form(metric: GradedMetric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ over groups of the mean gain times Σ_x e(s + x), over the ideal."""
    groups = groups_of_grades(metric, rankings, tied)
    gain = rankings.item_values(metric.evaluate(metric.gain, GRADE))
    e = Exposures(metric, metric.exposure, groups, rankings.first_row("n_relevant"))
    mean, variance = summed(groups, len(rankings), *_gain_moments(groups, e, gain[groups.item]))
    if metric.normalised:
        ideal = metric._ideals(rankings)
        mean, variance = ratio(mean, ideal), ratio(variance, ideal**2)
    return mean, variance


def _gain_moments(groups: Groups, e: Exposures, gain: np.ndarray) -> Found:
    """Return mean and variance of Σ g e of each group; ``gain`` has the g of its items."""
    found = np.zeros((2, len(groups)))
    if not len(groups):
        return found[0], found[1]
    each = np.add.reduceat(gain, groups.start) / groups.size
    squares = np.add.reduceat(np.square(gain - np.repeat(each, groups.n)), groups.start)
    squares += (groups.size - groups.n) * each**2
    for some, width in groups.batches(np.arange(len(groups))):
        of = e.at(some, width)
        found[0, some] = each[some] * of.sum(axis=1)
        found[1, some] = linear_variance(of, groups.size[some], squares[some])
    return found[0], found[1]


def weighted_form(metric: Any, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ_i W(i) g(i) of a user whose reading does not depend on the gains."""
    weights = metric.rank_weights()
    ranks = np.arange(1.0, len(weights) + 1)
    groups = relevant_groups(replace(metric, cutoff=len(weights)), rankings, tied)
    e = Exposures(metric, lambda p: p.replace_strict(ranks, weights), groups, np.zeros(1))
    gain = metric.gains(rankings)[groups.item]
    return summed(groups, len(rankings), *_gain_moments(groups, e, gain))


def _judged_sum(metric: Metric, exposure: Any, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return Σ e(p) over the judged items."""
    groups = judged_groups(rankings, tied, last_ranks(rankings, metric.cutoff))
    e = Exposures(metric, exposure, groups, rankings.first_row("n_relevant"))
    return summed(groups, len(rankings), *_gain_moments(groups, e, np.ones(len(groups.item))))


def residual_form(metric: judged.Residual, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return 1 − Σ e(p) over the judged items."""
    mean, variance = _judged_sum(metric, metric.exposure, rankings, tied)
    return 1 - mean, variance


def judged_form(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the judged items of the top k, over their number."""
    mean, variance = _judged_sum(metric, constant, rankings, tied)
    most = counts.retrieved(rankings)
    if (k := metric.cutoff) is not None:
        is_least = metric.values["denominator"] == "min"
        most = np.minimum(most, k) if is_least else np.full_like(most, k)
    return ratio(mean, most), ratio(variance, most.astype(np.float64) ** 2)


def unjudged_form(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the documents of the top k without a judgment, over k."""
    mean, variance = _judged_sum(metric, constant, rankings, tied)
    n = counts.retrieved(rankings)
    k = n if metric.cutoff is None else np.full_like(n, metric.cutoff)
    return ratio(np.minimum(n, k) - mean, k), ratio(variance, k.astype(np.float64) ** 2)


def count_form(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the number of relevant items down to the cut-off."""
    groups = relevant_groups(metric, rankings, tied)
    e = Exposures(metric, constant, groups, rankings.first_row("n_relevant"))
    return summed(groups, len(rankings), *_gain_moments(groups, e, np.ones(len(groups.item))))


def share_form(divisor: Callable[[Metric, Rankings], np.ndarray]) -> Callable[..., Found]:
    """Return the form of a number of items found, over a divisor that no order changes."""

    def share(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
        mean, variance = count_form(metric, rankings, tied)
        of = divisor(metric, rankings).astype(np.float64)
        return ratio(mean, of), ratio(variance, of**2)

    return share


def precision_divisor(metric: Metric, rankings: Rankings) -> np.ndarray:
    """Return ñ, or min(ñ, m)."""
    n = counts.retrieved(rankings)
    return np.minimum(n, counts.relevant(rankings)) if metric.values["relative"] else n


def harmonic_divisor(metric: Metric, rankings: Rankings) -> np.ndarray:
    """Return (β m + ñ) / (β + 1)."""
    beta = metric.values["beta"]
    return np.asarray((beta * counts.relevant(rankings) + counts.retrieved(rankings)) / (beta + 1))


def squared_form(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return E r² / (ñ m)."""
    mean, variance = count_form(metric, rankings, tied)
    most = counts.retrieved(rankings) * counts.relevant(rankings).astype(np.float64)
    return ratio(mean**2 + variance, most), np.full(len(mean), np.nan)


def utility_form(metric: Any, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the utility, which is linear in the number of items found."""
    mean, variance = count_form(metric, rankings, tied)
    a, b, c, d = (metric.values[name] for name in "abcd")
    of_each = a - b - c + d
    one_order = metric.compute(rankings)
    found = counts.relevant_retrieved(rankings)
    return one_order + of_each * (mean - found), variance * of_each**2


def unchanged_form(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return a count that no order changes."""
    return metric.compute(rankings), np.zeros(len(rankings))


def nonrelevant_form(metric: Metric, rankings: Rankings, tied: np.ndarray) -> Found:
    """Return the number of documents retrieved that are judged not relevant."""
    items, spans = rankings.judged_items, spans_of_items(rankings.judged_items)
    counted = tied[items.ranking] & items.nonrelevant(rankings.rel) & (items.grade >= 0)
    first = np.where(counted, spans[0], 0)
    groups = Groups.find(items.ranking, first, spans[1], last_ranks(rankings, None))
    e = Exposures(metric, constant, groups, rankings.first_row("n_relevant"))
    return summed(groups, len(rankings), *_gain_moments(groups, e, np.ones(len(groups.item))))
