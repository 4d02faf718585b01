"""The gain of each swap of two documents of a ranking: `swap_gains`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, errors, resampling, schemas, sums, typed
from lexiframe.core.io import read_runs
from lexiframe.core.metrics import (
    GradedMetric,
    Metric,
    Rankings,
    RecallLevelMetric,
    needed,
    values_of,
)
from lexiframe.core.pairwise import Measure, composition, parse_measures
from lexiframe.core.projection import (
    Policies,
    Ties,
    alone,
    blocks,
    matrices,
    positions,
    tied_orders,
    whole_lists,
)
from lexiframe.typing import MeasureLike, QrelsLike, RunsLike

_OTHERS = "doc_a doc_b position_a position_b measure gain"
_GAINS = schemas.table_schema(
    "swap_gains", "query_id run measure position_a position_b", _OTHERS, gain=schemas.FLOAT,
    position_a=schemas.INT, position_b=schemas.INT,
)  # fmt: skip
_CELLS = 1 << 21
"""Pairs × relevant items of the rankings that are looked at together."""


@alone.each_collection
@typed
def swap_gains(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    depth: int = 100,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
) -> pl.DataFrame:
    """Compute how much better each ranking becomes when two of its documents change places.

    This is the λ of pairwise learning to rank: by how much a pair of documents matters to a
    measure, which may be a preference such as RPP or LR.

    Parameters
    ----------
    runs, qrels, rel, ties
        As for `positions`.
    measures
        Preferences and metrics of relevant items, or their notation.
    depth
        How many of the first documents of a ranking change places with one another.

    Returns
    -------
    polars.DataFrame
        Key ``query_id, run, measure, position_a, position_b``, sorted by it, for all pairs of
        documents of different relevance at ranks position_a < position_b, up to ``depth``;
        ``doc_a``, ``doc_b``, and ``gain``: the preference of the list in which the two have changed
        places over the list as it is, of a metric the difference of its values. It is positive
        where the swap is an improvement. A document has its grade as relevance if it is relevant,
        else 0. Requests without an item of a measure's own ``rel`` are left out.

    Raises
    ------
    LexiframeError
        As `positions`; for a depth that is no whole number from 1; and for measures that need
        more than relevant items, such as bpref and measures by subtopic.

    Warns
    -----
    LexiframeWarning
        As `positions`.

    Notes
    -----
    Every swapped list is compared by the measure's own definition: its relevant items have their
    ranks after the swap. With binary relevance, a swap moves all recall levels between the two
    ranks one way, so that LR and LP are 1 or −1 for each pair, as in RankNet; RPP, rrLR, rrLP and
    metrics say which pairs matter more. Burges, Ragno & Le, "Learning to Rank with Nonsmooth Cost
    Functions", NIPS 2006, weigh pairs so with nDCG.

    Examples
    --------
    The relevant documents stand at ranks 2 and 3. One of them at rank 1 moves one recall level up,
    or both:

    >>> import lexiframe as lf
    >>> runs = {"bm25": {"q": {"u": 3, "x": 2, "y": 1}}}
    >>> g = lf.swap_gains(runs, {"q": {"x": 1, "y": 1}}, ["RPP", "LR"])
    >>> g.select("measure", "doc_a", "doc_b", "gain").rows()
    [('LR', 'u', 'x', 1.0), ('LR', 'u', 'y', 1.0), ('RPP', 'u', 'x', 0.5), ('RPP', 'u', 'y', 1.0)]
    """
    asked = parse_measures(measures)
    for measure in needed.parts_of(asked):
        if measure.needs not in (needed.RELEVANT, needed.FOUND, needed.POOL):
            raise LexiframeError(
                f"swap_gains: expected measures of relevant items alone, such as RPP, LR or nDCG, "
                f"found {measure}, which needs {measure.needs}"
            )
    resampling.check_draws("swap_gains", "depth", depth, 0)
    tied_orders.refuse_expected(ties, "swap_gains")
    answers, parts = read_runs(runs), needed.parts_of(asked)
    has_pool = any(measure.needs == needed.POOL for measure in parts)
    p = positions(answers, qrels, rel=rel, ties=ties, pool=has_pool)
    needed.refuse_unfit(p, asked)
    needed.warn_of_lost_gains(p, asked)
    with warnings.catch_warnings(action="ignore", category=errors.LexiframeWarning):
        lists = whole_lists.ranked_lists(answers, Policies(rel, ties))  # positions told all of it
    p = p.filter(pl.col("query_id").is_in(lists.queries.implode()))  # that any run answers
    each = ((swaps, measure) for swaps in _swaps(p, lists, depth) for measure in asked)
    tables = [swaps.table(measure, lists) for swaps, measure in each]
    return _GAINS.arranged(pl.concat([pl.DataFrame(schema=_GAINS.columns), *tables]))


@dataclass(frozen=True)
class _Swaps:
    """Swaps in rankings of requests that have the same number m of relevant items.

    Attributes
    ----------
    keys
        ``query_id`` and ``run`` of each ranking, ``n_retrieved``, and perhaps ``pool_size``.
    positions, grades
        rankings × m: the ranks of the relevant items, ascending, or `blocks.missing`; their grades.
    level
        rankings × ranks: the number from 0 of the item there among these, -1 for another document.
    documents
        rankings × ranks: the codes of the documents.
    ranking, a, b
        For each swap the number of the ranking, and the two ranks from 0, a < b.
    """

    keys: pl.DataFrame
    positions: np.ndarray
    grades: np.ndarray
    level: np.ndarray
    documents: np.ndarray
    ranking: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @cached_property
    def _swapped(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The positions after each swap, swaps × m, ascending, and the grades and items there.

        Items are numbered from 0 by their level before. Beyond the ranks nothing changes.
        """
        positions, grades = self.positions[self.ranking], self.grades[self.ranking]
        for here, there in ((self.a, self.b), (self.b, self.a)):
            level = self.level[self.ranking, here]
            swap = np.flatnonzero(level >= 0)
            positions[swap, level[swap]] = there[swap] + 1
        top = np.s_[:, : self.level.shape[1]]
        item = np.argsort(positions[top], axis=1, kind="stable")
        for of in (positions, grades):
            of[top] = np.take_along_axis(of[top], item, axis=1)
        return positions, grades, item

    def _gains(self, measure: Measure) -> np.ndarray:
        """Return Δ of each swapped list over the given one, NaN without an item of the ``rel``."""
        if isinstance(measure, composition.Composition):
            return composition.decided([self._gains(one) for one in measure.components])[0]
        n = (self.grades >= (measure.rel or 0.0)).sum(axis=1)[self.ranking]
        if isinstance(measure, Metric):
            is_sum = type(measure) in (RecallLevelMetric, GradedMetric) and measure.rel is None
            delta = self._changes_of_terms(measure) if is_sum else self._differences(measure, n)
        else:
            given = self.positions[self.ranking], self.grades[self.ranking]
            both = zip(self._swapped, given, strict=False)
            block = blocks.Block(*(np.stack([one.T, other.T], axis=1) for one, other in both))
            delta = measure.compute(block)[0]
        return np.where(n > 0, delta, np.nan)

    def _changes_of_terms(self, metric: Metric) -> np.ndarray:
        """Return the differences of a metric that is a sum over items, from the terms that change.

        A term is that of an item's rank and of its level, or its grade.
        """
        (n, m), depth = self.positions.shape, self.level.shape[1]
        which = np.tile(np.arange(n), depth)
        ranks = np.repeat(np.arange(1, depth + 1), n * m).reshape(-1, m)
        rankings = Rankings.of(self._table_of(which, ranks, self.grades[which]))
        terms = metric.contributions(rankings).reshape(depth, n, m)
        after, _, item = self._swapped
        level = np.arange(item.shape[1])
        places = (item if isinstance(metric, GradedMetric) else level), level
        tops = (of[:, level] for of in (after, self.positions[self.ranking]))
        values = [
            np.where(top <= depth, terms[np.minimum(top, depth) - 1, self.ranking[:, None], of], 0)
            for top, of in zip(tops, places, strict=True)
        ]
        total = (values[0] - values[1]).sum(axis=1)
        return np.where(np.abs(total) <= sums.TIE, 0.0, total)

    def _differences(self, metric: Metric, n: np.ndarray) -> np.ndarray:
        """Return how much better a metric of n items is after each swap, from all values."""
        given, (positions, grades, _) = len(self.positions), self._swapped
        which = np.append(np.arange(given), self.ranking)
        both = np.vstack([self.positions, positions]), np.vstack([self.grades, grades])
        value = values_of(self._table_of(which, *both), [metric], "zero").values[:, 0]
        smaller, exact = metric.smaller_is_better, metric.is_exact
        return sums.metric_difference(
            value[given:], value[self.ranking], smaller_is_better=smaller, is_exact=exact,
            parts=2 * np.maximum(n, 1),
        )  # fmt: skip

    def _table_of(
        self, which: np.ndarray, positions: np.ndarray, grades: np.ndarray
    ) -> pl.DataFrame:
        """Return lists as positions, each a run of its own; ``which`` ranking each comes from."""
        n, m = positions.shape
        names = pl.Series(np.arange(max(n, m))).cast(pl.String).str.zfill(len(str(max(n, m))))
        list_, level = (axis.ravel() for axis in np.indices((n, m)))
        position = pl.when(pl.col("position") != blocks.missing(positions)).then("position")
        p = self.keys.drop("run")[which[list_]].with_columns(
            names.gather(list_).alias("run"), names.gather(level).alias("doc_id"),
            pl.Series("position", positions.ravel()), pl.Series("relevance", grades.ravel()),
            pl.Series("level", level + 1), pl.lit(m, pl.Int64).alias("n_relevant"),
        )  # fmt: skip
        return p.with_columns(position=position)

    def table(self, measure: Measure, lists: whole_lists.RankedLists) -> pl.DataFrame:
        """Return the rows of a measure."""
        documents = (lists.ids(self.documents[self.ranking, rank]) for rank in (self.a, self.b))
        gain = self._gains(measure)
        rows = self.keys.select("query_id", "run")[self.ranking].with_columns(
            *(of.alias(f"doc_{side}") for side, of in zip("ab", documents, strict=True)),
            position_a=self.a + 1, position_b=self.b + 1, measure=pl.lit(str(measure)), gain=gain,
        )  # fmt: skip
        return rows.filter(~np.isnan(gain))


