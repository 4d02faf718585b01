"""Bets against a hypothesis about the mean of bounded differences: what they are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, check_choice, progress, shown, to_polars
from lexiframe.metrics import Metric
from lexiframe.pairwise import PairCube, Pairs, parse_measure

CAUTION = 0.9
"""c: a bet risks at most this share of the capital."""
GRID = 1000
"""An interval is found on the range of the differences, divided into this many steps."""
_CELLS = 2**18
"""The number of cells (pairs × hypotheses) at once."""

SHARING = {"holm", "bonferroni"}
"""The corrections with which the tests of a family share the level."""


def by_level(corrections: Sequence[Any]) -> list[list[Any]]:
    """Divide corrections into those that bets for one level serve.

    Examples
    --------
    >>> by_level(["holm", "none", "bonferroni"])
    [['holm', 'bonferroni'], ['none']]
    """
    parts = [[c for c in corrections if (c in SHARING) == shares] for shares in (True, False)]
    return [part for part in parts if part]


BoundsLike = Mapping[str, tuple[float, float]]
"""The least and the greatest value of measures, by their names: ``{"mine": (0, 1)}``."""
Order = Literal["random", "given"]
"""In which order bets see the requests: drawn by the seed, or that in which they are given."""


@dataclass(frozen=True)
class Bets:
    """What the betting test needs besides differences.

    Attributes
    ----------
    bounds
        The bounds that the user gave.
    order, n_planned
        The order of the requests, and how many there will be in the end; None: those there are.
    given
        The ids of the requests in the given order; None for a random one.
    comparisons
        The number of tests in the family of all measures and groups; None: one measure's pairs.
    shared
        Whether the correction divides the level among the tests of a family.
    bound
        b of the measure that is being tested: its differences are from −b to b.
    level
        ℓ: bets stop at a capital of 1/ℓ.
    """

    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    order: Order = "random"
    n_planned: int | None = None
    given: pl.Series | None = None
    comparisons: int | None = None
    shared: bool = False
    bound: float = np.nan
    level: float = np.nan

    @classmethod
    def of(
        cls,
        called: str,
        d: Any,
        bounds: BoundsLike | None,
        order: Order | Sequence[str],
        n_planned: int | None,
    ) -> Bets:
        """Check what the user gave."""
        given = None if isinstance(order, str) else pl.Series([*order], dtype=pl.String)
        kind: Any = order if given is None else "given"
        check_choice(called, kind, get_args(Order), "order")
        if (n_planned is None) == (kind == "given"):
            raise LexiframeError(
                f"{called}: n_planned, the number of requests there will be in the end, and "
                "order='given' belong together: bets that may be looked at at any time need both, "
                "others none"
            )
        if n_planned is not None and n_planned < 1:
            raise LexiframeError(f"{called}: expected n_planned to be 1 or more, found {n_planned}")
        if not isinstance(bounds, Mapping | None):
            raise LexiframeError(
                f"{called}: expected bounds to name measures and their ends, {{'mine': (0, 1)}}, "
                f"found {shown(bounds)}"
            )
        for name, ends in (bounds or {}).items():
            if not (np.size(ends) == 2 and -np.inf < ends[0] < ends[1] < np.inf):
                raise LexiframeError(
                    f"{called}: expected the least and the greatest value in bounds, "
                    f"{{{name!r}: (0, 1)}}, found {ends}"
                )
        if kind == "given" and given is None:
            given = _given_order(d)
        return cls(dict(bounds or {}), kind, n_planned, given)

    def in_family(self, comparisons: int | None, corrections: Sequence[str]) -> Bets:
        """Return the same with the size of the family, and whether its tests share the level."""
        return replace(self, comparisons=comparisons, shared=bool({*corrections} & SHARING))

    def of_measure(self, measure: str, pairs: Pairs, alpha: float) -> Bets:
        """Return the same with the bound and the level of one measure."""
        family = self.comparisons or max(int((pairs.n > 0).sum()), 1)
        level = alpha / family if self.shared else alpha
        return self.of_level(measure, pairs.scores is not None, level)

    def of_level(self, measure: str, of_scores: bool, level: float) -> Bets:
        """Return the same with the bound of a measure, and a level."""
        return replace(self, bound=self._bound(measure, of_scores), level=level)

    def _bound(self, measure: str, of_scores: bool) -> float:
        """Return b: the greatest difference that two runs can have."""
        if measure in self.bounds:
            low, high = self.bounds[measure]
            return high - low if of_scores else max(-low, high)
        try:
            asked: Any = parse_measure(measure)
        except LexiframeError:
            raise _no_bounds(measure) from None
        limits = asked.limits
        size = limits.width if isinstance(asked, Metric) else max(-limits.low, limits.high)
        if not 0 < size < np.inf:
            raise _no_bounds(measure)
        return float(size)

    def sequence(self, called: str, n: int, queries: pl.Series, seed: int) -> np.ndarray:
        """Return the places of the requests, which are sorted by id, in the order of the bets."""
        if self.n_planned is not None and n > self.n_planned:
            raise LexiframeError(
                f"{called}: expected at most the {self.n_planned:,} requests that were planned, "
                f"found {n:,}; bets on more than were planned promise nothing: leave the others out"
            )
        if self.given is None:
            return np.random.default_rng(seed).permutation(n)
        place = pl.DataFrame({"query_id": self.given}).with_row_index("place")
        found = queries.alias("query_id").to_frame().join(
            place, on="query_id", how="left", maintain_order="left"
        )  # fmt: skip
        return np.argsort(found["place"].to_numpy(), kind="stable")


def _no_bounds(measure: str) -> LexiframeError:
    return LexiframeError(
        f"betting: expected a measure whose values are bounded, found {measure}, of which no "
        f"bounds are known; say them: bounds={{{measure!r}: (0, 1)}}"
    )


def _given_order(d: Any) -> pl.Series:
    """Return the ids of the requests in the order of their first rows."""
    if isinstance(d, PairCube):
        return d.queries
    column = to_polars(d)["query_id"].cast(pl.String)
    return column.unique(maintain_order=True)


def log_capital(
    y: np.ndarray, null: np.ndarray, level: float, planned: int | None = None
) -> np.ndarray:
    """Return ln of the capital after each bet on the mean of y being above ``null``.

    Parameters
    ----------
    y
        The values in the order of the bets, each 0 to 1: requests × columns.
    null
        m₀ of each column, above 0; or hypotheses × 1, for all columns each.
    level
        ℓ: no more bets are made from a capital of 1/ℓ on.
    planned
        n, the number of bets that there will be; None: as many as there are values.

    Returns
    -------
    numpy.ndarray
        The greatest ln of the capital so far of each column (and hypothesis), 0 or more.

    Notes
    -----
    K_t = Π (1 + λ_i (y_i − m₀)), λ_i = min(c/m₀, √(2 ln⁺(1/(ℓ K_{i−1})) / ((n − i + 1) v_{i−1}))),
    v_{i−1} = (¼ + Σ_{j<i} (y_j − μ_j)²)/i, μ_j = (½ + Σ_{l≤j} y_l)/(j + 1): STaR bets (Voráček &
    Orabona, NeurIPS 2025, arXiv:2505.22422) with the variance of Waudby-Smith & Ramdas, JRSS B
    2024, doi:10.1093/jrsssb/qkad009. Each bet knows the values before it only.
    """
    best = np.zeros(np.broadcast_shapes(null.shape, y.shape[1:]))  # without a bet
    for capital in log_capitals(y, null, level, planned or len(y)):
        best = capital
    return np.asarray(best)


def log_capitals(
    y: np.ndarray, null: np.ndarray, level: float, planned: int
) -> Iterator[np.ndarray]:
    """Yield what `log_capital` returns after each bet."""
    n = len(y)
    i = np.arange(1, n + 1)[:, None]
    squares = np.cumsum((y - (0.5 + np.cumsum(y, axis=0)) / (i + 1)) ** 2, axis=0)
    variance = (0.25 + np.concatenate([np.zeros((1, y.shape[1])), squares[:-1]])) / i
    goal, most = np.log(1 / level), CAUTION / null
    best = capital = np.zeros(np.broadcast_shapes(null.shape, y.shape[1:]))
    for value, spread, left in zip(y, variance, range(planned, planned - n, -1), strict=True):
        bet = np.minimum(most, np.sqrt(2 * np.maximum(goal - capital, 0) / (left * spread)))
        capital = capital + np.log1p(bet * (value - null))
        best = np.maximum(best, capital)
        yield best


def p_above(x: np.ndarray, limit: Any, bets: Bets, share: float = 1.0) -> np.ndarray:
    """Return p of the hypothesis that the mean is at most ``limit``, for each column of x.

    ``share`` of the level is for this question.
    """
    limit, b = np.asarray(limit, float), bets.bound
    inside = limit > -b
    null = np.where(inside, (limit / b + 1) / 2, 1.0)
    best = log_capital((x / b + 1) / 2, null, bets.level * share, bets.n_planned)
    # A limit that no difference can be below is no hypothesis: nothing is shown.
    return np.asarray(np.where(inside & (limit < b), np.exp(-best), 1.0))


def p_either(x: np.ndarray, limit: Any, bets: Bets) -> np.ndarray:
    """Return p of the hypothesis that the mean is ``limit``: bets on both sides, half each."""
    limit = np.asarray(limit, float)
    p = np.minimum(p_above(x, limit, bets, 0.5), p_above(-x, -limit, bets, 0.5))
    return np.asarray(np.minimum(1.0, 2 * p))


def interval(x: np.ndarray, bets: Bets, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of an interval: the limits that bets on neither side reject at ``tail``.

    The limits are tried on a grid; the ends are one step outside of those that are not rejected.
    """
    b, step = bets.bound, 2 * bets.bound / GRID
    limit = (b * np.linspace(-1, 1, GRID + 1)[1:-1])[:, None]
    found, at_once = [], max(_CELLS // GRID, 1)
    bets = replace(bets, level=tail)
    starts = range(0, x.shape[1], at_once)
    for start in progress(starts, len(starts), "intervals of bets"):
        some = x[:, start : start + at_once]
        kept = (p_above(some, limit, bets) >= tail) & (p_above(-some, -limit, bets) >= tail)
        ends = kept.argmax(axis=0), GRID - 2 - kept[::-1].argmax(axis=0)
        found.append([limit[ends[0], 0] - step, limit[ends[1], 0] + step])
    low, high = np.concatenate(found, axis=1)
    return low, high


def intervals_after(
    x: np.ndarray, looks: Sequence[int], bets: Bets
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the intervals of the first few differences, at the level of the bets.

    ``looks`` are how many, ascending. They are those of `interval`, by one pass through x.
    """
    b, step = bets.bound, 2 * bets.bound / GRID
    limit = b * np.linspace(-1, 1, GRID + 1)[1:-1]
    sides = [
        log_capitals((sign * x[:, None] / b + 1) / 2, (sign * limit[:, None] / b + 1) / 2,
                     bets.level, bets.n_planned or len(x))
        for sign in (1, -1)
    ]  # fmt: skip
    asked, least = {*looks}, -np.log(bets.level)
    found = []
    for n, (above, below) in enumerate(zip(*sides, strict=True), start=1):
        if n in asked:
            kept = limit[(np.maximum(above, below) <= least)[:, 0]]
            found.append((kept[0] - step, kept[-1] + step))
    low, high = np.array(found).T
    return low, high
