"""Charts of theory: orientation, ties, worst cases and axioms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import typed
from lexiframe.core.views.charts.axes import count_axis, names_axis, share_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header, layered
from lexiframe.core.views.charts.marks import lines_of, lines_with_points
from lexiframe.core.views.charts.style import COLOURS, GREY
from lexiframe.core.views.charts.tables import (
    AXIOMS,
    FIRST_AND_LAST,
    OPTIMAL,
    ORIENTATION,
    SIMULATED_AGREEMENT,
    SIMULATED_TIES,
    rows_of,
)
from lexiframe.core.views.charts.texts import harmless_all, pairs_text, spoken
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_ITEMS = "relevant items (m)"
_PANEL = {"width": 280, "height": 200}


def _curves(rows: pl.DataFrame, lines: str, *encodings: Any) -> list[Any]:
    """Draw a line with points for each name, with a colour and a shape of its own."""
    colour, shape = lines_of(lines, rows[lines].unique(maintain_order=True))
    base = altair().Chart().encode(colour, *encodings)
    return lines_with_points(base, shape, strokeWidth=1.5)


def _log(column: str, words: str, rows: pl.DataFrame) -> Any:
    """Return a logarithmic axis on which the values themselves are ticks."""
    values = rows[column].unique().sort().to_list()
    axis = altair().Axis(values=values, format=",d", grid=False, labelOverlap="greedy")
    scale = altair().Scale(type="log", nice=False, padding=8)
    return altair().X(column, type="quantitative", title=words, axis=axis, scale=scale)


def _unpivoted(
    rows: pl.DataFrame, index: list[str], name: str, called: dict[str, str], value: str
) -> pl.DataFrame:
    """Return a row for each of the columns that are called so, with its value."""
    long = rows.unpivot([*called], index=index, variable_name=name, value_name=value)
    return long.with_columns(pl.col(name).replace(called))


@typed
def orientation_chart(orientation: Frame) -> alt.FacetChart:
    """Draw how metrics react to the first and to the last relevant item, by the number of items.

    Parameters
    ----------
    orientation
        The table of `lexiframe.theory.orientation`.

    Returns
    -------
    altair.FacetChart
        A panel for the precision orientation and one for the recall orientation, with a line for
        each metric over m, the number of relevant items.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import orientation_chart
    >>> rows = orientation_chart(lf.theory.orientation("RR", n=100, m=2)).data.values
    >>> [(row["orientation"], round(row["change"], 4)) for row in rows]
    [('precision: the first item moves', 0.9899), ('recall: the last item moves', 0.0)]
    """
    draw = altair()
    panels = {
        "precision_orientation": "precision: the first item moves",
        "recall_orientation": "recall: the last item moves",
    }
    rows = rows_of(orientation, ORIENTATION, "orientation_chart")
    rows = _unpivoted(rows, ["measure", "m"], "orientation", panels, "change")
    change = draw.Y("change:Q", title="change of the metric")
    said = tooltip(("measure", "metric", ""), "m", "orientation", "change")
    return faceted(
        _curves(rows, "measure", draw.X("m:Q", title=_ITEMS, **count_axis()), change, said),
        rows,
        {"column": draw.Column("orientation:N", sort=[*panels.values()], header=header())},
        "Orientation of metrics",
        "how much the value changes when one relevant item moves from the end to the top",
        **_PANEL,
    )


@typed
def simulated_tie_chart(ties: Frame) -> alt.LayerChart:
    """Draw how often random rankings tie, by how many items are retrieved.

    Parameters
    ----------
    ties
        The table of `lexiframe.theory.simulate_ties`.

    Returns
    -------
    altair.LayerChart
        A line for each measure; depths are on a logarithmic scale.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import simulated_tie_chart
    >>> table = lf.theory.simulate_ties(["RR", "LR"], n=1000, depths=[10, 1000], pairs=100, m=10)
    >>> len(simulated_tie_chart(table).data.values)
    4
    """
    draw = altair()
    rows = rows_of(ties, SIMULATED_TIES, "simulated_tie_chart")
    curves = _curves(
        rows,
        "measure",
        _log("depth", "retrieved items", rows),
        draw.Y("tie_rate:Q", title="share of pairs that tie", **share_axis()),
        tooltip("measure", "depth", "tie_rate", "pairs"),
    )
    return layered(curves, rows, "Ties of random rankings", _drawn_pairs_text(rows), **_PANEL)


def _drawn_pairs_text(rows: pl.DataFrame) -> str:
    return f"over {pairs_text(rows['pairs'])} of rankings, drawn at random"


@typed
def simulated_agreement_chart(agreement: Frame) -> alt.LayerChart:
    """Draw how often measures prefer the ranking with the better worst case, by the items ranked.

    Parameters
    ----------
    agreement
        The table of `lexiframe.theory.simulate_agreement`, or several of them, for different n, put
        together.

    Returns
    -------
    altair.LayerChart
        A line for each measure; the numbers of items are on a logarithmic scale.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import simulated_agreement_chart
    >>> tables = [lf.theory.simulate_agreement("TSE(AP)", n, pairs=100) for n in (100, 1000)]
    >>> rows = simulated_agreement_chart(pl.concat(tables)).data.values
    >>> [(row["n"], row["agreement"]) for row in rows]
    [(100, 1.0), (1000, 1.0)]
    """
    draw = altair()
    rows = rows_of(agreement, SIMULATED_AGREEMENT, "simulated_agreement_chart")
    curves = _curves(
        rows,
        "measure",
        _log("n", "items ranked (n)", rows),
        draw.Y("agreement:Q", title="agreement with the worst case", **share_axis()),
        tooltip("measure", ("n", "items ranked", "d"), "agreement", "tied", "pairs"),
    )
    return layered(
        curves, rows, "Who prefers the better worst case?", _drawn_pairs_text(rows), **_PANEL
    )


@typed
def optimal_chart(optimal: Frame, measure: str | None = None) -> alt.LayerChart:
    """Draw the worst case of an optimal ranking, when it is fixed and when it is drawn.

    Parameters
    ----------
    optimal
        The table of `lexiframe.theory.optimal_worst_case`.
    measure
        The metric of the table, for the title.

    Returns
    -------
    altair.LayerChart
        Two lines over m, the number of relevant items.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import optimal_chart
    >>> table = lf.theory.optimal_worst_case("AP", [1, 2])
    >>> [(row["ranking"], row["value"]) for row in optimal_chart(table, "AP").data.values]
    [('always the same', 1.0), ('always the same', 0.5), ('drawn each time', 1.0), \
('drawn each time', 0.75)]
    """
    draw = altair()
    called = {"deterministic": "always the same", "stochastic": "drawn each time"}
    of = f" by {measure}" if measure else ""
    rows = rows_of(optimal, OPTIMAL, "optimal_chart")
    rows = _unpivoted(rows, ["m"], "ranking", called, "value")
    worst = draw.Y("value:Q", title=spoken("worst case" + of))
    said = tooltip("ranking", "m", ("value", "worst case", ".4f"))
    return layered(
        _curves(rows, "ranking", draw.X("m:Q", title=_ITEMS, **count_axis()), worst, said),
        rows,
        f"Worst case{of} of optimal rankings",
        "the value for the user whom the ranking serves worst",
        **_PANEL,
    )


@typed
def first_and_last_chart(table: Frame) -> alt.FacetChart:
    """Draw which ranks of the first and of the last relevant item go together.

    Parameters
    ----------
    table
        The table of `lexiframe.theory.first_and_last`.

    Returns
    -------
    altair.FacetChart
        A panel for each number of relevant items, in which the possible pairs of ranks are filled.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    The bounds are straight, so that the first and the last rank are drawn alone:

    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import first_and_last_chart
    >>> rows = first_and_last_chart(lf.theory.first_and_last(n=10, m=3)).data.values
    >>> [(row["first"], row["least_last"], row["greatest_last"]) for row in rows]
    [(1, 3, 10), (8, 10, 10)]
    """
    draw = altair()
    rows = rows_of(table, FIRST_AND_LAST, "first_and_last_chart")
    is_end = (pl.col("first") == 1) | (pl.col("first") == pl.col("first").max().over("m"))
    rows = rows.filter(is_end).with_columns(panel=pl.format("m = {}", "m"))
    area = draw.Chart().mark_area(color=GREY, opacity=0.5, line={"color": GREY})
    filled = area.encode(
        draw.X("first:Q", title="rank of the first relevant item").axis(grid=False),
        draw.Y("least_last:Q", title="rank of the last").axis(grid=False),
        draw.Y2("greatest_last:Q"),
    )
    panels = rows["panel"].unique(maintain_order=True).to_list()
    return faceted(
        [filled],
        rows,
        {"facet": draw.Facet("panel:N", sort=panels, header=header()), "columns": 3},
        "The first and the last relevant item",
        "which of their ranks go together",
        width=200,
        height=200,
    )


@typed
def axiom_chart(axioms: Frame) -> alt.LayerChart:
    """Draw which properties measures have, as a grid of marks.

    Parameters
    ----------
    axioms
        The table of `lexiframe.theory.axioms`.

    Returns
    -------
    altair.LayerChart
        A row for each property and a column for each measure: a filled circle where it holds, a
        cross where it fails, whose tooltip has the counterexample, a dash where the property is not
        about measures of this kind, and an empty diamond where the rankings have no case of it.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import axiom_chart
    >>> rows = axiom_chart(lf.theory.axioms(["RR", "LR"], n=4, m=2)).data.values
    >>> {row["method"]: row["said"] for row in rows if row["property"] == "bounded"}
    {'RR': 'holds', 'LR': 'does not apply'}
    """
    draw = altair()
    rows = rows_of(axioms, AXIOMS, "axiom_chart")
    cross = "M-1,-1L1,1M1,-1L-1,1"
    said = {
        "holds": (COLOURS[0], "circle"),
        "fails": (COLOURS[1], cross),
        "does not apply": (GREY, "stroke"),
        "no case": (GREY, "diamond"),
    }
    is_empty = pl.col("counterexample") == "no case"
    rows = rows.with_columns(
        said=pl.when(pl.col("holds").is_null() & is_empty)
        .then(pl.lit("no case"))
        .when(pl.col("holds").is_null())
        .then(pl.lit("does not apply"))
        .when("holds")
        .then(pl.lit("holds"))
        .otherwise(pl.lit("fails"))
    )
    if not rows["said"].is_in(["no case"]).any():
        del said["no case"]
    colours, shapes = zip(*said.values(), strict=True)
    order = {name: harmless_all(rows[name].unique(maintain_order=True)) for name in AXIOMS.key}
    bare: dict[str, Any] = {"domain": False, "ticks": False}
    beside = draw.Axis(title=None, labelLimit=0, grid=True, **bare)
    above = names_axis(orient="top", labelAngle=-40, **bare)
    named = {"legend": draw.Legend(title=None)}
    base = draw.Chart().encode(
        draw.Y("property:N", sort=order["property"], axis=beside),
        draw.X("method:N", sort=order["method"], axis=above),
        draw.Color("said:N", **named).scale(domain=[*said], range=[*colours]),
        draw.Shape("said:N", **named).scale(domain=[*said], range=[*shapes]),
        tooltip(("method", "measure", ""), "property", ("said", "", ""), "counterexample"),
    )
    filled = base.transform_filter("datum.said == 'holds'")
    others = base.transform_filter("datum.said != 'holds'")
    return layered(
        [
            filled.mark_point(filled=True, size=90, opacity=1),
            others.mark_point(size=60, strokeWidth=2, opacity=1),
        ],
        rows,
        "Properties of measures",
        "checked over all rankings of a few items",
        width=draw.Step(34),
        height=draw.Step(20),
    )
