"""Lists of more requests than fit in memory: measured by bucket, and added up."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from lexiframe.core.base import LexiframeError, errors
from lexiframe.core.pairwise import PairCube, arrays, composition, measured
from lexiframe.core.projection import Policies
from lexiframe.decide.beyond.catalogue_measures import CatalogueMetric, SummedLists
from lexiframe.decide.beyond.items import Items
from lexiframe.decide.beyond.jackknife import groups_of
from lexiframe.decide.beyond.list_measures import ListMetric
from lexiframe.decide.beyond.lists import Doubts, Lists, ranked_and_lists, warn_of_doubts
from lexiframe.decide.beyond.scored_lists import deepest, values_table


@dataclass(frozen=True)
class ListsInParts:
    """The measures of the lists in each bucket of requests, and of all lists together.

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
        """Inputs that identify this job, as texts, arrays and tables, for its fingerprint."""
        items = {one.name: getattr(self.items, one.name) for one in fields(self.items)}
        matrix = self.items.categories
        parts = None if matrix is None else [matrix.indptr, matrix.indices, matrix.data]
        return items | {"categories": parts, "of_all": [*map(str, self.of_all)]}

    def of_bucket(self, runs: Any, qrels: Any, policies: Policies) -> MeasuredLists:
        """Measure the lists of a bucket; warnings about rankings wait for all buckets."""
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
        sums = {"known": [*doubts.known.values()], "requests": [doubts.answered, doubts.same]}
        found = {name: sparse.csr_array([numbers], dtype=float) for name, numbers in sums.items()}
        for one in lists:
            distinct = {self._name(one.name, measure): measure for measure in self.of_all}
            found |= {name: self._exposures(measure, one) for name, measure in distinct.items()}
        return MeasuredLists(lists[0].queries, scores, found)

    @staticmethod
    def _name(run: str, measure: CatalogueMetric) -> str:
        """Return the common name of a run's measures with equal exposures."""
        return f"{measure.values.get('exposure')} {measure.cutoff} {run}"

    def _exposures(self, measure: CatalogueMetric, lists: Lists) -> sparse.csr_array:
        """Return groups × items: the exposures in a run's lists."""
        exposed = measure.exposed(lists)
        place = self.groups["query_id"].search_sorted(lists.queries).to_numpy()
        group = self.groups["group"].to_numpy()[place][exposed.request]
        shape = (sum(n for *_, n in self.sizes), len(self.items))
        return sparse.coo_array((exposed.exposure, (group, exposed.item)), shape=shape).tocsr()

    def warn(self, total: Mapping[str, sparse.csr_array]) -> None:
        """Warn of the doubts about all lists."""
        known, requests = (total[name].toarray()[0].astype(int) for name in ("known", "requests"))
        doubts = Doubts(dict(zip(self.runs, known.tolist(), strict=True)), *requests.tolist())
        warn_of_doubts(doubts, len(self.items))

    def summed(
        self, total: Mapping[str, sparse.csr_array]
    ) -> list[tuple[pl.DataFrame, Sequence[SummedLists]]]:
        """Return the lists of each group by attributes, with summed exposures."""
        parts: list[tuple[pl.DataFrame, Sequence[SummedLists]]] = []
        first = 0
        for attributes, n_requests, n in self.sizes:
            some = slice(first, first + n)
            own = {
                run: {str(m): total[self._name(run, m)][some] for m in self.of_all}
                for run in self.runs
            }
            lists = [SummedLists(run, n_requests, sums) for run, sums in own.items()]
            parts.append((attributes, lists))
            first += n
        return parts


@dataclass(frozen=True)
class MeasuredLists:
    """The lists of a bucket, measured: scores by request, and sums over all of them."""

    queries: pl.Series
    scores: PairCube | None
    sums: Mapping[str, sparse.csr_array]
    done: list[pl.Series] = field(default_factory=list)

    def joined(self, measures: Sequence[Any], part: PairCube) -> PairCube:
        """Return the scores and preferences of some requests together with their lists' scores."""
        self.done.append(part.queries)
        every = composition.computed_first(measures)
        whole = measured.unknown(every, part.runs, part.queries)
        whole.fill(part)
        if self.scores is not None:
            whole.fill(self.scores)
        return composition.composed(whole, measures)

    def others(self, runs: pl.Series) -> Iterator[PairCube]:
        """Yield a part without values, of requests with a score that were joined with none."""
        if self.scores is not None:
            there, done = self.scores.queries, pl.concat([self.queries.head(0), *self.done])
            rest = there.filter(~there.is_in(done.implode()))
            if len(rest):
                yield measured.unknown([], runs, rest)
