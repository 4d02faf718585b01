"""The differences of two runs, request by request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.views.charts.axes import names_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered, step, title
from lexiframe.core.views.charts.names import shortened
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, INK
from lexiframe.core.views.charts.tables import rows_of
from lexiframe.core.views.charts.texts import harmless, harmless_all, requests_text, short
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

SIGNS = {"a": COLOURS[0], "b": COLOURS[1], "tie": GREY}
"""The colours of what is better in the first run, in the second, and in none."""
_NAMED = 40
"""Up to this many requests have their names beside the axis."""
_OUTERMOST, _LETTERS = 3, 12
"""Of more, so many at each end are named above the chart, each cut to so many letters."""
WIDE = 640
"""The width of a chart of many requests or ranks in pixels."""


@panelled()
def pair_chart(both: Frame, measure: str | None = None) -> alt.LayerChart | alt.VConcatChart:
    """Draw the differences of two runs, request by request, from the greatest gain to the loss.

    Parameters
    ----------
    both
        The table of `Evaluation.pair`.
    measure
        The measure whose differences are drawn. Default: the only one of the table.

    Returns
    -------
    altair.LayerChart or altair.VConcatChart
        A bar for each request: above 0, and blue, where the first run is better, below 0, and
        orange, where the second is; a grey dash is a tie. For a lexicographic preference a second
        panel has the recall level that decides each request, as a triangle that points up where
        the first run is better. Requests with equal differences are sorted by this level, so that
        level 1 is outermost. Up to 40 requests are named below their bars; of more, the three at
        each end are named above the chart.

        Several collections have a panel each; they have no mean, because they share no request.

    Raises
    ------
    UnknownNameError
        For a measure that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table of several measures when none is chosen.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import pair_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["LR", "RR"])
    >>> chart = pair_chart(e.pair("pixels_euclidean", "pca8_euclidean"), "LR")
    >>> chart.title.subtitle
    ['positive where pixels_euclidean is better: 3 of 5 requests', \
'negative where pca8_euclidean is better: 1; tied: 1']
    >>> [(row["query_id"], row["deciding_level"]) for row in chart.data.values]
    [('q0113', 14), ('q0206', 14), ('q0175', 20), ('q0066', None), ('q0078', 21)]
    """
    draw = altair()
    rows = rows_of(both, schemas.PAIR_REQUESTS, "pair_chart", ["query_id"], measure=measure)
    sign = pl.col("preference").sign()
    rows = rows.sort(
        pl.col("preference").neg(), pl.col("deciding_level") * sign, "query_id", nulls_last=True
    ).with_columns(
        better=sign.replace_strict({1.0: "a", 0.0: "tie", -1.0: "b"}, return_dtype=pl.String)
    )
    base = draw.Chart().encode(_sign_colour("better"), _tooltip(rows))
    below, size = _requests_axis(rows), _chart_size(rows)
    words = _title_lines(rows)
    if rows["deciding_level"].null_count() == rows.height:
        return layered(_bars(base.encode(below)), rows, *words, height=240, **size)
    of_signs = rows["preference"].is_in([-1.0, 0.0, 1.0]).all()  # then the levels say more
    bars = draw.layer(*_bars(base.encode(_requests_axis(rows, shown=False))))
    levels = _levels(base.encode(below)).properties(height=160 if of_signs else 100, **size)
    panels: alt.VConcatChart = draw.vconcat(
        bars.properties(height=80 if of_signs else 220, **size),
        levels,
        data=inside(rows),
        title=title(*words),
        spacing=8,
    )
    return panels


def _title_lines(rows: pl.DataFrame) -> list[str]:
    """Return the measure and direction of the differences, and the number of requests by sign."""
    a, b, measure = (short(rows[name][0]) for name in ("run_a", "run_b", "measure"))
    n = {side: rows.filter(better=side).height for side in SIGNS}
    ahead = pl.col("preference") * (pl.col("value_a") - pl.col("value_b"))
    is_less = not rows.filter(ahead < 0).is_empty()  # of search lengths, the smaller is better
    which = f" (smaller is better): {b} − {a}" if is_less else f": {a} − {b}"
    return [
        f"Differences in {measure}{which}",
        f"positive where {a} is better: {n['a']} of {_n_text(rows)}",
        f"negative where {b} is better: {n['b']}; tied: {n['tie']}",
        _outermost(rows["query_id"]) if rows.height > _NAMED else "",
    ]


def _outermost(requests: pl.Series) -> str:
    """Name the requests at both ends of an axis that has no room for names."""
    ends = {"left": requests.head(_OUTERMOST), "right": requests.reverse().head(_OUTERMOST)}
    cut = shortened([*ends["left"], *ends["right"]], _LETTERS)
    named = (f"from the {end}: {', '.join(cut.get(q, q) for q in of)}" for end, of in ends.items())
    return "; ".join(named)


def _n_text(rows: pl.DataFrame) -> str:
    return requests_text(pl.Series([rows.height]))


def _requests_axis(rows: pl.DataFrame, *, shown: bool = True) -> Any:
    """Return the axis of requests in the order of the rows; many have no names beside it."""
    is_named = rows.height <= _NAMED
    axis = names_axis(
        f"{_n_text(rows)}, sorted" if shown else "", rows["query_id"] if shown and is_named else (),
        labels=shown and is_named,
        ticks=shown and is_named, labelAngle=-90, domain=False,
    )  # fmt: skip
    gap = 0.15 if rows.height <= 2 * _NAMED else 0
    # Bands and their domain are given, so that both panels have the same places for requests.
    scale = {"type": "band", "domain": harmless_all(rows["query_id"]), "padding": gap}
    return altair().X("query_id:N", sort=None, axis=axis).scale(**scale)


def _sign_colour(column: str) -> Any:
    colour = altair().Color(column, type="nominal", legend=None)
    return colour.scale(domain=[*SIGNS], range=[*SIGNS.values()])


def _tooltip(rows: pl.DataFrame) -> list[Any]:
    said = tooltip("query_id", "preference")
    if rows["value_a"].null_count() < rows.height:
        names = {side: f"of {harmless(rows[f'run_{side}'][0])}" for side in "ab"}
        said += tooltip(*((f"value_{side}", name, ".4f") for side, name in names.items()))
    if rows["deciding_level"].null_count() < rows.height:
        said += tooltip("deciding_level")
    return said


def _chart_size(rows: pl.DataFrame) -> dict[str, Any]:
    wide = altair().Step(step(rows.height, 15, side=WIDE))
    return {"width": wide if rows.height <= _NAMED else WIDE}


def _bars(base: Any) -> list[Any]:
    """Draw a bar for each request, and a dash at 0 for a tie, which a bar of no height hides."""
    draw = altair()
    value = draw.Y("preference:Q", title="difference").axis(grid=False)
    bars = base.mark_bar().encode(value)
    dashes = base.transform_filter("datum.better == 'tie'").mark_tick(thickness=3).encode(value)
    zero = draw.Chart().mark_rule(color=INK).encode(y=draw.datum(0))
    return [bars, dashes, zero]


def _levels(base: Any) -> Any:
    draw = altair()
    shapes = {"domain": [*SIGNS], "range": ["triangle-up", "triangle-down", "stroke"]}
    level = draw.Y("deciding_level:Q", title="deciding level").axis(format="d", tickMinStep=1)
    points = base.transform_filter("datum.deciding_level != null")
    return points.mark_point(filled=True, size=30, opacity=0.8).encode(
        level.scale(zero=False, nice=False, padding=8),
        draw.Shape("better:N", legend=None).scale(**shapes),
    )
