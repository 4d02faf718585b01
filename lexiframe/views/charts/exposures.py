"""Charts of what one recall level adds to a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.typing import Frame
from lexiframe.views.charts.axes import share_axis
from lexiframe.views.charts.colours import COLOURS, SIDES
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import altair, faceted, header
from lexiframe.views.charts.tables import EXPOSURE_DIFFERENCES, EXPOSURE_DISTRIBUTION, rows_of
from lexiframe.views.charts.texts import harmless_all

if TYPE_CHECKING:
    import altair as alt


def exposure_difference_chart(differences: Frame, /) -> alt.FacetChart:
    """Draw what the i-th relevant item adds to a difference, by its ranks in two rankings.

    Parameters
    ----------
    differences
        The table of `lexiframe.theory.exposure_differences`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, in which the colour of a cell is the difference: blue where the
        rank to the right is better, orange where the rank upwards is.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import exposure_difference_chart
    >>> chart = exposure_difference_chart(lf.theory.exposure_differences(["RR", "RPP"], n=3))
    >>> len(chart.data.values)
    18
    """
    draw = altair()
    rows = rows_of(differences, EXPOSURE_DIFFERENCES, "exposure_difference_chart")
    axis = draw.Axis(labelAngle=0, labelOverlap="greedy")
    cells = draw.Chart().mark_rect().encode(
        draw.X("rank_a:O", title="rank in one ranking", axis=axis),
        draw.Y("rank_b:O", title="rank in the other", sort="descending", axis=axis),
        draw.Color("difference:Q", title="difference").scale(**SIDES),
        tooltip("measure", ("rank_a", "rank", "d"), ("rank_b", "and rank", "d"),
                ("difference", "difference", ".4f")),
    )  # fmt: skip
    return faceted(
        [cells],
        rows,
        {"facet": _by_measure(rows), "columns": 3},
        "What one recall level adds to a difference",
        "differences of exposures, as a share of that at rank 1; signs for preferences",
        width=170,
        height=170,
    )


def exposure_distribution_chart(distribution: Frame, /) -> alt.FacetChart:
    """Draw how what recall levels add to differences is distributed over pairs of rankings.

    Parameters
    ----------
    distribution
        The table of `lexiframe.theory.exposure_distribution`.

    Returns
    -------
    altair.FacetChart
        A panel for each measure with the empirical cumulative distribution.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import exposure_distribution_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> chart = exposure_distribution_chart(lf.theory.exposure_distribution(p, ["RR", "RPP"]))
    >>> len(chart.data.values)
    402
    """
    draw = altair()
    rows = rows_of(distribution, EXPOSURE_DISTRIBUTION, "exposure_distribution_chart")
    line = draw.Chart().mark_line(interpolate="step-after", color=COLOURS[0]).encode(
        draw.X("difference:Q", title="difference").axis(grid=False),
        draw.Y("cumulative:Q", title="share up to it", **share_axis()),
        tooltip("measure", ("difference", "difference", ".2f"), ("cumulative", "share", ".2%")),
    )  # fmt: skip
    return faceted(
        [line],
        rows,
        {"facet": _by_measure(rows), "columns": 3},
        "How much recall levels add to differences",
        f"over {int(rows['n'][0]):,} recall levels of pairs of rankings, in both directions",
        width=170,
        height=130,
    )


def _by_measure(rows: pl.DataFrame) -> object:
    names = harmless_all(rows["measure"].unique(maintain_order=True))
    return altair().Facet("measure:N", sort=names, header=header())
