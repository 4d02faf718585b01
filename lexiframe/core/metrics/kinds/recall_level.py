"""Recall-level metrics: a sum over relevant items of exposure times weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds import exposures, weights
from lexiframe.core.metrics.kinds.counts import ratio
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.rankings import LEVEL, N_RELEVANT, RANK, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row

Exposure = Callable[..., Any]
Weight = Callable[..., Any]


def seen(metric: Metric, p: pl.Expr) -> pl.Expr:
    """Return whether an item was retrieved, and within the cut-off if there is one."""
    return p.is_not_null() if metric.cutoff is None else p <= metric.cutoff


def exposed(metric: Any, p: pl.Expr = RANK, m: pl.Expr = N_RELEVANT) -> pl.Expr:
    """e(p); null beyond the cut-off and for items that were not retrieved: they add nothing."""
    return pl.when(seen(metric, p)).then(metric.evaluate(metric.exposure, p, m))


@dataclass(frozen=True, eq=False, repr=False)
class RecallLevelMetric(Metric):
    """μ = Σ over recall levels i of e(p_i) · z(i, m).

    Two functions make a metric: the *exposure* of a rank and the *weight* of a recall level, both
    from Polars expressions to Polars expressions. An item that was not retrieved has exposure 0.
    ``metric @ k`` cuts it off at rank k, ``metric(rel=2)`` counts grades from 2 as relevant.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    exposure : callable
        e(p), or e(p, m), from Polars expressions to an expression of numbers. Only arguments
        without a default are passed; keyword-only arguments are parameters of the metric.
    weight : callable
        z(i, m).

    Notes
    -----
    Diaz, Ekstrand & Mitra, "Recall, Robustness, and Lexicographic Evaluation", ACM TORS 2025,
    doi:10.1145/3728373, arXiv:2302.11370, section 2.3.1, definition 2.1.

    Examples
    --------
    Your own metric appears beside the built-in ones:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> inverse_root = lf.RecallLevelMetric(
    ...     "inverse_root", exposure=lambda p: 1 / p.sqrt(), weight=lambda i, m: 1 / m
    ... )
    >>> p = lf.positions("data/example/runs/random.run", "data/example/qrels.txt")
    >>> lf.scores(p, [lf.AP, inverse_root @ 10])["measure"].unique().sort().to_list()
    ['AP', 'inverse_root@10']
    """

    exposure: Exposure
    weight: Weight

    kind: ClassVar[str] = "recall level"

    def terms(self, p: pl.Expr = RANK, i: pl.Expr = LEVEL, m: pl.Expr = N_RELEVANT) -> pl.Expr:
        """e(p) · z(i, m), for one relevant item."""
        return exposed(self, p, m) * self.evaluate(self.weight, i, m)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Return Σ_i e(p_i) · z(i, m), to which only the items that were retrieved add anything.

        Where z is a quotient the sum is divided once.
        """
        found = rankings.within(self.cutoff)
        terms, divisor = self.summands
        total = np.bincount(found.relevant_rankings, self._item_terms(terms, found), len(found))
        if divisor is None:
            return total
        return ratio(total, rankings.once((self, "divisor"), lambda: _divisors(divisor, rankings)))

    @property
    def summands(self) -> tuple[pl.Expr, pl.Expr | None]:
        """e(p) · N(i, m), and D(m) if z(i, m) is the quotient N / D; else the terms and None.

        With e(p) = 1/p a summand is N / p, which is exactly 1 where an item stands at rank N.
        """
        quotient = weights.quotient_of(self.weight)
        if quotient is None:
            return self.terms(), None
        number = self.evaluate(quotient[0], LEVEL, N_RELEVANT)
        if self.exposure is exposures.reciprocal:
            terms: pl.Expr = pl.when(seen(self, RANK)).then(number / RANK)
        else:
            terms = exposed(self) * number
        return terms, self.evaluate(quotient[1], N_RELEVANT)

    def contributions(self, rankings: Rankings) -> np.ndarray:
        """e(p_i) · z(i, m) of each relevant item."""
        return self._item_terms(self.terms(), rankings)

    def _item_terms(self, term: pl.Expr, rankings: Rankings) -> np.ndarray:
        terms = rankings.item_values(term)
        refuse_ranks_beyond_n(self, rankings)
        return terms


def _divisors(divisor: pl.Expr, rankings: Rankings) -> np.ndarray:
    """Return D(m) of each ranking."""
    ms = pl.DataFrame({"n_relevant": rankings.first_row("n_relevant")})
    return np.asarray(row_by_row(ms, divisor=divisor)["divisor"].to_numpy())


def refuse_ranks_beyond_n(metric: RecallLevelMetric, rankings: Rankings) -> None:
    """Raise when a linear exposure has ranks beyond its n, where it would be negative.

    n is the number of items in the corpus, so no rank can be greater.
    """
    n = metric.values.get("n")
    if metric.exposure is not exposures.linear or n is None:
        return
    items = rankings.relevant.select("position").with_row_index("row")
    beyond = items.filter(seen(metric, pl.col("position")) & (pl.col("position") > n))
    if beyond.height:
        row = beyond.row(0, named=True)
        run, query_id = rankings.keys.row(int(rankings.relevant_rankings[row["row"]]))
        raise LexiframeError(
            f"{metric}: expected ranks up to n = {n:g}, the number of items in the corpus, found "
            f"{beyond.height} beyond it, the first {row['position']} of run {run!r} for "
            f"query {query_id!r}; say how many items the corpus has: linear(n=...)"
        )
