"""Lists of more requests than fit in memory: what is measured of a bucket of them, and added up."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, errors
from lexiframe.collection.beyond.catalogue_measures import CatalogueMetric, Exposed, SummedLists
from lexiframe.collection.beyond.items import Items
from lexiframe.collection.beyond.jackknife import groups_of
from lexiframe.collection.beyond.list_measures import ListMetric
from lexiframe.collection.beyond.lists import Doubts, Lists, ranked_and_lists, warn_of_doubts
from lexiframe.collection.beyond.scored_lists import deepest, values_table
from lexiframe.pairwise import PairCube, arrays, measured
from lexiframe.projection import Policies

_KNOWN, _ANSWERED, _SAME = -1, -2, -3
"""What counts of `Doubts` stand for in the column ``measure``, where others have a number."""
_KEYS = ["measure", "run", "group", "item"]


@dataclass(frozen=True)
class ListsInParts:
    """What is measured of the lists in each bucket of requests, and of all together.

    Attributes
    ----------
    items
        The catalogue.
    of_lists, of_all
        The measures of single lists, and those of all lists of a run.
    runs
        The names of the runs, sorted.
    groups
        ``query_id`` and the ``group`` of each request: those without which the jackknife takes the
        measures of all lists, numbered through all groups of requests by attributes.
    sizes
        The attributes of each of these, how many requests it has, and how many groups.
    """

    items: Items
    of_lists: tuple[ListMetric, ...]
    of_all: tuple[CatalogueMetric, ...]
    runs: tuple[str, ...]
    groups: pl.DataFrame
    sizes: tuple[tuple[pl.DataFrame, int, int], ...]

    @classmethod
    def plan(
        cls,
        items: Items,
        measures: Iterable[Any],
        runs: Iterable[str],
        queries: pl.Series,
        parts: Iterable[tuple[pl.DataFrame, np.ndarray | None]],
    ) -> ListsInParts:
        """Divide the requests into groups, within each of the ``parts`` that attributes make."""
        if items.unknown != "error":
            raise LexiframeError(
                "evaluate: unknown='cold' adds the items of all runs to the catalogue, and these "
                "runs are evaluated in parts; add them to the table of items"
            )
        group, sizes, n = np.zeros(len(queries), np.int64), [], 0
        for attributes, chosen in parts:
            here = np.arange(len(queries)) if chosen is None else np.flatnonzero(chosen)
            own, n_own = groups_of(len(here), None) or (np.arange(len(here)), len(here))
            group[here] = own + n
            sizes.append((attributes, len(here), n_own))
            n += n_own
        numbered = pl.DataFrame({"query_id": queries, "group": group}).sort("query_id")
        of_lists = tuple(m for m in measures if isinstance(m, ListMetric))
        of_all = tuple(m for m in measures if isinstance(m, CatalogueMetric))
        return cls(items, of_lists, of_all, tuple(runs), numbered, tuple(sizes))

    @property
    def contents(self) -> dict[str, Any]:
        """All that the numbers hang on, as texts, arrays and tables: another job has others."""
        items = {one.name: getattr(self.items, one.name) for one in fields(self.items)}
        matrix = self.items.categories
        parts = None if matrix is None else [matrix.indptr, matrix.indices, matrix.data]
        return items | {"categories": parts, "of_all": [*map(str, self.of_all)]}

    def of_bucket(self, runs: Any, qrels: Any, policies: Policies) -> MeasuredLists:
        """Measure the lists of a bucket; what is wrong with rankings is said with all others."""
        cutoff = deepest([*self.of_lists, *self.of_all])
        if policies.depth is not None:
            cutoff = min(policies.depth, cutoff or policies.depth)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.LexiframeWarning)
            ranked, lists = ranked_and_lists(runs, self.items, policies, qrels, cutoff)
        scores = None
        if self.of_lists:
            table = values_table(lists, self.of_lists).drop_nulls("value")
            scores = arrays.pair_cube(table) if table.height else None
        doubts = Doubts.look(ranked, lists, len(self.items))
        counts = [(_ANSWERED, 0, doubts.answered), (_SAME, 0, doubts.same)]
        counts += [(_KNOWN, self.runs.index(run), n) for run, n in doubts.known.items()]
        tables = [_rows(measure, run, [0], [0], [float(n)]) for measure, run, n in counts]
        tables += [self._sums(n, m, one) for n, m in enumerate(self.of_all) for one in lists]
        return MeasuredLists(lists[0].queries, scores, pl.concat(tables))

    def _sums(self, number: int, measure: CatalogueMetric, lists: Lists) -> pl.DataFrame:
        exposed = measure.exposed(lists)
        place = self.groups["query_id"].search_sorted(lists.queries).to_numpy()
        group = self.groups["group"].to_numpy()[place][exposed.request]
        run = self.runs.index(lists.name)
        table = _rows(number, run, group, exposed.item, exposed.exposure)
        return table.group_by(*_KEYS).agg(pl.col("value").sum())

    def warn(self, total: pl.DataFrame) -> None:
        """Warn of what all lists are doubted for."""
        of = [total.filter(measure=n) for n in (_KNOWN, _ANSWERED, _SAME)]
        known = {
            self.runs[run]: int(n) for run, n in of[0].sort("run").select("run", "value").rows()
        }
        doubts = Doubts(known, *(int(one["value"].sum()) for one in of[1:]))
        warn_of_doubts(doubts, len(self.items))

    def summed(self, total: pl.DataFrame) -> list[tuple[pl.DataFrame, Sequence[SummedLists]]]:
        """Return the lists of each group by attributes, of which the exposures are summed up."""
        ordered = total.sort(*_KEYS)
        parts: list[tuple[pl.DataFrame, Sequence[SummedLists]]] = []
        first = 0
        for attributes, n_requests, n in self.sizes:
            here = ordered.filter(pl.col("group").is_between(first, first + n - 1))
            lists = []
            for run, name in enumerate(self.runs):
                exposures = {}
                for number, measure in enumerate(self.of_all):
                    own = here.filter(measure=number, run=run)
                    group, item = (
                        own[key].to_numpy().astype(np.int64) for key in ("group", "item")
                    )
                    given = group - first, item, own["value"].to_numpy()
                    exposures[str(measure)] = Exposed(*given, n, len(self.items))
                lists.append(SummedLists(name, n_requests, exposures))
            parts.append((attributes, lists))
            first += n
        return parts


@dataclass(frozen=True)
class MeasuredLists:
    """The lists of a bucket, measured: scores by request, and sums over all of them."""

    queries: pl.Series
    scores: PairCube | None
    table: pl.DataFrame

    def joined(self, measures: Sequence[Any], part: PairCube) -> PairCube:
        """Return the scores and preferences of some requests with those of their lists."""
        whole = measured.unknown(measures, part.runs, part.queries)
        whole.fill(part)
        if self.scores is not None:
            whole.fill(self.scores)
        return whole

    def others(self, runs: pl.Series, queries: pl.Series) -> list[PairCube]:
        """Return a part without values, of the requests with a score that are not ``queries``."""
        there = self.queries.head(0) if self.scores is None else self.scores.queries
        rest = there.filter(~there.is_in(queries.implode())).sort()
        return [measured.unknown([], runs, rest)] if len(rest) else []


def _rows(measure: int, run: int, group: Any, item: Any, value: Any) -> pl.DataFrame:
    columns = {"group": group, "item": item, "value": value}
    table = pl.DataFrame(columns).with_columns(measure=measure, run=run)
    return table.select(*(pl.col(name).cast(pl.Int32) for name in _KEYS), pl.col("value"))
