"""Charts of tests: p-values, power, and groups of runs that are not told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.errors import LexiframeError, unknown_name
from lexiframe.schemas import ASL_CURVE, COMPARISONS, POWER, POWER_CURVE, TableSchema
from lexiframe.significance.told_apart import groups_not_told_apart
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    GREY,
    LONGEST,
    NUMBER,
    SHARES,
    WIDTH,
    altair,
    harmless,
    harmless_all,
    inside,
    name_size,
    names_axis,
    of_pairs,
    of_requests,
    rows_of,
    step,
    title,
    tooltip,
)
from lexiframe.views.charts.matrices import tested
from lexiframe.views.charts.order import in_order, ranked

if TYPE_CHECKING:
    import altair as alt

_HEIGHT = WIDTH * 5 // 8
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
    """Return n of the kinds, again from the first after the last; with skip, shifted by one."""
    return [kinds[(i + skip * (i // len(kinds))) % len(kinds)] for i in range(n)]


_MOST_PLACES = 500
"""The number of points of a curve up to which all are drawn."""
_SEEN = 60
"""The number of points of a curve up to which they are seen."""


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
    rows = _of_measures(curve, ASL_CURVE, measures, "asl_chart")
    rows, same = _labelled(rows, "measure", "test", "correction")
    curves = rows["label"].unique(maintain_order=True).to_list()
    n_pairs = int(rows["place"].to_numpy().max())
    every = -(-n_pairs // _MOST_PLACES)
    last = pl.col("place").max().over("label")
    rows = rows.filter(((pl.col("place") - 1) % every == 0) | (pl.col("place") == last))
    scale = draw.Scale(type="sqrt", domain=[0, 1])
    levels = [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
    axis = draw.Axis(values=levels, format="~g", labelOverlap=False)
    # Both layers say the same of the axis: else it takes what one of them leaves open.
    y = {"type": "quantitative", "title": "p", "scale": scale, "axis": axis}
    x = draw.X("share", type="quantitative", title="share of pairs").scale(domain=[0, 1])
    lines = draw.Chart(inside(rows)).encode(
        x.axis(format="%"),
        draw.Y("p_value", **y),
        **_own_line(curves),
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
    # Points are what tooltips belong to; many of them would hide the dashes.
    point = {"size": 16, "opacity": 1 if n_pairs <= _SEEN else 0}
    drawn = lines.mark_line(interpolate="step-after", strokeWidth=2, point=point)
    pairs = f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs, p not corrected; line: α = {alpha:g}"
    chart: alt.LayerChart = draw.layer(level, drawn, data=lines.data).properties(
        width=WIDTH,
        height=_HEIGHT,
        title=title("Achieved significance levels", same, pairs),
    )
    return chart


def _of_measures(
    table: Frame, schema: TableSchema, measures: str | Sequence[str] | None, called: str
) -> pl.DataFrame:
    """Return the rows of measures in the order asked for."""
    rows = rows_of(table, schema, schema.key, called)
    if measures is None:
        return rows
    wanted = [measures] if isinstance(measures, str) else dict.fromkeys(measures)
    return pl.concat([rows_of(rows, schema, schema.key, called, measure=m) for m in wanted])


def _own_line(names: Sequence[str]) -> dict[str, Any]:
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
    rows = rows_of(power, POWER, POWER.key, "power_chart")
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


def critical_difference_chart(
    c: Frame,
    by: Frame,
    /,
    measure: str,
    *,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
) -> alt.HConcatChart:
    """Draw the runs on the axis of their means, with bars over those that are not told apart.

    Parameters
    ----------
    c
        The table of `compare`, with all pairs and a correction for many comparisons, or that of
        `tukey_hsd`, which tests all pairs at once with the requests as blocks.
    by
        What places the runs: the table of an evaluation's means, or that of `order_runs` with one
        method, such as ``borda`` for mean ranks.
    measure
        The measure by which runs are compared.
    test, correction
        The test and the correction, when the table has several.
    alpha
        The level of significance that the comparisons were made with, for the title, as the table
        does not say it. Default: the title does not say it either.

    Returns
    -------
    altair.HConcatChart
        A row for each run, the best first, with a point at its mean (or its value in the ordering);
        beside it, bars that each span a group of adjacent runs of which no two are told apart. The
        groups are those of the table: every largest group has a bar, and bars may overlap. They
        are not made from a single critical difference, which paired tests do not have.

        Two runs may not be told apart although a run between them is told apart from one of them.
        No bar spans such a pair, as it would span the run between them too. The line below the
        title counts these pairs; `significance_chart` shows them.

    Raises
    ------
    UnknownNameError
        For a measure, test or correction that the table does not have.
    LexiframeError
        When Altair is not installed, when ``c`` lacks a pair or ``by`` a run, and for a table with
        several tests, corrections, methods or groups of requests.

    Notes
    -----
    The diagram is that of Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets",
    JMLR 7 (2006), with rows in the place of its lines to the names. Its groups are those of
    Nemenyi's test, and these are of the test in the table. Benavoli, Corani & Mangili, "Should We
    Really Use Post-Hoc Tests Based on Mean-Ranks?", JMLR 17 (2016), say why.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import critical_difference_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"])
    >>> chart = critical_difference_chart(e.comparisons, e.means, "AP", alpha=0.05)
    >>> [(bar["from"], bar["to"]) for bar in chart.hconcat[1].data.values]
    [('pixels_euclidean', 'pca8_euclidean')]
    """
    draw, called = altair(), "critical_difference_chart"
    chosen = {"measure": measure, "test": test, "correction": correction}
    pairs = rows_of(c, COMPARISONS, ["run_a", "run_b"], called, **chosen)
    placed = ranked(called, by, measure)
    runs = in_order(called, placed["run"], pl.concat([pairs["run_a"], pairs["run_b"]]), measure)
    placed = placed.filter(pl.col("run").is_in(runs)).with_columns(
        place=pl.int_range(1, pl.len() + 1)
    )
    alike = groups_not_told_apart(pairs, runs)
    bars = _in_lanes(alike.groups, runs)
    pixels = step(len(runs), most=28)
    n = alike.n_without
    without = f"no bar for {n:,} pair{'s' * (n != 1)} not told apart: a run between differs"
    parts = [_points_by_value(placed, pixels, measure), _bars(bars, len(runs), pixels)]
    chart = draw.hconcat(*parts[: 2 if bars.height else 1], spacing=6)
    named: alt.HConcatChart = chart.resolve_scale(y="independent").properties(
        title=title(
            f"Runs by {measure}; a bar joins runs that are not told apart",
            f"{tested(pairs, alpha)}, {of_requests(pairs['n'])}",
            without if n else "",
        )
    )
    return named


def _in_lanes(groups: pl.DataFrame, runs: Sequence[str]) -> pl.DataFrame:
    """Give each group the first lane in which it meets no other; add the names at its ends."""
    ends: list[int] = []
    lanes = []
    for first, last in groups.iter_rows():
        free = [lane for lane, end in enumerate(ends) if end < first]
        lane = free[0] if free else len(ends)
        ends[lane : lane + 1] = [last]
        lanes.append(lane)
    names = {"from": groups["first"], "to": groups["last"]}
    return groups.with_columns(
        pl.Series("lane", lanes, pl.Int64),
        *(
            pl.Series(end, [runs[place - 1] for place in places], pl.String)
            for end, places in names.items()
        ),
        n_runs=pl.col("last") - pl.col("first") + 1,
    )


def _rows_scale(n_runs: int) -> Any:
    return altair().Scale(domain=[0.5, n_runs + 0.5], reverse=True, nice=False, zero=False)


def _points_by_value(placed: pl.DataFrame, pixels: int, measure: str) -> Any:
    draw = altair()
    method = placed["method"][0]
    unit = harmless(f"mean {measure}" if method == "mean" else f"{method} of {measure}")
    axis = names_axis(labelFontSize=name_size(pixels), grid=True, tickSize=0)
    height = pixels * placed.height
    return (
        draw.Chart(inside(placed))
        .mark_point(filled=True, opacity=1, color=COLOURS[0], size=min(60, pixels**2 // 4))
        .encode(
            draw.Y("run", type="nominal", sort=harmless_all(placed["run"]), axis=axis).scale(
                padding=0.5, type="point"
            ),
            draw.X("value", type="quantitative", title=unit)
            .scale(zero=False, padding=8)
            .axis(format=NUMBER),
            tooltip(("run", "run", ""), ("value", unit, ".4f"), ("rank", "rank", "~g")),
        )
        .properties(width=WIDTH, height=height)
    )


def _bars(bars: pl.DataFrame, n_runs: int, pixels: int) -> Any:
    draw, scale = altair(), _rows_scale(n_runs)
    wide = 9
    y = {"type": "quantitative", "axis": None, "scale": scale}
    n_lanes = bars["lane"].n_unique()
    return (
        draw.Chart(inside(bars), view=draw.ViewBackground(stroke=None))
        .mark_rule(strokeWidth=4, strokeCap="round", color="black")
        .encode(
            draw.Y("first", **y),
            draw.Y2("last"),
            draw.X("lane", type="quantitative", axis=None).scale(
                domain=[-0.5, n_lanes - 0.5], nice=False, zero=False
            ),
            tooltip(("from", "from", ""), ("to", "to", ""), ("n_runs", "runs", "d")),
        )
        .properties(width=wide * n_lanes, height=pixels * n_runs)
    )


_NAMED_LINES = 8
"""The number of pairs up to which each has a line of its own colour and a name in the legend."""
_MOST_LINES = 200
"""The number of pairs up to which each has a line; of more, cells say how many pairs they are."""


def power_curve_chart(
    curve: Frame,
    /,
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
    [(5, 0.15), (50, 0.96)]
    """
    draw, called = altair(), "power_curve_chart"
    key = ["run_a", "run_b", "n_requests"]
    rows = rows_of(curve, POWER_CURVE, key, called, measure=measure)
    rows = rows.with_columns(label=pl.concat_str("run_a", "run_b", separator=" − "))
    known = rows.filter(pl.col("power").is_not_null())
    if known.is_empty():
        raise LexiframeError(f"{called}: expected a pair of runs with a power, found none")
    without = rows["label"].n_unique() - known["label"].n_unique()
    chosen = _pairs_named(known, highlight)
    known = known.with_columns(is_highlighted=pl.col("label").is_in(chosen)).drop("measure")
    n_pairs = known["label"].n_unique()
    aside = f", {without} without (one request)" if without else ""
    layers_of = _power_lines if n_pairs <= _MOST_LINES else _power_cells
    shown = known if n_pairs <= _MOST_LINES else known.filter("is_highlighted")
    layers = layers_of(known, chosen, power)
    # The colours of cells are shares, those of lines are pairs.
    layered = draw.layer(*layers, data=inside(shown)).resolve_scale(
        color="independent", strokeDash="independent"
    )
    chart: alt.LayerChart = layered.properties(
        width=WIDTH,
        height=_HEIGHT,
        title=title(
            f"Power to find the differences of runs by {measure}",
            f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs{aside}; line: power {power:g}",
        ),
    )
    return chart


