"""Means as cells of runs × measures, with their marks and as much of their intervals as fits."""

from __future__ import annotations

from typing import Literal

import polars as pl

from lexiframe.core.base import printed

DECIMALS = 4
"""As many as trec_eval prints."""

Intervals = Literal["nothing", "reach", "both"]
"""What a cell shows of an interval: nothing, how far it reaches from the mean, or both ends."""


def mean_cells(marked: pl.DataFrame, intervals: Intervals) -> pl.DataFrame:
    """Arrange means with their ``mark`` as runs × measures; the best run comes first."""
    width = max(map(len, marked["mark"]))
    shown = marked.select("mean", "mark", "ci_low", "ci_high").iter_rows()
    cells = [
        f"{printed.cell('mean', mean, DECIMALS)}{mark:{width}}{_interval(intervals, mean, *ends)}"
        for mean, mark, *ends in shown
    ]
    table = marked.with_columns(cell=pl.Series(cells, dtype=pl.String))
    best_first = sort_by_rank(table.pivot("measure", index="run", values="rank"))
    table = table.pivot("measure", index="run", values="cell")
    table = table.fill_null(printed.MISSING + " " * width)
    return best_first.select("run").join(table, on="run", maintain_order="left")


def _interval(intervals: Intervals, mean: float, low: float | None, high: float | None) -> str:
    if low is None or high is None or intervals == "nothing":
        return ""
    if intervals == "reach":
        return f"±{printed.cell('mean', max(mean - low, high - mean))}"
    return f" {printed.cell('mean', low)}–{printed.cell('mean', high)}"


def widest_intervals(marked: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """Return a last row of the table: how far an interval reaches from its mean at most."""
    reach = pl.max_horizontal(pl.col("mean") - pl.col("ci_low"), pl.col("ci_high") - pl.col("mean"))
    widest = dict(marked.group_by("measure").agg(reach.max()).iter_rows())
    blank = " " * max(map(len, marked["mark"]))
    cells = {m: printed.cell("mean", widest[m], DECIMALS) + blank for m in table.columns[1:]}
    return pl.DataFrame({"run": "± at most", **cells}, schema=table.schema)


def sort_by_rank(ranks: pl.DataFrame) -> pl.DataFrame:
    """Sort runs by their rank under the first measure, then under the next ones, then by name."""
    return ranks.sort(*ranks.columns[1:], "run", nulls_last=True)
