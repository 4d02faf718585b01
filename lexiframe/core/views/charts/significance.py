"""Charts of significant differences: the significance map, and groups of runs without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.significance import indistinct_groups
from lexiframe.core.views.charts.axes import NUMBER, places_scale, rows_axis, square
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import across, altair, inside, single, step, title
from lexiframe.core.views.charts.marks import dots
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.runs_in_order import Order, ranked, sort_runs
from lexiframe.core.views.charts.style import BLACK, COLOURS, FAINT
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import requests_text, runs_text, spoken, tested
from lexiframe.core.views.sentences.gains import GAIN
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled()
def significance_chart(
    c: Frame,
    /,
    measure: str | None = None,
    *,
    order: Order | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
) -> alt.Chart:
    """Draw which runs are significantly better than which.

    Parameters
    ----------
    c
        The table of `compare` or of `tukey_hsd`.
    measure
        The measure by which runs are compared, when the table has several.
    order
        The runs from top to bottom and from left to right; or the table of `order_runs`, or of an
        evaluation's means, whose ranks by this measure order them. Default: the run with most
        significant wins over losses comes first, and of those with as many the one of the greatest
        mean difference.
    test, correction
        The test and the correction, when the table has several.
    alpha
        The level of significance that the comparisons were made with, for the title, as the table
        does not say it. Default: the title does not say it either.

    Returns
    -------
    altair.Chart
        A blue triangle that points up says that the run of the row is significantly better than the
        run of the column, an orange one that points down that it is worse, and a grey dot that they
        do not differ significantly. A cross says that they are not tested, for they have fewer than
        two requests in common. Runs that were not compared have no mark.

        Several collections have a panel each, of one scale; they have no mean, because a test of
        each is no test of all.

    Raises
    ------
    UnknownNameError
        For a measure, test or correction that the table does not have.
    LexiframeError
        When Altair is not installed, for an order that lacks a run of the table, and for a table
        with several measures, tests, corrections or groups of requests of which none is chosen.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import significance_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], test="t")
    >>> chart = significance_chart(e.comparisons, "AP", order=e.orderings)
    >>> [r["against"] for r in chart.data.values if r["run"] == "random" and r["is"] == "worse"]
    ['pca8_euclidean', 'pixels_euclidean']
    """
    draw, called = altair(), "significance_chart"
    chosen = {"measure": measure, "test": test, "correction": correction}
    pairs = rows_of(c, schemas.COMPARISONS, called, ["run_a", "run_b"], **chosen)
    measure = str(pairs["measure"][0])
    cells = _who_beats_whom(pairs)
    runs = sort_runs(
        called, _sort_by_wins(cells) if order is None else order, cells["run"], measure
    )
    pixels = step(len(runs))
    large, small = pixels**2 // 3, pixels**2 // 16
    kinds = {
        "better": ("triangle-up", COLOURS[0], large),
        "not significantly different": ("circle", FAINT, small),
        "worse": ("triangle-down", COLOURS[1], large),
    }
    if (cells["is"] == _UNTESTED).any():
        kinds[_UNTESTED] = ("cross", FAINT, large // 2)
    shapes, colours, sizes = map(list, zip(*kinds.values(), strict=True))
    said = {"title": "run is"}
    marks = square(cells, "run", "against", runs).mark_point(filled=True, opacity=1)
    marks = marks.encode(
        draw.Shape("is:N", **said).scale(domain=[*kinds], range=shapes),
        draw.Color("is:N", **said).scale(domain=[*kinds], range=colours),
        draw.Size("is:N", **said).scale(type="ordinal", domain=[*kinds], range=sizes),
        tooltip(
            "run", "is", "against", "mean_difference", "effect_size", "p_value", "p_adjusted", "n"
        ),
    )
    return single(
        marks,
        f"Which run is significantly better by {measure}",
        tested(pairs, alpha),
        runs_text(runs, pairs["n"]),
    )


_UNTESTED = "not tested"


def _who_beats_whom(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, and whether it is significantly better or worse."""
    numbers = ["effect_size", "p_value", "p_adjusted", "n"]
    a, b = pl.col("run_a"), pl.col("run_b")
    both = [
        pairs.select(
            "reject",
            *numbers,
            is_tested=indistinct_groups.IS_TESTED,
            run=run,
            against=against,
            gain=sign * GAIN,
            mean_difference=sign * pl.col("mean_difference"),
        )
        for run, against, sign in ((a, b, 1), (b, a, -1))
    ]
    told = pl.when(pl.col("gain") > 0).then(pl.lit("better")).otherwise(pl.lit("worse"))
    kind = pl.when(~pl.col("reject")).then(pl.lit("not significantly different")).otherwise(told)
    kind = pl.when(~pl.col("is_tested")).then(pl.lit(_UNTESTED)).otherwise(kind)
    columns = ["run", "against", "is", "mean_difference", *numbers]
    return pl.concat(both).with_columns(kind.alias("is")).select(columns).sort("run", "against")


def _sort_by_wins(cells: pl.DataFrame) -> pl.Series:
    """Return the runs by significant wins less losses, then by mean difference, then by name."""
    lead = (pl.col("is") == "better").sum().cast(pl.Int64) - (pl.col("is") == "worse").sum()
    runs = cells.group_by("run").agg(lead.alias("lead"), pl.col("mean_difference").mean())
    down = [True, True, False]
    return runs.sort("lead", "mean_difference", "run", descending=down, nulls_last=True)["run"]


