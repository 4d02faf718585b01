"""The gain of each swap of two documents of a ranking: `swap_gains`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, errors, resampling, sums, typed
from lexiframe.core.io import problems, read_runs
from lexiframe.core.metrics import (
    GradedMetric,
    Metric,
    Rankings,
    RecallLevelMetric,
    needed,
    values_of,
)
from lexiframe.core.pairwise import Measure, parse_measures
from lexiframe.core.projection import (
    Policies,
    ScoreType,
    Ties,
    blocks,
    matrices,
    positions,
    whole_lists,
)
from lexiframe.typing import MeasureLike, QrelsLike, RunsLike

_CELLS = 1 << 21
"""Pairs × relevant items of the rankings that are looked at together."""


@typed
def swap_gains(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: MeasureLike | Iterable[MeasureLike],
    *,
    depth: int = 100,
    rel: float | None = None,
    ties: Ties = "doc_id_desc",
    score_type: ScoreType = "float64",
    duplicates: problems.Duplicates = "error",
) -> pl.DataFrame:
    """Compute how much better each ranking becomes when two of its documents change places.

    This is the λ of pairwise learning to rank: by how much a pair of documents matters to a
    measure, which may be a preference such as RPP or LR.

    Parameters
    ----------
    runs, qrels, rel, ties, score_type, duplicates
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
    for measure in asked:
        if measure.needs not in (needed.RELEVANT, needed.FOUND, needed.POOL):
            raise LexiframeError(
                f"swap_gains: expected measures of relevant items alone, such as RPP, LR or nDCG, "
                f"found {measure}, which needs {measure.needs}"
            )
    resampling.check_draws("swap_gains", "depth", depth, 0)
    answers, policies = read_runs(runs), Policies(rel, ties, score_type, duplicates=duplicates)
    has_pool = any(measure.needs == needed.POOL for measure in asked)
    how: dict[str, Any] = {
        "rel": rel,
        "ties": ties,
        "score_type": score_type,
        "duplicates": duplicates,
    }
    p = positions(answers, qrels, pool=has_pool, **how)
    needed.refuse_unfit(p, asked)
    needed.warn_of_lost_gains(p, asked)
    with warnings.catch_warnings(action="ignore", category=errors.LexiframeWarning):
        lists = whole_lists.ranked_lists(answers, policies)  # positions has told all of it
    tables = [swaps.table(measure, lists) for swaps in _swaps(p, lists, depth) for measure in asked]
    return pl.concat(tables).sort("query_id", "run", "measure", "position_a", "position_b")


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
        """The positions after each swap, swaps × m, ascending, and the items and grades there.

        Items are numbered from 0 by their level before. Beyond the ranks nothing changes.
        """
        positions, swap = self.positions[self.ranking], np.arange(len(self.ranking))
        for here, there in ((self.a, self.b), (self.b, self.a)):
            level = self.level[self.ranking, here]
            positions[swap[level >= 0], level[level >= 0]] = there[level >= 0] + 1
        top = positions[:, : self._n_top]
        item = np.argsort(top, axis=1, kind="stable")
        positions[:, : self._n_top] = np.take_along_axis(top, item, axis=1)
        grades = self.grades[self.ranking]
        grades[:, : self._n_top] = np.take_along_axis(grades[:, : self._n_top], item, axis=1)
        return positions, item, grades

    @property
    def _n_top(self) -> int:
        """The most relevant items within the ranks."""
        return int((self.level >= 0).sum(axis=1).max(initial=0))

    def gains(self, measure: Measure) -> np.ndarray:
        """Return Δ of each swapped list over the given one, NaN without an item of the ``rel``."""
        n = (self.grades >= (measure.rel or 0.0)).sum(axis=1)[self.ranking]
        if not n.any():
            return np.full(len(n), np.nan)
        if isinstance(measure, Metric):
            is_sum = type(measure) in (RecallLevelMetric, GradedMetric) and measure.rel is None
            parts = 2 * np.maximum(n, 1)  # whole numbers or halves over m
            delta = self._changes_of_terms(measure) if is_sum else self._differences(measure, parts)
        else:
            positions, _, grades = self._swapped
            both = (positions, self.positions[self.ranking]), (grades, self.grades[self.ranking])
            of_both = (np.ascontiguousarray(np.stack(of).transpose(2, 0, 1)) for of in both)
            delta = measure.compute(blocks.Block(*of_both))[0]
        return np.where(n > 0, delta, np.nan)

    def _changes_of_terms(self, metric: Metric) -> np.ndarray:
        """Return the differences of a metric that is a sum over items, from the terms that change.

        A term is that of an item's rank and of its level, or its grade.
        """
        (n, m), depth = self.positions.shape, self.level.shape[1]
        ranks = np.repeat(np.arange(1, depth + 1), n * m).reshape(-1, m)
        which = np.tile(np.arange(n), depth)
        p = self._lists_as_positions(which, ranks, self.grades[which])
        terms = metric.contributions(Rankings.of(p)).reshape(depth, n, m)
        positions, item, _ = self._swapped
        before, after = self.positions[self.ranking, : self._n_top], positions[:, : self._n_top]
        level = np.arange(self._n_top)
        place = item if isinstance(metric, GradedMetric) else level
        total = np.zeros(len(after))
        for ranks, of, sign in ((after, place, 1), (before, level, -1)):
            at = np.minimum(ranks, depth) - 1
            total += sign * np.where(ranks <= depth, terms[at, self.ranking[:, None], of], 0).sum(1)
        return np.where(np.abs(total) <= sums.TIE, 0.0, total)

    def _differences(self, metric: Metric, parts: np.ndarray) -> np.ndarray:
        """Return how much better a metric is after each swap, from the values of all lists."""
        positions, _, grades = self._swapped
        which = np.concatenate([np.arange(len(self.positions)), self.ranking])
        p = self._lists_as_positions(
            which, np.vstack([self.positions, positions]), np.vstack([self.grades, grades])
        )
        value = values_of(p, [metric], "zero").values[:, 0]
        return sums.metric_difference(
            value[len(self.positions) :],
            value[self.ranking],
            smaller_is_better=metric.smaller_is_better,
            is_exact=metric.is_exact,
            parts=parts if metric.is_exact else None,
        )

    def _lists_as_positions(
        self, which: np.ndarray, positions: np.ndarray, grades: np.ndarray
    ) -> pl.DataFrame:
        """Return lists as positions, each a run of its own; ``which`` ranking each comes from."""
        n, m = positions.shape
        names = pl.Series(np.arange(max(n, m))).cast(pl.String).str.zfill(len(str(max(n, m))))
        list_, level = (axis.ravel() for axis in np.indices((n, m)))
        is_found = pl.col("position") != blocks.missing(positions)
        return self.keys.drop("run")[which[list_]].with_columns(
            run=names.gather(list_),
            doc_id=names.gather(level),
            relevance=grades.ravel(),
            position=positions.ravel(),
            level=level + 1,
            n_relevant=pl.lit(m, pl.Int64),
        ).with_columns(position=pl.when(is_found).then("position"))  # fmt: skip

    def table(self, measure: Measure, lists: whole_lists.RankedLists) -> pl.DataFrame:
        """Return the rows of a measure."""
        gain = self.gains(measure)
        rows = self.keys.select("query_id", "run")[self.ranking].with_columns(
            doc_a=lists.ids(self.documents[self.ranking, self.a]),
            doc_b=lists.ids(self.documents[self.ranking, self.b]),
            position_a=self.a + 1,
            position_b=self.b + 1,
            measure=pl.lit(str(measure)),
            gain=gain,
        )
        return rows.filter(~np.isnan(gain))


