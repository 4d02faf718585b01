"""Scores and preferences as dense arrays, with the rounding error that they may have.

A request is a query or a user: ``queries`` holds the ids of the requests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, coded, sums, unknown_name
from lexiframe.core.metrics import Metric, Values


@dataclass(frozen=True)
class Scores:
    """One measure's scores: requests × runs, NaN where there is none."""

    queries: pl.Series
    runs: pl.Series
    values: np.ndarray
    smaller_is_better: bool

    @cached_property
    def scores(self) -> sums.Moments:
        """The moments of each run's scores over the requests."""
        return sums.Moments.add_up(self.values, sums.rounding(self.values))

    @property
    def n_requests(self) -> int:
        """The number of requests that any run has."""
        return len(self.queries)

    @property
    def lacking(self) -> np.ndarray:
        """The number of requests that each run lacks, among the requests of any run."""
        return np.asarray(np.isnan(self.values).sum(axis=0))


_TIE = np.full((1, 1), sums.TIE)
_FEW_RUNS = 2**7
"""Below this, places fit in an int8, and sums over the runs of an int8 in an int16."""


@dataclass(frozen=True)
class Pairs:
    """One measure's preferences: requests × pairs of runs, NaN where there is none.

    Pair n is that of the runs ``a[n]`` and ``b[n]``, indices into ``runs`` with a < b; pairs are in
    the order of (run_a, run_b). With a baseline (`PairCube.against`), b is the baseline instead.
    ``scores``, requests × runs, are the scores, if known, of which the preferences are differences:
    the rounding error of a difference grows with the size of the scores, not with that of the
    difference. Its sums over the requests are those that `PairSums` keeps.
    """

    queries: pl.Series
    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    scores: np.ndarray | None = None

    @property
    def rounding(self) -> np.ndarray:
        """The rounding error that each preference may have: requests × pairs, or 1 × 1 for all."""
        if self.scores is None:
            return sums.rounding(self.values)
        errors = sums.rounding(self.scores)
        if errors.size == 1:
            return errors
        return np.asarray(np.maximum(errors[:, self.a], errors[:, self.b]))

    @cached_property
    def differences(self) -> sums.Moments:
        """The moments of each pair's preferences over the requests."""
        return sums.Moments.add_up(self.values, self.rounding)

    @cached_property
    def totals(self) -> np.ndarray:
        """The sum over the other runs of Δ: requests × runs; missing preferences count as 0."""
        return self.run_sums(self._filled, -1)

    @property
    def _filled(self) -> np.ndarray:
        """The preferences, with 0 in place of missing ones."""
        return self.values if np.isfinite(self.values).all() else np.nan_to_num(self.values)

    @property
    def means(self) -> np.ndarray:
        """The mean over the other runs of Δ: requests × runs."""
        return np.asarray(self.totals / (len(self.runs) - 1))

    @cached_property
    def places(self) -> np.ndarray:
        """The place of each run in each request by its win rate: requests × runs, 0 is best."""
        return sums.tie_groups(self.means, self.request_rounding[:, None])

    def votes(self, by: str) -> np.ndarray:
        """Return 1 where a request ranks run a over run b, −1 where below, else 0.

        It is requests × pairs. Runs are ranked ``by`` their "win_rate" in the request, or by the
        "preference" between them.
        """
        if by == "preference":
            return np.asarray(np.sign(self._filled))
        return np.asarray(self._votes.T.astype(np.float64))

    @property
    def _votes(self) -> np.ndarray:
        """The votes by win rate: pairs × requests, in bytes."""
        # Small numbers in long rows are compared faster.
        kind = np.int8 if len(self.runs) < _FEW_RUNS else np.int32
        places = self.places.T.astype(kind, order="C")
        above, below = places[self.a], places[self.b]
        return np.asarray((above < below).view(np.int8) - (above > below).view(np.int8))

    @property
    def points(self) -> np.ndarray:
        """Borda's points, the number of runs below, ties half: requests × runs."""
        return np.asarray(len(self.runs) - sums.mid_ranks_of(self.places))

    @property
    def request_shares(self) -> np.ndarray:
        """(wins + ties/2) / comparisons: requests × runs, NaN without a comparison."""
        wins, losses = (of.view(np.int8) for of in (self.values > 0, self.values < 0))
        lead = self.run_sums(wins - losses, -1)
        known = ~np.isnan(self.values)
        n = self._n_pairs if known.all() else self.run_sums(known.view(np.int8), 1)
        none = np.full(lead.shape, np.nan)
        return np.asarray(np.divide(n + lead, 2 * n, out=none, where=n > 0))

    @cached_property
    def ballots(self) -> np.ndarray:
        """For each pair, the requests that rank run a over run b, less the reverse ones."""
        return np.asarray(self._votes.sum(axis=1, dtype=np.int32), np.float64)

    @property
    def _n_pairs(self) -> np.ndarray:
        """The number of pairs of each run: 1 × runs."""
        return np.bincount(np.concatenate([self.a, self.b]), minlength=len(self.runs))[None]

    @cached_property
    def preferred(self) -> sums.Moments:
        """The moments over requests of each run's mean preference over the other runs."""
        return sums.Moments.add_up(self.means, self.request_rounding[:, None])

    @cached_property
    def borda(self) -> sums.Moments:
        """The moments over requests of each run's points by Borda's rule."""
        return sums.Moments.add_up(self.points, _TIE)

    @cached_property
    def shares(self) -> sums.Moments:
        """The moments over requests of the share of other runs that each is preferred to."""
        return sums.Moments.add_up(self.request_shares, _TIE)

    def run_sums(self, values: np.ndarray, sign: int) -> np.ndarray:
        """Sum numbers of the pairs by run, with ``sign`` for run b: requests × runs.

        Sums over blocks of pairs with the same run a: a matrix of pairs × runs, as for a product,
        would not fit in memory for 1,000 runs. A request has the same sums, to the last bit,
        whatever other requests there are.
        """
        a, b = self.a, self.b
        if (a[1:] < a[:-1]).any():
            order = np.argsort(a, kind="stable")
            a, b, values = a[order], b[order], values[:, order]
        is_whole, are_beside = values.dtype.kind == "i", values.flags.c_contiguous
        is_small = values.dtype == np.int8 and len(self.runs) < _FEW_RUNS
        kind = (np.int16 if is_small else np.int64) if is_whole else np.float64
        total = np.zeros((len(self.runs), len(values)), kind)
        add = np.add if sign > 0 else np.subtract
        starts = np.flatnonzero(coded.begins(a)).tolist()
        for first, last in pairwise([*starts, len(a)]):
            others = b[first:last]
            block = values[:, first:last]
            rows = np.ascontiguousarray(block.T)  # long rows are added faster
            # the terms of a float are added in an order that does not depend on the other requests
            if is_whole:
                total[a[first]] += rows.sum(axis=0, dtype=kind)
            else:
                total[a[first]] += _sum_of_rows(rows) if are_beside else block.sum(axis=1)
            if others[-1] - others[0] == last - first - 1:  # as mostly: a view is faster
                to = total[others[0] : others[-1] + 1]
                add(to, rows, out=to)
            else:
                total[others] = add(total[others], rows)
        return np.ascontiguousarray(total.T, np.int64 if is_whole else np.float64)

    @property
    def mean_rounding(self) -> np.ndarray:
        """The rounding error that each pair's mean preference may have.

        If all preferences have the same rounding error, the mean has it too. Otherwise a pair
        without requests has 0.
        """
        errors = self.rounding
        if errors.size == 1:
            return np.full(len(self.a), errors.item())
        total = errors.sum(axis=0, where=~np.isnan(self.values))
        return np.asarray(total / np.maximum(self.n, 1))

    @property
    def request_rounding(self) -> np.ndarray:
        """The rounding error that the mean of each request's preferences may have.

        It is at most that of the request's largest preference, or of its largest score if known.
        """
        errors = sums.rounding(self.values if self.scores is None else self.scores)
        return np.broadcast_to(errors.max(axis=1), len(self.queries))

    @property
    def n(self) -> np.ndarray:
        """The number of requests of each pair."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @property
    def n_requests(self) -> int:
        """The number of requests that any run has."""
        return len(self.queries)

    @property
    def lacking(self) -> np.ndarray:
        """For each run, the number of requests in which it has no preference."""
        known = ~np.isnan(self.values)
        if known.all():
            return np.zeros(len(self.runs), np.int64)
        return np.asarray((self.run_sums(known.view(np.int8), 1) == 0).sum(axis=0))

    @property
    def ends(self) -> np.ndarray:
        """A matrix, pairs × runs, with 1 at run a and −1 at run b.

        ``values @ ends`` sums preferences by run, + as run a and − as run b.
        """
        matrix = np.zeros((len(self.a), len(self.runs)))
        matrix[np.arange(len(self.a)), self.a] = 1
        matrix[np.arange(len(self.a)), self.b] = -1
        return matrix

    @property
    def summed(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The values to sum up over requests, with rounding errors, in the order of `PairSums`.

        They are the preferences, and the mean preference, points and share of each run; NaN where a
        request has no preference.
        """
        by_run = [self.means, self.points, self.request_shares]
        is_unknown = np.isnan(self.values).all(axis=1)
        if is_unknown.any():
            by_run = [np.where(is_unknown[:, None], np.nan, values) for values in by_run]
        errors = [self.request_rounding[:, None], _TIE, _TIE]
        return [(self.values, self.rounding), *zip(by_run, errors, strict=True)]

    def is_like(self, other: Pairs) -> bool:
        """Return whether both have the same preferences, all of them known, and rounding errors."""
        if self is other:
            return True
        if not np.array_equal(self.values[:1], other.values[:1]):  # mostly this tells it
            return False
        names = ("values", "rounding", "request_rounding")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def drop_unknown(self) -> Pairs:
        """Return the pairs without the requests that have no preference."""
        query = np.flatnonzero((~np.isnan(self.values)).any(axis=1))
        return self.some(query, np.arange(len(self.runs)))

    def some(self, query: np.ndarray, run: np.ndarray) -> Pairs:
        """Return the pairs of some of the runs in some of the requests, which are indices."""
        if len(query) == len(self.queries) and len(run) == len(self.runs):
            return self
        kept = np.isin(self.a, run) & np.isin(self.b, run)
        a, b = (np.searchsorted(run, of[kept]) for of in (self.a, self.b))
        values = self.values[np.ix_(query, kept)]
        scores = None if self.scores is None else self.scores[np.ix_(query, run)]
        return Pairs(self.queries[query], self.runs[run], a, b, values, scores)

    def as_cube(self, measure: str) -> PairCube:
        """Return a cube of this measure alone."""
        names, scores = pl.Series([measure]), ScoreCube.none(self.queries, self.runs)
        if self.scores is not None:
            flag = np.zeros(1, bool)  # what decided which values are better is in the preferences
            scores = ScoreCube(names, self.queries, self.runs, self.scores[None], flag, flag)
        values = self.values[None]
        return PairCube(names, self.queries, self.runs, self.a, self.b, values, scores)

    def square(self, by_pair: np.ndarray) -> np.ndarray:
        """Return an antisymmetric matrix, runs × runs, from a number for each pair."""
        return square_of(self, by_pair)


