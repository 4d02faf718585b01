"""Tables as text: what they look like, and that nothing else is changed by printing."""

import os
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.views.tables import table_text

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


def test_a_table_of_everything():
    table = pl.DataFrame(
        {
            "run": ["bm25", "日本語", None, "e\u0301"],
            "x": [0.5, None, 1e10, -0.0625],
            "n": [1, 2, None, -4],
            "b": [True, False, None, True],
            "a\nb": ["", HOSTILE, "x" * 201, "│"],
        }
    )
    head, *rows = (line for line in table_text(table).splitlines() if line.startswith("│"))
    assert head == "│ run      x                 n      b       " + r"a\nb".ljust(201) + " │"
    assert rows == [
        "│ bm25     0.500             1      true    " + " " * 201 + " │",
        "│ 日本語   null              2      false   " + ESCAPED.ljust(201) + " │",
        "│ null     10000000000.000   null   null    " + "x" * 200 + "… │",
        "│ e\u0301        -0.062            -4     true    " + "│".ljust(201) + " │",
    ]


def test_a_table_without_rows():
    assert table_text(pl.DataFrame(schema={"run": pl.String, "n": pl.Int64})).splitlines() == [
        "┌─────────┐",
        "│ run   n │",
        "╞═════════╡",
        "└─────────┘",
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
