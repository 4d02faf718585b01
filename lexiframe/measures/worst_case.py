"""The worst case of a ranking over all information needs, by looking at every one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures.metric import Metric
from lexiframe.measures.rankings import Rankings
from lexiframe.measures.recall_level import RecallLevelMetric

MOST_ITEMS = 15
"""2^15 − 1 subsets: beyond this `TSE` is the way, where the theorem holds."""


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase(Metric):
    """WC_μ = the least μ(π, u) over all non-empty subsets u of the relevant items.

    Each subset is an information need that the request may stand for; μ(π, u) takes u as the
    relevant items. For a top-heavy μ with z(1, 1) = 1 and an e that does not depend on m it is
    e(p_m), which is `TSE`; here every subset is looked at, for requests of at most 15 relevant
    items.
    """

    of: RecallLevelMetric

    kind: ClassVar[str] = "worst case"
    cuts_off: ClassVar[bool] = False

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.of)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """min_u μ(π, u)."""
        worst = np.zeros(len(rankings))
        for ranking, positions in _by_number(self, rankings):
            worst[ranking] = np.min(
                [values.min(axis=0) for values in _over_subsets(self.of, positions)], axis=0
            )
        return worst


def _by_number(metric: Metric, rankings: Rankings) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give the rankings of each number m of relevant items, and their positions: rankings × m."""
    items = rankings.from_the_top
    counts = np.bincount(rankings.of_relevant, minlength=len(rankings))
    if counts.max(initial=0) > MOST_ITEMS:
        row = rankings.keys.row(int(counts.argmax()), named=True)
        raise LexiframeError(
            f"{metric}: expected at most {MOST_ITEMS} relevant items to look at all subsets of, "
            f"found {counts.max()} for query {row['query_id']!r}; of a top-heavy measure, such as "
            "AP, the worst case is TSE"
        )
    m_of_item = counts[items["ranking"].to_numpy()]
    for m in np.unique(counts[counts > 0]):
        of_m = items.filter(pl.Series(m_of_item == m))["position"].to_numpy(allow_copy=True)
        yield np.flatnonzero(counts == m), of_m.reshape(-1, m)


def _over_subsets(metric: RecallLevelMetric, positions: np.ndarray) -> Iterator[np.ndarray]:
    """Give μ of all subsets of each size: subsets × rankings."""
    m = positions.shape[1]
    members, level = _subsets(m)
    size = members.sum(axis=1)
    for n in range(1, m + 1):
        of_size = size == n
        weights = _weights(metric, level[of_size], n) * members[of_size]
        yield weights @ _exposures(metric, positions, n).T


@cache
def _subsets(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Give all non-empty subsets of m items: subsets × m, whether an item is in, and its level."""
    members = (np.arange(1, 2**m)[:, None] >> np.arange(m)) & 1 == 1
    return members, members.cumsum(axis=1)


def _weights(metric: RecallLevelMetric, level: np.ndarray, n: int) -> np.ndarray:
    levels = pl.DataFrame({"i": np.arange(1.0, n + 1)})
    weight = metric.evaluate(metric.weight, pl.col("i"), pl.lit(float(n)) + 0 * pl.col("i"))
    weights = levels.select(weight=weight + 0.0 * pl.col("i"))["weight"].to_numpy()
    return np.asarray(weights[np.maximum(level, 1) - 1])


def _exposures(metric: RecallLevelMetric, positions: np.ndarray, n: int) -> np.ndarray:
    """e(p) of every item, with n for m: rankings × m."""
    p = pl.DataFrame({"p": positions.ravel()}).with_columns(pl.col("p").fill_nan(None))
    exposure = metric.exposures(pl.col("p").cast(pl.Float64), pl.lit(float(n)) + 0 * pl.col("p"))
    return p.select(e=exposure.fill_null(0.0))["e"].to_numpy().reshape(positions.shape)
