"""Intervals for display: within the bounds of the measure, with a note about this."""

from __future__ import annotations

from typing import Literal

import polars as pl

from lexiframe.core.base import printed, sums
from lexiframe.core.pairwise import facts
from lexiframe.core.significance import corrections

FEW_REQUESTS = 5
"""With fewer requests an interval depends on its assumptions more than on the data."""


def cut_at_bounds(
    table: pl.DataFrame,
    value: Literal["mean", "mean_difference"] = "mean",
    known: facts.Known | None = None,
) -> tuple[pl.DataFrame, list[str]]:
    """Cut intervals at the bounds of their measure; return notes on the intervals.

    The given table does not change: an interval of t can be wider than the measure's range.
    ``value`` names the column of values, ``known`` has facts of measures, by default the facts that
    their names tell. Measures with unknown bounds, or with values outside them (percent, from
    another tool), are not cut.
    """
    if not {"measure", "ci_low", "ci_high", value} <= {*table.columns} or table.is_empty():
        return table, []
    names = table["measure"].unique(maintain_order=True).to_list()
    named = {name: (known or {}).get(name) or facts.Facts.named(name) for name in names}
    told = {name: one for name, one in named.items() if one is not None}
    shown = facts.within_bounds(table, told, value)
    at_end = [name for name, one in told.items() if _ends_at_bounds(shown, name, one, value)]
    notes = [f"{AT_BOUNDS} {printed.and_joined(at_end)}"] if at_end else []
    return shown, [*notes, *_few_requests_note(table), *_disagreement_note(table)]


AT_BOUNDS = "intervals end at the bounds of"


def _ends_at_bounds(table: pl.DataFrame, name: str, of: facts.Facts, value: str) -> bool:
    """Return whether any interval of a measure ends at a bound that its value has not reached."""
    low, high = of.mean_range if value == "mean" else of.difference_range
    rows = table.filter(pl.col("measure") == name)
    at_low = (pl.col("ci_low") == low) & (pl.col(value) > low + sums.TIE)
    at_high = (pl.col("ci_high") == high) & (pl.col(value) < high - sums.TIE)
    return bool(rows.select((at_low | at_high).any()).item())


def _disagreement_note(table: pl.DataFrame) -> list[str]:
    """Say that an interval and joint sign flips ask different questions, where they disagree."""
    if not {"correction", "reject"} <= {*table.columns}:
        return []
    lacks_zero = (pl.col("ci_low") > 0) | (pl.col("ci_high") < 0)
    n = table.filter(lacks_zero != pl.col("reject"), correction=corrections.MAX_T).height
    of = f"interval and test disagree in {printed.counted(n, 'pair')}"
    return [f"{of}: an interval is of one pair alone, the test of all pairs together"] * (n > 0)


def _few_requests_note(table: pl.DataFrame) -> list[str]:
    """Say that few requests make intervals of little worth, where there are intervals."""
    name, called = ("n_effective", "n*") if "n_effective" in table.columns else ("n", "n")
    with_interval = table.filter(pl.col("ci_low").is_not_null())
    n = with_interval[name].drop_nulls().to_list() if name in table.columns else []
    is_few = bool(n) and min(n) < FEW_REQUESTS
    least = f"with {called} = {printed.n_range([min(n)])} requests" if is_few else ""
    return [f"{least} intervals say little"] if is_few else []
