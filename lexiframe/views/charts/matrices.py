"""Charts of what holds between two runs or two measures: cells in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.schemas import WIN_RATES
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    SIDES,
    altair,
    harmless,
    harmless_all,
    inside,
    names_axis,
    rows_of,
    step,
    tooltip,
)

if TYPE_CHECKING:
    import altair as alt


def win_rate_chart(w: Frame, /, measure: str, *, order: Sequence[str] | None = None) -> alt.Chart:
    """Draw the win-rate matrix of a measure as a heat map.

    Parameters
    ----------
    w
        The table of `win_rates`.
    measure
        The measure whose win rates are drawn.
    order
        The runs from top to bottom and from left to right. Default: the run that wins most
        requests comes first.

    Returns
    -------
    altair.Chart
        A cell says which share of the requests the run of its row wins against the run of its
        column, where a tie counts as half a win. Blue is above one half, orange below.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, and for an order that lacks a run of the table.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts.matrices import win_rate_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> w = lf.win_rates(lf.preferences(p, "RPP"))
    >>> [row["share"] for row in win_rate_chart(w, "RPP").data.values]
    [0.5, 1.0, 0.5, 1.0, 0.0, 0.0]
    """
    draw = altair()
    pairs = rows_of(w, WIN_RATES, ["run_a", "run_b"], "win_rate_chart", measure=measure)
    cells = _both_ways(pairs)
    if order is None:
        means = cells.group_by("run").agg(pl.col("share").mean())
        order = means.sort("share", "run", descending=[True, False])["run"].to_list()
    if missing := {*cells["run"]} - {*order}:
        raise LexiframeError(
            f"win_rate_chart: expected all runs in order, found none of {sorted(missing)[0]!r}"
        )
    side = draw.Step(step(len(order)))
    axis = {"sort": harmless_all(order), "type": "nominal"}
    chart: alt.Chart = (
        draw.Chart(inside(cells))
        .mark_rect()
        .encode(
            draw.Y("run", axis=names_axis("run"), **axis),
            draw.X("against", axis=names_axis("against"), **axis),
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
        .properties(width=side, height=side)
        .properties(title=harmless(f"Share of requests won by {measure}"))
    )
    return chart


def _both_ways(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, from a row for each pair."""
    columns = ["run", "against", "wins", "losses", "ties"]
    ahead = table.rename({"run_a": "run", "run_b": "against"}).select(columns)
    turned = {"run": "against", "against": "run", "wins": "losses", "losses": "wins"}
    rows = pl.concat([ahead, ahead.rename(turned).select(columns)]).sort("run", "against")
    n = pl.sum_horizontal("wins", "losses", "ties")
    return rows.with_columns(share=(pl.col("wins") + pl.col("ties") / 2) / n)
