"""Charts of ties by measure, and of measures when data are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import LexiframeError, schemas, unknown_name
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    WIDTH,
    altair,
    counted,
    harmless_all,
    inside,
    names_axis,
    of_pairs,
    rows_of,
    step,
    title,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt

STATISTICS = {
    "tie_rate": "share of pairs that tie",
    "agreement": "agreement with all data",
    "system_agreement": "agreement on runs",
    "reference_agreement": "agreement with the reference",
    "tau": "Kendall's τ with all data",
}
"""The statistics of the table of `degradation`, as axes call them."""
DEGRADATION = schemas.TableSchema(
    "degradation",
    ("what", "how", "fraction", "measure"),
    {
        "what": schemas.STR,
        "how": schemas.STR,
        "fraction": schemas.FLOAT,
        "measure": schemas.STR,
        "samples": schemas.INT,
    }
    | {name: schemas.FLOAT for of in STATISTICS for name in (of, f"{of}_sd")},
    optional=("reference_agreement", "reference_agreement_sd"),
    nullable=("how",),
)
SHAPES = "circle square triangle-up diamond cross triangle-down triangle-right".split()
_PANEL = {"width": 220, "height": 150}


def lines_of(column: str, names: Iterable[str]) -> list[Any]:
    """Return the colour and the shape of each name, in one legend.

    There are eight colours and seven shapes, so that up to 56 names differ in one of them.
    """
    draw, names = altair(), harmless_all(names)
    many = {"labelLimit": 200, "symbolLimit": 0, "title": None, "symbolOpacity": 1}
    if len(names) > 24:
        many["columns"] = 1 + len(names) // 24
    legend, n = draw.Legend(**many), range(len(names))
    colours, shapes = ([of[k % len(of)] for k in n] for of in (COLOURS, SHAPES))
    return [
        draw.Color(column, type="nominal", legend=legend).scale(domain=names, range=colours),
        draw.Shape(column, type="nominal", legend=legend).scale(domain=names, range=shapes),
    ]


def title_of_panels(text: str, *more: str) -> Any:
    """Return the title of a chart of panels, with more space below it than Vega-Lite leaves."""
    words = title(text, *more)
    words.offset = 14
    return words


def tie_chart(ties: Frame, /) -> alt.LayerChart:
    """Draw how often each measure ties two rankings of the same request.

    Parameters
    ----------
    ties
        The table of `tie_rates`.

    Returns
    -------
    altair.LayerChart
        A bar for each measure, as long as its share of ties, the measure that ties most first.

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
    rows = rows_of(ties, schemas.TIE_RATES, ["measure"], "tie_chart")
    rows = rows.sort("tie_rate", "measure", descending=[True, False])
    rows = rows.with_columns(
        share=pl.when(pl.col("ties") == 0).then(pl.lit("none"))
        .when(pl.col("tie_rate") < 0.0005).then(pl.lit("< 0.1%"))
        .otherwise(pl.format("{}%", (pl.col("tie_rate") * 100).round(1)))
    )  # fmt: skip
    base = draw.Chart().encode(
        draw.Y("measure", type="nominal", sort=None, axis=names_axis()),
        draw.X("tie_rate", type="quantitative", title="share of pairs of rankings that tie")
        .scale(domain=[0, 1])
        .axis(format="%"),
        tooltip(
            ("measure", "measure", ""),
            ("tie_rate", "share of ties", ".2%"),
            ("ties", "ties", "d"),
            ("n", "pairs of rankings", "d"),
        ),
    )
    shares = base.mark_text(align="left", dx=4).encode(draw.Text("share", type="nominal"))
    chart: alt.LayerChart = draw.layer(
        base.mark_bar(color=COLOURS[0]),
        shares,
        data=inside(rows),
        title=title("Ties by measure", f"of {of_pairs(rows['n'])} of rankings of the same request"),
        width=WIDTH,
        height=draw.Step(step(rows.height, 16, 28)),
    )
    return chart


def degradation_chart(
    table: Frame,
    /,
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
        ``reference_agreement`` and ``tau``. Default: those that the table has.
    measures
        One or several measures. Default: all of the table.

    Returns
    -------
    altair.FacetChart
        A row of panels for each statistic, and a column for what is taken away. A line joins the
        means over the samples of a measure; the band around it is one standard deviation wide on
        each side, and absent if there is one sample.

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
    rows = rows_of(table, DEGRADATION, DEGRADATION.key, "degradation_chart")
    chosen = _chosen("statistic", statistics, [name for name in STATISTICS if name in rows.columns])
    named = _chosen("measure", measures, rows["measure"].unique(maintain_order=True).to_list())
    rows = _by_statistic(rows.filter(pl.col("measure").is_in(named)), chosen)
    base = draw.Chart().encode(
        draw.X("fraction", type="quantitative", title="share of the data that is kept")
        .axis(format="%", grid=False, tickCount=5)
        .scale(zero=False, nice=False, padding=6),
        lines_of("measure", named)[0],
    )
    value = draw.Y("mean", type="quantitative", title=None).scale(zero=False)
    band = base.transform_filter("datum.low != null").mark_area(opacity=0.15).encode(
        draw.Y("low", type="quantitative"), draw.Y2("high")
    )  # fmt: skip
    points = base.mark_point(filled=True, size=36, opacity=1).encode(
        value, lines_of("measure", named)[1],
        tooltip(
            ("measure", "measure", ""),
            ("fraction", "kept", ".0%"),
            ("statistic", "statistic", ""),
            ("mean", "mean over samples", ".4f"),
            ("sd", "standard deviation", ".4f"),
            ("samples", "samples", "d"),
        ),
    )  # fmt: skip
    panels = draw.layer(band, base.mark_line().encode(value), points, data=inside(rows))
    header = {"title": None, "labelFontWeight": "bold"}
    order = [STATISTICS[name] for name in chosen]
    chart: alt.FacetChart = (
        panels.properties(**_PANEL)
        .facet(
            row=draw.Row("statistic", type="nominal", sort=order, header=draw.Header(**header)),
            column=draw.Column("missing", type="nominal", sort=None, header=draw.Header(**header)),
        )
        .resolve_scale(y="independent")
        .properties(
            title=title_of_panels(
                "Measures when data are missing",
                f"means over {counted(rows['samples'], 'sample')}",
                "the bands are one standard deviation on each side",
            )
        )
    )
    return chart


def _chosen(what: str, asked: str | Sequence[str] | None, known: list[str]) -> list[str]:
    """Return the names that were asked for, or all."""
    names = known if asked is None else [asked] if isinstance(asked, str) else [*asked]
    for name in names:
        if name not in known:
            raise unknown_name(what, name, known)
    return names


def _by_statistic(rows: pl.DataFrame, chosen: list[str]) -> pl.DataFrame:
    """Return a row for each statistic, with the limits of its band."""
    missing = pl.when(pl.col("how").is_null()).then("what").otherwise(
        pl.format("{}, {}", "what", pl.when(pl.col("how") == "retrieved")
                  .then(pl.lit("most retrieved first")).otherwise("how"))
    )  # fmt: skip
    long = pl.concat(
        rows.select(
            "measure", "fraction", "samples", pl.format("less: {}", missing).alias("missing"),
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
