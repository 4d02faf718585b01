"""C/W/L metrics: a user who continues from rank to rank with probabilities of their own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums
from lexiframe.core.metrics.kinds.graded import refuse_grades_above
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.kinds.metric_parameters import Number, Parameter
from lexiframe.core.metrics.rankings import GRADE, Rankings

SCALE: dict[str, Parameter] = {
    "min_rel": Number(0),
    "max_rel": Number(above=0),
    "depth": Number(1000, least=1, most=100_000, whole=True),
}
"""Grades from min_rel to max_rel have gains from 0 to 1; the user stops after ``depth`` ranks."""

_CELLS = 2**19  # of a block of rankings × ranks, so that its arrays take a few megabytes each


@dataclass(frozen=True, eq=False, repr=False)
class CWLMetric(Metric):
    """μ = Σ_i W(i) g(i), the gain for each document that a user looks at.

    The user looks at the first document, and continues from rank i to the next with the probability
    C(i). With V(i) = C(1) ⋯ C(i − 1), the probability that rank i is seen, W(i) = V(i) / Σ_j V(j).
    The gain of a grade is (grade − ``min_rel``) / (``max_rel`` − ``min_rel``), and 0 for unjudged
    documents and lower grades. As in cwl_eval, users see 1,000 ranks at most (``depth``); ranks
    beyond the end of a ranking have no gain.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    continuation : callable
        C(i, g, G), from NumPy arrays: the ranks 1 to ``depth``; the gain at each rank and the sum
        of the gains up to it, both rankings × ranks. Keyword-only arguments are parameters of the
        metric, or ``cutoff``.

    Notes
    -----
    Moffat, Bailey, Scholer & Thomas, "Incorporating User Expectations and Behavior into the
    Measurement of Search Effectiveness", ACM TOIS 2017, doi:10.1145/3052768.

    Examples
    --------
    A user who looks at three more documents in four, and stops when satisfied:

    >>> import lexiframe as lf
    >>> mine = lf.CWLMetric("mine", continuation=lambda i, g, G: 0.75 * (1 - g))
    >>> p = lf.positions({"bm25": {"q": {"a": 2, "b": 1}}}, {"q": {"b": 1}})
    >>> lf.scores(p, [lf.SDCG(max_rel=1) @ 2, mine(max_rel=1)])["value"].round(4).to_list()
    [0.3869, 0.4286]
    """

    continuation: Callable[..., Any]
    parameters: Mapping[str, Parameter | float | str | None] = field(
        default_factory=lambda: dict(SCALE), kw_only=True
    )

    kind: ClassVar[str] = "C/W/L"

    @property
    def cuts_off(self) -> bool:  # type: ignore[override]
        """Whether the probability of continuing depends on a cut-off."""
        return "cutoff" in inspect.signature(self.continuation).parameters

    def compute(self, rankings: Rankings) -> np.ndarray:
        """Σ_i W(i) g(i)."""
        self.refuse_missing(scaled, self.continuation)
        gain = self.gains(rankings)
        position = rankings.relevant["position"].fill_null(0).to_numpy()
        depth = int(self.values["depth"])
        is_seen = (position > 0) & (position <= depth)
        of, rank, gain = rankings.relevant_rankings[is_seen], position[is_seen], gain[is_seen]
        rows = max(1, _CELLS // depth)
        values = np.empty(len(rankings))
        for first in range(0, len(rankings), rows):
            last = min(first + rows, len(rankings))
            inside = slice(*np.searchsorted(of, [first, last]))
            gains = np.zeros((last - first, depth))
            gains[of[inside] - first, rank[inside] - 1] = gain[inside]
            values[first:last] = self._expected(gains)
        return values

    def _expected(self, g: np.ndarray) -> np.ndarray:
        """Σ_i W(i) g(i) of gains, rankings × ranks."""
        i = np.arange(1.0, g.shape[1] + 1)
        c = self.continuation(i, g, g.cumsum(axis=1), **self.keywords(self.continuation))
        c = np.broadcast_to(np.asarray(c, np.float64), g.shape)
        seen = np.ones(g.shape)
        np.cumprod(c[:, :-1], axis=1, out=seen[:, 1:])
        return np.asarray((seen * g).sum(axis=1) / seen.sum(axis=1))

    def rank_weights(self) -> np.ndarray | None:
        """Return W(i) of each rank; None where the user's reading depends on the gains."""
        self.refuse_missing(scaled, self.continuation)
        i, ranks = np.arange(1.0, int(self.values["depth"]) + 1), int(self.values["depth"])
        how = self.keywords(self.continuation)
        nothing, everything = (
            np.broadcast_to(self.continuation(i, g, g.cumsum(axis=1), **how), g.shape)
            for g in (np.zeros((1, ranks)), np.ones((1, ranks)))
        )
        if not np.array_equal(nothing, everything):
            return None
        seen = np.append(1.0, nothing[0, :-1].cumprod())
        return np.asarray(seen / seen.sum())

    def gains(self, rankings: Rankings) -> np.ndarray:
        """Return the gain of each relevant item, from 0 to 1."""
        refuse_grades_above(self, rankings)
        low, high = self.values["min_rel"], self.values["max_rel"]
        if high is not None and high <= low:
            raise LexiframeError(
                f"{self}: expected a max_rel above min_rel = {low:g}, found {high:g}"
            )
        return rankings.item_values(self.evaluate(scaled, GRADE))


def scaled(y: pl.Expr, *, min_rel: float, max_rel: float) -> pl.Expr:
    """(y − min_rel) / (max_rel − min_rel), and 0 for lower grades."""
    return (y - min_rel).clip(lower_bound=0) / (max_rel - min_rel)


def discounted(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, cutoff: int) -> np.ndarray:
    """log2(i + 1) / log2(i + 2) for i < k, else 0: the discount of nDCG."""
    return np.where(i < cutoff, np.log2(i + 1) / np.log2(i + 2), 0.0)


def satiated(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, cutoff: int, T: float) -> np.ndarray:
    """1 until the gain is T or the rank is k."""
    enough = T - sums.TIE * max(
        1.0, T
    )  # gains are fractions: ten times 0.1 is a little less than 1
    return (enough > G) & (i < cutoff)


def expecting(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, T: float) -> np.ndarray:
    """((i + 2T − 1) / (i + 2T))²: of INSQ."""
    return ((i + 2 * T - 1) / (i + 2 * T)) ** 2


def adapting(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, T: float) -> np.ndarray:
    """((i + T + T_i − 1) / (i + T + T_i))² with T_i = T − G, the gain still wanted: of INST."""
    x = i + T + (T - G)
    return np.asarray(((x - 1) / x) ** 2)


def stopping(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, cutoff: int) -> np.ndarray:
    """1 − g for i < k, else 0."""
    return np.asarray((1 - g) * (i < cutoff))


def stopping_by_rank(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, cutoff: int) -> np.ndarray:
    """i/(i + 1) · (1 − g) for i < k, else 0."""
    return np.asarray(i / (i + 1) * (1 - g) * (i < cutoff))


def stopping_or_tired(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, p: float) -> np.ndarray:
    """p (1 − g)."""
    return np.asarray(p * (1 - g))


def stopping_or_expecting(i: np.ndarray, g: np.ndarray, G: np.ndarray, *, T: float) -> np.ndarray:
    """((i + 2T − 1) / (i + 2T))² (1 − g)."""
    return np.asarray(expecting(i, g, G, T=T) * (1 - g))
