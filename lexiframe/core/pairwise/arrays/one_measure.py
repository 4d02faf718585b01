"""The scores and preferences of one measure, with the rounding error that they may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe.core.base import coded, sums

if TYPE_CHECKING:
    from lexiframe.core.pairwise.arrays.request_weights import Weights


@dataclass(frozen=True)
class Scores:
    """One measure's scores: requests × runs, NaN where there is none.

    Where ties are expected, ``ties_sd`` are their standard deviations over tied orders. The
    requests may have ``weights``.
    """

    queries: pl.Series
    runs: pl.Series
    values: np.ndarray
    smaller_is_better: bool
    ties_sd: np.ndarray | None = None
    weights: Weights | None = None

    def some(self, query: np.ndarray, run: np.ndarray) -> Scores:
        """Return the scores of some of the runs in some of the requests, which are indices."""
        cells = np.ix_(query, run)
        sd = None if self.ties_sd is None else self.ties_sd[cells]
        values, smaller = self.values[cells], self.smaller_is_better
        return Scores(self.queries[query], self.runs[run], values, smaller, sd, self.weights)

    @cached_property
    def weighing(self) -> sums.Weighing | None:
        """The weights of the requests, if they have some."""
        return None if self.weights is None else self.weights.rows_of(self.queries)

    @property
    def ties(self) -> sums.Moments | None:
        """The moments of each run's variances over tied orders, where ties are expected.

        Each is multiplied by the square of its request's weight; the weights have the mean 1.
        """
        if self.ties_sd is None:
            return None
        w = self.weighing
        sd = self.ties_sd if w is None else self.ties_sd * w.factors[:, None]
        return sums.Moments.add_up(sd**2, TIE)

    @cached_property
    def scores(self) -> sums.Moments:
        """The moments of each run's scores over the requests."""
        return sums.add_up(self.values, sums.rounding(self.values), self.weighing)

    @property
    def n_requests(self) -> int:
        """The number of requests that any run has."""
        return len(self.queries)

    @property
    def lacking(self) -> np.ndarray:
        """The number of requests that each run lacks, among the requests of any run."""
        return np.asarray(np.isnan(self.values).sum(axis=0))


TIE = np.full((1, 1), sums.TIE)
_FEW_RUNS = 2**7
"""Below this, places fit in an int8, and sums over the runs of an int8 in an int16."""
_ROWS = 2**11
"""The requests of a block."""


@dataclass(frozen=True)
class Pairs:
    """One measure's preferences: requests × pairs of runs, NaN where there is none.

    Pair n is that of the runs ``a[n]`` and ``b[n]``, indices into ``runs`` with a < b; pairs are in
    the order of (run_a, run_b). With a baseline (`PairCube.against`), b is the baseline instead.
    ``scores``, requests × runs, are the scores, if known, of which the preferences are differences:
    the rounding error of a difference grows with the size of the scores, not with that of the
    difference. Its sums over the requests are those that `PairSums` keeps. The requests may have
    ``weights``.
    """

    queries: pl.Series
    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    scores: np.ndarray | None = None
    weights: Weights | None = None

    @cached_property
    def weighing(self) -> sums.Weighing | None:
        """The weights of the requests, if they have some."""
        return None if self.weights is None else self.weights.rows_of(self.queries)

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
        return sums.add_up(self.values, self.rounding, self.weighing)

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
        """For each pair, the requests that rank run a over run b, less the reverse ones.

        By weights their part of n*.
        """
        if self.weighing is None:
            return np.asarray(self._votes.sum(axis=1, dtype=np.int32), np.float64)
        rest = self.weighing.factors @ self._votes.T.astype(np.float64)
        rest[np.abs(rest) <= sums.TIE * len(self.queries)] = 0.0
        return np.asarray(rest * self.weighing.n_effective / len(self.queries))

    @property
    def _n_pairs(self) -> np.ndarray:
        """The number of pairs of each run: 1 × runs."""
        return np.bincount(np.concatenate([self.a, self.b]), minlength=len(self.runs))[None]

    @cached_property
    def preferred(self) -> sums.Moments:
        """The moments over requests of each run's mean preference over the other runs."""
        return sums.add_up(self.means, self.request_rounding[:, None], self.weighing)

    @cached_property
    def borda(self) -> sums.Moments:
        """The moments over requests of each run's points by Borda's rule."""
        return sums.add_up(self.points, TIE, self.weighing)

    @cached_property
    def shares(self) -> sums.Moments:
        """The moments over requests of the share of other runs that each is preferred to."""
        return sums.add_up(self.request_shares, TIE, self.weighing)

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
    def by_run(self) -> list[np.ndarray]:
        """The mean preference, points and share of each run, NaN in requests without a preference.

        Each is requests × runs.
        """
        by_run = [self.means, self.points, self.request_shares]
        is_unknown = np.isnan(self.values).all(axis=1)
        if is_unknown.any():
            by_run = [np.where(is_unknown[:, None], np.nan, values) for values in by_run]
        return by_run

    def blocks(self) -> Iterator[Pairs]:
        """Yield the pairs of `_ROWS` requests at a time, whose arrays stay in the cache.

        Requests with weights stay together: sums by weight are rounded, and would depend on blocks.
        The last bit of sums over runs depends on how the values lie in memory: row by row.
        """
        rows = max(len(self.queries), 1) if self.weights is not None else _ROWS
        for first in range(0, max(len(self.queries), 1), rows):
            some = slice(first, first + rows)
            s = None if self.scores is None else self.scores[some]
            values = np.ascontiguousarray(self.values[some])
            yield replace(self, queries=self.queries[some], values=values, scores=s)

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
        return Pairs(self.queries[query], self.runs[run], a, b, values, scores, self.weights)

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


def square_of(pairs: Any, by_pair: np.ndarray) -> np.ndarray:
    """Return an antisymmetric matrix, runs × runs, from a number for each pair."""
    matrix = np.zeros((len(pairs.runs), len(pairs.runs)))
    matrix[pairs.a, pairs.b] = by_pair
    matrix[pairs.b, pairs.a] = -by_pair
    return matrix
