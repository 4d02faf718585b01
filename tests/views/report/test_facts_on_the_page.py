"""What the page knows of tests, groups and marks, beside evaluations that have one of each."""

from itertools import product

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import scores
from tests.views.report.test_report import Page, collection

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
