"""The chart of win rates: who wins how many requests against whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    SIDES,
    altair,
    of_runs,
    rows_of,
    square,
    title,
    tooltip,
)
from lexiframe.views.charts.order import Order, in_order

if TYPE_CHECKING:
    import altair as alt


def win_rate_chart(w: Frame, /, measure: str, *, order: Order | None = None) -> alt.Chart:
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
    altair.Chart
        A cell says which share of the requests the run of its row wins against the run of its
        column, where a tie counts as half a win. Blue is above one half, orange below.

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
    >>> from lexiframe.views.charts.win_rates import win_rate_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> w = lf.win_rates(lf.preferences(p, "RPP"))
    >>> [row["share"] for row in win_rate_chart(w, "RPP").data.values]
    [0.5, 1.0, 0.5, 1.0, 0.0, 0.0]
    """
    draw = altair()
    pairs = rows_of(w, schemas.WIN_RATES, ["run_a", "run_b"], "win_rate_chart", measure=measure)
    cells = _both_ways(pairs)
    if order is None:
        means = cells.group_by("run").agg(pl.col("share").mean())
        order = means.sort("share", "run", descending=[True, False])["run"]
    runs = in_order("win_rate_chart", order, cells["run"], measure)
    chart: alt.Chart = (
        square(cells, "run", "against", runs)
        .mark_rect()
        .encode(
            draw.Color("share", type="quantitative", title="requests won")
            .scale(scheme=SIDES, domain=[0, 1], reverse=True)
            .legend(format="%"),
            tooltip(
                ("run", "run", ""),
                ("against", "against", ""),
                ("share", "requests won, ties half", ".1%"),
                ("wins", "won", "d"),
                ("losses", "lost", "d"),
                ("ties", "tied", "d"),
            ),
        )
    )
    return chart.properties(
        title=title(f"Share of requests won by {measure}", of_runs(runs, pairs["n"]))
    )


def _both_ways(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, from a row for each pair."""
    columns = ["run", "against", "wins", "losses", "ties"]
    ahead = table.rename({"run_a": "run", "run_b": "against"}).select(columns)
    turned = {"run": "against", "against": "run", "wins": "losses", "losses": "wins"}
    rows = pl.concat([ahead, ahead.rename(turned).select(columns)]).sort("run", "against")
    n = pl.sum_horizontal("wins", "losses", "ties")
    return rows.with_columns(share=(pl.col("wins") + pl.col("ties") / 2) / n)
