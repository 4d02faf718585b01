"""The chart of the effects of factors on scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.views.charts.axes import rows_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header, step
from lexiframe.core.views.charts.marks import confidence, dots
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import WIDTH
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.study.models.schemas import EFFECTS
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled()
def effect_chart(effects: Frame) -> alt.FacetChart:
    """Draw how much of the variance of scores each factor and interaction explains.

    Parameters
    ----------
    effects
        The table of `lexiframe.significance.anova`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, with a row for each term of the model and a dot at its ω² with its
        interval.

        Several collections have a panel each, of one scale; they have no mean, because each has
        requests of its own.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import effect_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> chart = effect_chart(lf.significance.anova(e, "run + query_id"))
    >>> [row["source"] for row in chart.data.values]
    ['run', 'query_id']
    """
    draw = altair()
    rows = rows_of(effects, EFFECTS, "effect_chart").filter(pl.col("source") != "residual")
    sources = rows["source"].unique(maintain_order=True)
    pixels = step(len(sources), most=24)
    y = rows_axis("source", sources, pixels, title=None)
    x: dict[str, Any] = {"title": "ω²", "scale": draw.Scale(zero=True)}
    numbers = ("omega_squared", "ω²", ".4f"), "ci_low", "ci_high", ("F", "F", ".4g"), "p_value"
    said = tooltip("measure", ("source", "source", ""), *numbers)
    layers = [confidence(x, pixels, y, said), dots("omega_squared", x, pixels, y, said)]
    by = {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 1}
    words = "Effects on scores", "partial ω² with intervals of each by itself"
    return faceted(layers, rows, by, *words, width=WIDTH, height=draw.Step(pixels))
