"""What the page knows of tests, groups and marks, beside evaluations that have one of each."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests.core.views.report.test_report import Page, collection

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")]

RUNS, QRELS = collection("abcd", n_requests=12, seed=5)
TESTS, CORRECTIONS = ["wilcoxon", "t", "sign"], ["none", "holm"]


def page_of(e, folder):
    return Page(e.report(folder / "page.html"))


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_tests_are_in_the_order_asked_for(tmp_path, alternative):
    e = lf.evaluate(RUNS, QRELS, "AP", test=TESTS, alternative=alternative)
    names = page_of(e, tmp_path).facts["inference"]["tests"]
    assert [name.partition("(")[0] for name in names] == TESTS
    assert all(("greater" in name) == (alternative == "greater") for name in names)


@pytest.mark.parametrize("baseline", [None, "d"])
def test_of_many_runs_the_page_has_the_first(tmp_path, monkeypatch, baseline):
    e = lf.evaluate(RUNS, QRELS, ["AP", "RPP", "RR"], baseline=baseline)
    whole = page_of(e, tmp_path)
    monkeypatch.setattr("lexiframe.core.evaluation.page.RUNS_OF_PAGE", 2)
    best = e.orderings.group_by("run").agg(pl.col("rank").min()).sort("rank", "run")["run"]
    kept = sorted(best.head(2)) if baseline is None else sorted(["d", best.filter(best != "d")[0]])
    page = page_of(e, tmp_path)
    assert page.facts["runs"] == kept
    said = "The page has 2 of 4 runs, those with the best rank by any measure"
    assert any(said in sentence for sentences in page.facts["headlines"] for sentence in sentences)
    assert page.facts["headlines"][0][:-1] == whole.facts["headlines"][0]
    for name in ("means", "orderings", "win_rates", "comparisons", "coverage", "conclusions"):
        table = whole.table(name)
        named = [column for column in ("run", "run_a", "run_b") if column in table.columns]
        for column in named:
            table = table.filter(pl.col(column).is_in(kept))
        assert page.table(name).equals(table), name
    cells = {measure["name"]: measure["cells"] for measure in page.facts["measures"]}
    s = e.scores.filter(pl.col("run").is_in(kept), measure="AP")
    s = s.pivot("run", index="query_id", values="value").sort("query_id")
    assert np.array_equal(page.array(cells["AP"]["values"]).reshape(-1, 2), s[kept].to_numpy())
    names = dict(zip(("run_a", "run_b"), kept, strict=True))
    of_pair = e.preferences.filter(measure="RPP", **names).sort("query_id")["preference"]
    first, places, values = (page.array(cells["RPP"][n]) for n in ("first", "places", "different"))
    assert values[first[:-1].astype(int) + places].tolist() == of_pair.to_list()
    assert "Evaluation of 4 runs" in (tmp_path / "page.html").read_text(encoding="utf-8")
