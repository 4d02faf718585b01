"""Charts of the means of the runs, with their intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars, unknown_name
from lexiframe.core.io import logs
from lexiframe.core.orderings import is_count
from lexiframe.core.views.charts.axes import LONGEST, NUMBER, room_at_ends, rows_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import across, altair, faceted, header, layered, step
from lexiframe.core.views.charts.marks import confidence, dots
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, GROUND, WIDTH, cycled
from lexiframe.core.views.charts.tables import chosen, refuse_gaps, rows_of
from lexiframe.core.views.charts.texts import harmless_all, requests_text, spoken
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.typing import Frame, LogLike

if TYPE_CHECKING:
    import altair as alt

_SIDE_BY_SIDE = 6
"""The number of measures that stand side by side; more begin another row."""


@panelled(mean_of("mean", "rank"))
def mean_chart(
    means: Frame, measures: str | Sequence[str] | None = None, *, alpha: float | None = None
) -> alt.LayerChart | alt.FacetChart:
    """Draw the means of the runs with their intervals, the best run first.

    Parameters
    ----------
    means
        The table ``means`` of an evaluation.
    measures
        One measure, or several that are drawn side by side, each on its own scale, in the order of
        the runs by the first of them. Default: all measures of the table.
    alpha
        The alpha that the intervals were computed with, for the title, as the table does not say
        it. Default: the title does not say it either.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        A row for each run, with a point at its mean and a bar from ``ci_low`` to ``ci_high``. One
        request gives no interval. The point is hollow where the run has fewer requests than another
        has; runs without ranks, because some lack requests, are sorted by name. With several
        measures it is a FacetChart.

        Several collections have a panel each, of one scale, and their mean comes last. It is of
        the runs that all of them have, and has no intervals.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import mean_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> chart = mean_chart(e.means, "AP")
    >>> [(row["run"], round(row["mean"], 2)) for row in chart.data.values]
    [('pixels_euclidean', 0.86), ('pca8_euclidean', 0.82), ('random', 0.03)]
    """
    draw, called = altair(), "mean_chart"
    rows = refuse_gaps(rows_of(means, schemas.MEANS, called, ["run", "measure"]), called, "n")
    known = rows["measure"].unique(maintain_order=True).to_list()
    named = chosen("measure", measures, known) or known
    rows = rows.filter(pl.col("measure").is_in(named))
    rows = rows.sort(pl.col("measure").cast(pl.Enum(named)), "rank", "run")
    rows, of_intervals = cut_at_bounds(rows)
    rows = rows.with_columns(is_partial=pl.col("n") < pl.col("n").max().over("measure"))
    runs = rows["run"].unique(maintain_order=True).to_list()
    pixels, is_one = step(len(runs)), len(named) == 1
    width = min(across(), max(120, WIDTH // min(len(named), _SIDE_BY_SIDE)))
    # A number at the axis takes 40 pixels. An axis without a format may round its only number.
    ticks = draw.Axis(tickCount=width // 40, format=NUMBER)
    axis_title = spoken(f"mean {named[0]}") if is_one else "mean"
    x = {"title": axis_title, "axis": ticks, "scale": room_at_ends()}
    layers = _bars_and_points(rows, runs, pixels, x)
    words = (*_title_lines(rows, named, alpha), *of_intervals)
    rows = rows if rows["is_partial"].any() else rows.drop("is_partial")
    sizes = {"height": draw.Step(pixels), "width": width}
    if is_one:
        return layered(layers, rows, *words, **sizes)
    names = header(labelLimit=LONGEST)
    by = draw.Facet("measure:N", sort=harmless_all(named), header=names)
    panels = {"facet": by, "columns": _SIDE_BY_SIDE}
    chart = faceted(layers, rows, panels, *words, gap=0, **sizes)
    own_scales: alt.FacetChart = chart.resolve_scale(x="independent")
    return own_scales


def _title_lines(rows: pl.DataFrame, measures: list[str], alpha: float | None) -> Iterator[str]:
    """Yield the title (measures and order), then the meaning of the bars, then the gaps."""
    first, is_one = measures[0], len(measures) == 1
    is_ranked = rows.filter(measure=first)["rank"].count() > 0 or is_count(first)
    order = "best first" + ("" if is_one else f" by {first}") if is_ranked else "by name"
    shown = f"Mean {first}" if is_one else "Means"
    by = " by weight" * ("n_effective" in rows.columns)
    yield f"{shown} over {requests_text(rows['n'])}{by}, {order}"
    level = "" if alpha is None else f"{100 * (1 - alpha):g} % "
    yield f"bars are {level}intervals of the mean" if rows["ci_low"].count() else ""
    yield from _gap_lines(rows)


def _bars_and_points(
    rows: pl.DataFrame, runs: list[str], pixels: int, x: dict[str, Any]
) -> list[Any]:
    draw, blue = altair(), COLOURS[0]
    y = rows_axis("run", runs, pixels)
    said = tooltip("run", "measure", "mean", "ci_low", "ci_high", ("rank", "rank", ""), "n")
    bars = confidence(x, pixels, y, said, color=blue, opacity=0.6)
    points = dots("mean", x, pixels, y, said, color=blue)
    if not rows["is_partial"].any():
        return [bars, points]
    fill = draw.condition("datum.is_partial", draw.value(GROUND), draw.value(blue))
    return [bars, points.encode(stroke=draw.value(blue), fill=fill)]


def _gap_lines(rows: pl.DataFrame) -> Iterator[str]:
    """Yield a line on runs that lack requests, and one on the measures without an order."""
    is_partial = rows["is_partial"].any()
    if is_partial:
        yield "hollow: over fewer requests than another run has"
    unranked = rows.filter(pl.col("rank").is_null())["measure"].unique(maintain_order=True)
    names = [name for name in unranked if not is_count(name)]
    if names:
        yield f"no order by {', '.join(names)}: the runs have different requests"


@panelled(mean_of("mean"))
def trade_off_chart(
    means: Frame,
    x: str,
    y: str,
    *,
    log: LogLike | None = None,
    colour: str | None = None,
) -> alt.LayerChart:
    """Draw one measure against another, with a point for each run.

    Parameters
    ----------
    means
        The table ``means`` of an evaluation, also with columns that `with_log` has added.
    x, y
        The measures from left to right and from bottom to top.
    log
        What describes the runs, as `with_log` takes it: a frame with a row for each run, or the
        path of such a file.
    colour
        The column of the log, or one that ``means`` has beside its own, that colours the points: a
        parameter of the runs. Texts also have a shape each. Runs without a value are grey crosses.

    Returns
    -------
    altair.LayerChart
        A point is at the means of a run under both measures. Names stand beside the points where
        there is room; the tooltips have all of them.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    UnknownNameError
        For a measure or a column that there is not.
    SchemaError
        As `with_log`.
    LexiframeError
        When Altair is not installed, when no run has means under both measures, and for a table
        with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import trade_off_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> log = pl.DataFrame({"run": ["pca8_euclidean", "random"], "params.k": [8, 1]})
    >>> with_k = trade_off_chart(e.means.filter(pl.col("run") != "pixels_euclidean"), "AP", "RR",
    ...                          log=log, colour="params.k")
    >>> [(r["run"], round(r["x"], 2), round(r["y"], 2), r["colour"]) for r in with_k.data.values]
    [('pca8_euclidean', 0.82, 0.87, 8), ('random', 0.03, 0.39, 1)]
    """
    draw, called = altair(), "trade_off_chart"
    rows, without = _both_means(means, x, y, called)
    if colour is not None:
        of_runs = means if log is None else logs.with_log(rows.select("run"), log)
        values = _parameter(
            of_runs, colour, {"run"} if log is not None else {*schemas.MEANS.columns}
        )
        rows = rows.join(values, on="run", how="left", maintain_order="left")
    elif log is not None:
        raise LexiframeError(
            f"{called}: expected colour= to name a column of the log, found none; leave out the "
            "log, or choose a column"
        )
    points = _points(rows, spoken(x), spoken(y), colour)
    at = {"x": points.encoding.x, "y": points.encoding.y, "tooltip": points.encoding.tooltip}
    names = draw.Chart().mark_text(align="left", dx=8, limit=LONGEST, fontSize=10, color=GREY)
    names = names.encode(draw.Text("run:N"), **at).transform_filter("datum.has_room")
    return layered(
        [points, names],
        rows.with_columns(has_room=_room_for_names(rows)),
        f"{y} against {x}" + (f" by {colour}" if colour is not None else ""),
        f"{rows.height} run{'s' * (rows.height != 1)}, {requests_text(rows['n'])}",
        f"{without} without a mean under both measures" if without else "",
        width=WIDTH,
        height=WIDTH * 3 // 4,
    )


def _both_means(means: Frame, x: str, y: str, called: str) -> tuple[pl.DataFrame, int]:
    """Return run, x, y and n of the runs that have both means, and the number of other runs."""
    of_x, of_y = (
        rows_of(means, schemas.MEANS, called, ["run"], measure=measure)
        .filter(pl.col("mean").is_finite())
        .select("run", "n", pl.col("mean").alias(name))
        for name, measure in (("x", x), ("y", y))
    )
    both = of_x.join(of_y.select("run", "y"), on="run").select("run", "x", "y", "n").sort("run")
    if both.is_empty():
        raise LexiframeError(
            f"{called}: expected a run with means under {x} and {y}, found none; choose measures "
            "of the same evaluation"
        )
    return both, schemas.check(means, schemas.MEANS)["run"].n_unique() - both.height


def _room_for_names(rows: pl.DataFrame) -> pl.Series:
    """Return for each run whether its name, to the right of its point, would cover no other point.

    Names that cover no point do not cover one another either.
    """
    at = rows.select("x", "y").to_numpy()
    extent = np.where(np.ptp(at, axis=0) > 0, np.ptp(at, axis=0), 1)
    pixels = at / extent * [across(), across() * 3 // 4] * 0.9  # the scales leave a margin
    right, down = np.moveaxis(pixels[None] - pixels[:, None], 2, 0)
    width = np.minimum(rows["run"].str.len_chars().to_numpy() * 6 + 12, LONGEST)
    covered = (right >= 0) & (right < width[:, None]) & (np.abs(down) < 12)
    np.fill_diagonal(covered, False)
    return pl.Series(~covered.any(axis=1))


def _parameter(of_runs: Frame, colour: str, own: set[str]) -> pl.DataFrame:
    """Return the column that colours the runs: numbers, or text made from any other values."""
    table = to_polars(of_runs)
    known = [name for name in table.columns if name not in own]
    if colour not in known:
        raise unknown_name("column", colour, known)
    values = table[colour]
    if values.dtype.is_numeric():
        values = values if values.dtype.is_integer() else values.cast(pl.Float64)  # also decimals
    else:  # dates, truth values and lists as Python writes them
        values = pl.Series(
            [None if v is None else str(v) for v in values.to_list()], dtype=pl.String
        )
    runs = schemas.check(
        table.select("run"), schemas.TableSchema("runs", ("run",), {"run": schemas.STR})
    )
    return runs.with_columns(values.alias("colour")).unique("run", keep="first")


def _points(rows: pl.DataFrame, x: str, y: str, colour: str | None) -> Any:
    draw = altair()
    scale, axis = draw.Scale(zero=False, padding=12), draw.Axis(format=NUMBER)
    said = tooltip("run", ("x", x, ".4f"), ("y", y, ".4f"), "n")
    marked: dict[str, Any] = {"color": draw.value(COLOURS[0])}
    if colour is not None:
        name, is_number = spoken(colour), rows["colour"].dtype.is_numeric()
        said += tooltip(("colour", name, "~g" if is_number else ""))
        marked = _number_encoding(name) if is_number else _text_encoding(rows["colour"], name)
    points = draw.Chart().mark_point(filled=True, opacity=0.9, size=70)
    return points.encode(
        draw.X("x:Q", title=f"mean {x}", scale=scale, axis=axis),
        draw.Y("y:Q", title=f"mean {y}", scale=scale, axis=axis),
        said,
        **marked,
    )


_KNOWN = "datum.colour !== null"


def _number_encoding(name: str) -> dict[str, Any]:
    """Encode numbers by colour; a run without one is a grey cross."""
    draw = altair()
    colour = draw.Color("colour:Q", title=name).scale(scheme="viridis")
    return {
        "color": draw.condition(_KNOWN, colour, draw.value(GREY)),
        "shape": draw.condition(_KNOWN, draw.value("circle"), draw.value("cross")),
    }


_SHAPES = "circle square triangle-up diamond triangle-down triangle-right triangle-left".split()


def _text_encoding(values: pl.Series, name: str) -> dict[str, Any]:
    """Encode texts by colour and shape, in whose cycles no two of 56 are the same."""
    draw = altair()
    known = harmless_all(values.drop_nulls().unique().sort())
    colours, shapes = (
        draw.Scale(domain=known, range=cycled(kinds, len(known))) for kinds in (COLOURS, _SHAPES)
    )
    of_colour = draw.Color("colour:N", title=name, scale=colours)
    of_shape = draw.Shape("colour:N", title=name, scale=shapes)
    return {
        "color": draw.condition(_KNOWN, of_colour, draw.value(GREY)),
        "shape": draw.condition(_KNOWN, of_shape, draw.value("cross")),
    }
