"""Charts of what holds in theory: orientation, ties, worst cases and axioms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    GREY,
    altair,
    harmless_all,
    inside,
    names_axis,
    of_pairs,
    rows_of,
    spoken,
    title,
    tooltip,
)
from lexiframe.views.charts.robustness import lines_of, title_of_panels

if TYPE_CHECKING:
    import altair as alt

_PANEL = {"width": 280, "height": 200}
ORIENTATION = schemas.TableSchema(
    "orientation",
    ("measure", "m"),
    {
        "measure": schemas.STR,
        "m": schemas.INT,
        "precision_orientation": schemas.FLOAT,
        "recall_orientation": schemas.FLOAT,
    },
)
SIMULATED_TIES = schemas.TableSchema(
    "simulate_ties",
    ("depth", "measure"),
    {"depth": schemas.INT, "measure": schemas.STR, "pairs": schemas.INT, "tie_rate": schemas.FLOAT},
)
SIMULATED_AGREEMENT = schemas.TableSchema(
    "simulate_agreement",
    ("n", "measure"),
    {
        "measure": schemas.STR,
        "n": schemas.INT,
        "pairs": schemas.INT,
        "tied": schemas.FLOAT,
        "agreement": schemas.FLOAT,
    },
)
OPTIMAL = schemas.TableSchema(
    "optimal_worst_case",
    ("m",),
    {"m": schemas.INT, "deterministic": schemas.FLOAT, "stochastic": schemas.FLOAT},
)
AXIOMS = schemas.TableSchema(
    "axioms",
    ("method", "property"),
    {
        "method": schemas.STR,
        "property": schemas.STR,
        "holds": schemas.BOOL,
        "counterexample": schemas.STR,
    },
)


def _curves(rows: pl.DataFrame, x: Any, y: Any, lines: str, shown: list[Any]) -> Any:
    """Draw a line with points for each name, with a colour and a shape of its own."""
    colour, shape = lines_of(lines, rows[lines].unique(maintain_order=True))
    base = altair().Chart().encode(x, y, colour, shown)
    points = base.mark_point(filled=True, size=36, opacity=1).encode(shape)
    return altair().layer(base.mark_line(strokeWidth=1.5), points, data=inside(rows))


def _log(column: str, words: str, rows: pl.DataFrame) -> Any:
    """Return a logarithmic axis on which the values themselves are ticks."""
    values = rows[column].unique().sort().to_list()
    axis = altair().Axis(values=values, format=",d", grid=False, labelOverlap="greedy")
    scale = altair().Scale(type="log", nice=False, padding=8)
    return altair().X(column, type="quantitative", title=words, axis=axis, scale=scale)


def _header() -> Any:
    return altair().Header(title=None, labelFontWeight="bold")


def orientation_chart(orientation: Frame, /) -> alt.FacetChart:
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
    rows = rows_of(orientation, ORIENTATION, ORIENTATION.key, "orientation_chart")
    rows = rows.unpivot(
        [*panels], index=["measure", "m"], variable_name="orientation", value_name="change"
    ).with_columns(pl.col("orientation").replace(panels))
    curves = _curves(
        rows,
        draw.X("m", type="quantitative", title="relevant items (m)")
        .axis(grid=False, format="d", tickMinStep=1)
        .scale(zero=False, nice=False, padding=8),
        draw.Y("change", type="quantitative", title="change of the metric"),
        "measure",
        tooltip(
            ("measure", "metric", ""),
            ("m", "relevant items", "d"),
            ("orientation", "orientation", ""),
            ("change", "change", ".4f"),
        ),
    )
    panel = draw.Column("orientation", type="nominal", sort=[*panels.values()], header=_header())
    chart: alt.FacetChart = (
        curves.properties(**_PANEL)
        .facet(column=panel)
        .properties(title=title_of_panels(
            "Orientation of metrics",
            "how much the value changes when one relevant item moves from the end to the top",
        ))
    )  # fmt: skip
    return chart


def simulated_tie_chart(ties: Frame, /) -> alt.LayerChart:
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
    rows = rows_of(ties, SIMULATED_TIES, SIMULATED_TIES.key, "simulated_tie_chart")
    chart: alt.LayerChart = _curves(
        rows,
        _log("depth", "retrieved items", rows),
        draw.Y("tie_rate", type="quantitative", title="share of pairs that tie")
        .scale(domain=[0, 1])
        .axis(format="%"),
        "measure",
        tooltip(
            ("measure", "measure", ""),
            ("depth", "retrieved items", "d"),
            ("tie_rate", "share of ties", ".2%"),
            ("pairs", "pairs", "d"),
        ),
    ).properties(title=_of_pairs("Ties of random rankings", rows), **_PANEL)
    return chart


def _of_pairs(text: str, rows: pl.DataFrame) -> Any:
    return title(text, f"over {of_pairs(rows['pairs'])} of rankings, drawn at random")


def simulated_agreement_chart(agreement: Frame, /) -> alt.LayerChart:
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
    draw, schema = altair(), SIMULATED_AGREEMENT
    rows = rows_of(agreement, schema, schema.key, "simulated_agreement_chart")
    chart: alt.LayerChart = _curves(
        rows,
        _log("n", "items ranked (n)", rows),
        draw.Y("agreement", type="quantitative", title="agreement with the worst case")
        .scale(domain=[0, 1])
        .axis(format="%"),
        "measure",
        tooltip(
            ("measure", "measure", ""),
            ("n", "items ranked", "d"),
            ("agreement", "agreement", ".2%"),
            ("tied", "pairs with equal worst cases", ".2%"),
            ("pairs", "pairs", "d"),
        ),
    ).properties(title=_of_pairs("Who prefers the better worst case?", rows), **_PANEL)
    return chart


def optimal_chart(optimal: Frame, /, measure: str | None = None) -> alt.LayerChart:
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
    rows = rows_of(optimal, OPTIMAL, ["m"], "optimal_chart")
    rows = rows.unpivot(
        [*called], index="m", variable_name="ranking", value_name="value"
    ).with_columns(pl.col("ranking").replace(called))
    chart: alt.LayerChart = _curves(
        rows,
        draw.X("m", type="quantitative", title="relevant items (m)")
        .axis(grid=False, format="d", tickMinStep=1)
        .scale(zero=False, nice=False, padding=8),
        draw.Y("value", type="quantitative", title=spoken("worst case" + of)),
        "ranking",
        tooltip(
            ("ranking", "ranking", ""), ("m", "relevant items", "d"), ("value", "worst case", ".4f")
        ),
    ).properties(
        title=title(
            f"Worst case{of} of optimal rankings",
            "the value for the user whom the ranking serves worst",
        ),
        **_PANEL,
    )  # fmt: skip
    return chart


def axiom_chart(axioms: Frame, /) -> alt.LayerChart:
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
    rows = rows_of(axioms, AXIOMS, AXIOMS.key, "axiom_chart")
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
    named = {"type": "nominal", "legend": draw.Legend(title=None)}
    order = {name: harmless_all(rows[name].unique(maintain_order=True)) for name in AXIOMS.key}
    base = draw.Chart().encode(
        draw.Y("property", type="nominal", sort=order["property"], axis=draw.Axis(
            title=None, labelLimit=0, domain=False, ticks=False, grid=True
        )),
        draw.X("method", type="nominal", sort=order["method"], axis=names_axis(
            orient="top", domain=False, ticks=False, labelAngle=-40
        )),
        draw.Color("said", **named).scale(domain=[*said], range=[*colours]),
        draw.Shape("said", **named).scale(domain=[*said], range=[*shapes]),
        tooltip(
            ("method", "measure", ""),
            ("property", "property", ""),
            ("said", "", ""),
            ("counterexample", "counterexample", ""),
        ),
    )  # fmt: skip
    filled = base.transform_filter("datum.said == 'holds'").mark_point(
        filled=True, size=90, opacity=1
    )
    others = base.transform_filter("datum.said != 'holds'").mark_point(
        size=60, strokeWidth=2, opacity=1
    )
    chart: alt.LayerChart = draw.layer(
        filled, others, data=inside(rows), width=draw.Step(34), height=draw.Step(20),
        title=title("Properties of measures", "checked over all rankings of a few items"),
    )  # fmt: skip
    return chart
