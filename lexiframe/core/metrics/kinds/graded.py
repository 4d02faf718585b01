"""Graded metrics: sums of gain times exposure, usually divided by the sum of an ideal ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.metric import Metric, n_required
from lexiframe.core.metrics.kinds.recall_level import Exposure, exposed
from lexiframe.core.metrics.rankings import GRADE, N_RELEVANT, RANK, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row


@dataclass(frozen=True, eq=False, repr=False)
class GradedMetric(Metric):
    """μ = Σ g(y) · e(p) over the relevant items, divided by the same sum of the ideal ranking.

    The ideal ranking has the relevant items in decreasing order of grade, and the same cut-off,
    unless a parameter ``ideal`` is ``"full"``.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    exposure : callable
        e(p), or e(p, m), from Polars expressions to a Polars expression.
    gain : callable
        g(y), from a Polars expression of grades to an expression of gains.
    normalised : bool
        Whether to divide by the sum of the ideal ranking.

    Examples
    --------
    >>> import lexiframe as lf
    >>> squared = lf.GradedMetric("squared", exposure=lambda p: 1 / p, gain=lambda y: y**2)
    >>> squared @ 5
    squared@5
    """

    exposure: Exposure
    gain: Callable[..., Any]
    normalised: bool = field(default=True, kw_only=True)

    kind: ClassVar[str] = "graded"

    def terms(self, p: pl.Expr = RANK, m: pl.Expr = N_RELEVANT, y: pl.Expr = GRADE) -> pl.Expr:
        """g(y) · e(p), for one relevant item."""
        return self.evaluate(self.gain, y) * exposed(self, p, m)

    def contributions(self, rankings: Rankings) -> np.ndarray:
        """g(y) · e(p) of each relevant item, divided by the ideal if the metric is."""
        refuse_grades_above(self, rankings)
        terms = rankings.item_values(self.terms())
        if not self.normalised:
            return terms
        return ratio(terms, self._ideals(rankings)[rankings.relevant_rankings])

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Σ g(y) · e(p), divided once by the ideal, so that the ideal ranking has exactly 1."""
        refuse_grades_above(self, rankings)
        found = rankings.within(self.cutoff)
        terms = found.item_values(self.terms())
        total = np.bincount(found.relevant_rankings, terms, len(found)).astype(np.float64)
        return ratio(total, self._ideals(rankings)) if self.normalised else total

    @property
    def of_ideal(self) -> GradedMetric:
        """The metric that the ideal ranking is summed with: this one, or it without cut-off."""
        return replace(self, cutoff=None) if self.values.get("ideal") == "full" else self

    def _ideals(self, rankings: Rankings) -> np.ndarray:
        """Return for each ranking the sum of the ideal ranking of its request."""
        return rankings.once((self, "ideal"), lambda: self._summed_ideals(rankings))

    def _summed_ideals(self, rankings: Rankings) -> np.ndarray:
        metric, sizes = self.of_ideal, rankings.ideal_sizes
        if sizes is not None and sizes.any() and n_required(metric.exposure) <= 1:
            return metric._sums_by_size(rankings, sizes)
        rows = rankings.ideal_rows
        functions = (metric.gain, metric.exposure)
        # the same metric with other cut-offs has the same terms
        what = ("ideal", metric.rel, *functions, *(repr(metric.keywords(of)) for of in functions))
        terms, ranking = (
            rankings.once(what, lambda: metric._ideal_terms(rows)),
            rows.relevant_rankings,
        )
        if metric.cutoff is not None:
            seen = (rows.rows["position"] <= metric.cutoff).arg_true().to_numpy()
            terms, ranking = terms[seen], ranking[seen]
        return rankings.spread_over(np.bincount(ranking, terms, len(rows)))

    def _sums_by_size(self, rankings: Rankings, sizes: np.ndarray) -> np.ndarray:
        """Return the sums of ideal rankings of one grade, which differ in their size alone.

        Terms are added in the order of the terms of each ranking.
        """
        n = int(sizes.max()) if self.cutoff is None else min(int(sizes.max()), self.cutoff)
        items = {
            "position": np.arange(1, n + 1),
            "relevance": np.full(n, rankings.relevant["relevance"][0]),
        }
        terms = {
            "gain": self.evaluate(self.gain, GRADE).fill_null(0.0),
            "exposure": self.evaluate(self.exposure, RANK).fill_null(0.0),
        }
        gain, exposure = (term.to_numpy() for term in row_by_row(pl.DataFrame(items), **terms))
        sums = np.cumsum(np.append(0.0, gain * exposure))
        return np.asarray(sums[np.minimum(sizes, n)])

    def _ideal_terms(self, ideal: Rankings) -> np.ndarray:
        """g · e(p) of each item of the ideal rankings, which are not cut off."""
        exposure = ideal.item_values(self.evaluate(self.exposure, RANK, N_RELEVANT))
        return np.asarray(best_first(ideal, self.evaluate(self.gain, GRADE)) * exposure)


def best_first(ideal: Rankings, gain: pl.Expr) -> np.ndarray:
    """Return the gains of ideal rankings in decreasing order; a higher grade may have less gain."""
    gains, ranking = ideal.item_values(gain), ideal.relevant_rankings
    if ((gains[1:] <= gains[:-1]) | (ranking[1:] != ranking[:-1])).all():
        return gains
    order = np.lexsort((-gains, ideal.relevant_rankings))
    return np.asarray(gains[order])


def mapped(y: pl.Expr, gains: Mapping[float, float] | None) -> pl.Expr:
    """The gain of a grade, which is the grade itself unless ``gains`` has another one for it."""
    if gains is None:
        return y
    return y.replace_strict([*map(float, gains)], [*map(float, gains.values())], default=y)


def gain_of_dcg(y: pl.Expr, *, dcg: str, gains: Mapping[float, float] | None = None) -> pl.Expr:
    """The grade itself (``log2``, as in trec_eval), or 2^y − 1 (``exp-log2``)."""
    return mapped(y, gains) if dcg == "log2" else 2 ** mapped(y, gains) - 1


def share_of_greatest(y: pl.Expr, *, max: float) -> pl.Expr:
    """The grade divided by the greatest possible grade."""
    return y / max


def refuse_grades_above(metric: Metric, rankings: Rankings) -> None:
    """Raise when a grade is greater than the parameter ``max`` or ``max_rel`` of a metric."""
    name = "max" if "max" in metric.values else "max_rel"
    greatest = metric.values.get(name)
    if greatest is None or not rankings.relevant.height:
        return
    found = float(rankings.relevant["relevance"].max())  # type: ignore[arg-type]
    if found > greatest:
        raise LexiframeError(
            f"{metric}: expected grades up to {greatest:g}, found {found:g}; "
            f"give the greatest possible grade: {metric.name}({name}={found:g})"
        )
