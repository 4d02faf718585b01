"""Tables in HTML, as Jupyter and the report show them: parsed as a browser does."""

import re
from html.parser import HTMLParser

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.printed.tables import html_table
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


def test_text_is_as_it_is_numbers_are_on_the_right_and_nulls_are_dashes():
    table = pl.DataFrame(
        {
            'a "name" & <b>': ['say "x"', "<script>alert(1)</script>", None, "it's & so"],
            "count": [1, None, 3, 10**12],
            "share": [0.0005, 0.25, None, -1.0],
            "rank": ["1", "2.5", None, "10"],
            "kind": pl.Series([True, None, False, True]),
            "p_value": [1e-9, 1.0, None, 0.05],
            "mean": ["0.5000*", "12.2500~", "", "inf ▲"],
        }
    )
    ((rows, sides),) = parsed(html_table(table))
    assert rows == [
        ['a "name" & <b>', "count", "share", "rank", "kind", "p_value", "mean"],
        ['say "x"', "1", "0.001", "1", "True", "<0.001", "0.5000*"],
        ["<script>alert(1)</script>", "—", "0.250", "2.5", "—", "1.000", "12.2500~"],
        ["—", "3", "—", "—", "False", "—", ""],
        ["it's & so", "1000000000000", "-1.000", "10", "True", "0.050", "inf ▲"],
    ]
    assert sides == ("left", "right", "right", "right", "left", "right", "right")


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


def test_ranks_and_numbers_are_on_the_right(example):
    means, ranks, verdict, tau, ties = (
        sides for _, sides in parsed(example.summary("all")._repr_html_())
    )
    for sides in (means, ranks, tau, ties):
        assert sides == ("left", *["right"] * (len(sides) - 1))
    assert verdict == ("left",) * 4


def test_the_report_has_the_same_tables(example, tmp_path):
    page = example.report(tmp_path / "report.html").read_text()
    assert parsed(page) == parsed(example.summary("all")._repr_html_())


def test_a_run_whose_name_is_markup():
    runs = pl.DataFrame({"query_id": ["1", "2"], "doc_id": "d", "score": 1.0})
    qrels = pl.DataFrame({"query_id": ["1", "2"], "doc_id": "d", "relevance": 1.0})
    names = ["<img src=x>", 'a "b" & c']
    page = lf.evaluate(dict.fromkeys(names, runs), qrels, "AP")._repr_html_()
    assert "<img" not in page
    ranks = parsed(page)[0][0]
    assert sorted(row[0] for row in ranks[1:]) == sorted(names)
