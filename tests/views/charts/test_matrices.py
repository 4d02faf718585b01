"""Charts show the numbers of their tables."""

import builtins

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.views.charts import win_rate_chart

W = pl.DataFrame(
    {
        "measure": ["AP", "RPP", "RPP", "RPP"],
        "run_a": ["a", "a", "a", "b<b>"],
        "run_b": ["b<b>", "b<b>", "c", "c"],
        "n": [4, 4, 4, 4],
        "wins": [4, 1, 0, 4],
        "losses": [0, 1, 3, 0],
        "ties": [0, 2, 1, 0],
        "win_rate": [1.0, 0.25, 0.0, 1.0],
        "mean_preference": [1.0, 0.0, -0.5, 1.0],
    }
)
HARMLESS = "b<\u200bb>"
"""Such a name in a page is no tag."""


def test_a_cell_is_the_share_of_requests_that_its_run_wins():
    cells = pl.DataFrame(win_rate_chart(W, "RPP").data.values)
    share = {
        (run, against): s for run, against, s in cells.select("run", "against", "share").rows()
    }
    assert share == {
        ("a", HARMLESS): 0.5, (HARMLESS, "a"): 0.5, ("a", "c"): 0.125, ("c", "a"): 0.875,
        (HARMLESS, "c"): 1.0, ("c", HARMLESS): 0.0,
    }  # fmt: skip
    assert cells.filter(run="c", against="a").select("wins", "losses", "ties").row(0) == (3, 0, 1)


def test_the_best_run_comes_first_unless_told():
    spec = win_rate_chart(W, "RPP").to_dict()["encoding"]
    assert spec["y"]["sort"] == spec["x"]["sort"] == [HARMLESS, "c", "a"]
    told = win_rate_chart(W, "RPP", order=["a", "b<b>", "c"]).to_dict()["encoding"]
    assert told["y"]["sort"] == ["a", HARMLESS, "c"]


def test_it_is_drawn(tmp_path):
    pytest.importorskip("vl_convert")
    win_rate_chart(W, "RPP").save(tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_refused(monkeypatch):
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'RP'"):
        win_rate_chart(W, "RP")
    with pytest.raises(lf.LexiframeError, match="expected all runs in order, found none of 'c'"):
        win_rate_chart(W, "RPP", order=["a", "b<b>"])
    real = builtins.__import__

    def without_altair(name, *rest):
        if name == "altair":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_altair)
    with pytest.raises(lf.LexiframeError, match="charts need Altair, which is not installed"):
        win_rate_chart(W, "RPP")
