"""Means as cells of runs × measures, with their marks and as much of their intervals as fits."""

from __future__ import annotations

from typing import Literal

import polars as pl

from lexiframe.core.base import printed

DECIMALS = 4
"""As many as trec_eval prints."""

Intervals = Literal["nothing", "reach", "both"]
"""What a cell shows of an interval: nothing, how far it reaches from the mean, or both ends."""


_REACH = (pl.col("mean") - pl.col("ci_low"), pl.col("ci_high") - pl.col("mean"))
"""How far an interval reaches from its mean, downwards and upwards."""


def mean_cells(marked: pl.DataFrame, intervals: Intervals) -> pl.DataFrame:
    """Arrange means with their ``mark`` as runs × measures; the best run comes first."""
    width = max(map(len, marked["mark"]))
    means = printed.column_cells("mean", marked["mean"], DECIMALS)
    texts = zip(means, marked["mark"], _interval_texts(marked, intervals), strict=True)
    cells = [f"{mean}{mark:{width}}{interval}" for mean, mark, interval in texts]
    table = marked.with_columns(cell=pl.Series(cells, dtype=pl.String))
    best_first = sort_by_rank(table.pivot("measure", index="run", values="rank"))
    table = table.pivot("measure", index="run", values="cell")
    table = table.fill_null(printed.MISSING + " " * width)
    return best_first.select("run").join(table, on="run", maintain_order="left")


def _interval_texts(marked: pl.DataFrame, intervals: Intervals) -> list[str]:
    """Return the interval of each mean as text; "" where it has none."""
    are_known = marked.select(pl.all_horizontal(pl.col("ci_low", "ci_high").is_not_null()))
    if intervals == "nothing" or not marked.height:
        return [""] * marked.height
    if intervals == "reach":
        reach = marked.select(pl.max_horizontal(*_REACH)).to_series()
        texts = [f"±{text}" for text in printed.column_cells("mean", reach)]
    else:
        ends = (printed.column_cells("mean", marked[name]) for name in ("ci_low", "ci_high"))
        texts = [f" {low}–{high}" for low, high in zip(*ends, strict=True)]
    return [text * known for text, (known,) in zip(texts, are_known.iter_rows(), strict=True)]


def widest_intervals(marked: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """Return a last row of the table: how far an interval reaches from its mean at most."""
    widest = dict(marked.group_by("measure").agg(pl.max_horizontal(*_REACH).max()).iter_rows())
    blank = " " * max(map(len, marked["mark"]))
    cells = {m: printed.cell("mean", widest[m], DECIMALS) + blank for m in table.columns[1:]}
    return pl.DataFrame({"run": "± at most", **cells}, schema=table.schema)


def sort_by_rank(ranks: pl.DataFrame) -> pl.DataFrame:
    """Sort runs by their rank under the first measure, then under the next ones, then by name."""
    return ranks.sort(*ranks.columns[1:], "run", nulls_last=True)
