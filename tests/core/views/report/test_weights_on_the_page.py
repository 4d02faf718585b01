"""What the page says of weights, and its curves."""

import re

import pytest

import lexiframe as lf
from tests.core.views.report.test_report import Page, collection

RUNS, QRELS = collection("ab", n_requests=6, seed=5)
WEIGHTS = {q: 1.0 + n for n, q in enumerate(QRELS["query_id"].unique().sort())}


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_the_page_names_the_weights(tmp_path):
    e = lf.evaluate(RUNS, QRELS, ["AP", "RPP"], weights=WEIGHTS)
    page = Page(e.report(tmp_path / "page.html"))
    assert page.facts["notes"]["byWeight"] == " by weight"
    assert page.facts["notes"]["once"] == "Not weighed: each request counts once."
    said = "By weight, 6 requests tell as much as n* = 4.85 that count alike; the heaviest"
    assert any(said in one for one in page.facts["headlines"][0])
    wins = page.table("win_rates").filter(measure="RPP")
    assert wins["half_wins"].to_list() == pytest.approx(
        e.win_rates.filter(measure="RPP")["win_rate"].to_list()
    )
    assert page.table("means")["n_effective"].to_list() == e.means["n_effective"].to_list()
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    (part,) = re.findall(r'<section class="scroll" id="weights".*?</section>', text, re.DOTALL)
    assert part.count("<polyline") == 2  # of AP: two runs
    assert said in part


def test_a_page_without_weights_has_no_such_part(tmp_path):
    e = lf.evaluate(RUNS, QRELS, "AP")
    page = Page(e.report(tmp_path / "page.html"))
    assert page.facts["notes"]["byWeight"] == page.facts["notes"]["once"] == ""
    assert 'id="weights"' not in (tmp_path / "page.html").read_text(encoding="utf-8")
