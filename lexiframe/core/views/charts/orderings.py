"""Charts of the ranks of runs: orderings side by side, and how probable each rank is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas
from lexiframe.core.orderings import rank_intervals
from lexiframe.core.views.charts.axes import LONGEST, places_scale, rows_axis
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, layered, name_size, step
from lexiframe.core.views.charts.marks import interval, nearest_line
from lexiframe.core.views.charts.names import shortened, shown_as
from lexiframe.core.views.charts.panels import panelled
from lexiframe.core.views.charts.style import BLACK, COLOURS, FAINT, GREY, SHARES, cycled
from lexiframe.core.views.charts.tables import chosen, rows_of, rows_with
from lexiframe.core.views.charts.texts import harmless_all
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt


@panelled()
def ordering_chart(
    o: Frame,
    /,
    measures: str | Sequence[str] | None = None,
    methods: str | Sequence[str] | None = None,
    *,
    highlight: str | Sequence[str] | None = None,
) -> alt.LayerChart:
    """Draw orderings of the runs side by side, with a line for each run through its ranks.

    Parameters
    ----------
    o
        The table of `order_runs`, or several of them concatenated.
    measures, methods
        The measures and the methods whose orderings are drawn, from left to right: several measures
        for one method, several methods for one measure, or both. Default: all of the table.
    highlight
        Runs whose lines are coloured and whose names are bold. Default: all of up to 8 runs; of
        more, those that are first in an ordering (the first 8 of them).

    Returns
    -------
    altair.LayerChart
        The best rank is at the top. Runs of equal rank share a point; their names stand beside it
        in several lines. A line is emphasised while the pointer is near it.

        Several collections have a panel each, of one scale; they have no mean, because
        `leaderboard` is what ranks runs over collections.

    Raises
    ------
    UnknownNameError
        For a measure, a method or a run that the table does not have.
    LexiframeError
        When Altair is not installed, and for a table with several groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import ordering_chart
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "LR"])
    >>> chart = ordering_chart(e.orderings, highlight="random")
    >>> [(r["ordering"], r["run"], r["rank"]) for r in chart.data.values if r["is_highlighted"]]
    [('AP', 'random', 3.0), ('LR', 'random', 3.0)]
    """
    called = "ordering_chart"
    rows = rows_of(o, schemas.ORDERINGS, called)
    rows = rows_with(rows_with(rows, "measure", measures), "method", methods)
    rows, named = _ordering_places(_keep_ranked(called, rows))
    runs = _highlighted(rows, highlight)
    rows = rows.with_columns(is_highlighted=pl.col("run").is_in(runs))
    orderings, n = rows["ordering"].unique(maintain_order=True).to_list(), rows["run"].n_unique()
    text = f"Ranks of {n} run{'s' * (n != 1)} {named}"
    return lines_of_ranks(rows, orderings, runs, text, _methods_phrase(rows))


def _keep_ranked(called: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out orderings without ranks, of runs that lack requests; raise if none is left."""
    ranked = rows.drop_nulls("rank")
    if rows.height and not ranked.height:
        raise LexiframeError(
            f"{called}: expected ranks of the runs, found none; runs that have different requests "
            "have no order unless missing= says what to do"
        )
    return ranked


