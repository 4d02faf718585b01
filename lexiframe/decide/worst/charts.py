"""Charts of the worst share against the share, and of gains and losses against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import schemas, unknown_name
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, layered
from lexiframe.core.views.charts.marks import level_line, lines_of, lines_with_points, nearest_line
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import WIDTH
from lexiframe.core.views.charts.tables import chosen, rows_of, rows_with
from lexiframe.decide.worst.schemas import WORST_VALUES
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_SIZE = {"width": WIDTH, "height": 300}
_OF_SHARE = "share of the requests that are served worst; 100 %: the mean"


@panelled()
def worst_chart(
    values: Frame, measure: str | None = None, runs: str | Sequence[str] | None = None
) -> alt.LayerChart:
    """Draw how well runs serve the requests that they serve worst, against their share.

    Parameters
    ----------
    values
        The table ``values`` of `worst_served`, of several shares.
    measure
        The measure that is drawn. Default: the only one of the table.
    runs : str, or several
        Some of the runs. Default: all.

    Returns
    -------
    altair.LayerChart
        A line with points for each run, the mean of its worst share against the share, and its
        interval as a band. At the share 1 it is the mean.

        Several collections have a panel each, of one scale.

    Raises
    ------
    UnknownNameError
        For a measure or a run that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table of several measures when none is chosen.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import worst_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> chart = worst_chart(lf.worst_served(e, [0.4, 1]).values, runs="random")
    >>> [(row["share"], round(row["value"], 3)) for row in chart.data.values]
    [(0.4, 0.005), (1.0, 0.033)]
    """
    draw = altair()
    rows = rows_with(rows_of(values, WORST_VALUES, "worst_chart", measure=measure), "run", runs)
    names, name = rows["run"].unique().sort().to_list(), rows["measure"][0]
    x = draw.X("share:Q", title=_OF_SHARE).axis(format="%", grid=False)
    said = tooltip("run", "share", "value", "ci_low", "ci_high", "mean", "n")
    colour, shape = lines_of("run", names)
    base = draw.Chart().encode(x, colour, draw.Y("value:Q", title=name), said)
    band = draw.Chart().mark_area(opacity=0.12).encode(
        x, draw.Y("ci_low:Q", title=name), draw.Y2("ci_high"), colour
    )  # fmt: skip
    layers = [band.transform_filter("isValid(datum.ci_low)"), *lines_with_points(base, shape)]
    title = f"{name} of the requests that each run serves worst", "bands: intervals of one value"
    return layered(layers, rows, *title, **_SIZE)


_DIFFERENCES = schemas.table_schema("scores", "run query_id measure", "value smaller_is_better?")


@panelled()
def risk_chart(
    s: Frame, baseline: str, measure: str | None = None, margin: float = 0.1,
    runs: str | Sequence[str] | None = None,
) -> alt.LayerChart:  # fmt: skip
    """Draw who gains and who loses how much against a baseline: all differences, sorted.

    Parameters
    ----------
    s
        The table of `scores`.
    baseline : str
        The run with which the others are compared.
    measure
        The measure that is drawn. Default: the only one of the table.
    margin : float
        A grey line below that of no difference shows which losses are larger than this.
    runs : str, or several
        Some of the other runs. Default: all.

    Returns
    -------
    altair.LayerChart
        A line for each run: the differences of its requests from the baseline, positive where it is
        better, from the greatest loss to the greatest gain. The run near the pointer is emphasised.

        Several collections have a panel each, of one scale.

    Raises
    ------
    UnknownNameError
        For a measure or a run that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table of several measures when none is chosen.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import risk_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", "AP")
    >>> chart = risk_chart(e.scores, "pca8_euclidean", runs="pixels_euclidean")
    >>> [row["query_id"] for row in chart.data.values]
    ['q0206', 'q0078', 'q0066', 'q0175', 'q0113']
    """
    from lexiframe.decide.worst.asked import measured

    draw = altair()
    rows = rows_of(s, _DIFFERENCES, "risk_chart", measure=measure)
    (m,) = measured("risk_chart", rows)
    if baseline not in m.runs:
        raise unknown_name("run", baseline, m.runs)
    names = chosen("run", runs, [run for run in m.runs if run != baseline])
    delta = m.tails.values - m.tails.values[:, m.runs.to_list().index(baseline), None]
    found = pl.DataFrame(delta, schema=m.runs.to_list()).with_columns(query_id=m.rows)
    found = found.unpivot(names, index="query_id", variable_name="run", value_name="difference")
    found = found.filter(pl.col("difference").is_not_nan()).sort("run", "difference", "query_id")
    place = pl.int_range(1, pl.len() + 1).over("run") / pl.len().over("run")
    found = found.with_columns(share=place - 0.5 / pl.len().over("run"))
    x = draw.X("share:Q", title="share of the requests, those that lose most first")
    at = {"x": x.axis(format="%", grid=False), "y": draw.Y("difference:Q", title="difference")}
    said = tooltip("run", "query_id", ("difference", "difference", "+.4f"))
    base = draw.Chart().mark_line(strokeWidth=1.5).encode(
        **at, color=lines_of("run", names)[0], tooltip=said
    )  # fmt: skip
    near = nearest_line(at, {"detail": "run:N", "tooltip": said}, "run", 40)
    limit = level_line("limit", -margin, {}, "margin")
    layers: list[Any] = [base, limit, level_line("limit", 0.0, {}, "no difference"), *near]
    title = f"{m.group['measure']}: differences from {baseline}, positive where a run is better"
    return layered(layers, found, title, f"lower line: losses of {margin:g}", **_SIZE)
