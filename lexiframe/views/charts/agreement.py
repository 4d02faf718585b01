"""The chart of agreement between measures: their correlations, or how often they agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe.base import LexiframeError, to_polars
from lexiframe.orderings import agreement_matrix
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    SHARES,
    SIDES,
    altair,
    counted,
    of_pairs,
    spoken,
    square,
    title,
    tooltip,
)
from lexiframe.views.charts.order import all_in_order

if TYPE_CHECKING:
    import altair as alt


_MOST_NUMBERS = 12
"""The number of measures up to which cells show their numbers."""
_COEFFICIENTS = {"kendall": "Kendall's τ", "tau_ap": "τ_AP", "spearman": "Spearman's ρ"}


def correlation_chart(
    table: Frame, /, value: str | None = None, *, order: Sequence[str] | str | None = None
) -> alt.LayerChart:
    """Draw how far measures agree, as a heat map of measures × measures.

    Parameters
    ----------
    table
        The table of `rank_correlations`, `bootstrap_correlations` or `sign_agreement`.
    value
        The column drawn, as in `agreement_matrix`: ``"correlation"``, or of `sign_agreement`
        ``"agreement"`` (the default) or ``"system_agreement"``.
    order
        The measures from top to bottom; or ``"similarity"``, which puts measures that agree next to
        each other (average linkage with optimally ordered leaves, of 1 − value). Default: as they
        come in the table.

    Returns
    -------
    altair.LayerChart
        The colour of a cell is the value with the row's measure as ordering_a (measure_a), and the
        column's as ordering_b (measure_b). Of up to 12 measures the cells also show numbers. A cell
        without a value is empty. Correlations are blue above 0 and orange below; shares are darker
        the larger they are.

    Raises
    ------
    LexiframeError
        When Altair is not installed, for an order that lacks a measure of the table, and as
        `agreement_matrix`.

    Notes
    -----
    Bar-Joseph, Gifford & Jaakkola, "Fast optimal leaf ordering for hierarchical clustering",
    Bioinformatics 2001, doi:10.1093/bioinformatics/17.suppl_1.S22.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import correlation_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> [row["value"] for row in correlation_chart(e.correlations).data.values]
    [1.0, 1.0, 1.0, 1.0]
    """
    draw, called = altair(), "correlation_chart"
    given = to_polars(table)
    matrix = agreement_matrix(given, value)
    if matrix.is_empty():
        raise LexiframeError(f"{called}: expected at least two measures, found no pair of them")
    column = value or ("correlation" if "correlation" in given.columns else "agreement")
    measures = _measures_in_order(called, given, matrix, order)
    cells = matrix.unpivot(index="measure", variable_name="with", value_name="value")
    cells = cells.join(_details(given), on=["measure", "with"], how="left")
    place = {name: n for n, name in enumerate(measures)}
    cells = cells.sort(
        pl.col(end).replace_strict(place, return_dtype=pl.Int64) for end in ("measure", "with")
    )
    scale, text, unit = _of_value(given, column)
    base = square(cells, "measure", "with", measures)
    lines = [("measure", "measure", ""), ("with", "with", ""), ("value", unit, ".4f")]
    lines += [line for line in _LINES if line[0] in cells.columns]
    colour = draw.Color("value", type="quantitative", title=unit).scale(**scale)
    layers = [base.mark_rect().encode(colour, tooltip(*lines)).transform_filter(_IS_VALID)]
    if len(measures) <= _MOST_NUMBERS:
        layers.append(_numbers(base, scale, tooltip(*lines)))
    chart: alt.LayerChart = draw.layer(*layers).properties(title=text)
    return chart


_IS_VALID = "isValid(datum.value)"
_LINES = [
    ("low", "from", ".4f"),
    ("high", "to", ".4f"),
    ("p_value", "p", ".3g"),
    ("n", "n", "d"),
]


def _details(given: pl.DataFrame) -> pl.DataFrame:
    """Return what tooltips say of a pair of measures in either order, where the table has it."""
    ends = (
        ["measure_a", "measure_b"] if "measure_a" in given.columns else ["ordering_a", "ordering_b"]
    )
    names = {"ci_low": "low", "ci_high": "high", "p_value": "p_value", "n": "n"}
    said = [pl.col(name).alias(called) for name, called in names.items() if name in given.columns]
    ahead = given.select(pl.col(ends[0]).alias("measure"), pl.col(ends[1]).alias("with"), *said)
    back = ahead.select(
        pl.col("with").alias("measure"), pl.col("measure").alias("with"), *ahead.columns[2:]
    )
    return pl.concat([ahead, back]).unique(["measure", "with"], keep="first", maintain_order=True)


def _measures_in_order(
    called: str, given: pl.DataFrame, matrix: pl.DataFrame, order: Sequence[str] | str | None
) -> list[str]:
    known = matrix["measure"].to_list()
    if order == "similarity":
        return by_similarity(known, matrix.drop("measure").to_numpy())
    if order is None:
        ends = [name for name in given.columns if name.endswith(("_a", "_b"))]
        named = given.select(
            pl.concat_list(name for name in ends if given[name].dtype == pl.String)
        )
        return named.to_series().explode().unique(maintain_order=True).to_list()
    names = [order] if isinstance(order, str) else order
    return all_in_order(called, names, known, "measures")


def by_similarity(names: list[str], values: np.ndarray) -> list[str]:
    """Return names so that those that are alike are near one another, by a matrix of values to 1.

    What is not known counts as not alike.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(names) < 3:
        return names
    distance = 1 - np.nan_to_num((values + values.T) / 2)  # unknown correlations count as 0
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    return [names[leaf] for leaf in leaves_list(tree)]


def _of_value(given: pl.DataFrame, column: str) -> tuple[dict[str, Any], Any, str]:
    """Return the scale of the colours, the title, and what a value is called."""
    if column != "correlation":
        what = "rankings" if column == "agreement" else "runs"
        n = given["n" if column == "agreement" else "n_systems"]
        shares = {"scheme": SHARES, "domain": [0, 1]}
        asked = f"of the pairs of {what} that the row's measure does not tie"
        says = "the share that the column's measure orders alike"
        return (
            shares,
            title("Agreement of measures", f"{asked} ({of_pairs(n)}),", says),
            "agreement",
        )
    method = given["method"][0] if given.height else "kendall"
    unit = spoken(_COEFFICIENTS.get(method, method))
    is_share = method.startswith("rbo")
    scale = (
        {"scheme": SHARES, "domain": [0, 1]}
        if is_share
        else {"scheme": SIDES, "domain": [-1, 1], "reverse": True}
    )
    of_runs = f"orderings of {counted(given['n'], 'run')}"
    return scale, title(f"{unit} between measures", of_runs), unit


def _numbers(base: Any, scale: dict[str, Any], said: list[Any]) -> Any:
    """Return the numbers in the cells, white where the colour below is dark."""
    draw = altair()
    is_dark = "datum.value > 0.6" if scale["domain"][0] == 0 else "abs(datum.value) > 0.75"
    return (
        base.mark_text(fontSize=11)
        .encode(
            draw.Text("value", type="quantitative", format=".2f"),
            draw.condition(is_dark, draw.ColorValue("white"), draw.ColorValue("black")),
            said,
        )
        .transform_filter(_IS_VALID)
    )
