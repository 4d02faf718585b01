"""The worst case of a ranking over all information needs, found by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.graded import GradedMetric, refuse_grades_above
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.recall_level import (
    RecallLevelMetric,
    exposed,
    refuse_ranks_beyond_n,
)
from lexiframe.core.metrics.rankings import GRADE, LEVEL, N_RELEVANT, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row

MOST_ITEMS = 15
"""15 items have 32,767 subsets. For more items use `TSE`, where it equals the worst case."""


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase(Metric):
    """WC_μ = the least μ(π, u) over all non-empty subsets u of the relevant items.

    Each subset is an information need that the request may stand for. μ(π, u) counts only the items
    of u as relevant; a graded μ uses their grades. `derived.WC` says when the value equals `TSE`.
    """

    of: RecallLevelMetric | GradedMetric

    kind: ClassVar[str] = "worst case"
    cuts_off: ClassVar[bool] = False

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.of)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """min_u μ(π, u)."""
        if isinstance(self.of, GradedMetric):
            refuse_grades_above(self.of, rankings)
        else:
            refuse_ranks_beyond_n(self.of, rankings)
        worst = np.zeros(len(rankings))
        for ranking, positions, grades in _rankings_by_number(self, rankings):
            values = _subset_values(self.of, positions, grades)
            worst[ranking] = np.min([of_size.min(axis=0) for of_size in values], axis=0)
        return worst


def _rankings_by_number(metric: Metric, rankings: Rankings) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield, for each number m of relevant items, the rankings, their positions and their grades.

    Positions and grades are rankings × m.
    """
    items = rankings.items_by_level
    counts = np.bincount(rankings.relevant_rankings, minlength=len(rankings))
    if counts.max(initial=0) > MOST_ITEMS:
        row = rankings.keys.row(int(counts.argmax()), named=True)
        raise LexiframeError(
            f"{metric}: expected at most {MOST_ITEMS} relevant items, to try all subsets of them, "
            f"found {counts.max()} for query {row['query_id']!r}; the worst case of a top-heavy "
            "measure, such as AP, is TSE"
        )
    m_of_item = counts[items["ranking"].to_numpy()]
    for m in np.unique(counts[counts > 0]):
        of_m = items.filter(pl.Series(m_of_item == m))
        positions, grades = (
            of_m[column].to_numpy(allow_copy=True).reshape(-1, m)
            for column in ("position", "relevance")
        )
        yield np.flatnonzero(counts == m), positions, grades


def _subset_values(
    metric: RecallLevelMetric | GradedMetric, positions: np.ndarray, grades: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield, for each size, μ of all subsets of that size: subsets × rankings."""
    m = positions.shape[1]
    members, level = _subsets(m)
    size = members.sum(axis=1)
    for n in range(1, m + 1):
        of_size = size == n
        if isinstance(metric, GradedMetric):
            yield _graded(metric, positions, grades, members[of_size])
        else:
            weights = _item_weights(metric, level[of_size], n) * members[of_size]
            yield weights @ _item_values(exposed(metric), positions, grades, n).T


def _graded(
    metric: GradedMetric, positions: np.ndarray, grades: np.ndarray, members: np.ndarray
) -> np.ndarray:
    """Return a graded μ of subsets of one size: subsets × rankings."""
    n = int(members[0].sum())
    gains = _item_values(metric.evaluate(metric.gain, GRADE), positions, grades, n)
    best_first = np.argsort(-gains, axis=1)
    grades = np.take_along_axis(grades, best_first, axis=1)
    positions = np.take_along_axis(positions, best_first, axis=1)
    total: np.ndarray = members @ _item_values(metric.terms(), positions, grades, n).T
    if not metric.normalised:
        return total
    kinds, kind = np.unique(grades, axis=0, return_inverse=True)
    ideals = np.stack(
        [_subset_ideals(metric.of_ideal, of_kind, members, n) for of_kind in kinds], axis=1
    )
    return ratio(total, ideals[:, kind.ravel()])


def _subset_ideals(
    metric: GradedMetric, grades: np.ndarray, members: np.ndarray, n: int
) -> np.ndarray:
    """Return the sum of the ideal ranking of each subset of n items; ``grades`` are descending."""
    item, place = np.indices((len(grades), n))
    terms = _item_values(metric.terms(), place + 1.0, grades[item], n)
    # an item's place in the ideal ranking is its number among the members of the subset
    at_its_place = terms[item[:, 0], np.maximum(members.cumsum(axis=1), 1) - 1]
    return np.asarray((at_its_place * members).sum(axis=1))


def _item_values(term: pl.Expr, positions: np.ndarray, grades: np.ndarray, n: int) -> np.ndarray:
    """Return the value of a term for every item, with n for m: rankings × m."""
    items = pl.DataFrame({"position": positions.ravel(), "relevance": grades.ravel()})
    items = items.with_columns(pl.col("position").fill_nan(None), n_relevant=n)
    return row_by_row(items, term=term.fill_null(0.0))["term"].to_numpy().reshape(positions.shape)


@cache
def _subsets(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, for all non-empty subsets of m items, the members and their levels: subsets × m."""
    members = (np.arange(1, 2**m)[:, None] >> np.arange(m)) & 1 == 1
    return members, members.cumsum(axis=1)


def _item_weights(metric: RecallLevelMetric, level: np.ndarray, n: int) -> np.ndarray:
    """Return z(i, n) of the level of every item: subsets × m."""
    levels = pl.DataFrame({"level": np.arange(1, n + 1)}).with_columns(n_relevant=n)
    weight = metric.evaluate(metric.weight, LEVEL, N_RELEVANT)
    weights = levels.with_columns(weight=weight)["weight"].to_numpy()
    return np.asarray(weights[np.maximum(level, 1) - 1])
