"""Tables in HTML, as Jupyter and the report show them: parsed as a browser does."""

import re
from html.parser import HTMLParser

import pytest

import lexiframe as lf
from lexiframe.core.views.shown.summary import summary_of


class Cells(HTMLParser):
    """The tables of a page: rows of cells, each with its text and its side."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.open = [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.open = True
            side = dict(attributes)["style"].removeprefix("text-align: ")
            self.tables[-1][-1].append([tag, "", side])

    def handle_endtag(self, tag):
        self.open = self.open and tag not in ("th", "td")

    def handle_data(self, data):
        if self.open:
            self.tables[-1][-1][-1][1] += data


def parsed(page):
    """For each table the texts of its rows, the names of the columns first, and the sides."""
    found = []
    for rows in Cells(page).tables:
        assert [{tag for tag, *_ in row} for row in rows] == [{"th"}] + [{"td"}] * (len(rows) - 1)
        sides = {tuple(side for *_, side in row) for row in rows}
        assert len(sides) == 1
        found.append(([[text for _, text, _ in row] for row in rows], sides.pop()))
    return found


@pytest.fixture(scope="module")
def example():
    folder = lf.bundled("example")
    return lf.evaluate(folder / "runs", folder / "qrels.txt")


def test_an_evaluation_shows_the_tables_of_its_text(example, monkeypatch):
    """The words of each line, and the titles and notes around the tables."""
    monkeypatch.setenv("COLUMNS", "1000")
    summary = example.summary("all")
    page, text = summary._repr_html_(), str(summary)
    assert "&quot;" not in page
    tables = parsed(page)
    boxes = re.findall(r"^┌.*?^└", text, re.DOTALL | re.MULTILINE)
    sections = [
        s
        for s in summary_of(example.tables(), example.provenance, "all").sections[1:]
        if s.table is not None
    ]
    assert len(tables) == len(boxes) == len(sections) == 5
    for (rows, _), box in zip(tables, boxes, strict=True):
        lines = [line for line in box.splitlines() if line.startswith("│")]
        assert [" ".join(row).split() for row in rows] == [
            line.strip("│ ").split() for line in lines
        ]
    around = [line for line in text.splitlines() if line and line[0] not in "┌│╞└"]
    assert re.findall(r"<(?:h3|p)>(.*)</", page) == around


def test_the_report_has_the_same_tables(example, tmp_path):
    page = example.report(tmp_path / "report.html").read_text()
    assert parsed(page) == parsed(example.summary("all")._repr_html_())
