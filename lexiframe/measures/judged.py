"""Metrics that look at judged items which are not relevant, with trec_eval's definitions.

A negative grade says that an item was pooled, but not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from lexiframe.measures.metric import Metric
from lexiframe.measures.rankings import GRADE, RANK, Judged, Rankings
from lexiframe.measures.recall_level import Exposure, seen


@dataclass(frozen=True)
class Found:
    """The relevant items that were retrieved, an element of each array for one.

    Attributes
    ----------
    p, i, m
        Rank, recall level, and the number of relevant items of the request.
    b, u
        How many items above it are judged not relevant, and how many are pooled, but unjudged.
    N
        How many items of the request are judged not relevant.
    """

    p: np.ndarray
    i: np.ndarray
    m: np.ndarray
    b: np.ndarray
    u: np.ndarray
    N: np.ndarray

    @classmethod
    def of(cls, rankings: Rankings, judged: Judged) -> Found:
        """Take the relevant items of rankings."""
        items = rankings.relevant.select("position", "level", "n_relevant").drop_nulls("position")
        ranking = judged.relevant // judged.step
        p, i, m = (items[name].to_numpy() for name in items.columns)
        return cls(
            p,
            i,
            m,
            judged.above(judged.nonrelevant),
            judged.above(judged.unjudged),
            judged.n_nonrelevant[ranking],
        )


@dataclass(frozen=True, eq=False, repr=False)
class JudgedMetric(Metric):
    """μ = 1/m Σ over the relevant items retrieved of a term that sees the judged items above it.

    ``term`` goes from `Found`, and parameters of the metric by keyword, to an array.
    """

    term: Callable[..., np.ndarray]

    kind: ClassVar[str] = "judged"
    needs: ClassVar[str] = "judged items"
    cuts_off: ClassVar[bool] = False

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.term)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """1/m Σ_i term_i."""
        found = Found.of(rankings, rankings.judged)
        ranking = rankings.judged.relevant // rankings.judged.step
        terms = self.term(found, **self.values) / found.m
        return np.bincount(ranking, terms, len(rankings))


def preferred_to_nonrelevant(found: Found, *, denominator: str) -> np.ndarray:
    """1 − min(b, m) / min(m, N), or over m; 1 when nothing that is not relevant stands above."""
    most = np.minimum(found.m, found.N) if denominator == "min" else found.m
    lost = np.minimum(found.b, found.m)
    return 1 - _ratios(lost, most)


def _ratios(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, and 0 where a is 0."""
    return np.asarray(np.divide(a, b, out=np.zeros(len(a)), where=a > 0))


_EPSILON = 1e-5


def inferred_precision(found: Found) -> np.ndarray:
    """1/p + (p − 1)/p · (r + b + u)/(p − 1) · (r + ε)/(r + b + 2ε), with r = i − 1 and ε = 10⁻⁵."""
    r, b, u, p = found.i - 1, found.b, found.u, found.p
    return np.asarray((1 + (r + b + u) * (r + _EPSILON) / (r + b + 2 * _EPSILON)) / p)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedShare(Metric):
    """Judged@k = the share of the first k documents that are judged."""

    kind: ClassVar[str] = "judged"
    needs: ClassVar[str] = "judged items"

    def compute(self, rankings: Rankings) -> np.ndarray:
        """The number of judged items of the first k, over k or over the documents there are."""
        n_judged = _sums_over_judged(self, rankings, lambda p: p * 0 + 1)
        retrieved = rankings.first_row("n_retrieved")
        if self.cutoff is None:
            most = retrieved
        elif self.values["denominator"] == "min":
            most = np.minimum(retrieved, self.cutoff)
        else:
            most = np.full_like(retrieved, self.cutoff)
        return _ratios(n_judged, most)


@dataclass(frozen=True, eq=False, repr=False)
class Residual(Metric):
    """1 − Σ e(p) over the judged items: what a metric could still gain, exposures summing to 1."""

    exposure: Exposure

    kind: ClassVar[str] = "judged"
    needs: ClassVar[str] = "judged items"
    smaller_is_better: ClassVar[bool] = True

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.exposure)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """1 − Σ e(p)."""
        return 1 - _sums_over_judged(self, rankings, self.exposure)


def _sums_over_judged(metric: Metric, rankings: Rankings, term: Exposure) -> np.ndarray:
    """Sum a term over the judged items that were retrieved, above the cut-off."""
    is_judged = seen(metric, RANK) & (GRADE >= 0)
    rows = rankings.table.select(is_judged.fill_null(value=False).alias("is_judged"), position=RANK)
    places = np.flatnonzero(rows["is_judged"].to_numpy())
    terms = rows[places].select(term=metric.evaluate(term, RANK))["term"].to_numpy()
    return np.bincount(rankings.ranking[places], terms, len(rankings)).astype(np.float64)
