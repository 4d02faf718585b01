"""The marks of charts: intervals, dots, lines with points, cells with numbers, and levels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lexiframe.core.views.charts.columns import tooltip
from lexiframe.core.views.charts.drawing import across, altair
from lexiframe.core.views.charts.style import BLACK, COLOURS, GREY, WIDTH, cycled
from lexiframe.core.views.charts.texts import harmless_all

SHAPES = "circle square triangle-up diamond cross triangle-down triangle-right".split()


MEAN = "mean over collections"
"""The name of the mean over collections, at a panel or a line."""


def interval(low: str, high: str, x: dict[str, Any], *encodings: Any, **mark: Any) -> Any:
    """Draw a line from left to right between two columns."""
    ends = altair().X(low, type="quantitative", **x), altair().X2(high)
    return altair().Chart().mark_rule(**mark).encode(*ends, *encodings)


def confidence(x: dict[str, Any], pixels: int, *encodings: Any, **mark: Any) -> Any:
    """Draw confidence intervals, thinner the fewer pixels a row has; rows may lack one."""
    width = max(1, min(3, pixels // 6))
    lines = interval("ci_low", "ci_high", x, *encodings, strokeWidth=width, **mark)
    return lines.transform_filter("isValid(datum.ci_low) && isValid(datum.ci_high)")


def dots(column: str, x: dict[str, Any], pixels: int, *encodings: Any, **mark: Any) -> Any:
    """Draw a dot in each row, smaller the fewer pixels a row has."""
    mark = {"filled": True, "opacity": 1, "size": min(60, pixels**2 // 4)} | mark
    at = altair().X(column, type="quantitative", **x)
    return altair().Chart().mark_point(**mark).encode(at, *encodings)


def lines_of(column: str, names: Iterable[str]) -> list[Any]:
    """Return the colour and the shape of each name, in one legend.

    There are eight colours and seven shapes, so that up to 56 names differ in one of them.
    """
    draw, names = altair(), harmless_all(names)
    many = {"labelLimit": 200, "symbolLimit": 0, "title": None, "symbolOpacity": 1}
    if len(names) > 24:
        many["columns"] = 1 + len(names) // 24
    legend = draw.Legend(**many)
    colours, shapes = (cycled(of, len(names)) for of in (COLOURS, SHAPES))
    if MEAN in names:
        others = iter(cycled([one for one in COLOURS if one != BLACK], len(names)))
        colours = [BLACK if name == MEAN else next(others) for name in names]
    return [
        draw.Color(column, type="nominal", legend=legend).scale(domain=names, range=colours),
        draw.Shape(column, type="nominal", legend=legend).scale(domain=names, range=shapes),
    ]


def lines_with_points(base: Any, *of_points: Any, **line: Any) -> list[Any]:
    """Draw a line through the values, and a point at each, which alone has some encodings."""
    points = base.mark_point(filled=True, size=36, opacity=1)
    return [base.mark_line(**line), points.encode(*of_points)]


def nearest_line(at: dict[str, Any], of_line: dict[str, Any], column: str, size: int) -> list[Any]:
    """Emphasise the line that the pointer is near to, by points that are not seen."""
    draw = altair()
    near = draw.selection_point(
        name="near", on="pointerover", nearest=True, fields=[column], empty=False
    )
    emphasis = draw.condition(near, draw.value(1), draw.value(0))
    line = draw.Chart().mark_line(strokeWidth=3, color=BLACK)
    points = draw.Chart().mark_point(size=size, opacity=0).encode(**at).add_params(near)
    return [line.encode(opacity=emphasis, **of_line, **at), points.properties(name="points")]


def level_line(column: str, value: float, y: dict[str, Any], heading: str) -> Any:
    """Draw a grey line from left to right at a value."""
    draw = altair()
    line = draw.Chart(draw.InlineData(values=[{column: value}])).mark_rule(color=GREY)
    said = tooltip((column, heading, "~g"))
    return line.encode(draw.Y(column, type="quantitative", **y), tooltip=said)


def numbers(base: Any, column: str, form: str, is_dark: str) -> Any:
    """Write numbers into cells, white where the colour below is dark."""
    draw = altair()
    ink = draw.condition(is_dark, draw.value("white"), draw.value("black"))
    text = draw.Text(column, type="quantitative", format=form)
    return base.mark_text(fontSize=11 if across() == WIDTH else 7).encode(text, color=ink)
