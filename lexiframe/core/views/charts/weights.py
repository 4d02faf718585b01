"""A chart of the mean of each run against the share of the weight, the heaviest requests first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, layered
from lexiframe.core.views.charts.marks import lines_of, lines_with_points
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import WIDTH
from lexiframe.core.views.charts.tables import rows_of, rows_with
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_SIZE = {"width": WIDTH, "height": 300}
_SHARE = "share of the weight, the heaviest requests first"
_MANY = 60
"""Of more requests a line has no points."""


@panelled()
def weight_chart(
    s: Frame, measure: str | None = None, runs: str | Sequence[str] | None = None
) -> alt.LayerChart:
    """Draw the mean of each run over the heaviest requests, against their share of the weight.

    Parameters
    ----------
    s
        The table ``scores`` of an evaluation whose requests have weights or strata.
    measure
        The measure that is drawn. Default: the only one of the table.
    runs : str, or several
        Some of the runs. Default: all.

    Returns
    -------
    altair.LayerChart
        A line for each run: at the share x of the weight its mean by weight over the heaviest
        requests that make up x. At 100 % it is the mean of the evaluation. Where lines cross,
        requests with much weight and requests with little put other runs first.

        Several collections have a panel each, of one scale.

    Raises
    ------
    UnknownNameError
        For a measure or a run that the table does not have.
    LexiframeError
        When Altair is not installed, for scores without weights, and for a table of several
        measures when none is chosen.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import weight_chart
    >>> folder = lf.bundled("example")
    >>> traffic = {"q0066": 4, "q0078": 3, "q0113": 2, "q0175": 1, "q0206": 1}
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP", weights=traffic)
    >>> chart = weight_chart(e.scores, runs="random")
    >>> [(row["query_id"], round(row["share"], 2)) for row in chart.data.values]
    [('q0066', 0.36), ('q0078', 0.64), ('q0113', 0.82), ('q0175', 0.91), ('q0206', 1.0)]
    """
    draw, called = altair(), "weight_chart"
    if schemas.WEIGHT not in to_polars(s).columns:
        raise LexiframeError(
            f"{called}: expected scores whose requests have weights, and the column "
            "request_weight, found none; evaluate with weights= or strata="
        )
    rows = rows_with(rows_of(s, schemas.SCORES, called, measure=measure), "run", runs)
    rows = cumulated_means(rows)
    names, name = rows["run"].unique().sort().to_list(), rows["measure"][0]
    x = draw.X("share:Q", title=_SHARE).scale(domain=[0, 1])
    colour, shape = lines_of("run", names)
    said = tooltip("run", "query_id", "share", ("mean", "mean up to here", ".4f"))
    y = draw.Y("mean:Q", title=f"mean {name}").scale(zero=False)
    base = draw.Chart().encode(x.axis(format="%", grid=False), y, colour, said)
    layers = lines_with_points(base, shape)[: 2 if rows["query_id"].n_unique() <= _MANY else 1]
    title = f"Mean {name} by weight, of the heaviest requests to all", "at 100 %: the mean"
    return layered(layers, rows, *title, **_SIZE)


def cumulated_means(s: pl.DataFrame) -> pl.DataFrame:
    """Return scores with the ``share`` of the weight of the requests so far, and their ``mean``.

    The heaviest requests of each run come first. A stratum's share is divided among its requests.
    """
    run, weight = ["measure", "run"], pl.col(schemas.WEIGHT)
    if schemas.STRATUM in s.columns:
        weight = weight / pl.len().over(*run, schemas.STRATUM)
    s = s.with_columns(w=weight).sort(*run, -pl.col("w"), "query_id")
    so_far = pl.col("w").cum_sum().over(run)
    mean = (pl.col("w") * pl.col("value")).cum_sum().over(run) / so_far
    share = so_far / pl.col("w").sum().over(run)
    return s.select(*run, "query_id", share=share, mean=mean)
