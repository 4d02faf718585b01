"""The common parts of all charts: Altair, the data inside them, their sizes and titles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.views.charts.style import GREY, WIDTH
from lexiframe.core.views.charts.texts import harmless, harmless_all

if TYPE_CHECKING:
    import altair as alt

_WIDE = ContextVar("width of charts", default=WIDTH)


def across() -> int:
    """Return the width of a chart, or of a panel while a chart of several is drawn."""
    return _WIDE.get()


@contextmanager
def wide(pixels: int) -> Iterator[None]:
    """Draw charts of at most so many pixels from left to right."""
    token = _WIDE.set(min(WIDTH, pixels))
    try:
        yield
    finally:
        _WIDE.reset(token)


def altair() -> Any:
    """Return Altair; raise if it is not installed."""
    try:
        import altair
    except ImportError:
        raise LexiframeError(
            "charts need Altair, which is not installed; pip install 'lexiframe[viz]'"
        ) from None
    return altair


def inside(table: pl.DataFrame) -> alt.InlineData:
    """Return a table as the data of a chart, however many rows; NaN and infinities are missing.

    Altair refuses frames of more than 5,000 rows, which the pairs of 110 runs exceed.
    """
    rows = [
        {name: _harmless_value(value) for name, value in row.items()} for row in table.to_dicts()
    ]
    data: alt.InlineData = altair().InlineData(values=[])
    # Given at once, the rows would be validated one by one, which takes longer than to draw them.
    data["values"] = rows
    return data


def _harmless_value(value: Any) -> Any:
    if isinstance(value, str):
        return harmless(value)
    return None if isinstance(value, float) and not isfinite(value) else value


def step(n: int, least: int = 12, most: int = 40, side: int = WIDTH) -> int:
    """Return the pixels of each of n rows or columns: few are wide, many narrow."""
    return min(most, max(least, side * across() // WIDTH // max(1, n)))


def fitting(sizes: dict[str, Any]) -> dict[str, Any]:
    """Return the width and the height of a chart, less where a panel has no room for them."""
    width, height = sizes.get("width"), sizes.get("height")
    if across() == WIDTH or not isinstance(width, int) or width <= across():
        return sizes
    free = {"height": height * across() // width} if isinstance(height, int) else {}
    return {**sizes, "width": across(), **free}


def name_size(pixels: int) -> int:
    """Return the size of the names of rows that are so many pixels high, so that none overlap."""
    return min(11, max(7, pixels - 3))


def title(text: str, *more: str) -> Any:
    """Return the title of a chart, and lines below it that say of how much it is."""
    lines = harmless_all(line for line in more if line)
    below = {"subtitle": lines, "subtitleColor": GREY} if lines else {}
    return altair().Title(harmless(text), anchor="start", **below)


def single(chart: Any, *words: str, **sizes: Any) -> alt.Chart:
    """Return a chart of one layer with its title, the lines below it, and its sizes."""
    titled: alt.Chart = chart.properties(title=title(*words), **fitting(sizes))
    return titled


def layered(
    layers: Iterable[Any], rows: pl.DataFrame | None, *words: str, **sizes: Any
) -> alt.LayerChart:
    """Return layers over the same rows, with a title, the lines below it, and sizes."""
    shared = {} if rows is None else {"data": inside(rows)}
    chart: alt.LayerChart = altair().layer(*layers, **shared)
    return chart.properties(title=title(*words), **fitting(sizes))


def faceted(
    layers: Iterable[Any],
    rows: pl.DataFrame,
    by: dict[str, Any],
    *words: str,
    gap: int = 14,
    **sizes: Any,
) -> alt.FacetChart:
    """Return panels of so many pixels, each of the same layers over some of the rows, and a title.

    The gap below the title is larger than Vega-Lite's own, which 0 leaves unchanged.
    """
    panel = altair().layer(*layers, data=inside(rows)).properties(**fitting(sizes))
    named = title(*words)
    if gap:
        named.offset = gap
    chart: alt.FacetChart = panel.facet(**by).properties(title=named)
    return chart


def header(**options: Any) -> Any:
    """Return the header of a panel: its name alone."""
    return altair().Header(title=None, labelFontWeight="bold", **options)
