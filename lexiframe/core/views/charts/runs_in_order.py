"""The order of the runs in a chart, from names or from a table that ranks them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.typing import Frame

Order = Sequence[str] | pl.Series | Frame
"""Runs, the best first; or the table of an evaluation's means, or of `order_runs`."""


def ranked(called: str, table: Frame, measure: str) -> pl.DataFrame:
    """Return the runs by a table of means or orderings: run, rank, value, method; best first."""
    given = to_polars(table)
    if "mean" in given.columns:
        rows = rows_of(given, schemas.MEANS, called, ["run"], measure=measure)
        rows = rows.with_columns(value="mean", method=pl.lit("mean"))
    else:
        rows = rows_of(given, schemas.ORDERINGS, called, ["run"], measure=measure, method=None)
    if rows["rank"].null_count():
        raise LexiframeError(
            f"{called}: expected ranks of the runs by {measure}, found none; runs that have "
            "different requests have no order unless missing= says what to do"
        )
    return rows.select("run", "rank", "value", "method").sort("rank", "run")


def sort_runs(called: str, order: Order, runs: Iterable[str], measure: str) -> list[str]:
    """Return all runs in the order given, by this measure if a table; raise if one is missing."""
    if isinstance(order, Sequence | pl.Series):
        names = [*order]
    else:
        names = ranked(called, order, measure)["run"].to_list()
    return all_in_order(called, names, runs, "runs")


def all_in_order(called: str, order: Iterable[Any], wanted: Iterable[str], kind: str) -> list[str]:
    """Return the wanted names in the given order; raise if the order lacks one of them."""
    names, known = [*order], {*wanted}
    if other := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"{called}: expected an order of names, found {other[0]!r:.80} among them")
    names = list(dict.fromkeys(names))
    if missing := known - {*names}:
        raise LexiframeError(
            f"{called}: expected an order of all {kind}, found one without {min(missing)!r}"
        )
    return [name for name in names if name in known]
