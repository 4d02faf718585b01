"""How often measures prefer the run that people prefer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import schemas, typed
from lexiframe.typing import Frame
from lexiframe.views.charts.axes import rows_axis
from lexiframe.views.charts.colours import GREY
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import WIDTH, altair, layered, step
from lexiframe.views.charts.marks import confidence, dots
from lexiframe.views.charts.tables import refuse_gaps, rows_of

if TYPE_CHECKING:
    import altair as alt


@typed
def concordance_chart(measures: Frame, /) -> alt.LayerChart:
    """Draw how often each measure prefers the same run as people, with intervals.

    Parameters
    ----------
    measures
        The table ``measures`` of what `concordance` returns.

    Returns
    -------
    altair.LayerChart
        A row for each measure, that of the highest concordance first. The grey line is at 50 %,
        which chance gives. Intervals that overlap may belong to measures that differ: the table
        ``pairs`` has the tests.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import concordance_chart
    >>> rows = {"query_id": ["1", "2"], "run_a": "x", "run_b": "y"}
    >>> people = pl.DataFrame({**rows, "measure": "stated", "preference": [1.0, -0.5]})
    >>> d = pl.DataFrame({**rows, "measure": "AP", "preference": [0.1, 0.0]})
    >>> found = lf.concordance(d, people)
    >>> [row["concordance"] for row in concordance_chart(found.measures).data.values]
    [0.75]
    """
    draw = altair()
    rows = refuse_gaps(
        rows_of(measures, schemas.CONCORDANCE, "concordance_chart"), "concordance_chart", "n"
    ).sort("concordance", "measure", descending=[True, False], nulls_last=True)
    pixels = step(rows.height)
    y = rows_axis("measure", rows["measure"], pixels, title=None)
    x: dict[str, Any] = {
        "title": "pairs in which people prefer the same run (ties half)",
        "axis": draw.Axis(format="%"),
        "scale": draw.Scale(zero=False, nice=True),
    }
    said = tooltip(
        "measure", ("concordance", "concordance", ".1%"), ("ci_low", "from", ".1%"),
        ("ci_high", "to", ".1%"), ("n", "pairs", "d"), ("ties", "of them tied", "d"),
    )  # fmt: skip
    chance = draw.Chart(draw.InlineData(values=[{"at": 0.5}])).mark_rule(color=GREY)
    layers = [
        chance.encode(draw.X("at:Q")),
        confidence(x, pixels, y).encode(tooltip=said),
        dots("concordance", x, pixels, y).encode(tooltip=said),
    ]
    n = int(rows.select(pl.col("n").max()).item())
    words = "Concordance with people", f"{n:,} pairs of rankings of which people prefer one"
    return layered(layers, rows, *words, width=WIDTH, height=draw.Step(pixels))
