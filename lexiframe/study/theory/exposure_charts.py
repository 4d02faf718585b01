"""Charts of the contribution of one recall level to a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, to_polars, typed
from lexiframe.core.metrics import derived
from lexiframe.core.views.charts.axes import share_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, SIDES
from lexiframe.core.views.charts.tables import (
    EXPLANATION,
    EXPOSURE_DIFFERENCES,
    EXPOSURE_DISTRIBUTION,
    refuse_gaps,
    rows_of,
)
from lexiframe.core.views.charts.texts import harmless_all
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@typed
def exposure_difference_chart(differences: Frame) -> alt.FacetChart:
    """Draw what the i-th relevant item adds to a difference, by its ranks in two rankings.

    Parameters
    ----------
    differences
        The table of `lexiframe.theory.exposure_differences`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, in which the colour of a cell is the difference: blue where the
        rank to the right is better, orange where the rank upwards is.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import exposure_difference_chart
    >>> chart = exposure_difference_chart(lf.theory.exposure_differences(["RR", "RPP"], n=3))
    >>> len(chart.data.values)
    18
    """
    draw = altair()
    rows = rows_of(differences, EXPOSURE_DIFFERENCES, "exposure_difference_chart")
    axis = draw.Axis(labelAngle=0, labelOverlap="greedy")
    cells = draw.Chart().mark_rect().encode(
        draw.X("rank_a:O", title="rank in one ranking", axis=axis),
        draw.Y("rank_b:O", title="rank in the other", sort="descending", axis=axis),
        draw.Color("difference:Q", title="difference").scale(**SIDES),
        tooltip("measure", ("rank_a", "rank", "d"), ("rank_b", "and rank", "d"),
                ("difference", "difference", ".4f")),
    )  # fmt: skip
    return faceted(
        [cells],
        rows,
        {"facet": _measure_facets(rows), "columns": 3},
        "What one recall level adds to a difference",
        "differences of exposures, as a share of that at rank 1; signs for preferences",
        width=170,
        height=170,
    )


@panelled()
def exposure_distribution_chart(distribution: Frame) -> alt.FacetChart:
    """Draw how what recall levels add to differences is distributed over pairs of rankings.

    Parameters
    ----------
    distribution
        The table of `lexiframe.theory.exposure_distribution`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure with the empirical cumulative distribution.

        Several collections have a panel each, of one scale; they have no mean, because each has
        differences of its own.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import exposure_distribution_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> chart = exposure_distribution_chart(lf.theory.exposure_distribution(p, ["RR", "RPP"]))
    >>> len(chart.data.values)
    402
    """
    draw, called = altair(), "exposure_distribution_chart"
    rows = refuse_gaps(rows_of(distribution, EXPOSURE_DISTRIBUTION, called), called, "n")
    line = draw.Chart().mark_line(interpolate="step-after", color=COLOURS[0]).encode(
        draw.X("difference:Q", title="difference").axis(grid=False),
        draw.Y("cumulative:Q", title="share up to it", **share_axis()),
        tooltip("measure", ("difference", "difference", ".2f"), ("cumulative", "share", ".2%")),
    )  # fmt: skip
    n = int(rows["n"].to_numpy().max())
    return faceted(
        [line],
        rows,
        {"facet": _measure_facets(rows), "columns": 3},
        "How much recall levels add to differences",
        f"over {n:,} recall levels of pairs of rankings, in both directions",
        width=170,
        height=130,
    )


@typed
def contribution_chart(explanation: Frame) -> alt.FacetChart:
    """Draw what each recall level adds to the difference of two rankings, under each measure.

    Parameters
    ----------
    explanation
        The table of `explain`, with the measures that it was asked for: preferences by recall
        levels, and metrics of which each relevant item has a part.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, with a bar for each recall level: upwards where the level speaks
        for the first ranking, downwards where it speaks for the other. What a level has at several
        grades is added up.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for an explanation without such measures.

    Notes
    -----
    Diaz & Ferraro, SIGIR 2022, section 4.1, figure 4, doi:10.1145/3477495.3532033.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import contribution_chart
    >>> p = lf.positions({"a": {"q": {"x": 3, "y": 2, "z": 1}}, "b": {"q": {"y": 3, "z": 2}}},
    ...                  {"q": {"x": 1, "z": 1}})
    >>> rows = contribution_chart(lf.explain(p, "q", "a", "b", ["RPP", "RR"])).data.values
    >>> [(row["measure"], row["level"], row["difference"]) for row in rows]
    [('RPP', 1, 0.5), ('RPP', 2, 0.5), ('RR', 1, 0.5), ('RR', 2, 0.0)]
    """
    draw = altair()
    rows_of(explanation, EXPLANATION, "contribution_chart")
    rows = to_polars(explanation)
    parts = _level_parts([name for name in rows.columns if name not in EXPLANATION.columns])
    if not parts:
        raise LexiframeError(
            "contribution_chart: expected an explanation with measures, found none; name some: "
            "lf.explain(p, query_id, run_a, run_b, ['RPP', 'AP'])"
        )
    sums = rows.group_by("level").agg(part.sum().alias(name) for name, part in parts.items())
    rows = sums.sort("level").unpivot(
        [*parts], index="level", variable_name="measure", value_name="difference"
    )
    half = 0.4
    bars = draw.Chart().mark_bar(color=COLOURS[0]).encode(
        draw.X("low:Q", title="recall level").axis(grid=False, format="d", tickMinStep=1)
        .scale(zero=False, nice=False, padding=4),
        draw.X2("high"),
        draw.Y("difference:Q", title="adds to the difference"),
        tooltip("measure", "level", ("difference", "adds", "+.4f")),
        y2=draw.datum(0),
    )  # fmt: skip
    chart = faceted(
        [bars],
        rows.with_columns(low=pl.col("level") - half, high=pl.col("level") + half),
        {"facet": _measure_facets(rows), "columns": 3},
        "What each recall level adds to the difference of two rankings",
        width=170,
        height=120,
    )
    own_axes: alt.FacetChart = chart.resolve_scale(x="independent", y="independent")
    return own_axes


def _level_parts(columns: list[str]) -> dict[str, pl.Expr]:
    """Return the contribution of a level to each measure, from the columns of `explain`."""
    parts = {}
    for name in columns:
        metric = name.removesuffix("_a")
        if name.endswith(" weight") or (name.endswith("_b") and f"{name[:-2]}_a" in columns):
            continue
        if metric == name:
            parts[name] = pl.col(name).fill_null(0)
            continue
        a, b = (pl.col(f"{metric}_{end}").fill_null(0) for end in "ab")
        known = derived.known_metric(metric)
        parts[metric] = b - a if known is not None and known.smaller_is_better else a - b
    return parts


def _measure_facets(rows: pl.DataFrame) -> object:
    names = harmless_all(rows["measure"].unique(maintain_order=True))
    return altair().Facet("measure:N", sort=names, header=header())
