"""The recorded sessions of .docs/sessions.md and the first notebook are what is printed today.

To record them again, from the root of the repository, where LEXIFRAME_SHARED has the collection:

    python -m tests.test_sessions

Terminals are 80 columns wide. Numbers may differ by one in their last digit, because another
processor may have another last bit.
"""

import ast
import contextlib
import io
import json
import math
import os
import re
import shlex
import sys
from pathlib import Path
from pprint import pformat
from unittest import mock

import pytest

from tests.conftest import SHARED

pytestmark = pytest.mark.slow  # its room has quicker tests

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / ".docs/sessions.md"
NOTEBOOK = ROOT / "notebooks/01-first-evaluation.ipynb"
COLLECTION = SHARED / "data/trec_dl_2019_passage"
OWN, USUAL, PAPER = (
    "Own runs to an answer",
    "TREC Deep Learning 2019",
    "The same table for a paper",
)
"""The headings of the sessions."""
COMMAND = re.compile(r"(?m)^ {4}\$ lexiframe (.*)\n((?: {4}.*\n|\n(?= {4}))*)")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")


def session(heading, page=None):
    """The part of the page below a heading."""
    page = PAGE.read_text(encoding="utf-8") if page is None else page
    return re.split(r"(?m)^## ", page.partition(f"## {heading}\n")[2])[0]


def printed(words, folder):
    """What a command prints on a terminal of 80 columns, in a folder."""
    from lexiframe.core.cli.app import main

    out = io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "80"}),
        mock.patch.object(sys, "argv", ["lexiframe", *shlex.split(words)]),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
    ):
        status = None
        try:
            main()
        except SystemExit as ended:
            status = ended.code
    assert not status, status
    return out.getvalue()


def code_cells():
    """The Python of the notebook and the text that is stored of what it shows, cell by cell."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            [output] = cell["outputs"]
            is_picture = "image/png" in output["data"]
            yield (
                "".join(cell["source"]),
                "" if is_picture else "".join(output["data"]["text/plain"]),
            )


def shown(cells):
    """What each cell shows on 80 columns; of a picture, nothing."""
    names = {}
    with mock.patch.dict(os.environ, {"COLUMNS": "80"}):
        for cell in cells:
            *body, last = ast.parse(cell).body
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            found = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            is_picture = type(found).__module__.startswith("altair")
            yield "" if is_picture else pformat(found) if isinstance(found, list) else str(found)


def recorded(text):
    """A text as an indented block of a page."""
    return "".join(f"    {line}\n" if line.strip() else "\n" for line in text.rstrip().split("\n"))


def shortened(heading, text):
    """What the page shows of a text: of the table for a paper, the first and the last lines."""
    lines = text.splitlines()
    return "\n".join([*lines[:13], "...", *lines[-4:]]) if heading == PAPER else text


def assert_alike(found, stored):
    """Fail unless two texts are the same but for one in the last digit of a number."""
    if found == stored:
        return
    if NUMBER.sub("0", found) != NUMBER.sub("0", stored):
        assert found == stored
    for one, other in zip(NUMBER.findall(found), NUMBER.findall(stored), strict=True):
        digits = len(one.partition(".")[2])
        assert digits == len(other.partition(".")[2]), (one, other)
        least = 10**-digits if digits else 0
        assert math.isclose(float(one), float(other), abs_tol=1.5 * least, rel_tol=0), (one, other)


def assert_recorded(heading, folder):
    """Fail unless the only command below a heading prints what the page has; return its lines."""
    [(words, stored)] = COMMAND.findall(session(heading))
    found = printed(words, folder)
    assert_alike(recorded(shortened(heading, found)), stored)
    return found.splitlines()


def test_own_runs_to_an_answer_take_one_command_and_one_screen():
    lines = assert_recorded(OWN, ROOT)
    assert lines[0].startswith("combsum_fine is best by RPP, LR, LP and AP: all others are")
    names = lines[next(n for n, line in enumerate(lines) if line.startswith("┌")) + 1]
    assert names.split() == ["│", "run", "RPP", "LR", "LP", "AP", "nDCG@10", "RR", "│"]
    runs = sorted(path.stem for path in (ROOT / "data/digits/runs").glob("[b-g]*.parquet"))
    assert len(runs) == 8
    assert {line.split()[1] for line in lines if line.startswith("│")} >= {*runs}
    assert len(lines) <= 26
    assert max(map(len, lines)) <= 80


def test_the_first_notebook_has_ten_cells_and_shows_its_answer_first():
    pytest.importorskip("vl_convert")
    assert len(json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]) <= 10
    cells, stored = zip(*code_cells(), strict=True)
    for found, output in zip(shown(cells), stored, strict=True):
        assert_alike(found, output)
        assert max(map(len, found.splitlines()), default=0) <= 80


@pytest.mark.conformance
def test_the_usual_table_of_deep_learning_2019_takes_one_line():
    lines = assert_recorded(USUAL, COLLECTION)
    assert "Means over 43 requests, with 95 % intervals" in lines
    assert max(map(len, lines)) <= 80
    rows = {line.split()[1]: line for line in lines if line.startswith("│")}
    assert 10 + 1 <= len(rows) < 20  # the ten best, and those that sentences name
    assert re.search(
        r"0\.7645\* 0\.68\d–0\.81\d  0\.5030~ 0\.4[12]\d–0\.58\d", rows["idst_bert_p1"]
    )


@pytest.mark.conformance
def test_the_table_for_a_paper_has_the_same_numbers():
    usual, paper = assert_recorded(USUAL, COLLECTION), assert_recorded(PAPER, COLLECTION)
    numbers = re.compile(r"\d\.\d+")
    of_text = {line.split()[1]: numbers.findall(line) for line in usual if line.startswith("│ ")}
    rows = [line for line in paper if line.endswith(r" \\") and numbers.search(line)]
    assert len(rows) == 37
    of_paper = {row.partition(" &")[0].replace("\\", ""): numbers.findall(row) for row in rows}
    assert len(of_text) >= 10
    assert of_text.items() <= {**of_paper, "run": []}.items()


def test_one_in_the_last_digit_is_alike_and_no_more():
    assert_alike("AP 0.8615 n = 5", "AP 0.8616 n = 5")
    for other in ("AP 0.8617 n = 5", "AP 0.8615 n = 6", "RR 0.8615 n = 5", "AP 0.861 n = 5"):
        with pytest.raises(AssertionError):
            assert_alike("AP 0.8615 n = 5", other)


def record():
    """Write what the commands print today into the page."""
    page = PAGE.read_text(encoding="utf-8")
    for heading in (OWN, USUAL, PAPER):
        [(words, stored)] = COMMAND.findall(session(heading, page))
        folder = ROOT if heading == OWN else COLLECTION
        start = f"    $ lexiframe {words}\n"
        page = page.replace(
            f"{start}{stored}", f"{start}{recorded(shortened(heading, printed(words, folder)))}"
        )
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    record()
