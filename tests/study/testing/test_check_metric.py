"""Is a measure sound: what is found of measures that are, and of some that are not."""

import re
import sys

import polars as pl
import pytest
from hypothesis import given, settings

import lexiframe as lf
from lexiframe.study.testing import invariances
from lexiframe.testing import MetricCheck, check_metric, collections

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "name", ["AP", "RR", "nDCG@10", "RBP(p=0.5)", "P@5", "RPP", "LR", "LP", "RR>LP"]
)
def test_measures_of_the_catalogue_are_sound(name):
    found = check_metric(name)
    assert isinstance(found, MetricCheck)
    assert found.is_sound, found.checks
    assert found.checks["holds"].null_count() <= 1
    assert found.verdict["sentence"][0].startswith(f"{name} has the same values in whatever form")


def test_properties_are_those_of_theory_with_rankings_drawn():
    found = check_metric("RR", n=5)
    wanted = lf.theory.axioms("RR", 5, [1, 2])
    assert (
        found.properties.head(-2)
        .select("property", "holds")
        .equals(wanted.select("property", "holds"))
    )
    rows = dict(found.properties.select("property", "counterexample").rows())
    assert rows["strictly increasing in swapping up"] == "RR--- is not above R-R--"
    assert rows["increasing in swapping up"] is None
    text = str(found.summary("all"))
    for title in ("two rankings for each", "same data in another form", "Ties of random rankings"):
        assert title in text


def test_a_metric_that_is_not_top_heavy():
    strict = lf.RecallLevelMetric("strict", lambda p: 1 / p, weight=lambda i, m: 1 / m**2)
    row = check_metric(strict).properties.filter(property="top-heavy").row(0, named=True)
    assert not row["holds"]
    assert row["counterexample"] == "RR---- has 0.375, -R---- alone 0.5"
    heavy = check_metric("AP").verdict["sentence"][1]
    assert heavy.endswith("It is top-heavy.")
    assert check_metric("LR").properties.filter(property="top-heavy")["holds"].item() is None


def test_what_orders_rankings_in_circles():
    for name in ("RR>AP", "LR>P@2"):
        assert "It is a total preorder" in check_metric(name, n=5).verdict["sentence"][1]
    found = check_metric("RPP>AP").properties.filter(property="total preorder").row(0, named=True)
    assert not found["holds"]
    first, second, _, third = re.findall("[R-]{6}", found["counterexample"])[:4]
    runs = {}
    for name, drawn in zip("abc", (first, second, third), strict=True):
        relevant = iter("xyz")
        documents = [next(relevant) if item == "R" else f"u{n}" for n, item in enumerate(drawn)]
        runs[name] = {"q": {document: -n for n, document in enumerate(documents)}}
    p = lf.positions(runs, {"q": dict.fromkeys("xyz"[: first.count("R")], 1)})
    a_and_b, a_and_c, b_and_c = lf.preferences(p, "RPP>AP")["preference"]
    assert a_and_b >= 0
    assert b_and_c >= 0 > a_and_c


def test_ties_stand_beside_those_of_others():
    ties = check_metric("P@5").ties
    assert ties["measure"].unique(maintain_order=True).to_list() == ["P@5", "AP", "RR"]
    rates = {(m, k): rate for m, k, _, rate in ties.rows()}
    assert rates["AP", 100] < rates["RR", 100] < rates["P@5", 100]
    one = lf.theory.simulate_ties("AP", 100, [10, 100], 2000, m=(1, 10))
    assert rates["AP", 100] == one.filter(depth=100)["tie_rate"].item()


def test_bounds_that_are_broken():
    wrong = lf.RecallLevelMetric(
        "wrong", lambda p: 1 / p, weight=lambda i, m: 1 / m, bounds="0 to 0.1"
    )
    found = check_metric(wrong)
    assert not found.is_sound
    row = found.checks.row(0, named=True)
    assert not row["holds"]
    assert "is not within 0 to 0.1" in row["counterexample"]
    assert found.checks["holds"].to_list()[1:] == [True] * 6
    assert "is not sound: values are finite and within the bounds" in found.verdict["sentence"][0]


@pytest.mark.parametrize("name", ["AP", "RPP"])
def test_each_check_sees_another_value(name):
    """Against values of which one was changed none but the cut-off and the bounds holds."""
    measure = lf.parse_measure(name)
    of = invariances._random(0)
    values = invariances._measure_values(measure, of)
    first = pl.int_range(pl.len()) == 0
    changed = values.with_columns(
        value=pl.when(first).then(pl.col("value") + 1e-6).otherwise("value")
    )
    for check, function in invariances.CHECKS.items():
        if "bounds" in check or "@" in check:
            continue
        assert function(measure, of, values) == (True, None), check
        holds, words = function(measure, of, changed)
        assert not holds, check
        assert words.startswith(", ".join(map(str, values.row(0)[:-1])))
    shorter = invariances._same(measure, values, values.slice(1))
    assert not shorter[0]


def test_what_is_refused():
    with pytest.raises(lf.LexiframeError, match="check_metric: expected one measure, found AP, RR"):
        check_metric("AP RR")
    with pytest.raises(lf.LexiframeError, match="expected n from 2, found 1"):
        check_metric("AP", n=1)
    for name in ("bpref", "alpha-nDCG@5"):
        with pytest.raises(lf.LexiframeError, match="measure of the relevant items of a ranking"):
            check_metric(name)
    with pytest.raises(lf.LexiframeError, match=r"of all positive grades, found AP.rel=2.*without"):
        check_metric("AP(rel=2)")
    mine = lf.RecallLevelMetric("mine", exposure=lambda p: "high", weight=lambda i, m: 1 / m)
    with pytest.raises(TypeError, match=r"mine: expected a Polars expression or a number.*'high'"):
        check_metric(mine)


@given(collections(runs=2, requests=2))
@settings(deadline=None, max_examples=30)
def test_collections_can_be_evaluated(collection):
    runs, qrels = collection
    assert runs.columns == ["run", "query_id", "doc_id", "score"]
    assert runs["run"].n_unique() <= 2
    p = lf.positions(runs, qrels)
    assert p["run"].n_unique() == runs["run"].n_unique()
    assert p["query_id"].n_unique() == qrels["query_id"].n_unique()
    assert lf.scores(p, "AP")["value"].is_between(0, 1).all()


def test_strategies_that_are_refused(monkeypatch):
    with pytest.raises(lf.LexiframeError, match="runs and requests from 1, found 0 and 3"):
        collections(runs=0)
    with pytest.raises(lf.LexiframeError, match="expected a grade above 0"):
        collections(grades=[0.0, -1.0])
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(lf.LexiframeError, match="it comes with the extra testing"):
        collections()
