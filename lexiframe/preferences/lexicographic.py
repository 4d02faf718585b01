"""Lexicographic preferences: the first, or the last, recall level that differs decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.measures import notation
from lexiframe.measures.lexicographic import (
    Direction,
    LexicographicMetric,
    leximin_metric,
    places,
    rank_metric,
    sort_rankings,
)
from lexiframe.measures.needs import RELEVANT
from lexiframe.positions.matrices import Request, missing


@dataclass(frozen=True, repr=False)
class LexicographicPreference:
    """Δ(π, π′) = the sign, or the size, of the difference at the recall level that decides.

    With ``direction="precision"`` the smallest level k at which the positions differ decides, with
    ``"recall"`` the largest. Rankings tie only when all their positions are equal. Relevance is
    binary: any positive grade, or ``rel`` and above.

    Parameters
    ----------
    name : str
        What ``measure`` says in its rows.
    direction : {"precision", "recall"}
        From which end the levels are compared.
    magnitude : callable, optional
        f, from a Polars expression of ranks to one of numbers: Δ = f(p_k) − f(p′_k), with 0 for
        an item that was not retrieved. Without it Δ = sgn(p′_k − p_k).
    rel : float, optional
        The least relevant grade.
    formula, source, bounds : str, optional
        How `measures` shows it.

    Notes
    -----
    The signs order the rankings of a request totally, so they come from one sort. Diaz, Ekstrand &
    Mitra, "Recall, Robustness, and Lexicographic Evaluation", ACM TORS 2025,
    doi:10.1145/3728373 (recall); Diaz, "Best-Case Retrieval Evaluation", EVIA 2023,
    doi:10.20736/0002001353 (precision).

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.LexicographicPreference("rootLP", "precision", magnitude=lambda p: 1 / p.sqrt())
    rootLP

    With five relevant items among seven, RR has 7 − 4 values; lexiprecision tells all 21 rankings
    apart (Diaz 2023, figure 1):

    >>> from itertools import combinations
    >>> def ranking(*ranks):
    ...     others = sorted(set(range(1, 8)) - set(ranks))
    ...     return {"q": {item: -rank for item, rank in zip("abcdefg", [*ranks, *others])}}
    >>> qrels = {"q": dict.fromkeys("abcde", 1)}
    >>> runs = {str(ranks): ranking(*ranks) for ranks in combinations(range(1, 8), 5)}
    >>> s = lf.scores(lf.positions(runs, qrels), [lf.RR, lf.LP.rank])
    >>> s.group_by("measure").agg(pl.col("value").n_unique()).sort("measure").rows()
    [('LP.rank', 21), ('RR', 3)]

    Two rankings with their first relevant item at one rank tie by RR; the second item decides, at
    rank 8 against 4, by 1/8 − 1/4 (the sizes of its figure 4):

    >>> def compare(a, b, *measures):
    ...     p = pl.DataFrame({"run": ["a"] * len(a) + ["b"] * len(b), "position": [*a, *b]})
    ...     level, m = [*range(1, len(a) + 1)] * 2, len(a)
    ...     p = p.with_columns(query_id=pl.lit("q"), doc_id=pl.Series(map(str, level)),
    ...         relevance=1.0, level=pl.Series(level), n_relevant=m, n_retrieved=1000)
    ...     return dict(lf.preferences(p, measures).select("measure", "preference").rows())
    >>> compare([3, 8, 9, 11, 12], [3, 4, 9, 10, 20], "RR", "sgnLP", "rrLP")
    {'RR': 0.0, 'rrLP': -0.125, 'sgnLP': -1.0}

    Lexirecall goes up from the bottom. The last two exposures are 1/25 and 1/100 in both rankings,
    and 1/8 > 1/14 decides (Diaz, Ekstrand & Mitra 2025, figure 7, 0.12 against 0.07):

    >>> compare([2, 8, 25, 100], [1, 14, 25, 100], "LR", "LP")
    {'LP': -1.0, 'LR': 1.0}
    """

    name: str
    direction: Direction
    magnitude: Callable[..., Any] | None = None
    rel: float | None = field(default=None, kw_only=True)
    formula: str = field(default="", kw_only=True, compare=False)
    source: str = field(default="", kw_only=True, compare=False)
    bounds: str = field(default="", kw_only=True, compare=False)

    kind: ClassVar[str] = "lexicographic preference"
    needs: ClassVar[str] = RELEVANT

    def __post_init__(self) -> None:
        if self.direction not in ("precision", "recall"):
            raise LexiframeError(
                f"{self.name}: expected direction='precision' or 'recall', found {self.direction!r}"
            )

    def __call__(self, *, rel: float) -> LexicographicPreference:
        """Give the preference with relevance from grade ``rel``."""
        return replace(self, rel=notation.least_grade(self.name, rel))

    def __str__(self) -> str:
        return notation.write(self.name, None, {} if self.rel is None else {"rel": self.rel}, None)

    __repr__ = __str__

    @property
    def rank(self) -> LexicographicMetric:
        """The rank of a ranking among those observed for its request, as a metric: ``LR.rank``.

        1 for the worst, rising to the number of rankings that differ; equal ones share a rank. Its
        difference has the sign of the preference; the size counts the rankings in between, so it
        depends on which runs are compared, and every run needs its rows of every request.
        """
        return rank_metric(self._name_without_size("rank"), self.direction, self.rel)

    def metric(self, *, n: int) -> LexicographicMetric:
        """Give metric lexirecall, a mean of positions that orders rankings as lexirecall does.

        LR(p) = −Σ w_i p_i with Yager's leximin weights: Δ = 1/(n + ε), w_1 = (Δ/(1 + Δ))^(m − 1)
        and w_i = Δ^(m − i) / (1 + Δ)^(m + 1 − i) for i > 1, which sum to 1. It counts ranks, from
        −n to −1. The paper has ε between 0 and 1; here ε = 1, so that every number is a
        fraction of whole ones: the sum is exact, and rounded once.

        Parameters
        ----------
        n : int
            The number of items in the corpus. Omitted items have its last places, see `impute`.

        Raises
        ------
        LexiframeError
            For another preference than lexirecall. In `scores`, when rankings of one request
            differ and their numbers do not, by more than what counts as a tie (1e-12): float64
            holds few levels, and the fewer the larger n is. ``rank`` has no such limit.

        Notes
        -----
        Diaz, Ekstrand & Mitra, ACM TORS 2025, section 7.3.2, doi:10.1145/3728373; Yager, "On the
        analytic representation of the Leximin ordering", European Journal of Operational Research
        102(1), 1997, doi:10.1016/S0377-2217(96)00217-2.

        Examples
        --------
        >>> import lexiframe as lf
        >>> lf.LR.metric(n=1000), lf.LR(rel=2).rank
        (LR.metric(n=1000), LR.rank(rel=2))
        """
        name = self._name_without_size("metric")
        if self.direction != "recall":
            raise LexiframeError(
                f"{self}: only lexirecall, whose last level decides, has a metric; "
                f"take the ranks of the rankings, {name}.rank"
            )
        metric: LexicographicMetric = leximin_metric(name, self.rel)(n=n)
        return metric

    def _name_without_size(self, asked: str) -> str:
        if self.magnitude is not None:
            raise LexiframeError(
                f"{self}: a preference with a magnitude has no {asked}; take that of LR or LP, "
                "which have signs alone"
            )
        return self.name

    def kernel(self) -> Callable[[Request], np.ndarray]:
        """Give the function from a request to Δ: runs × runs, antisymmetric."""
        return self._matrix

    def deciding_level(self, request: Request) -> np.ndarray:
        """Give the recall level that decides for each pair of runs: 1..m, and 0 for a tie."""
        positions = self._in_order(request)
        m = positions.shape[1]
        column = deciding_levels(*sort_rankings(positions))
        np.fill_diagonal(column, m)
        return np.where(column == m, 0, m - column if self.direction == "recall" else column + 1)

    def _in_order(self, request: Request) -> np.ndarray:
        """Give runs × m, the level that decides first in front."""
        positions = request.at_least(self.rel)
        return positions[:, ::-1] if self.direction == "recall" else positions

    def _matrix(self, request: Request) -> np.ndarray:
        positions = self._in_order(request)
        order, differs_at = sort_rankings(positions)
        if self.magnitude is None:
            place = places(order, differs_at, positions.shape[1])
            signs: np.ndarray = np.sign(place[None, :] - place[:, None], dtype=np.float64)
            return signs
        level = deciding_levels(order, differs_at)
        sizes = np.pad(_sizes(self.magnitude, positions), ((0, 0), (0, 1)))
        if not np.isfinite(sizes).all():
            raise LexiframeError(
                f"{self}: expected finite numbers as magnitude, "
                f"found {sizes[~np.isfinite(sizes)][0]}"
            )
        own = np.take_along_axis(sizes, level, axis=1)
        other = np.take_along_axis(sizes, level.T, axis=1).T
        return np.asarray(own - other)


def _sizes(magnitude: Callable[..., Any], positions: np.ndarray) -> np.ndarray:
    """f(p) of every position, 0 for an item that was not retrieved."""
    p = pl.col("p")
    size = pl.when(p < missing(positions)).then(magnitude(p.cast(pl.Float64))).otherwise(0.0)
    ranks = pl.DataFrame({"p": positions.ravel()})
    return (
        ranks.select(size=size.fill_null(float("nan")))["size"].to_numpy().reshape(positions.shape)
    )


def deciding_levels(order: np.ndarray, differs_at: np.ndarray) -> np.ndarray:
    """Give the first column in which each pair of runs differs, m for equal ones: runs × runs.

    Of two rows in sorted order it is the least of the columns at which a row between them differs
    from the one before: a running minimum.
    """
    n_runs = len(order)
    before = np.triu(np.broadcast_to(np.concatenate([[0], differs_at]), (n_runs, n_runs)), k=1)
    nothing = np.iinfo(before.dtype).max
    between = np.where(np.tri(n_runs, dtype=bool), nothing, before)
    least = np.minimum.accumulate(between, axis=1)
    least = np.minimum(least, least.T)
    place = np.empty(n_runs, np.int64)
    place[order] = np.arange(n_runs)
    level = least[place][:, place]
    np.fill_diagonal(level, 0)
    return level
