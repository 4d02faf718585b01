"""Preferences reduced to sums over the requests, from which most tables follow: `Reduced`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums, unknown_name
from lexiframe.core.pairwise.arrays.arrays import PairCube, score_differences
from lexiframe.core.pairwise.arrays.few import Few
from lexiframe.core.pairwise.arrays.one_measure import TIE, Pairs, square_of

if TYPE_CHECKING:
    from lexiframe.core.pairwise.arrays.request_weights import Weights

_SUMMED = ("differences", "ballots", "preferred", "borda", "shares", "few")
"""What of `Pairs` is added up over requests."""


@dataclass(frozen=True)
class PairSums:
    """One measure's preferences, summed up over requests.

    Attributes
    ----------
    runs, a, b
        As those of `Pairs`.
    differences
        The moments of the preferences of each pair.
    ballots
        For each pair, the number of requests that rank run a over run b by their request win rates,
        minus those that rank b over a.
    preferred, borda, shares
        Moments for each run, over requests: of its mean preference over the other runs, of Borda's
        points, and of the share of the other runs that it is preferred to.
    few
        The preferences of single requests, as long as there are few.
    """

    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    differences: sums.Moments
    ballots: np.ndarray
    preferred: sums.Moments
    borda: sums.Moments
    shares: sums.Moments
    few: Few

    @classmethod
    def sum_up_each(cls, several: Sequence[Pairs], most: Sequence[int]) -> list[PairSums]:
        """Sum up the preferences by several measures of the same requests.

        Requests without any preference count in no sum. Measures with equal preferences, as RPP and
        LR where each request has one relevant item, are summed up once. Up to ``most`` requests,
        the preferences by each measure are kept.
        """
        like = [next(n for n, of in enumerate(several) if of.is_like(pairs)) for pairs in several]
        summed = dict[int, dict[str, Any]]()
        for n in {*like}:
            pairs = several[n]
            blocks = ((*block.by_run, block.ballots) for block in pairs.blocks())
            *by_run, ballots = zip(*blocks, strict=True)
            errors = (pairs.request_rounding[:, None], TIE, TIE)
            moments = [
                sums.add_up(np.concatenate(of), error, pairs.weighing)
                for of, error in zip(by_run, errors, strict=True)
            ]
            found = [pairs.differences, np.sum(ballots, axis=0), *moments]
            summed[n] = dict(zip(_SUMMED[:-1], found, strict=True))
        return [
            cls(of.runs, of.a, of.b, **summed[n], few=Few.keep(of.queries, of.values, limit))
            for of, n, limit in zip(several, like, most, strict=True)
        ]

    @property
    def n(self) -> np.ndarray:
        """The number of requests of each pair."""
        return self.differences.n

    @property
    def single(self) -> Pairs | None:
        """The preferences of single requests, if there are few; None if they are not kept."""
        values = self.few.values
        if values is None:
            return None
        return Pairs(self.few.queries, self.runs, self.a, self.b, values).drop_unknown()

    def __add__(self, other: PairSums) -> PairSums:
        """Return the sums over the requests of both."""
        return replace(self, **{n: getattr(self, n) + getattr(other, n) for n in _SUMMED})

    @property
    def lacking(self) -> np.ndarray:
        """For each run 0, as sums do not tell which requests a run lacks."""
        return np.zeros(len(self.runs), np.int64)

    def square(self, by_pair: np.ndarray) -> np.ndarray:
        """Return an antisymmetric matrix, runs × runs, from a number for each pair."""
        return square_of(self, by_pair)


@dataclass(frozen=True)
class RunSums:
    """One measure's scores, summed up over requests: the moments of each run's scores.

    ``n_requests`` have a score of some run. ``few`` has single scores, as long as there are few.
    Where ties are expected, ``ties`` has the moments of the variances over tied orders.
    """

    runs: pl.Series
    scores: sums.Moments
    smaller_is_better: bool
    is_exact: bool
    n_requests: int
    few: Few
    ties: sums.Moments | None = None

    def __add__(self, other: RunSums) -> RunSums:
        """Return the sums over the requests of both."""
        n, few = self.n_requests + other.n_requests, self.few + other.few
        ties = self.ties or other.ties  # sums of no requests have none
        if self.ties is not None and other.ties is not None:
            ties = self.ties + other.ties
        return replace(self, scores=self.scores + other.scores, n_requests=n, few=few, ties=ties)

    def some(self, chosen: np.ndarray) -> RunSums:
        """Return the sums of some of the runs."""
        runs, ties = self.runs.filter(pl.Series(chosen)), self.ties and self.ties[chosen]
        return replace(self, runs=runs, scores=self.scores[chosen], few=self.few[chosen], ties=ties)

    @property
    def lacking(self) -> np.ndarray:
        """The number of requests that each run lacks, among the requests of any run."""
        return np.asarray(self.n_requests - self.scores.n)


_NO_TABLE = (
    "expected the preferences or scores of each request, found their sums, which suffice for "
    "means, win rates, orderings, and the t and sign tests; evaluate with out='FOLDER' and give "
    "what it wrote there, or evaluate a sample of the requests"
)


@dataclass(frozen=True, repr=False)
class Reduced:
    """Scores and preferences of all measures, reduced to sums over the requests.

    The sums of some requests and of others are added, in any order, to the same bits as those of
    all requests at once.

    Attributes
    ----------
    runs
        The names of the runs, sorted.
    preferences, scores
        The sums of each measure by its name, sorted.
    agreement
        Measures × measures, in the order of ``preferences``: the number of pairs of rankings of
        which both measures prefer the same one.
    groups
        The same for each group of requests, with the attributes of the group in a frame of one row.
    are_scores
        Whether functions that take scores or preferences find the scores in it.
    weights
        The weights of the requests by which all is summed up, if they have some.
    """

    runs: pl.Series
    preferences: dict[str, PairSums]
    scores: dict[str, RunSums]
    agreement: np.ndarray
    groups: tuple[tuple[pl.DataFrame, Reduced], ...] = ()
    are_scores: bool = False
    weights: Weights | None = None
    why_no_table: ClassVar[str] = _NO_TABLE

    def __repr__(self) -> str:
        measures = ", ".join(dict.fromkeys([*self.preferences, *self.scores]))
        return f"sums over the requests: {len(self.runs):,} runs, {measures}"

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield each measure that has preferences, or scores, with its sums over these runs."""
        for measure, of_pairs in ({} if self.are_scores else self.preferences).items():
            if of_pairs.differences.n.any():
                yield measure, of_pairs
        for measure, found in (self.scores if self.are_scores else {}).items():
            known = found.scores.n > 0
            if known.any():
                yield measure, found.some(known)

    def __add__(self, other: Reduced) -> Reduced:
        """Return the sums over the requests of both, which have the same runs and measures."""
        total = replace(self, preferences={**self.preferences}, scores={**self.scores})
        total += other
        return total

    def __iadd__(self, other: Reduced) -> Reduced:
        """Add sums over other requests measure by measure, in place: of many runs each is large."""
        for name, of_pairs in other.preferences.items():
            self.preferences[name] += of_pairs
        for name, of_runs in other.scores.items():
            self.scores[name] += of_runs
        agreement = self.agreement + other.agreement
        return replace(self, agreement=agreement, groups=_add_groups(self.groups, other.groups))

    def single(self, measure: str, pairs: PairSums) -> Pairs | None:
        """Return the preferences of single requests by a measure; None if they are not kept.

        For a metric they are the differences of the scores of single requests.
        """
        of_runs, weights = self.scores.get(measure), self.weights
        if of_runs is None:
            return pairs.single and replace(pairs.single, weights=weights)
        s = of_runs.few.values
        if s is None:
            return None
        flags: Any = {"smaller_is_better": of_runs.smaller_is_better, "is_exact": of_runs.is_exact}
        delta = score_differences(s, pairs.a, pairs.b, **flags)
        return Pairs(of_runs.few.queries, pairs.runs, pairs.a, pairs.b, delta, s, weights)

    @property
    def scores_only(self) -> Reduced:
        """The sums, marked as scores for functions that take scores or preferences."""
        return replace(self, are_scores=True)

    @property
    def measures(self) -> pl.Series:
        """The names of the measures that have preferences."""
        return pl.Series([*self.preferences], dtype=pl.String)

    def select_measures(self, names: list[str]) -> Reduced:
        """Return the sums of some of the measures."""
        chosen = np.array([name in names for name in self.preferences], bool)
        return replace(
            self,
            preferences={k: v for k, v in self.preferences.items() if k in names},
            scores={k: v for k, v in self.scores.items() if k in names},
            agreement=self.agreement[np.ix_(chosen, chosen)],
            groups=tuple((group, part.select_measures(names)) for group, part in self.groups),
        )

    def group_parts(self, names: list[str]) -> tuple[tuple[pl.DataFrame, Reduced], ...]:
        """Return the attributes and the sums of each group of requests by the attributes ``names``.

        Sums cannot be divided into groups afterwards, so they are there only for the attributes
        that were named when the requests were summed up; any other raises LexiframeError.
        """
        known = self.groups[0][0].columns if self.groups else []
        if known != names:
            raise LexiframeError(
                f"by: expected the groups whose sums were kept ({', '.join(known) or 'none'}), "
                f"found {', '.join(names)}; evaluate again with by={names!r}"
            )
        return tuple(
            (group, replace(part, are_scores=self.are_scores)) for group, part in self.groups
        )

    def against(self, baseline: str) -> Reduced:
        """Return the pairs with one run: ``b`` of every pair is the baseline.

        Only ``differences`` are sums over the new pairs; ``ballots``, ``preferred``, ``borda`` and
        ``shares`` remain sums over all pairs.
        """
        if baseline not in self.runs:
            raise unknown_name("run", baseline, self.runs)
        turned = {name: _keep_baseline(sums, baseline) for name, sums in self.preferences.items()}
        return replace(self, preferences=turned)


