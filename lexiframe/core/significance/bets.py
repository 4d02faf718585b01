"""Bets against a hypothesis about the mean of bounded differences, and their capital."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, shown, to_polars
from lexiframe.core.pairwise import PairCube, Pairs, facts

SHARING = {"holm", "bonferroni"}
"""The corrections with which the tests of a family share the level."""


def group_by_level(corrections: Sequence[Any]) -> list[list[Any]]:
    """Divide corrections into groups that share the bets for one level."""
    parts = [[c for c in corrections if (c in SHARING) == shares] for shares in (True, False)]
    return [part for part in parts if part]


BoundsLike = Mapping[str, tuple[float, float]]
"""The least and the greatest value of measures, by their names: ``{"mine": (0, 1)}``.

An evaluation hands over the `Facts` of its measures in their place.
"""
Order = Literal["random", "given"]
"""In which order bets see the requests: drawn by the seed, or that in which they are given."""


@dataclass(frozen=True)
class Bets:
    """The settings of the betting test besides differences.

    Attributes
    ----------
    bounds
        The bounds that the user gave, or the facts of an evaluation's measures.
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

    bounds: Mapping[str, Any] = field(default_factory=dict)
    order: Order = "random"
    n_planned: int | None = None
    given: pl.Series | None = None
    comparisons: int | None = None
    shared: bool = False
    bound: float = np.nan
    level: float = np.nan

    @classmethod
    def check(
        cls,
        called: str,
        d: Any,
        bounds: BoundsLike | None,
        order: Order | Sequence[str],
        n_planned: int | None,
    ) -> Bets:
        """Check the user's arguments."""
        given = None if isinstance(order, str) else pl.Series([*order], dtype=pl.String)
        kind: Any = order if given is None else "given"
        check_choice(called, kind, get_args(Order), "order")
        if (n_planned is None) == (kind == "given"):
            raise LexiframeError(
                f"{called}: n_planned, the number of requests there will be in the end, and "
                "order='given' belong together: a sequential test, which may be read after each "
                "request, needs both, and any other test neither"
            )
        if n_planned is not None and n_planned < 1:
            raise LexiframeError(f"{called}: expected n_planned to be 1 or more, found {n_planned}")
        if not isinstance(bounds, Mapping | None):
            raise LexiframeError(
                f"{called}: expected bounds to name measures and their ends, {{'mine': (0, 1)}}, "
                f"found {shown(bounds)}"
            )
        for name, ends in (bounds or {}).items():
            is_told = isinstance(ends, facts.Facts)
            if not is_told and not (np.size(ends) == 2 and -np.inf < ends[0] < ends[1] < np.inf):
                raise LexiframeError(
                    f"{called}: expected the least and the greatest value in bounds, "
                    f"{{{name!r}: (0, 1)}}, found {ends}"
                )
        if kind == "given" and given is None:
            given = _given_order(d)
        return cls(dict(bounds or {}), kind, n_planned, given)

    def share_in_family(self, comparisons: int | None, corrections: Sequence[str]) -> Bets:
        """Return the same with the size of the family, and whether its tests share the level."""
        return replace(self, comparisons=comparisons, shared=bool({*corrections} & SHARING))

    def bound_measure(self, measure: str, pairs: Pairs, alpha: float) -> Bets:
        """Return the same with the bound and the level of one measure."""
        family = self.comparisons or max(int((pairs.n > 0).sum()), 1)
        level = alpha / family if self.shared else alpha
        return self.set_level(measure, pairs.scores is not None, level)

    def set_level(self, measure: str, of_scores: bool, level: float) -> Bets:
        """Return the same with the bound of a measure, and a level; raise if no bound is known."""
        bound = self.bound_of(measure, of_scores)
        if not 0 < bound < np.inf:
            raise _no_bounds(measure)
        return replace(self, bound=bound, level=level)

    def bound_of(self, measure: str, of_scores: bool) -> float:
        """Return b, the greatest difference that two runs can have; infinite if it is not known."""
        known = self.bounds[measure] if measure in self.bounds else facts.Facts.named(measure)
        if known is None:
            return np.inf
        if isinstance(known, facts.Facts):
            size = max(-known.difference_range[0], known.difference_range[1])
        else:
            size = known[1] - known[0] if of_scores else max(-known[0], known[1])
        return float(size) if size > 0 else np.inf

    def sequence(self, called: str, n: int, queries: pl.Series, seed: int) -> np.ndarray:
        """Return the places of the requests, which are sorted by id, in the order of the bets."""
        if self.n_planned is not None and n > self.n_planned:
            raise LexiframeError(
                f"{called}: expected at most the {self.n_planned:,} requests that were planned, "
                f"found {n:,}; with more the error rate is unknown: leave the others out"
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
