"""Charts of recall levels: where rankings tie, and which levels decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    SIDES,
    altair,
    inside,
    of_pairs,
    rows_of,
    step,
    title,
    tooltip,
)
from lexiframe.views.charts.robustness import title_of_panels

if TYPE_CHECKING:
    import altair as alt

TIE_PROFILE = schemas.TableSchema(
    "tie_profile",
    ("by", "value"),
    {
        "by": schemas.STR,
        "value": schemas.INT,
        "pairs": schemas.INT,
        "ties": schemas.INT,
        "tie_rate": schemas.FLOAT,
    },
)
DECIDING_LEVELS = schemas.TableSchema(
    "deciding_levels",
    ("measure", "deciding_level"),
    {
        "measure": schemas.STR,
        "deciding_level": schemas.INT,
        "pairs": schemas.INT,
        "share": schemas.FLOAT,
        "cumulative": schemas.FLOAT,
    },
)
LEVEL_CORRELATIONS = schemas.TableSchema(
    "level_correlations",
    ("level_a", "level_b"),
    {
        "level_a": schemas.INT,
        "level_b": schemas.INT,
        "n": schemas.INT,
        "correlation": schemas.FLOAT,
    },
)


def tie_profile_chart(profile: Frame, /) -> alt.FacetChart:
    """Draw how often rankings tie, by the rank of the first relevant item and by recall level.

    Parameters
    ----------
    profile
        The table of `tie_profile`.

    Returns
    -------
    altair.FacetChart
        A panel for each of the two, in which a point is the share of pairs that tie.

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
    rows = rows_of(profile, TIE_PROFILE, TIE_PROFILE.key, "tie_profile_chart")
    rows = rows.with_columns(panel=pl.col("by").replace(panels))
    base = draw.Chart().encode(
        draw.X("value", type="quantitative", title=None)
        .axis(grid=False, format="d", tickMinStep=1)
        .scale(zero=False, nice=False, padding=8),
        draw.Y("tie_rate", type="quantitative", title="share of pairs that tie").axis(format="%"),
        tooltip(
            ("panel", "counted", ""),
            ("value", "rank or level", "d"),
            ("tie_rate", "share of ties", ".2%"),
            ("ties", "ties", "d"),
            ("pairs", "pairs", "d"),
        ),
    )
    points = base.mark_point(filled=True, size=40, color=COLOURS[0], opacity=1)
    layers = draw.layer(base.mark_line(color=COLOURS[0]), points, data=inside(rows))
    header = draw.Header(title=None, labelFontWeight="bold")
    chart: alt.FacetChart = (
        layers.properties(width=260, height=180)
        .facet(column=draw.Column("panel", type="nominal", sort=[*panels.values()], header=header))
        .resolve_scale(x="independent")
        .properties(
            title=title_of_panels(
                "How often two rankings of a request tie",
                "left: by the rank of the first relevant item of one ranking, how often it is that "
                "of the other",
                "right: how many pairs of rankings reach a recall level at the same rank",
            )
        )
    )
    return chart


def deciding_level_chart(levels: Frame, /) -> alt.FacetChart:
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
    rows = rows_of(levels, DECIDING_LEVELS, DECIDING_LEVELS.key, "deciding_level_chart")
    sums = rows.group_by("measure", maintain_order=True).agg(pl.col("pairs").sum())
    counted = "; ".join(f"{measure}: {pairs:,}" for measure, pairs in sums.rows())
    rows = rows.with_columns(
        low=pl.col("deciding_level") - 0.45, high=pl.col("deciding_level") + 0.45
    )
    base = draw.Chart().encode(
        tooltip=tooltip(
            ("measure", "preference", ""),
            ("deciding_level", "recall level", "d"),
            ("share", "decided by it", ".2%"),
            ("cumulative", "decided up to it", ".2%"),
            ("pairs", "pairs", "d"),
        )
    )
    share = "share of pairs that do not tie"
    bars = base.mark_bar(color=COLOURS[0]).encode(
        draw.X("low", type="quantitative", title="deciding level")
        .axis(format="d", tickMinStep=1, grid=False)
        .scale(zero=False, nice=False, padding=4),
        draw.X2("high"),
        draw.Y("share", type="quantitative", title=share).axis(format="%"),
        y2=draw.datum(0),  # a bar between two levels does not begin at 0 by itself
    )
    line = base.mark_line(
        color=COLOURS[1], interpolate="step-after", strokeWidth=2,
        point={"color": COLOURS[1], "size": 14, "filled": True},
    ).encode(
        draw.X("deciding_level", type="quantitative"),
        draw.Y("cumulative", type="quantitative").scale(domain=[0, 1]),
    )  # fmt: skip
    header = draw.Header(title=None, labelFontWeight="bold")
    chart: alt.FacetChart = (
        draw.layer(bars, line, data=inside(rows))
        .properties(width=320, height=180)
        .facet(draw.Facet("measure", type="nominal", sort=None, header=header), columns=2)
        .resolve_scale(x="independent")
        .resolve_axis(x="independent")
        .properties(
            title=title_of_panels(
                "Levels that decide lexicographic preferences",
                f"bars: decided by this level; line: by this level or a lower one; pairs of "
                f"rankings: {counted}",
            )
        )
    )
    return chart


def level_correlation_chart(correlations: Frame, /) -> alt.LayerChart:
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
    key = LEVEL_CORRELATIONS.key
    rows = rows_of(correlations, LEVEL_CORRELATIONS, key, "level_correlation_chart")
    sides = draw.Step(step(rows["level_b"].n_unique(), 30, 44))
    base = draw.Chart().encode(
        draw.X("level_a", type="ordinal", title="recall level").axis(labelAngle=0),
        draw.Y("level_b", type="ordinal", title="recall level"),
        tooltip=tooltip(
            ("level_a", "level", "d"),
            ("level_b", "and level", "d"),
            ("correlation", "correlation", ".4f"),
            ("n", "pairs of rankings", "d"),
        ),
    )
    cells = base.mark_rect().encode(
        draw.Color("correlation", type="quantitative", title="correlation")
        .scale(scheme=SIDES, domain=[-1, 1], reverse=True)
        .legend(format=".1f")
    )
    ink = draw.when("abs(datum.correlation) > 0.7").then(draw.value("white"))
    numbers = (
        base.transform_filter("datum.correlation != null")
        .mark_text(fontSize=10)
        .encode(
            draw.Text("correlation", type="quantitative", format=".2f"),
            color=ink.otherwise(draw.value("black")),
        )
    )
    chart: alt.LayerChart = draw.layer(
        cells, numbers, data=inside(rows), width=sides, height=sides,
        title=title("Do recall levels agree?", "Pearson's correlation of differences of "
                    "reciprocal ranks", f"over {of_pairs(rows['n'])} of rankings"),
    )  # fmt: skip
    return chart
