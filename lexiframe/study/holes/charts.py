"""Charts of unjudged documents: how far they could move values, and which to judge first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe.core.base import schemas, typed
from lexiframe.core.views.charts.axes import NUMBER, rows_axis, share_axis
from lexiframe.core.views.charts.colours import COLOURS, GREY
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import WIDTH, altair, layered, step
from lexiframe.core.views.charts.marks import dots, interval
from lexiframe.core.views.charts.tables import refuse_gaps, rows_of
from lexiframe.core.views.charts.texts import spoken
from lexiframe.study.holes.schemas import HOLE_VALUES
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@typed
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


_MOST = 500
"""The number of points of the line; more would not be seen."""


@typed
def unjudged_chart(table: Frame) -> alt.LayerChart:
    """Draw which share of the weight of all unjudged documents the first judgments make known.

    Parameters
    ----------
    table
        The table of `unjudged`; of a table by groups all documents are taken together.

    Returns
    -------
    altair.LayerChart
        The line says which share of the weight the n documents of greatest weight have. Dots mark
        where it reaches one half and nine tenths.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import unjudged_chart
    >>> runs = {"X": {"q": {"a": 3, "b": 2, "c": 1}}, "Y": {"q": {"c": 3, "a": 2, "d": 1}}}
    >>> chart = unjudged_chart(lf.unjudged(runs, {"q": {"a": 1}}, gamma=0.5))
    >>> [(row["judged"], row["share"]) for row in chart.data.values]
    [(0, 0.0), (1, 0.625), (2, 0.875), (3, 1.0)]
    """
    rows = rows_of(table, schemas.UNJUDGED, "unjudged_chart", ["query_id", "doc_id"])
    weight = rows["weight"].sort(descending=True).to_numpy()
    shares = np.concatenate([[0.0], np.cumsum(weight)])
    shares /= shares[-1]
    marks = np.searchsorted(shares, [0.5, 0.9])
    places = np.linspace(0, len(weight), min(_MOST, len(weight) + 1)).round().astype(np.int64)
    places = np.union1d(places, marks)
    points = pl.DataFrame({"judged": places, "share": shares[places]})
    points = points.with_columns(is_marked=pl.col("judged").is_in(marks.tolist()))
    draw, weight_of = altair(), "share of the weight"
    base = draw.Chart().encode(
        draw.X("judged:Q", title="documents judged", axis=draw.Axis(format="~s", tickMinStep=1)),
        draw.Y("share:Q", title=weight_of, **share_axis()),
        tooltip("judged", ("share", weight_of, ".1%")),
    )
    marked = base.transform_filter("datum.is_marked")
    numbers = marked.mark_text(align="left", dx=8, dy=10, color=GREY)
    n = rows["query_id"].n_unique()
    return layered(
        [
            base.mark_line(color=COLOURS[0]),
            marked.mark_point(filled=True, size=60, color=COLOURS[1], opacity=1),
            numbers.encode(draw.Text("judged:Q", format=",")),
        ],
        points,
        "Judging the documents of greatest weight first",
        f"{rows.height:,} unjudged documents of {n:,} request{'s' * (n != 1)}; dots: 50 %, 90 %",
        width=WIDTH,
        height=260,
    )
