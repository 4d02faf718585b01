"""A chart of which runs are equivalent, better or not worse within a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.base import schemas
from lexiframe.typing import Frame
from lexiframe.views.charts.drawing import (
    COLOURS,
    GREY,
    LONGEST,
    NUMBER,
    WIDTH,
    altair,
    harmless_all,
    inside,
    name_size,
    names_axis,
    of_pairs,
    of_requests,
    rows_of,
    spoken,
    step,
    title,
    tooltip,
)
from lexiframe.views.charts.names import MOST, shortened
from lexiframe.views.charts.significance import tested

if TYPE_CHECKING:
    import altair as alt

_KINDS = {
    "a better": (COLOURS[0], "triangle-right"),
    "a not worse": (COLOURS[5], "square"),
    "equivalent": (COLOURS[2], "circle"),
    "b not worse": (COLOURS[4], "diamond"),
    "b better": (COLOURS[1], "triangle-left"),
    "undecided": (GREY, "cross"),
}
"""The conclusions, with their colours and shapes; a stands to the right, b to the left."""
_MOST = 100
"""The number of pairs that are drawn."""
_MOST_IN_ROW = {False: 24, True: MOST}
"""The characters of a name beside a row: of two runs, or of one."""


def equivalence_chart(
    e: Frame,
    /,
    measure: str,
    *,
    test: str | None = None,
    correction: str | None = None,
    alpha: float | None = None,
) -> alt.LayerChart:
    """Draw the differences of runs with their intervals, beside the band of the margin.

    Parameters
    ----------
    e
        The table of `equivalence`.
    measure
        The measure by which runs are compared.
    test, correction
        The test and the correction, when the table has several.
    alpha
        The level of significance that the tests were made with, for the title, as the table does
        not say it. Default: the title does not say it either.

    Returns
    -------
    altair.LayerChart
        A row for each pair of runs, the greatest difference first, with a point at the mean
        difference, whose colour and shape are those of the conclusion, and a bar from ``ci_low`` to
        ``ci_high``. The band reaches from minus the margin to the margin. Of more than 100 pairs
        those are drawn whose difference is nearest to the margin, and the title says so.

    Raises
    ------
    UnknownNameError
        For a measure, test or correction that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table with several tests, corrections or groups of
        requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import equivalence_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], baseline="random")
    >>> chart = equivalence_chart(lf.equivalence(e.scores, "5%", baseline="random"), "AP")
    >>> [(row["pair"], row["conclusion"]) for row in chart.data.values]
    [('pixels_euclidean', 'a better'), ('pca8_euclidean', 'a better')]
    """
    draw, called = altair(), "equivalence_chart"
    chosen = {"measure": measure, "test": test, "correction": correction}
    pairs = rows_of(e, schemas.EQUIVALENCES, ["run_a", "run_b"], called, **chosen)
    drawn, margin = _nearest(pairs), pairs["margin"][0]
    of_baseline = pairs.height > 1 and pairs["run_b"].n_unique() == 1
    cut = shortened(pl.concat([drawn["run_a"], drawn["run_b"]]), _MOST_IN_ROW[of_baseline])
    a, b = (pl.col(run).replace(cut) for run in ("run_a", "run_b"))
    name = a if of_baseline else pl.format("{} − {}", a, b)
    said = _in_words(pairs["run_b"][0] if of_baseline else None)
    drawn = drawn.with_columns(pair=name, kind=pl.col("conclusion").replace_strict(said))
    drawn = drawn.sort("mean_difference", "run_a", "run_b", descending=[True, False, False])
    pixels = step(drawn.height)
    band = pl.DataFrame({"from": [-margin], "to": [margin]})
    against = f" over {pairs['run_b'][0]}" if of_baseline else ""
    axis = draw.Axis(title=spoken(f"mean difference of {measure}{against}"), format=NUMBER)
    x: dict[str, Any] = {"type": "quantitative", "axis": axis}
    area = draw.Chart(inside(band)).mark_rect(color=GREY, opacity=0.15)
    area = area.encode(draw.X("from", **x), draw.X2("to"))
    layers = [area, *_bars_and_points(drawn, pixels, x, [*said.values()])]
    chart: alt.LayerChart = draw.layer(*layers, data=inside(drawn))
    some = f"{drawn.height} of {pairs.height:,} pairs, nearest to the margin, "
    n_of = some if drawn.height < pairs.height else f"{of_pairs(pl.Series([pairs.height]))}, "
    return chart.properties(
        height=draw.Step(pixels),
        width=WIDTH,
        title=title(
            f"Which runs are good enough by {measure}, with a margin of {margin:.4g}",
            tested(pairs, alpha),
            f"{n_of}{of_requests(pairs['n'])}; bars are intervals of the single comparison",
        ),
    )


def _nearest(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs whose differences are nearest to plus or minus the margin."""
    distance = (pl.col("mean_difference").abs() - pl.col("margin")).abs()
    return pairs.sort(distance, "run_a", "run_b").head(_MOST)


def _in_words(baseline: str | None) -> dict[str, str]:
    """Return how the legend calls each conclusion: by the run of which it says something."""
    a, b = ("run", "baseline") if baseline is not None else ("first", "second")
    sides = {"a": a, "b": b}
    words = {kind: kind.partition(" ") for kind in _KINDS}
    return {
        kind: f"{sides[side]} {rest}" if rest else kind for kind, (side, _, rest) in words.items()
    }


def _bars_and_points(
    rows: pl.DataFrame, pixels: int, x: dict[str, Any], kinds: list[str]
) -> list[Any]:
    draw = altair()
    size = name_size(pixels)
    # The names of each row have been cut one by one.
    names = names_axis(labelFontSize=size, labelLimit=2 * LONGEST, grid=True, tickSize=0)
    y = draw.Y("pair", type="nominal", sort=harmless_all(rows["pair"]), axis=names)
    colours, shapes = zip(*_KINDS.values(), strict=True)
    of_kind = {"type": "nominal", "title": "conclusion"}
    colour = draw.Color("kind", **of_kind).scale(domain=kinds, range=[*colours])
    shape = draw.Shape("kind", **of_kind).scale(domain=kinds, range=[*shapes])
    said = tooltip(
        ("run_a", "a", ""),
        ("run_b", "b", ""),
        ("conclusion", "conclusion", ""),
        ("mean_difference", "mean difference", "+.4f"),
        ("ci_low", "from", "+.4f"),
        ("ci_high", "to", "+.4f"),
        ("p_equivalent_adjusted", "p of equivalence, adjusted", ".3g"),
        ("p_better_adjusted", "p of a difference, adjusted", ".3g"),
        ("n", "requests", "d"),
    )
    bars = (
        draw.Chart()
        .mark_rule(strokeWidth=max(1, min(3, pixels // 6)), opacity=0.7)
        .encode(y, draw.X("ci_low", **x), draw.X2("ci_high"), colour, said)
        .transform_filter("isValid(datum.ci_low) && isValid(datum.ci_high)")
    )
    points = (
        draw.Chart()
        .mark_point(filled=True, opacity=1, size=min(80, pixels**2 // 3))
        .encode(y, draw.X("mean_difference", **x), colour, shape, said)
    )
    return [bars, points]
