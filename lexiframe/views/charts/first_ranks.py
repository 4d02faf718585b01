"""The chart of ties of random rankings, by the rank of the first relevant item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import typed
from lexiframe.typing import Frame
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import altair, layered
from lexiframe.views.charts.marks import lines_of
from lexiframe.views.charts.tables import FIRST_RANK_TIES, rows_of

if TYPE_CHECKING:
    import altair as alt

_LEAST = 1e-12
"""Probabilities below it are not drawn."""


@typed
def first_rank_tie_chart(ties: Frame, /) -> alt.LayerChart:
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