@panelled()
def critical_difference_chart(
    c: Frame,
    /,
    by: Frame,
    measure: str | None = None,
    *,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
) -> alt.HConcatChart:
    """Draw the runs on the axis of their means, with bars over those that do not differ.

    Parameters
    ----------
    c
        The table of `compare`, with all pairs and a correction for many comparisons, or that of
        `tukey_hsd`, which tests all pairs at once with the requests as blocks.
    by
        What places the runs: the table of an evaluation's means, or that of `order_runs` with one
        method, such as ``borda`` for mean ranks.
    measure
        The measure by which runs are compared, when the table has several.
    test, correction
        The test and the correction, when the table has several.
    alpha
        The level of significance that the comparisons were made with, for the title, as the table
        does not say it. Default: the title does not say it either.

    Returns
    -------
    altair.HConcatChart
        A row for each run, the best first, with a point at its mean (or its value in the ordering);
        beside it, bars that each span a group of adjacent runs that do not differ significantly.
        Groups are those of the table: each that no other contains has a bar, and bars may overlap.
        They are not made from a single critical difference, which paired tests do not have.

        Two runs may not differ significantly although one between them differs from one of them.
        No bar spans such a pair, as it would span the run between them too. The line below the
        title counts these pairs; `significance_chart` shows them.

        Several collections have a panel each, of one scale; they have no mean, because a test of
        each is no test of all.

    Raises
    ------
    UnknownNameError
        For a measure, test or correction that the table does not have.
    LexiframeError
        When Altair is not installed, when ``c`` lacks a pair or ``by`` a run, and for a table with
        several measures, tests, corrections, methods or groups of requests.

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
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], test="t")
    >>> chart = critical_difference_chart(e.comparisons, e.means, "AP", alpha=0.05)
    >>> [(bar["from"], bar["to"]) for bar in chart.hconcat[1].data.values]
    [('pixels_euclidean', 'pca8_euclidean')]
    """
    draw, called = altair(), "critical_difference_chart"
    chosen = {"measure": measure, "test": test, "correction": correction}
    pairs = rows_of(c, schemas.COMPARISONS, called, ["run_a", "run_b"], **chosen)
    measure = str(pairs["measure"][0])
    placed = ranked(called, by, measure)
    runs = sort_runs(called, placed["run"], pl.concat([pairs["run_a"], pairs["run_b"]]), measure)
    placed = placed.filter(pl.col("run").is_in(runs))
    placed = placed.with_columns(place=pl.int_range(1, pl.len() + 1))
    alike = indistinct_groups.groups_not_told_apart(pairs, runs)
    bars = _assign_lanes(alike.groups, runs)
    pixels = step(len(runs), most=28)
    n = alike.n_without
    without = (
        f"no bar for {n:,} pair{'s' * (n != 1)} not significantly different: a run between differs"
    )
    parts = [_points_by_value(placed, pixels, measure), _bars(bars, len(runs), pixels)]
    chart = draw.hconcat(*parts[: 2 if bars.height else 1], spacing=6)
    named: alt.HConcatChart = chart.resolve_scale(y="independent").properties(
        title=title(
            f"Runs by {measure}; a bar joins runs that are not significantly different",
            f"{tested(pairs, alpha)}, {requests_text(pairs['n'])}",
            without if n else "",
        )
    )
    return named


_LANE = 9
"""The pixels between two bars."""


def _assign_lanes(groups: pl.DataFrame, runs: Sequence[str]) -> pl.DataFrame:
    """Give each group the first lane in which no group overlaps it; add the names at its ends."""
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


def _points_by_value(placed: pl.DataFrame, pixels: int, measure: str) -> Any:
    draw, method = altair(), placed["method"][0]
    unit = spoken(f"mean {measure}" if method == "mean" else f"{method} of {measure}")
    scale, axis = draw.Scale(zero=False, padding=8), draw.Axis(format=NUMBER)
    x = {"title": unit, "scale": scale, "axis": axis}
    y = rows_axis("run", placed["run"], pixels).scale(padding=0.5, type="point")
    said = tooltip("run", ("value", unit, ".4f"), "rank")
    points = dots("value", x, pixels, y, said, color=COLOURS[0])
    return points.properties(data=inside(placed), width=across(), height=pixels * placed.height)


def _bars(bars: pl.DataFrame, n_runs: int, pixels: int) -> Any:
    draw, n_lanes = altair(), bars["lane"].n_unique()
    lanes = draw.Scale(domain=[-0.5, n_lanes - 0.5], nice=False, zero=False)
    mark = draw.Chart(inside(bars)).mark_rule(strokeWidth=4, strokeCap="round", color=BLACK)
    return mark.encode(
        draw.Y("first:Q", axis=None, scale=places_scale(n_runs, reverse=True)),
        draw.Y2("last"),
        draw.X("lane:Q", axis=None, scale=lanes),
        tooltip("from", "to", "n_runs"),
    ).properties(
        width=_LANE * n_lanes, height=pixels * n_runs, view=draw.ViewBackground(stroke=None)
    )
