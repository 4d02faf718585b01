"""Recall-paired preferences: at each recall level the run that reaches it sooner is preferred."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures import notation
from lexiframe.measures.needs import RELEVANT, SUBTOPICS
from lexiframe.measures.ties import TIE
from lexiframe.positions.matrices import Request


@dataclass(frozen=True, repr=False)
class LevelPreference:
    """Δ(π, π′) = Σ_λ p(λ) Σ_i p(i | λ) sgn(p′_i − p_i), a preference by weights of recall levels.

    The grades λ are the distinct grades of the request's relevant items, p(λ) ∝ m_λ, the number
    of items of grade λ or above, and p(i | λ) ∝ the weight of level i of m_λ. With ``rel`` the
    one threshold is that grade. An item that was not retrieved is worse than every rank.

    With ``subtopics`` the subtopics t of the request take the place of the grades, and relevance
    is binary: Δ(π, π′) = Σ_t p(t) Σ_i p(i | t) sgn(p′_{i,t} − p_{i,t}), over the subtopics with a
    relevant item and one more, which every relevant item of any subtopic satisfies; p(t) ∝ m_t,
    the number of items of the subtopic, so that for the one more it is the number of different
    items. It needs positions by subtopic.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    weight : callable
        p(i | m) up to a factor, from Polars expressions of i and m to one of weights.
    rel : float, optional
        The least relevant grade; relevance then is binary.
    subtopics : bool, optional
        Whether it goes by subtopics instead of grades.
    formula, source, bounds : str, optional
        How `measures` shows it.

    Notes
    -----
    With uniform weights Δ is a whole number over Σ_λ m_λ and is computed as such, so that ties
    are exactly 0. The range is −1 to 1. Diaz & Ferraro, "Offline Retrieval Evaluation Without
    Evaluation Metrics", SIGIR 2022, equations 4 and 5, doi:10.1145/3477495.3532033; there p(i, λ)
    is p(i) p(λ), here p(i) is normalised over the m_λ levels of each threshold, as in the
    authors' tool. Subtopics: equation 6 of section 4, with p(t) and the background interest t* of
    section 5.3.

    Examples
    --------
    A preference of one's own appears beside the built-in ones:

    >>> import lexiframe as lf
    >>> late = lf.LevelPreference("late", weight=lambda i, m: i / m)
    >>> p = lf.positions("data/example/runs", "data/example/qrels.txt")
    >>> d = lf.preferences(p, [lf.RPP, late])
    >>> lf.win_rates(d)["measure"].unique().sort().to_list()
    ['RPP', 'late']

    By subtopics: a serves s, and b both s and t; x has a first, y has b first. Only for t one of
    them is sooner, at 1 of 2 + 1 + 2 recall levels (those of s, of t, and of any relevant item):

    >>> import polars as pl
    >>> qrels = pl.DataFrame({"query_id": "q", "subtopic": ["s", "s", "t"],
    ...                       "doc_id": ["a", "b", "b"], "relevance": 1.0})
    >>> runs = pl.DataFrame({"run": ["x", "x", "y", "y"], "query_id": "q",
    ...                      "doc_id": ["a", "b", "b", "a"], "score": [2.0, 1.0, 2.0, 1.0]})
    >>> d = lf.preferences(lf.positions(runs, qrels, subtopics=True), lf.ST_RPP)
    >>> d.select("run_a", "run_b", "preference").rows()
    [('x', 'y', -0.2)]
    """

    name: str
    weight: Callable[..., Any]
    rel: float | None = field(default=None, kw_only=True)
    subtopics: bool = field(default=False, kw_only=True)
    formula: str = field(default="", kw_only=True, compare=False)
    source: str = field(default="", kw_only=True, compare=False)
    bounds: str = field(default="", kw_only=True, compare=False)

    kind: ClassVar[str] = "level preference"

    def __call__(self, *, rel: float) -> LevelPreference:
        """Give the preference with binary relevance: grades from ``rel``."""
        return replace(self, rel=notation.least_grade(self.name, rel))

    @property
    def needs(self) -> str:
        """What it needs of the positions."""
        return SUBTOPICS if self.subtopics else RELEVANT

    def __str__(self) -> str:
        return notation.write(self.name, None, {} if self.rel is None else {"rel": self.rel}, None)

    __repr__ = __str__

    def kernel(self) -> Callable[[Request], np.ndarray]:
        """Give the function from a request to Δ: runs × runs, antisymmetric."""
        weights = cache(self.weights)  # requests of as many relevant items share them
        return lambda request: self._matrix(request, weights)

    def _matrix(self, request: Request, weights_of: Callable[[int], np.ndarray]) -> np.ndarray:
        levels = request.populations(self.rel)
        m = np.array([positions.shape[1] for positions in levels])
        shares = m / m.sum()
        weights = [weights_of(int(n)) * share for n, share in zip(m, shares, strict=True)]
        if np.ptp(np.concatenate(weights)) <= TIE * weights[0][0]:
            won = np.sum([_levels_won(positions) for positions in levels], axis=0)
            return np.asarray((won - won.T) / m.sum())
        pairs = zip(levels, weights, strict=True)
        weight_won = np.sum([_weight_won(positions, w) for positions, w in pairs], axis=0)
        delta = weight_won - weight_won.T
        return np.where(np.abs(delta) <= TIE, 0.0, delta)

    def weights(self, m: int) -> np.ndarray:
        """p(i | m) for i = 1..m, which sum to 1."""
        i, levels = pl.col("i"), pl.DataFrame({"i": np.arange(1.0, m + 1), "m": float(m)})
        weight = self.weight(i, pl.col("m"))
        weight = weight if isinstance(weight, pl.Expr) else pl.lit(weight)
        values = levels.select(weight=(weight + 0.0 * i).fill_null(float("nan")))[
            "weight"
        ].to_numpy()
        if not (np.isfinite(values).all() and values.min() >= 0 and values.sum() > 0):
            raise LexiframeError(
                f"{self}: expected weights of 0 or more, found {values} for m = {m}"
            )
        return np.asarray(values / values.sum())


def _levels_won(positions: np.ndarray) -> np.ndarray:
    """Σ_i [p_i < p′_i] for every pair of runs: whole numbers."""
    n_runs, m = positions.shape
    by_level = np.ascontiguousarray(positions.T)
    won = np.zeros((n_runs, n_runs), np.int64)
    for first in range(0, m, 127):  # what an int8 can count to
        counted = np.zeros((n_runs, n_runs), np.int8)
        for p in by_level[first : first + 127]:
            counted += (p[:, None] < p[None, :]).view(np.int8)
        won += counted
    return won


def _weight_won(positions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ_i w_i [p_i < p′_i] for every pair of runs."""
    won = np.zeros((len(positions), len(positions)))
    for p, weight in zip(np.ascontiguousarray(positions.T), weights, strict=True):
        won += weight * (p[:, None] < p[None, :])
    return won
