"""Rankings as rows: what metrics are summed over, for every run and request of a positions table.

A ranking is what one run did for one request. Rows stand in the order of run, request and document,
because sums of floats depend on their order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.positions.imputation import impute
from lexiframe.positions.policies import NoRelevant
from lexiframe.schemas import POSITIONS, check

RANK, LEVEL, N_RELEVANT, GRADE = (
    pl.col(name).cast(pl.Float64) for name in ("position", "level", "n_relevant", "relevance")
)
"""Rank, recall level, number of relevant items and grade, as formulas have them."""


@dataclass(frozen=True)
class Rankings:
    """The rankings of a positions table.

    Attributes
    ----------
    table
        The whole table, in order.
    keys
        ``run`` and ``query_id`` of each ranking.
    ranking
        For each row of the table the index of its ranking.
    is_relevant
        Which rows hold a relevant item; the others are judged items, and requests without any.
    kept
        Which rankings have a value: those of requests with a relevant item, or all.
    """

    table: pl.DataFrame
    keys: pl.DataFrame
    ranking: np.ndarray
    is_relevant: np.ndarray
    kept: np.ndarray

    @classmethod
    def of(cls, p: Any) -> Rankings:
        """Take the table of `positions`."""
        table = check(p, POSITIONS)
        keys, ranking = _stretches(table)
        if not _is_in_order(table, keys, ranking):
            table = table.sort("run", "query_id", "doc_id")
            keys, ranking = _stretches(table)
        kept = np.ones(keys.height, bool)
        return cls(table, keys, ranking, table["level"].is_not_null().to_numpy(), kept)

    def at_least(self, rel: float | None, no_relevant: NoRelevant) -> Rankings:
        """Count only grades of ``rel`` or more as relevant, and number the recall levels anew."""
        if rel is None:
            return self
        is_relevant = (
            self.is_relevant & (self.table["relevance"] >= rel).fill_null(value=False).to_numpy()
        )
        m = np.bincount(self.ranking[is_relevant], minlength=len(self))
        table = self.table.with_columns(
            level=_numbered(self.table["level"].to_numpy(), is_relevant, self.ranking),
            n_relevant=pl.Series(m[self.ranking]),
        )
        kept = np.full(len(self), no_relevant == "zero") | (m > 0)
        return replace(self, table=table, is_relevant=is_relevant, kept=kept)

    def imputed(self, n: int | str) -> Rankings:
        """Give items that were not retrieved the last places of a corpus; see `impute`."""
        return replace(self, table=impute(self.table, n))

    def __len__(self) -> int:
        return self.keys.height

    @cached_property
    def relevant(self) -> pl.DataFrame:
        """The rows of relevant items."""
        return self.table if self.is_relevant.all() else self.table.filter(self.is_relevant)

    @cached_property
    def of_relevant(self) -> np.ndarray:
        """For each relevant item the index of its ranking."""
        return np.asarray(self.ranking[self.is_relevant])

    @cached_property
    def from_the_top(self) -> pl.DataFrame:
        """The relevant items of each ``ranking`` by level: ``position`` and ``relevance``."""
        level = self.relevant["level"].to_numpy()
        order = np.lexsort((level, self.of_relevant))
        items = self.relevant.select("position", "relevance")[order]
        return items.with_columns(ranking=self.of_relevant[order])

    def first_row(self, column: str) -> np.ndarray:
        """Give a column whose value all rows of a ranking share, for each ranking."""
        first = np.flatnonzero(np.diff(self.ranking, prepend=-1))
        return np.asarray(self.table[column].gather(first).to_numpy())

    def sums(self, terms: pl.Expr) -> np.ndarray:
        """Sum over the relevant items of each ranking; null adds nothing."""
        values = self.relevant.select(terms.fill_null(0.0).alias("term"))["term"].to_numpy()
        total: np.ndarray = np.bincount(self.of_relevant, values, len(self))
        return total.astype(np.float64)

    @cached_property
    def judged(self) -> Judged:
        """Where the judged items are, also those that are not relevant."""
        return Judged.of(self)

    @cached_property
    def ideal_rows(self) -> Rankings:
        """Each request's relevant items in decreasing order of grade, as one run's rankings.

        Every run has the same items of a request, so the first run that has it is enough.
        """
        first = self.keys["query_id"].is_first_distinct().to_numpy()[self.of_relevant]
        place = pl.int_range(1, pl.len() + 1).over("query_id")
        rows = (
            self.relevant.filter(first)
            .sort("query_id", "relevance", descending=[False, True], maintain_order=True)
            .with_columns(level=place, position=place, run=pl.lit("ideal"))
        )
        keys, ranking = _stretches(rows)
        full = np.ones(len(rows), bool)
        return Rankings(rows, keys, ranking, full, np.ones(keys.height, bool))

    def of_ideal(self, by_request: np.ndarray) -> np.ndarray:
        """Give the number of each ranking's request, from one for each of `ideal_rows`."""
        ideals = self.ideal_rows.keys.select("query_id", ideal=pl.Series(by_request))
        joined = self.keys.join(ideals, on="query_id", how="left", maintain_order="left")
        return np.asarray(joined["ideal"].fill_null(0.0).to_numpy())


