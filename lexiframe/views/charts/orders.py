"""The order of all rankings under a measure, drawn in layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import LexiframeError
from lexiframe.typing import Frame
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import altair, inside, layered
from lexiframe.views.charts.tables import ORDER, rows_of

if TYPE_CHECKING:
    import altair as alt

_LEAST_WIDE = 160
_LINE = "#b0b0b0"


def order_chart(order: Frame, /, measure: str | None = None) -> alt.LayerChart:
    """Draw the order of all rankings under a measure as a Hasse diagram.

    Parameters
    ----------
    order
        The table of `lexiframe.theory.order`.
    measure
        The measure of the table, for the title.

    Returns
    -------
    altair.LayerChart
        Each node is a ranking, by the ranks of its relevant items; the best stand on top. A line
        leads to each ranking that is next below. A node is one layer below the lowest of those
        above it. Rankings that tie stand in one layer, without a line between them.

    Raises
    ------
    LexiframeError
        When Altair is not installed, for a table without rows, and when the table has a cycle.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import order_chart
    >>> chart = order_chart(lf.theory.order("LP", n=3, m=2), "LP")
    >>> [(row["ranks"], row["layer"]) for row in chart.layer[1].data.values]
    [('1 2', 0), ('1 3', 1), ('2 3', 2)]
    """
    draw = altair()
    edges = rows_of(order, ORDER, "order_chart")
    nodes = _layers(edges)
    wide = 7 * max(nodes["ranks"].str.len_chars().to_list()) + 22
    ends = [
        edges.with_row_index("edge").select("edge", ranks=_written(side))
        for side in ("better", "worse")
    ]
    lines = pl.concat(ends).join(nodes, on="ranks").sort("edge", "layer")
    x = draw.X("x:Q", axis=None).scale(domain=[0, 1], nice=False)
    y = draw.Y("layer:Q", axis=None).scale(reverse=True, nice=False, padding=20)
    links = draw.Chart(inside(lines)).mark_line(color=_LINE, strokeWidth=1.2)
    base = draw.Chart(inside(nodes)).encode(x, y, tooltip("ranks", "layer"))
    names = base.mark_text(fontSize=12, color="#222222")
    return layered(
        [
            links.encode(x, y, draw.Detail("edge:N")),
            base.mark_rect(color="white", width=wide - 14, height=20, stroke=_LINE),
            names.encode(draw.Text("ranks:N")),
        ],
        None,
        "Order of rankings" + (f" under {measure}" if measure else ""),
        "ranks of the relevant items; better rankings stand higher",
        width=max(_LEAST_WIDE, max(nodes["of"].to_list()) * wide),
        height=max(60, 46 * max(nodes["layer"].to_list())),
        view=draw.ViewBackground(stroke=None),
    )


def _written(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.List(pl.String)).list.join(" ")


def _layers(edges: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes with their layer, the length of the longest path from the top, and place."""
    links = edges.select(better=_written("better"), worse=_written("worse"))
    nodes = pl.concat(
        edges.select(vector=side, ranks=_written(side)) for side in ("better", "worse")
    ).unique("ranks")
    nodes = nodes.with_columns(layer=pl.lit(0, pl.Int64))
    for _ in range(nodes.height):
        below = links.join(nodes, left_on="better", right_on="ranks").group_by("worse")
        least = below.agg(least=pl.col("layer").max() + 1)
        moved = nodes.join(least, left_on="ranks", right_on="worse", how="left")
        moved = moved.with_columns(layer=pl.max_horizontal("layer", "least")).drop("least")
        if moved["layer"].sum() == nodes["layer"].sum():
            break
        nodes = moved.select(nodes.columns)
    else:
        raise LexiframeError(
            "order_chart: expected an order, found a cycle: a ranking is better than itself"
        )
    nodes = nodes.sort("layer", "vector")
    place = pl.int_range(1, pl.len() + 1).over("layer")
    of = pl.len().over("layer")
    return nodes.select("ranks", "layer", x=(place - 0.5) / of, of=of)
