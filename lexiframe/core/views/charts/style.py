"""The style sheet of all charts: their colours, font and widths, and `style`, which applies it."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, Literal

from lexiframe.core.base import LexiframeError, typed

COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #882255".split()
"""Colours that colour-blind people can tell apart, those that print best first.

Seven of Okabe & Ito; for their yellow, which cannot be seen on white, the wine red of Tol.
"""
BLACK = "#000000"
"""One of them, which a mean has alone where the lines that it is of are beside it."""
GROUND, INK = "#ffffff", "#222222"
"""What a chart is drawn on, and words."""
GREY = "#767676"
"""What is not in the foreground; on white it has a contrast of 4.5."""
FAINT = "#b0b0b0"
"""Lines behind everything else."""
CONCLUSIONS = "#08519c #6baed6 #c6dbef #bdbdbd #fdd0a2 #fd8d3c #a63603".split()
"""The categories of conclusions: blue where both sides agree, orange where they do not."""
SHARES: dict[str, Any] = {"scheme": "blues", "domain": [0, 1]}
"""The scale of a quantity from none to all: darker is more."""
SIDES: dict[str, Any] = {"scheme": "blueorange", "domain": [-1, 1], "reverse": True}
"""The scale of a quantity with a middle: blue is above it, orange below."""
WIDTH = 460
"""The width of a chart in pixels, names and legends apart."""
FONT = "Verdana, DejaVu Sans, sans-serif"
"""Letters that are legible when small, of one width on all systems, so that no name is cut."""

_GRID, _LETTER, _BESIDE = "#dddddd", 7, 120
"""The lines of the grid, the pixels of a letter of a title, and those of names at the left."""
ON_DARK = {BLACK: "#ffffff", COLOURS[-1]: "#f0e442", GROUND: "#131416", INK: "#e4e4e4"} | {
    GREY: "#9a9a9a", FAINT: "#666666", _GRID: "#33363a", "#08519c": "#3182bd", "#a63603": "#e6550d"
}  # fmt: skip
"""What colours become on a dark ground; yellow, which is seen there, has its place again.

Numbers in coloured cells are white or black, by these names, on either ground.
"""
_WORDS: dict[str, Any] = {"labelColor": INK, "titleColor": INK}
_LINES: dict[str, Any] = {
    "domainColor": GREY,
    "tickColor": GREY,
    "gridColor": _GRID,
    "labelSeparation": 4,
}
_CONFIG: dict[str, Any] = {
    "background": GROUND,
    "view": {"stroke": _GRID},
    "axis": _LINES | _WORDS,
    "header": _WORDS,
    "legend": _WORDS | {"symbolFillColor": GREY, "labelLimit": 240},
    "title": {"color": INK, "subtitleColor": GREY},
    "text": {"color": INK},
    "rule": {"color": INK},
    "mark": {"color": COLOURS[0]},
    "range": {"category": COLOURS},
}
"""What Vega-Lite takes for all parts of a chart that say nothing of their own."""


def cycled(kinds: Sequence[Any], n: int, *, skip: bool = False) -> list[Any]:
    """Return n kinds by repeating them in turn; with ``skip``, each repetition begins one later."""
    return [kinds[(i + skip * (i // len(kinds))) % len(kinds)] for i in range(n)]


@typed
def style(
    chart: Any, ground: Literal["light", "dark"] = "light", *, font: str = FONT, width: int = WIDTH
) -> Any:
    """Return a chart with the colours of a ground, a font, and a width: to save, or to show.

    Its eight colours are told apart by colour-blind people, and points have shapes besides, which a
    print without colours keeps. A chart with a style cannot become a part of another.

    Parameters
    ----------
    chart : altair.Chart
        Any chart of `lexiframe.views.charts` or of ``plot``.
    ground : {"light", "dark"}
        What it is drawn on: white, or nearly black.
    font
        The names of fonts, the first that is there.
    width
        The pixels from left to right of a chart of one panel, names and legends apart. Below 460
        legends stand under the chart, and long titles have several lines.

    Returns
    -------
    altair.Chart
        A chart of the same kind.

    Raises
    ------
    LexiframeError
        For a width below 100.

    Examples
    --------
    >>> import lexiframe as lf
    >>> folder = lf.bundled("example")
    >>> e = lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP", "RR"])
    >>> chart = lf.views.style(e.plot.means("AP"), "dark", width=300)
    >>> chart.width, chart.config.to_dict()["background"]
    (300, '#131416')
    """
    if width < 100:
        raise LexiframeError(f"style: expected a width of 100 pixels or more, found {width}")
    colours = ON_DARK if ground == "dark" else {}
    spec = _styled(chart.to_dict(validate=False), colours, width / WIDTH)
    narrow = {"orient": "bottom", "columns": 3, "gradientLength": 220} if width < WIDTH else {}
    config = _CONFIG | {"legend": _CONFIG["legend"] | narrow}
    spec["config"] = _styled(config, colours, 1) | {"font": font}
    return type(chart).from_dict(spec, validate=False)


def _styled(value: Any, colours: dict[str, str], ratio: float) -> Any:
    """Return a part of a specification in the given colours and widths, its data unchanged."""
    if isinstance(value, list):
        return [_styled(one, colours, ratio) for one in value]
    if not isinstance(value, dict):
        return colours.get(value, value) if isinstance(value, str) else value
    found = {
        name: one if name in ("datasets", "values") else _styled(one, colours, ratio)
        for name, one in value.items()
    }
    if ratio != 1 and "type" not in value:
        found |= {side: _times(value[side], ratio) for side in _sides(value)}
    if ratio < 1 and isinstance(value.get("title"), dict):
        found["title"] = _wrapped(found["title"], round(WIDTH * ratio + _BESIDE) // _LETTER)
    return found


def _sides(view: dict[str, Any]) -> Sequence[str]:
    """Return whether the width and the height of a view change: both where they are alike.

    Boxes are as wide as their names, and words that stand so many pixels from the top stay there.
    """
    layers, sides = view.get("layer", ()), [one for one in ("width", "height") if one in view]
    if any("width" in layer.get("mark", "") for layer in layers):
        return []
    is_pinned = any("value" in layer.get("encoding", {}).get("y", "") for layer in layers)
    return sides[: 1 + (len({type(view[side]) for side in sides}) == 1 and not is_pinned)]


def _times(side: Any, ratio: float) -> Any:
    """Multiply a width or a height; a chart wider than one panel becomes as wide as one panel."""
    if isinstance(side, dict):
        return {"step": max(12, round(side["step"] * ratio))}
    return round(min(side, WIDTH) * ratio) if isinstance(side, int | float) else side


def _wrapped(title: dict[str, Any], letters: int) -> dict[str, Any]:
    """Return a title whose lines have at most so many letters."""
    lines = {name: title[name] for name in ("text", "subtitle") if name in title}
    every = {name: [of] if isinstance(of, str) else of for name, of in lines.items()}
    return title | {
        n: [part for line in of for part in wrap(line, letters)] for n, of in every.items()
    }
