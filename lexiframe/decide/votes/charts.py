"""Charts of people's preferences: strengths of runs, expectations, agreeing measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, to_polars
from lexiframe.core.views.charts.axes import room_at_ends, rows_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered, step
from lexiframe.core.views.charts.marks import confidence, dots
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, WIDTH
from lexiframe.core.views.charts.tables import refuse_gaps, rows_of
from lexiframe.decide.votes.schemas import CONCORDANCE, STRENGTH_PAIRS, STRENGTHS
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled()
def strength_chart(strengths: Frame) -> alt.LayerChart:
    """Draw the strength of each run with its interval, the strongest first.

    Parameters
    ----------
    strengths
        What `bradley_terry` returns, or its table ``strengths``.

    Returns
    -------
    altair.LayerChart
        A row for each run. The intervals are those of each run by itself, against the mean of all
        runs; whether two runs differ is in the table ``pairs``.

        Several collections have a panel each, of one scale; they have no mean, because strengths
        have no common zero.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import strength_chart
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y",
    ...                       "winner": ["a", "a", "b"]})
    >>> [row["run"] for row in strength_chart(lf.bradley_terry(votes)).data.values]
    ['x', 'y']
    """
    draw = altair()
    rows = rows_of(strengths, STRENGTHS, "strength_chart").sort("rank", "run")
    pixels = step(rows.height)
    y = rows_axis("run", rows["run"], pixels, title=None)
    x: dict[str, Any] = {"title": "strength β (0 is the mean)", "scale": room_at_ends()}
    said = tooltip(
        "run", ("strength", "strength", ".4f"), "ci_low", "ci_high", "rank",
        ("n_judgments", "judgments", "d"),
    )  # fmt: skip
    layers = [
        confidence(x, pixels, y),
        dots("strength", x, pixels, y),
    ]
    layers = [layer.encode(tooltip=said) for layer in layers]
    words = "Strengths of runs", "intervals of each run by itself"
    return layered(layers, rows, *words, width=WIDTH, height=draw.Step(pixels))


@panelled(mean_of("concordance"))
def concordance_chart(measures: Frame) -> alt.LayerChart:
    """Draw how often each measure prefers the same run as people, with intervals.

    Parameters
    ----------
    measures
        The table ``measures`` of what `concordance` returns.

    Returns
    -------
    altair.LayerChart
        A row for each measure, that of the highest concordance first. The grey line is at 50 %,
        which chance gives. Intervals that overlap may belong to measures that differ: the table
        ``pairs`` has the tests.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and for a table without rows.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import concordance_chart
    >>> rows = {"query_id": ["1", "2"], "run_a": "x", "run_b": "y"}
    >>> people = pl.DataFrame({**rows, "measure": "stated", "preference": [1.0, -0.5]})
    >>> d = pl.DataFrame({**rows, "measure": "AP", "preference": [0.1, 0.0]})
    >>> found = lf.concordance(d, people)
    >>> [row["concordance"] for row in concordance_chart(found.measures).data.values]
    [0.75]
    """
    draw = altair()
    rows = refuse_gaps(
        rows_of(measures, CONCORDANCE, "concordance_chart"), "concordance_chart", "n"
    ).sort("concordance", "measure", descending=[True, False], nulls_last=True)
    pixels = step(rows.height)
    y = rows_axis("measure", rows["measure"], pixels, title=None)
    x: dict[str, Any] = {
        "title": "pairs in which people prefer the same run (ties half)",
        "axis": draw.Axis(format="%"),
        "scale": draw.Scale(zero=False, nice=True),
    }
    said = tooltip(
        "measure", ("concordance", "concordance", ".1%"), ("ci_low", "from", ".1%"),
        ("ci_high", "to", ".1%"), ("n", "pairs", "d"), ("ties", "of them tied", "d"),
    )  # fmt: skip
    chance = draw.Chart(draw.InlineData(values=[{"at": 0.5}])).mark_rule(color=GREY)
    layers = [
        chance.encode(draw.X("at:Q")),
        confidence(x, pixels, y).encode(tooltip=said),
        dots("concordance", x, pixels, y).encode(tooltip=said),
    ]
    n = int(rows.select(pl.col("n").max()).item())
    words = "Concordance with people", f"{n:,} pairs of rankings of which people prefer one"
    return layered(layers, rows, *words, width=WIDTH, height=draw.Step(pixels))


_LARGE = 3.0
"""The standardised residual from which a pair is drawn as one that does not fit."""
_FITS = ("as expected", f"{_LARGE:g} or more standard deviations away")


@panelled()
def residual_chart(pairs: Frame) -> alt.LayerChart:
    """Draw the observed share of each pair of runs over the share that the strengths expect.

    Parameters
    ----------
    pairs
        The table ``pairs`` of what `bradley_terry` returns.

    Returns
    -------
    altair.LayerChart
        A dot for each pair that was judged, larger where it was judged more often; the better run
        by the strengths comes first, so that expected shares are .5 or more. On the line both are
        equal. Pairs that lie 3 or more standard deviations away have a colour of their own: there
        the picture of one dimension is wrong.

        Several collections have a panel each, of one scale; they have no mean, because strengths
        have no common zero.

    Raises
    ------
    LexiframeError
        When Altair is not installed, and when no pair was judged.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import residual_chart
    >>> votes = pl.DataFrame({"query_id": ["1", "2", "3"], "run_a": "x", "run_b": "y",
    ...                       "winner": ["b", "b", "a"]})
    >>> [row["pair"] for row in residual_chart(lf.bradley_terry(votes).pairs).layer[1].data.values]
    ['y against x']
    """
    draw = altair()
    rows = schemas.check(to_polars(pairs), STRENGTH_PAIRS, "residual_chart")
    rows = rows.filter(pl.col("n_judgments") > 0)
    if rows.is_empty():
        raise LexiframeError("residual_chart: expected a pair of runs that was judged, found none")
    turned, large = pl.col("expected_share") < 0.5, pl.col("residual").abs() >= _LARGE
    better, worse = (
        pl.when(turned).then(a).otherwise(b) for a, b in (("run_b", "run_a"), ("run_a", "run_b"))
    )
    shares = {
        name: pl.when(turned).then(1 - pl.col(name)).otherwise(name)
        for name in ("expected_share", "observed_share")
    }
    rows = rows.select(
        "n_judgments",
        pl.format("{} against {}", better, worse).alias("pair"),
        residual=pl.when(turned).then(-pl.col("residual")).otherwise("residual"),
        fit=pl.when(large).then(pl.lit(_FITS[1])).otherwise(pl.lit(_FITS[0])),
        **shares,
    )
    said = tooltip(
        ("pair", "runs", ""), ("expected_share", "expected", ".1%"),
        ("observed_share", "observed", ".1%"), ("residual", "standard deviations", "+.2f"),
        ("n_judgments", "judgments", "d"),
    )  # fmt: skip
    percent = draw.Axis(format="%")
    ends = draw.Scale(domain=[0.5, 1], nice=False)
    x = draw.X("expected_share:Q", title="expected of the stronger run", axis=percent, scale=ends)
    y = draw.Y("observed_share:Q", title="observed (ties half)", axis=percent,
               scale=draw.Scale(domain=[0, 1]))  # fmt: skip
    line = draw.Chart(draw.InlineData(values=[{"at": 0.5}, {"at": 1.0}])).mark_line(color=GREY)
    colour = draw.Color("fit:N", title=None).scale(domain=[*_FITS], range=[COLOURS[0], COLOURS[1]])
    size = draw.Size("n_judgments:Q", title="judgments").scale(range=[8, 160])
    layers = [
        line.encode(draw.X("at:Q"), draw.Y("at:Q")),
        draw.Chart(inside(rows)).mark_circle(opacity=0.7).encode(x, y, colour, size, tooltip=said),
    ]
    n = rows.filter(pl.col("fit") == _FITS[1]).height
    verb = "is" if n == 1 else "are"
    words = f"{rows.height:,} pairs of runs were judged; {n:,} {verb} {_FITS[1]}"
    return layered(layers, None, "Observed and expected shares", words, width=WIDTH, height=WIDTH)