def reduced(cube: PairCube, few: int = 0) -> Reduced:
    """Sum up the preferences and the scores of some requests.

    Up to ``few`` requests, all scores are kept, and preferences that are no differences of scores.
    """
    s = cube.scores
    n_requests = (~np.isnan(s.values)).any(axis=2).sum(axis=1).tolist()
    of_runs = dict(s.whole())
    if cube.weights is None:
        of_each = [(x.values, sums.rounding(x.values)) for x in of_runs.values()]
        moments = sums.Moments.add_up_each(of_each)
    else:
        moments = [x.scores for x in of_runs.values()]
    scores = {
        name: RunSums(
            s.runs,
            found,
            of_runs[name].smaller_is_better,
            is_exact,
            n,
            Few.keep(s.queries, of_runs[name].values, few, least=2),  # of a pair at least
            of_runs[name].ties,
        )
        for name, found, is_exact, n in zip(of_runs, moments, s.is_exact, n_requests, strict=True)
    }
    cube = cube if len(cube.a) else cube.select_measures([])
    of_pairs = cube.preferences
    most = [0 if name in scores else few for name in of_pairs]
    preferences = dict(zip(of_pairs, PairSums.sum_up_each([*of_pairs.values()], most), strict=True))
    return Reduced(cube.runs, preferences, scores, cube.agreement, weights=cube.weights)


def _keep_baseline(sums: PairSums, baseline: str) -> PairSums:
    """Keep the pairs of the baseline, turned such that it is run b of each."""
    place = sums.runs.index_of(baseline)
    kept = (sums.a == place) | (sums.b == place)
    a, b = sums.a[kept], sums.b[kept]
    is_a = a == place
    turned = {n: getattr(sums, n)[kept].turned(is_a) for n in ("differences", "few")}
    return replace(sums, a=np.where(is_a, b, a), b=np.full(len(a), place), **turned)


def _add_groups(
    some: tuple[tuple[pl.DataFrame, Reduced], ...], others: tuple[tuple[pl.DataFrame, Reduced], ...]
) -> tuple[tuple[pl.DataFrame, Reduced], ...]:
    """Add up the groups of two parts, where either may lack a group; return them sorted."""
    if not (some or others):
        return ()
    names = (some or others)[0][0].columns
    parts: dict[tuple[object, ...], list[Reduced]] = {}
    for group, part in (*some, *others):
        parts.setdefault(group.row(0), []).append(part)
    rows = pl.concat([group for group, _ in (*some, *others)]).unique().sort(names)
    return tuple((row, reduce(add, parts[row.row(0)])) for row in rows.iter_slices(1))
