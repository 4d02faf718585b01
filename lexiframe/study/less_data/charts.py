"""Charts of ties by measure, and of measures when data are missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars, typed
from lexiframe.core.views.charts.axes import names_axis, rows_axis, share_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header, inside, layered, step
from lexiframe.core.views.charts.marks import lines_of, lines_with_points
from lexiframe.core.views.charts.panels import mean_of, names_in_order, panelled
from lexiframe.core.views.charts.style import BLACK, COLOURS, WIDTH
from lexiframe.core.views.charts.tables import DEGRADATION, STATISTICS, chosen, rows_of
from lexiframe.core.views.charts.texts import counted, pairs_text
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_ROW = 24
_PANEL = {"width": 220, "height": 150}


@typed
def tie_chart(ties: Frame) -> alt.LayerChart:
    """Draw how often each measure ties two rankings of the same request.

    Parameters
    ----------
    ties
        The table of `tie_rates`.

    Returns
    -------
    altair.LayerChart
        A bar for each measure, as long as its share of ties, the measure that ties most first.

        Several collections are points in the row of a measure, with a stroke at their mean.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import tie_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["LR", "AP", "RR"])
    >>> [(row["measure"], row["ties"]) for row in tie_chart(e.tie_rates).data.values]
    [('RR', 6), ('AP', 1), ('LR', 1)]
    """
    draw = altair()
    ties = to_polars(ties)
    if "collection" in ties.columns and len(names_in_order(ties)) > 1:
        return _ties_of_collections(ties)
    rows = rows_of(ties, schemas.TIE_RATES, "tie_chart", ["measure"])
    rows = rows.sort("tie_rate", "measure", descending=[True, False])
    rows = rows.with_columns(
        share=pl.when(pl.col("ties") == 0).then(pl.lit("none"))
        .when(pl.col("tie_rate") < 0.0005).then(pl.lit("< 0.1%"))
        .otherwise(pl.format("{}%", (pl.col("tie_rate") * 100).round(1)))
    )  # fmt: skip
    base = draw.Chart().encode(
        draw.Y("measure:N", sort=None, axis=names_axis()),
        draw.X("tie_rate:Q", title="share of pairs of rankings that tie", **share_axis()),
        tooltip("measure", "tie_rate", "ties", ("n", "pairs of rankings", "d")),
    )
    shares = base.mark_text(align="left", dx=4).encode(draw.Text("share:N"))
    return layered(
        [base.mark_bar(color=COLOURS[0]), shares],
        rows,
        "Ties by measure",
        f"of {pairs_text(rows['n'])} of rankings of the same request",
        width=WIDTH,
        height=draw.Step(step(rows.height, 16, 28)),
    )


def _ties_of_collections(ties: pl.DataFrame) -> alt.LayerChart:
    """Draw a point for each collection in the row of a measure, and a stroke at their mean."""
    rows = rows_of(ties, schemas.table_per_value("collection", schemas.TIE_RATES), "tie_chart")
    order = rows.group_by("measure").agg(pl.col("tie_rate").mean())
    measures = order.sort("tie_rate", "measure", descending=[True, False])["measure"]
    draw, y = altair(), rows_axis("measure", measures, _ROW, labelPadding=8)
    x = draw.X("tie_rate:Q", title="share of pairs of rankings that tie", **share_axis())
    said = tooltip("measure", "tie_rate", "ties", ("n", "pairs of rankings", "d"))
    strokes = draw.Chart(inside(mean_of("tie_rate")(rows))).mark_tick(color=BLACK, size=_ROW)
    points = draw.Chart(inside(rows)).mark_point(filled=True, size=40, opacity=0.9)
    points = points.encode(y, x, *lines_of("collection", names := names_in_order(ties)), said)
    words = "Ties by measure", f"of {pairs_text(rows['n'])} of rankings of the same request"
    last = f"{len(names)} collections; strokes: their means"
    return layered([strokes.encode(y, x, said), points], None, *words, last, width=WIDTH)


@panelled(mean_of(*STATISTICS, by=["fraction", "samples"]), lines=True)
def degradation_chart(
    table: Frame,
    statistics: str | Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
) -> alt.FacetChart:
    """Draw how statistics of measures change when a part of the data is kept.

    Parameters
    ----------
    table
        The table of `degradation`; tables of several kinds of missing data may be put together.
    statistics
        One or several of ``tie_rate``, ``agreement``, ``system_agreement``,
        ``reference_agreement``, ``reference_system_agreement`` and ``tau``. Default: those
        that the table has.
    measures
        One or several measures. Default: all of the table.

    Returns
    -------
    altair.FacetChart
        A row of panels for each statistic, and a column for what is taken away. A line joins the
        means over the samples of a measure; the band around it is one standard deviation wide on
        each side, and absent if there is one sample. Numbers of requests (``counts``) are on the
        axis where the table has them in all rows.

        Of one measure up to eight collections and their mean are the lines; of several measures, or
        more collections, each has a panel, and their mean comes last.

    Raises
    ------
    UnknownNameError
        For a statistic or measure that the table does not have.
    LexiframeError
        When Altair is not installed, and when a statistic has no value at all.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import degradation_chart
    >>> folder = lf.bundled("example")
    >>> table = lf.degradation(
    ...     folder / "runs", folder / "qrels.txt", ["LR", "RR"], fractions=[0.5, 1], samples=3)
    >>> rows = degradation_chart(table, "tie_rate").data.values
    >>> [(row["measure"], row["fraction"], round(row["mean"], 2)) for row in rows[-2:]]
    [('LR', 1.0, 0.07), ('RR', 1.0, 0.4)]
    """
    draw = altair()
    rows = rows_of(table, DEGRADATION, "degradation_chart")
    named = chosen("statistic", statistics, [name for name in STATISTICS if name in rows.columns])
    lines = chosen("measure", measures, rows["measure"].unique(maintain_order=True).to_list())
    rows = _statistic_rows(rows.filter(pl.col("measure").is_in(lines)), named)
    colour, shape = lines_of("measure", lines)
    kept, title, how = "fraction", "share of the data that is kept", "%"
    if "n_requests" in rows.columns:
        kept, title, how = "n_requests", "requests that are kept", "d"
    x = draw.X(f"{kept}:Q", title=title)
    x = x.axis(format=how, grid=False, tickCount=5).scale(zero=False, nice=False, padding=6)
    base = draw.Chart().encode(x, draw.Y("mean:Q", title=None).scale(zero=False), colour)
    band = base.transform_filter("datum.low != null").mark_area(opacity=0.15)
    mean = ("mean", "mean over samples", ".4f")
    said = tooltip("measure", kept, "statistic", mean, "sd", "samples")
    order = [STATISTICS[name] for name in named]
    chart = faceted(
        [band.encode(draw.Y("low:Q"), draw.Y2("high")), *lines_with_points(base, shape, said)],
        rows,
        {
            "row": draw.Row("statistic:N", sort=order, header=header()),
            "column": draw.Column("missing:N", sort=None, header=header()),
        },
        "Measures when data are missing",
        f"means over {counted(rows['samples'], 'sample')}",
        "the bands are one standard deviation on each side",
        **_PANEL,
    )
    own_scales: alt.FacetChart = chart.resolve_scale(y="independent")
    return own_scales


def _statistic_rows(rows: pl.DataFrame, chosen: list[str]) -> pl.DataFrame:
    """Return a row for each statistic, with the limits of its band."""
    missing = pl.when(pl.col("how").is_null()).then("what").otherwise(
        pl.format("{}, {}", "what", pl.when(pl.col("how") == "retrieved")
                  .then(pl.lit("most retrieved first")).otherwise("how"))
    )  # fmt: skip
    if not chosen:
        raise LexiframeError("degradation_chart: expected at least one statistic, found none")
    counted = "n_requests" in rows.columns and not rows["n_requests"].null_count()
    long = pl.concat(
        rows.select(
            "measure", "fraction", *["n_requests"] * counted, "samples",
            pl.format("less: {}", missing).alias("missing"),
            statistic=pl.lit(STATISTICS[name]), mean=name, sd=f"{name}_sd",
        )
        for name in chosen
    )  # fmt: skip
    long = long.filter(pl.col("mean").is_not_null())
    if long.is_empty():
        raise LexiframeError(
            f"degradation_chart: expected values of {', '.join(chosen)}, found none; "
            "choose other statistics"
        )
    return long.with_columns(low=pl.col("mean") - pl.col("sd"), high=pl.col("mean") + pl.col("sd"))