def _swaps(p: pl.DataFrame, lists: whole_lists.RankedLists, depth: int) -> Iterator[_Swaps]:
    """Yield the swaps of the first documents of all rankings, of some rankings at a time."""
    requests = matrices.requests_of(p)
    pools = [name for name in ("pool_size",) if name in p.columns]
    of_query = p.select("query_id", *pools).unique("query_id").sort("query_id")
    ends = np.cumsum(lists.lengths).reshape(lists.lengths.shape)
    documents = np.concatenate([run.documents for run in lists.runs])
    for group in requests.groups(len(requests)):
        block = requests.block(group)
        m, n_runs, _ = block.positions.shape
        run, query = (axis.ravel() for axis in np.meshgrid(np.arange(n_runs), group, indexing="ij"))
        place = lists.queries.search_sorted(requests.queries.gather(query)).to_numpy()
        length = lists.lengths[run, place]
        first = ends[run, place] - length
        keys = of_query[query].with_columns(run=requests.runs.gather(run), n_retrieved=length)
        ranks = block.positions.reshape(m, -1).T
        is_found = ranks != blocks.missing(ranks)
        positions = np.where(is_found, ranks.astype(np.int64), np.iinfo(np.int64).max)
        grades = block.relevance.reshape(m, -1).T
        kept = np.minimum(length, depth)
        a, b = np.triu_indices(int(kept.max(initial=0)), k=1)
        level = np.full((len(kept), int(kept.max(initial=0))), -1)
        at, item = np.nonzero(positions <= level.shape[1])
        level[at, positions[at, item] - 1] = item
        step = max(1, _CELLS // max(len(a) * m, 1))
        for start in range(0, len(kept), step):
            some = slice(start, start + step)
            grade = np.where(level[some] < 0, 0.0, np.take_along_axis(grades[some], level[some], 1))
            ranking, pair = np.nonzero((grade[:, a] != grade[:, b]) & (b < kept[some, None]))
            last = len(documents) - 1
            code = documents[np.minimum(first[some, None] + np.arange(level.shape[1]), last)]
            yield _Swaps(
                keys[some], positions[some], grades[some], level[some], code,
                ranking, a[pair], b[pair],
            )  # fmt: skip
