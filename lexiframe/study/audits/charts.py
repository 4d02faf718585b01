"""The chart of audits: how often tests reject, by the number of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header
from lexiframe.core.views.charts.marks import lines_of, lines_with_points
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import GREY
from lexiframe.core.views.charts.tables import refuse_gaps, renamed, rows_of
from lexiframe.core.views.charts.texts import counted
from lexiframe.study.audits.schemas import AUDITS
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

Rate = Literal["error_rate", "power", "type_iii"]
_TITLES = {
    "error_rate": "Error rate of tests",
    "power": "Power of tests",
    "type_iii": "Results in the wrong direction",
}
_AXES = {
    "error_rate": "share of trials rejected",
    "power": "share of differences found",
    "type_iii": "share of what is significant",
}
_NULLS = {"centred": "equal means", "exchanged": "exchangeable runs"}
_PANEL = {"width": 240, "height": 200}
_COLUMNS = 3


@panelled()
def audit_chart(audits: Frame, rate: Rate = "error_rate") -> alt.FacetChart:
    """Draw how often tests reject, by the number of requests, with intervals.

    Parameters
    ----------
    audits
        The table of `audit`, also of several measures; tables of both kinds of null may be put
        together.
    rate : {"error_rate", "power", "type_iii"}
        The rate that is drawn.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, and a row of panels for each null, if there are two. A line joins
        the rates of a test (and number of runs, where trials have more than two), each with its
        interval of 95 %. For the error rate a grey line is drawn
        at alpha.

        Several collections have a panel each, of one scale; they have no mean, because the trials
        are of the requests of each.

    Raises
    ------
    LexiframeError
        When Altair is not installed, for an unknown rate, a table with several groups of requests,
        and when no row has the rate.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import audit_chart
    >>> folder = lf.bundled("example")
    >>> s = lf.scores(lf.positions(folder / "runs", folder / "qrels.txt"), "AP")
    >>> chart = audit_chart(lf.audit(s, "t", [10, 20], trials=100))
    >>> [(row["n_requests"], row["low"] < row["rate"] < row["high"]) for row in chart.data.values]
    [(10, True), (20, True)]
    """
    called = "audit_chart"
    check_choice(called, rate, _TITLES, "rate")
    rows = refuse_gaps(rows_of(audits, AUDITS, called), called, "alpha", "trials")
    rows = rows.filter(pl.col(rate).is_not_null())
    if rows.is_empty():
        raise LexiframeError(f"audit_chart: expected a row with {rate}, found none")
    stem = "error" if rate == "error_rate" else rate
    ends = {"rate": rate, "low": f"{stem}_low", "high": f"{stem}_high"}
    null = renamed(rows, "null", _NULLS)
    test = pl.when(pl.col("n_runs") == 2).then("test").otherwise(
        pl.format("{}, {} runs, {}", "test", "n_runs", "correction")
    )  # fmt: skip
    rows = rows.with_columns(test=test)
    rows = rows.select("measure", "test", "n_requests", "alpha", "trials", null=null, **ends)
    nulls, levels = rows["null"].unique().sort(), rows["alpha"].unique().sort()
    level = f"{' and '.join(nulls)}; line: α = {', '.join(f'{a:g}' for a in levels)}"
    trials = f"{counted(rows['trials'], 'trial')} of each size, with 95 % intervals"
    words = [_TITLES[rate], trials, *([level] if rate == "error_rate" else [])]
    return faceted(_panel_layers(rows, rate), rows, _panels(len(nulls)), *words, **_PANEL)


def _panels(n_nulls: int) -> dict[str, Any]:
    """Make a panel for each measure, three side by side, or a row for each of several nulls."""
    draw = altair()
    said = {"sort": None, "header": header(labelLimit=_PANEL["height"])}
    if n_nulls == 1:
        return {"facet": draw.Facet("measure:N", **said), "columns": _COLUMNS}
    return {"column": draw.Column("measure:N", **said), "row": draw.Row("null:N", **said)}


def _panel_layers(rows: pl.DataFrame, rate: str) -> list[Any]:
    """Return the layers of a panel: alpha, and lines, intervals and points of each test."""
    draw = altair()
    colour, shape = lines_of("test", rows["test"].unique().sort())
    axis = draw.Axis(values=rows["n_requests"].unique().sort().to_list(), grid=False)
    scale = draw.Scale(zero=False, nice=False, padding=10)
    of_clusters = rows["test"].str.contains("(cluster=", literal=True).all()
    title = "clusters" if of_clusters else "requests"
    x = draw.X("n_requests:Q", title=title, axis=axis, scale=scale)
    y = {"title": _AXES[rate], "axis": draw.Axis(format="%")}
    base = draw.Chart().encode(x, draw.Y("rate:Q", **y), colour)
    intervals = base.mark_rule(opacity=0.6).encode(draw.Y("low:Q", **y), draw.Y2("high"))
    ends = ("low", "interval from", ".2%"), ("high", "to", ".2%")
    said = tooltip("measure", "test", "null", "n_requests", ("rate", _AXES[rate], ".2%"), *ends)
    layers = [intervals, *lines_with_points(base, shape, said)]
    if rate != "error_rate":
        return layers
    level = draw.Chart().transform_aggregate(n="count()", groupby=["alpha", "measure", "null"])
    level = level.mark_rule(color=GREY, strokeDash=[4, 3])
    return [level.encode(draw.Y("alpha:Q", **y), tooltip=tooltip("alpha")), *layers]
