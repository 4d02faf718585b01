"""A chart of how far unjudged documents could move the values of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    GREY,
    NUMBER,
    WIDTH,
    altair,
    harmless_all,
    inside,
    name_size,
    names_axis,
    rows_of,
    spoken,
    step,
    title,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt


def hole_chart(values: Frame, /, measure: str) -> alt.LayerChart:
    """Draw the values of the runs with the intervals that unjudged documents give them.

    Parameters
    ----------
    values
        The table ``values`` of `hole_sensitivity`.
    measure
        A measure of the table.

    Returns
    -------
    altair.LayerChart
        A row for each run, those of the best value first: a point at the value with holes not
        relevant, a bar from ``ci_low`` to ``ci_high`` with a line at ``mean``, and a thin line from
        ``naive_low`` to ``naive_high``.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import hole_chart
    >>> runs, qrels = lf.simulate_collection(requests=9, runs=3, pool_depth=9, pool_share=0.7)
    >>> found = lf.hole_sensitivity(runs, qrels, "AP", samples=50)
    >>> [row["run"] for row in hole_chart(found.values, "AP").data.values]
    ['run1', 'run2', 'run3']
    """
    rows = rows_of(values, schemas.HOLE_VALUES, ["run", "measure"], "hole_chart", measure=measure)
    rows = rows.sort("rank", "run")
    pixels = step(rows.height)
    factor = rows["factor"][0]
    widened = f", widened by {factor:.3g}" if factor > 1 else ""
    chart: Any = altair().layer(*_layers(rows, pixels, spoken(measure)), data=inside(rows))
    drawn: alt.LayerChart = chart.properties(height=altair().Step(pixels), width=WIDTH).properties(
        title=title(
            f"{measure} if unjudged documents had grades",
            f"points: none is relevant; bars: intervals of the draws{widened}, with their means",
            "thin lines: from none relevant to all relevant",
        )
    )
    return drawn


def _layers(rows: pl.DataFrame, pixels: int, of_axis: str) -> list[Any]:
    """Return the thin lines, the bars, the marks of the means, and the points."""
    draw = altair()
    runs = rows["run"].to_list()
    names = names_axis(names=runs, labelFontSize=name_size(pixels), grid=True, tickSize=0)
    y = draw.Y("run", type="nominal", sort=harmless_all(runs), axis=names)
    x = {"type": "quantitative", "title": of_axis, "axis": draw.Axis(format=NUMBER)}
    scale = draw.Scale(zero=False)
    said = tooltip(
        ("run", "run", ""),
        ("value", "none relevant", ".4f"),
        ("mean", "mean of the draws", ".4f"),
        ("ci_low", "from", ".4f"),
        ("ci_high", "to", ".4f"),
        ("rank", "rank", ""),
        ("rank_low", "rank from", ""),
        ("rank_high", "rank to", ""),
        ("holes", "unjudged in the top", "d"),
    )

    def line(low: str, high: str, **mark: Any) -> Any:
        ends = draw.X(low, scale=scale, **x), draw.X2(high)
        return draw.Chart().mark_rule(**mark).encode(y, *ends, said)

    width = max(3, min(8, pixels // 3))
    size = {"size": min(60, pixels**2 // 4)}
    mark = {"type": "tick", "color": COLOURS[0], "thickness": 2, "size": 2 * width, "opacity": 1}
    return [
        line("naive_low", "naive_high", color=GREY, strokeWidth=1),
        line("ci_low", "ci_high", color=COLOURS[0], strokeWidth=width, opacity=0.45),
        draw.Chart(mark=mark).encode(y, draw.X("mean", scale=scale, **x), said),
        draw.Chart()
        .mark_point(color=COLOURS[1], filled=True, opacity=1, **size)
        .encode(y, draw.X("value", scale=scale, **x), said),
    ]
