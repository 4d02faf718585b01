"""The page of an evaluation shows intervals cut at the bounds of their measure, and says so."""

import pytest

import lexiframe as lf
from tests.core.views.report.test_report import Page
from tests.core.views.report.test_report_in_a_browser import Opened, browser
from tests.core.views.sentences.test_bounds import QRELS, RUNS

__all__ = ["browser"]
pytestmark = pytest.mark.slow
CUT = "Intervals end at the bounds of AP."
FEW = "With n = 2 requests intervals say little."


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Of three runs and two requests: the 95 % interval of a's AP is 0.75 ± 3.18."""
    e = lf.evaluate(RUNS, QRELS, "AP")
    return e.report(tmp_path_factory.mktemp("report") / "report.html")


def test_intervals_of_means_and_of_differences_are_cut(path):
    page = Page(path)
    means, differences = page.table("means"), page.table("comparisons")
    assert (means["ci_low"].min(), means["ci_high"].max()) == (0, 1)
    assert (differences["ci_low"].min(), differences["ci_high"].max()) == (-1, 1)
    notes = page.table("interval_notes")
    assert notes.group_by("table", maintain_order=True).agg("said").rows() == [
        ("means", [CUT, FEW]), ("comparisons", [CUT, FEW])
    ]  # fmt: skip


def test_a_single_run_says_it_in_its_sentence(tmp_path):
    page = Page(lf.evaluate(RUNS.filter(run="a"), QRELS, "AP").report(tmp_path / "r.html"))
    (said,) = page.table("conclusions")["sentence"]
    assert said == (
        "By AP, the mean of a over 2 requests is 0.7500 (95 % interval: 0.0000 to 1.0000; "
        "intervals end at the bounds of AP; with n = 2 requests intervals say little)."
    )


def test_a_reader_sees_it_where_intervals_are(browser, path):
    report = Opened(browser, path)
    page = report.page
    page.select_option("#choose-baseline", "b")
    for section in ("means", "pairs", "baseline"):
        said = page.locator(f"#{section}").inner_text()
        assert CUT in said, section
        assert FEW in said, section
    for table in ("of-measure", "against"):
        shown = report.frame(table)
        ends = [float(x.replace("−", "-")) for name in ("low", "high") for x in shown[name]]
        assert all(-1 <= end <= 1 for end in ends)
    report.context.close()
    assert report.faults == []


def test_intervals_inside_of_the_bounds_need_no_note(tmp_path):
    digits = lf.bundled("digits")
    runs = [digits / f"runs/{name}.parquet" for name in ("pca2_euclidean", "coarse2_manhattan")]
    page = Page(lf.evaluate(runs, digits / "qrels.parquet", "AP").report(tmp_path / "r.html"))
    assert page.facts["tables"]["interval_notes"]["n"] == 0
