"""Charts of judges: the grades that they give the same items, and the ranks of runs under them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.views.charts.axes import names_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered, step
from lexiframe.core.views.charts.marks import numbers
from lexiframe.core.views.charts.orderings import lines_of_ranks
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, SHARES
from lexiframe.core.views.charts.tables import chosen, rows_of
from lexiframe.core.views.charts.texts import spoken
from lexiframe.decide.judges.schemas import JUDGE_CONFUSION, RANK_SHIFTS
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_MOST_NUMBERS = 12
"""The number of grades up to which cells show their numbers."""


@panelled()
def judge_confusion_chart(
    table: Frame, judge_a: str | None = None, judge_b: str | None = None
) -> alt.LayerChart:
    """Draw which grades two judges give the same items, as a heat map.

    Parameters
    ----------
    table
        The table of `judge_confusion`.
    judge_a, judge_b
        The judges whose rows are drawn, as the table has them; not needed when there are two.

    Returns
    -------
    altair.LayerChart
        A row is a grade by judge_a and a column one by judge_b, both rising. The colour of a cell
        is the share of the items of its row, so each row adds up to 1, and a judge who agrees with
        the other makes the diagonal dark. Of up to 12 grades the cells also show their numbers of
        items. A grade that judge_a never gave has an empty row.

        Several collections have a panel each, of one scale; they have no mean, because each has
        documents of its own.

    Raises
    ------
    UnknownNameError
        For a judge that the table does not have.
    LexiframeError
        When Altair is not installed, and for several pairs of judges or groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import judge_confusion_chart
    >>> folder = lf.bundled("digits")
    >>> judges = {name: folder / f"judges/{name}.parquet" for name in ("people", "classifier")}
    >>> chart = judge_confusion_chart(lf.judge_confusion(judges))
    >>> [(row["relevance_a"], row["relevance_b"], row["n"]) for row in chart.data.values]
    [(0.0, 0.0, 2990), (0.0, 1.0, 171), (1.0, 0.0, 664), (1.0, 1.0, 2431)]
    """
    draw, called = altair(), "judge_confusion_chart"
    only = {"judge_a": judge_a, "judge_b": judge_b}
    rows = rows_of(table, JUDGE_CONFUSION, called, ["relevance_a", "relevance_b"], **only)
    a, b = rows["judge_a"][0], rows["judge_b"][0]
    grades = rows["relevance_a"].unique().sort().to_list()
    by_a, by_b = spoken(f"grade by {a}"), spoken(f"grade by {b}")
    base = draw.Chart(inside(rows)).encode(
        draw.Y("relevance_a:O", sort=grades, axis=names_axis(by_a)),
        draw.X("relevance_b:O", sort=grades, axis=names_axis(by_b, labelAngle=0)),
        tooltip=tooltip(
            ("relevance_a", by_a, "~g"),
            ("relevance_b", by_b, "~g"),
            ("n", "items", ",d"),
            "share_of_a",
            ("share", "share of all items", ".3f"),
        ),
    )
    colour = draw.Color("share_of_a:Q", title="share of the row").scale(**SHARES)
    cells = base.mark_rect().encode(colour)
    layers = [cells.transform_filter("isValid(datum.share_of_a)")]
    if len(grades) <= _MOST_NUMBERS:
        layers.append(numbers(base, "n", ",d", "datum.share_of_a > 0.6"))
    side = draw.Step(step(len(grades), most=56))
    words = f"Grades by {a} and by {b}", f"of {rows['n'].sum():,} items"
    return layered(layers, None, *words, width=side, height=side)


@panelled()
def rank_shift_chart(
    table: Frame,
    measure: str,
    judge_a: str | None = None,
    judge_b: str | None = None,
    *,
    highlight: str | Sequence[str] | None = None,
) -> alt.LayerChart:
    """Draw the ranks of the runs under two judges, with a line for each run from one to the other.

    Parameters
    ----------
    table
        The table ``rank_shifts`` of `compare_judges`.
    measure
        The measure whose orderings are drawn.
    judge_a, judge_b
        The judges at the left and at the right, as the table has them; not needed when there are
        two.
    highlight
        Runs whose lines are coloured and whose names are bold. Default: up to 8 runs that shift
        most; at a tie those that judge_a ranks first.

    Returns
    -------
    altair.LayerChart
        The best rank is at the top. Lines that cross are pairs of runs whose order the judges see
        differently; a steep line is a run that one of the judges favours.

        Several collections have a panel each, of one scale; they have no mean, because ranks are
        among the runs of each.

    Raises
    ------
    UnknownNameError
        For a measure, a judge or a run that the table does not have.
    LexiframeError
        When Altair is not installed, and for several pairs of judges, methods or groups of
        requests.

    Examples
    --------
    >>> import polars as pl
    >>> from lexiframe.views.charts import rank_shift_chart
    >>> shifts = pl.DataFrame({"measure": "AP", "method": "mean", "judge_a": "nist",
    ...     "judge_b": "llm", "run": ["x", "y"], "value_a": [0.5, 0.25], "value_b": [0.25, 0.5],
    ...     "rank_a": [1.0, 2.0], "rank_b": [2.0, 1.0], "shift": [-1.0, 1.0]})
    >>> [(row["ordering"], row["run"]) for row in rank_shift_chart(shifts, "AP").data.values]
    [('nist', 'x'), ('nist', 'y'), ('llm', 'y'), ('llm', 'x')]
    """
    called = "rank_shift_chart"
    only = {"measure": measure, "judge_a": judge_a, "judge_b": judge_b}
    shifts = rows_of(table, RANK_SHIFTS, called, ["run"], **only)
    judges = [shifts["judge_a"][0], shifts["judge_b"][0]]
    known = shifts["run"].sort().to_list()
    named = _movers(shifts) if highlight is None else chosen("run", highlight, known)
    rows = pl.concat(_judge_ordering(shifts, judges[at], end, at) for at, end in enumerate("ab"))
    rows = rows.with_columns(is_highlighted=pl.col("run").is_in(named))
    n = shifts.height
    n_moved = (shifts["shift"] != 0).sum()
    return lines_of_ranks(
        rows,
        judges,
        named,
        f"Ranks of {n} run{'s' * (n != 1)} by {measure}, under {judges[0]} and under {judges[1]}",
        f"{n_moved} of them have another rank; orderings by {shifts['method'][0]}",
    )


def _judge_ordering(shifts: pl.DataFrame, judge: str, end: str, at: int) -> pl.DataFrame:
    """Return the ordering under one of the judges, with the places of names beside the lines."""
    rows = shifts.select(
        "run",
        "measure",
        "method",
        value=f"value_{end}",
        rank=f"rank_{end}",
        ordering=pl.lit(judge),
        at=pl.lit(at, pl.Int64),
        is_first=pl.lit(at == 0),
        is_last=pl.lit(at == 1),
    )
    return rows.sort("rank", "run").with_columns(place=pl.int_range(1, pl.len() + 1))


def _movers(shifts: pl.DataFrame) -> list[str]:
    moved = shifts.filter(pl.col("shift") != 0)
    return moved.sort(-pl.col("shift").abs(), "rank_a", "run")["run"].head(len(COLOURS)).to_list()
