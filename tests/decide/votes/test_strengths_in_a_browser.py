"""The page of strengths in a browser: a click on a run shows it beside every other."""

import polars as pl
import pytest

import lexiframe as lf
from tests.core.views.report.test_report_in_a_browser import browser  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow

ROWS = [
    ("1", "<b>x</b>", "y", "left", "ann"), ("1", "y", "z", "left", "ann"),
    ("2", "<b>x</b>", "z", "tie", "bob"), ("2", "<b>x</b>", "y", "right", "bob"),
    ("3", "z", "y", "left", "ann"), ("3", "<b>x</b>", "y", "left", "bob"),
]  # fmt: skip


def test_the_page_answers_clicks(browser, tmp_path):  # noqa: F811
    names = ["query_id", "left", "right", "winner", "judge"]
    v = lf.read_preferences(pl.DataFrame(ROWS, schema=names, orient="row"))
    b = lf.bradley_terry(v)
    path = lf.views.strength_report(b, tmp_path / "strengths.html", v)
    page, faults = browser.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text))
    page.goto(path.as_uri())
    assert page.inner_text("h1") == "Strengths of 3 runs"
    assert "This rests on 6 judgments in 3 requests by 2 judges" in page.inner_text("#said")
    assert page.inner_text("#count") == "3 of 3 runs"
    assert not page.is_visible("#rules")
    assert not page.is_visible("#of-collections")
    assert not page.is_visible("#left")
    page.locator("#ranking tr[data-run='y']").click()
    cells = page.locator("#run tr").nth(1).locator("td").all_inner_texts()
    pair = b.pairs.filter(run_a="<b>x</b>", run_b="y").row(0, named=True)
    assert cells[:3] == ["<b>x</b>", "3", f"{1 - pair['observed_share']:.4f}"]
    assert cells[5] == f"{pair['p_b_wins']:.4f}"
    assert cells[6] == f"{-pair['difference']:.4f}"
    assert "What the run that was shown first won" in page.inner_text("#tables")
    assert faults == []
    page.close()


def test_what_are_no_strengths_is_refused(tmp_path):
    names = ["query_id", "left", "right", "winner", "judge"]
    v = lf.read_preferences(pl.DataFrame(ROWS, schema=names, orient="row"))
    with pytest.raises(lf.LexiframeError, match="what bradley_terry returns, found StatedPref"):
        lf.views.strength_report(v, tmp_path / "page.html")
    assert not [*tmp_path.iterdir()]
    without = v.judgments.with_columns(first=pl.lit(None, pl.String))
    found = lf.bradley_terry(without)
    read = lf.read_preferences(without.drop("first"))
    page = lf.views.strength_report(found, tmp_path / "page.html", read).read_text("utf-8")
    assert "shown first" not in page
