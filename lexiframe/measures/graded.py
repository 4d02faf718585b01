"""Graded metrics: a sum of gain times exposure, over that of the ideal ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures.recall_level import Metric


@dataclass(frozen=True, eq=False, repr=False)
class GradedMetric(Metric):
    """μ = Σ g(y) · e(p) over the relevant items, divided by the same sum of the ideal ranking.

    The ideal ranking has the relevant items in decreasing order of grade, and the same cut-off.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    exposure : callable
        e(p), or e(p, m), from Polars expressions to a Polars expression.
    gain : callable
        g(y), from a Polars expression of grades to one of gains.

    Examples
    --------
    >>> import lexiframe as lf
    >>> squared = lf.GradedMetric("squared", exposure=lambda p: 1 / p, gain=lambda y: y**2)
    >>> squared @ 5
    squared@5
    """

    gain: Callable[..., Any]

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self.gain)

    def terms(self, p: pl.Expr, i: pl.Expr, m: pl.Expr, y: pl.Expr) -> pl.Expr:
        """g(y) · e(p), for one relevant item."""
        return self.evaluate(self.gain, y) * self.exposures(p, m)


def gain_of_dcg(y: pl.Expr, *, dcg: str) -> pl.Expr:
    """The grade itself (``log2``, as trec_eval has it), or 2^y − 1 (``exp-log2``)."""
    if dcg not in ("log2", "exp-log2"):
        raise LexiframeError(f"nDCG: expected dcg='log2' or dcg='exp-log2', found {dcg!r}")
    return y if dcg == "log2" else 2**y - 1
