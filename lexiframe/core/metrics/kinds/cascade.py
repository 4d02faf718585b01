"""Cascade metrics: the user stops at an item with a probability that depends on its grade."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds.graded import refuse_grades_above
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.recall_level import Exposure, exposed
from lexiframe.core.metrics.rankings import GRADE, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row


@dataclass(frozen=True, eq=False, repr=False)
class CascadeMetric(Metric):
    """μ = Σ_i e(p_i) · R(y_i) · Π_{j<i} (1 − R(y_j)), over the relevant items from the top.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    exposure : callable
        e(p), from a Polars expression to a Polars expression.
    stop : callable
        R(y), the probability that the user stops at an item of grade y.

    Examples
    --------
    >>> import lexiframe as lf
    >>> sure = lf.CascadeMetric("sure", exposure=lambda p: 1 / p, stop=lambda y: y * 0 + 1)
    >>> p = lf.positions({"bm25": {"q": {"a": 2, "b": 1}}}, {"q": {"b": 1}})
    >>> lf.scores(p, sure)["value"].to_list()
    [0.5]
    """

    exposure: Exposure
    stop: Callable[..., Any]

    kind: ClassVar[str] = "cascade"

    def contributions(self, rankings: Rankings) -> np.ndarray:
        """e(p_i) · R(y_i) · Π_{j<i} (1 − R(y_j)) of each relevant item."""
        refuse_grades_above(self, rankings)
        items = rankings.items_by_level
        stop = self.evaluate(self.stop, GRADE)
        chances = row_by_row(items, stop=stop)["stop"]
        if not chances.is_between(0, 1).all():
            raise LexiframeError(
                f"{self}: expected stop to give probabilities from 0 to 1, found "
                f"{chances.filter(~chances.is_between(0, 1))[0]}"
            )
        arrives = (1 - stop).cum_prod().shift(1, fill_value=1.0).over("ranking")
        term = (exposed(self) * stop * arrives).fill_null(0.0)
        terms = row_by_row(items, term=term)["term"].to_numpy()
        of_each = np.empty(len(terms))
        of_each[items["row"].to_numpy()] = terms
        return of_each


def satisfied(y: pl.Expr, *, max: float) -> pl.Expr:
    """(2^y − 1) / 2^max, where max is the greatest grade of the scale."""
    most: float = 2.0**max
    return (2**y - 1) / most  # a power of whole numbers may be too large for Polars
