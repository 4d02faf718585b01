"""Charts of agreement between measures: their correlations, and how often they agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars
from lexiframe.core.orderings import agreement_matrix
from lexiframe.core.views.charts.axes import rows_axis, share_axis, square
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header, layered, step
from lexiframe.core.views.charts.marks import dots, interval, numbers
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.runs_in_order import all_in_order
from lexiframe.core.views.charts.style import COLOURS, SHARES, SIDES
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import counted, pairs_text, spoken
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


_MOST_NUMBERS = 12
"""The number of measures up to which cells show their numbers."""
_COEFFICIENTS = {"kendall": "Kendall's τ", "tau_ap": "τ_AP", "spearman": "Spearman's ρ"}


@panelled(mean_of("correlation", "agreement", "system_agreement"))
def correlation_chart(
    table: Frame, value: str | None = None, *, order: Sequence[str] | str | None = None
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

        Several collections have a panel each, of one scale, and their mean comes last.

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
    cells = cells.sort(pl.col("measure", "with").cast(pl.Enum(measures)))
    scale, words, unit = _value_scale(given, column)
    said = tooltip(
        "measure", "with", ("value", unit, ".4f"), *(d for d in _DETAILS if d[0] in cells.columns)
    )
    base = square(cells, "measure", "with", measures).encode(tooltip=said)
    base = base.transform_filter("isValid(datum.value)")
    layers = [base.mark_rect().encode(draw.Color("value:Q", title=unit).scale(**scale))]
    if len(measures) <= _MOST_NUMBERS:
        is_dark = "abs(datum.value) > 0.75" if scale == SIDES else "datum.value > 0.6"
        layers.append(numbers(base, "value", ".2f", is_dark))
    return layered(layers, None, *words)


_DETAILS = [("low", "from", ".4f"), ("high", "to", ".4f"), ("p_value", "p", ".3g"), ("n", "n", "d")]


def _details(given: pl.DataFrame) -> pl.DataFrame:
    """Return the tooltip columns of each pair of measures, in both directions."""
    a, b = (
        ("measure_a", "measure_b") if "measure_a" in given.columns else ("ordering_a", "ordering_b")
    )
    names = {"ci_low": "low", "ci_high": "high", "p_value": "p_value", "n": "n"}
    said = [pl.col(name).alias(called) for name, called in names.items() if name in given.columns]
    both = [
        given.select(pl.col(of).alias("measure"), pl.col(other).alias("with"), *said)
        for of, other in ((a, b), (b, a))
    ]
    return pl.concat(both).unique(["measure", "with"], keep="first", maintain_order=True)


def _measures_in_order(
    called: str, given: pl.DataFrame, matrix: pl.DataFrame, order: Sequence[str] | str | None
) -> list[str]:
    known = matrix["measure"].to_list()
    if order == "similarity":
        return sort_by_similarity(known, matrix.drop("measure").to_numpy())
    if order is None:
        ends = [name for name in given.columns if name.endswith(("_a", "_b"))]
        named = given.select(
            pl.concat_list(name for name in ends if given[name].dtype == pl.String)
        )
        return named.to_series().explode().unique(maintain_order=True).to_list()
    names = [order] if isinstance(order, str) else order
    return all_in_order(called, names, known, "measures")


def sort_by_similarity(names: list[str], values: np.ndarray) -> list[str]:
    """Sort names so that similar ones are neighbours; ``values`` is a similarity matrix, at most 1.

    Unknown similarities count as 0.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(names) < 3:
        return names
    distance = 1 - np.nan_to_num((values + values.T) / 2)  # unknown correlations count as 0
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    return [names[leaf] for leaf in leaves_list(tree)]


def _value_scale(given: pl.DataFrame, column: str) -> tuple[dict[str, Any], list[str], str]:
    """Return the scale of the colours, the lines of the title, and the name of a value."""
    if column != "correlation":
        what, n = ("rankings", "n") if column == "agreement" else ("runs", "n_systems")
        asked = f"of the pairs of {what} that the row's measure does not tie"
        says = "the share that the column's measure orders alike"
        words = ["Agreement of measures", f"{asked} ({pairs_text(given[n])}),", says]
        return SHARES, words, "agreement"
    method = given["method"][0] if given.height else "kendall"
    unit = spoken(_COEFFICIENTS.get(method, method))
    scale = SHARES if method.startswith("rbo") else SIDES
    return scale, [f"{unit} between measures", f"orderings of {counted(given['n'], 'run')}"], unit


@panelled(mean_of("agreement", "system_agreement"))
def agreement_chart(agreement: Frame, reference: str = "LR") -> alt.FacetChart:
    """Draw how often a measure agrees with others, on rankings and on the means of runs.

    Parameters
    ----------
    agreement
        The table of `sign_agreement`.
    reference
        The measure whose agreement with all others is drawn: of the pairs that do not tie by these,
        the share that it prefers in the same direction.

    Returns
    -------
    altair.FacetChart
        A panel for pairs of rankings and one for pairs of runs, with a dot for each measure and,
        if the table has intervals, a line from end to end of its interval.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    LexiframeError
        When Altair is not installed, for a measure that the table does not have, and for a table
        with several groups of requests.

    Notes
    -----
    Diaz, Ekstrand & Mitra, ACM TORS 2025, doi:10.1145/3728373, arXiv:2302.11370, figure 8.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import agreement_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["LR", "AP", "RR"])
    >>> rows = agreement_chart(lf.sign_agreement(e.preferences)).data.values
    >>> [(row["panel"], row["measure"], row["pairs"]) for row in rows][:2]
    [('rankings', 'AP', 14), ('rankings', 'RR', 9)]
    """
    draw = altair()
    rows = rows_of(agreement, schemas.SIGN_AGREEMENT, "agreement_chart", measure_b=reference)
    panels = [
        rows.select(
            pl.lit(panel).alias("panel"),
            measure="measure_a",
            pairs=n,
            agreement=share,
            low=pl.col(f"{share}_low") if f"{share}_low" in rows.columns else None,
            high=pl.col(f"{share}_high") if f"{share}_high" in rows.columns else None,
        )
        for panel, n, share in (
            ("rankings", "n", "agreement"),
            ("runs", "n_systems", "system_agreement"),
        )
    ]
    rows = pl.concat(panels, how="vertical_relaxed")
    names = rows["measure"].unique(maintain_order=True).to_list()
    pixels = step(len(names), 16, 28)
    x = {"title": f"agreement of {reference}", **share_axis()}
    y = rows_axis("measure", names, pixels)
    said = tooltip("measure", "agreement", "pairs")
    lines = interval("low", "high", x, y, strokeWidth=2, color=COLOURS[0])
    return faceted(
        [
            lines.transform_filter("isValid(datum.low)"),
            dots("agreement", x, pixels, y, said, color=COLOURS[0]),
        ],
        rows,
        {"column": draw.Column("panel:N", header=header())},
        f"How often {reference} prefers what a measure prefers",
        "of pairs that do not tie by the measure: pairs of rankings, and of runs by their means",
        width=200,
        height=draw.Step(pixels),
    )
