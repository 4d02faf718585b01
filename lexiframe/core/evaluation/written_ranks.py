"""The ranks of the judged items in all runs as a table, which is written beside the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.projection import RankedRuns, RunRanks

_NUMBERS, _TEXTS = pl.List(pl.Int64), pl.List(pl.String)
TIED = ("item", "best", "worst")
"""What is kept of tied items."""
OTHERS: dict[str, Any] = {
    "retrieved": _NUMBERS,
    "answered": pl.List(pl.Boolean),
    "extra": _TEXTS,
    "strangers": _TEXTS,
    **dict.fromkeys(("duplicates", "unjudged", "own", "one_score", "own_first"), pl.Int64),
}
"""What is kept of `RunRanks` as it is."""
SCHEMA: dict[str, Any] = {
    "run": pl.String,
    "item": _NUMBERS,
    "rank": _NUMBERS,
    **{f"tied_{name}": _NUMBERS for name in TIED},
    **OTHERS,
}
"""The columns of the table."""


def ranks_table(ranked: RankedRuns | None) -> pl.DataFrame:
    """Return a row for each run, with lists: the judged items that it retrieved, by number ..."""
    return pl.DataFrame([_ranks_row(run) for run in ranked.runs] if ranked else [], SCHEMA)


def _ranks_row(run: RunRanks) -> dict[str, Any]:
    item = np.flatnonzero(run.rank)
    row = {"run": run.name, "item": item, "rank": run.rank[item].astype(np.int64)}
    row |= {f"tied_{name}": getattr(run.tied, name) for name in TIED}
    return row | {name: getattr(run, name) for name in OTHERS} | {"answered": [*run.answered]}
