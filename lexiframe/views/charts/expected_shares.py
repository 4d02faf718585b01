"""What pairs of runs won beside what their strengths expect: where one dimension is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import LexiframeError, schemas, to_polars, typed
from lexiframe.typing import Frame
from lexiframe.views.charts.colours import COLOURS, GREY
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import WIDTH, altair, inside, layered

if TYPE_CHECKING:
    import altair as alt

_LARGE = 3.0
"""The standardised residual from which a pair is drawn as one that does not fit."""
_FITS = ("as expected", f"{_LARGE:g} or more standard deviations away")


@typed
def residual_chart(pairs: Frame, /) -> alt.LayerChart:
    """Draw the observed share of each pair of runs over the share that the strengths expect.

    Parameters
    ----------
    pairs
        The table ``pairs`` of what `bradley_terry` returns.

    Returns
    -------
    altair.LayerChart
        A dot for each pair that was judged, larger where it was judged more often; the better run
        by the strengths comes first, so that expected shares are .5 or more. On the line both are
        equal. Pairs that lie 3 or more standard deviations away have a colour of their own: there
        the picture of one dimension is wrong.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and when no pair was judged.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import residual_chart
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y",
    ...                       "winner": ["b", "b", "a"]})
    >>> [row["pair"] for row in residual_chart(lf.bradley_terry(votes).pairs).layer[1].data.values]
    ['y against x']
    """
    draw = altair()
    rows = schemas.check(to_polars(pairs), schemas.STRENGTH_PAIRS, "residual_chart")
    rows = rows.filter(pl.col("n_judgments") > 0)
    if rows.is_empty():
        raise LexiframeError("residual_chart: expected a pair of runs that was judged, found none")
    turned, large = pl.col("expected_share") < 0.5, pl.col("residual").abs() >= _LARGE
    better, worse = (
        pl.when(turned).then(a).otherwise(b) for a, b in (("run_b", "run_a"), ("run_a", "run_b"))
    )
    shares = {
        name: pl.when(turned).then(1 - pl.col(name)).otherwise(name)
        for name in ("expected_share", "observed_share")
    }
    rows = rows.select(
        "n_judgments",
        pl.format("{} against {}", better, worse).alias("pair"),
        residual=pl.when(turned).then(-pl.col("residual")).otherwise("residual"),
        fit=pl.when(large).then(pl.lit(_FITS[1])).otherwise(pl.lit(_FITS[0])),
        **shares,
    )
    said = tooltip(
        ("pair", "runs", ""), ("expected_share", "expected", ".1%"),
        ("observed_share", "observed", ".1%"), ("residual", "standard deviations", "+.2f"),
        ("n_judgments", "judgments", "d"),
    )  # fmt: skip
    percent = draw.Axis(format="%")
    ends = draw.Scale(domain=[0.5, 1], nice=False)
    x = draw.X("expected_share:Q", title="expected of the stronger run", axis=percent, scale=ends)
    y = draw.Y("observed_share:Q", title="observed (ties half)", axis=percent,
               scale=draw.Scale(domain=[0, 1]))  # fmt: skip
    line = draw.Chart(draw.InlineData(values=[{"at": 0.5}, {"at": 1.0}])).mark_line(color=GREY)
    colour = draw.Color("fit:N", title=None).scale(domain=[*_FITS], range=[COLOURS[0], COLOURS[1]])
    size = draw.Size("n_judgments:Q", title="judgments").scale(range=[8, 160])
    layers = [
        line.encode(draw.X("at:Q"), draw.Y("at:Q")),
        draw.Chart(inside(rows)).mark_circle(opacity=0.7).encode(x, y, colour, size, tooltip=said),
    ]
    n = rows.filter(pl.col("fit") == _FITS[1]).height
    verb = "is" if n == 1 else "are"
    words = f"{rows.height:,} pairs of runs were judged; {n:,} {verb} {_FITS[1]}"
    return layered(layers, None, "Observed and expected shares", words, width=WIDTH, height=WIDTH)
