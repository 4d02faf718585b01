"""Charts of recall levels: where rankings tie, which levels decide, which predict which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.views.charts.axes import count_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header, layered, step
from lexiframe.core.views.charts.marks import dots, interval
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, SIDES
from lexiframe.core.views.charts.tables import (
    DECIDING_LEVELS,
    LEVEL_CORRELATIONS,
    LEVEL_REGRESSION,
    TIE_PROFILE,
    rows_of,
)
from lexiframe.core.views.charts.texts import pairs_text
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled(mean_of("tie_rate", by=["value"]))
def tie_profile_chart(profile: Frame) -> alt.FacetChart:
    """Draw how often rankings tie, by the rank of the first relevant item and by recall level.

    Parameters
    ----------
    profile
        The table of `tie_profile`.

    Returns
    -------
    altair.FacetChart
        A panel for each of the two, in which a point is the share of pairs that tie.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import tie_profile_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> rows = tie_profile_chart(lf.tie_profile(p, levels=2)).data.values
    >>> [(row["panel"], row["value"], row["ties"]) for row in rows][0]
    ('by rank of the first relevant item', 1, 12)
    """
    draw = altair()
    panels = {"first_rank": "by rank of the first relevant item", "level": "by recall level"}
    rows = rows_of(profile, TIE_PROFILE, "tie_profile_chart")
    rows = rows.with_columns(panel=pl.col("by").replace(panels))
    base = draw.Chart().encode(
        draw.X("value:Q", title=None, **count_axis()),
        draw.Y("tie_rate:Q", title="share of pairs that tie").axis(format="%"),
        tooltip("panel", ("value", "rank or level", "d"), "tie_rate", "ties", "pairs"),
    )
    points = base.mark_point(filled=True, size=40, color=COLOURS[0], opacity=1)
    chart = faceted(
        [base.mark_line(color=COLOURS[0]), points],
        rows,
        {"column": draw.Column("panel:N", sort=[*panels.values()], header=header())},
        "How often two rankings of a request tie",
        "by rank: how often the first relevant item of one ranking has the rank that it has in the "
        "other",
        "by recall level: how many pairs of rankings reach it at the same rank",
        width=260,
        height=180,
    )
    own_scales: alt.FacetChart = chart.resolve_scale(x="independent")
    return own_scales


def _mean_of_levels(table: pl.DataFrame) -> pl.DataFrame:
    """Return the mean shares of levels over collections; a level that decides none counts as 0."""
    share = pl.col("share") / pl.col("collection").n_unique().over("measure")
    found = (
        table.with_columns(share)
        .group_by("measure", "deciding_level")
        .agg(pl.col("share", "pairs").sum())
    )
    found = found.sort("measure", "deciding_level")
    return found.with_columns(cumulative=pl.col("share").cum_sum().over("measure"))


@panelled(_mean_of_levels)
def deciding_level_chart(levels: Frame) -> alt.FacetChart:
    """Draw at which recall levels lexicographic preferences are decided.

    Parameters
    ----------
    levels
        The table of `deciding_levels`.

    Returns
    -------
    altair.FacetChart
        A panel for each preference: bars are the shares of pairs that a level decides, the line
        is the share that the levels up to it decide.

        Several collections have a panel each, of one scale, and their mean comes last. A level that
        decides nothing in a collection counts as 0 there.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import deciding_level_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> rows = deciding_level_chart(lf.deciding_levels(p)).data.values
    >>> [(row["measure"], row["deciding_level"], row["pairs"]) for row in rows][0]
    ('LP', 1, 9)
    """
    draw = altair()
    rows = rows_of(levels, DECIDING_LEVELS, "deciding_level_chart")
    sums = rows.group_by("measure", maintain_order=True).agg(pl.col("pairs").sum())
    pairs = "; ".join(f"{measure}: {n:,}" for measure, n in sums.rows())
    level, half = pl.col("deciding_level"), 0.45
    rows = rows.with_columns(low=level - half, high=level + half)
    base = draw.Chart().encode(
        tooltip=tooltip(
            ("measure", "preference", ""), ("deciding_level", "recall level", "d"),
            ("share", "decided by it", ".2%"), "cumulative", "pairs",
        )
    )  # fmt: skip
    bars = base.mark_bar(color=COLOURS[0]).encode(
        draw.X("low:Q", title="deciding level")
        .axis(format="d", tickMinStep=1, grid=False)
        .scale(zero=False, nice=False, padding=4),
        draw.X2("high"),
        draw.Y("share:Q", title="share of pairs that do not tie").axis(format="%"),
        y2=draw.datum(0),  # a bar between two levels does not begin at 0 by itself
    )
    point = {"color": COLOURS[1], "size": 14, "filled": True}
    line = base.mark_line(
        color=COLOURS[1], interpolate="step-after", strokeWidth=2, point=point
    ).encode(draw.X("deciding_level:Q"), draw.Y("cumulative:Q").scale(domain=[0, 1]))
    chart = faceted(
        [bars, line],
        rows,
        {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 2},
        "Levels that decide lexicographic preferences",
        "bars: decided by this level; line: by this level or a lower one; pairs of rankings: "
        f"{pairs}",
        width=320,
        height=180,
    )
    own_axes: alt.FacetChart = chart.resolve_scale(x="independent").resolve_axis(x="independent")
    return own_axes


@panelled(mean_of("correlation", by=["level_a", "level_b"]))
def level_correlation_chart(correlations: Frame) -> alt.LayerChart:
    """Draw how the differences of reciprocal ranks of two recall levels are correlated.

    Parameters
    ----------
    correlations
        The table of `level_correlations`.

    Returns
    -------
    altair.LayerChart
        A cell for each pair of levels, with Pearson's correlation as its colour and as a number;
        cells without a correlation are empty.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import level_correlation_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> rows = level_correlation_chart(lf.level_correlations(p, levels=2)).data.values
    >>> [(row["level_a"], row["level_b"], round(row["correlation"], 2)) for row in rows]
    [(1, 2, 0.85)]
    """
    draw = altair()
    rows = rows_of(correlations, LEVEL_CORRELATIONS, "level_correlation_chart")
    sides = draw.Step(step(rows["level_b"].n_unique(), 30, 44))
    base = draw.Chart().encode(
        draw.X("level_a:O", title="recall level").axis(labelAngle=0),
        draw.Y("level_b:O", title="recall level"),
        tooltip=tooltip("level_a", "level_b", "correlation", ("n", "pairs of rankings", "d")),
    )
    colour = draw.Color("correlation:Q", title="correlation").scale(**SIDES).legend(format=".1f")
    ink = draw.when("abs(datum.correlation) > 0.7").then(draw.value("white"))
    texts = base.transform_filter("datum.correlation != null").mark_text(fontSize=10)
    text = draw.Text("correlation:Q", format=".2f")
    return layered(
        [
            base.mark_rect().encode(colour),
            texts.encode(text, color=ink.otherwise(draw.value("black"))),
        ],
        rows,
        "Do recall levels agree?",
        "Pearson's correlation of differences of reciprocal ranks",
        f"over {pairs_text(rows['n'])} of rankings",
        width=sides,
        height=sides,
    )


@panelled(mean_of("coefficient", "r_squared", by=["level", "predictor"]))
def level_regression_chart(regression: Frame) -> alt.FacetChart:
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

        Several collections have a panel each, of one scale, and their mean comes last.

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
