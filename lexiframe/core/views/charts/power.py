"""Charts of p-values and of power: ASL curves, discriminative power, and power by requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, unknown_name
from lexiframe.core.views.charts.axes import LONGEST, rows_axis, share_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import across, altair, inside, layered, single, step
from lexiframe.core.views.charts.marks import level_line, nearest_line
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, SHARES, WIDTH, cycled
from lexiframe.core.views.charts.tables import rows_of, rows_with
from lexiframe.core.views.charts.texts import harmless_all, pairs_text
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_HEIGHT = WIDTH * 5 // 8
_DASHES = [[1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [12, 4], [5, 5], [2, 5], [10, 2, 2, 2, 2, 2]]
_SHAPES = "circle square triangle-up diamond triangle-down cross triangle-right".split()


def _labelled(rows: pl.DataFrame, *columns: str) -> tuple[pl.DataFrame, str]:
    """Name each row by the columns that differ; also return the constant columns as text."""
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


@panelled(lines=True)
def asl_chart(
    curve: Frame, measures: str | Sequence[str] | None = None, *, alpha: float = 0.05
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
        pairs differ by its measure. The p-values are on a square-root scale, which shows small
        ones. Of more than 500 pairs, every k-th p-value of a curve is drawn, and its last.

        Of one measure up to eight collections are the lines of a panel; of several measures, or
        more collections, each has a panel. They have no mean, as their pairs of runs differ.

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
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"], test="t")
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
    lines = lines.encode(x, draw.Y("p_value:Q", **y), tooltip=said, **_own_line(curves))
    return layered(
        [level_line("alpha", alpha, y, "α"), lines],
        rows,
        "Achieved significance levels",
        same,
        f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs, p not corrected; line: α = {alpha:g}",
        width=WIDTH,
        height=_HEIGHT,
    )


def _own_line(names: Sequence[str]) -> dict[str, Any]:
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


@panelled(mean_of("power", by=["alpha"]))
def power_chart(power: Frame) -> alt.Chart:
    """Draw discriminative power: the share of pairs of runs that differ significantly.

    Parameters
    ----------
    power
        The table of `discriminative_power`, also of several tests, corrections and levels.

    Returns
    -------
    altair.Chart
        A row for each measure, the one of the greatest power first, with a dot for each test (and
        correction, and alpha, where there are several) of its own colour and shape.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import power_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"], test="t")
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
        draw.X("power:Q", title="share of significant pairs", **share_axis()),
        said,
        **_own_dot(labels),
    )
    return single(
        points,
        "Discriminative power: share of significant pairs",
        same,
        f"{pairs_text(rows['n_pairs'])} of runs",
        width=across(),
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


_NAMED_LINES = 8
"""The number of pairs up to which each has a line of its own colour and a name in the legend."""
_MOST_LINES = 200
"""The number of pairs up to which each has a line; of more, cells say how many pairs they are."""


@panelled()
def power_curve_chart(
    curve: Frame,
    measure: str,
    *,
    highlight: tuple[str, str] | Sequence[tuple[str, str]] | None = None,
    power: float = 0.8,
) -> alt.LayerChart:
    """Draw with which power a test finds the differences of pairs of runs, by number of requests.

    Parameters
    ----------
    curve
        The table of `power_curve`.
    measure
        The measure whose differences are tested.
    highlight
        Pairs of runs, or one, whose lines have a colour and a name. Default: all of up to 8 pairs;
        of more, none.
    power
        A line is drawn at this power.

    Returns
    -------
    altair.LayerChart
        A line for each pair of runs; that nearest to the pointer is emphasised. Of more than 200
        pairs only those highlighted have lines, before cells that are darker the larger the share
        of all pairs whose power lies in them. Pairs with one request, which have no power, are left
        out, and the line below the title counts them.

        Several collections have a panel each, of one scale; they have no mean, because the
        differences of a pair of runs are others in each.

    Raises
    ------
    UnknownNameError
        For a measure or a pair that the table does not have.
    LexiframeError
        When Altair is not installed, when no pair has a power, and for a table with several groups
        of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import power_curve_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> chart = power_curve_chart(lf.power_curve(lf.scores(p, "AP"), [5, 50]), "AP")
    >>> of_first = [r for r in chart.data.values if r["run_b"] != "random"]
    >>> [(r["n_requests"], round(r["power"], 2)) for r in of_first]
    [(5, 0.0), (50, 0.96)]
    """
    called = "power_curve_chart"
    key = ["run_a", "run_b", "n_requests"]
    rows = rows_of(curve, schemas.POWER_CURVE, called, key, measure=measure)
    rows = rows.with_columns(label=pl.concat_str("run_a", "run_b", separator=" − "))
    known = rows.filter(pl.col("power").is_not_null())
    if known.is_empty():
        raise LexiframeError(f"{called}: expected a pair of runs with a power, found none")
    without = rows["label"].n_unique() - known["label"].n_unique()
    chosen = _pairs_named(known, highlight)
    known = known.with_columns(is_highlighted=pl.col("label").is_in(chosen)).drop("measure")
    n_pairs = known["label"].n_unique()
    aside = f", {without} without (one request)" if without else ""
    is_few = n_pairs <= _MOST_LINES
    layers = (_power_lines if is_few else _power_cells)(known, chosen, power)
    chart = layered(
        layers,
        known if is_few else known.filter("is_highlighted"),
        f"Power to find the differences of runs by {measure}",
        f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs{aside}; line: power {power:g}",
        width=WIDTH,
        height=_HEIGHT,
    )
    # The colours of cells are shares, those of lines are pairs.
    apart: alt.LayerChart = chart.resolve_scale(color="independent", strokeDash="independent")
    return apart


def _pairs_named(
    rows: pl.DataFrame, wanted: tuple[str, str] | Sequence[tuple[str, str]] | None
) -> list[str]:
    """Return the names of the pairs that are highlighted, in either direction asked for."""
    known = rows.select("run_a", "run_b", "label").unique(maintain_order=True)
    if wanted is None:
        return known["label"].to_list() if known.height <= _NAMED_LINES else []
    pairs = [wanted] if wanted and isinstance(wanted[0], str) else [*wanted]
    labels = {frozenset(pair): label for *pair, label in known.iter_rows()}
    for pair in pairs:
        if frozenset(pair) not in labels:
            raise unknown_name("pair", " − ".join(map(str, pair)), known["label"])
    return [labels[frozenset(pair)] for pair in pairs]


def _power_lines(rows: pl.DataFrame, chosen: list[str], power: float) -> list[Any]:
    """Return the layers of a line for each pair: the chosen ones in front, and one emphasised."""
    draw = altair()
    axis = draw.Axis(format="~s", tickMinStep=1)
    at = _power_encoding(draw.X("n_requests:Q", title="requests", axis=axis))
    faint = max(0.2, min(0.8, 40 / rows["label"].n_unique()))
    behind = draw.Chart().transform_filter("!datum.is_highlighted")
    behind = behind.mark_line(strokeWidth=1, color=GREY, opacity=faint)
    return [
        level_line("power", power, {}, "line at power"),
        behind.encode(**at),
        *_chosen_lines(chosen, at),
        *nearest_line(at, {}, "label", size=60),
    ]


def _power_encoding(x: Any) -> dict[str, Any]:
    draw = altair()
    return {
        "x": x,
        "y": draw.Y("power:Q", title="power").scale(domain=[0, 1]),
        "detail": draw.Detail("label:N"),
        "tooltip": tooltip("run_a", "run_b", "n_requests", ("power", "power", ".3f")),
    }


def _chosen_lines(chosen: list[str], at: dict[str, Any]) -> list[Any]:
    if not chosen:
        return []
    lines = altair().Chart().transform_filter("datum.is_highlighted")
    return [lines.mark_line(strokeWidth=2.5, point={"size": 20}).encode(**_own_line(chosen), **at)]


def _power_cells(rows: pl.DataFrame, chosen: list[str], power: float) -> list[Any]:
    """Return the layers of cells, of numbers of requests × tenths of power, and of chosen lines."""
    draw = altair()
    tenth = (pl.col("power") * 10).floor().clip(0, 9)  # the last includes 1
    cells = rows.group_by("n_requests", low=(tenth / 10).round(1)).agg(n_pairs=pl.len())
    share = pl.col("n_pairs") / pl.col("n_pairs").sum().over("n_requests")
    cells = cells.with_columns(high=(pl.col("low") + 0.1).round(1), share=share).sort(
        "n_requests", "low"
    )
    x = draw.X("n_requests:O", title="requests").axis(labelAngle=0)
    colour = draw.Color("share:Q", title="share of pairs").scale(**SHARES).legend(format="%")
    ends = ("low", "power from", ".1f"), ("high", "to", ".1f")
    said = tooltip("n_requests", *ends, ("share", "share of pairs", ".1%"), "n_pairs")
    y = draw.Y("low:Q", title="power")
    return [
        draw.Chart(inside(cells)).mark_rect().encode(x, y, draw.Y2("high"), colour, said),
        level_line("power", power, {}, "line at power"),
        *_chosen_lines(chosen, _power_encoding(x)),
    ]
