"""Charts of p-values and of power: ASL curves, and discriminative power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    GREY,
    LONGEST,
    WIDTH,
    altair,
    harmless_all,
    inside,
    name_size,
    names_axis,
    of_pairs,
    rows_of,
    step,
    title,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt


HEIGHT = WIDTH * 5 // 8
_DASHES = [[1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [12, 4], [5, 5], [2, 5], [10, 2, 2, 2, 2, 2]]
_SHAPES = "circle square triangle-up diamond triangle-down cross triangle-right".split()


def _labelled(rows: pl.DataFrame, *columns: str) -> tuple[pl.DataFrame, str]:
    """Add a name for each row, of the columns that differ; also return what is the same in all."""
    differ = [name for name in columns if rows[name].n_unique() > 1]
    same = [f"{_CALLED[name]} {rows[name][0]}" for name in columns if name not in differ]
    parts = [pl.col(name).cast(pl.String) for name in differ]
    label = pl.concat_str(parts, separator=", ") if parts else pl.lit("")
    return rows.with_columns(label.alias("label")), ", ".join(same)


_CALLED = {"test": "test:", "correction": "correction:", "alpha": "α =", "measure": "measure:"}


def _cycled(kinds: Sequence[Any], n: int, *, skip: bool = False) -> list[Any]:
    """Return n kinds by repeating them in turn; with ``skip``, each repetition begins one later."""
    return [kinds[(i + skip * (i // len(kinds))) % len(kinds)] for i in range(n)]


_MOST_PLACES = 500
"""The number of points of a curve up to which all are drawn."""
_SEEN = 60
"""The number of points of a curve up to which they are visible."""


def asl_chart(
    curve: Frame, /, measures: str | Sequence[str] | None = None, *, alpha: float = 0.05
) -> alt.LayerChart:
    """Draw the curves of achieved significance levels: the sorted p-values of all pairs of runs.

    Parameters
    ----------
    curve
        The table of `asl_curve`.
    measures
        The measures whose curves are drawn, in the order of the legend. Default: all.
    alpha
        A line is drawn at this level.

    Returns
    -------
    altair.LayerChart
        A curve for each measure (and test, and correction, where there are several) in a colour and
        with dashes of its own, through the p-values without correction. The lower a curve, the more
        pairs its measure tells apart. The p-values are on a square-root scale, which shows small
        ones. Of more than 500 pairs, every k-th p-value of a curve is drawn, and its last.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import asl_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> chart = asl_chart(lf.asl_curve(e.comparisons), "AP")
    >>> [(row["place"], row["p_value"] < 0.05) for row in chart.data.values]
    [(1, True), (2, True), (3, False)]
    """
    draw = altair()
    rows = _of_measures(curve, schemas.ASL_CURVE, measures, "asl_chart")
    same = _labelled(rows, "measure", "test")[1]  # the p-values drawn have no correction
    rows, _ = _labelled(rows, "measure", "test", "correction")
    curves = rows["label"].unique(maintain_order=True).to_list()
    n_pairs = int(rows["place"].to_numpy().max())
    every = -(-n_pairs // _MOST_PLACES)
    last = pl.col("place").max().over("label")
    rows = rows.filter(((pl.col("place") - 1) % every == 0) | (pl.col("place") == last))
    scale = draw.Scale(type="sqrt", domain=[0, 1])
    levels = [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
    axis = draw.Axis(values=levels, format="~g", labelOverlap=False)
    # Both layers describe the axis in full: Vega-Lite merges them, and takes its own defaults for
    # what one layer leaves out.
    y = {"type": "quantitative", "title": "p", "scale": scale, "axis": axis}
    x = draw.X("share", type="quantitative", title="share of pairs").scale(domain=[0, 1])
    lines = draw.Chart(inside(rows)).encode(
        x.axis(format="%"),
        draw.Y("p_value", **y),
        **own_line(curves),
        tooltip=tooltip(
            ("measure", "measure", ""),
            ("test", "test", ""),
            ("run_a", "run", ""),
            ("run_b", "and", ""),
            ("p_value", "p", ".3g"),
            ("p_adjusted", "p, adjusted", ".3g"),
            ("share", "share of pairs up to it", ".1%"),
        ),
    )
    level = draw.Chart(draw.InlineData(values=[{"alpha": alpha}])).mark_rule(color=GREY)
    level = level.encode(draw.Y("alpha", **y), tooltip=tooltip(("alpha", "α", "~g")))
    # Tooltips belong to points. Many visible points would hide the dashes of the line.
    point = {"size": 16, "opacity": 1 if n_pairs <= _SEEN else 0}
    drawn = lines.mark_line(interpolate="step-after", strokeWidth=2, point=point)
    pairs = f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs, p not corrected; line: α = {alpha:g}"
    chart: alt.LayerChart = draw.layer(level, drawn, data=lines.data).properties(
        width=WIDTH,
        height=HEIGHT,
        title=title("Achieved significance levels", same, pairs),
    )
    return chart


def _of_measures(
    table: Frame, schema: schemas.TableSchema, measures: str | Sequence[str] | None, called: str
) -> pl.DataFrame:
    """Return the rows of measures in the order asked for."""
    rows = rows_of(table, schema, schema.key, called)
    if measures is None:
        return rows
    wanted = [measures] if isinstance(measures, str) else dict.fromkeys(measures)
    return pl.concat([rows_of(rows, schema, schema.key, called, measure=m) for m in wanted])


def own_line(names: Sequence[str]) -> dict[str, Any]:
    """Encode the name of a line as its colour and its dashes, in one legend."""
    draw, domain, n = altair(), harmless_all(names), len(names)
    legend = draw.Legend(labelLimit=2 * LONGEST, symbolType="stroke", symbolSize=400)
    said = {"type": "nominal", "title": None, "legend": legend}
    if n == 1:
        return {"color": draw.value(COLOURS[0])}
    colours, dashes = _cycled(COLOURS, n), _cycled(_DASHES, n, skip=True)
    return {
        "color": draw.Color("label", **said).scale(domain=domain, range=colours),
        "strokeDash": draw.StrokeDash("label", **said).scale(domain=domain, range=dashes),
    }


def power_chart(power: Frame, /) -> alt.Chart:
    """Draw discriminative power: the share of pairs of runs that each measure tells apart.

    Parameters
    ----------
    power
        The table of `discriminative_power`, also of several tests, corrections and levels.

    Returns
    -------
    altair.Chart
        A row for each measure, the one of the greatest power first, with a dot for each test (and
        correction, and alpha, where there are several) of its own colour and shape.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import power_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> [(row["measure"], round(row["power"], 3)) for row in power_chart(e.power).data.values]
    [('AP', 0.667), ('RR', 0.0)]
    """
    draw = altair()
    rows = rows_of(power, schemas.POWER, schemas.POWER.key, "power_chart")
    rows, same = _labelled(rows, "test", "correction", "alpha")
    rows = rows.with_columns(greatest=pl.col("power").max().over("measure"))
    rows = rows.sort("greatest", "measure", "label", descending=[True, False, False])
    measures = rows["measure"].unique(maintain_order=True).to_list()
    labels = rows["label"].unique().sort().to_list()
    n = len(labels)
    pixels = max(10 * n, step(len(measures), least=14, most=30))
    marks: dict[str, Any] = {"color": draw.value(COLOURS[0])}
    if n > 1:
        said = {"type": "nominal", "title": None, "legend": draw.Legend(labelLimit=LONGEST)}
        domain, shapes = harmless_all(labels), _cycled(_SHAPES, n)
        marks = {
            "color": draw.Color("label", **said).scale(domain=domain, range=_cycled(COLOURS, n)),
            "shape": draw.Shape("label", **said).scale(domain=domain, range=shapes),
            "yOffset": draw.YOffset("label", type="nominal").scale(domain=domain),
        }
    said_of = f"{of_pairs(rows['n_pairs'])} of runs"
    names = names_axis(labelFontSize=name_size(pixels), grid=True, tickSize=0)
    chart: alt.Chart = (
        draw.Chart(inside(rows.drop("greatest")))
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            draw.Y("measure", type="nominal", sort=harmless_all(measures), axis=names),
            draw.X("power", type="quantitative", title="share of pairs told apart")
            .axis(format="%")
            .scale(domain=[0, 1]),
            tooltip(
                ("measure", "measure", ""),
                ("test", "test", ""),
                ("correction", "correction", ""),
                ("alpha", "α", "~g"),
                ("power", "told apart", ".1%"),
                ("n_significant", "pairs told apart", "d"),
                ("n_pairs", "pairs", "d"),
            ),
            **marks,
        )
        .properties(
            width=WIDTH,
            height=pixels * len(measures),
            title=title("Discriminative power: share of pairs told apart", same, said_of),
        )
    )
    return chart
