"""Positions as arrays: blocks of requests that have the same number of relevant items."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from lexiframe.codes import encode
from lexiframe.errors import SchemaError
from lexiframe.schemas import POSITIONS, check


def missing(positions: np.ndarray) -> int:
    """Return the number that stands for the rank of an item that was not retrieved.

    It is greater than every rank, and the same for all such items.
    """
    return int(np.iinfo(positions.dtype).max)


@dataclass(frozen=True)
class Population:
    """The items that count as relevant at one threshold, of the requests of a block.

    Attributes
    ----------
    positions
        levels × runs × requests, ascending along the first axis. At the levels that a request
        lacks, because others have more items, it has the same number in all runs.
    m
        The number of items of each request.
    """

    positions: np.ndarray
    m: np.ndarray


@dataclass(frozen=True)
class Block:
    """Some requests with the same number m of relevant items, in every run.

    Attributes
    ----------
    positions
        m × runs × requests, integer, ascending along the first axis: the rank of the i-th relevant
        item, or `missing`. The requests come last, so that comparing two runs compares rows that
        lie together in memory.
    relevance
        m × runs × requests, the grade of that item.
    compared
        Which runs the pairs contain at least one of; None: all pairs are compared.
    """

    positions: np.ndarray
    relevance: np.ndarray
    compared: np.ndarray | None = field(default=None, kw_only=True)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return int(self.positions.shape[1])

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The runs a and b of each pair, a < b, in the order of (run_a, run_b)."""
        a, b = np.triu_indices(self.n_runs, k=1)
        if self.compared is None:
            return a, b
        kept = self.compared[a] | self.compared[b]
        return a[kept], b[kept]

    def __len__(self) -> int:
        """Return the number of requests."""
        return int(self.positions.shape[2])

    def within(self, cutoff: int | None) -> Self:
        """Return the block in which items beyond a rank are not retrieved."""
        if cutoff is None:
            return self
        positions = np.where(self.positions > cutoff, missing(self.positions), self.positions)
        return replace(self, positions=positions.astype(self.positions.dtype, copy=False))

    def at_least(self, grade: float | None) -> Population:
        """Return the items of a grade or above; of all grades for None."""
        if grade is None or not self.relevance.size or (self.relevance >= grade).all():
            return Population(self.positions, np.full(len(self), len(self.positions)))
        return self._counted(self.relevance >= grade)

    def populations(self, rel: float | None) -> list[Population]:
        """Return the items of each distinct grade or above, or of ``rel`` alone.

        The grades are those of the block. A request has no item in the population of a grade that
        none of its own items has.
        """
        if rel is not None:
            return [self.at_least(rel)]
        grades = np.unique(self.relevance[:, 0])
        if len(grades) <= 1:
            return [self.at_least(None)]
        own = ((self.relevance[:, 0] == grade).any(axis=0) for grade in grades)
        return [
            self._counted((self.relevance >= grade) & is_own)
            for grade, is_own in zip(grades, own, strict=True)
        ]

    def only(self, requests: np.ndarray) -> Block:
        """Return the block of some of the requests."""
        positions, relevance = self.positions[:, :, requests], self.relevance[:, :, requests]
        return Block(positions, relevance, compared=self.compared)

    def _counted(self, counts: np.ndarray) -> Population:
        """Return the items that count, moved to the first levels in their order."""
        m = counts[:, 0].sum(axis=0)
        if m.size and (m == m[0]).all():
            which = counts.transpose(1, 2, 0)
            chosen = self.positions.transpose(1, 2, 0)[which].reshape(*which.shape[:2], -1)
            return Population(np.ascontiguousarray(chosen.transpose(2, 0, 1)), m)
        level, run, request = np.nonzero(counts)
        place = (counts.cumsum(axis=0) - 1)[level, run, request]
        positions = np.zeros((int(m.max(initial=0)), *counts.shape[1:]), self.positions.dtype)
        positions[place, run, request] = self.positions[level, run, request]
        return Population(positions, m)


@dataclass(frozen=True)
class Requests:
    """All requests of a positions table, runs and requests sorted by name.

    Attributes
    ----------
    positions, relevance
        runs × recall levels: the levels of the first request, then those of the second ...
    n_relevant
        The number of levels of each request.
    """

    runs: pl.Series
    queries: pl.Series
    positions: np.ndarray
    relevance: np.ndarray
    n_relevant: np.ndarray

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def _first_level(self) -> np.ndarray:
        return np.asarray(np.cumsum(self.n_relevant) - self.n_relevant)

    def groups(self, most: int) -> list[np.ndarray]:
        """Divide the requests into groups, of at most ``most``, with the same number of items."""
        order = np.argsort(self.n_relevant, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(self.n_relevant[order])) + 1)
        return [
            group[first : first + most] for group in groups for first in range(0, len(group), most)
        ]

    def block(self, requests: np.ndarray) -> Block:
        """Return the block of some requests, which have the same number of relevant items."""
        m = int(self.n_relevant[requests[0]])
        level = np.arange(m)[:, None] + self._first_level[requests]
        positions, relevance = (
            np.ascontiguousarray(matrix[:, level].swapaxes(0, 1))
            for matrix in (self.positions, self.relevance)
        )
        return Block(positions, relevance)


