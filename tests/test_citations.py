"""Each section, equation, figure and table of the three papers that is cited is there."""

import json
import re
from pathlib import Path
from zlib import crc32

import pytest

import lexiframe as lf
from lexiframe.core.metrics.catalogues import papers
from tests.papers import LEXIPRECISION, LEXIRECALL, RECALL_PAIRED

ROOT = Path(lf.__file__).parents[1]
MODULES = sorted((ROOT / "lexiframe").rglob("*.py"))
NOTEBOOKS = {
    "recall-paired-preference": RECALL_PAIRED,
    "lexicographic-recall": LEXIRECALL,
    "lexicographic-precision": LEXIPRECISION,
}
SOURCES = {
    r"SIGIR 2022|RECALL_PAIRED\b": RECALL_PAIRED,
    r"arXiv:2302\.11370|LEXIRECALL\b": LEXIRECALL,
    r"EVIA 2023|Diaz 2023|LEXIPRECISION\b": LEXIPRECISION,
    r"TORS 2025": None,  # without the preprint, whose numbers are meant
    r"Webber|of\.(?!LEXI|RECALL)[A-Z_]+": None,  # another paper
}
ONE = r"(?:\d+|[A-D]\b)(?:\.\d+)*[a-c]?\b"
CITED = re.compile(
    "|".join(f"(?P<source{n}>{names})" for n, names in enumerate(SOURCES))
    + "|(?P<kind>section|equation|eq[.]|figure|table|appendix|theorem|definition)s? "
    + rf"(?P<numbers>{ONE}(?:(?:, | and | to ){ONE})*)"
)


def citations(text, paper=None):
    """Yield each citation: the paper, or the name of another one, and its kinds and numbers.

    The paper is the one that is named last before; what is cited until the next name belongs
    together.
    """
    parts = []
    for found in CITED.finditer(re.sub(r"\s+", " ", text)):
        source = next((n for n in range(len(SOURCES)) if found[f"source{n}"]), None)
        if source is None:
            parts.append((found["kind"].replace("eq.", "equation"), numbers(found["numbers"])))
            continue
        if parts:
            yield paper, parts
        paper, parts = [*SOURCES.values()][source] or found[0], []
    if parts:
        yield paper, parts


def numbers(text):
    """Give the numbers of "2 and 3.6", and those of "4 to 6, 9"; without the letters of parts."""
    found = []
    for one in re.split(", | and ", text):
        first, to, last = one.partition(" to ")
        between = [str(n) for n in range(int(first), int(last) + 1)] if to else [first]
        found += [re.sub(r"(?<=\d)[a-c]$", "", number) for number in between]
    return found


def wrong(paper, parts):
    """List what is cited and is not in the paper, or not in the section cited with it."""
    sections = [n for kind, some in parts if kind in ("section", "appendix") for n in some]
    problems = [f"no section {n}" for n in sections if n not in paper.sections]
    for kind, some in parts:
        for name in (f"{kind} {n}" for n in some if kind not in ("section", "appendix")):
            places = paper.places.get(name, "").split()
            inside = any(f"{place}.".startswith(f"{s}.") for place in places for s in sections)
            if not places or (sections and not inside):
                problems.append(f"{name} is in {places}, not in {sections}")
    return problems


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_the_modules_cite_is_there(path):
    text = path.read_text(encoding="utf-8")
    for paper, parts in citations(text):
        assert paper != "TORS 2025", f"say arXiv:2302.11370 before {parts}"
        assert paper is not None, f"which paper has {parts}?"
        if not isinstance(paper, str):
            assert wrong(paper, parts) == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_the_notebooks_cite_is_there(name):
    cells = json.loads(
        (ROOT / "notebooks" / "papers" / f"{name}.ipynb").read_text(encoding="utf-8")
    )["cells"]
    for cell in cells:
        lines = "".join(cell["source"]).splitlines()
        for line in lines if cell["cell_type"] == "markdown" else []:
            for paper, parts in citations(line, NOTEBOOKS[name]):
                if not isinstance(paper, str):
                    assert wrong(paper, parts) == []


def test_wrong_citations_are_found():
    """As they were: the section before the one with the figure, and a section that is not there."""
    found = [*citations("Diaz, EVIA 2023, section 3.5, figure 6, table 9; section 2 and 3.6")]
    assert [wrong(paper, parts) for paper, parts in found] == [
        ["table 9 is in [], not in ['3.5', '2', '3.6']"]
    ]
    ((paper, parts),) = citations("Diaz, EVIA 2023, sections 3.5 and 9.1, figure 6")
    assert paper is LEXIPRECISION
    assert wrong(paper, parts) == [
        "no section 9.1",
        "figure 6 is in ['3.6'], not in ['3.5', '9.1']",
    ]
    assert [*citations("TORS 2025, eq. 4 to 6")] == [("TORS 2025", [("equation", ["4", "5", "6"])])]


def test_digits_of_dois_are_those_that_were_looked_up():
    """Where one is changed or added, look it up at doi.org, and write the new sum here."""
    texts = "\n".join(text for name, text in vars(papers).items() if name.isupper())
    found = sorted({doi.rstrip(";,") for doi in re.findall(r"10[.]\d{4,}/\S+", texts)})
    assert (len(found), crc32(" ".join(found).encode())) == (29, 872084647)
