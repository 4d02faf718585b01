"""The judged documents and the holes, with their ranks in each run: `pool_of`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.io import doubts, run_scan, scan_runs, warn_of_wider_lines
from lexiframe.core.projection import Policies, RankedRuns, answers, rank_runs

ABSENT = -np.inf
"""The grade of a document that the judgments do not list."""


@dataclass(frozen=True)
class Pool:
    """The judged documents of all requests, and the unjudged ones in the top ``depth`` of some run.

    Attributes
    ----------
    ranked
        The rank of each item in each run; items are sorted by request and document.
    grade
        The grade of each item: `ABSENT` when the judgments do not list it, negative when they list
        it as pooled but unjudged.
    depth, rel
        How far down holes are looked for, and the least relevant grade (None: any positive one).
    """

    ranked: RankedRuns
    grade: np.ndarray
    depth: int
    rel: float | None

    @cached_property
    def runs(self) -> list[str]:
        """The names of the runs, sorted."""
        return [run.name for run in self.ranked.runs]

    @cached_property
    def rank(self) -> np.ndarray:
        """Runs × items, the rank of each item, 0 where it was not retrieved."""
        return np.array([run.rank for run in self.ranked.runs])

    @property
    def query(self) -> np.ndarray:
        """For each item the number of its request."""
        return self.ranked.judged.query

    @property
    def queries(self) -> pl.Series:
        """The judged requests, sorted."""
        return self.ranked.judged.queries

    @cached_property
    def is_in_top(self) -> np.ndarray:
        """Runs × items, whether the item is in the run's top ``depth``."""
        return np.asarray((self.rank > 0) & (self.rank <= self.depth))

    @cached_property
    def is_judged(self) -> np.ndarray:
        """Which items have a grade."""
        return np.asarray(self.grade >= 0)

    @cached_property
    def holes(self) -> np.ndarray:
        """The numbers of the items that are holes."""
        return np.flatnonzero(~self.is_judged & self.is_in_top.any(axis=0))

    def are_relevant(self, grade: np.ndarray) -> np.ndarray:
        """Return which grades are relevant."""
        return np.asarray(grade > 0 if self.rel is None else grade >= self.rel)


def pool_of(runs: Any, qrels: Any, policies: Policies, depth: int) -> Pool:
    """Rank the judged documents and the holes of all runs; warn of left-out data.

    The runs are read twice: once to find the holes, and once to find the ranks of all items.
    """
    scan = runs if isinstance(runs, run_scan.RunScan) else scan_runs(runs)
    top = rank_runs(scan, qrels, replace(policies, depth=depth), nonrelevant=True, pool=True)
    answers.warn_of_counts(top.answers, answers.repairs_of(top), {})
    warn_of_wider_lines(top.n_wider)
    doubts.warn_of_scores_against_ranks(top.against)
    text = pl.col("query_id", "doc_id").cast(pl.String)
    listed = top.judged.items.select(text, "relevance")
    found = pl.concat([_retrieved(top, run.pool) for run in top.runs]).unique()
    holes = found.join(listed, on=["query_id", "doc_id"], how="anti")
    both = pl.concat([listed, holes.with_columns(relevance=pl.lit(-1.0))])
    ranked = rank_runs(scan, both, policies, nonrelevant=True)
    items = ranked.judged.items.select(text)
    graded = items.join(listed, on=["query_id", "doc_id"], how="left", maintain_order="left")
    return Pool(ranked, graded["relevance"].fill_null(ABSENT).to_numpy(), depth, policies.rel)


def _retrieved(top: RankedRuns, pool: pl.DataFrame | None) -> pl.DataFrame:
    """Return request and document of one run's retrieved documents; none without a pool."""
    if pool is None:
        return pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String})
    return pool.select(
        query_id=top.judged.queries.gather(pool["query"]).cast(pl.String),
        doc_id=pl.col("doc_id").cast(pl.String),
    )
