"""The parts of the three papers, from papers.toml: tables for their page, lines for other pages."""

import re
import tomllib
from pathlib import Path

PARTS = tomllib.loads((Path(__file__).parent / "papers.toml").read_text(encoding="utf-8"))
"""The parts of each paper by the heading of its notebook, with what they are and where here."""
MARK = "<!-- the parts -->"
"""Where a table stands in papers.md, once below each heading."""
NAME = re.compile(r"`lf\.((?:theory\.|views\.charts\.)?\w+)`")
"""The name of a function or measure that has a page."""
HEAD = """\
| in the paper | what it is | here | numbers printed, and here |
| --- | --- | --- | --- |
"""


def papers_page(text: str) -> str:
    """Return the page with a table in the place of each mark."""
    for heading, parts in PARTS.items():
        rows = (_row(heading, name, part) for name, part in parts.items())
        text = text.replace(MARK, HEAD + "\n".join(rows), 1)
    return text


def _row(heading: str, name: str, part: dict[str, str]) -> str:
    here = NAME.sub(r"{py:obj}`lf.\1 <lexiframe.\1>`", part["here"])
    if section := part.get("section"):
        here += f"; [section {section}]({_notebook(heading)})"
    return f"| {name} | {part['what']} | {here} | {part.get('printed', '')} |"


def _notebook(heading: str) -> str:
    return f"notebooks/papers/{heading.lower().replace(' ', '-')}.ipynb"


def parts_of(name: str) -> str:
    """Return in which parts of the papers a name occurs, as it stands after ``lf.``."""
    found = {
        heading: [part for part, said in parts.items() if name in NAME.findall(said["here"])]
        for heading, parts in PARTS.items()
    }
    return "; ".join(f"{heading}: {', '.join(parts)}" for heading, parts in found.items() if parts)
