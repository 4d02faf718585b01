"""The chart of documents to judge: how much of their weight how many judgments make known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.axes import share_axis
from lexiframe.views.charts.colours import COLOURS, GREY
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import WIDTH, altair, layered
from lexiframe.views.charts.tables import rows_of

if TYPE_CHECKING:
    import altair as alt

_MOST = 500
"""The number of points of the line; more would not be seen."""


def unjudged_chart(table: Frame, /) -> alt.LayerChart:
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
