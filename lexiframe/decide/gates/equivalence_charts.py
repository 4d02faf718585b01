"""A chart of equivalent, better and not worse runs within a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.views.charts.axes import LONGEST, NUMBER, rows_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered, step
from lexiframe.core.views.charts.marks import confidence, dots
from lexiframe.core.views.charts.names import MOST, shortened
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import COLOURS, GREY, WIDTH
from lexiframe.core.views.charts.tables import refuse_gaps, renamed, rows_of
from lexiframe.core.views.charts.texts import pairs_text, requests_text, spoken, tested
from lexiframe.core.views.sentences.bounds import cut_at_bounds
from lexiframe.decide.gates.schemas import EQUIVALENCES
from lexiframe.typing import Frame

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


@panelled()
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

        Several collections have a panel each, of one scale; they have no mean, because a test of
        each is no test of all.

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
    pairs = refuse_gaps(
        rows_of(e, EQUIVALENCES, called, ["run_a", "run_b"], **chosen),
        called,
        "margin",
        "n",
    )
    drawn, margin = _nearest(pairs), pairs["margin"][0]
    baseline = pairs["run_b"][0] if pairs.height > 1 and pairs["run_b"].n_unique() == 1 else None
    drawn, kinds = _name_pairs(drawn, baseline)
    pixels = step(drawn.height)
    against = "" if baseline is None else f" over {baseline}"
    drawn, of_intervals = cut_at_bounds(drawn, "mean_difference")
    words = spoken(f"mean difference of {measure}{against}")
    x = {"axis": draw.Axis(title=words, format=NUMBER)}
    some = f"{drawn.height} of {pairs.height:,} pairs, nearest to the margin, "
    n_of = some if drawn.height < pairs.height else f"{pairs_text(pl.Series([pairs.height]))}, "
    return layered(
        [_band(margin, x), *_bars_and_points(drawn, pixels, x, kinds)],
        drawn,
        f"Which runs are good enough by {measure}, with a margin of {margin:.4g}",
        tested(pairs, alpha),
        f"{n_of}{requests_text(pairs['n'])}; bars are intervals of the single comparison",
        *of_intervals,
        height=draw.Step(pixels),
        width=WIDTH,
    )


def _nearest(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs whose differences are nearest to plus or minus the margin."""
    distance = (pl.col("mean_difference").abs() - pl.col("margin")).abs()
    return pairs.sort(distance, "run_a", "run_b").head(_MOST)


def _name_pairs(rows: pl.DataFrame, baseline: str | None) -> tuple[pl.DataFrame, list[str]]:
    """Name pairs and conclusions, the greatest difference first; also return all conclusions.

    The legend names a conclusion by the run that it is about.
    """
    both = pl.concat([rows["run_a"], rows["run_b"]])
    cut = shortened(both, _MOST_IN_ROW[baseline is not None])
    a, b = (pl.col(run).replace(cut) for run in ("run_a", "run_b"))
    name = pl.format("{} − {}", a, b) if baseline is None else a
    first, second = ("first", "second") if baseline is None else ("run", "baseline")
    called = {"a": first, "b": second}
    words = {kind: kind.partition(" ") for kind in _KINDS}
    said = {k: f"{called[side]} {rest}" if rest else k for k, (side, _, rest) in words.items()}
    rows = rows.with_columns(pair=name, kind=renamed(rows, "conclusion", said))
    down = [True, False, False]
    return rows.sort("mean_difference", "run_a", "run_b", descending=down), [*said.values()]


def _band(margin: float, x: dict[str, Any]) -> Any:
    draw, ends = altair(), pl.DataFrame({"from": [-margin], "to": [margin]})
    area = draw.Chart(inside(ends)).mark_rect(color=GREY, opacity=0.15)
    return area.encode(draw.X("from:Q", **x), draw.X2("to"))


def _bars_and_points(
    rows: pl.DataFrame, pixels: int, x: dict[str, Any], kinds: list[str]
) -> list[Any]:
    draw = altair()
    # The names of each row have been cut one by one.
    y = rows_axis("pair", rows["pair"], pixels, cut=False, labelLimit=2 * LONGEST)
    colours, shapes = zip(*_KINDS.values(), strict=True)
    colour = draw.Color("kind:N", title="conclusion").scale(domain=kinds, range=[*colours])
    shape = draw.Shape("kind:N", title="conclusion").scale(domain=kinds, range=[*shapes])
    ends = ("ci_low", "from", "+.4f"), ("ci_high", "to", "+.4f")
    said = tooltip(
        ("run_a", "a", ""), ("run_b", "b", ""), "conclusion", "mean_difference", *ends,
        "p_equivalent_adjusted", "p_better_adjusted", "n",
    )  # fmt: skip
    size = min(80, pixels**2 // 3)
    return [
        confidence(x, pixels, y, colour, said, opacity=0.7),
        dots("mean_difference", x, pixels, y, colour, shape, said, size=size),
    ]
