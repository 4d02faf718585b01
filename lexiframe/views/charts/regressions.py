"""The chart of how recall levels predict one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import typed
from lexiframe.typing import Frame
from lexiframe.views.charts.colours import COLOURS, GREY
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import altair, faceted, header
from lexiframe.views.charts.marks import dots, interval
from lexiframe.views.charts.tables import LEVEL_REGRESSION, rows_of
from lexiframe.views.charts.texts import pairs_text

if TYPE_CHECKING:
    import altair as alt


@typed
def level_regression_chart(regression: Frame, /) -> alt.FacetChart:
    """Draw how the levels that follow predict the difference at a recall level.

    Parameters
    ----------
    regression
        The table of `level_regression`.

    Returns
    -------
    altair.FacetChart
        A panel for each level that is predicted, with the coefficient of each level that predicts
        it as a dot, and its interval as a line.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Notes
    -----
    Diaz, EVIA 2023, doi:10.20736/0002001353, section 3.6, figure 7.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import level_regression_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> rows = level_regression_chart(lf.level_regression(p, levels=1, following=2)).data.values
    >>> [(row["panel"], row["predictor"]) for row in rows]
    [('level 1', 2), ('level 1', 3)]
    """
    draw = altair()
    rows = rows_of(regression, LEVEL_REGRESSION, "level_regression_chart")
    rows = rows.with_columns(panel=pl.format("level {}", "level"))
    y = draw.Y("predictor:O", title="predicted by level")
    x = {"title": "coefficient"}
    r_squared = ("r_squared", "R²", ".3f")
    said = tooltip(("predictor", "level", "d"), ("coefficient", "coefficient", ".4f"),
                   "ci_low", "ci_high", r_squared, ("n", "pairs of rankings", "d"))  # fmt: skip
    zero = draw.Chart().mark_rule(color=GREY).encode(x=draw.datum(0))
    lines = interval("ci_low", "ci_high", x, y, strokeWidth=2, color=COLOURS[0])
    chart = faceted(
        [zero, lines, dots("coefficient", x, 20, y, said, color=COLOURS[0])],
        rows,
        {"facet": draw.Facet("panel:N", sort=None, header=header()), "columns": 4},
        "Which levels predict a level",
        "coefficients of a linear regression of differences of reciprocal ranks",
        f"over {pairs_text(rows['n'])} of rankings",
        width=110,
        height=draw.Step(20),
    )
    own_rows: alt.FacetChart = chart.resolve_scale(y="independent")
    return own_rows
