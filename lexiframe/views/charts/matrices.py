"""Charts of what holds between two runs or two measures: cells in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from lexiframe.errors import LexiframeError
from lexiframe.orderings.matrix import agreement_matrix
from lexiframe.schemas import COMPARISONS, WIN_RATES, to_polars
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    SHARES,
    SIDES,
    altair,
    counted,
    harmless,
    harmless_all,
    inside,
    name_size,
    names_axis,
    of_pairs,
    of_requests,
    rows_of,
    step,
    title,
    tooltip,
)
from lexiframe.views.charts.order import Order, all_in_order, in_order
from lexiframe.views.verdict import GAIN

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
        order = means.sort("share", "run", descending=[True, False])["run"]
    runs = in_order("win_rate_chart", order, cells["run"], measure)
    chart: alt.Chart = (
        _square(cells, "run", "against", runs)
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
        title=title(f"Share of requests won by {measure}", _of_runs(runs, pairs["n"]))
    )


def _of_runs(runs: Sequence[str], n: pl.Series) -> str:
    return f"{len(runs)} run{'s' * (len(runs) != 1)}, {of_requests(n)}"


def _square(cells: pl.DataFrame, row: str, column: str, names: Sequence[str]) -> Any:
    """Return a chart with the same names from top to bottom and from left to right."""
    draw = altair()
    pixels = step(len(names))
    side = draw.Step(pixels)
    order = {"sort": harmless_all(names), "type": "nominal"}
    beside = {"labelFontSize": name_size(pixels)}
    return (
        draw.Chart(inside(cells))
        .encode(
            draw.Y(row, axis=names_axis(row, **beside), **order),
            draw.X(column, axis=names_axis(column, labelAngle=-90, **beside), **order),
        )
        .properties(width=side, height=side)
    )


def _both_ways(table: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, from a row for each pair."""
    columns = ["run", "against", "wins", "losses", "ties"]
    ahead = table.rename({"run_a": "run", "run_b": "against"}).select(columns)
    turned = {"run": "against", "against": "run", "wins": "losses", "losses": "wins"}
    rows = pl.concat([ahead, ahead.rename(turned).select(columns)]).sort("run", "against")
    n = pl.sum_horizontal("wins", "losses", "ties")
    return rows.with_columns(share=(pl.col("wins") + pl.col("ties") / 2) / n)


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
    base = _square(cells, "measure", "with", measures)
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
        return _by_similarity(matrix)
    if order is None:
        ends = [name for name in given.columns if name.endswith(("_a", "_b"))]
        named = given.select(
            pl.concat_list(name for name in ends if given[name].dtype == pl.String)
        )
        return named.to_series().explode().unique(maintain_order=True).to_list()
    names = [order] if isinstance(order, str) else order
    return all_in_order(called, names, known, "measures")


