"""The chart of win rates: who wins how many requests against whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.views.charts.axes import square
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, layered
from lexiframe.core.views.charts.marks import numbers
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.runs_in_order import Order, sort_runs
from lexiframe.core.views.charts.style import SIDES
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import runs_text
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


_MOST_NUMBERS = 10
"""The number of runs up to which cells show their numbers."""


@panelled(mean_of("win_rate", "mean_preference"))
def win_rate_chart(w: Frame, /, measure: str, *, order: Order | None = None) -> alt.LayerChart:
    """Draw the win-rate matrix of a measure as a heat map.

    Parameters
    ----------
    w
        The table of `win_rates`.
    measure
        The measure whose win rates are drawn.
    order
        The runs from top to bottom and from left to right; or the table of `order_runs`, or of an
        evaluation's means, whose ranks by this measure order them. Default: the run that wins most
        requests comes first.

    Returns
    -------
    altair.LayerChart
        A cell says which share of the requests the run of its row wins against the run of its
        column, where a tie counts as half a win. Blue is above one half, orange below. Of up to 10
        runs the cells also show numbers.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    UnknownNameError
        For a measure that the table, or that of the order, does not have.
    LexiframeError
        When Altair is not installed, for an order that lacks a run of the table, and for an order
        by several methods or in several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import win_rate_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> w = lf.win_rates(lf.preferences(p, "RPP"))
    >>> [row["share"] for row in win_rate_chart(w, "RPP").data.values]
    [0.5, 1.0, 0.5, 1.0, 0.0, 0.0]
    """
    draw, called = altair(), "win_rate_chart"
    pairs = rows_of(w, schemas.WIN_RATES, called, ["run_a", "run_b"], measure=measure)
    cells = _rows_of_each_run(pairs)
    if order is None:
        means = cells.group_by("run").agg(pl.col("share").mean())
        order = means.sort("share", "run", descending=[True, False])["run"]
    runs = sort_runs(called, order, cells["run"], measure)
    won = f"{'weight' if 'win_share' in pairs.columns else 'requests'} won"
    colour = draw.Color("share:Q", title=won).scale(**SIDES | {"domain": [0, 1]})
    share = ("share", f"{won}, ties half", ".1%")
    said = tooltip("run", "against", share, "wins", "losses", ("ties", "tied", "d"))
    base = square(cells, "run", "against", runs).encode(tooltip=said)
    layers = [base.mark_rect().encode(colour.legend(format="%"))]
    if len(runs) <= _MOST_NUMBERS:
        layers.append(numbers(base, "share", ".0%", "abs(datum.share - 0.5) > 0.375"))
    words = f"Share of {won} by {measure}", runs_text(runs, pairs["n"])
    return layered(layers, None, *words)


def _rows_of_each_run(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, from a row for each pair."""
    # Of a mean over collections, the numbers of requests would not give the share.
    ahead = table.rename({"run_a": "run", "run_b": "against", "win_rate": "share"})
    columns = ["run", "against", "wins", "losses", "ties", "share"]
    turned = {"run": "against", "against": "run", "wins": "losses", "losses": "wins"}
    behind = ahead.rename(turned).with_columns(share=1 - pl.col("share"))
    return pl.concat([ahead.select(columns), behind.select(columns)]).sort("run", "against")
