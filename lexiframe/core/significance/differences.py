"""The input of paired tests: differences of pairs of runs over requests, and options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from lexiframe.core.base import coded, progress, schemas, sums
from lexiframe.core.pairwise import Pairs, arrays, grouping
from lexiframe.core.significance.bets import Bets

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Options:
    """The options of tests and intervals, see `compare`.

    ``effect_intervals``: whether intervals of d_z are wanted, which take longer than most tests.
    """

    alternative: Alternative
    alpha: float
    trials: int = 1
    seed: int = 0
    sign_ties: Literal["drop", "split"] = "drop"
    bets: Bets = field(default_factory=Bets)
    clusters: pl.DataFrame | None = None
    effect_intervals: bool = True

    @property
    def tail(self) -> float:
        """The probability of lying beyond one end of an interval."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def extreme(self, drawn: np.ndarray, observed: np.ndarray, rounding: np.ndarray) -> np.ndarray:
        """Return which drawn values are at least as extreme as the observed one, up to rounding."""
        if self.alternative == "greater":
            return np.asarray(drawn >= observed - rounding)
        if self.alternative == "less":
            return np.asarray(drawn <= observed + rounding)
        return np.asarray(np.abs(drawn) >= np.abs(observed) - rounding)

    def least_p(self, tail: np.ndarray) -> np.ndarray:
        """Return the least p-value possible, from the probability of the most extreme value."""
        return np.minimum(1.0, 2 * tail) if self.alternative == "two-sided" else tail

    def p_value(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """Return p from the probabilities of a value at most, and at least, the observed one."""
        if self.alternative == "two-sided":
            p = np.minimum(1.0, 2 * np.minimum(below, above))
        else:
            p = np.asarray(above if self.alternative == "greater" else below)
        return sums.above_zero(p)


@dataclass(frozen=True)
class Differences:
    """The differences of pairs over the same requests: requests × pairs, none missing.

    ``rounding`` (requests × pairs or 1 × 1) bounds the rounding error of each difference;
    ``queries`` are the requests' ids, where they are known, and ``weighing`` their weights.
    """

    values: np.ndarray
    rounding: np.ndarray
    queries: pl.Series = field(default_factory=lambda: pl.Series([], dtype=pl.String))
    weighing: sums.Weighing | None = None

    @cached_property
    def moments(self) -> sums.Moments:
        """The moments of each pair's differences, which the t and sign tests need alone."""
        return sums.add_up(self.values, self.rounding, self.weighing)

    @property
    def mean(self) -> np.ndarray:
        """The mean difference of each pair."""
        return self.moments.mean

    @property
    def deviation(self) -> np.ndarray:
        """The standard deviation with n − 1; exactly 0 where all are equal up to rounding."""
        return self.moments.deviation

    @property
    def mean_rounding(self) -> np.ndarray:
        """The bound of the rounding error of each mean."""
        return self.moments.mean_rounding

    @property
    def wins(self) -> np.ndarray:
        """The number of positive differences of each pair."""
        return self.moments.wins

    @property
    def losses(self) -> np.ndarray:
        """The number of negative differences of each pair."""
        return self.moments.losses

    @property
    def n(self) -> int:
        """The number of requests."""
        return len(self.values)

    @property
    def has_weights(self) -> bool:
        """Whether requests have weights that are not all equal."""
        return self.weighing is not None and not self.weighing.are_equal

    @property
    def n_effective(self) -> np.ndarray:
        """n* of each pair: n unless requests have weights."""
        return self.moments.n_effective

    @property
    def df(self) -> np.ndarray:
        """The degrees of freedom of each pair's t."""
        return self.moments.df

    @property
    def weighed(self) -> tuple[np.ndarray, np.ndarray]:
        """The differences times the weights of requests, of mean 1, and their rounding."""
        return weighed_differences(self.values, self.rounding, self.weighing)


def cube_of(d: Any, baseline: str | None, *, of_sums: bool = False) -> Any:
    """Return preferences as an array, only the pairs with the baseline if there is one.

    ``of_sums``: sums over the requests are enough; a table of sums is returned unchanged.
    """
    cube = arrays.cube_or_sums(d, baseline) if of_sums else arrays.pair_cube(d, baseline)
    return cube if baseline is None else cube.against(baseline)


def n_comparisons(d: Any, baseline: str | None, requests: Any, by: Any) -> int:
    """Return how many pairs of runs are compared in all measures and groups."""

    def of_group(part: Any) -> pl.DataFrame:
        cube = cube_of(part, baseline, of_sums=True)
        return pl.DataFrame({"n": [int((pairs.n > 0).sum()) for _, pairs in cube]}, {"n": pl.Int64})

    return int(measure_tables(of_group, d, requests, by)["n"].to_numpy().sum())


def measure_tables(
    of_group: Callable[[Any], pl.DataFrame], d: Any, requests: Any, by: Any
) -> pl.DataFrame:
    """Compute a table in each group of requests, measure by measure if they come so."""
    if not isinstance(d, arrays.PairsByMeasure):
        return grouping.group_tables(of_group, d, requests, by)
    parts = progress(d.cubes, d.n, "compare")
    return pl.concat([grouping.group_tables(of_group, cube, named, by) for cube, named in parts])


def compared(
    called: str, pairs: Any, *, of_sums: bool
) -> Iterator[tuple[np.ndarray, Differences | sums.Moments]]:
    """Return the pairs that have requests, and their differences; raise if some are infinite.

    Pairs that share all requests come together; all pairs do where sums are enough.
    """
    if not of_sums:
        arrays.check_finite(called, pairs.values)
        return group_by_requests(pairs, np.flatnonzero(pairs.n > 0))
    moments = pairs.differences
    arrays.check_finite(called, np.where(moments.total.infinite == 0, 0, np.inf))
    pair = np.flatnonzero(moments.n > 0)
    return iter([(pair, moments if len(pair) == len(moments.n) else moments[pair])])


def rows_of_pairs(
    columns: Mapping[str, pl.DataType], pairs: Any, pair: np.ndarray, **given: Any
) -> pl.DataFrame:
    """Return a row for each of some pairs of runs; see `schemas.table_of`."""
    a, b = map(coded.decode, (pairs.runs, pairs.runs), (pairs.a[pair], pairs.b[pair]))
    return schemas.table_of(columns, len(pair), {"run_a": a, "run_b": b, **given})


def group_by_requests(pairs: Pairs, chosen: np.ndarray) -> Iterator[tuple[np.ndarray, Differences]]:
    """Yield groups of chosen pairs that share the same requests, and their differences."""
    values, rounding = pairs.values[:, chosen], pairs.rounding
    known = ~np.isnan(values)
    if known.all():  # the usual case: all pairs come at once
        every = np.arange(len(values))
        rough = _rounding_cells(rounding, every, chosen)
        yield chosen, Differences(values, rough, pairs.queries, pairs.weighing)
        return
    for pair, requests in alike(known):
        yield chosen[pair], differences_of(pairs, rounding, requests, chosen[pair])


def weighed_differences(
    values: np.ndarray, rounding: np.ndarray, weighing: sums.Weighing | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the differences times the weights of requests, and their rounding."""
    if weighing is None or weighing.are_equal:
        return values, rounding
    w = weighing.factors[:, None]
    return values * w, rounding * w


def alike(known: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the indices of pairs that share all requests, and of these requests, group by group.

    ``known``, requests × pairs, is true where a pair has the request.
    """
    if known.all():  # the usual case: all pairs come at once
        yield np.arange(known.shape[1]), np.arange(len(known))
        return
    patterns, pattern = np.unique(known, axis=1, return_inverse=True)
    for number, requests in enumerate(patterns.T):
        yield np.flatnonzero(pattern.ravel() == number), np.flatnonzero(requests)


def differences_of(
    of: Pairs, rounding: np.ndarray, requests: np.ndarray, pairs: np.ndarray
) -> Differences:
    """Return the differences of some pairs over some requests, which none of them lacks."""
    rough = _rounding_cells(rounding, requests, pairs)
    weighing = None if of.weighing is None else of.weighing.some(requests)
    cells = np.ix_(requests, pairs)
    return Differences(of.values[cells], rough, of.queries.gather(requests), weighing)


def _rounding_cells(rounding: np.ndarray, requests: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the rounding of some requests and pairs; it may be one number for all."""
    return rounding if rounding.size == 1 else np.asarray(rounding[np.ix_(requests, pairs)])
