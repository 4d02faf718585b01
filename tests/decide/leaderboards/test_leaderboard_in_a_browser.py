"""The page of a leaderboard in a browser: search, a click on a run, a click on a collection."""

import polars as pl
import pytest

import lexiframe as lf
from tests.core.views.report.test_report_in_a_browser import browser  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow


def test_the_page_answers_clicks(browser, tmp_path):  # noqa: F811
    x = pl.DataFrame(
        {
            "model": ["<b>a</b>", "b", "c", "d"],
            "news": [0.9, 0.4, 0.3, 0.45],
            "law": [0.6, 0.7, 0.2, 0.65],
            "sport": [0.7, 0.6, None, 0.5],
        }
    )
    with pytest.warns(lf.LexiframeWarning, match="cells without a value"):
        path = lf.leaderboard(x).report(tmp_path / "board.html")
    page, faults = browser.new_page(), []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text))
    page.goto(path.as_uri())
    assert page.inner_text("#count") == "3 of 3 runs"
    page.fill("#search", "B")
    assert page.locator("#ranking tr").count() == 2  # b, and the one with b in its name
    page.locator("#ranking tr").first.click()
    assert "0.9000" in page.inner_text("#run")
    page.locator("#collections tr[data-collection='news']").click()
    assert page.inner_text("#without").startswith("Without news: first")
    assert page.inner_text("#gaps") == "c: no result in sport"
    assert faults == []
    page.close()