def _pairs_named(
    rows: pl.DataFrame, wanted: tuple[str, str] | Sequence[tuple[str, str]] | None
) -> list[str]:
    """Return the names of the pairs that are highlighted, in either direction asked for."""
    known = rows.select("run_a", "run_b", "label").unique(maintain_order=True)
    if wanted is None:
        return known["label"].to_list() if known.height <= _NAMED_LINES else []
    if isinstance(wanted, str):
        raise unknown_name("pair", wanted, known["label"], advice="; name both runs: (a, b)")
    pairs = [wanted] if wanted and isinstance(wanted[0], str) else [*wanted]
    labels = {frozenset(pair): label for *pair, label in known.iter_rows()}
    for pair in pairs:
        if frozenset(pair) not in labels:
            raise unknown_name("pair", " − ".join(map(str, pair)), known["label"])
    return [labels[frozenset(pair)] for pair in pairs]


def _power_lines(rows: pl.DataFrame, chosen: list[str], power: float) -> list[Any]:
    """Return the layers of a line for each pair: the chosen ones in front, and one emphasised."""
    draw = altair()
    near = draw.selection_point(
        name="near", on="pointerover", nearest=True, fields=["label"], empty=False
    )
    axis = draw.Axis(format="~s", tickMinStep=1)
    at = _at_power(draw.X("n_requests", type="quantitative", title="requests", axis=axis))
    behind = draw.Chart().transform_filter("!datum.is_highlighted")
    faint = max(0.2, min(0.8, 40 / rows["label"].n_unique()))
    emphasis = draw.condition(near, draw.value(1), draw.value(0))
    return [
        _level(power),
        behind.mark_line(strokeWidth=1, color=GREY, opacity=faint).encode(**at),
        *_chosen_lines(chosen, at),
        draw.Chart().mark_line(strokeWidth=3, color="black").encode(opacity=emphasis, **at),
        draw.Chart()
        .mark_point(size=60, opacity=0)
        .encode(**at)
        .add_params(near)
        .properties(name="points"),
    ]


