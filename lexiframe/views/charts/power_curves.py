"""The chart of power by the number of requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import LexiframeError, schemas, unknown_name
from lexiframe.typing import Frame
from lexiframe.views.charts.colours import GREY, SHARES
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import WIDTH, altair, inside, layered
from lexiframe.views.charts.marks import level_line, nearest_line
from lexiframe.views.charts.power import HEIGHT, own_line
from lexiframe.views.charts.tables import rows_of

if TYPE_CHECKING:
    import altair as alt


_NAMED_LINES = 8
"""The number of pairs up to which each has a line of its own colour and a name in the legend."""
_MOST_LINES = 200
"""The number of pairs up to which each has a line; of more, cells say how many pairs they are."""


def power_curve_chart(
    curve: Frame,
    /,
    measure: str,
    *,
    highlight: tuple[str, str] | Sequence[tuple[str, str]] | None = None,
    power: float = 0.8,
) -> alt.LayerChart:
    """Draw with which power a test finds the differences of pairs of runs, by number of requests.

    Parameters
    ----------
    curve
        The table of `power_curve`.
    measure
        The measure whose differences are tested.
    highlight
        Pairs of runs, or one, whose lines have a colour and a name. Default: all of up to 8 pairs;
        of more, none.
    power
        A line is drawn at this power.

    Returns
    -------
    altair.LayerChart
        A line for each pair of runs; that nearest to the pointer is emphasised. Of more than 200
        pairs only those highlighted have lines, before cells that are darker the larger the share
        of all pairs whose power lies in them. Pairs with one request, which have no power, are left
        out, and the line below the title counts them.

    Raises
    ------
    UnknownNameError
        For a measure or a pair that the table does not have.
    LexiframeError
        When Altair is not installed, when no pair has a power, and for a table with several groups
        of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import power_curve_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> chart = power_curve_chart(lf.power_curve(lf.scores(p, "AP"), [5, 50]), "AP")
    >>> of_first = [r for r in chart.data.values if r["run_b"] != "random"]
    >>> [(r["n_requests"], round(r["power"], 2)) for r in of_first]
    [(5, 0.15), (50, 0.96)]
    """
    called = "power_curve_chart"
    key = ["run_a", "run_b", "n_requests"]
    rows = rows_of(curve, schemas.POWER_CURVE, called, key, measure=measure)
    rows = rows.with_columns(label=pl.concat_str("run_a", "run_b", separator=" − "))
    known = rows.filter(pl.col("power").is_not_null())
    if known.is_empty():
        raise LexiframeError(f"{called}: expected a pair of runs with a power, found none")
    without = rows["label"].n_unique() - known["label"].n_unique()
    chosen = _pairs_named(known, highlight)
    known = known.with_columns(is_highlighted=pl.col("label").is_in(chosen)).drop("measure")
    n_pairs = known["label"].n_unique()
    aside = f", {without} without (one request)" if without else ""
    is_few = n_pairs <= _MOST_LINES
    layers = (_power_lines if is_few else _power_cells)(known, chosen, power)
    chart = layered(
        layers,
        known if is_few else known.filter("is_highlighted"),
        f"Power to find the differences of runs by {measure}",
        f"{n_pairs:,} pair{'s' * (n_pairs != 1)} of runs{aside}; line: power {power:g}",
        width=WIDTH,
        height=HEIGHT,
    )
    # The colours of cells are shares, those of lines are pairs.
    return chart.resolve_scale(color="independent", strokeDash="independent")


def _pairs_named(
    rows: pl.DataFrame, wanted: tuple[str, str] | Sequence[tuple[str, str]] | None
) -> list[str]:
    """Return the names of the pairs that are highlighted, in either direction asked for."""
    known = rows.select("run_a", "run_b", "label").unique(maintain_order=True)
    if wanted is None:
        return known["label"].to_list() if known.height <= _NAMED_LINES else []
    if isinstance(wanted, str):
        raise unknown_name("pair", wanted, known["label"], advice="; name both runs: (a, b)")
    pairs = [wanted] if wanted and isinstance(wanted[0], str) else [*wanted]
    labels = {frozenset(pair): label for *pair, label in known.iter_rows()}
    for pair in pairs:
        if frozenset(pair) not in labels:
            raise unknown_name("pair", " − ".join(map(str, pair)), known["label"])
    return [labels[frozenset(pair)] for pair in pairs]


def _power_lines(rows: pl.DataFrame, chosen: list[str], power: float) -> list[Any]:
    """Return the layers of a line for each pair: the chosen ones in front, and one emphasised."""
    draw = altair()
    axis = draw.Axis(format="~s", tickMinStep=1)
    at = _at_power(draw.X("n_requests:Q", title="requests", axis=axis))
    faint = max(0.2, min(0.8, 40 / rows["label"].n_unique()))
    behind = draw.Chart().transform_filter("!datum.is_highlighted")
    behind = behind.mark_line(strokeWidth=1, color=GREY, opacity=faint)
    return [
        level_line("power", power, {}, "line at power"),
        behind.encode(**at),
        *_chosen_lines(chosen, at),
        *nearest_line(at, {}, "label", size=60),
    ]


def _at_power(x: Any) -> dict[str, Any]:
    draw = altair()
    return {
        "x": x,
        "y": draw.Y("power:Q", title="power").scale(domain=[0, 1]),
        "detail": draw.Detail("label:N"),
        "tooltip": tooltip("run_a", "run_b", "n_requests", ("power", "power", ".3f")),
    }


def _chosen_lines(chosen: list[str], at: dict[str, Any]) -> list[Any]:
    if not chosen:
        return []
    lines = altair().Chart().transform_filter("datum.is_highlighted")
    return [lines.mark_line(strokeWidth=2.5, point={"size": 20}).encode(**own_line(chosen), **at)]


def _power_cells(rows: pl.DataFrame, chosen: list[str], power: float) -> list[Any]:
    """Return the layers of cells, of numbers of requests × tenths of power, and of chosen lines."""
    draw = altair()
    tenth = (pl.col("power") * 10).floor().clip(0, 9)  # the last includes 1
    cells = rows.group_by("n_requests", low=(tenth / 10).round(1)).agg(n_pairs=pl.len())
    share = pl.col("n_pairs") / pl.col("n_pairs").sum().over("n_requests")
    cells = cells.with_columns(high=(pl.col("low") + 0.1).round(1), share=share).sort(
        "n_requests", "low"
    )
    x = draw.X("n_requests:O", title="requests").axis(labelAngle=0)
    colour = draw.Color("share:Q", title="share of pairs").scale(**SHARES).legend(format="%")
    ends = ("low", "power from", ".1f"), ("high", "to", ".1f")
    said = tooltip("n_requests", *ends, ("share", "share of pairs", ".1%"), "n_pairs")
    y = draw.Y("low:Q", title="power")
    return [
        draw.Chart(inside(cells)).mark_rect().encode(x, y, draw.Y2("high"), colour, said),
        level_line("power", power, {}, "line at power"),
        *_chosen_lines(chosen, _at_power(x)),
    ]
