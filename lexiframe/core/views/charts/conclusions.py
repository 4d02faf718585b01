"""The chart of how far two sets of comparisons agree about pairs of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.views.charts.axes import names_axis, share_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, name_size, single, step
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import CONCLUSIONS, WIDTH
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import harmless_all, pairs_text
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_SAYS = {
    "AA": "same run, significant on both sides",
    "MA": "same run, significant on one side",
    "PA": "same run, significant on no side",
    "TIE": "equal on a side",
    "PD": "another run, significant on no side",
    "MD": "another run, significant on one side",
    "AD": "another run, significant on both sides",
}
"""What a category says of the better run, from full agreement to full disagreement."""


@panelled()
def conclusion_chart(table: Frame, measure: str | None = None) -> alt.Chart:
    """Draw how many pairs of runs lead to the same conclusion on both sides, as stacked bars.

    Parameters
    ----------
    table
        The table of `conclusions`.
    measure
        The measure whose conclusions are drawn. Default: all of the table.

    Returns
    -------
    altair.Chart
        A bar for each row of the table, of the shares of the pairs of runs in each category: blue
        where both sides have the same better run, orange where they have another one, and darker
        the more sides are significant. Rows without a shared pair of runs have no bar.

        Several collections have a panel each, of one scale; they have no mean, because their pairs
        of runs differ.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, and for several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import conclusion_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> named = {name: lf.compare(lf.scores(p, [name]), "t") for name in ("AP", "RR")}
    >>> rows = conclusion_chart(lf.conclusions(named)).data.values
    >>> [(row["category"], row["n"]) for row in rows if row["n"]]
    [('MA', 2), ('PA', 1)]
    """
    draw = altair()
    rows = rows_of(table, schemas.CONCLUSIONS, "conclusion_chart", measure=measure)
    # What is the same in all rows need not be said in each.
    key = schemas.CONCLUSIONS.key[2:]
    differing = [name for name in key if rows[name].n_unique() > 1]
    said = [f"{name} = {rows[name][0]}" for name in key if name not in differing]
    rows = rows.with_columns(row=pl.concat_str("name_a", "name_b", *differing, separator=", "))
    cells, named = _category_rows(rows), rows["row"].to_list()
    pixels = step(len(named), most=28)
    axis = names_axis(names=named, labelFontSize=name_size(pixels))
    colour = draw.Color("category:N", sort=[*_SAYS], title="")
    bars = draw.Chart(inside(cells)).mark_bar()
    bars = bars.encode(
        draw.Y("row:N", sort=harmless_all(named), axis=axis),
        draw.X("share:Q", stack="zero", title="share of the pairs of runs", **share_axis()),
        colour.scale(domain=[*_SAYS], range=CONCLUSIONS),
        draw.Order("order:Q"),
        tooltip=tooltip("row", "category", "says", ("n", "pairs", ",d"), "share"),
    )
    return single(
        bars,
        "Agreement of conclusions about pairs of runs",
        f"{pairs_text(rows['n_pairs'])}; {', '.join(said)}".rstrip("; "),
        "blue: the same run is better; orange: another one; A: significant on both sides, "
        "M: on one, P: on none",
        width=WIDTH,
        height=draw.Step(pixels),
    )


def _category_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each category of each row, in the order of both."""
    rows = rows.with_columns(place=pl.int_range(pl.len()))
    cells = rows.unpivot(
        [*_SAYS], index=["row", "place", "n_pairs"], variable_name="category", value_name="n"
    )
    return cells.with_columns(
        share=pl.when(pl.col("n_pairs") > 0).then(pl.col("n") / pl.col("n_pairs")),
        says=pl.col("category").replace_strict(_SAYS),
        order=pl.col("category").cast(pl.Enum([*_SAYS])).to_physical().cast(pl.Int64),
    ).sort("place", "order")
