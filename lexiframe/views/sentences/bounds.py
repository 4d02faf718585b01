"""Intervals as they are shown: cut at the bounds of the measure, with a note that says so."""

from __future__ import annotations

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, printed, sums
from lexiframe.metrics import Metric
from lexiframe.pairwise import parse_measures

FEW_REQUESTS = 5
"""With fewer requests an interval depends on its assumptions more than on the data."""


def cut_at_bounds(table: pl.DataFrame, value: str = "mean") -> tuple[pl.DataFrame, list[str]]:
    """Cut intervals at the bounds of their measure; return notes on what was cut, and on few n.

    The table that was computed stays as it is: an interval of t can be wider than the measure's
    range. Measures whose bounds are not known, or whose values are out of them because they come
    from another tool (percent, say), are not cut.

    Parameters
    ----------
    table
        Rows with ``measure, ci_low, ci_high``, and ``n`` where it is known.
    value
        The column of the values: ``mean``, or ``mean_difference``.

    Examples
    --------
    >>> means = pl.DataFrame({"measure": ["AP", "mine"], "mean": 0.75, "ci_low": -2.43,
    ...                       "ci_high": 3.93, "n": 2})
    >>> shown, notes = cut_at_bounds(means)
    >>> shown["ci_low"].to_list(), shown["ci_high"].to_list()
    ([0.0, -2.43], [1.0, 3.93])
    >>> notes
    ['intervals are cut at the bounds of AP', 'with n = 2 requests intervals say little']
    >>> cut_at_bounds(means.rename({"mean": "mean_difference"}), "mean_difference")[0]["ci_low"][0]
    -1.0
    """
    if not {"measure", "ci_low", "ci_high", value} <= {*table.columns} or table.is_empty():
        return table, []
    names = table["measure"].unique(maintain_order=True).to_list()
    ends = {name: _bounds(name, is_mean=value == "mean") for name in names}
    measure = pl.col("measure")
    least, most = (
        measure.replace_strict(names, [ends[name][of] for name in names], return_dtype=pl.Float64)
        for of in (0, 1)
    )
    inside = pl.col(value).is_between(least - sums.TIE, most + sums.TIE).all().over("measure")
    low, high = pl.col("ci_low"), pl.col("ci_high")
    shown = table.with_columns(
        ci_low=pl.when(inside & (low < least)).then(least).otherwise(low),
        ci_high=pl.when(inside & (high > most)).then(most).otherwise(high),
    )
    # An end that is out of bounds by rounding only is cut without a word.
    is_cut = inside & ((low < least - sums.TIE) | (high > most + sums.TIE))
    cut = table.filter(is_cut)["measure"].unique(maintain_order=True).to_list()
    notes = [f"intervals are cut at the bounds of {printed.and_joined(cut)}"] if cut else []
    return shown, notes + _of_few(table)


def _bounds(name: str, *, is_mean: bool) -> tuple[float, float]:
    """Return the bounds of a measure's means, or of mean differences; infinite if not known.

    The mean of a preference is the share of requests won, its mean difference a mean preference.
    """
    try:
        found = parse_measures(name)
    except LexiframeError:  # a measure of the user's own, or of another tool
        found = []
    if len(found) != 1:
        return -np.inf, np.inf
    limits = found[0].limits
    if isinstance(found[0], Metric):
        most = np.inf if limits.can_exceed else limits.high
        return (limits.low, most) if is_mean else (-limits.width, limits.width)
    return (0.0, 1.0) if is_mean else (limits.low, limits.high)


def _of_few(table: pl.DataFrame) -> list[str]:
    """Say that few requests make intervals of little worth, where there are intervals."""
    with_interval = table.filter(pl.col("ci_low").is_not_null())
    n = with_interval["n"].to_list() if "n" in table.columns else []
    is_few = bool(n) and min(n) < FEW_REQUESTS
    return [f"with n = {min(n)} requests intervals say little"] if is_few else []
