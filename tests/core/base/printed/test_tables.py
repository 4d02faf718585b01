"""Tables as text: what they look like, and that nothing else is changed by printing."""

import re

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from lexiframe.core.base.printed.cells import cell
from lexiframe.core.base.printed.tables import (
    _width,
    _wrapped,
    paragraph,
    table_text,
)

HOSTILE = "a\x1b[31m\u202eb\nc\x7f"
ESCAPED = r"a\x1b[31m\u202eb\nc\x7f"


EVERYTHING = pl.DataFrame(
    {
        "run": ["bm25", "日本語", None, "e\u0301"],
        "x": [0.5, None, 1e10, -0.0625],
        "n": [1, 2, None, -4],
        "b": [True, False, None, True],
        "a\nb": ["", HOSTILE, "x" * 201, "│"],
    }
)


def test_a_table_of_everything():
    head, *rows = (
        line for line in table_text(EVERYTHING, 300).splitlines() if line.startswith("│")
    )
    assert head == "│ run                   x   n  b      " + r"a\nb".ljust(200) + " │"
    assert rows == [
        "│ bm25              0.500   1  true   " + " " * 200 + " │",
        "│ 日本語                —   2  false  " + ESCAPED.ljust(200) + " │",
        "│ —       10000000000.000   —  —      " + "x" * 100 + "…" + "x" * 99 + " │",
        "│ e\u0301                -0.062  -4  true   " + "│".ljust(200) + " │",
    ]


def boxes(text):
    """The boxes of a text: for each the cells of its lines, stripped."""
    found = []
    for line in text.splitlines():
        if line.startswith("┌"):
            found.append([])
        elif line.startswith("│"):
            found[-1].append(line)
    return found


def test_long_names_are_broken_not_cut():
    table = pl.DataFrame({"run": ["bm25_with_feedback_of_ten_documents", "x" * 30], "AP": [0.5, 1]})
    lines = [line.strip("│ ").split("  ")[0] for line in boxes(table_text(table, 34))[0][1:]]
    assert "".join(line.strip() for line in lines) == table["run"].str.join("").item()
    assert lines[0] == "bm25_with_feedback_of_"


NAMES = st.text("ab-_, 語e\u0301", max_size=60)


@given(text=NAMES, room=st.integers(2, 30))
def test_a_wrapped_text_fits_and_loses_only_blanks(text, room):
    lines = list(_wrapped(text, room))
    assert max(map(_width, lines)) <= room
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(data=st.data(), width=st.integers(40, 120), n=st.integers(1, 4))
def test_every_line_fits_and_numbers_are_whole(data, width, n):
    kinds = [NAMES, st.floats(-1e6, 1e6), st.integers(-(10**9), 10**9)]
    drawn = data.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=9))
    columns = {
        f"c{k}": data.draw(st.lists(kind, min_size=n, max_size=n)) for k, kind in enumerate(drawn)
    }
    text = table_text(pl.DataFrame(columns), width)
    assert max(map(_width, text.splitlines())) <= width
    for name, values in columns.items():
        assert re.search(rf" {name} ", text)
        for value in values:
            assert isinstance(value, str) or f" {cell(name, value)} " in text


def test_paths_are_not_broken():
    said = "error: /a/path/of/one-run.run, line 3: expected a number; see x/y"
    assert paragraph(said, 12).split("\n") == [
        "error:", "/a/path/of/one-run.run,", "line 3:", "expected a", "number; see", "x/y",
    ]  # fmt: skip
