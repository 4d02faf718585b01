"""The chart of unjudged documents: how far they could move values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.views.charts.axes import NUMBER, rows_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, layered, step
from lexiframe.core.views.charts.marks import dots, interval
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, WIDTH
from lexiframe.core.views.charts.tables import refuse_gaps, rows_of
from lexiframe.core.views.charts.texts import spoken
from lexiframe.study.holes.schemas import HOLE_VALUES
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled()
def hole_chart(values: Frame, measure: str) -> alt.LayerChart:
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

        Several collections have a panel each, of one scale; they have no mean, because the draws
        are of the documents of each.

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
    rows = refuse_gaps(
        rows_of(values, HOLE_VALUES, "hole_chart", ["run", "measure"], measure=measure),
        "hole_chart",
        "factor",
    )
    rows = rows.sort("rank", "run")
    pixels = step(rows.height)
    factor = rows["factor"][0]
    widened = f", widened by {factor:.3g}" if factor > 1 else ""
    return layered(
        _interval_layers(rows, pixels, spoken(measure)),
        rows,
        f"{measure} if unjudged documents had grades",
        f"points: none is relevant; bars: intervals of the draws{widened}, with their means",
        "thin lines: from none relevant to all relevant",
        height=altair().Step(pixels),
        width=WIDTH,
    )


def _interval_layers(rows: pl.DataFrame, pixels: int, of_axis: str) -> list[Any]:
    """Return the thin lines, the bars, the marks of the means, and the points."""
    draw = altair()
    y = rows_axis("run", rows["run"], pixels)
    x = {"title": of_axis, "axis": draw.Axis(format=NUMBER), "scale": draw.Scale(zero=False)}
    values = ("value", "none relevant", ".4f"), ("mean", "mean of the draws", ".4f")
    said = tooltip(
        "run", *values, "ci_low", "ci_high", ("rank", "rank", ""), "rank_low", "rank_high", "holes"
    )
    width, blue = max(3, min(8, pixels // 3)), COLOURS[0]
    mark = {"type": "tick", "color": blue, "thickness": 2, "size": 2 * width, "opacity": 1}
    return [
        interval("naive_low", "naive_high", x, y, said, color=GREY, strokeWidth=1),
        interval("ci_low", "ci_high", x, y, said, color=blue, strokeWidth=width, opacity=0.45),
        draw.Chart(mark=mark).encode(y, draw.X("mean:Q", **x), said),
        dots("value", x, pixels, y, said, color=COLOURS[1]),
    ]
