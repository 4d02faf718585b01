"""What commands print: for people, and as CSV, no cell of which is a formula for a spreadsheet."""

import csv
import io
import json

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.cli.output import csv_text
from lexiframe.core.views import shown
from tests.small_tables import scores

SIGNS = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
"""Those that begin a formula in a spreadsheet, in their narrow and in their wide form."""


def cells(name):
    """Read back the cells of a table whose column, text and list of texts are ``name``."""
    table = pl.DataFrame({name: [name, "plain"], "list": [["a", name], ["b"]]})
    return [*csv.reader(io.StringIO(csv_text(table)))]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", ["\t", "\r", "\n", "\x00"])
def test_a_sign_behind_what_no_one_sees_begins_no_cell(sign, before):
    for row in cells(f"{before}{sign}1+A1"):
        assert all(cell.startswith(("\\", "a; \\", "list", "plain", "b")) for cell in row)


def test_comparisons_of_many_pairs_are_printed_by_their_ends():
    names = [f"r{n:02}" for n in range(46)]  # 1,035 pairs
    values = {name: [n / 50, n / 60, n / 70] for n, name in enumerate(names)}
    s = scores(values, "AP")
    text = shown.comparisons_text(lf.compare(s), ["AP"], 0.05)
    assert len(text.splitlines()) < 60
    assert "the first and the last 20 of 1,035 rows" in text
    assert "r44" in text


def test_conventions_are_read_by_people_or_by_programs(lexiframe):
    table = lf.conventions("AP")
    assert lexiframe("conventions", "AP").out == f"{table}\n"
    rows = json.loads(lexiframe("conventions", "AP", "--format", "json").out)
    assert rows == table.to_dicts()
