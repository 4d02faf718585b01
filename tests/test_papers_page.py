"""The page of the papers has each of their parts, and what it names is there."""

import json
import re
from functools import reduce
from pathlib import Path

import pytest

import lexiframe as lf
from tests.papers import LEXIPRECISION, LEXIRECALL, RECALL_PAIRED

ROOT = Path(lf.__file__).parents[1]
PAGE = (ROOT / ".docs" / "papers.md").read_text(encoding="utf-8")
PARTS = {
    "Recall-paired preference": RECALL_PAIRED,
    "Lexicographic recall": LEXIRECALL,
    "Lexicographic precision": LEXIPRECISION,
}


def rows(heading):
    """The rows of a paper's table, without its head."""
    part = PAGE.split(f"## {heading}\n")[1].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@pytest.mark.parametrize("heading", PARTS)
def test_each_part_of_a_paper_has_a_row(heading):
    assert [name for name, *_ in rows(heading)] == [*PARTS[heading].places]


def test_what_is_named_is_there():
    names = re.findall(r"`lf\.([\w.]+)", PAGE)
    assert len(names) > 100
    for name in names:
        assert reduce(getattr, name.split("."), lf) is not None


@pytest.mark.parametrize("heading", PARTS)
def test_the_notebooks_have_the_sections(heading):
    for _, _, here, _ in rows(heading):
        for section, path in re.findall(r"\[section ([\w.]+)\]\(\.\./(notebooks/[^)]*)\)", here):
            cells = json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]
            text = "\n".join("".join(cell["source"]) for cell in cells)
            kind = "appendix" if section.isalpha() else "section"
            assert f"({kind} {section}" in text, (path, section)