def _ordering_places(rows: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Name the orderings by their differences and number the places of their runs."""
    n_methods = rows.group_by("measure").agg(pl.col("method").n_unique())["method"].max()
    if n_methods == 1:
        methods = rows["method"].unique(maintain_order=True).to_list()
        one = f" (method: {methods[0]})" if len(methods) == 1 else ""
        name, said = pl.col("measure"), f"by measure{one}"
    elif rows["measure"].n_unique() == 1:
        name, said = pl.col("method"), f"by {rows['measure'][0]}, by method"
    else:
        name, said = pl.concat_str("measure", "method", separator=" "), "by measure and method"
    named = rows.with_columns(ordering=name)
    place = {o: n for n, o in enumerate(named["ordering"].unique(maintain_order=True))}
    at = pl.col("ordering").replace_strict(place, return_dtype=pl.Int64)
    return (
        named.sort(at, "rank", "run").with_columns(
            at=at,
            place=pl.int_range(1, pl.len() + 1).over("ordering"),
            is_first=at == 0,
            is_last=(at == len(place) - 1) & (at > 0),
        ),
        said,
    )


def _methods_phrase(rows: pl.DataFrame) -> str:
    """Say which measures order the runs by which method, where the methods differ; else ""."""
    pairs = rows.sort("at").select("method", "measure").unique(maintain_order=True)
    of = pairs.group_by("method", maintain_order=True).agg("measure")
    if of.height == 1 or pairs["measure"].is_duplicated().any():
        return ""  # the title or the names of the orderings have the methods
    return "; ".join(f"{', '.join(measures)} by {method}" for method, measures in of.iter_rows())


def _highlighted(rows: pl.DataFrame, wanted: str | Sequence[str] | None) -> list[str]:
    known = rows["run"].unique(maintain_order=True).to_list()
    most = len(COLOURS)
    if wanted is not None or len(known) <= most:
        return chosen("run", wanted, known)
    best = rows.filter(pl.col("rank") == pl.col("rank").min().over("ordering"))
    return best["run"].unique(maintain_order=True).head(most).to_list()


def lines_of_ranks(
    rows: pl.DataFrame, orderings: list[str], chosen: list[str], *words: str
) -> alt.LayerChart:
    """Draw lines through the ranks of the runs in orderings side by side, the chosen in colour.

    Each row is a run in an ordering. ``at`` numbers the orderings from 0, ``place`` the runs of
    each from 1, and ``is_first`` and ``is_last`` say where names stand beside the points.
    """
    draw, n_runs = altair(), rows["run"].n_unique()
    pixels, scale = step(n_runs, most=28), places_scale(n_runs, reverse=True)
    x = draw.X("ordering:N", sort=harmless_all(orderings)).axis(
        orient="top", title=None, labelAngle=0, labelLimit=_BETWEEN, domain=False, grid=True
    )
    said = tooltip("run", "measure", "method", "rank", "value")
    at = {"x": x, "y": draw.Y("rank:Q", axis=None, scale=scale), "tooltip": said}
    # Without an order, lines go through the orderings by name.
    of_run = {"detail": draw.Detail("run:N"), "order": draw.Order("at:O")}
    colours = draw.Scale(domain=harmless_all(chosen), range=cycled(COLOURS, len(chosen)))
    own = draw.Color("run:N", scale=colours, legend=None)
    behind = draw.Chart().transform_filter("!datum.is_highlighted")
    ahead = draw.Chart().transform_filter("datum.is_highlighted")
    black, unseen = nearest_line(at, of_run, "run", size=80)
    beside = at | {"y": draw.Y("place:Q", axis=None, scale=scale)}
    size, ends = name_size(pixels), ("is_first", "is_last")
    layers = [
        behind.mark_line(strokeWidth=1).encode(color=draw.value(FAINT), **of_run, **at),
        ahead.mark_line(strokeWidth=2.5).encode(color=own, **of_run, **at),
        black,
        behind.mark_point(filled=True, size=16, opacity=1).encode(color=draw.value(GREY), **at),
        ahead.mark_point(filled=True, size=40, opacity=1).encode(color=own, **at),
        unseen,
        *(text for end in ends for text in _end_labels(beside, size, rows["run"], end=end)),
    ]
    sizes = {"width": draw.Step(_BETWEEN), "height": n_runs * pixels}
    return layered(layers, rows, *words, view=draw.ViewBackground(stroke=None), **sizes)


_BETWEEN = 130
"""The pixels between two orderings."""


def _end_labels(at: dict[str, Any], size: int, runs: Iterable[str], *, end: str) -> list[Any]:
    """Return ranks and names at the first or the last ordering: runs of equal rank have lines each.

    The mean of the places of runs of equal rank is their rank, so the lines surround their point.
    """
    draw, is_left = altair(), end == "is_first"
    side = {"align": "right" if is_left else "left", "fontSize": size}
    bold = {"expr": "datum.is_highlighted ? 'bold' : 'normal'"}
    texts = draw.Chart().transform_filter(f"datum.{end}")
    sign = -1 if is_left else 1
    ranks = texts.mark_text(dx=sign * 8, color=GREY, **side)
    cut = shortened(harmless_all(runs))
    limit = LONGEST * (1 + bool(cut))
    names = texts.mark_text(dx=sign * (8 + 3 * size), limit=limit, fontWeight=bold, **side)
    if cut:
        names = names.transform_calculate(shown=shown_as(cut, "datum.run"))
    name = draw.Text("shown:N" if cut else "run:N")
    return [ranks.encode(draw.Text("rank:Q", format="~g"), **at), names.encode(name, **at)]


_MOST_BLOBS = 40
"""The number of runs up to which ranks are drawn as circles; of more they are a heat map."""


@panelled()
def rank_distribution_chart(
    r: Frame, /, measure: str | None = None, method: str | None = None, *, alpha: float = 0.05
) -> alt.LayerChart:
    """Draw how probable each rank of each run is.

    Parameters
    ----------
    r
        The table of `rank_distributions`.
    measure, method
        The measure whose orderings are drawn, and the method of ordering, when the table has
        several.
    alpha
        The bars cover the ranks between the alpha/2 and 1 − alpha/2 quantiles of the samples.

    Returns
    -------
    altair.LayerChart
        A row for each run, the best median rank first, and a column for each rank. The area of a
        circle is the probability of the rank; of more than 40 runs, a cell is darker the more
        probable its rank. A stroke is at the median rank, and a bar covers the interval. Of some of
        the runs that were ranked, the axis ends at their greatest rank.

        Several collections have a panel each, of one scale; they have no mean, because the samples
        are of the requests of each.

    Raises
    ------
    UnknownNameError
        For a measure or a method that the table does not have.
    LexiframeError
        When Altair is not installed, for an alpha that is not between 0 and 1, and for a table with
        several methods or groups of requests.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import rank_distribution_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> chart = rank_distribution_chart(lf.rank_distributions(lf.scores(p, "AP")), "AP")
    >>> sum(row["probability"] for row in chart.data.values if row["run"] == "random")
    1.0
    """
    draw, called = altair(), "rank_distribution_chart"
    only = {"measure": measure, "method": method}
    rows = rows_of(r, schemas.RANK_DISTRIBUTIONS, called, ["run", "rank"], **only)
    measure, method = rows["measure"][0], rows["method"][0]
    rows = rows.join(rank_intervals(rows, alpha).drop("measure", "method"), on="run")
    rows = rows.with_columns(mean=(pl.col("rank") * pl.col("probability")).sum().over("run"))
    # Mid-ranks come last, so that their cells are drawn over those of whole ranks.
    rows = rows.sort("median", "mean", "run", pl.col("rank") % 1, "rank").select(
        "run", "rank", "probability", "low", "median", "high",
        is_median=pl.col("rank") == pl.col("median"),
    )  # fmt: skip
    runs = rows["run"].unique(maintain_order=True).to_list()
    n_ranks = max(len(runs), *rows["rank"].ceil().cast(pl.Int64))
    pixels = step(n_ranks, least=10 if n_ranks > _MOST_BLOBS else 12)
    return layered(
        _probabilities_and_intervals(rows, runs, n_ranks, pixels),
        rows,
        f"Probable ranks of {_among(len(runs), n_ranks)} by {measure} ({method})",
        f"bootstrap over requests; bars cover {100 * (1 - alpha):g} % of the samples, strokes are "
        "medians",
        width=max(160, n_ranks * pixels),
        height=draw.Step(pixels),
    )


def _among(n_runs: int, n_ranks: int) -> str:
    """Return the number of runs; of a part of the runs, their least number is the greatest rank."""
    among = f" among {n_ranks} or more" if n_ranks > n_runs else ""
    return f"{n_runs} run{'s' * (n_runs != 1)}{among}"


def _probabilities_and_intervals(
    rows: pl.DataFrame, runs: list[str], n_ranks: int, pixels: int
) -> list[Any]:
    """Return the layers: probabilities behind, then the interval and the median of each run."""
    draw = altair()
    y = rows_axis("run", runs, pixels)
    axis = draw.Axis(values=_axis_ranks(n_ranks), format="d", orient="top", grid=False)
    x = {"title": "rank", "scale": places_scale(n_ranks), "axis": axis}
    said = tooltip("run", "rank", "probability", "median", "low", "high")
    ranks = _blobs(pixels, x) if n_ranks <= _MOST_BLOBS else _probability_cells(rows, x)
    bars = interval("low", "high", x, y, said, color=BLACK, strokeWidth=1.5)
    medians = draw.Chart().mark_tick(color=BLACK, thickness=2.5, size=max(6, pixels * 2 // 3))
    medians = medians.encode(y, draw.X("median:Q", **x), said)
    once = [layer.transform_filter("datum.is_median") for layer in (bars, medians)]
    return [ranks.encode(y, said), *once]


def _axis_ranks(n: int) -> list[int]:
    """Return the ranks that stand at an axis; Vega's own may lie between two and be rounded."""
    every = 1 if n <= 20 else 5 if n <= 60 else 10
    return sorted({1, *range(every, n + 1, every)})


def _blobs(pixels: int, x: dict[str, Any]) -> Any:
    """Return circles whose area is the probability, the largest as wide as a row is high."""
    draw = altair()
    size = draw.Size("probability:Q", title="probability")
    size = size.scale(domain=[0, 1], range=[0, pixels**2], zero=True)
    size = size.legend(format="%", values=[0.1, 0.5, 1])
    circles = draw.Chart().mark_circle(color=COLOURS[5], opacity=1)
    return circles.encode(draw.X("rank:Q", **x), size)


def _probability_cells(rows: pl.DataFrame, x: dict[str, Any]) -> Any:
    """Return cells that are darker the more probable the rank; mid-ranks have cells between."""
    draw = altair()
    half = "(datum.rank % 1 ? 0.25 : 0.5)"
    shares = SHARES | {"domain": [0, rows["probability"].to_numpy().max().item()]}
    colour = draw.Color("probability:Q", title="probability").scale(**shares).legend(format="%")
    ends = {"left": f"datum.rank - {half}", "right": f"datum.rank + {half}"}
    cells = draw.Chart().mark_rect().transform_calculate(**ends)
    return cells.encode(draw.X("left:Q", **x), draw.X2("right"), colour)
