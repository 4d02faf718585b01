"""Two rankings of one request side by side, with the recall levels that decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any

import polars as pl

from lexiframe.core.base import LexiframeError, schemas, typed
from lexiframe.core.views.charts.axes import LONGEST
from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import altair, inside, layered
from lexiframe.core.views.charts.requests import SIGNS, WIDE
from lexiframe.core.views.charts.style import FAINT, GREY, GROUND, INK
from lexiframe.core.views.charts.tables import EXPLANATION, rows_of
from lexiframe.core.views.charts.texts import harmless, short
from lexiframe.typing import Frame

if TYPE_CHECKING:
    import altair as alt

_LINEAR_UNTIL = 40
"""The greatest rank that is drawn on a linear scale; above it, ranks are on a logarithmic one."""
_HEIGHT = 220
_LEAST, _MOST = 60, 260
"""The sizes of the marks of the lowest and of the highest grade."""
_CROSS = "M-0.7,-0.7L0.7,0.7M0.7,-0.7L-0.7,0.7"


@typed
def ranking_chart(explanation: Frame, query_id: str, run_a: str, run_b: str) -> alt.LayerChart:
    """Draw two rankings of one request as strips, with the recall levels that decide marked.

    Parameters
    ----------
    explanation
        The table of `explain` or `Evaluation.explain`. Its lowest threshold is drawn, at which all
        relevant items count.
    query_id, run_a, run_b
        The request and the runs that were explained, in this order.

    Returns
    -------
    altair.LayerChart
        Each strip has the ranks of one run from left to right, on a logarithmic scale if the
        relevant items lie deep. Marks are the relevant items, larger for higher grades; crosses
        behind the break are relevant items that the run did not retrieve. A line joins the i-th
        relevant item of one run with the i-th of the other, and leans towards the run that has
        it sooner, whose mark is filled. Of answers, items are nuggets, and their positions are
        sentences. Wide lines with a label are the levels that decide: LP the
        first level at which the ranks differ, LR the last. The subtitle says so in words.

    Raises
    ------
    LexiframeError
        When Altair is not installed, the request has no relevant item, or both runs are the same.

    Examples
    --------
    >>> import lexiframe as lf
    >>> from lexiframe.views.charts import ranking_chart
    >>> folder = lf.bundled("example")
    >>> p = lf.positions(folder / "runs", folder / "qrels.txt")
    >>> both = "pixels_euclidean", "pca8_euclidean"
    >>> chart = ranking_chart(lf.explain(p, "q0078", *both), "q0078", *both)
    >>> for line in chart.title.subtitle:
    ...     print(line)
    LP prefers pca8_euclidean: its item of level 20, the first level that differs, is at \
position 20; the other's is at position 21
    LR prefers pca8_euclidean: its item of level 21, the last level that differs, is at \
