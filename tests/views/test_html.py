"""Tables in HTML, as Jupyter and the report show them: parsed as a browser does."""

from html.parser import HTMLParser

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.views.tables import html_table, summary


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


def test_text_is_as_it_is_numbers_are_on_the_right_and_nulls_are_empty():
    table = pl.DataFrame(
        {
            'a "name" & <b>': ['say "x"', "<script>alert(1)</script>", None, "it's & so"],
            "count": [1, None, 3, 10**12],
            "share": [0.0005, 0.25, None, -1.0],
            "rank": ["1", "2.5", None, "10"],
            "kind": pl.Series([True, None, False, True]),
        }
    )
    ((rows, sides),) = parsed(html_table(table))
    assert rows == [
        ['a "name" & <b>', "count", "share", "rank", "kind"],
        ['say "x"', "1", "0.001", "1", "True"],
        ["<script>alert(1)</script>", "", "0.250", "2.5", ""],
        ["", "3", "", "", "False"],
        ["it's & so", "1000000000000", "-1.000", "10", "True"],
    ]
    assert sides == ("left", "right", "right", "right", "left")


@pytest.fixture(scope="module")
def example():
    folder = lf.bundled("example")
    return lf.evaluate(folder / "runs", folder / "qrels.txt")


def test_an_evaluation_prints_the_tables_of_its_text_without_quotes(example):
    """The cells of the text tables: split where two spaces are or more."""
    page = example._repr_html_()
    assert "&quot;" not in page
    tables = parsed(page)
    texts = [part.partition("\n")[2] for part in str(example).split("\n\n")]
    assert len(tables) == len(texts) == len(summary(example.tables(), example.provenance)) == 5
    for (rows, _), text in zip(tables, texts, strict=True):
        lines = [line for line in text.splitlines() if line.startswith("│")]
        words = [line.strip("│ ").split() for line in lines]
        assert [" ".join(row).split() for row in rows] == words


def test_ranks_and_numbers_are_on_the_right(example):
    coverage, ranks, tau, ties, verdict = (sides for _, sides in parsed(example._repr_html_()))
    assert set(coverage) == {"right"}
    for sides in (ranks, tau, ties):
        assert sides == ("left", *["right"] * (len(sides) - 1))
    assert verdict == ("left", "left", "left", "right", "left")


def test_the_report_has_the_same_tables(example, tmp_path):
    page = example.report(tmp_path / "report.html").read_text()
    assert parsed(page) == parsed(example._repr_html_())


def test_a_run_whose_name_is_markup():
    runs = pl.DataFrame({"query_id": ["1", "2"], "doc_id": "d", "score": 1.0})
    qrels = pl.DataFrame({"query_id": ["1", "2"], "doc_id": "d", "relevance": 1.0})
    names = ["<img src=x>", 'a "b" & c']
    page = lf.evaluate(dict.fromkeys(names, runs), qrels, "AP")._repr_html_()
    assert "<img" not in page
    ranks = parsed(page)[1][0]
    assert sorted(row[0] for row in ranks[1:]) == sorted(names)
