"""All judged items of a run's rankings as arrays, for bpref and similar metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.metrics.stretches import begins
from lexiframe.core.projection import RankedRuns, judgments


@dataclass(frozen=True)
class Items:
    """The judged items of one run's rankings, an element of each array for one item.

    Attributes
    ----------
    ranking
        The index of its ranking.
    rank
        Its rank, 0 when it was not retrieved.
    grade
        Its grade; as in trec_eval, a negative one means that it was pooled, but not judged.
    is_relevant
        Whether it is relevant by the positions.
    spans
        With ``ties="expected"``, the first and the last rank that it can have: 2 × items.
    """

    ranking: np.ndarray
    rank: np.ndarray
    grade: np.ndarray
    is_relevant: np.ndarray
    spans: np.ndarray | None = None

    def nonrelevant(self, rel: float | None) -> np.ndarray:
        """Return the items that are not relevant; with ``rel``, also items of a lower grade."""
        return ~self.is_relevant if rel is None else ~(self.is_relevant & (self.grade >= rel))

    def keys(self, chosen: np.ndarray, deepest: int) -> np.ndarray:
        """Return a number for each chosen item that was retrieved, ascending by ranking and rank.

        `key` makes the number; ``deepest`` is the greatest rank of any item.
        """
        found = np.flatnonzero(chosen & (self.rank > 0))
        return np.sort(key(self.ranking[found], self.rank[found], deepest))


def key(ranking: np.ndarray, rank: np.ndarray, deepest: int) -> np.ndarray:
    """Return one number for a ranking and a rank, ascending by both."""
    return np.asarray(ranking * (deepest + 1) + rank)


ItemsOfRun = Callable[[int], Items]
"""A function from the number of a run, among the runs sorted by name, to its judged items."""


def items_of_table(table: pl.DataFrame, keys: pl.DataFrame) -> ItemsOfRun:
    """Return the function from a run to its items in a positions table.

    ``keys`` are run and request of each ranking, sorted.
    """

    @cache  # most metrics do not need it
    def stretches() -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
        """Return the table in order, and where its rankings and, among these, its runs begin."""
        ordered, is_first = table, begins(table, "run", "query_id")
        if not ordered.select("run", "query_id").filter(is_first).equals(keys):
            ordered = ordered.sort("run", "query_id", maintain_order=True)
            is_first = begins(ordered, "run", "query_id")
        edges = np.append(np.flatnonzero(is_first), ordered.height)
        return ordered, edges, np.append(np.flatnonzero(begins(keys, "run")), keys.height)

    def items(run: int) -> Items:
        ordered, edges, runs = stretches()
        own = edges[runs[run] : runs[run + 1] + 1]
        rows = ordered.slice(int(own[0]), int(own[-1] - own[0]))
        ranking = np.repeat(np.arange(len(own) - 1), np.diff(own))
        rank = rows["position"].fill_null(0).to_numpy()
        grade = rows["relevance"].fill_null(-1.0).to_numpy()  # rows without an item have none
        spans = None
        if "tied_from" in rows.columns:
            spans = rows.select("tied_from", "tied_to").fill_null(0).to_numpy().T
        return Items(ranking, rank, grade, rows["level"].is_not_null().to_numpy(), spans)

    return items


def items_of_ranked(ranked: RankedRuns, queries: pl.Series) -> ItemsOfRun:
    """Return the function from a run to its items, from the ranks of all judged items.

    ``queries`` are the requests of the rankings of a run, in their order.
    """
    judged = ranked.judged
    if not judged.complete:
        raise LexiframeError(
            "expected the ranks of all judged items, found those of the relevant ones alone; rank "
            "the runs with nonrelevant=True"
        )

    @cache  # most metrics do not need it
    def of_queries() -> tuple[np.ndarray, ...]:
        return judged.once(("items", len(queries)), lambda: _items_of_queries(judged, queries))

    def items(run: int) -> Items:
        of, (ranking, kept, grade, is_relevant) = ranked.runs[run], of_queries()
        spans = None if of.spans is None else of.spans[:, kept]
        return Items(ranking, of.rank[kept], grade, is_relevant, spans)

    return items


def _items_of_queries(judged: judgments.JudgedItems, queries: pl.Series) -> tuple[np.ndarray, ...]:
    """Return the ranking of each item of some requests; which items these are; grade; relevance."""
    ranking_of_query = np.full(len(judged.queries), -1)
    ranking_of_query[judged.queries.search_sorted(queries).to_numpy()] = np.arange(len(queries))
    ranking = ranking_of_query[judged.query]
    kept = ranking >= 0
    grade = judged.items["relevance"].to_numpy()[kept]
    return ranking[kept], kept, grade, judged.is_relevant[kept]


@dataclass(frozen=True)
class RelevantFound:
    """The relevant items that were retrieved: each array has one element for each item.

    Attributes
    ----------
    p, i, m
        Rank, recall level, and the number of relevant items of the request.
    b, u
        How many items above it are judged not relevant, and how many are pooled, but unjudged:
        their grade is negative.
    N
        How many items of the request are judged not relevant.
    row
        Its place among the rows of relevant items.
    """

    p: np.ndarray
    i: np.ndarray
    m: np.ndarray
    b: np.ndarray
    u: np.ndarray
    N: np.ndarray
    row: np.ndarray

    @classmethod
    def count(
        cls, relevant: pl.DataFrame, ranking: np.ndarray, items: Items, rel: float | None
    ) -> RelevantFound:
        """Count the judged items above relevant ones; ``ranking`` is the ranking of each row."""
        row = relevant["position"].is_not_null().arg_true().to_numpy()
        p, i, m = (relevant[x].gather(row).to_numpy() for x in ("position", "level", "n_relevant"))
        ranking, deepest = ranking[row], int(items.rank.max(initial=0))
        place = key(ranking, p, deepest)
        nonrelevant, is_judged = items.nonrelevant(rel), items.grade >= 0

        def above(chosen: np.ndarray) -> np.ndarray:
            others = items.keys(chosen, deepest)
            return np.asarray(np.searchsorted(others, place) - np.searchsorted(others, place - p))

        b, u = above(nonrelevant & is_judged), above(nonrelevant & ~is_judged)
        of_ranking = items.ranking[nonrelevant & is_judged]
        n = np.bincount(of_ranking, minlength=int(ranking.max(initial=0)) + 1)[ranking]
        return cls(p, i, m, b, u, n, row)
