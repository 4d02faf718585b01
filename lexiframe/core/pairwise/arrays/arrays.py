"""Scores and preferences of all measures as dense arrays: `ScoreCube`, `PairCube`.

A request is a query or a user: ``queries`` holds the ids of the requests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, sums, unknown_name
from lexiframe.core.metrics import Metric, Values
from lexiframe.core.pairwise.arrays.one_measure import Pairs, Scores

if TYPE_CHECKING:
    from lexiframe.core.pairwise.arrays.request_weights import Weights


_CELLS = 2**16
"""The cells of a measure that are handled at once, so that they stay in the cache."""


def score_differences(
    values: np.ndarray, a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None, **flags: Any
) -> np.ndarray:
    """Return the advantage of runs ``a`` in their scores over runs ``b``, requests × pairs.

    ``flags`` are those of `sums.metric_difference`. Few requests at a time stay in the cache.
    """
    # A table of scores lacks m, of which kernels.py takes the parts.
    parts = sums.parts_of(values) if flags["is_exact"] else None
    delta = np.empty((len(values), len(a))) if out is None else out
    for first in range(0, len(values), rows := max(_CELLS // max(len(a), 1), 1)):
        some = slice(first, first + rows)
        ends = (values[some].take(of, axis=1) for of in (a, b))
        known = None if parts is None else parts[some]
        delta[some] = sums.metric_difference(*ends, parts=known, **flags)
    return delta


@dataclass(frozen=True)
class ScoreCube:
    """Scores as measures × requests × runs, NaN where there is none.

    ``smaller_is_better`` and ``is_exact`` have an element for each measure: whether its smaller
    values are better, and whether values that are mathematically equal are also equal as float64.
    Where ties are expected, ``ties_sd`` are the standard deviations over tied orders, like
    ``values``, NaN where they are not known. The requests may have ``weights``.
    """

    measures: pl.Series
    queries: pl.Series
    runs: pl.Series
    values: np.ndarray
    smaller_is_better: np.ndarray
    is_exact: np.ndarray
    ties_sd: np.ndarray | None = None
    weights: Weights | None = None

    def __iter__(self) -> Iterator[tuple[str, Scores]]:
        """Yield each measure and its scores, without the requests and runs that have none."""
        for measure, s in self.whole():
            query, run = (np.flatnonzero(~np.isnan(s.values).all(axis=k)) for k in (1, 0))
            yield measure, s.some(query, run)

    def whole(self) -> Iterator[tuple[str, Scores]]:
        """Yield each measure and its scores, for all requests and runs of the cube."""
        for n, measure in enumerate(self.measures):
            values, smaller = self.values[n], bool(self.smaller_is_better[n])
            sd = None if self.ties_sd is None else self.ties_sd[n]
            yield measure, Scores(self.queries, self.runs, values, smaller, sd, self.weights)

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
        sd = np.full_like(values, np.nan) if any(v.ties_sd is not None for v in found) else None
        for of, some in zip(found, known, strict=True):
            place = queries.search_sorted(some).to_numpy()
            for metric in of.metrics:
                values[ordered.index(metric), place] = of.by_request(metric, some).T
                if sd is not None:
                    sd[ordered.index(metric), place] = of.by_request(metric, some, "ties_sd").T
        names = pl.Series([str(metric) for metric in ordered], dtype=pl.String)
        smaller, is_exact = (
            np.array([getattr(metric, name) for metric in ordered], bool)
            for name in ("smaller_is_better", "is_exact")
        )
        is_exact &= sd is None  # means over tied orders are rounded
        return cls(names, queries, runs, values, smaller, is_exact, sd)

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
            if self.ties_sd is not None and other.ties_sd is not None:
                put(self.ties_sd, ours, other.ties_sd, theirs)

    def arranged(self, queries: pl.Series, runs: pl.Series) -> ScoreCube:
        """Return the cube of these requests and runs, NaN for the ones that it does not have."""
        if queries.equals(self.queries) and runs.equals(self.runs):
            return self
        shape = len(self.measures), len(queries), len(runs)
        found = self.mapped_cells(lambda _: np.full(shape, np.nan), queries=queries, runs=runs)
        found.fill(self)
        return found

    def select_runs(self, names: Collection[str]) -> ScoreCube:
        """Return the cube of some of the runs."""
        kept = self.runs.is_in([*names])
        return self.mapped_cells(lambda cells: cells[:, :, kept], runs=self.runs.filter(kept))

    def select_measures(self, names: Collection[str]) -> ScoreCube:
        """Return the cube of some of the measures."""
        kept = self.measures.is_in([*names])
        chosen = kept.to_numpy()
        flags = {name: getattr(self, name)[chosen] for name in ("smaller_is_better", "is_exact")}
        measures = self.measures.filter(kept)
        return self.mapped_cells(lambda cells: cells[chosen], measures=measures, **flags)

    def select_queries(self, chosen: np.ndarray) -> ScoreCube:
        """Return the cube of the requests where ``chosen`` is true."""
        if chosen.all():
            return self
        queries = self.queries.filter(pl.Series(chosen))
        return self.mapped_cells(lambda cells: cells[:, chosen], queries=queries)

    def mapped_cells(self, pick: Callable[[np.ndarray], np.ndarray], **named: Any) -> ScoreCube:
        """Return the cube of the cells that ``pick`` makes of each array, with other names."""
        sd = None if self.ties_sd is None else pick(self.ties_sd)
        return replace(self, values=pick(self.values), ties_sd=sd, **named)


@dataclass(frozen=True)
class PairCube:
    """Preferences as measures × requests × pairs of runs, NaN where there is none.

    ``scores`` are those of the metrics among the measures, if they are known, of the same requests
    and runs. For one run there are no pairs, and no measures but those of the scores. The requests
    may have ``weights``, which the scores have, too.
    """

    measures: pl.Series
    queries: pl.Series
    runs: pl.Series
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    scores: ScoreCube
    weights: Weights | None = None

    def __iter__(self) -> Iterator[tuple[str, Pairs]]:
        """Yield each measure and its preferences, without requests and runs that have none.

        A run that has scores stays, also where it shares no request with another.
        """
        yield from self._known

    @cached_property
    def _known(self) -> list[tuple[str, Pairs]]:
        """The measures of the iterator, kept so that each is summed up only once."""
        found = []
        for measure, pairs in zip(self.measures, self.whole, strict=True):
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
        return dict(zip(self.measures, self.whole, strict=True))

    @cached_property
    def whole(self) -> list[Pairs]:
        """The preferences of each measure, for all requests and runs of the cube.

        They are kept, so that tables and tests that follow each other sum them up only once.
        """
        scores = {m: s.values for m, s in self.scores.whole() if not np.isnan(s.values).all()}
        whose = self.queries, self.runs, self.a, self.b
        return [
            Pairs(*whose, values, scores.get(measure), self.weights)
            for measure, values in zip(self.measures, self.values, strict=True)
        ]

    @classmethod
    def of_measure(cls, measure: str, pairs: Pairs) -> PairCube:
        """Return a cube of this measure alone."""
        names, scores = pl.Series([measure]), ScoreCube.none(pairs.queries, pairs.runs)
        if pairs.scores is not None:
            flag = np.zeros(1, bool)  # what decided which values are better is in the preferences
            scores = ScoreCube(names, pairs.queries, pairs.runs, pairs.scores[None], flag, flag)
        values = pairs.values[None]
        named = names, pairs.queries, pairs.runs, pairs.a, pairs.b, values
        return cls(*named, replace(scores, weights=pairs.weights), pairs.weights)

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
        at: Any = chosen.arg_true().to_list()
        at = slice(at[0], at[0] + 1) if len(at) == 1 else at  # one is not copied
        return replace(
            self,
            measures=self.measures.filter(chosen),
            values=self.values[at],
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
        return self.select_queries(self.queries.is_in(pl.Series([names])).to_numpy())


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