def _by_similarity(matrix: pl.DataFrame) -> list[str]:
    """Return the measures so that those that agree are near one another."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    names = matrix["measure"].to_list()
    if len(names) < 3:
        return names
    values = matrix.drop("measure").to_numpy()
    distance = 1 - np.nan_to_num((values + values.T) / 2)  # what is not known is not alike
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
    unit = harmless(_COEFFICIENTS.get(method, method))
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


def significance_chart(
    c: Frame,
    /,
    measure: str,
    *,
    order: Order | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
) -> alt.Chart:
    """Draw which runs are significantly better than which.

    Parameters
    ----------
    c
        The table of `compare` or of `tukey_hsd`.
    measure
        The measure by which runs are compared.
    order
        The runs from top to bottom and from left to right; or the table of `order_runs`, or of an
        evaluation's means, whose ranks by this measure order them. Default: the run with most
        significant wins over losses comes first, and of those with as many the one of the greatest
        mean difference.
    test, correction
        The test and the correction, when the table has several.
    alpha
        The level of significance that the comparisons were made with, for the title, as the table
        does not say it. Default: the title does not say it either.

    Returns
    -------
    altair.Chart
        A blue triangle that points up says that the run of the row is significantly better than the
        run of the column, an orange one that points down that it is worse, and a grey dot that the
        test does not tell them apart. Runs that were not compared have no mark.

    Raises
    ------
    UnknownNameError
        For a measure, test or correction that the table does not have.
    LexiframeError
        When Altair is not installed, for an order that lacks a run of the table, and for a table
        with several tests, corrections or groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import significance_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"])
    >>> chart = significance_chart(e.comparisons, "AP", order=e.orderings)
    >>> [r["against"] for r in chart.data.values if r["run"] == "random" and r["is"] == "worse"]
    ['pca8_euclidean', 'pixels_euclidean']
    """
    draw, called = altair(), "significance_chart"
    chosen = {"measure": measure, "test": test, "correction": correction}
    pairs = rows_of(c, COMPARISONS, ["run_a", "run_b"], called, **chosen)
    cells = _who_beats_whom(pairs)
    if order is None:
        order = _by_wins(cells)
    runs = in_order(called, order, cells["run"], measure)
    kinds = {"better": ("triangle-up", COLOURS[0]), "not told apart": ("circle", "#b0b0b0")}
    kinds |= {"worse": ("triangle-down", COLOURS[1])}
    shapes, colours = zip(*kinds.values(), strict=True)
    said = {"type": "nominal", "title": "run is"}
    pixels = step(len(runs))
    large, small = pixels**2 // 3, pixels**2 // 16
    sizes = draw.Scale(type="ordinal", domain=[*kinds], range=[large, small, large])
    marks = _square(cells, "run", "against", runs).mark_point(filled=True, opacity=1)
    chart: alt.Chart = marks.encode(
        draw.Shape("is", **said).scale(domain=[*kinds], range=[*shapes]),
        draw.Color("is", **said).scale(domain=[*kinds], range=[*colours]),
        draw.Size("is", scale=sizes, **said),
        tooltip(
            ("run", "run", ""),
            ("is", "is", ""),
            ("against", "against", ""),
            ("mean_difference", "mean difference", "+.4f"),
            ("effect_size", "effect size", "+.3f"),
            ("p_value", "p", ".3g"),
            ("p_adjusted", "p, adjusted", ".3g"),
            ("n", "requests", "d"),
        ),
    )
    return chart.properties(
        title=title(
            f"Which run is significantly better by {measure}",
            tested(pairs, alpha),
            _of_runs(runs, pairs["n"]),
        )
    )


def tested(pairs: pl.DataFrame, alpha: float | None) -> str:
    """Return the test, the correction and the level in a few words."""
    level = "" if alpha is None else f", α = {alpha:g}"
    return f"test: {pairs['test'][0]}, correction: {pairs['correction'][0]}{level}"


def _who_beats_whom(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each run and opponent, and whether it is significantly better or worse."""
    numbers = ["effect_size", "p_value", "p_adjusted", "n"]
    a, b = pl.col("run_a"), pl.col("run_b")
    both = [
        pairs.select(
            "reject",
            *numbers,
            run=run,
            against=against,
            gain=sign * GAIN,
            mean_difference=sign * pl.col("mean_difference"),
        )
        for run, against, sign in ((a, b, 1), (b, a, -1))
    ]
    kind = (
        pl.when(~pl.col("reject"))
        .then(pl.lit("not told apart"))
        .when(pl.col("gain") > 0)
        .then(pl.lit("better"))
        .otherwise(pl.lit("worse"))
    )
    columns = ["run", "against", "is", "mean_difference", *numbers]
    return pl.concat(both).with_columns(kind.alias("is")).select(columns).sort("run", "against")


def _by_wins(cells: pl.DataFrame) -> pl.Series:
    """Return the runs by significant wins less losses, then by mean difference, then by name."""
    lead = (pl.col("is") == "better").sum().cast(pl.Int64) - (pl.col("is") == "worse").sum()
    runs = cells.group_by("run").agg(lead.alias("lead"), pl.col("mean_difference").mean())
    down = [True, True, False]
    return runs.sort("lead", "mean_difference", "run", descending=down, nulls_last=True)["run"]
