"""Positions as matrices: for each request a row a run and a column a recall level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lexiframe.codes import encode
from lexiframe.errors import SchemaError
from lexiframe.schemas import POSITIONS, check


def missing(positions: np.ndarray) -> int:
    """Stands for an item that was not retrieved: worse than every rank, equal to another such."""
    return int(np.iinfo(positions.dtype).max)


@dataclass(frozen=True)
class Request:
    """One request in every run.

    Attributes
    ----------
    positions
        runs × m, integer, ascending in each row: the rank of the i-th relevant item, or `missing`.
    relevance
        runs × m, the grade of that item.
    """

    positions: np.ndarray
    relevance: np.ndarray

    def at_least(self, grade: float | None) -> np.ndarray:
        """Give the positions of the items of a grade or above: runs × m_λ."""
        if grade is None:
            return self.positions
        return self.positions[self.relevance >= grade].reshape(len(self.positions), -1)

    def populations(self, rel: float | None) -> list[np.ndarray]:
        """Give the positions of the items of each distinct grade or above, or of ``rel`` alone."""
        thresholds = np.unique(self.relevance[0]) if rel is None else [rel]
        return [self.at_least(grade) for grade in thresholds]


@dataclass(frozen=True)
class Requests:
    """All requests of a positions table, runs and requests sorted by name."""

    runs: pl.Series
    queries: pl.Series
    positions: np.ndarray
    relevance: np.ndarray
    n_relevant: np.ndarray

    def __iter__(self) -> Iterator[Request]:
        n_runs, start = len(self.runs), 0
        for m in self.n_relevant:
            stop = start + n_runs * m
            yield Request(
                self.positions[start:stop].reshape(n_runs, m),
                self.relevance[start:stop].reshape(n_runs, m),
            )
            start = stop


def requests_of(p: Any) -> Requests:
    """Lay a positions table out as matrices, one request after the other.

    Raises
    ------
    SchemaError
        When a run lacks rows of a request: each has one for every relevant item.
    """
    table = check(p, POSITIONS)
    queries, query = encode(table["query_id"])
    return lay_out(table, queries, query)


def lay_out(table: pl.DataFrame, queries: pl.Series, query: np.ndarray) -> Requests:
    """Do so for rows whose indices into ``queries`` are given.

    Raises
    ------
    SchemaError
        As `requests_of`.
    """
    runs, run = encode(table["run"])
    n_relevant = np.zeros(len(queries), np.int64)
    is_relevant = table["level"].is_not_null().to_numpy()
    n_relevant[query] = table["n_relevant"].to_numpy()
    ranking, expected = run + query * len(runs), n_relevant[query]
    run, query = run[is_relevant], query[is_relevant]
    starts = np.concatenate([[0], np.cumsum(n_relevant)]) * len(runs)
    cell = starts[query] + run * n_relevant[query]
    cell += table["level"].filter(is_relevant).to_numpy() - 1
    if starts[-1] != len(cell) or (np.bincount(cell, minlength=starts[-1]) != 1).any():
        raise SchemaError(
            f"positions: expected {starts[-1]} rows, one for every run, request and relevant item, "
            f"found {len(cell)}; runs and requests can be left out only as a whole"
        )
    _refuse_other_judgments(table, expected, ranking, len(runs))
    rank = table["position"].filter(is_relevant)
    is_small = int(rank.max() or 0) < np.iinfo(np.int32).max  # type: ignore[arg-type]
    positions = np.empty(starts[-1], np.int32 if is_small else np.int64)
    relevance = np.empty(starts[-1])
    positions[cell] = rank.fill_null(missing(positions)).to_numpy()
    relevance[cell] = table["relevance"].filter(is_relevant).to_numpy()
    return Requests(runs, queries, positions, relevance, n_relevant)


def _refuse_other_judgments(
    table: pl.DataFrame, n_relevant: np.ndarray, ranking: np.ndarray, n_runs: int
) -> None:
    """Raise when a run lacks a request, or runs have other relevant items than other runs."""
    n_rankings = (int(ranking.max()) // n_runs + 1) * n_runs if len(ranking) else 0
    if (np.bincount(ranking, minlength=n_rankings) == 0).any():
        raise SchemaError(
            "positions: expected rows of every run for every request, and some are missing; "
            "runs and requests can be left out only as a whole"
        )
    relevance = table["relevance"].fill_null(0.0).to_numpy()
    total = np.bincount(ranking, relevance, n_rankings).reshape(-1, n_runs)
    same_items = np.ptp(total, axis=1).max(initial=0) <= 1e-9 * max(total.max(initial=0), 1)
    if (table["n_relevant"].to_numpy() != n_relevant).any() or not same_items:
        raise SchemaError(
            "positions: expected the same relevant items for every run, found others; "
            "compute the positions of all runs with one qrels"
        )
