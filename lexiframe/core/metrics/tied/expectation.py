"""Metrics in expectation over tied orders: `expectation`.

All orders within a group of equal scores are equally likely, independently of other groups and
rankings. Each kind of metric has a closed form of its own; the values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lexiframe.core.metrics.kinds import counts, judged
from lexiframe.core.metrics.kinds.cascade import CascadeMetric
from lexiframe.core.metrics.kinds.graded import GradedMetric
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.ranking_metric import RankingMetric
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.kinds.search_length import SearchLength
from lexiframe.core.metrics.kinds.subtopic_metrics import SubtopicMetric
from lexiframe.core.metrics.needed import JUDGED
from lexiframe.core.metrics.rankings import Rankings
from lexiframe.core.metrics.tied import cascades, gains, levels
from lexiframe.core.metrics.tied.counted_groups import Found, spans_of_items
from lexiframe.core.projection import tied_orders


def refuse_without_form(measures: Iterable[Any]) -> None:
    """Raise for a measure that has no closed form over tied orders.

    Preferences by levels have one; compositions, and preferences that users define by functions of
    whole rankings, have none.
    """
    for measure in measures:
        has_form = measure.kind in _PREFERENCES
        if isinstance(measure, Metric):
            has_form = _form_of(measure) is not None
        if not has_form:
            raise tied_orders.no_closed_form(measure)


_PREFERENCES = ("level preference", "lexicographic preference")
"""The kinds of preferences that have a closed form."""


def expectation(metric: Metric, rankings: Rankings, value: np.ndarray) -> Found:
    """Return the mean of a metric over the orders of equal scores, and its standard deviation.

    ``value`` is that of one order, which stays where no item that counts shares its score. The
    standard deviation is NaN where there is no closed form.
    """
    tied, form = _tied_rankings(metric, rankings), _form_of(metric)
    if form is None:
        raise tied_orders.no_closed_form(metric)
    sd = np.full(len(rankings), np.nan if form in _WITHOUT_SD else 0.0)
    if tied.any():
        mean, variance = form(metric, rankings, tied)
        value = np.where(tied, mean, value)
        sd += np.where(tied, np.sqrt(np.maximum(variance, 0)), 0.0)
    return value, sd


def _tied_rankings(metric: Metric, rankings: Rankings) -> np.ndarray:
    """Return the rankings in which an item that the metric counts shares its score."""
    if metric.needs == JUDGED:
        items = rankings.judged_items
        of, (first, last) = items.ranking, spans_of_items(items)
    else:
        of = rankings.ranking
        first, last = (
            rankings.rows[name].fill_null(0).to_numpy() for name in ("tied_from", "tied_to")
        )
    found = np.zeros(len(rankings), bool)
    found[of[first < last]] = True
    return found


def _form_of(metric: Metric) -> Callable[[Any, Rankings, np.ndarray], Found] | None:
    """Return the closed form of a metric, if there is one."""
    if isinstance(metric, RankingMetric):
        return _OF_COUNTS.get(metric.function) if type(metric) is RankingMetric else None
    if isinstance(metric, judged.JudgedMetric):
        return cascades.preferred_form if metric.term is judged.preferred_to_nonrelevant else None
    if metric.rank_weights() is not None:
        return gains.weighted_form
    return _OF_KIND.get(type(metric))


_OF_KIND: dict[type, Callable[[Any, Rankings, np.ndarray], Found]] = {
    RecallLevelMetric: levels.level_form,
    SubtopicMetric: levels.level_form,
    SearchLength: levels.length_form,
    GradedMetric: gains.graded_form,
    CascadeMetric: cascades.cascade_form,
    judged.Residual: gains.residual_form,
}
_OF_COUNTS: dict[Callable[..., Any], Callable[[Any, Rankings, np.ndarray], Found]] = {
    counts.retrieved: gains.unchanged_form,
    counts.relevant: gains.unchanged_form,
    counts.one: gains.unchanged_form,
    counts.relevant_retrieved: gains.count_form,
    counts.nonrelevant_retrieved: gains.nonrelevant_form,
    counts.precision: gains.share_form(gains.precision_divisor),
    counts.recall: gains.share_form(lambda _, rankings: counts.relevant(rankings)),
    counts.weighted_mean: gains.share_form(gains.harmonic_divisor),
    counts.average_precision: gains.squared_form,
    counts.utility: gains.utility_form,
    judged.judged_share: gains.judged_form,
    judged.unjudged_share: gains.unjudged_form,
}
_WITHOUT_SD = (cascades.cascade_form, levels.length_form, gains.squared_form)
"""The forms of which only the mean is known."""
