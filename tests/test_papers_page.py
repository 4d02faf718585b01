"""The page of the papers has each of their parts, and what it names is there."""

import json
import re
import tomllib
from functools import reduce
from pathlib import Path

import pytest

import lexiframe as lf
from tests.papers import LEXIPRECISION, LEXIRECALL, RECALL_PAIRED

ROOT = Path(lf.__file__).parents[1]
TABLES = tomllib.loads((ROOT / ".docs/papers.toml").read_text(encoding="utf-8"))
PAGE = (ROOT / ".docs/papers.md").read_text(encoding="utf-8")
PARTS = {
    "Recall-paired preference": RECALL_PAIRED,
    "Lexicographic recall": LEXIRECALL,
    "Lexicographic precision": LEXIPRECISION,
}


def test_each_part_of_a_paper_has_a_row():
    assert {heading: [*rows] for heading, rows in TABLES.items()} == {
        heading: [*paper.places] for heading, paper in PARTS.items()
    }
    headings = re.findall(r"(?m)^## (.*)\n[^#]*<!-- the parts -->", PAGE)
    assert headings == [*TABLES]


def test_what_is_named_is_there():
    here = [row["here"] for rows in TABLES.values() for row in rows.values()]
    names = re.findall(r"`lf\.([\w.]+)", "\n".join([PAGE, *here]))
    assert len(names) > 100
    for name in names:
        assert reduce(getattr, name.split("."), lf) is not None


@pytest.mark.parametrize("heading", PARTS)
def test_the_notebooks_have_the_sections(heading):
    path = ROOT / f"notebooks/papers/{heading.lower().replace(' ', '-')}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    sections = [row["section"] for row in TABLES[heading].values() if "section" in row]
    assert sections
    for section in sections:
        kind = "appendix" if section.isalpha() else "section"
        assert f"({kind} {section}" in text, section
