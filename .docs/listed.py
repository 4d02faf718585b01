"""What pages list: the parts of the papers (papers.toml) and the forms of files (forms.toml).

Each list is a page of tables, and says on the page of a function what of the list is its own.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

MARK = re.compile(r"<!-- the (?:parts|forms) -->")
"""Where a table stands in papers.md and what-can-be-read.md, once below each heading."""
NAME = re.compile(r"`lf\.((?:theory\.|views\.charts\.)?\w+)`")
"""The name of a function or measure that has a page."""


def _listed(name: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))


PARTS, FORMS = _listed("papers"), _listed("forms")
"""The parts of each paper by the heading of its notebook, and the forms by their headings."""


def papers_page(text: str) -> str:
    """Return the page about the papers with its tables."""
    for heading, parts in PARTS.items():
        rows = (_part(heading, name, part) for name, part in parts.items())
        text = _with_table(
            text, "in the paper | what it is | here | numbers printed, and here", rows
        )
    return text


def forms_page(text: str) -> str:
    """Return the page about forms with its tables."""
    for forms in FORMS.values():
        rows = (f"{row['form']} | {row.get('tool', '')} | {row['call']}" for row in forms)
        text = _with_table(text, "form | tool | call", rows)
    return text


def _with_table(text: str, head: str, rows: Any) -> str:
    rule = "|".join(["---"] * (head.count("|") + 1))
    table = "\n".join(f"| {row} |" for row in [head, rule, *rows])
    return MARK.sub(lambda _: table, text, count=1)


def _part(heading: str, name: str, part: dict[str, str]) -> str:
    here = NAME.sub(lambda found: f"{{py:obj}}{found[0][:-1]} <{_public(found[1])}>`", part["here"])
    if section := part.get("section"):
        notebook = heading.lower().replace(" ", "-")
        here += f"; [section {section}](notebooks/papers/{notebook}.ipynb)"
    return f"{name} | {part['what']} | {here} | {part.get('printed', '')}"


def _public(name: str) -> str:
    """Return the full name of what stands after ``lf.``."""
    return f"lexiframe.{name}"


def parts_of(name: str) -> str:
    """Return in which parts of the papers a full name occurs."""
    found = {
        heading: [
            part for part, said in parts.items() if name in map(_public, NAME.findall(said["here"]))
        ]
        for heading, parts in PARTS.items()
    }
    return "; ".join(f"{heading}: {', '.join(parts)}" for heading, parts in found.items() if parts)


def forms_of(name: str) -> str:
    """Return the forms that a function reads, as a list in reStructuredText."""
    rows = [row for forms in FORMS.values() for row in forms if f"`lf.{name}(" in row["call"]]
    said = [f"{row['form']} ({row['tool']})" if "tool" in row else row["form"] for row in rows]
    return "\n".join(f"- {form.replace('`', '``')}" for form in said)
