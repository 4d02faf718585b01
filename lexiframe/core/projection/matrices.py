"""A positions table as arrays, runs × recall levels: `Requests`, from which blocks are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, coded, schemas
from lexiframe.core.projection.blocks import Block, missing

CELLS = 1 << 20
"""The most positions of a block, unless one request alone has more; each takes some ten bytes."""


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
    tied: Any = None  # `tied_orders.TiedSpans`, where orders of equal scores are expected

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def _first_level(self) -> np.ndarray:
        return np.asarray(np.cumsum(self.n_relevant) - self.n_relevant)

    def groups(self, most: int) -> list[np.ndarray]:
        """Divide the requests into groups with the same number of items.

        A group has at most ``most`` requests, and fewer when they have many items.
        """
        order = np.argsort(self.n_relevant, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.n_relevant[order])) + 1)
        divided: list[np.ndarray] = []
        for part in parts if len(order) else []:
            of_each = int(self.n_relevant[part[0]]) * len(self.runs)
            size = max(min(most, CELLS // max(of_each, 1)), 1)
            divided += (part[first : first + size] for first in range(0, len(part), size))
        return divided

    def block(self, requests: np.ndarray) -> Block:
        """Return the block of some requests, which have the same number of relevant items."""
        m, first = int(self.n_relevant[requests[0]]), self._first_level[requests]
        if len(requests) == 1:  # its levels are side by side
            level: Any = slice(first[0], first[0] + m)
            of_request = (self.positions[:, level, None], self.relevance[:, level, None])
        else:
            level = np.arange(m)[:, None] + first
            of_request = (self.positions[:, level], self.relevance[:, level])
        positions, relevance = (
            np.ascontiguousarray(matrix.swapaxes(0, 1)) for matrix in of_request
        )
        tied = self.tied and self.tied.block(requests, np.arange(m)[:, None] + first)
        return Block(positions, relevance, tied=tied)


def requests_of(p: Any) -> Requests:
    """Convert a positions table to arrays; raise if a run lacks rows of a request."""
    table = schemas.check(p, schemas.POSITIONS)
    n_rows = _rows_of_each_run(table)
    if n_rows is None:
        return lay_out(table, *coded.encode(table["query_id"]), *coded.encode(table["run"]))
    runs = table["run"].gather_every(max(n_rows, 1))
    numbers = np.arange(len(runs))[:, None]
    return lay_out(table, *coded.encode(table["query_id"].head(n_rows)), runs, numbers)


def _rows_of_each_run(table: pl.DataFrame) -> int | None:
    """Return the number of rows of each run if all runs have the same requests, row by row.

    Tables of `positions` are like this, and then only the requests of one run have to be encoded.
    Return None for any other table.
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

    ``query`` and ``run`` have an index into ``queries`` and ``runs`` for each row. If the rows of
    all runs have the same requests in one order, ``query`` has the indices of the rows of one run,
    and ``run`` the numbers of the runs, as an array of runs × 1.
    """
    n_relevant = np.zeros(len(queries), np.int64)
    n_relevant[query] = table["n_relevant"].tail(len(query)).to_numpy()
    before = (np.cumsum(n_relevant) - n_relevant)[query] - 1
    shape = (len(runs), int(n_relevant.sum()))
    positions, relevance = np.empty(shape, _smallest_type(table["position"])), np.empty(shape)
    if run.ndim == 2:  # run by run, as the arrays that are made for many rows are large
        parts = [table.slice(n * len(query), len(query)) for n in range(len(runs))]
        cells = [*zip(parts, positions, relevance, strict=True)]
    else:
        before += run * shape[1]
        cells = [(table, positions.reshape(-1), relevance.reshape(-1))]
    if not all(_fill(*of_part, before) for of_part in cells):
        raise SchemaError(
            f"positions: expected {positions.size} rows, one for every run, request and relevant "
            f"item, found {table['level'].count()}; runs and requests can be left out only as a "
            "whole"
        )
    has_same_m = all((part["n_relevant"] == n_relevant[query]).all() for part, *_ in cells)
    _refuse_other_judgments(_totals(table, query, run, len(runs)), has_same_m=has_same_m)
    tied = None
    if "tied_from" in table.columns:
        from lexiframe.core.projection.tied_orders import TiedSpans

        before = before if run.ndim == 1 else (before + run * shape[1]).ravel()
        ranking, of_all = (query + run * len(queries)).ravel(), (len(runs), len(queries))
        tied = TiedSpans.lay_out(table, before, ranking, shape, of_all)
    return Requests(runs, queries, positions, relevance, n_relevant, tied)


def _fill(
    rows: pl.DataFrame, positions: np.ndarray, relevance: np.ndarray, before: np.ndarray
) -> bool:
    """Put rows of relevant items into their cells; return False unless each cell has one row.

    ``before`` is the cell before the first level of each row's ranking.
    """
    levels = rows.select("level", "position", "relevance")
    if levels["level"].null_count():
        is_relevant = levels["level"].is_not_null()
        levels, before = levels.filter(is_relevant), before[is_relevant.to_numpy()]
    cell = before + levels["level"].to_numpy()
    is_there = np.zeros(len(positions), bool)
    if len(cell) != len(positions) or (len(cell) and not 0 <= cell.min() <= cell.max() < len(cell)):
        return False
    is_there[cell] = True
    positions[cell] = levels["position"].fill_null(missing(positions)).to_numpy()
    relevance[cell] = levels["relevance"].to_numpy()
    return bool(is_there.all())


def _smallest_type(rank: pl.Series) -> type[np.signedinteger[Any]]:
    """Return the smallest type that holds the ranks and one greater number, for missing items."""
    greatest = int(rank.max() or 0)  # type: ignore[arg-type]
    types: tuple[type[np.signedinteger[Any]], ...] = (np.int16, np.int32)
    return next((dtype for dtype in types if greatest < np.iinfo(dtype).max), np.int64)


def _totals(table: pl.DataFrame, query: np.ndarray, run: np.ndarray, n_runs: int) -> np.ndarray:
    """Return the sum of the grades of each request in each run: requests × runs."""
    grades, n_rows = table["relevance"], len(query)
    if run.ndim == 2:  # each run has rows of the same requests
        by_run = [
            np.bincount(query, grades.slice(n * n_rows, n_rows).fill_null(0.0).to_numpy())
            for n in range(n_runs)
        ]
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
    total = np.bincount(ranking, grades.fill_null(0.0).to_numpy(), n_rankings)
    return total.reshape(-1, max(n_runs, 1))


def _refuse_other_judgments(total: np.ndarray, *, has_same_m: bool) -> None:
    """Raise when runs differ in their relevant items, as different sums of grades show."""
    # equal grades that are added in another order may have another last bit
    same_items = np.ptp(total, axis=1).max(initial=0) <= 1e-9 * max(total.max(initial=0), 1)
    if not (has_same_m and same_items):
        raise SchemaError(
            "positions: expected the same relevant items for every run, found others; "
            "compute the positions of all runs with one qrels"
        )
