"""The chart of one measure against other ones, on pairs of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import LexiframeError, resampling, schemas
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header
from lexiframe.core.views.charts.panels import OF_PANEL, panelled
from lexiframe.core.views.charts.style import COLOURS
from lexiframe.core.views.charts.tables import chosen, refuse_gaps, rows_of
from lexiframe.core.views.charts.texts import harmless_all, pairs_text, spoken
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled()
def difference_chart(
    d: Frame,
    /,
    reference: str = "RPP",
    measures: str | Sequence[str] | None = None,
    *,
    points: int = 1000,
    seed: int = 0,
) -> alt.FacetChart:
    """Draw the differences of measures beside the preference of another, pair by pair.

    Parameters
    ----------
    d
        The table of `preferences`, or several of them put together.
    reference
        The measure to which all others are compared.
    measures
        One or several of the others, in this order. Default: all.
    points
        How many pairs of rankings of the same request are drawn, at random if there are more.
    seed
        The same seed draws the same pairs.

    Returns
    -------
    altair.FacetChart
        A panel for each measure, with a point for each pair of rankings: orange where its sign is
        not that of the reference. Above a panel are Pearson's correlation r and the share sa of
        pairs with the same sign, of all pairs of the table: both are 0, or both prefer the same.

        Several collections have a panel each, of one scale; they have no mean, because points are
        pairs of rankings of a request.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, for a table with one measure, and for fewer points than one.

    Notes
    -----
    Diaz & Ferraro, SIGIR 2022, section 6.1, figure 5, doi:10.1145/3477495.3532033.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import difference_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> rows = difference_chart(lf.preferences(p, ["RPP", "AP"])).data.values
    >>> len(rows), rows[0]["panel"]
    (15, 'AP: r = 0.94, sa = 1.00')
    """
    draw, called = altair(), "difference_chart"
    resampling.check_draws(called, "points", points, seed)
    rows = refuse_gaps(rows_of(d, schemas.PREFERENCES, called), called, "preference")
    names = rows["measure"].unique(maintain_order=True).to_list()
    (reference,) = chosen("measure", reference, names)
    others = [name for name in chosen("measure", measures, names) if name != reference]
    if not others:
        raise LexiframeError(
            f"difference_chart: expected measures beside {reference}, found none; compute their "
            "preferences as well"
        )
    pairs = ["query_id", "run_a", "run_b"]
    wide = rows.pivot("measure", index=pairs, values="preference").sort(pairs)
    named = {
        name: "{}{}{:.2f}, sa = {:.2f}".format(
            name,
            OF_PANEL,
            *wide.select(
                pl.corr(name, reference).alias("r"),
                (pl.col(name).sign() == pl.col(reference).sign()).mean().alias("sa"),
            ).row(0),
        )
        for name in others
    }
    drawn = wide.sample(min(points, wide.height), seed=seed).sort(pairs)
    long = drawn.unpivot(
        others, index=[*pairs, reference], variable_name="panel", value_name="preference"
    ).rename({reference: "of_reference"})
    same = pl.col("preference").sign() == pl.col("of_reference").sign()
    long = long.with_columns(
        pl.col("panel").replace(named),
        signs=pl.when(same).then(pl.lit("same sign")).otherwise(pl.lit("other sign")),
    )
    of_reference = spoken(reference)
    dots = draw.Chart().mark_circle(size=10, opacity=0.4).encode(
        draw.X("preference:Q", title="difference").axis(grid=False),
        draw.Y("of_reference:Q", title=of_reference).axis(grid=False),
        draw.Color("signs:N", title=None)
        .scale(domain=["same sign", "other sign"], range=COLOURS[:2]),
        tooltip("query_id", "run_a", "run_b", "preference",
                ("of_reference", of_reference, ".4f")),
    )  # fmt: skip
    panels = harmless_all(named.values())
    chart = faceted(
        [dots],
        long,
        {"facet": draw.Facet("panel:N", sort=panels, header=header()), "columns": 3},
        f"Differences of measures beside {reference}",
        f"{pairs_text(pl.Series([drawn.height]))} of rankings of {wide.height:,}; r: Pearson's "
        "correlation, sa: share with the same sign, of all",
        width=190,
        height=150,
    )
    own_scales: alt.FacetChart = chart.resolve_scale(x="independent")
    return own_scales
