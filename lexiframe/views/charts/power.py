"""Charts of p-values and of power: ASL curves, and discriminative power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.axes import LONGEST, rows_axis, share_axis
from lexiframe.views.charts.colours import COLOURS, cycled
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import WIDTH, altair, inside, layered, single, step
from lexiframe.views.charts.marks import level_line
from lexiframe.views.charts.tables import rows_of, rows_with
from lexiframe.views.charts.texts import harmless_all, of_pairs

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
    rows = rows_with(rows_of(curve, schemas.ASL_CURVE, "asl_chart"), "measure", measures)
    same = _labelled(rows, "measure", "test")[1]  # the p-values drawn have no correction
    rows, _ = _labelled(rows, "measure", "test", "correction")
    curves = rows["label"].unique(maintain_order=True).to_list()
    n_pairs = int(rows["place"].to_numpy().max())
    every = -(-n_pairs // _MOST_PLACES)
    last = pl.col("place").max().over("label")
    rows = rows.filter(((pl.col("place") - 1) % every == 0) | (pl.col("place") == last))
    levels = [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
    # Both layers describe the axis in full: Vega-Lite merges them, and takes its own defaults for
    # what one layer leaves out.
    y = {
        "title": "p",
        "scale": draw.Scale(type="sqrt", domain=[0, 1]),
        "axis": draw.Axis(values=levels, format="~g", labelOverlap=False),
    }
    x = draw.X("share:Q", title="share of pairs", **share_axis())
    share = ("share", "share of pairs up to it", ".1%")
    said = tooltip("measure", "test", "run_a", "run_b", "p_value", "p_adjusted", share)
    # Tooltips belong to points. Many visible points would hide the dashes of the line.
    point = {"size": 16, "opacity": 1 if n_pairs <= _SEEN else 0}
    lines = draw.Chart(inside(rows)).mark_line(interpolate="step-after", strokeWidth=2, point=point)
    lines = lines.encode(x, draw.Y("p_value:Q", **y), tooltip=said, **own_line(curves))
    return layered(
        [level_line("alpha", alpha, y, "α"), lines],
        rows,
        "Achieved significance levels",
        same,
        f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs, p not corrected; line: α = {alpha:g}",
        width=WIDTH,
        height=HEIGHT,
    )


def own_line(names: Sequence[str]) -> dict[str, Any]:
    """Encode the name of a line as its colour and its dashes, in one legend."""
    draw, domain, n = altair(), harmless_all(names), len(names)
    if n == 1:
        return {"color": draw.value(COLOURS[0])}
    legend = draw.Legend(labelLimit=2 * LONGEST, symbolType="stroke", symbolSize=400)
    said = {"title": None, "legend": legend}
    colours, dashes = cycled(COLOURS, n), cycled(_DASHES, n, skip=True)
    return {
        "color": draw.Color("label:N", **said).scale(domain=domain, range=colours),
        "strokeDash": draw.StrokeDash("label:N", **said).scale(domain=domain, range=dashes),
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
    rows = rows_of(power, schemas.POWER, "power_chart")
    rows, same = _labelled(rows, "test", "correction", "alpha")
    greatest = pl.col("power").max().over("measure")
    rows = rows.sort(greatest, "measure", "label", descending=[True, False, False])
    measures = rows["measure"].unique(maintain_order=True).to_list()
    labels = rows["label"].unique().sort().to_list()
    pixels = max(10 * len(labels), step(len(measures), least=14, most=30))
    said = tooltip("measure", "test", "correction", "alpha", "power", "n_significant", "n_pairs")
    points = draw.Chart(inside(rows)).mark_point(filled=True, size=60, opacity=1)
    points = points.encode(
        rows_axis("measure", measures, pixels, cut=False),
        draw.X("power:Q", title="share of pairs told apart", **share_axis()),
        said,
        **_own_dot(labels),
    )
    return single(
        points,
        "Discriminative power: share of pairs told apart",
        same,
        f"{of_pairs(rows['n_pairs'])} of runs",
        width=WIDTH,
        height=pixels * len(measures),
    )


def _own_dot(names: Sequence[str]) -> dict[str, Any]:
    """Encode the name of a dot as its colour, its shape and its place within the row."""
    draw, domain, n = altair(), harmless_all(names), len(names)
    if n == 1:
        return {"color": draw.value(COLOURS[0])}
    said = {"title": None, "legend": draw.Legend(labelLimit=LONGEST)}
    colours, shapes = cycled(COLOURS, n), cycled(_SHAPES, n)
    return {
        "color": draw.Color("label:N", **said).scale(domain=domain, range=colours),
        "shape": draw.Shape("label:N", **said).scale(domain=domain, range=shapes),
        "yOffset": draw.YOffset("label:N").scale(domain=domain),
    }
