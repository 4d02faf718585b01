"""Metrics that use judged items which are not relevant, with trec_eval's definitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from lexiframe.core.metrics.judged_items import RelevantFound
from lexiframe.core.metrics.kinds import exposures
from lexiframe.core.metrics.kinds.counts import ratio, relevant, retrieved
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.recall_level import Exposure
from lexiframe.core.metrics.needed import JUDGED
from lexiframe.core.metrics.rankings import RANK, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row


@dataclass(frozen=True, eq=False, repr=False)
class JudgedMetric(Metric):
    """μ = 1/m Σ_i term_i over the relevant items retrieved, given the judged items above each.

    ``term`` is a function of `RelevantFound`, and of the metric's parameters by keyword.
    """

    term: Callable[..., np.ndarray]

    kind: ClassVar[str] = "judged"
    needs: ClassVar[str] = JUDGED
    cuts_off: ClassVar[bool] = False

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Σ_i term_i, divided by m once, so that m terms of 1 make exactly 1."""
        found = rankings.relevant_found
        of_each = rankings.relevant_rankings[found.row]
        total = np.bincount(of_each, self.term(found, **self.values), len(rankings))
        return ratio(total, relevant(rankings))

    def contributions(self, rankings: Rankings) -> np.ndarray:
        """term_i / m of each relevant item."""
        found = rankings.relevant_found
        terms = np.zeros(rankings.relevant.height)
        terms[found.row] = self.term(found, **self.values) / found.m
        return terms


def preferred_to_nonrelevant(found: RelevantFound, *, denominator: str) -> np.ndarray:
    """1 − min(b, m) / min(m, N), or with m as denominator; 1 if no non-relevant item is above."""
    most = np.minimum(found.m, found.N) if denominator == "min" else found.m
    lost = np.minimum(found.b, found.m)
    return 1 - ratio(lost, most)


_EPSILON = 1e-5  # as in trec_eval; it smooths the share of relevant items among the judged ones


def inferred_precision(found: RelevantFound) -> np.ndarray:
    """1/p + (p − 1)/p · (r + b + u)/(p − 1) · (r + ε)/(r + b + 2ε), with r = i − 1 and ε = 10⁻⁵."""
    r, b, u, p = found.i - 1, found.b, found.u, found.p
    # p − 1 cancels, so that the first rank needs no case of its own
    return np.asarray((1 + (r + b + u) * (r + _EPSILON) / (r + b + 2 * _EPSILON)) / p)


def judged_share(rankings: Rankings, *, denominator: str, cutoff: int | None = None) -> np.ndarray:
    """Return the judged items in the top k, divided by k or by the number of documents."""
    n_judged = _sums_over_judged(rankings, exposures.constant(RANK), cutoff)
    most = retrieved(rankings)
    if cutoff is not None:
        most = np.minimum(most, cutoff) if denominator == "min" else np.full_like(most, cutoff)
    return ratio(n_judged, most)


def unjudged_share(rankings: Rankings, *, cutoff: int | None = None) -> np.ndarray:
    """Return the documents of the top k without a judgment, divided by k."""
    n = retrieved(rankings)
    k = n if cutoff is None else np.full_like(n, cutoff)
    n_judged = _sums_over_judged(rankings, exposures.constant(RANK), cutoff)
    return ratio(np.minimum(n, k) - n_judged, k)


@dataclass(frozen=True, eq=False, repr=False)
class Residual(Metric):
    """1 − Σ e(p) over the judged items: the most that a metric could gain from unjudged ones."""

    exposure: Exposure

    kind: ClassVar[str] = "judged"
    needs: ClassVar[str] = JUDGED
    smaller_is_better: ClassVar[bool] = True

    def compute(self, rankings: Rankings) -> np.ndarray:
        """1 − Σ e(p)."""
        return 1 - _sums_over_judged(rankings, self.evaluate(self.exposure, RANK), self.cutoff)


_NOTHING = 2.0**-60
"""Terms below this share of the greatest one are ignored: they are lost in rounding."""


def _sums_over_judged(rankings: Rankings, term: pl.Expr, cutoff: int | None) -> np.ndarray:
    """Return the sum of a term of the rank over the judged items retrieved within the cut-off."""
    items = rankings.judged_items
    deepest = int(items.rank.max(initial=0))
    ranks = pl.DataFrame({"position": np.arange(1, deepest + 1)})
    terms = row_by_row(ranks, term=term)["term"].to_numpy()
    counting = np.flatnonzero(np.abs(terms) > _NOTHING * np.abs(terms).max(initial=0.0))
    last = counting.max(initial=-1) + 1 if cutoff is None else cutoff
    # keys are sorted, so that the last bit of a sum does not depend on the order of the rows
    keys = items.keys((items.grade >= 0) & (items.rank <= last), deepest)
    ranking, rank = np.divmod(keys, deepest + 1)
    return np.bincount(ranking, terms[rank - 1], len(rankings))
