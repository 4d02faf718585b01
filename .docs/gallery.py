"""The pictures of all charts, drawn by the lines of gallery.toml, and the pages that show them.

`picture_files` fails where a chart has no picture. The gallery has all of them, by the question
that they answer; other pages have those whose lines name their function or measure.
"""

import ast
import html
import inspect
import re
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lexiframe as lf
from lexiframe.core.views.charts.style import ON_DARK
from lexiframe.decide.leaderboards.charts import LeaderboardPlots
from lexiframe.views import charts

_LISTED = tomllib.loads((Path(__file__).parent / "gallery.toml").read_text(encoding="utf-8"))
BEFORE = _LISTED.pop("before").strip()
QUESTIONS: dict[str, dict[str, dict[str, str]]] = _LISTED
PICTURES = {name: one for pictures in QUESTIONS.values() for name, one in pictures.items()}
BOARD = "Leaderboard.plot."
"""What stands before the names of the charts that a leaderboard has."""
WIDTH = 300
"""A picture of this width, with names beside it, is legible on a small screen without scrolling."""
_STEPS = "positions scores preferences evaluate".split()
"""Functions of whose tables no picture is one, though they stand in the lines of many."""
PAGE = """\
# Gallery

Each chart of the library, by the question that it answers, drawn from the bundled data. A picture
opens large, with the lines that draw it; these come first:

```python
{}
```
"""
GRID = '\n## {}\n\n<div class="gallery">\n{}\n</div>\n\n'
SMALL = """\
<figure id="{name}"><button popovertarget="{name}-large">{images}</button>\
<figcaption>{about}</figcaption></figure>"""
LARGE = """\
<div popover id="{name}-large" class="large">{images}<p>{about}</p>

```python
{code}
```

<p><a href="{page}">{name}</a> <button popovertarget="{name}-large" popovertargetaction="hide">\
Close</button></p></div>

"""
ONE = """\
.. raw:: html

   <p class="drawn">{}</p>

.. code-block:: python

   {}

The lines before these are those of :doc:`the gallery </gallery>`.

"""


def every_chart() -> list[str]:
    """Return the names of all charts that users reach."""
    of_boards = (name for name in vars(LeaderboardPlots) if not name.startswith("_"))
    return [*charts.__all__, *(f"{BOARD}{name}" for name in of_boards)]


def picture_files() -> dict[str, str]:
    """Draw each chart for both grounds, and return the pictures by the names of their files."""
    import vl_convert

    if odd := sorted({*every_chart()} ^ {*PICTURES}):
        raise ValueError(f"gallery.toml: expected a picture of each chart, found not so: {odd}")
    before: dict[str, Any] = {}
    exec(BEFORE, before)
    files = {}
    for name, one in PICTURES.items():
        *body, last = ast.parse(one["code"]).body
        names = dict(before)
        with warnings.catch_warnings(action="error"):
            exec(compile(ast.Module(body, []), name, "exec"), names)
            chart = eval(compile(ast.Expression(last.value), name, "eval"), names)  # type: ignore
        drawn = lf.views.style(chart, width=WIDTH).to_dict(validate=False)
        svg = vl_convert.vegalite_to_svg(drawn)  # without gaps between the cells of heat maps:
        svg = svg.replace('class="mark-rect', 'shape-rendering="crispEdges" class="mark-rect')
        dark = re.sub("#[0-9a-f]{6}", lambda found: ON_DARK.get(found[0], found[0]), svg)
        files |= {f"{name}.light.svg": svg, f"{name}.dark.svg": dark}
    return files


def gallery_page() -> str:
    """Return the text of the gallery."""
    page = PAGE.format(BEFORE)
    for question, pictures in QUESTIONS.items():
        of_each = [
            {"name": name, "code": one["code"].strip(), "images": _images(name, "")}
            | {"about": _about(name), "page": _page_of(name)}
            for name, one in pictures.items()
        ]
        page += GRID.format(question, "\n".join(SMALL.format(**one) for one in of_each))
        page += "".join(LARGE.format(**one) for one in of_each)
    return page


def picture_of_chart(name: str) -> str:
    """Return the picture of a chart with its lines, for its own page."""
    code = PICTURES[name]["code"].strip().replace("\n", "\n   ")
    return ONE.format(_images(name, "../"), code)


def pictures_with(name: str, *, measure: bool = False) -> str:
    """Return the pictures whose lines name a measure, or a function by what follows ``lf.``."""
    named = (
        [of for of, one in PICTURES.items() if name in _measures(one["code"])]
        if measure
        else [
            of
            for of, one in PICTURES.items()
            if f"lf.{name}(" in one["code"] or of.startswith(f"{name}.")
        ]
    )
    if not named or name in _STEPS:
        return ""
    links = (f'<a href="../gallery.html#{of}">{_images(of, "../")}</a>' for of in named)
    return f'.. raw:: html\n\n   <p class="drawn">{"".join(links)}</p>\n\n'


def _measures(code: str) -> Iterator[str]:
    for text in re.findall(r'"([^"]*)"', code):
        yield from (re.split("[(@]", part)[0] for part in text.split(">"))


def _images(name: str, up: str) -> str:
    """Return a picture for a light page and one for a dark page; Furo shows the one that fits."""
    alt, path = html.escape(PICTURES[name]["alt"]), f"{up}_static/{name}"
    return "".join(
        f'<img class="only-{ground}" src="{path}.{ground}.svg" alt="{alt}" loading="lazy">'
        for ground in ("light", "dark")
    )


def _about(name: str) -> str:
    """Return what a picture shows, as the docstring of its function says it."""
    of = LeaderboardPlots if name.startswith(BOARD) else charts
    text = inspect.getdoc(getattr(of, name.removeprefix(BOARD))) or ""
    said = text.partition("\n")[0].removeprefix("Draw ").rstrip(".").replace("``", "")
    return html.escape(said[0].upper() + said[1:])


def _page_of(name: str) -> str:
    return (
        "reference/Leaderboard.html" if name.startswith(BOARD) else f"reference/charts-{name}.html"
    )
