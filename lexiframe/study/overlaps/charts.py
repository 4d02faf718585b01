"""The chart of overlap: which runs return the same documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.views.charts.agreement import sort_by_similarity
from lexiframe.core.views.charts.axes import square
from lexiframe.core.views.charts.colours import SHARES, SIDES
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, single
from lexiframe.core.views.charts.runs_in_order import Order, sort_runs
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import runs_text, spoken
from lexiframe.study.overlaps.schemas import OVERLAP
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@typed
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