def requests_of(p: Any) -> Requests:
    """Convert a positions table to arrays; raise if a run lacks rows of a request."""
    table = check(p, POSITIONS)
    n_rows = _rows_of_each_run(table)
    if n_rows is None:
        return lay_out(table, *encode(table["query_id"]), *encode(table["run"]))
    runs = table["run"].gather_every(max(n_rows, 1))
    numbers = np.arange(len(runs))[:, None]
    return lay_out(table, *encode(table["query_id"].head(n_rows)), runs, numbers)


def _rows_of_each_run(table: pl.DataFrame) -> int | None:
    """Return the number of rows of each run if all runs have the same requests, row by row.

    Tables of `positions` are like this, and then only the requests of one run have to be encoded.
    Return None for other tables.
    """
    stretches = table["run"].rle().struct.unnest()
    n_rows = table.height // max(stretches.height, 1)
    if not (stretches["value"].is_sorted() and (stretches["len"] == n_rows).all()):
        return None
    query_id = table["query_id"]
    first_run = query_id.head(n_rows)
    others = range(n_rows, table.height, max(n_rows, 1))
    return n_rows if all(query_id.slice(n, n_rows).equals(first_run) for n in others) else None


def lay_out(
    table: pl.DataFrame, queries: pl.Series, query: np.ndarray, runs: pl.Series, run: np.ndarray
) -> Requests:
    """Convert rows to arrays, given the index of each row's query and run.

    ``query`` and ``run`` have an index into ``queries`` and ``runs`` for each row. For tables in
    which the rows of all runs have the same requests in the same order, ``query`` has the indices
    of the rows of one run, and ``run`` is a column with the number of each run.
    """
    shape = np.broadcast_shapes(query.shape, run.shape)
    m = table["n_relevant"].to_numpy().reshape(shape)
    n_relevant = np.zeros(len(queries), np.int64)
    n_relevant[query] = m.reshape(-1, len(query))[-1] if m.size else 0
    has_same_m = bool((m == n_relevant[query]).all())
    n_levels = int(n_relevant.sum())
    before = (np.cumsum(n_relevant) - n_relevant)[query] - 1
    cell = (before + run * n_levels).ravel()
    levels = table.select("level", "position", "relevance")
    if levels["level"].null_count():
        is_relevant = levels["level"].is_not_null().to_numpy()
        levels, cell = levels.filter(is_relevant), cell[is_relevant]
    cell += levels["level"].to_numpy()
    _refuse_gaps(cell, len(runs) * n_levels)
    grades = table["relevance"].fill_null(0.0).to_numpy().reshape(shape)
    _refuse_other_judgments(_totals(grades, query, run, len(runs)), has_same_m=has_same_m)
    rank = levels["position"]
    positions = np.empty(len(cell), _smallest_type(rank))
    relevance = np.empty(len(cell))
    positions[cell] = rank.fill_null(missing(positions)).to_numpy()
    relevance[cell] = levels["relevance"].to_numpy()
    by_run = (len(runs), n_levels)
    return Requests(runs, queries, positions.reshape(by_run), relevance.reshape(by_run), n_relevant)


def _refuse_gaps(cell: np.ndarray, n_cells: int) -> None:
    """Raise unless every cell of runs × recall levels has one row."""
    is_there = np.zeros(n_cells, bool)
    if len(cell) == n_cells and n_cells and cell.min() >= 0 and cell.max() < n_cells:
        is_there[cell] = True
    if len(cell) != n_cells or not is_there.all():
        raise SchemaError(
            f"positions: expected {n_cells} rows, one for every run, request and relevant item, "
            f"found {len(cell)}; runs and requests can be left out only as a whole"
        )


def _smallest_type(rank: pl.Series) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds the ranks and one greater number, for missing items."""
    greatest = int(rank.max() or 0)  # type: ignore[arg-type]
    types: tuple[type[np.signedinteger[Any]], ...] = (np.int16, np.int32)
    return next((dtype for dtype in types if greatest < np.iinfo(dtype).max), np.int64)


def _totals(grades: np.ndarray, query: np.ndarray, run: np.ndarray, n_runs: int) -> np.ndarray:
    """Return the sum of the grades of each request in each run: requests × runs."""
    if run.ndim == 2:  # each run has rows of the same requests
        by_run = [np.bincount(query, grades_in_run) for grades_in_run in grades]
        return np.stack(by_run, axis=1) if by_run else np.zeros((0, 1))
    ranking = query * n_runs + run
    n_rankings = (int(query.max(initial=-1)) + 1) * n_runs
    has_rows = np.zeros(n_rankings, bool)
    has_rows[ranking] = True
    if not has_rows.all():
        raise SchemaError(
            "positions: expected rows of every run for every request, and some are missing; "
            "runs and requests can be left out only as a whole"
        )
    return np.bincount(ranking, grades, n_rankings).reshape(-1, max(n_runs, 1))


def _refuse_other_judgments(total: np.ndarray, *, has_same_m: bool) -> None:
    """Raise when runs differ in their relevant items, as different sums of grades show."""
    # equal grades that are added in another order may have another last bit
    same_items = np.ptp(total, axis=1).max(initial=0) <= 1e-9 * max(total.max(initial=0), 1)
    if not (has_same_m and same_items):
        raise SchemaError(
            "positions: expected the same relevant items for every run, found others; "
            "compute the positions of all runs with one qrels"
        )
