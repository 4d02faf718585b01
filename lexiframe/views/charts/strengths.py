"""Strengths of runs with their intervals, from side-by-side judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexiframe.base import schemas, typed
from lexiframe.typing import Frame
from lexiframe.views.charts.axes import room_at_ends, rows_axis
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import WIDTH, altair, layered, step
from lexiframe.views.charts.marks import confidence, dots
from lexiframe.views.charts.tables import rows_of

if TYPE_CHECKING:
    import altair as alt


@typed
def strength_chart(strengths: Frame, /) -> alt.LayerChart:
    """Draw the strength of each run with its interval, the strongest first.

    Parameters
    ----------
    strengths
        What `bradley_terry` returns, or its table ``strengths``.

    Returns
    -------
    altair.LayerChart
        A row for each run. The intervals are those of each run by itself, against the mean of all
        runs; whether two runs differ is in the table ``pairs``.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import strength_chart
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y",
    ...                       "winner": ["a", "a", "b"]})
    >>> [row["run"] for row in strength_chart(lf.bradley_terry(votes)).data.values]
    ['x', 'y']
    """
    draw = altair()
    rows = rows_of(strengths, schemas.STRENGTHS, "strength_chart").sort("rank", "run")
    pixels = step(rows.height)
    y = rows_axis("run", rows["run"], pixels, title=None)
    x: dict[str, Any] = {"title": "strength β (0 is the mean)", "scale": room_at_ends()}
    said = tooltip(
        "run", ("strength", "strength", ".4f"), "ci_low", "ci_high", "rank",
        ("n_judgments", "judgments", "d"),
    )  # fmt: skip
    layers = [
        confidence(x, pixels, y),
        dots("strength", x, pixels, y),
    ]
    layers = [layer.encode(tooltip=said) for layer in layers]
    words = "Strengths of runs", "intervals of each run by itself"
    return layered(layers, rows, *words, width=WIDTH, height=draw.Step(pixels))
