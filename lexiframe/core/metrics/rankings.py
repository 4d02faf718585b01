"""The rankings of a positions table as rows, over which metrics are summed.

A ranking is what one run returned for one request. The rows are sorted by run, request and
document, because the last bit of a sum of floats depends on the order of its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import coded, schemas
from lexiframe.core.metrics.judged_items import (
    Items,
    ItemsOfRun,
    RelevantFound,
    items_of_ranked,
    items_of_table,
)
from lexiframe.core.metrics.row_by_row import row_by_row
from lexiframe.core.metrics.stretches import begins
from lexiframe.core.projection import NoRelevant, RankedRuns, levels_in

RANK, LEVEL, N_RELEVANT, GRADE = (
    pl.col(name).cast(pl.Float64) for name in ("position", "level", "n_relevant", "relevance")
)
"""Rank, recall level, number of relevant items and grade, as floats for formulas."""


@dataclass(frozen=True)
class Rankings:
    """The rankings of a positions table.

    Attributes
    ----------
    rows
        The relevant items, and rows of requests without any, in order.
    keys
        ``run`` and ``query_id`` of each ranking.
    ranking
        For each row the index of its ranking.
    is_relevant
        Which rows hold a relevant item.
    kept
        Which rankings have a value: those of requests with a relevant item, or all.
    items_of_run
        Returns the judged items of a run, for metrics that are computed run by run.

    rel
        The least relevant grade, when it is not that of the table.
    imputed_by
        The same rankings with imputed positions, by the size of the corpus.
    of_requests
        What metrics computed from the judgments alone, whatever was retrieved: see `once`.
    """

    rows: pl.DataFrame
    keys: pl.DataFrame
    ranking: np.ndarray
    is_relevant: np.ndarray
    kept: np.ndarray
    items_of_run: ItemsOfRun

    rel: float | None = None
    imputed_by: dict[int | str, Rankings] = field(default_factory=dict)
    of_requests: dict[Hashable, np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, p: Any, ranked: RankedRuns | None = None) -> Rankings:
        """Return the rankings of a table of `positions`.

        ``ranked``, the runs that the table was made from, provides the judged items when given.
        Consecutive runs differ in their ranks only.
        """
        if ranked is None or len(ranked.runs) > 1:
            return cls._lay_out(p, ranked)
        first = ranked.judged.once(("rankings", p.height), lambda: cls._lay_out(p, ranked))
        items_of_run = items_of_ranked(ranked, first.keys["query_id"])
        rows = p if p.height == first.rows.height else _rows_that_count(p)
        return replace(first, rows=rows, items_of_run=items_of_run, imputed_by={})

    @classmethod
    def _lay_out(cls, p: Any, ranked: RankedRuns | None) -> Rankings:
        table = schemas.check(p, schemas.POSITIONS)
        rows = _rows_that_count(table) if table["level"].null_count() else table
        keys, ranking = _stretches(rows)
        if ranked is None and not _is_in_order(rows, keys, ranking):
            rows = rows.sort("run", "query_id", "doc_id")
            keys, ranking = _stretches(rows)
        if ranked is None:
            items_of_run = items_of_table(table, keys)
        else:
            of_a_run = keys["query_id"].head(keys.height // len(ranked.runs))
            items_of_run = items_of_ranked(ranked, of_a_run)
        is_relevant = rows["level"].is_not_null().to_numpy()
        return cls(rows, keys, ranking, is_relevant, np.ones(keys.height, bool), items_of_run)

    def at_least(self, rel: float | None, no_relevant: NoRelevant) -> Rankings:
        """Count only grades of ``rel`` or more as relevant, and number the recall levels anew."""
        if rel is None:
            return self
        is_graded = (self.rows["relevance"] >= rel).fill_null(value=False).to_numpy()
        is_relevant = self.is_relevant & is_graded
        of_relevant = self.ranking[is_relevant]
        m = np.bincount(of_relevant, minlength=len(self))
        level = np.zeros(len(is_relevant), np.int64)
        known = self.rows["level"].fill_null(0).to_numpy()
        level[is_relevant] = levels_in(of_relevant, known[is_relevant])
        rows = self.rows.with_columns(
            level=pl.Series(level).set(pl.Series(~is_relevant), None),
            n_relevant=pl.Series(m[self.ranking]),
        )
        kept = np.full(len(self), no_relevant == "zero") | (m > 0)
        return Rankings(
            rows,
            self.keys,
            self.ranking,
            is_relevant,
            kept,
            self.items_of_run,
            rel=rel,
            of_requests=self.of_requests,
        )

    def once(self, what: Hashable, make: Callable[[], np.ndarray]) -> np.ndarray:
        """Return an array that does not depend on ranks, made once under the name ``what``."""
        if what not in self.of_requests:
            self.of_requests[what] = make()
        return self.of_requests[what]

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return self.keys["run"].n_unique()

    @cached_property
    def _edges(self) -> np.ndarray:
        """The first ranking of each run, and the number of rankings."""
        return np.append(np.flatnonzero(begins(self.keys, "run")), len(self))

    def run_rankings(self, run: int) -> Rankings:
        """Return the rankings and the judged items of one run, given its number among the runs."""
        items = self.items_of_run(run)
        first, last = self._edges[run : run + 2].tolist()
        rows = slice(*np.searchsorted(self.ranking, [first, last]))
        return replace(
            self,
            rows=self.rows[rows],
            keys=self.keys[first:last],
            ranking=self.ranking[rows] - first,
            is_relevant=self.is_relevant[rows],
            kept=self.kept[first:last],
            items_of_run=lambda _: items,
            imputed_by={},
            of_requests={},
        )

    @property
    def judged_items(self) -> Items:
        """The judged items of the rankings of one run."""
        return self.items_of_run(0)

    def imputed(self, n: int | str) -> Rankings:
        """Return the rankings with imputed ranks of items that were not retrieved; see `impute`."""
        from lexiframe.core.projection import impute

        if n not in self.imputed_by:
            self.imputed_by[n] = replace(self, rows=impute(self.rows, n), imputed_by={})
        return self.imputed_by[n]

    def __len__(self) -> int:
        return self.keys.height

    @cached_property
    def relevant(self) -> pl.DataFrame:
        """The rows of relevant items."""
        return self.rows if self.is_relevant.all() else self.rows.filter(self.is_relevant)

    @cached_property
    def relevant_rankings(self) -> np.ndarray:
        """For each relevant item the index of its ranking."""
        return np.asarray(self.ranking[self.is_relevant])

    @cached_property
    def found(self) -> Rankings:
        """The rankings with the rows of retrieved items alone, enough for sums of exposures."""
        return self._only(self.is_relevant & self.rows["position"].is_not_null().to_numpy())

    def within(self, cutoff: int | None) -> Rankings:
        """Return the rankings with the rows of relevant items that have a rank up to a cut-off.

        They are made once for all metrics with the cut-off; without one they are `found`.
        """
        if cutoff is None:
            return self.found
        if cutoff not in self._within:
            is_within = self.found.rows["position"] <= cutoff
            self._within[cutoff] = self.found._only(is_within.to_numpy())
        return self._within[cutoff]

    @cached_property
    def _within(self) -> dict[int, Rankings]:
        return {}

    def _only(self, chosen: np.ndarray) -> Rankings:
        """Return the rankings with some of the rows of relevant items, and of numbers alone."""
        if chosen.all():
            return self
        row = np.flatnonzero(chosen)
        every = np.ones(len(row), bool)
        table, ranking = self.rows.select(pl.selectors.numeric())[row], self.ranking[row]
        return replace(self, rows=table, ranking=ranking, is_relevant=every, imputed_by={})

    @cached_property
    def items_by_level(self) -> pl.DataFrame:
        """The relevant items of each ``ranking`` by level: position, relevance, and their row."""
        level = self.relevant["level"].to_numpy()
        order = coded.order_of(self.relevant_rankings, level)
        items = self.relevant.select("position", "relevance")[order]
        return items.with_columns(ranking=self.relevant_rankings[order], row=order)

    @cached_property
    def has_relevant(self) -> np.ndarray:
        """Which rankings are of requests with a relevant item."""
        return np.bincount(self.relevant_rankings, minlength=len(self)) > 0

    def first_row(self, column: str) -> np.ndarray:
        """Return one value for each ranking, from a column that is constant within rankings."""
        return np.asarray(self.rows[column].to_numpy()[self._first_rows])

    @cached_property
    def _first_rows(self) -> np.ndarray:
        """The first row of each ranking."""
        return np.flatnonzero(coded.begins(self.ranking))

    def item_values(self, term: pl.Expr) -> np.ndarray:
        """Return the value of an expression for each relevant item, with 0 for null."""
        values = row_by_row(self.relevant, term=term.fill_null(0.0))["term"]
        return np.asarray(values.to_numpy())

    @cached_property
    def relevant_found(self) -> RelevantFound:
        """The relevant items that were retrieved, with counts of the judged items above them."""
        return RelevantFound.count(
            self.relevant, self.relevant_rankings, self.judged_items, self.rel
        )

    @cached_property
    def ideal_rows(self) -> Rankings:
        """Each request's relevant items in decreasing order of grade, as one run's rankings.

        All runs have the same relevant items of a request, so the rows of one run are enough.
        """
        is_first = self.keys["query_id"].is_first_distinct()
        of_first = is_first.to_numpy()[self.relevant_rankings]
        rows = self.relevant.filter(of_first).with_columns(request=self.relevant_rankings[of_first])
        # integers are sorted faster than names, whose order they have unless runs lack requests
        request = "request" if self.keys["query_id"].filter(is_first).is_sorted() else "query_id"
        if request == "query_id" or rows["relevance"].min() != rows["relevance"].max():
            key = [request, "relevance"]
            rows = rows.sort(key, descending=[False, True], maintain_order=True)
        of_each = rows["request"].to_numpy()
        place = pl.Series(levels_in(of_each))
        is_begin = coded.begins(of_each)
        rows = rows.drop("request")
        rows = rows.with_columns(level=place, position=place, run=pl.lit("ideal"))
        keys, ranking = rows.select("run", "query_id").filter(is_begin), np.cumsum(is_begin) - 1
        # the ideal rankings have no null ranks: every relevant item is retrieved at its place
        full, kept = np.ones(len(rows), bool), np.ones(keys.height, bool)
        return Rankings(rows, keys, ranking, full, kept, self.items_of_run)

    @cached_property
    def ideal_sizes(self) -> np.ndarray | None:
        """The number of items in the ideal ranking of each ranking's request, if grades are equal.

        None if there are several grades, or if runs do not have the same relevant items.
        """
        grades = self.relevant["relevance"]
        if grades.min() != grades.max():
            return None
        sizes = np.bincount(self.relevant_rankings, minlength=len(self))
        queries, n = self.keys["query_id"], int(self._edges[1:2].sum())
        starts = range(n, len(self), max(n, 1))
        are_same = all(
            queries.slice(start, n).equals(queries.slice(0, n))
            and np.array_equal(sizes[start : start + n], sizes[:n])
            for start in starts
        )
        return sizes if are_same else None

    def spread_over(self, by_request: np.ndarray) -> np.ndarray:
        """Return for each ranking the value of its request, given one for each of `ideal_rows`."""
        queries, n = self.ideal_rows.keys["query_id"], len(by_request)
        starts = range(0, len(self), max(n, 1))
        if n and all(self.keys["query_id"].slice(start, n).equals(queries) for start in starts):
            return np.tile(by_request, len(starts))
        ideals = pl.DataFrame({"query_id": queries, "ideal": by_request})
        joined = self.keys.join(ideals, on="query_id", how="left", maintain_order="left")
        return np.asarray(joined["ideal"].fill_null(0.0).to_numpy())


def _rows_that_count(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of relevant items, and the rows of requests without any."""
    return table.filter(pl.col("level").is_not_null() | (pl.col("n_relevant") == 0))


def _stretches(table: pl.DataFrame) -> tuple[pl.DataFrame, np.ndarray]:
    """Return run and request of each ranking, and for each row the index of its ranking."""
    is_first = begins(table, "run", "query_id")
    return table.select("run", "query_id").filter(is_first), np.cumsum(is_first) - 1


def _is_in_order(table: pl.DataFrame, keys: pl.DataFrame, ranking: np.ndarray) -> bool:
    """Return whether the rows are sorted by run, request and document."""
    run, query = pl.col("run"), pl.col("query_id")
    rises = (run > run.shift()) | ((run == run.shift()) & (query > query.shift()))
    if not keys.select(rises.fill_null(value=True).all()).item():
        return False
    falls = (table["doc_id"] < table["doc_id"].shift()).fill_null(value=False).to_numpy()
    return not (falls & ~coded.begins(ranking)).any()