@dataclass(frozen=True)
class Judged:
    """Judged items by rank: the key of one is the index of its ranking times ``step`` plus rank."""

    relevant: np.ndarray
    nonrelevant: np.ndarray
    unjudged: np.ndarray
    step: int
    n_nonrelevant: np.ndarray

    @classmethod
    def of(cls, rankings: Rankings) -> Judged:
        """Sort the retrieved items of each kind; a negative grade says pooled, but unjudged."""
        table, ranking = rankings.table, rankings.ranking
        position = table["position"].fill_null(0).to_numpy()
        grade = table["relevance"].fill_null(-1.0).to_numpy()
        step = int(position.max(initial=0)) + 1
        key = ranking * step + position
        found = position > 0
        is_relevant = rankings.is_relevant
        nonrelevant = ~is_relevant & (grade >= 0)
        unjudged = ~is_relevant & (grade < 0) & table["doc_id"].is_not_null().to_numpy()
        return cls(
            key[is_relevant & found],
            np.sort(key[nonrelevant & found]),
            np.sort(key[unjudged & found]),
            step,
            np.bincount(ranking[nonrelevant], minlength=len(rankings)),
        )

    def above(self, others: np.ndarray) -> np.ndarray:
        """Count, for each retrieved relevant item, the others above it in its ranking."""
        begin = self.relevant // self.step * self.step
        return np.searchsorted(others, self.relevant) - np.searchsorted(others, begin)


def _numbered(level: np.ndarray, is_relevant: np.ndarray, ranking: np.ndarray) -> pl.Series:
    """Number the relevant rows of each ranking from 1, in the order of their level."""
    rows = np.flatnonzero(is_relevant)
    order = rows[np.lexsort((level[rows], ranking[rows]))]
    begins = np.diff(ranking[order], prepend=-1) != 0
    starts = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
    numbers = np.zeros(len(level), np.int64)
    numbers[order] = np.arange(len(order)) - starts + 1
    return pl.Series(numbers).set(pl.Series(~is_relevant), None)


def _stretches(table: pl.DataFrame) -> tuple[pl.DataFrame, np.ndarray]:
    """Give the rankings in the order of the table, and for each row the index of its own."""
    begins = table.select(
        (pl.col("run") != pl.col("run").shift()).fill_null(value=True)
        | (pl.col("query_id") != pl.col("query_id").shift())
    ).to_series()
    keys = table.select("run", "query_id").filter(begins)
    return keys, begins.cast(pl.Int64).cum_sum().to_numpy() - 1


def _is_in_order(table: pl.DataFrame, keys: pl.DataFrame, ranking: np.ndarray) -> bool:
    """Tell whether a ranking's rows stand together, by document."""
    falls = (table["doc_id"] < table["doc_id"].shift()).fill_null(value=False).to_numpy()
    same = np.diff(ranking, prepend=-1) == 0
    return not ((falls & same).any() or keys.is_duplicated().any())
