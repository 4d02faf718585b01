"""Charts of all rankings: their order by a measure and by all users, and random ties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered
from lexiframe.core.views.charts.marks import lines_of
from lexiframe.core.views.charts.style import COLOURS, FAINT, GREY, GROUND, INK
from lexiframe.core.views.charts.tables import FIRST_RANK_TIES, ORDER, rows_of
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_LEAST_WIDE = 160


@typed
def order_chart(order: Frame, measure: str | None = None) -> alt.LayerChart:
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
    edges = rows_of(order, ORDER, "order_chart")
    return _diagram(
        edges,
        _node_layers(edges),
        "Order of rankings" + (f" under {measure}" if measure else ""),
        "ranks of the relevant items; better rankings stand higher",
    )


@typed
def population_chart(order: Frame, level: int | None = None) -> alt.LayerChart:
    """Draw which users, or providers, every ranking serves at least as well, as a Hasse diagram.

    Parameters
    ----------
    order
        The table of `lexiframe.theory.population_order`.
    level
        A recall level k, by which the members are coloured as the proof of lexirecall divides them.
        When two rankings differ at k and are the same behind it, those with k and items behind it
        alone are the worst served among those who notice.

    Returns
    -------
    altair.LayerChart
        Each node is a member, by the recall levels of the items it needs or owns; a line leads to
        each that is next below. With a level the outlines have a colour for each part.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, appendix B,
    figures 15, 16 and 17.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import population_chart
    >>> chart = population_chart(lf.theory.population_order(2), level=2)
    >>> [(row["ranks"], row["part"]) for row in chart.layer[1].data.values]
    [('1', 'the last up to k'), ('1 2', 'the last up to k'), ('2', 'k and behind')]
    """
    edges = rows_of(order, ORDER, "population_chart")
    nodes = _node_layers(edges)
    if level is not None:
        written = pl.col("ranks").str.split(" ").list.eval(pl.element().cast(pl.Int64))
        nodes = nodes.with_columns(part=_population_part(written, level))
    return _diagram(
        edges,
        nodes,
        "Whom every ranking serves better",
        "recall levels of the items that each needs or owns; who is served better stands higher",
        f"k = {level}" if level is not None else "",
    )


_PARTS = {
    "behind k": GREY,
    "k and behind": COLOURS[1],
    "the last up to k": COLOURS[3],
    "with k": COLOURS[0],
    "around k": COLOURS[2],
}


def _population_part(levels: pl.Expr, k: int) -> pl.Expr:
    """Return the part of the population to which the one with these levels belongs."""
    behind, at_least, before, contains, around = map(pl.lit, _PARTS)
    has_k = levels.list.contains(k)
    return (
        pl.when(levels.list.min() > k)
        .then(behind)
        .when(levels.list.min() == k)
        .then(at_least)
        .when(levels.list.max() <= k)
        .then(before)
        .when(has_k)
        .then(contains)
        .otherwise(around)
    )


def _diagram(edges: pl.DataFrame, nodes: pl.DataFrame, *words: str) -> alt.LayerChart:
    """Draw the nodes in their layers, coloured by their part if they have one, and the lines."""
    draw = altair()
    wide = 7 * max(nodes["ranks"].str.len_chars().to_list()) + 22
    ends = [
        edges.with_row_index("edge").select("edge", ranks=_joined_ranks(side))
        for side in ("better", "worse")
    ]
    lines = pl.concat(ends).join(nodes, on="ranks").sort("edge", "layer")
    x = draw.X("x:Q", axis=None).scale(domain=[0, 1], nice=False)
    y = draw.Y("layer:Q", axis=None).scale(reverse=True, nice=False, padding=20)
    links = draw.Chart(inside(lines)).mark_line(color=FAINT, strokeWidth=1.2)
    base = draw.Chart(inside(nodes)).encode(x, y, tooltip("ranks", "layer"))
    names = base.mark_text(fontSize=12, color=INK)
    boxes = base.mark_rect(color=GROUND, width=wide - 14, height=20, stroke=FAINT)
    if "part" in nodes.columns:
        scale = draw.Scale(domain=[*_PARTS], range=[*_PARTS.values()])
        boxes = base.mark_rect(fill=GROUND, width=wide - 14, height=20, strokeWidth=2)
        boxes = boxes.encode(draw.Stroke("part:N", title=None, scale=scale))
    return layered(
        [links.encode(x, y, draw.Detail("edge:N")), boxes, names.encode(draw.Text("ranks:N"))],
        None,
        *words,
        width=max(_LEAST_WIDE, max(nodes["of"].to_list()) * wide),
        height=max(60, 46 * max(nodes["layer"].to_list())),
        view=draw.ViewBackground(stroke=None),
    )


def _joined_ranks(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.List(pl.String)).list.join(" ")


def _node_layers(edges: pl.DataFrame) -> pl.DataFrame:
    """Return the nodes with their layer, the length of the longest path from the top, and place."""
    links = edges.select(better=_joined_ranks("better"), worse=_joined_ranks("worse"))
    nodes = pl.concat(
        edges.select(vector=side, ranks=_joined_ranks(side)) for side in ("better", "worse")
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


_LEAST = 1e-12
"""Probabilities below it are not drawn."""


@typed
def first_rank_tie_chart(ties: Frame) -> alt.LayerChart:
    """Draw how probable a tie of reciprocal rank is, by the rank of the first relevant item.

    Parameters
    ----------
    ties
        The table of `lexiframe.theory.first_rank_ties`.

    Returns
    -------
    altair.LayerChart
        A line for each number of relevant items, on logarithmic scales; probabilities below 10⁻¹²
        are not drawn.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Notes
    -----
    Diaz, EVIA 2023, doi:10.20736/0002001353, section 2, figure 2.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import first_rank_tie_chart
    >>> rows = first_rank_tie_chart(lf.theory.first_rank_ties(10, 5, [1, 2])).data.values
    >>> [(row["relevant"], row["first"], row["probability"]) for row in rows]
    [('m = 5', 1, 0.5), ('m = 5', 2, 0.2777777777777778)]
    """
    draw = altair()
    rows = rows_of(ties, FIRST_RANK_TIES, "first_rank_tie_chart")
    rows = rows.with_columns(relevant=pl.format("m = {}", "m"))
    colour, _ = lines_of("relevant", rows["relevant"].unique(maintain_order=True))
    log = {"type": "log", "nice": False}
    line = draw.Chart().mark_line(strokeWidth=2).encode(
        draw.X("first:Q", title="rank of the first relevant item")
        .axis(format=",d", grid=False).scale(padding=8, **log),
        draw.Y("probability:Q", title="probability of a tie")
        .axis(format=".0e", grid=False).scale(**log),
        colour,
        tooltip(("relevant", "relevant items", ""), ("first", "rank", ",d"),
                ("probability", "probability", ".3g")),
    )  # fmt: skip
    return layered(
        [line],
        rows.filter(pl.col("probability") >= _LEAST),
        "Ties of reciprocal rank with a random ranking",
        width=320,
        height=220,
    )
