"""Tables in HTML, as Jupyter and the report show them: parsed as a browser does."""

from html.parser import HTMLParser

import pytest

import lexiframe as lf


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


def test_ranks_and_numbers_are_on_the_right(example):
    means, ranks, verdict, tau, ties = (
        sides for _, sides in parsed(example.summary("all")._repr_html_())
    )
    for sides in (means, ranks, tau, ties):
        assert sides == ("left", *["right"] * (len(sides) - 1))
    assert verdict == ("left",) * 4
