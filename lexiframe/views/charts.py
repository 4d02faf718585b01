"""Charts of tables, drawn with Altair, which the extra ``viz`` installs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.errors import LexiframeError, unknown_name
from lexiframe.schemas import WIN_RATES, check
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_SIDE = 460
"""The width and height of a matrix in pixels; cells are between 12 and 40 pixels wide."""


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
    >>> from lexiframe.views.charts import win_rate_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> w = lf.win_rates(lf.preferences(p, "RPP"))
    >>> win_rate_chart(w, "RPP").data["share"].round(2).to_list()
    [0.5, 1.0, 0.5, 1.0, 0.0, 0.0]
    """
    draw = _altair()
    table = check(w, WIN_RATES)
    if measure not in table["measure"]:
        raise unknown_name("measure", measure, table["measure"].unique().sort().to_list())
    cells = _both_ways(table.filter(measure=measure))
    if order is None:
        means = cells.group_by("run").agg(pl.col("share").mean())
        order = means.sort("share", "run", descending=[True, False])["run"].to_list()
    if missing := {*cells["run"]} - {*order}:
        raise LexiframeError(
            f"win_rate_chart: expected all runs in order, found none of {sorted(missing)[0]!r}"
        )
    size = min(40, max(12, _SIDE // len(order))) * len(order)
    axis = {"sort": list(order), "type": "nominal"}
    chart: alt.Chart = (
        draw.Chart(cells)
        .mark_rect()
        .encode(
            draw.Y("run", title="run", **axis),
            draw.X("against", title="against", **axis),
            draw.Color("share", type="quantitative", title="requests won")
            .scale(scheme="blueorange", domain=[0, 1], reverse=True)
            .legend(format="%"),
            [
                draw.Tooltip(name, type=kind, title=title, format=form)
                for name, kind, title, form in _TOOLTIP
            ],
        )
        .properties(width=size, height=size, title=f"Share of requests won by {measure}")
    )
    return chart


_TOOLTIP = [
    ("run", "nominal", "run", ""),
    ("against", "nominal", "against", ""),
    ("share", "quantitative", "requests won, ties half", ".1%"),
    ("wins", "quantitative", "won", "d"),
    ("losses", "quantitative", "lost", "d"),
    ("ties", "quantitative", "tied", "d"),
]


def _both_ways(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, from a row for each pair."""
    columns = ["run", "against", "wins", "losses", "ties"]
    ahead = table.rename({"run_a": "run", "run_b": "against"}).select(columns)
    turned = {"run": "against", "against": "run", "wins": "losses", "losses": "wins"}
    rows = pl.concat([ahead, ahead.rename(turned).select(columns)]).sort("run", "against")
    n = pl.sum_horizontal("wins", "losses", "ties")
    return rows.with_columns(share=(pl.col("wins") + pl.col("ties") / 2) / n)


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise LexiframeError(
            "charts need Altair, which is not installed; pip install 'lexiframe[viz]'"
        ) from None
    return altair
