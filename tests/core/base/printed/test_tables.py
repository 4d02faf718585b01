"""Tables as text: what they look like, and that nothing else is changed by printing."""

import math
import os
import re
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.base.printed.cells import cell, p_text
from lexiframe.core.base.printed.sections import take_out_constants, whole_rows
from lexiframe.core.base.printed.tables import (
    _width,
    _wrapped,
    paragraph,
    table_text,
    terminal_width,
)

HOSTILE = "a\x1b[31m\u202eb\nc\x7f"
ESCAPED = r"a\x1b[31m\u202eb\nc\x7f"


@pytest.fixture(scope="module")
def hostile():
    """An evaluation whose runs, queries and groups have names that steer a terminal."""
    runs = pl.DataFrame({"query_id": [HOSTILE, "2"], "doc_id": "d", "score": 1.0})
    qrels = pl.DataFrame({"query_id": [HOSTILE, "2"], "doc_id": "d", "relevance": 1.0})
    requests = pl.DataFrame({"query_id": [HOSTILE, "2"], "kind": HOSTILE})
    named = {f"{HOSTILE}{n}": runs for n in range(2)}
    return lf.evaluate(named, qrels, ["AP"], requests=requests, by="kind")


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


def test_columns_that_do_not_fit_stand_below():
    """Beside the first columns again; the numbers stand in one line."""
    table = pl.DataFrame({"run": ["a", "b"], **{f"measure{n}": [n / 8, 1e6] for n in range(9)}})
    cells = [box[1].strip("│ ").split() for box in boxes(table_text(table, 40))]
    assert [row[0] for row in cells] == ["a"] * 5
    assert [number for row in cells for number in row[1:]] == [f"{n / 8:.3f}" for n in range(9)]


def test_text_is_wrapped_before_columns_go_below():
    table = pl.DataFrame({"measure": ["AP"], "best": ["one run, another run, 2 others"], "n": [5]})
    assert table_text(table, 30).splitlines() == [
        "┌────────────────────────────┐",
        "│ measure  best            n │",
        "╞════════════════════════════╡",
        "│ AP       one run,        5 │",
        "│          another run, 2    │",
        "│          others            │",
        "└────────────────────────────┘",
    ]


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


def test_constant_columns_are_said_once():
    table = pl.DataFrame({"test": "t", "p": [1, 2], "x": pl.Series([None, None], dtype=pl.Int64)})
    assert take_out_constants(table)[0] == "test = t, x = —"
    assert take_out_constants(table)[1].columns == ["p"]
    for unchanged in (table.head(1), table.select("test"), table.clear()):
        assert take_out_constants(unchanged) == ("", unchanged)


@pytest.mark.parametrize(
    "name, value, written",
    [
        ("p_value", 0.0, "<0.001"),
        ("p_value", 0.00099, "<0.001"),
        ("p_adjusted", 0.001, "0.001"),
        ("p_equivalent_adjusted", 1e-5, "<0.001"),
        ("p_tie", 0.0, "0.000"),
        ("mean_difference", -0.00049, "-5e-04"),
        ("mean_difference", 0.0005, "0.001"),
        ("n", 10**30, "1" + "0" * 30),
        ("ci_low", -math.inf, "-inf"),
    ],
)
def test_numbers(name, value, written):
    assert cell(name, value) == written


@pytest.mark.parametrize(
    "p, alpha, written",
    [
        (0.0499, 0.05, "0.0499"),
        (0.05 - 1e-12, 0.05, "0.049999999999"),
        (0.05, 0.05, "0.050"),
        (0.0501, 0.05, "0.0501"),
        (0.0501, 0.1, "0.050"),
        (0.0007, 0.0005, "0.0007"),
        (0.0007, 0.001, "<0.001"),
        (1e-9, 0.0005, "<0.0001"),
        (None, 0.05, "—"),
    ],
)
def test_a_p_value_shows_its_side_of_alpha(p, alpha, written):
    assert p_text(p, alpha) == written


def test_paths_are_not_broken():
    said = "error: /a/path/of/one-run.run, line 3: expected a number; see x/y"
    assert paragraph(said, 12).split("\n") == [
        "error:", "/a/path/of/one-run.run,", "line 3:", "expected a", "number; see", "x/y",
    ]  # fmt: skip


def test_the_width_is_that_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "33")
    assert terminal_width() == 33
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((123, 9)))
    assert terminal_width() == 123

    def none(*_):
        raise OSError

    monkeypatch.setattr("os.get_terminal_size", none)
    assert terminal_width() == 80


def test_a_table_without_rows():
    assert table_text(pl.DataFrame(schema={"run": pl.String, "n": pl.Int64})).splitlines() == [
        "┌────────┐",
        "│ run  n │",
        "╞════════╡",
        "└────────┘",
    ]


def test_printing_changes_no_setting(hostile, monkeypatch):
    """Those of Polars are variables of the process, and changing them in threads ends Python."""

    def refuse(*_):
        raise AssertionError("printing changes the environment")

    with monkeypatch.context() as patched, ThreadPoolExecutor(4) as executor:
        patched.setattr(os, "putenv", refuse)
        patched.setattr(os, "unsetenv", refuse)
        printed = {*executor.map(str, [hostile] * 4), hostile._repr_html_()}
    assert len(printed) == 2


@pytest.mark.parametrize("form", ["text", "html", "report", "sentence"])
def test_names_do_not_steer_what_shows_them(hostile, tmp_path, form):
    shown = {
        "text": lambda: str(hostile),
        "html": hostile._repr_html_,
        "report": lambda: hostile.report(tmp_path / "r.html").read_text(encoding="utf-8"),
        "sentence": lambda: lf.verdict(hostile)["sentence"][0],
    }[form]()
    assert ESCAPED in shown
    assert all(line.isprintable() for line in shown.split("\n"))
    assert "\n" not in shown or form != "sentence"


def test_no_interval_loses_an_end_for_want_of_room():
    """Its ends are shown or left out together; before and behind them a column goes alone."""
    row = {"run": "a", "mean": 0.5, "ci_low": 0.25, "ci_high": 0.75, "n": 12}
    shown = {whole_rows(pl.DataFrame(row), width)[0].width for width in range(8, 80)}
    assert shown == {2, 4, 5}
