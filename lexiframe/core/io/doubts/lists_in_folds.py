"""Lists of a request in several folds of a data set, which would become one list."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import Problem, n_and_first
from lexiframe.core.io.doubts.first_looks import DOUBT, SeveralRankings, names_folds


def divided_lists(rows: pl.DataFrame, others: pl.DataFrame, where: str) -> SeveralRankings | None:
    """Return that a column which is not read divides the lists, or the judgments, of requests.

    ``rows`` have the columns ``query_id``, ``doc_id`` and perhaps ``run``; ``others`` are columns
    of the same rows. It is certain where a document is there once in each of several folds.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": ["u", "u"], "doc_id": ["a", "b"]})
    >>> print(divided_lists(rows, pl.DataFrame({"fold": [1, 2]}), "a.csv").problem)
    a.csv: expected one list for each request, found 1 of 1 requests with rows of several \
values of fold: 2 ('1', '2'); if each fold has lists of its own, put its name into the ids of \
requests, in runs and judgments; if not, leave the column out
    """
    keys = [name for name in ("run", "query_id") if name in rows.columns]
    for column in others:
        if not names_folds(column.name):
            continue
        valued = rows.select(*keys, "doc_id").with_columns(value=column.cast(pl.String))
        per_request = valued.group_by(keys).agg(pl.col("value").n_unique())["value"]
        n_divided = int((per_request > 1).sum())
        if not n_divided:
            continue
        values = valued["value"].drop_nulls().unique().sort()
        found = f"{n_divided:,} of {len(per_request):,} requests with rows of several values of "
        advice = (
            "if each fold has lists of its own, put its name into the ids of requests, in runs and "
            "judgments; if not, leave the column out"
        )
        found += f"{column.name}: {n_and_first(values)}"
        problem = Problem(where, "one list for each request", found, advice, DOUBT)
        twins = valued.filter(pl.struct(*keys, "doc_id").is_duplicated())
        is_certain = twins.height > 0 and not twins.is_duplicated().any()
        return SeveralRankings(problem, is_certain, has_twins=twins.height > 0)
    return None
