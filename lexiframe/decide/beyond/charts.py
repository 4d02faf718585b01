"""Charts beyond relevance: the costs of accuracy, and the exposure of items by lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, schemas
from lexiframe.core.metrics import derived
from lexiframe.core.views.charts.axes import LONGEST, NUMBER
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered
from lexiframe.core.views.charts.marks import lines_of
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, WIDTH
from lexiframe.core.views.charts.tables import EXPOSURE_CURVE, rows_of
from lexiframe.core.views.charts.texts import spoken
from lexiframe.decide import beyond
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_FRONTIER = {"surely on it": COLOURS[0], "not sure": COLOURS[4], "surely not on it": GREY}
"""Whether a run is on the frontier, and the colour that says it."""


@panelled()
def frontier_chart(
    means: Frame,
    comparisons: Frame,
    x: str,
    y: str,
    *,
    catalogue: beyond.Catalogue | None = None,
) -> alt.LayerChart:
    """Draw two measures of the runs against one another, and which runs no other is better than.

    Parameters
    ----------
    means, comparisons
        These tables of an evaluation.
    x, y
        The measures from left to right and from bottom to top: ``"nDCG@10"``, ``"Novelty@10"``.
    catalogue
        That of the evaluation, where x or y is a measure of all lists (``"Coverage@10"``).

    Returns
    -------
    altair.LayerChart
        A point for each run, with the intervals of both measures. A run is surely on the frontier
        when it is significantly better than each other run by one of the measures at least, and
        surely not when some run is significantly better by both; of all others one cannot be sure.

        Several collections have a panel each, of one scale; they have no mean, because a run may be
        at the frontier of one alone.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and when no run has both measures.

    Notes
    -----
    Comparisons are those of the first test and correction. As those of two measures are looked at,
    each of which is corrected over its pairs, a run is named wrongly with a probability of at most
    twice their alpha.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import frontier_chart
    >>> folder = lf.bundled("digits")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.parquet", ["AP", "RR"])
    >>> chart = frontier_chart(e.means, e.comparisons, "AP", "RR")
    >>> sorted({row["frontier"] for row in chart.data.values})
    ['not sure', 'surely not on it', 'surely on it']
    """
    draw, called = altair(), "frontier_chart"
    sides = [_side(means, comparisons, catalogue, measure, called) for measure in (x, y)]
    (of_x, better_x), (of_y, better_y) = sides
    rows = of_x.join(of_y, on="run", suffix="_y").sort("run")
    if rows.is_empty():
        raise LexiframeError(f"{called}: expected a run with both {x} and {y}, found none")
    beaten = pl.concat([better_x, better_y]).unique().group_by(run="better").len("beats")
    worse = better_x.join(better_y, on=["better", "worse"]).select(run="worse").unique()
    rows = rows.join(beaten, on="run", how="left").with_columns(
        frontier=pl.when(pl.col("run").is_in(worse["run"].implode()))
        .then(pl.lit("surely not on it"))
        .when(pl.col("beats").fill_null(0) == rows.height - 1)
        .then(pl.lit("surely on it"))
        .otherwise(pl.lit("not sure"))
    )
    scale = {"scale": draw.Scale(zero=False, padding=12), "axis": draw.Axis(format=NUMBER)}
    on_x, on_y = draw.X("mean:Q", title=x, **scale), draw.Y("mean_y:Q", title=y, **scale)
    colours = draw.Scale(domain=[*_FRONTIER], range=[*_FRONTIER.values()])
    colour = draw.Color("frontier:N", title="on the frontier", scale=colours)
    base = draw.Chart().encode(on_x, on_y, colour)
    across = base.mark_rule(opacity=0.6).encode(
        draw.X("ci_low:Q", title=x, **scale), draw.X2("ci_high")
    )
    along = base.mark_rule(opacity=0.6).encode(
        draw.Y("ci_low_y:Q", title=y, **scale), draw.Y2("ci_high_y")
    )
    said = [("mean", spoken(x), ".4f"), ("mean_y", spoken(y), ".4f"), ("frontier", "frontier", "")]
    points = base.mark_point(filled=True, opacity=1, size=70).encode(tooltip=tooltip("run", *said))
    names = base.mark_text(align="left", dx=8, dy=-8, limit=LONGEST, fontSize=10)
    names = names.encode(text="run:N", color=draw.value(GREY))
    what = f"{y} against {x}", "with intervals; on the frontier: no other run is better by both"
    return layered([across, along, points, names], rows, *what, width=WIDTH, height=WIDTH * 0.7)


def _side(
    means: Frame, comparisons: Frame, catalogue: beyond.Catalogue | None, measure: str, called: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return each run's mean by a measure, and the pairs with a significant difference."""
    is_of_all = catalogue is not None and measure in catalogue.values["measure"]
    if catalogue is not None and is_of_all:
        means = catalogue.values.rename({"value": "mean"}).with_columns(
            rank=pl.lit(None, pl.Float64)
        )
        comparisons = catalogue.comparisons
    rows = rows_of(means, schemas.MEANS, called, ["run"], measure=measure)
    pairs = schemas.check(comparisons, schemas.COMPARISONS, called).filter(measure=measure)
    first = pairs.select("test", "correction").unique(maintain_order=True).head(1)
    pairs = pairs.join(first, on=["test", "correction"]).filter("reject")
    metric = derived.known_metric(measure)
    turned = is_of_all and metric is not None and metric.smaller_is_better
    ahead = (pl.col("mean_difference") > 0) != turned
    better = pairs.select(
        better=pl.when(ahead).then("run_a").otherwise("run_b"),
        worse=pl.when(ahead).then("run_b").otherwise("run_a"),
    )
    return rows.select("run", "mean", "ci_low", "ci_high").drop_nulls("mean"), better


@panelled()
def exposure_curve_chart(curve: Frame) -> alt.LayerChart:
    """Draw how evenly the lists of each run expose the items, as Lorenz curves.

    Parameters
    ----------
    curve
        The table of `lexiframe.collection.exposure_curve`.

    Returns
    -------
    altair.LayerChart
        A line for each run: which share of all exposure the least exposed items have together. The
        diagonal is that of a run that exposes all items alike, and twice the area between both is
        the Gini coefficient.

        Several collections have a panel each, of one scale; they have no mean, because their
        catalogues differ.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import exposure_curve_chart
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"]}))
    >>> curve = lf.collection.exposure_curve({"r": {"u": {"a": 1}}}, items, 1)
    >>> [row["exposure"] for row in exposure_curve_chart(curve).layer[1].data.values]
    [0.0, 0.0, 1.0]
    """
    draw, rows = altair(), rows_of(curve, EXPOSURE_CURVE, "exposure_curve_chart")
    at_x = draw.X("items:Q", title="share of the items, the least exposed first")
    at_y = draw.Y("exposure:Q", title="share of the exposure")
    even = pl.DataFrame({"items": [0.0, 1.0], "exposure": [0.0, 1.0]})
    colour, _ = lines_of("run", rows["run"].unique().sort())
    said = tooltip("run", ("items", "items", ".3f"), ("exposure", "exposure", ".3f"))
    layers = [
        draw.Chart(inside(even)).mark_line(strokeDash=[4, 4], color=GREY).encode(at_x, at_y),
        draw.Chart(inside(rows)).mark_line().encode(at_x, at_y, colour, tooltip=said),
    ]
    what = "Exposure of the items", "the farther below the diagonal, the less even"
    return layered(layers, None, *what, width=WIDTH * 0.7, height=WIDTH * 0.7)