def _at_power(x: Any) -> dict[str, Any]:
    draw = altair()
    return {
        "x": x,
        "y": draw.Y("power", type="quantitative", title="power").scale(domain=[0, 1]),
        "detail": draw.Detail("label", type="nominal"),
        "tooltip": tooltip(
            ("run_a", "run", ""),
            ("run_b", "and", ""),
            ("n_requests", "requests", "d"),
            ("power", "power", ".3f"),
        ),
    }


def _level(power: float) -> Any:
    draw = altair()
    line = draw.Chart(draw.InlineData(values=[{"power": power}])).mark_rule(color=GREY)
    return line.encode(
        draw.Y("power", type="quantitative"), tooltip=tooltip(("power", "line at power", "~g"))
    )


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
    x = draw.X("n_requests", type="ordinal", title="requests").axis(labelAngle=0)
    colour = draw.Color("share", type="quantitative", title="share of pairs")
    return [
        draw.Chart(inside(cells))
        .mark_rect()
        .encode(
            x,
            draw.Y("low", type="quantitative", title="power"),
            draw.Y2("high"),
            colour.scale(scheme=SHARES, domain=[0, 1]).legend(format="%"),
            tooltip(
                ("n_requests", "requests", "d"),
                ("low", "power from", ".1f"),
                ("high", "to", ".1f"),
                ("share", "share of pairs", ".1%"),
                ("n_pairs", "pairs", "d"),
            ),
        ),
        _level(power),
        *_chosen_lines(chosen, _at_power(x)),
    ]
