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
SPANS = ("spanned_item", "spanned_first", "spanned_last")
"""Its columns of judged items with the first and the last rank that they can have."""
OF_EXPECTED: dict[str, Any] = {
    **dict.fromkeys(SPANS, _NUMBERS),
    "n_tied": pl.Int64,
    "largest_tie": pl.Int64,
}
"""Its further columns where ties are expected."""


def ranks_table(ranked: RankedRuns | None) -> pl.DataFrame:
    """Return a row for each run, with lists: the judged items that it retrieved, by number ..."""
    runs = ranked.runs if ranked else []
    is_expected = any(run.spans is not None for run in runs)
    schema = SCHEMA | OF_EXPECTED if is_expected else SCHEMA
    return pl.DataFrame([_ranks_row(run) for run in runs], schema)


def _ranks_row(run: RunRanks) -> dict[str, Any]:
    item = np.flatnonzero(run.rank)
    row: dict[str, Any] = {"run": run.name, "item": item, "rank": run.rank[item].astype(np.int64)}
    row |= {f"tied_{name}": getattr(run.tied, name) for name in TIED}
    if run.spans is not None:
        spanned = np.flatnonzero(run.spans[0])
        row |= dict(zip(SPANS, (spanned, *run.spans[:, spanned].astype(np.int64)), strict=True))
        row |= {"n_tied": run.n_tied, "largest_tie": run.largest_tie}
    return row | {name: getattr(run, name) for name in OTHERS} | {"answered": [*run.answered]}