_LAST = -1e300  # below all values; −∞ would make differences NaN
_SIGNS = 2**18
"""How many signs of pairs in units are in memory at once."""


@dataclass(frozen=True)
class Cells:
    """Results of runs in units, larger ones better: units × runs, NaN where a run has none.

    Where votes are counted, a run without a result loses to the runs that have one, and two runs
    without one neither win nor tie. Pair n is that of the runs ``a[n]`` and ``b[n]``.

    Attributes
    ----------
    runs
        The names of the runs.
    values
        The results.
    rounding
        By how much two equal results may differ.

    Examples
    --------
    >>> cells = Cells(pl.Series(["a", "b", "c", "d"]), np.array([[0.5, np.nan, 0.75, 0.5]]), 0.0)
    >>> cells.ranks.tolist(), cells.points.tolist()
    ([[2.5, 4.0, 1.0, 2.5]], [[1.5, 0.0, 3.0, 1.5]])
    """

    runs: pl.Series
    values: np.ndarray
    rounding: float

    @property
    def has_gaps(self) -> bool:
        """Whether a run has no result in some unit."""
        return bool(np.isnan(self.values).any())

    @property
    def errors(self) -> np.ndarray:
        """The rounding error that the results of each unit may have: units × 1."""
        largest = np.fmax.reduce(np.abs(self.values), axis=1, keepdims=True)
        return np.maximum(self.rounding, sums.TIE * largest)

    @cached_property
    def ranks(self) -> np.ndarray:
        """The mid-ranks of the runs in each unit; runs without a result share the last ranks."""
        known = np.where(np.isnan(self.values), _LAST, self.values)
        return sums.mid_ranks(known, self.rounding)

    @property
    def points(self) -> np.ndarray:
        """Borda's points, S − mid-rank; 0 without a result."""
        return np.where(np.isnan(self.values), 0.0, len(self.runs) - self.ranks)

    @cached_property
    def a(self) -> np.ndarray:
        """The first run of each pair."""
        return np.triu_indices(len(self.runs), k=1)[0]

    @cached_property
    def b(self) -> np.ndarray:
        """The second run of each pair."""
        return np.triu_indices(len(self.runs), k=1)[1]

    def square(self, by_pair: np.ndarray) -> np.ndarray:
        """Return an antisymmetric matrix, runs × runs, from a number for each pair."""
        return square_of(self, by_pair)

    def leads(self, weights: np.ndarray, *, of_both: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return the leads of pairs, and the weight of the units that know them: samples × pairs.

        ``weights`` are samples × units. With ``of_both`` only units count in which both runs have a
        result; otherwise a run without a result loses to a run that has one.
        """
        n_runs, known = len(self.runs), ~np.isnan(self.values)
        lead = np.zeros((len(weights), n_runs, n_runs))
        n = np.broadcast_to(weights.sum(axis=1)[:, None, None], lead.shape)
        if self.has_gaps:
            n = np.zeros_like(lead)
        size = max(1, _SIGNS // n_runs**2)
        for first in range(0, len(known), size):
            some = slice(first, first + size)
            above = np.sign(self.ranks[some, None] - self.ranks[some, :, None])
            if self.has_gaps:
                of_a, of_b = known[some, :, None], known[some, None]
                counts = of_a & of_b if of_both else of_a | of_b
                above *= counts
                n += np.tensordot(weights[:, some], counts, 1)
            lead += np.tensordot(weights[:, some], above, 1)
        lead, n = lead[:, self.a, self.b], n[:, self.a, self.b]
        # A product may add up equal numbers in different orders; what is equal has to be exactly.
        lead = np.where(np.abs(lead) <= sums.TIE * n, 0.0, lead)
        return np.where(n - np.abs(lead) <= sums.TIE * n, np.copysign(n, lead), lead), n


_AT_ONCE = 128


def _sum_of_rows(rows: np.ndarray) -> np.ndarray:
    """Return the sums of columns, bit for bit equal to the sum of each column alone.

    The order is NumPy's for the numbers of one array: in eight sums, in parts of up to 128. For
    many columns at once it takes a fraction of the time of one after the other.

    Examples
    --------
    >>> _sum_of_rows(np.array([[0.5, 1e16], [0.25, 1.0], [0.125, -1e16]])).tolist()
    [0.875, 0.0]
    """
    n = len(rows)
    if n > _AT_ONCE:
        half = n // 2 - n // 2 % 8
        return np.asarray(_sum_of_rows(rows[:half]) + _sum_of_rows(rows[half:]))
    many = n - n % 8
    if not many:
        return _one_by_one(rows[0].copy(), rows[1:])
    eight = rows[:8].copy()
    for first in range(8, many, 8):
        eight += rows[first : first + 8]
    while len(eight) > 1:  # neighbours are added
        eight = eight[::2] + eight[1::2]
    return _one_by_one(eight[0], rows[many:])


def _one_by_one(total: np.ndarray, rows: np.ndarray) -> np.ndarray:
    for row in rows:
        total += row
    return total


def score_differences(
    values: np.ndarray, a: np.ndarray, b: np.ndarray, *, smaller_is_better: bool, is_exact: bool
) -> np.ndarray:
    """Return the advantage of runs ``a`` in their scores over runs ``b``, requests × pairs."""
    # A table of scores lacks m, of which kernels.py takes the parts.
    flags = {"smaller_is_better": smaller_is_better, "is_exact": is_exact}
    parts = sums.parts_of(values) if is_exact else None
    return sums.metric_difference(values[:, a], values[:, b], parts=parts, **flags)


@dataclass(frozen=True)
class ScoreCube:
    """Scores as measures × requests × runs, NaN where there is none.

    ``smaller_is_better`` and ``is_exact`` have an element for each measure: whether its smaller
    values are better, and whether values that are mathematically equal are also equal as float64.
    """

    measures: pl.Series
    queries: pl.Series
    runs: pl.Series
    values: np.ndarray
    smaller_is_better: np.ndarray
    is_exact: np.ndarray

    def __iter__(self) -> Iterator[tuple[str, Scores]]:
        """Yield each measure and its scores, without the requests and runs that have none."""
        for measure, s in self.whole():
            query, run = (np.flatnonzero(~np.isnan(s.values).all(axis=k)) for k in (1, 0))
            known = s.values[np.ix_(query, run)]
            yield measure, Scores(s.queries[query], s.runs[run], known, s.smaller_is_better)

    def whole(self) -> Iterator[tuple[str, Scores]]:
        """Yield each measure and its scores, for all requests and runs of the cube."""
        for measure, values, smaller in zip(
            self.measures, self.values, self.smaller_is_better, strict=True
        ):
            yield measure, Scores(self.queries, self.runs, values, bool(smaller))

    @classmethod
    def assemble(
        cls,
        found: Sequence[Values],
        metrics: Sequence[Metric],
        runs: pl.Series,
        queries: pl.Series | None = None,
    ) -> ScoreCube:
        """Return values that were computed as a cube of some metrics.

        It has the requests of all values, unless ``queries`` are given, and is NaN where none was
        computed.
        """
        known = [of.keys["query_id"].head(of.keys.height // len(runs)) for of in found]
        if queries is None and len(known) == 1:
            queries = known[0]  # the keys of a run are sorted, each once
        elif queries is None:
            queries = pl.concat([pl.Series([], dtype=pl.String), *known]).unique().sort()
        ordered = sorted(metrics, key=str)
        values = np.full((len(ordered), len(queries), len(runs)), np.nan)
        for of, some in zip(found, known, strict=True):
            place = queries.search_sorted(some).to_numpy()
            for metric in of.metrics:
                values[ordered.index(metric), place] = of.by_request(metric, some).T
        names = pl.Series([str(metric) for metric in ordered], dtype=pl.String)
        smaller, is_exact = (
            np.array([getattr(metric, name) for metric in ordered], bool)
            for name in ("smaller_is_better", "is_exact")
        )
        return cls(names, queries, runs, values, smaller, is_exact)

    def by_request(self, metric: Metric, queries: pl.Series) -> np.ndarray:
        """Return a metric's scores as runs × requests, for some of the requests."""
        values = self.values[self.measures.index_of(str(metric))]
        if len(queries) < len(self.queries):
            values = values[self.queries.search_sorted(queries).to_numpy()]
        return np.asarray(values.T)

    @classmethod
    def none(cls, queries: pl.Series, runs: pl.Series) -> ScoreCube:
        """Return the cube of no measure, of some requests and runs."""
        return cls.assemble([], [], runs, queries)

    def fill(self, other: ScoreCube) -> None:
        """Fill in the cells that another cube has as well."""
        if other is not self and len(other.measures):
            ours, theirs = ((s.measures, s.queries, s.runs) for s in (self, other))
            put(self.values, ours, other.values, theirs)

    def arranged(self, queries: pl.Series, runs: pl.Series) -> ScoreCube:
        """Return the cube of these requests and runs, NaN for the ones that it does not have."""
        if queries.equals(self.queries) and runs.equals(self.runs):
            return self
        values = np.full((len(self.measures), len(queries), len(runs)), np.nan)
        found = replace(self, queries=queries, runs=runs, values=values)
        found.fill(self)
        return found

    def select_runs(self, names: Collection[str]) -> ScoreCube:
        """Return the cube of some of the runs."""
        kept = self.runs.is_in([*names])
        return replace(self, runs=self.runs.filter(kept), values=self.values[:, :, kept])

    def select_measures(self, names: Collection[str]) -> ScoreCube:
        """Return the cube of some of the measures."""
        kept = self.measures.is_in([*names])
        chosen = kept.to_numpy()
        return replace(
            self,
            measures=self.measures.filter(kept),
            values=self.values[chosen],
            smaller_is_better=self.smaller_is_better[chosen],
            is_exact=self.is_exact[chosen],
        )

    def select_queries(self, chosen: np.ndarray) -> ScoreCube:
        """Return the cube of the requests where ``chosen`` is true."""
        if chosen.all():
            return self
        queries = self.queries.filter(pl.Series(chosen))
        return replace(self, queries=queries, values=self.values[:, chosen])


@dataclass(frozen=True)
class PairCube:
    """Preferences as measures × requests × pairs of runs, NaN where there is none.

    ``scores`` are those of the metrics among the measures, if they are known, of the same requests
    and runs. For one run there are no pairs, and no measures but those of the scores.
    """

    measures: pl.Series
    queries: pl.Series
    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    scores: ScoreCube

    def __iter__(self) -> Iterator[tuple[str, Pairs]]:
        """Yield each measure and its preferences, without requests and runs that have none.

        A run that has scores stays, also where it shares no request with another.
        """
        yield from self._known

    @cached_property
    def _known(self) -> list[tuple[str, Pairs]]:
        """The measures of the iterator, kept so that each is summed up only once."""
        found = []
        for measure, pairs in zip(self.measures, self.whole(), strict=True):
            known = ~np.isnan(pairs.values)
            query, pair = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
            if len(pair):
                run = np.unique([pairs.a[pair], pairs.b[pair]])
                if pairs.scores is not None:
                    run = np.union1d(run, np.flatnonzero(~np.isnan(pairs.scores).all(axis=0)))
                found.append((measure, pairs.some(query, run)))
        return found

    @staticmethod
    def single(_measure: str, pairs: Pairs) -> Pairs:
        """Return the preferences of single requests by a measure: ``pairs`` unchanged."""
        return pairs

    @cached_property
    def agreement(self) -> np.ndarray:
        """Measures × measures: the pairs of rankings in which both prefer the same one."""
        return agreeing(self.values)

    @property
    def preferences(self) -> dict[str, Pairs]:
        """The preferences of each measure by its name, for all requests and runs of the cube."""
        return dict(zip(self.measures, self.whole(), strict=True))

    def whole(self) -> Iterator[Pairs]:
        """Yield the preferences of each measure, for all requests and runs of the cube."""
        scores = {m: s.values for m, s in self.scores.whole() if not np.isnan(s.values).all()}
        for measure, values in zip(self.measures, self.values, strict=True):
            yield Pairs(self.queries, self.runs, self.a, self.b, values, scores.get(measure))

    @classmethod
    def unknown(cls, measures: pl.Series, scores: ScoreCube) -> PairCube:
        """Return the cube of all pairs without any value, of the requests and runs of scores."""
        a, b = np.triu_indices(len(scores.runs), k=1)
        values = np.full((len(measures), len(scores.queries), len(a)), np.nan)
        return cls(measures, scores.queries, scores.runs, a, b, values, scores)

    @classmethod
    def together(cls, cubes: Sequence[PairCube], measures: pl.Series) -> PairCube:
        """Join cubes of the same runs by some ``measures``, NaN for measures that no cube has."""
        first = cubes[0]
        if len(cubes) == 1 and len(first.measures) == len(measures):
            return first
        queries = pl.concat([cube.queries for cube in cubes]).unique().sort()
        values = np.full((len(measures), len(queries), len(first.a)), np.nan)
        scores = first.scores.arranged(queries, first.runs)
        joined = replace(first, measures=measures, queries=queries, values=values, scores=scores)
        for cube in cubes:
            joined.fill(cube)
        return joined

    def fill(self, other: PairCube) -> None:
        """Fill in the cells that another cube has as well."""
        ours, theirs = (cube._axes(self.runs) for cube in (self, other))
        put(self.values, ours, other.values, theirs)
        self.scores.fill(other.scores)

    def _axes(self, runs: pl.Series) -> tuple[pl.Series, pl.Series, pl.Series]:
        """Return the names along each axis; pairs become numbers by the places in ``runs``."""
        place = np.arange(len(runs))
        if not self.runs.equals(runs):
            place = np.where(self.runs.is_in(runs.implode()), runs.search_sorted(self.runs), -1)
        a, b = place.astype(np.int64)[np.stack([self.a, self.b])]
        return self.measures, self.queries, pl.Series(np.where(a | b < 0, -1, a * len(runs) + b))

    def with_scores(self, s: ScoreCube) -> PairCube:
        """Return the cube with the scores ``s`` of its requests and runs."""
        return replace(self, scores=s.arranged(self.queries, self.runs))

    def select_runs(self, names: Collection[str]) -> PairCube:
        """Return the cube of some of the runs, and of the pairs between them."""
        there = self.runs.is_in([*names]).to_numpy()
        kept, place = there[self.a] & there[self.b], np.cumsum(there) - 1
        return replace(
            self,
            runs=self.runs.filter(pl.Series(there)),
            a=place[self.a[kept]],
            b=place[self.b[kept]],
            values=self.values[:, :, kept],
            scores=self.scores.select_runs(names),
        )

    def select_measures(self, names: Collection[str]) -> PairCube:
        """Return the cube of some of the measures."""
        chosen = self.measures.is_in([*names])
        return replace(
            self,
            measures=self.measures.filter(chosen),
            values=self.values[chosen],
            scores=self.scores.select_measures(names),
        )

    def against(self, baseline: str) -> PairCube:
        """Return the cube of the other runs against one: ``b`` of every pair is the baseline.

        A positive preference then says that the other run is better, whatever the names are.

        Raises
        ------
        UnknownNameError
            With near matches, when no run has this name.
        """
        if baseline not in self.runs:
            raise unknown_name("run", baseline, self.runs)
        place = self.runs.index_of(baseline)
        kept = (self.a == place) | (self.b == place)
        a, b, values = self.a[kept], self.b[kept], self.values[:, :, kept]
        is_turned = a == place
        turned = np.where(is_turned, 0.0 - values, values)  # 0 − x, because −x makes a tie −0.0
        return replace(self, a=np.where(is_turned, b, a), b=np.full(len(a), place), values=turned)

    def select_queries(self, chosen: np.ndarray) -> PairCube:
        """Return the cube of the requests where ``chosen`` is true."""
        if chosen.all():
            return self
        return replace(
            self,
            queries=self.queries.filter(pl.Series(chosen)),
            values=self.values[:, chosen],
            scores=self.scores.select_queries(chosen),
        )

    def select_ids(self, names: pl.Series) -> PairCube:
        """Return the cube of some requests, leaving out requests that it does not have."""
        return self.select_queries(self.queries.is_in(names.implode()).to_numpy())


def put(
    target: np.ndarray,
    ours: Sequence[pl.Series],
    found: np.ndarray,
    theirs: Sequence[pl.Series],
) -> None:
    """Copy the cells that both arrays have, by their names on each axis.

    Examples
    --------
    >>> target, runs = np.zeros(3), pl.Series(["a", "b", "c"])
    >>> put(target, [runs], np.array([5.0, 7.0]), [pl.Series(["b", "x"])])
    >>> target.tolist()
    [0.0, 5.0, 0.0]
    """
    places = [_common_places(known, names) for known, names in zip(ours, theirs, strict=True)]
    ours_at, theirs_at = zip(*places, strict=True)
    if sum(isinstance(at, np.ndarray) for at in ours_at) > 1:
        ours_at, theirs_at = _crossed(target, ours_at), _crossed(found, theirs_at)
    target[ours_at] = found[theirs_at]


_Place = slice | np.ndarray


def _common_places(known: pl.Series, names: pl.Series) -> tuple[_Place, _Place]:
    """Return the places in ``known``, which is sorted, of the names that it has, and in `names`."""
    if known.equals(names):  # as on most axes: whole axes are copied ten times as fast
        return slice(None), slice(None)
    there = names.is_in(known.implode())
    return known.search_sorted(names.filter(there)).to_numpy(), there.arg_true().to_numpy()


def _crossed(array: np.ndarray, places: Sequence[_Place]) -> tuple[np.ndarray, ...]:
    """Return the index of all cells of an array that are at some places on each axis."""
    return np.ix_(*(np.arange(n)[at] for n, at in zip(array.shape, places, strict=True)))


class PairsByMeasure(NamedTuple):
    """Preferences of single requests, with one measure at a time in memory.

    Each of the ``n`` cubes has one measure; beside it are the attributes of its requests that form
    groups, or None.
    """

    cubes: Iterable[tuple[PairCube, pl.DataFrame | None]]
    n: int


def pairs_of(runs: pl.Series, baseline: str | Collection[str] | None = None) -> np.ndarray:
    """Return the indices of all pairs, or of pairs with a baseline run, by (run_a, run_b)."""
    a, b = np.triu_indices(len(runs), k=1)
    if baseline is None:
        return np.arange(len(a))
    wanted = [baseline] if isinstance(baseline, str) else [*baseline]
    for name in wanted:
        if name not in runs:
            raise unknown_name("run", name, runs)
    is_wanted = runs.is_in(wanted).to_numpy()
    return np.flatnonzero(is_wanted[a] | is_wanted[b])


_CELLS = 2**16
"""The cells of a measure that are counted at once, so that their signs stay in the cache."""


def agreeing(values: np.ndarray, most: int = _CELLS) -> np.ndarray:
    """Count the cells in which two measures have equal signs, not 0: measures × measures.

    ``values`` are measures × requests × pairs, NaN where there is none; at most ``most`` cells of a
    measure are counted at once.
    """
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    counts = np.zeros((len(values), len(values)), np.int64)
    most = min(most, flat.shape[1])
    # The arrays are filled again for each block: the system clears new ones, which takes long.
    signed, words = (
        np.empty((len(values), most), bool),
        np.zeros((len(values), -(-most // 64)), "u8"),
    )
    for first in range(0, flat.shape[1], max(most, 1)):
        block = flat[:, first : first + most]
        for has_sign in (np.greater, np.less):
            bits = np.packbits(has_sign(block, 0, out=signed[:, : block.shape[1]]), axis=1)
            words.view(np.uint8)[:, : bits.shape[1]] = bits
            words.view(np.uint8)[:, bits.shape[1] :] = 0
            # Bits are counted in words of 64; those of two measures in either order are the same.
            for n, word in enumerate(words):
                counts[n, n:] += np.bitwise_count(words[n:] & word).sum(axis=1, dtype=np.int64)
    return np.maximum(counts, counts.T)


def square_of(pairs: Any, by_pair: np.ndarray) -> np.ndarray:
    """Return an antisymmetric matrix, runs × runs, from a number for each pair."""
    matrix = np.zeros((len(pairs.runs), len(pairs.runs)))
    matrix[pairs.a, pairs.b] = by_pair
    matrix[pairs.b, pairs.a] = -by_pair
    return matrix


_TOO_GREAT = 1e300


def refuse_too_great(what: str, values: np.ndarray) -> None:
    """Raise for finite values whose sums would be infinite."""
    sizes = np.abs(values)
    n = int(np.count_nonzero(np.isfinite(sizes) & (sizes > _TOO_GREAT)))
    if n:
        raise LexiframeError(
            f"{what}: expected values up to {_TOO_GREAT:g} in size, found {n} beyond it; sums of "
            "them are infinite, so give them in a larger unit"
        )


def check_finite(function: str, values: np.ndarray) -> None:
    """Raise for infinite values, because a mean over requests is computed from them."""
    infinite = int(np.isinf(values).sum())
    if infinite:
        raise LexiframeError(
            f"{function}: expected finite values, found {infinite} that are infinite; a mean "
            "with them would not depend on the other values"
        )
