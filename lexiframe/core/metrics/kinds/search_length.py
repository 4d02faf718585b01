"""Search lengths: how far down a user has to read. Smaller is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds import weights
from lexiframe.core.metrics.kinds.metric_parameters import CorpusSize, Parameter
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.needed import POOL
from lexiframe.core.metrics.rankings import Rankings


@dataclass(frozen=True, eq=False, repr=False)
class SearchLength(RecallLevelMetric):
    """Σ_i e(p_i) · z(i, m) with an e that rises with the rank, so that smaller values are better.

    Items that were not retrieved get the last ranks of a corpus of ``n`` items (see `impute`);
    ``n="pool"``, the default, takes n from the column ``pool_size`` of the positions. The
    preference of a search length is its difference with the sign changed, so that the run with the
    smaller value is preferred.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    exposure : callable
        e(p), or e(p, m).
    weight : callable
        z(i, m).
    mean : bool
        Whether the sum is divided by m. It is divided once, at the end, so that sums of whole
        numbers are rounded once and equal search lengths are equal to the last bit.

    Examples
    --------
    >>> import lexiframe as lf
    >>> p = lf.positions({"bm25": {"q": {"a": 2, "b": 1}}}, {"q": {"b": 1, "c": 1}})
    >>> lf.scores(p, ["ISL", "ASL(n=10)"]).rows()
    Traceback (most recent call last):
    lexiframe.LexiframeError: ISL: needs the ranks of items that were not retrieved: ...
    >>> lf.scores(p, ["ISL(n=10)", "ASL(n=10)"])["value"].to_list()
    [6.0, 2.0]

    For your own search length the table of scores says that smaller is better:

    >>> screens = lf.SearchLength(
    ...     "screens", exposure=lambda p: (p / 10).ceil(), weight=lambda i, m: i == m
    ... )
    >>> lf.scores(p, screens(n=10)).rows()
    [('bm25', 'q', 'screens(n=10)', 1.0, True)]
    """

    mean: bool = field(default=False, kw_only=True)
    parameters: Mapping[str, Parameter | float | str | None] = field(
        default_factory=lambda: {"n": CorpusSize()}, kw_only=True
    )

    kind: ClassVar[str] = "search length"
    needs: ClassVar[str] = POOL
    smaller_is_better: ClassVar[bool] = True
    cuts_off: ClassVar[bool] = False

    @property
    def is_exact(self) -> bool:  # type: ignore[override]
        """Whether it sums whole numbers or halves, and rounds at most once, at the end."""
        counts_ranks = self.exposure in (rank, before, beyond_m, beyond_mean)
        return counts_ranks and self.weight in (weights.first, weights.last, weights.one)

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Σ_i e(p_i) · z(i, m), divided by m for a mean."""
        terms = self._terms(rankings)
        total = np.bincount(rankings.relevant_rankings, terms, len(rankings))
        return np.asarray(total / self._divisor(rankings))

    def contributions(self, rankings: Rankings) -> np.ndarray:
        """e(p_i) · z(i, m) of each relevant item, divided by m for a mean."""
        return np.asarray(
            self._terms(rankings) / self._divisor(rankings)[rankings.relevant_rankings]
        )

    def _divisor(self, rankings: Rankings) -> np.ndarray:
        m = np.bincount(rankings.relevant_rankings, minlength=len(rankings))
        return np.maximum(m, 1) if self.mean else np.ones(len(rankings))

    def _terms(self, rankings: Rankings) -> np.ndarray:
        """e(p_i) · z(i, m) of each relevant item, of imputed positions."""
        n = self.values.get("n", "pool")
        if n == "pool" and not rankings.relevant["position"].null_count():
            return super().contributions(rankings)
        if n == "pool" and "pool_size" not in rankings.rows.columns:
            raise needs_ranks_of_all(self)
        return super().contributions(rankings.imputed(n))


def needs_ranks_of_all(metric: SearchLength) -> LexiframeError:
    """Return the error for positions that do not tell how many items the corpus has."""
    return LexiframeError(
        f"{metric}: needs the ranks of items that were not retrieved: make the positions "
        f"with pool=True, or say how many items the corpus has: {metric.name}(n=...)"
    )


def rank(p: pl.Expr) -> pl.Expr:
    """The rank itself."""
    return p


def before(p: pl.Expr) -> pl.Expr:
    """p − 1, the items before it."""
    return p - 1


def beyond_m(p: pl.Expr, m: pl.Expr) -> pl.Expr:
    """p − m, the distance from the rank that the last item has in an ideal ranking."""
    return p - m


def beyond_mean(p: pl.Expr, m: pl.Expr) -> pl.Expr:
    """p − (m + 1)/2, the distance from the mean rank in an ideal ranking."""
    return p - (m + 1) / 2
