"""Which measure of a composition decides how many pairs of rankings: `deciding_components`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, printed, schemas, typed
from lexiframe.core.projection import alone
from lexiframe.core.views.charts.axes import names_axis, share_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, faceted, header
from lexiframe.core.views.charts.panels import mean_of, panelled
from lexiframe.core.views.charts.style import COLOURS, WIDTH
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

DECIDING_COMPONENTS = schemas.table_schema(
    "deciding_components", "measure place", "component pairs share", pairs=schemas.INT
)


@alone.each_collection
@typed
def deciding_components(d: Frame, /) -> pl.DataFrame:
    """Count which measure of a composition decides how many pairs of rankings.

    Parameters
    ----------
    d
        The table of ``preferences(..., deciding_level=True)`` with compositions (see `lex`); its
        other measures are left out.

    Returns
    -------
    polars.DataFrame
        Key ``measure, place``, sorted by it: for each measure of a composition, in the order in
        which they are asked, the number of ``pairs`` of rankings that it decides, and their
        ``share`` of all rows of the composition. ``component`` is its name; null, in the last row
        of a composition, stands for pairs that all of its measures tie. `lexiframe.verdict` says it
        in a sentence.

    Raises
    ------
    LexiframeError
        For preferences without ``deciding_component``, and without a composition.

    Notes
    -----
    Each request counts once, also where requests have weights.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> found = lf.deciding_components(lf.preferences(p, "RR>AP", deciding_level=True))
    >>> found.select("component", "pairs", "share").rows()
    [('RR', 9, 0.6), ('AP', 5, 0.3333333333333333), (None, 1, 0.06666666666666667)]
    >>> print(lf.verdict(found)["sentence"].item())
    RR>AP: RR decides 60.0 % of the 15 pairs of rankings, AP 33.3 %; 6.7 % tie by all of these.
    """
    table = schemas.check(d, schemas.PREFERENCES)
    names = table["measure"].cast(pl.String)
    names = names.filter(names.str.contains(">", literal=True)).unique().sort()
    if "deciding_component" not in table.columns or not len(names):
        raise LexiframeError(
            "deciding_components: expected preferences by a composition such as RR>AP with the "
            f"column deciding_component, found the columns {', '.join(table.columns)}; make them "
            "with preferences(p, 'RR>AP', deciding_level=True)"
        )
    rows = names.to_frame().with_columns(component=pl.col("measure").str.split(">"))
    places = rows.with_columns(
        component=pl.concat_list("component", pl.lit(None, pl.String)),
        place=pl.int_ranges(1, pl.col("component").list.len() + 2),
    ).explode("component", "place")
    places = places.unique(["measure", "component"], keep="first", maintain_order=True)
    on = ["measure", "component"]
    decided = table.select(pl.col("measure").cast(pl.String), component="deciding_component")
    counted = places.join(
        decided.group_by(on).len("pairs"), on=on, how="left", nulls_equal=True
    ).with_columns(pl.col("pairs").fill_null(0).cast(pl.Int64))
    share = pl.col("pairs") / pl.col("pairs").sum().over("measure")
    return DECIDING_COMPONENTS.arranged(counted.with_columns(share=share))


def component_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say for each composition how many pairs each of its measures decides."""
    return printed.sentence_of_each(table, DECIDING_COMPONENTS, ["measure"], _decided_in_words)


def _decided_in_words(part: pl.DataFrame, of_group: str) -> str:
    rows: list[dict[str, Any]] = part.to_dicts()
    first, *rest = (f"{row['component']} {{}}{printed.percent(row['share'])}" for row in rows[:-1])
    of_all = f" of the {printed.counted(int(part['pairs'].sum()), 'pair')} of rankings{of_group}"
    said = ", ".join([f"{first.format('decides ')}{of_all}", *(one.format("") for one in rest)])
    ties = f"{printed.percent(rows[-1]['share'])} tie by all of these"
    return f"{rows[0]['measure']}: {said}; {ties}."


@panelled(mean_of("share", by=["place"]))
def deciding_component_chart(components: Frame) -> alt.FacetChart:
    """Draw how many pairs of rankings each measure of a composition decides.

    Parameters
    ----------
    components
        The table of `deciding_components`.

    Returns
    -------
    altair.FacetChart
        A panel for each composition, with a bar for each of its measures, the first one on top, and
        the pairs that all of them tie below.

        Several collections have a panel each, of one scale, and their mean comes last.

    Raises
    ------
    LexiframeError
        When Altair is not installed.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import deciding_component_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> d = lf.preferences(p, "RR>AP", deciding_level=True)
    >>> rows = deciding_component_chart(lf.deciding_components(d)).data.values
    >>> [(row["component"], row["pairs"]) for row in rows]
    [('RR', 9), ('AP', 5), ('all tie', 1)]
    """
    draw = altair()
    rows = rows_of(components, DECIDING_COMPONENTS, "deciding_component_chart")
    rows = rows.with_columns(pl.col("component").fill_null("all tie"))
    bars = draw.Chart().mark_bar(color=COLOURS[0])
    bars = bars.encode(
        draw.Y("component:N", sort=draw.SortField("place"), axis=names_axis()),
        draw.X("share:Q", title="share of pairs that it decides", **share_axis()),
        tooltip("measure", ("component", "decided by", ""), "share", "pairs"),
    )
    chart = faceted(
        [bars],
        rows,
        {"facet": draw.Facet("measure:N", sort=None, header=header()), "columns": 2},
        "Measures that decide compositions",
        "the first measure decides; where it ties the next one does",
        width=WIDTH // 2,
        height=draw.Step(22),
    )
    own_rows: alt.FacetChart = chart.resolve_scale(y="independent")
    return own_rows
