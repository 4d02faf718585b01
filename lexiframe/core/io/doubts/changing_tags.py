"""Tags that change within the rankings of a file, whose lines may be of several runs."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import Problem, n_and_first
from lexiframe.core.io.doubts.first_looks import DOUBT


def changing_tags(rows: pl.DataFrame, where: str) -> Problem | None:
    """Return in how many rankings of a file the tag changes; ``rows`` have query_id and tag."""
    n_tags = rows.group_by("query_id").agg(pl.col("tag").n_unique())["tag"]
    if not (several := int((n_tags > 1).sum())):
        return None
    found = f"several in {several:,} of {len(n_tags):,} requests: "
    found += n_and_first(rows["tag"].unique().sort())
    advice = "if they are runs, write the lines of each to a file of its own; if it is one run, "
    advice += "give it one tag"
    return Problem(where, "one tag in each ranking", found, advice, DOUBT)
