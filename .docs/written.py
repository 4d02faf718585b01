"""The sources of the documentation, from the repository and from what the library says of itself.

index           README.md
papers, what-can-be-read    with tables           (listed.py, papers.toml, forms.toml)
notebooks/      the notebooks, with their stored outputs
names in GUIDE and NEIGHBOURS    the pages of .docs/
speed           the last table of `make benchmark` (speed_page.py)
measures/       a page for each measure           (measure_pages.py)
reference/      a page for each public function   (reference_pages.py)
gallery         a picture of each chart           (gallery.py, gallery.toml)
contributing, changelog                           the pages of the same names
two-rankings.js                  the script of the page of this name
live/           the report and the leaderboard of the bundled data, which pages link to
"""

import re
from pathlib import Path

import polars as pl
from gallery import gallery_page, picture_files
from listed import forms_page, papers_page
from measure_pages import measure_pages
from reference_pages import reference_pages
from speed_page import speed_page

import lexiframe as lf
from lexiframe.core.views.report.page import script_of

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (
    "sessions guide live two-rankings which-measure which-test ties weights models gate "
    "leaderboards votes recommenders nuggets judges worst learning-to-rank "
    "coming-from what-can-be-read what-is-doubted large spark papers evidence glossary"
).split()
"""The pages about the library, in the order of the contents, where notebooks come second."""
NEIGHBOURS = ["in-ir-measures"]
"""Pages about other tools, below the page ``coming-from``."""
TEXTS = {
    "index.md": "README.md",
    **{f"{name}.md": f".docs/{name}.md" for name in [*GUIDE, *NEIGHBOURS]},
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
SCRIPT = "two-rankings.js"
"""The script of the page ``two-rankings``: that of the report's two rankings, and the cases."""
LIVE = ["report", "leaderboard"]
"""The pages of the folder ``live``, which are no sources: Sphinx takes them as they are."""
FILES = ["LICENSE", "CITATION.cff"]
"""What pages link to."""
CONTENTS = {
    "Guide": [GUIDE[0], "gallery", "notebooks/index", *GUIDE[1:]],
    "Reference": ["reference/index", "measures/index"],
    "Project": ["speed", "contributing", "changelog"],
}
NOTEBOOKS = """\
# Notebooks

The notebooks are the guide. Each of them starts from data that come with the library, and shows
what it printed when it was last executed. They are in the folder `notebooks/` of the repository.

```{toctree}
:glob:
:maxdepth: 1

[0-9]*
```

The notebooks of the three papers are evidence: each table and figure that our data allow, in the
order of the paper, beside what it prints.

```{toctree}
:glob:
:maxdepth: 1

papers/*
```
"""


def write_sources(folder: Path) -> None:
    """Write all sources into a folder."""
    pages = {name: _moved(ROOT / path) for name, path in TEXTS.items()}
    pages["index.md"] += "".join(_tree(names, title) for title, names in CONTENTS.items())
    pages["papers.md"] = papers_page(pages["papers.md"])
    pages["what-can-be-read.md"] = forms_page(pages["what-can-be-read.md"])
    pages["coming-from.md"] += _tree(NEIGHBOURS)
    pages["notebooks/index.md"], pages["speed.md"] = NOTEBOOKS, speed_page()
    pages |= {f"measures/{name}": text for name, text in measure_pages().items()}
    pages |= {f"reference/{name}": text for name, text in reference_pages().items()}
    pages["gallery.md"] = gallery_page()
    pages |= {f"pictures/{name}": text for name, text in picture_files().items()}
    pages[SCRIPT] = script()
    files = {name: text.encode() for name, text in pages.items()}
    for path in [
        *ROOT.glob("notebooks/**/*.ipynb"),
        *ROOT.glob("data/*.png"),
        *ROOT.glob("data/*.svg"),
        *map(ROOT.joinpath, FILES),
    ]:
        files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    write_live(folder / "live")


def write_live(folder: Path) -> None:
    """Write the report of the bundled collection and a leaderboard into a folder."""
    folder.mkdir()
    digits = lf.bundled("digits")
    words = pl.format("the digit {}, {}", "digit", "strokes")
    queries = pl.read_parquet(digits / "queries.parquet").select("query_id", text=words)
    e = lf.evaluate(digits / "runs", digits / "qrels.parquet")
    e.report(folder / "report.html", queries=queries)
    board = lf.leaderboard(lf.bundled("leaderboard") / "scores.csv", group="type")
    board.report(folder / "leaderboard.html")


def script() -> str:
    """Return the script of the page ``two-rankings``."""
    cases = (ROOT / ".docs/cases.js").read_text(encoding="utf-8")
    return script_of(["dom", "measured", "two-rankings"], cases)


def _tree(names: list[str], title: str = "") -> str:
    """Return a table of contents for the side of the pages."""
    caption = f":caption: {title}\n" if title else ""
    return "\n```{toctree}\n:hidden:\n" + caption + "\n" + "\n".join(names) + "\n```\n"


def _moved(path: Path) -> str:
    """Return a page's text, with links to other files of the repository made links of the site."""
    text = path.read_text(encoding="utf-8")
    for name in LIVE:  # what the repository shows as a section with a picture, the site has
        text = re.sub(
            rf"\[([^]]+)\]\(\.docs/live\.md#{name}\)|!\[[^]]+\]\(\.\./data/{name}\.png\)",
            lambda found, name=name: f'<a href="{name}.html">{found[1] or found[0]}</a>',
            text,
        )
    for name, source in TEXTS.items():
        text = re.sub(rf"\]\((\.\./|\.docs/)*({re.escape(source)})", f"]({name}", text)
        text = re.sub(rf"\]\({re.escape(Path(source).name)}", f"]({name}", text)
    for folder in ("notebooks", "data"):
        text = text.replace(f"](../{folder}/", f"]({folder}/")
    # a fence that names a module after its language is Python all the same
    return re.sub(r"(?m)^```python \S+$", "```python", text)
