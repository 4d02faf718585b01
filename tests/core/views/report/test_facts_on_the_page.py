"""What the page knows of tests, groups and marks, beside evaluations that have one of each."""

from itertools import product

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests.core.views.report.test_report import Page, collection
from tests.small_tables import scores

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

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


@pytest.mark.parametrize("turned", [False, True])
def test_each_request_is_in_its_group(tmp_path, turned):
    kinds = pl.DataFrame(
        {"query_id": [f"q{n}" for n in range(12)], "kind": [*"xyzx", None, "y"] * 2}
    )
    requests = kinds.reverse() if turned else kinds
    facts = (
        page := page_of(lf.evaluate(RUNS, QRELS, "AP", requests=requests, by="kind"), tmp_path)
    ).facts
    found = page.array(facts["queries"]["groups"]).tolist()
    named = dict(zip(facts["queries"]["ids"], (facts["groups"][n] for n in found), strict=True))
    said = dict(kinds.rows())
    assert len(named) == 12
    for query, group in named.items():
        assert group == ("no kind" if said[query] is None else f"kind = {said[query]}")


def test_marks_are_those_of_an_evaluation_with_this_test_and_correction_alone(tmp_path):
    rng = np.random.default_rng(3)
    base = rng.random(12)
    shifts = {"a": 0.0, "b": -0.03, "c": -0.08, "d": -0.2}
    runs = {run: base + shift + 0.1 * rng.standard_normal(12) for run, shift in shifts.items()}
    s = pl.concat([scores(runs, "AP"), scores({run: x**3 for run, x in runs.items()}, "RR")])
    every = page_of(lf.evaluate_scores(s, test=TESTS, correction=CORRECTIONS), tmp_path)
    all_marks, seen = every.table("marks"), set()
    for test, correction in product(TESTS, CORRECTIONS):
        one = lf.evaluate_scores(s, test=test, correction=correction)
        alone = page_of(one, tmp_path).table("marks").sort("measure", "run")
        found = all_marks.filter(test=test, correction=correction).sort("measure", "run")
        assert found.equals(alone)
        seen.add(tuple(found["mark"]))
    assert len(seen) > 1  # the tests and corrections differ in what they say


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
