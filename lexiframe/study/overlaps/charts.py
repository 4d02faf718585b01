"""Charts of overlap: which runs return the same documents, and which documents to judge first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError
from lexiframe.core.views.charts.agreement import sort_by_similarity
from lexiframe.core.views.charts.axes import share_axis, square
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, layered, single
from lexiframe.core.views.charts.marks import MEAN
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.runs_in_order import Order, sort_runs
from lexiframe.core.views.charts.style import COLOURS, GREY, SHARES, SIDES, WIDTH
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import runs_text, spoken
from lexiframe.study.overlaps.schemas import OVERLAP, UNJUDGED
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


def _mean_overlap(table: pl.DataFrame) -> pl.DataFrame:
    """Return the mean over collections of the means over their requests."""
    pairs = table.group_by("collection", "measure", "run_a", "run_b", maintain_order=True)
    return mean_of("value")(pairs.agg(pl.col("value").mean())).with_columns(query_id=pl.lit(MEAN))


@panelled(_mean_overlap)
def overlap_chart(table: Frame, measure: str, *, order: Order | None = None) -> alt.Chart:
    """Draw how alike the rankings of all pairs of runs are, as a heat map of means over requests.

    Parameters
    ----------
    table
        The table of `overlap`.
    measure
        The measure whose means are drawn.
    order
        The runs from top to bottom and from left to right; or the table of `order_runs`, or of an
        evaluation's means, whose ranks by this measure order them. Default: runs that are alike
        stand next to each other (average linkage with optimally ordered leaves, of 1 − mean).

    Returns
    -------
    altair.Chart
        The colour of a cell is the mean overlap of the runs of its row and its column, over the
        requests in which it has a value: darker is more; for τ and τ_AP with means below 0, blue is
        above 0 and orange below. Cells of a run with itself, and of pairs without a value, are
        empty.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, for an order that lacks a run of the table, and for a table in
        which no pair has a value.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import overlap_chart
    >>> folder = lf.bundled("example")
    >>> chart = overlap_chart(lf.overlap(folder / "runs", "RBO(p=0.9)"), "RBO(p=0.9)")
    >>> [(r["run"], r["with"], round(r["mean"], 2)) for r in chart.data.values][:1]
    [('pca8_euclidean', 'pixels_euclidean', 0.72)]
    """
    draw, called = altair(), "overlap_chart"
    rows = rows_of(table, OVERLAP, called, ["query_id", "run_a", "run_b"], measure=measure)
    mean, n = pl.col("value").mean().alias("mean"), pl.col("value").count().alias("n")
    pairs = rows.group_by("run_a", "run_b").agg(mean, n).sort("run_a", "run_b")
    if pairs["mean"].null_count() == pairs.height:
        raise LexiframeError(f"{called}: expected a pair of runs with a value, found none")
    cells = _rows_of_each_run(pairs)
    runs = _runs_in_order(called, cells, measure, order)
    scale = SIDES if float(cells["mean"].drop_nulls().to_numpy().min()) < 0 else SHARES
    unit = f"mean {spoken(measure)}"
    known = square(cells.filter(pl.col("mean").is_not_null()), "run", "with", runs)
    cells_of_pairs = known.mark_rect().encode(
        draw.Color("mean:Q", title=unit).scale(**scale),
        tooltip("run", "with", ("mean", unit, ".4f"), "n"),
    )
    return single(cells_of_pairs, f"Overlap of rankings by {measure}", runs_text(runs, pairs["n"]))


def _rows_of_each_run(pairs: pl.DataFrame) -> pl.DataFrame:
    ahead = pairs.rename({"run_a": "run", "run_b": "with"})
    back = pairs.rename({"run_b": "run", "run_a": "with"}).select(ahead.columns)
    return pl.concat([ahead, back]).sort("run", "with")


def _runs_in_order(
    called: str, cells: pl.DataFrame, measure: str, order: Order | None
) -> list[str]:
    if order is not None:
        return sort_runs(called, order, cells["run"], measure)
    wide = cells.rename({"run": "\0"}).pivot("with", index="\0", values="mean")
    runs = wide["\0"].to_list()
    return sort_by_similarity(runs, wide.select(runs).to_numpy())


_MOST = 500
"""The number of points of the line; more would not be seen."""


@panelled()
def unjudged_chart(table: Frame) -> alt.LayerChart:
    """Draw which share of the weight of all unjudged documents the first judgments make known.

    Parameters
    ----------
    table
        The table of `unjudged`; of a table by groups all documents are taken together.

    Returns
    -------
    altair.LayerChart
        The line says which share of the weight the n documents of greatest weight have. Dots mark
        where it reaches one half and nine tenths.

        Several collections have a panel each, of one scale; they have no mean, because each has
        documents of its own.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import unjudged_chart
    >>> runs = {"X": {"q": {"a": 3, "b": 2, "c": 1}}, "Y": {"q": {"c": 3, "a": 2, "d": 1}}}
    >>> chart = unjudged_chart(lf.unjudged(runs, {"q": {"a": 1}}, gamma=0.5))
    >>> [(row["judged"], row["share"]) for row in chart.data.values]
    [(0, 0.0), (1, 0.625), (2, 0.875), (3, 1.0)]
    """
    rows = rows_of(table, UNJUDGED, "unjudged_chart", ["query_id", "doc_id"])
    weight = rows["weight"].sort(descending=True).to_numpy()
    shares = np.concatenate([[0.0], np.cumsum(weight)])
    shares /= shares[-1]
    marks = np.searchsorted(shares, [0.5, 0.9])
    places = np.linspace(0, len(weight), min(_MOST, len(weight) + 1)).round().astype(np.int64)
    places = np.union1d(places, marks)
    points = pl.DataFrame({"judged": places, "share": shares[places]})
    points = points.with_columns(is_marked=pl.col("judged").is_in(marks.tolist()))
    draw, weight_of = altair(), "share of the weight"
    base = draw.Chart().encode(
        draw.X("judged:Q", title="documents judged", axis=draw.Axis(format="~s", tickMinStep=1)),
        draw.Y("share:Q", title=weight_of, **share_axis()),
        tooltip("judged", ("share", weight_of, ".1%")),
    )
    marked = base.transform_filter("datum.is_marked")
    numbers = marked.mark_text(align="left", dx=8, dy=10, color=GREY)
    n = rows["query_id"].n_unique()
    return layered(
        [
            base.mark_line(color=COLOURS[0]),
            marked.mark_point(filled=True, size=60, color=COLOURS[1], opacity=1),
            numbers.encode(draw.Text("judged:Q", format=",")),
        ],
        points,
        "Judging the documents of greatest weight first",
        f"{rows.height:,} unjudged documents of {n:,} request{'s' * (n != 1)}; dots: 50 %, 90 %",
        width=WIDTH,
        height=260,
    )