position 21; the other's is at position 22
    """
    query_id, run_a, run_b = str(query_id), str(run_a), str(run_b)
    if run_a == run_b:
        raise LexiframeError(f"ranking_chart: expected two different runs, found {run_a!r} twice")
    draw = altair()
    rows = rows_of(explanation, EXPLANATION, "ranking_chart")
    rows = rows.filter(pl.col("threshold") == pl.col("threshold").min()).sort("level")
    places, names = Places.look_up(rows), {"a": run_a, "b": run_b}
    ends = _level_ends(rows, places, names)
    strips, links = _strips(places, names), _links(ends, places, names)
    items = f"{places.m} relevant item{'s' * (places.m != 1)}"
    return layered(
        [*strips, *links, _marks(ends, places), *_labels(ends)],
        None,
        f"Request {short(query_id)}: {items} in two rankings",
        *_deciding_levels(rows, names),
        width=WIDE,
        height=_HEIGHT,
        view=draw.ViewBackground(stroke=None),
    )


@dataclass(frozen=True)
class Places:
    """Where ranks stand from left to right, and where items stand that were not retrieved.

    Attributes
    ----------
    deepest
        The greatest rank of a relevant item; 1 if none was retrieved.
    found
        The levels that both runs retrieved: those above stand behind the break.
    m
        The number of relevant items.
    """

    deepest: int
    found: int
    m: int

    @classmethod
    def look_up(cls, rows: pl.DataFrame) -> Places:
        """Look up the deepest rank, and how many levels both runs retrieved."""
        a, b = (rows[f"position_{side}"].drop_nulls().to_list() for side in "ab")
        return cls(max([*a, *b], default=1), min(len(a), len(b)), rows.height)

    @property
    def is_deep(self) -> bool:
        """Whether the scale is logarithmic."""
        return self.deepest > _LINEAR_UNTIL

    @property
    def length(self) -> float:
        """The length of the ranks on the scale."""
        return (log(self.deepest) if self.is_deep else self.deepest - 1) or 1.0

    @property
    def missing(self) -> int:
        """The number of levels that a run did not retrieve."""
        return self.m - self.found

    def at(self, share: float) -> float:
        """Return the place at a share of the length of the ranks; above 1 is behind them."""
        t = share * self.length
        return exp(t) if self.is_deep else 1 + t

    @property
    def end(self) -> float:
        """The end of the strips as a share of the length of the ranks; missing levels need room."""
        return 1.1 + min(0.4, 0.04 + 0.03 * self.missing) if self.missing else 1.0

    def behind(self, level: int) -> float:
        """Return the place of a level that was not retrieved, which is the same in both runs."""
        share = (level - self.found - 0.5) / self.missing
        return self.at(1.1 + share * (self.end - 1.1))

    @property
    def ticks(self) -> list[int]:
        """The ranks that are written at the axis."""
        if self.is_deep:
            decades = range(len(str(self.deepest)))
            return [k * 10**d for d in decades for k in (1, 2, 5) if k * 10**d <= self.deepest]
        by = 1 if self.deepest <= 15 else 5
        return [1, *range(by, self.deepest + 1, by)][by == 1 :]

    def axis(self) -> Any:
        """Return the encoding of the places, with the ranks as ticks."""
        draw = altair()
        axis = draw.Axis(values=self.ticks, grid=False, domain=False, format="d", title="position",
                         titleAnchor="start", labelOverlap=True, offset=4)  # fmt: skip
        kind = "log" if self.is_deep else "linear"
        domain = [self.at(-0.015), self.at(self.end + 0.015)]
        zero = {} if self.is_deep else {"zero": False}  # a logarithmic scale has no zero
        scale = draw.Scale(type=kind, domain=domain, nice=False, **zero)
        return draw.X("place:Q", axis=axis, scale=scale)


def _y(column: str = "strip") -> Any:
    scale = altair().Scale(domain=[-0.35, 1.35], nice=False, zero=False)
    return altair().Y(column, type="quantitative", axis=None, scale=scale)


def _level_ends(rows: pl.DataFrame, places: Places, names: dict[str, str]) -> pl.DataFrame:
    """Return a row for each level and run: the item, its place, and who has it sooner."""
    behind = [places.behind(k) if k > places.found else None for k in rows["level"]]
    rows = rows.with_columns(
        behind=pl.Series(behind, dtype=schemas.FLOAT),
        sooner=pl.col("sign").replace_strict(_WORDS, return_dtype=pl.String),
    )
    sides = []
    for strip, side in ((1.0, "a"), (0.0, "b")):
        position = pl.col(f"position_{side}")
        is_ahead = pl.col("sign") == (1 if side == "a" else -1)
        sides.append(
            rows.with_columns(
                run=pl.lit(names[side]),
                strip=pl.lit(strip),
                place=position.cast(schemas.FLOAT).fill_null(pl.col("behind")),
                retrieved=position.is_not_null(),
                filled=pl.when(is_ahead | (pl.col("sign") == 0))
                .then("sooner")
                .otherwise(pl.lit("behind")),
                item=pl.col(f"doc_{side}"),
                grade=pl.col(f"relevance_{side}"),
                rank=_rank(side),
                rank_a=_rank("a"),
                rank_b=_rank("b"),
            )
        )
    return pl.concat(sides).sort("level", "strip")


_WORDS = {1: "a", 0: "tie", -1: "b"}


def _rank(side: str) -> pl.Expr:
    return pl.col(f"position_{side}").cast(pl.String).fill_null("not retrieved")


def _strips(places: Places, names: dict[str, str]) -> Iterator[Any]:
    """Draw the two lines, their names and the break, behind which nothing was retrieved."""
    draw, x = altair(), places.axis()
    ends = [(0.0, 1.04 if places.missing else 1.0, "ranks")]
    ends += [(1.07, places.end, "behind")] if places.missing else []
    lines = pl.DataFrame(
        [
            (run, strip, places.at(start), places.at(end), part)
            for run, strip in ((names["a"], 1.0), (names["b"], 0.0))
            for start, end, part in ends
        ],
        schema=["run", "strip", "place", "to", "part"],
        orient="row",
    )
    base = draw.Chart(inside(lines)).encode(_y())
    dashes = {"domain": ["ranks", "behind"], "range": [[1, 0], [2, 4]]}
    dash = draw.StrokeDash("part:N", legend=None).scale(**dashes)
    yield base.mark_rule(color=FAINT, strokeWidth=3).encode(x, draw.X2("to"), dash)
    first = base.transform_filter("datum.part == 'ranks'")
    bold = {"fontSize": 12, "fontWeight": "bold"}
    runs = first.mark_text(align="right", dx=-14, limit=LONGEST, **bold)
    yield runs.encode(x=draw.value(0), text=draw.Text("run:N"), tooltip=tooltip("run"))
    if places.missing:
        breaks = first.mark_text(text="//", fontSize=15, fontWeight="bold", color=GREY)
        yield breaks.encode(draw.X("to:Q"))
        middle = inside(pl.DataFrame({"place": [places.at((1.1 + places.end) / 2)]}))
        words = {"text": "not retrieved", "baseline": "top", "color": INK, "fontSize": 10}
        yield draw.Chart(middle).mark_text(**words).encode(x, y=draw.value(_HEIGHT + 11))


def _links(ends: pl.DataFrame, places: Places, names: dict[str, str]) -> Iterator[Any]:
    """Draw the lines between the rankings, the deciding levels last and wide."""
    draw = altair()
    n = {side: ends.filter(sooner=side).height // 2 for side in ("a", "b", "tie")}
    a, b = (harmless(names[side]) for side in "ab")
    labels = {  # numbers first, as long names are cut
        "a": f"{n['a']} in {a}",
        "b": f"{n['b']} in {b}",
        "tie": f"{n['tie']} in neither",
    }
    ends = ends.with_columns(sooner=pl.col("sooner").replace(labels))
    legend = draw.Legend(
        title="Recall levels at which the item comes sooner",
        orient="bottom", titleLimit=0, labelLimit=260, symbolStrokeWidth=3, symbolOpacity=1,
    )  # fmt: skip
    colour = draw.Color("sooner:N", legend=legend)
    colour = colour.scale(domain=[*labels.values()], range=[*SIGNS.values()])
    ranks = ("rank_a", f"position in {a}", ""), ("rank_b", f"position in {b}", "")
    items = ("doc_a", f"item in {a}", ""), ("doc_b", f"item in {b}", "")
    said = tooltip("level", *ranks, *items, "decides")
    base = draw.Chart().encode(places.axis(), _y(), colour, said, draw.Detail("level:N"),
                               order=draw.Order("strip:Q"))  # fmt: skip
    opacity = 0.6 if places.m <= 60 else 0.35
    columns = ["level", "strip", "place", "sooner", "decides", "doc_a", "doc_b", "rank_a", "rank_b"]
    thin = inside(ends.filter(pl.col("decides").is_null()).select(columns))
    wide = inside(ends.filter(pl.col("decides").is_not_null()).select(columns))
    yield base.properties(data=thin).mark_line(strokeWidth=1.3, opacity=opacity)
    yield base.properties(data=wide).mark_line(strokeWidth=11, opacity=0.25)
    yield base.properties(data=wide).mark_line(strokeWidth=3)


def _marks(ends: pl.DataFrame, places: Places) -> Any:
    """Draw the items: filled where their run is ahead, crosses where they were not retrieved."""
    draw, signs, colours = altair(), [*SIGNS], [*SIGNS.values()]
    shapes = {"domain": [True, False], "range": ["circle", _CROSS]}
    fills = {"domain": [*signs, "behind"], "range": [*colours, GROUND]}
    columns = ["level", "strip", "place", "sooner", "filled", "retrieved", "run", "item", "grade"]
    marks = draw.Chart(inside(ends.select(*columns, "rank", "decides")))
    return marks.mark_point(strokeWidth=1.8, opacity=1).encode(
        places.axis(),
        _y(),
        draw.Stroke("sooner:N", legend=None).scale(domain=signs, range=colours),
        draw.Fill("filled:N", legend=None).scale(**fills),
        draw.Shape("retrieved:N", legend=None).scale(**shapes),
        _size_of(ends, 1.0 if places.m <= 60 else 0.3),
        tooltip("run", "item", ("rank", "position", ""), "grade", "level", "decides"),
    )


def _size_of(ends: pl.DataFrame, factor: float) -> Any:
    """Return the size of marks: by grade if there are several, with a legend of the grades."""
    draw, grades = altair(), ends["grade"].unique().sort().to_list()
    if len(grades) == 1:
        return draw.SizeValue(1.5 * _LEAST * factor)
    sizes = [_LEAST * factor, _MOST * factor]
    scale = draw.Scale(type="linear", domain=[grades[0], grades[-1]], range=sizes)
    legend = draw.Legend(title="Grade", orient="bottom", values=grades[:: 1 + len(grades) // 8])
    return draw.Size("grade:Q", scale=scale, legend=legend)


_ALIGNED = {"LP": ("right", 6), "LR, LP": ("center", 0), "LR": ("left", -6)}
"""LP's level never comes after LR's, so that their labels lead away from one another."""


def _labels(ends: pl.DataFrame) -> Iterator[Any]:
    """Label the items of the deciding levels, above and below, with LP or LR."""
    draw = altair()
    outwards = pl.col("strip") * 2 - 1
    labels = ends.select(
        "place",
        "decides",
        text=pl.format("{} · level {}", pl.col("decides").replace("LR, LP", "LP, LR"), "level"),
        start=pl.col("strip") + outwards * 0.1,
        end=pl.col("strip") + outwards * 0.19,
        at=pl.col("strip") + outwards * 0.26,
    )
    for decides, (align, dx) in _ALIGNED.items():
        rows = labels.filter(decides=decides)
        if rows.height:
            base = draw.Chart(inside(rows)).encode(draw.X("place:Q"))
            yield base.mark_rule(color=INK).encode(_y("start"), draw.Y2("end"))
            text = draw.Text("text:N")
            words = base.mark_text(align=align, dx=dx, fontSize=12, fontWeight="bold", color=INK)
            yield words.encode(_y("at"), text)


def _deciding_levels(rows: pl.DataFrame, names: dict[str, str]) -> list[str]:
    """Say which level decides LP and LR, and for which run."""
    said = []
    for name, which in (("LP", "first"), ("LR", "last")):
        decided = rows.filter(pl.col("decides").str.contains(name))
        if decided.is_empty():
            continue
        row = decided.row(0, named=True)
        won, lost = ("a", "b") if row["sign"] > 0 else ("b", "a")
        here, there = (row[f"position_{side}"] for side in (won, lost))  # the winner has a rank
        said.append(
            f"{name} prefers {short(names[won])}: its item of level {row['level']}, the {which} "
            f"level that differs, is at position {here}; the other's "
            + ("was not retrieved" if there is None else f"is at position {there}")
        )
    return said or ["All relevant items have the same positions in both: LP and LR tie"]
