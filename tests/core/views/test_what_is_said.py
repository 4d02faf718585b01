"""Sentences and footnotes are true of every measure, collection and run that they name."""

import re

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.views.sentences.gains import first_test_rows
from lexiframe.decide.gates.deciding import _unchanged


def scores(*rows):
    """Scores of rows of run, measure and values."""
    return pl.DataFrame(
        [(run, f"q{n:02}", name, float(x)) for run, name, of in rows for n, x in enumerate(of)],
        ["run", "query_id", "measure", "value"],
        orient="row",
    )


MANY = np.linspace(0.1, 0.9, 1001)
TWO = scores(("a", "AP", MANY), ("b", "AP", MANY[::-1] ** 2), ("a", "P@1", [1.0, 0.0] * 8),
             ("b", "P@1", [0.0] * 16))  # fmt: skip


def test_max_t_by_name_shows_what_t_takes_the_place_of():
    named = lf.evaluate_scores(TWO, missing="own", correction="max_t")
    assert lf.verdict(named).equals(lf.verdict(lf.evaluate_scores(TWO, missing="own")))
    assert first_test_rows(named.comparisons, named.provenance["inference"]).height == 2


@pytest.mark.parametrize("measures", [None, ["P@1", "AP"], "P@1"])
def test_the_footnote_names_the_test_of_each_measure(measures):
    """Joint sign flips are not made of more than a thousand requests."""
    e = lf.evaluate_scores(TWO, missing="own")
    used = dict(e.comparisons.select("measure", "test").rows())
    assert used == {"AP": "t", "P@1": "randomization"}
    for said in (e.markdown(measures), e.latex(measures)):
        if measures == "P@1":
            assert "(paired randomisation test, step-down max-t over the one pair, " in said
        else:
            assert "paired t-test with Holm's correction for AP; " in said
            assert "paired randomisation test with step-down max-t for P@1; " in said
    line = "randomization test, max_t; t test, holm for AP; over the pairs of a measure"
    told = " ".join(str(e).split())
    assert line in told or "t test, holm; randomization test, max_t for P@1; over the" in told


def test_a_table_of_collections_has_the_runs_of_each():
    qrels = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": "d", "relevance": 1.0})
    run = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d", "e"], "score": 1.0})
    both = {"x": ({"a": run, "b": run, "c": run}, qrels), "y": ({"a": run, "z": run}, qrels)}
    e = lf.evaluate(both, None, ["RPP", "AP"])
    rows = [line for line in e.markdown().splitlines() if "collection = " in line]
    assert len(rows) == 5
    assert not any("—" in line for line in rows)
    assert "against the 1 to 2 other runs" in e.markdown()
    assert e.latex("RPP").count("z &") == 1


@pytest.mark.parametrize("name", ["RR_2", "RR2", "rr_2", "RR_10"])
def test_rr_with_a_number_is_a_cut_off_or_a_level(name):
    k = name.lower().strip("r_")
    with pytest.raises(
        lf.UnknownNameError, match=rf"has several meanings.*RR@{k} .*RR\(level={k}\)"
    ):
        lf.parse_measure(name)
    assert str(lf.parse_measure(f"mrr_{k}")) == f"RR@{k}"


def test_one_request_that_outweighs_all_others_is_not_too_few():
    rng = np.random.default_rng(3)
    a = rng.uniform(0.3, 0.6, 30)
    d = rng.normal(-0.002, 0.004, 30)
    d[4] = 0.5
    e = lf.evaluate_scores(scores(("a", "AP", a), ("b", "AP", a + d)), test="t")
    assert "too few" not in str(e) + lf.verdict(e)["sentence"][0]
    few = lf.evaluate_scores(scores(("a", "AP", a[:4]), ("b", "AP", a[:4] + d[4])), test="sign")
    assert "4 requests: too few" in str(few)


def test_who_asked_for_preferences_is_told_of_no_other_measure():
    queries = [f"q{n}" for n in range(12)]
    rows = [(q, f"d{n}", 1.0) for q in queries for n in range(8)]
    blind = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    seen = blind.with_columns(score=-pl.col("doc_id").str.slice(1).cast(pl.Float64))
    qrels = blind.filter(doc_id="d3").with_columns(relevance=1.0).drop("score")
    e = lf.evaluate({"blind": blind, "seen": seen}, qrels, "RPP")
    said = " ".join([str(e), *lf.verdict(e)["sentence"]])
    assert "blind has one score for all documents of a request, whose order is arbitrary." in said
    assert not re.search(r"\b(RR|nDCG|AP)\b", said)
    named = lf.evaluate({"blind": blind, "seen": seen}, qrels, ["RPP", "RR"])
    assert "whose order is arbitrary: its RR may be 0.125 to 1.000" in " ".join(str(named).split())


@pytest.mark.parametrize("require, n", [("not-worse", 4), ("not-worse", 12), ("equivalent", 6)])
def test_how_often_a_candidate_as_good_would_pass_is_so(require, n):
    """By simulation: normal differences around 0, of which the gate knows the spread."""
    margin, level = 0.8, 0.05
    x = np.random.default_rng(0).normal(0, 1, (20_000, n))
    half = stats.t.isf(level, n - 1) * x.std(axis=1, ddof=1) / np.sqrt(n)
    passes = x.mean(axis=1) - half > -margin
    if require == "equivalent":
        passes &= x.mean(axis=1) + half < margin
    half = stats.t.isf(level, n - 1) / np.sqrt(n)
    row = {"test": "t", "mean_difference": 0.0, "ci_low": -half, "deviation": 1.0}
    table = pl.DataFrame([row | {"margin": margin, "n": n, "alpha": level}])
    assert _unchanged(table, require, level)[0] == pytest.approx(passes.mean(), abs=0.012)
