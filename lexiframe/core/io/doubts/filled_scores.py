"""Scores that are 0 because a ranking is missing: their column ``answered`` says so."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.core.base import coded, to_polars, warn


def warn_of_zeros(s: Any) -> None:
    """Warn of scores that are 0 because a ranking is missing, with the requests of each run."""
    if "answered" not in getattr(s, "column_names", getattr(s, "columns", ())):
        return
    table, keys = to_polars(s), ["collection", "query_id"]
    requests = pl.struct(name for name in keys if name in table.columns).n_unique()
    of, filled = table.select(requests).item(), table.filter(~pl.col("answered"))
    counts = filled.group_by(pl.col("run").cast(pl.String)).agg(n=requests).sort("run")
    if counts.height:
        each = [f"{n:,} of {of:,} requests of {shown_name(run)}" for run, n in counts.rows()]
        said = f"{', '.join(each[:3])}{', ...' * (len(each) > 3)}"
        advice = "give the rankings, or leave these requests out for all runs"
        warn(f"scores are 0 because rankings are missing: {said}; {advice}")


def shown_name(name: str) -> str:
    """Return the name of a run, with its replicate if it has one."""
    run, replicate = coded.split_replicate(name)
    return run if replicate is None else f"{run} (replicate {replicate})"