def _swaps(p: pl.DataFrame, lists: whole_lists.RankedLists, depth: int) -> Iterator[_Swaps]:
    """Yield the swaps of the first documents of all rankings, of some rankings at a time."""
    requests = matrices.requests_of(p)
    of_query = p.select("query_id", *["pool_size"] * ("pool_size" in p.columns)).unique("query_id")
    of_query = of_query.sort("query_id")
    ends = np.cumsum(lists.lengths).reshape(lists.lengths.shape)
    documents = np.concatenate([run.documents for run in lists.runs])
    for group in requests.groups(len(requests)):
        block = requests.block(group)
        m, n_runs, _ = block.positions.shape
        run, query = (axis.ravel() for axis in np.meshgrid(np.arange(n_runs), group, indexing="ij"))
        place = lists.queries.search_sorted(requests.queries.gather(query)).to_numpy()
        length = lists.lengths[run, place]
        first, kept = ends[run, place] - length, np.minimum(length, depth)
        keys = of_query[query].with_columns(run=requests.runs.gather(run), n_retrieved=length)
        ranks, grades = (of.reshape(m, -1).T for of in (block.positions, block.relevance))
        is_found = ranks != blocks.missing(ranks)
        positions = np.where(is_found, ranks.astype(np.int64), np.iinfo(np.int64).max)
        rank = np.arange(int(kept.max(initial=0)))
        a, b = np.triu_indices(len(rank), k=1)
        level = np.full((len(kept), len(rank)), -1)
        at, item = np.nonzero(positions <= len(rank))
        level[at, positions[at, item] - 1] = item
        grade = np.where(level < 0, 0.0, np.take_along_axis(grades, level, axis=1))
        code = documents[np.minimum(first[:, None] + rank, len(documents) - 1)]
        step = max(1, _CELLS // max(len(a) * m, 1))
        for some in (slice(start, start + step) for start in range(0, len(kept), step)):
            differ = (grade[some][:, a] != grade[some][:, b]) & (b < kept[some, None])
            ranking, pair = np.nonzero(differ)
            if len(pair):
                yield _Swaps(
                    keys[some], positions[some], grades[some], level[some], code[some],
                    ranking, a[pair], b[pair],
                )  # fmt: skip
