"""The values of a metric for all rankings of a few items, and for all users of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics import (
    GradedMetric,
    Metric,
    RecallLevelMetric,
    SearchLength,
    derived,
    scores,
    subtopic_metrics,
)
from lexiframe.core.pairwise import parse_measures
from lexiframe.study.theory.arguments import check_few
from lexiframe.study.theory.rankings import positions_of

MOST_ITEMS = 12
"""12 relevant items have 4,095 subsets, of which each is a user."""


def values_of(metric: Metric, ranks: np.ndarray, n: int) -> np.ndarray:
    """Return the values of rankings of n items, given the ``ranks`` of the relevant ones."""
    names = [f"{number:06}" for number in range(len(ranks))]
    p = positions_of([(np.zeros(1, int), ranks[None])], names, n)
    return scores(p, metric).sort("run")["value"].to_numpy()


def checked_metrics(function: str, measures: Any, n: int, m: int) -> list[Any]:
    """Return the metrics that are asked for; raise when they or the rankings are unfit."""
    check_few(function, n, m)
    if m > MOST_ITEMS:
        raise LexiframeError(
            f"{function}: expected at most {MOST_ITEMS} relevant items, to try all subsets of "
            f"them, found {m}"
        )
    asked = parse_measures(measures)
    for metric in asked:
        is_other = isinstance(metric, SearchLength | subtopic_metrics.SubtopicMetric)
        if not isinstance(metric, RecallLevelMetric | GradedMetric) or is_other:
            raise LexiframeError(
                f"{function}: expected recall-level or graded metrics, such as AP and nDCG, "
                f"found {metric}"
            )
    return asked


def values_by_ranks(metric: Metric, n: int, m: int) -> dict[tuple[int, ...], float]:
    """Return the value of each ranking with up to m relevant items, by the ranks of these."""
    values: dict[tuple[int, ...], float] = {}
    for size in range(1, m + 1):
        ranks = [*combinations(range(1, n + 1), size)]
        found = values_of(metric, np.array(ranks), n).tolist()
        values.update(zip(ranks, found, strict=True))
    return values


def subsets(ranks: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all non-empty subsets of the ranks, each ascending."""
    for size in range(1, len(ranks) + 1):
        yield from combinations(ranks, size)


def exposure_of(metric: RecallLevelMetric | GradedMetric) -> Metric:
    """Return Σ e(p) over the items, with the cut-off of the metric."""
    if metric.cutoff is None:
        return derived.eta(metric)
    whole: RecallLevelMetric = derived.eta(replace(metric, cutoff=None))
    return replace(whole, cutoff=metric.cutoff)
