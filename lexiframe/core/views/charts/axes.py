"""The axes of charts: names beside rows and columns, and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from lexiframe.core.views.charts.drawing import altair, inside, name_size, step
from lexiframe.core.views.charts.names import shortened, shown_as
from lexiframe.core.views.charts.texts import harmless_all

LONGEST = 200
"""The width in pixels after which a name beside an axis is cut; its tooltip has all of it."""
NUMBER = ".4~g"
"""The format of numbers at an axis; Vega's own rounds to the distance between numbers."""


def names_axis(title: str = "", names: Iterable[str] = (), **options: Any) -> Any:
    """Return an axis of names: each stands beside it, long ones cut so that they stay different."""
    of_labels: dict[str, Any] = {"labelLimit": LONGEST, "labelOverlap": False}
    if cut := shortened(harmless_all(names)):  # by characters, so that Vega cuts no end off
        of_labels |= {"labelExpr": shown_as(cut, "datum.label"), "labelLimit": 2 * LONGEST}
    return altair().Axis(title=title or None, **of_labels | options)


def rows_axis(
    column: str, names: Iterable[str], pixels: int, *, cut: bool = True, **options: Any
) -> Any:
    """Return a row of so many pixels for each name, from top to bottom, with a line through it."""
    names = [*names]
    beside = {"labelFontSize": name_size(pixels), "grid": True, "tickSize": 0} | options
    axis = names_axis(names=names if cut else (), **beside)
    return altair().Y(column, type="nominal", sort=harmless_all(names), axis=axis)


def share_axis() -> dict[str, Any]:
    """Return the axis and the scale of a share, from none to all."""
    return {"axis": altair().Axis(format="%"), "scale": altair().Scale(domain=[0, 1])}


def count_axis() -> dict[str, Any]:
    """Return the axis and the scale of a whole number, without the zero."""
    return {
        "axis": altair().Axis(grid=False, format="d", tickMinStep=1),
        "scale": room_at_ends(),
    }


def room_at_ends() -> Any:
    """Return the scale of values whose least and greatest stand apart from the frame."""
    return altair().Scale(zero=False, nice=False, padding=8)


def places_scale(n: int, **options: Any) -> Any:
    """Return the scale of places or ranks from 1 to n, with half a place before and behind them."""
    return altair().Scale(domain=[0.5, n + 0.5], nice=False, zero=False, **options)


def square(cells: pl.DataFrame, row: str, column: str, names: Sequence[str]) -> Any:
    """Return a chart with the same names from top to bottom and from left to right."""
    draw = altair()
    pixels = step(len(names))
    side = draw.Step(pixels)
    order = {"sort": harmless_all(names), "type": "nominal"}
    beside = {"labelFontSize": name_size(pixels)}
    return (
        draw.Chart(inside(cells))
        .encode(
            draw.Y(row, axis=names_axis(row, names, **beside), **order),
            draw.X(column, axis=names_axis(column, names, labelAngle=-90, **beside), **order),
        )
        .properties(width=side, height=side)
    )
