"""Subtopic metrics: sums over the subtopics of a request and their relevant documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.kinds.recall_level import RecallLevelMetric
from lexiframe.core.metrics.needed import SUBTOPICS

Divisor = Literal["subtopics", "every_rank", "ideal"]


@dataclass(frozen=True, eq=False, repr=False)
class SubtopicMetric(RecallLevelMetric):
    """μ = Σ over subtopics t and their recall levels i of e(p_ti) · z(i, m_t), over a divisor.

    p_ti is the rank of the i-th document from the top that is relevant for subtopic t, and m_t
    their number. Only subtopics with a relevant document count; T is their number.

    Parameters
    ----------
    name : str
        Its name in the column ``measure``.
    exposure : callable
        e(p), or e(p, m), from Polars expressions to a Polars expression.
    weight : callable
        z(i, m).
    divisor : {"subtopics", "every_rank", "ideal"}
        ``"subtopics"``: T, so that the value is a mean over subtopics. ``"every_rank"``: the sum of
        a ranking whose first k documents are relevant for all subtopics, T · Σ_{r≤k} e(r) z(r, m).
        ``"ideal"``: the sum of the ideal ranking of the relevant documents.

    Notes
    -----
    The ideal ranking comes from the parameter ``ideal``:

    - ``"greedy"``, as in ndeval: each rank has the document with the greatest gain
      Σ_t (1 − α)^(number of documents above it that serve t). Among documents whose gains are
      equal, up to a share of 1e-12, it is the one with the greatest id, bytewise. A ranking can
      beat this one, and then has a value above 1.
    - ``"exact"``: the ranking with the greatest sum at the cut-off. Documents that serve the same
      subtopics are of one kind, and all counts of the kinds are tried; too many are an error. Some
      optimal ranking has no document above one that serves all of its subtopics and more, so few
      orders have to be tried.

    Examples
    --------
    Document a serves the subtopic s, and b serves both s and t. With a first the gains of the two
    ranks are 1 and 1/2 + 1; in the ideal ranking, with b first, they are 2 and 1/2:

    >>> import polars as pl
    >>> import lexiframe as lf
    >>> qrels = pl.DataFrame({"query_id": "q", "subtopic": ["s", "s", "t"],
    ...                       "doc_id": ["a", "b", "b"], "relevance": 1.0})
    >>> run = pl.DataFrame({"run": "x", "query_id": "q", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    >>> p = lf.positions(run, qrels, subtopics=True)
    >>> s = lf.scores(p, [lf.ERR_IA @ 2, "MAP-IA", "alpha-nDCG@2", "strec@1"])
    >>> dict(s.with_columns(pl.col("value").round(4)).select("measure", "value").rows())
    {'ERR-IA@2': 0.7, 'MAP-IA': 0.75, 'alpha-nDCG@2': 0.8406, 'strec@1': 0.5}
    """

    divisor: Divisor

    kind: ClassVar[str] = "subtopic"
    needs: ClassVar[str] = SUBTOPICS


def novelty(i: pl.Expr, m: pl.Expr, *, alpha: float) -> pl.Expr:
    """(1 − α)^(i − 1): the gain of the i-th document of a subtopic, which falls with i.

    α is the probability that a document satisfies the users of a subtopic that it serves.
    """
    return (1 - alpha) ** (i - 1)


def persistence(p: pl.Expr, *, beta: float) -> pl.Expr:
    """β^(p − 1): the share of users who read as far as rank p."""
    return beta ** (p - 1)


def persistence_of_one(p: pl.Expr, *, alpha: float, beta: float) -> pl.Expr:
    """β^(p − 1) (1 − (1 − α) β): with `novelty` at every rank the sum over all ranks is 1."""
    return persistence(p, beta=beta) * (1 - (1 - alpha) * beta)


def are_of_subtopics(table: pl.DataFrame, measures: Iterable[Any]) -> bool:
    """Return whether positions are by subtopic; raise if a measure needs the other kind."""
    has_subtopics = "subtopic" in table.columns
    others = [str(m) for m in measures if (m.needs == SUBTOPICS) != has_subtopics]
    if others:
        missing = "by subtopic, found no column subtopic"
        found = "without the column subtopic, found it" if has_subtopics else missing
        raise LexiframeError(
            f"{', '.join(others)}: expected positions {found}; make them with "
            f"positions(..., subtopics={not has_subtopics})"
        )
    return has_subtopics
