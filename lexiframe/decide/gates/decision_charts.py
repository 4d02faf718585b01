"""Charts of decisions: outcomes of a gate, dependability of means, people and model together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import check_choice, schemas
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header, step
from lexiframe.core.views.charts.marks import confidence, dots, lines_of, lines_with_points
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, WIDTH
from lexiframe.core.views.charts.tables import rows_of, rows_with
from lexiframe.core.views.charts.texts import counted
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.decide.gates.schemas import CONFIDENCE_SEQUENCES, GATE_CURVES
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_PANEL = {"width": 300, "height": 220}


@panelled()
def gate_curve_chart(curve: Frame) -> alt.FacetChart:
    """Draw how often a gate passes candidates of several kinds, by the number of requests.

    Parameters
    ----------
    curve
        The table of `lexiframe.significance.gate_curve`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, with a line for each kind of candidate, through the shares of
        trials in which it passes, each with its interval of 95 %.

        Several collections have a panel each, of one scale; they have no mean, because the
        candidates are of the scores of each.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import gate_curve_chart
    >>> folder = lf.bundled("example")
    >>> s = lf.scores(lf.positions(folder / "runs", folder / "qrels.txt"), "AP")
    >>> two = {"baseline": "pca8_euclidean", "candidate": "pixels_euclidean"}
    >>> curve = lf.significance.gate_curve(s, 0.2, **two, sizes=[9, 99], trials=50)
    >>> sorted({row["n_requests"] for row in gate_curve_chart(curve).data.values})
    [9, 99]
    """
    draw = altair()
    rows = rows_of(curve, GATE_CURVES, "gate_curve_chart")
    colour, shape = lines_of("case", rows["case"].unique(maintain_order=True))
    x = draw.X("n_requests:Q", title="requests").scale(type="log", nice=False, padding=10)
    x = x.axis(values=rows["n_requests"].unique().sort().to_list(), grid=False)
    y = {"title": "share of trials that pass", "axis": draw.Axis(format="%")}
    y["scale"] = draw.Scale(domain=[0, 1])
    base = draw.Chart().encode(x, draw.Y("pass_rate:Q", **y), colour)
    ends = draw.Y("pass_low:Q", **y), draw.Y2("pass_high")
    shares = [(name, said, ".1%") for name, said in _SHARES.items()]
    said = tooltip(("case", "candidate", ""), "n_requests", *shares, ("test", "test", ""))
    intervals = base.mark_rule(opacity=0.6).encode(*ends)
    layers = [intervals, *lines_with_points(base, shape, said)]
    by = {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 2}
    trials = f"{counted(rows['trials'], 'trial')} of each, with 95 % intervals"
    return faceted(layers, rows, by, "What the gate passes", trials, **_PANEL)


_SHARES = {
    "pass_rate": "passes",
    "fail_rate": "fails",
    "disagree": "two samples disagree",
}


@panelled()
def dependability_chart(table: Frame, value: str = "generalisability") -> alt.FacetChart:
    """Draw how dependable means are, by the numbers of requests and of replicates.

    Parameters
    ----------
    table
        The table of `lexiframe.significance.generalisability`.
    value : {"generalisability", "dependability"}
        The coefficient that is drawn.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, with a line for each number of replicates.

        Several collections have a panel each, of one scale; they have no mean, because variances
        are of the scores of each.

    Raises
    ------
    LexiframeError
        When Altair is not installed, for another value, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> from lexiframe.views.charts import dependability_chart
    >>> c = pl.DataFrame({"measure": "AP", "variance": [0.02, 0.04, 0.01, 0.005],
    ...                   "source": ["run", "request", "run × request", "residual"]})
    >>> g = lf.significance.generalisability(c, "cell", n_requests=[10, 50], n_replicates=[1, 2])
    >>> len(dependability_chart(g).data.values)
    4
    """
    draw = altair()
    check_choice("dependability_chart", value, _COEFFICIENTS, "value")
    rows = rows_of(table, schemas.GENERALISABILITY, "dependability_chart")
    rows = rows.with_columns(replicates=pl.format("{} per request", "n_replicates"))
    colour, shape = lines_of("replicates", rows["replicates"].unique(maintain_order=True))
    x = draw.X("n_requests:Q", title="requests").scale(type="log", nice=False, padding=10)
    x = x.axis(values=rows["n_requests"].unique().sort().to_list(), grid=False)
    y = draw.Y(f"{value}:Q", title=_COEFFICIENTS[value]).scale(domain=[0, 1])
    both = [(name, said, ".3f") for name, said in _COEFFICIENTS.items()]
    said = tooltip("n_requests", ("n_replicates", "replicates", "d"), *both)
    base = draw.Chart().encode(x, y, colour)
    by = {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 2}
    return faceted(lines_with_points(base, shape, said), rows, by, _TITLES[value], **_PANEL)


_COEFFICIENTS = {"generalisability": "Eρ²", "dependability": "Φ"}
_TITLES = {
    "generalisability": "How alike other requests would order the runs",
    "dependability": "How near means are to those over all requests",
}


@panelled()
def powered_chart(table: Frame, measure: str | None = None) -> alt.FacetChart:
    """Draw means by people alone, by the model alone, and by both.

    Parameters
    ----------
    table
        The table of `lexiframe.significance.prediction_powered`, of runs or of pairs.
    measure : str, optional
        The measure that is drawn. Default: all, a panel each.

    Returns
    -------
    altair.FacetChart
        A row for each run or pair, with the intervals of people alone and of people and model, and
        a dot for the model alone, which has no interval, since it is biased.

        Several collections have a panel each, of one scale; they have no mean, because the judged
        requests are of each.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.
    UnknownNameError
        For a measure that the table does not have.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> from lexiframe.views.charts import powered_chart
    >>> q = [f"q{n}" for n in range(100)]
    >>> value = pl.Series([(n * 37 % 100) / 100 for n in range(100)])
    >>> model = pl.DataFrame({"run": "a", "query_id": q, "measure": "AP", "value": value})
    >>> human = model.head(25).with_columns(pl.col("value") ** 2)
    >>> found = lf.significance.prediction_powered(human, model)
    >>> [row["by"] for row in powered_chart(found).data.values]
    ['people alone', 'people and model', 'model alone']
    """
    draw = altair()
    is_of_runs = "run" in schemas.to_polars(table).columns
    schema = schemas.POWERED_MEANS if is_of_runs else schemas.POWERED_DIFFERENCES
    rows = rows_with(rows_of(table, schema, "powered_chart"), "measure", measure)
    label = pl.col("run") if is_of_runs else pl.format("{} − {}", "run_a", "run_b")
    parts = [
        rows.select(
            "measure", label.alias("of"), by=pl.lit(by), mean=mean, ci_low=low, ci_high=high, n=n
        )
        for by, (mean, low, high, n) in _BY.items()
    ]  # fmt: skip
    long, of_intervals = pl.concat(parts), list[str]()
    if is_of_runs:
        long, of_intervals = cut_at_bounds(long)
    names = long["of"].unique(maintain_order=True).to_list()
    high = step(3 * len(names))
    colour = draw.Color("by:N", title=None).scale(domain=[*_BY], range=_HUES)
    at = draw.YOffset("by:N", sort=[*_BY])
    y = draw.Y("of:N", title=None, sort=names)
    numbers = [(name, said, ".4f") for name, said in _NUMBERS.items()]
    said = tooltip(("of", "run" if is_of_runs else "pair", ""), ("by", "by", ""), *numbers, "n")
    x = {"title": "mean" if is_of_runs else "mean difference"}
    layers = [
        confidence(x, high, y, at, colour, said),
        dots("mean", x, high, y, at, colour, said),
    ]
    by = {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 1}
    words = "Means by people, by a model, and by both", "intervals of the same level"
    return faceted(
        layers, long, by, *words, *of_intervals, width=WIDTH, height=3 * high * len(names)
    )


_HUES = [COLOURS[0], COLOURS[1], GREY]
_NONE = pl.lit(None, pl.Float64)
_BY: dict[str, tuple[Any, ...]] = {
    "people alone": ("people_mean", "people_low", "people_high", "n"),
    "people and model": ("mean", "ci_low", "ci_high", "n"),
    "model alone": ("model_mean", _NONE, _NONE, pl.col("n") + pl.col("n_model")),
}
"""Who says a mean, and the columns of the mean, its interval and the requests it is over."""
_NUMBERS = {"mean": "mean", "ci_low": "from", "ci_high": "to"}


@panelled()
def sequence_chart(table: Frame) -> alt.FacetChart:
    """Draw what was known of a mean difference while requests came in.

    Parameters
    ----------
    table
        The table of `lexiframe.significance.confidence_sequence`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, with a line of the mean difference over the first requests, its
        intervals as a band, and a dashed line at 0.

        Several collections have a panel each, of one scale; they have no mean, because requests
        came in for each apart.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import sequence_chart
    >>> folder = lf.bundled("digits")
    >>> s = lf.scores(lf.positions(folder / "runs", folder / "qrels.parquet"), ["nDCG@10"])
    >>> two = {"baseline": "pixels_euclidean", "candidate": "pca8_euclidean"}
    >>> c = lf.significance.confidence_sequence(s, **two, n_planned=60, every=20)
    >>> [row["n_requests"] for row in sequence_chart(c).data.values]
    [20, 40, 60]
    """
    draw = altair()
    rows = rows_of(table, CONFIDENCE_SEQUENCES, "sequence_chart")
    x = draw.X("n_requests:Q", title="requests").axis(grid=False)
    y = {"title": "mean difference"}
    numbers = [(name, said, ".4f") for name, said in _OF_SEQUENCE.items()]
    base = draw.Chart().encode(x, tooltip=tooltip("n_requests", *numbers))
    band = base.mark_area(opacity=0.2, color=COLOURS[0])
    line = base.mark_line(color=COLOURS[0], point={"color": COLOURS[0]})
    zero = draw.Chart().transform_aggregate(n="count()", groupby=["measure"])
    zero = zero.transform_calculate(zero="0").mark_rule(color=GREY, strokeDash=[4, 3])
    layers = [
        band.encode(draw.Y("ci_low:Q", **y), draw.Y2("ci_high")),
        zero.encode(draw.Y("zero:Q", **y)),
        line.encode(draw.Y("mean_difference:Q", **y)),
    ]
    by = {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 2}
    level = f"{100 * (1 - rows['alpha'][0]):g} %"
    holds = f"all intervals hold together, with a probability of {level} or more"
    return faceted(layers, rows, by, "What is known after so many requests", holds, **_PANEL)


_OF_SEQUENCE = {"mean_difference": "mean difference", "ci_low": "from", "ci_high": "to"}
