"""Rankings that are given by the ranks of their relevant items alone, as a table of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

Groups = Sequence[tuple[np.ndarray, np.ndarray]]
"""Groups of requests with the same number of relevant items: the numbers of the requests, and the
ranks of these items in each run, ascending (requests × runs × items)."""


def positions_of(
    groups: Groups, runs: Sequence[str], n: int, depth: int | None = None
) -> pl.DataFrame:
    """Lay rankings out as the table of `positions`, with relevant items of grade 1.

    ``groups`` has requests, named by their numbers, and the ranks of their relevant items, ``"1"``
    to m by level. All ``n`` items are ranked; only ``depth`` of them have a position (default:
    all). ``runs`` is sorted.
    """
    retrieved = n if depth is None else min(depth, n)
    names = pl.Series(list(runs), dtype=pl.String)
    tables = []
    for requests, ranks in groups:
        request, run, level = (axis.ravel() for axis in np.indices(ranks.shape))
        columns = {
            "run": names.gather(run),
            "query_id": pl.Series(requests).cast(pl.String).gather(request),
            "doc_id": pl.Series(level + 1).cast(pl.String),
            "relevance": pl.repeat(1.0, ranks.size, eager=True),
            "position": ranks.ravel().astype(np.int64),
            "level": level + 1,
            "n_relevant": np.full(ranks.size, ranks.shape[2]),
            "n_retrieved": np.full(ranks.size, retrieved),
        }
        tables.append(pl.DataFrame(columns))
    is_retrieved = pl.col("position") <= retrieved
    return pl.concat(tables).with_columns(position=pl.when(is_retrieved).then("position"))
