"""Runs that may be one ranking, whose ranks go on from run to run."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import Problem, n_and_first
from lexiframe.core.io.doubts.first_looks import DOUBT

_QUERIES, _NEARLY_ALL, _FEWEST_ROWS = 5, 0.9, 6
"""How many queries are looked at first, the share that shows something, and their fewest rows."""


def may_be_one_ranking(rows: pl.DataFrame) -> bool:
    """Return whether several runs have no document in common in the first of some queries.

    Systems mostly do. Only where they do not are ranks worth reading. Most tables are known by one
    query, so that they are read as fast as without this question.
    """
    if "run" not in rows.columns or "replicate" in rows.columns or not rows.height:
        return False
    queries = rows["query_id"][:: max(rows.height // _QUERIES, 1)].unique(maintain_order=True)
    of_queries = (rows.filter(pl.col("query_id") == query) for query in queries)
    some = (of_query for of_query in of_queries if of_query["run"].n_unique() > 1)
    return all(of_query["doc_id"].is_unique().all() for of_query in some)


def divided_ranking(rows: pl.DataFrame, column: str, where: str) -> Problem | None:
    """Return that runs may be one ranking, whose ranks go on from run to run.

    ``rows`` have the columns ``run``, ``query_id``, ``doc_id`` and perhaps ``rank``; ``column`` is
    the user's name for the column of runs. Separate rankings share first ranks, and documents.
    """
    if "rank" not in rows.columns or rows["rank"].has_nulls() or not may_be_one_ranking(rows):
        return None
    rows = rows.filter(pl.col("run").n_unique().over("query_id") > 1)
    rank, n_rows = pl.col("rank"), pl.len()
    are_once = (pl.col("doc_id").n_unique() == n_rows) & (rank.n_unique() == n_rows)
    go_on = are_once & (rank.max() - rank.min() < 2 * n_rows)  # some rows may have been left out
    queries = rows.group_by("query_id").agg(go_on.alias("go_on"), n=n_rows)
    found = queries.filter("go_on")
    if found.height < _NEARLY_ALL * queries.height or found["n"].sum() < _FEWEST_ROWS:
        return None
    from lexiframe.core.io.doubts.several_rankings import run_option

    query = found["query_id"].cast(pl.String).min()
    there = rows.filter(pl.col("query_id").cast(pl.String) == query)
    runs, ranks = there["run"].cast(pl.String).unique().sort(), there["rank"].sort()
    return Problem(
        where,
        "rankings of several runs",
        f"ranks that go on from run to run: those of query {query!r} are {ranks[0]} to {ranks[-1]} "
        f"over {n_and_first(runs)}, which stand in the column {column}",
        "if this is one ranking, and the column describes its documents, leave the column out, or "
        f"call it note; if these are runs, say so to read_runs: {run_option(column)}",
        DOUBT,
    )
