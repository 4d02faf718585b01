"""Rankings that are given by the ranks of their relevant items alone, as a table of positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl


def positions_of(
    ranks: Sequence[np.ndarray], runs: Sequence[str], n: int, depth: int | None = None
) -> pl.DataFrame:
    """Lay rankings out as the table of `positions`, of items that are relevant with grade 1.

    Parameters
    ----------
    ranks
        For each request an array runs × relevant items of the ranks of these items, ascending.
        Requests may have different numbers of relevant items.
    runs
        The names of the runs, sorted.
    n
        The number of items, all of which are ranked.
    depth
        The number of items that are retrieved; those below have no position. All, unless given.

    Returns
    -------
    polars.DataFrame
        Requests are called ``"0"``, ``"1"`` ...; within a run the items are ``"1"`` to m by level.
    """
    shapes = np.array([of.shape[1] for of in ranks])
    flat = np.concatenate([of.reshape(-1) for of in ranks]) if len(ranks) else np.empty(0, int)
    rows_of_request = shapes * len(runs)
    m = np.repeat(shapes, rows_of_request)
    starts = np.repeat(np.cumsum(rows_of_request) - rows_of_request, rows_of_request)
    within = np.arange(len(flat)) - starts
    level, retrieved = within % m + 1, n if depth is None else min(depth, n)
    table = pl.DataFrame(
        {
            "run": pl.Series(list(runs), dtype=pl.String).gather(within // m),
            "query_id": np.repeat(np.arange(len(ranks)), rows_of_request),
            "doc_id": level,
            "relevance": 1.0,
            "position": flat.astype(np.int64),
            "level": level,
            "n_relevant": m,
            "n_retrieved": retrieved,
        },
        schema_overrides={"n_retrieved": pl.Int64, "n_relevant": pl.Int64, "level": pl.Int64},
    )
    is_retrieved = pl.col("position") <= retrieved
    return table.with_columns(
        pl.col("query_id", "doc_id").cast(pl.String),
        position=pl.when(is_retrieved).then("position"),
    )
