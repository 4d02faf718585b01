"""A note where the order of equal scores decides which run is first: `warn_of_deciding_ties`."""

from __future__ import annotations

import polars as pl

from lexiframe.core.base import printed, sums, warn


def warn_of_deciding_ties(coverage: pl.DataFrame, means: pl.DataFrame, ties: str) -> None:
    """Warn of metrics by which another order of equal scores puts another run first.

    It does where the greatest mean of a run exceeds the least means of all that are first. Only
    metrics count whose least and greatest means under ties the coverage has.
    """
    measures = means["measure"].unique(maintain_order=True).to_list()
    known = [name for name in measures if f"{name}_max" in coverage.columns]
    decided = [name for name in known if _may_change(coverage, means.filter(measure=name), name)]
    if decided:
        how = printed.advice(terminal="--ties expected", python='evaluate(..., ties="expected")')
        advice = f"; {how} takes the mean over all orders" if how else ""
        warn(
            f"the order of equal scores (ties={ties!r}) decides which run is first by "
            f"{printed.and_joined(decided)}{advice}"
        )


def _may_change(coverage: pl.DataFrame, means: pl.DataFrame, name: str) -> bool:
    ends = coverage.group_by("run").agg(  # the mean of replicates
        low=pl.col(f"{name}_min").mean(), high=pl.col(f"{name}_max").mean()
    )
    ranked = means.filter(pl.col("rank").is_not_null()).join(ends, on="run")
    is_first = pl.col("rank") == pl.col("rank").min()
    low = pl.col("low").filter(is_first).max()
    return bool(ranked.select((~is_first & (pl.col("high") > low + sums.TIE)).any()).item())
