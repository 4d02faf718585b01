"""Files that were taken for the parts of one run, and may be several runs."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import Problem, coded
from lexiframe.core.io.doubts.first_looks import DOUBT
from lexiframe.core.io.doubts.several_rankings import are_unique, ranks_begin_anew


def share_queries(parts: Sequence[pl.DataFrame]) -> bool:
    """Return whether several parts of a run have rows of the same query."""
    queries = [coded.strings_of(rows["query_id"].unique().cast(pl.String)) for rows in parts]
    return bool(queries) and pl.concat(queries).is_duplicated().any()


def several_in_parts(
    parts: Sequence[pl.DataFrame], names: Sequence[str], where: str
) -> Problem | None:
    """Return that files which were taken for the parts of one run may be several runs.

    They repeat documents of a query, or count its ranks anew.
    """
    given = [rows.with_columns(value=pl.lit(n)) for n, rows in enumerate(parts)]
    rows = pl.concat(map(coded.as_strings, given), how="diagonal")
    rows = rows.filter(pl.col("value").n_unique().over("query_id") > 1)
    keys = rows.select("query_id", "doc_id", "value").unique()
    twins = keys.filter(pl.struct("query_id", "doc_id").is_duplicated())
    has_ranks = "rank" in rows.columns and not rows["rank"].has_nulls()
    has_lists = rows.select("query_id", "value").n_unique() < rows.height
    are_once = has_ranks and are_unique(rows, "query_id", "rank")
    if twins.height:
        query, doc, _ = twins.sort("query_id", "doc_id", "value").row(0)
        there = twins.filter(query_id=query, doc_id=doc)
        found = f"the document {doc!r} of query {query!r} in several of them"
    elif has_ranks and has_lists and not are_once and ranks_begin_anew(rows):
        query = rows["query_id"].min()
        there = rows.filter(query_id=query)
        found = f"ranks of query {query!r} that begin anew in several of them"
    else:
        return None
    one, other = (names[n] for n in there["value"].unique().sort()[:2])
    advice = (
        f"if they are runs, name each by its file or a pattern: {{'a': {one!r}, 'b': {other!r}}}; "
        "if they are one run, mend it, or keep the best row of each document with duplicates='best'"
    )
    return Problem(where, "parts of one run", found, advice, DOUBT)
