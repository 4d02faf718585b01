"""The chart of how often one measure prefers what others prefer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.base import schemas, typed
from lexiframe.typing import Frame
from lexiframe.views.charts.axes import rows_axis, share_axis
from lexiframe.views.charts.colours import COLOURS
from lexiframe.views.charts.columns import tooltip
from lexiframe.views.charts.drawing import altair, faceted, header, step
from lexiframe.views.charts.marks import dots, interval
from lexiframe.views.charts.tables import rows_of

if TYPE_CHECKING:
    import altair as alt


@typed
def agreement_chart(agreement: Frame, /, reference: str = "LR") -> alt.FacetChart:
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
