"""`compare_judges` on scores: the tables of the judgments they come from, and what is left out."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau, spearmanr

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests
from tests import oracle
from tests.decide.judges.test_compare_judges import C_RUNS, JUDGES, KINDS

pytestmark = pytest.mark.slow  # its room has quicker tests

SCORES = {
    judge: lf.scores(lf.positions(C_RUNS, qrels), ["AP", "SL1"]) for judge, qrels in JUDGES.items()
}


def compared(judges=SCORES, measures="AP", **how):
    return lf.compare_judges(None, judges, measures, **{"samples": 20} | how)


@pytest.fixture(scope="module")
def nuggets(shared):
    folder = shared / "conformance" / "nuggets"
    scores = pl.read_parquet(folder / "scores.parquet")
    judges = {judge: scores.filter(judge=judge).drop("judge") for judge in ("people", "auto")}
    return judges, json.loads((folder / "facts.json").read_text())


def test_runs_and_their_scores_give_the_same_tables():
    how = {"samples": 20, "seed": 3, "test": "sign", "by": "kind", "requests": KINDS}
    of_runs = lf.compare_judges(C_RUNS, JUDGES, ["AP", "SL1"], **how)
    of_scores = compared(measures=["AP", "SL1"], **how)
    for name, table in of_scores.tables().items():
        if name not in ("agreement", "judges"):
            assert table.equals(of_runs.tables()[name]), name
    assert of_scores.agreement.rows() == []
    assert of_scores.agreement.columns == of_runs.agreement.columns
    assert of_scores.verdict.equals(of_runs.verdict)
    assert [*of_scores.sections()] == [*of_runs.sections()][:1]
    assert of_scores.judges.rows() == [(judge, 8, 0, None, None, 8) for judge in sorted(SCORES)]


def test_correlations_of_independent_loops(nuggets):
    judges, facts = nuggets
    found = compared(judges, [*facts["tau_b"]], top=5, samples=5).correlations
    for name, method in (("tau_b", "kendall"), ("tau_b_top5", "kendall(top=5)")):
        taus = dict(found.filter(method=method).select("measure", "correlation").rows())
        assert taus == pytest.approx(facts[name], abs=1e-9)
    assert found.filter(method="kendall(top=5)")["n"].unique().to_list() == [5]


def means_of(judge, weights=None):
    table = SCORES[judge].filter(measure="AP").sort("run", "query_id")
    values = table["value"].to_numpy().reshape(4, 8)
    return values @ (np.ones((8, 1)) / 8 if weights is None else weights.T / 8)


def test_each_correlation_has_an_interval_over_requests_drawn_jointly():
    found = compared(seed=5).correlations.filter(judge_a="nist", judge_b="a")
    assert found["method"].to_list() == ["kendall", "spearman", "tau_ap"]
    drawn = drawn_requests(8, 20, 5)
    for method, of in (("kendall", kendalltau), ("spearman", spearmanr)):
        whole = of(means_of("nist")[:, 0], means_of("a")[:, 0]).statistic
        samples = [
            of(x, y).statistic
            for x, y in zip(means_of("nist", drawn).T, means_of("a", drawn).T, strict=True)
        ]
        half = 2 * np.quantile(np.abs(np.array(samples) - whole), 0.95)
        row = found.filter(method=method).row(0, named=True)
        assert row["correlation"] == pytest.approx(whole)
        expected = max(-1, whole - half), min(1, whole + half)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)


def test_the_best_by_the_first_judge_with_those_that_tie_with_the_last():
    of = {"a": [4, 3, 3, 1, 0], "b": [0, 2, 3, 4, 1]}
    requests = pl.DataFrame({"query_id": ["1", "2"], "measure": "AP"})
    judges = {
        judge: pl.DataFrame({"run": [*"vwxyz"], "value": values}).join(requests, how="cross")
        for judge, values in of.items()
    }
    best = compared(judges, top=2).correlations.filter(method="kendall(top=2)")
    tau = kendalltau(of["a"][:3], of["b"][:3]).statistic
    assert best.select("judge_a", "judge_b", "n").rows() == [("a", "b", 3)]
    assert best["correlation"].item() == pytest.approx(tau)
    assert set(compared(top=2).correlations.filter(method="kendall(top=2)")["judge_a"]) == {"nist"}
    for top in (1, 0):
        with pytest.raises(lf.LexiframeError, match=f"top to be 2 or more runs, found {top}"):
            compared(top=top)


def test_measures_of_other_names_and_where_smaller_is_better():
    other = SCORES["b"].with_columns(measure=pl.col("measure") + "!")
    judges = {"nist": SCORES["nist"], "b": other.drop("smaller_is_better", strict=False)}
    judges["b"] = judges["b"].with_columns(smaller_is_better=pl.col("measure") == "SL1!")
    named = compared(judges, {"nist": ["SL1", "AP"], "b": ["SL1!", "AP!"]})
    assert [*named.verdict["measure"]] == ["SL1/SL1!", "AP/AP!"]  # in the order of the call
    same = compared({judge: SCORES[judge] for judge in ("nist", "b")}, ["SL1", "AP"])
    for name in ("orderings", "correlations", "comparisons", "conclusions", "rank_shifts"):
        of_names = ["measure", "^ci_(low|high)$"]  # no bounds are known of other names
        table, expected = (f.tables()[name].select(pl.exclude(of_names)) for f in (named, same))
        assert table.equals(expected), name
    row = same.correlations.filter(measure="SL1", method="tau_ap", judge_a="b").row(0, named=True)
    ranks = [
        dict(same.orderings.filter(judge=j, measure="SL1").select("run", "rank").rows())
        for j in ("b", "nist")
    ]
    assert row["correlation"] == pytest.approx(oracle.tau_ap(*ranks))


def test_what_a_judge_lacks_is_left_out_for_all_and_named():
    lacks = {
        "b": SCORES["b"].filter(pl.col("run") != "w"),
        "a": SCORES["a"].filter(pl.col("query_id") != "q7"),
    }
    with pytest.warns(lf.LexiframeWarning, match=r"runs: 1 \('w'\); requests: 1 \('q7'\)"):
        found = compared(SCORES | lacks)
    assert found.left_out.rows() == [("a", "AP", None, "q7"), ("b", "AP", "w", None)]
    kept = {
        j: s.filter(pl.col("run") != "w", pl.col("query_id") != "q7") for j, s in SCORES.items()
    }
    assert found.comparisons.equals(compared(kept).comparisons)
    assert found.correlations.equals(compared(kept).correlations)
    assert found.judges.rows() == [
        ("a", 7, 1, None, None, 7), ("b", 8, 0, None, None, 7), ("nist", 8, 0, None, None, 7),
    ]  # fmt: skip


def test_a_score_without_a_value_is_no_0():
    """What it means that a run lacks a request by all judges has to be said, as everywhere."""
    is_gap = (pl.col("run") == "x") & (pl.col("query_id") == "q3")
    holed = SCORES["b"].with_columns(value=pl.when(~is_gap).then("value"))
    judges = SCORES | {"b": holed}
    with pytest.warns(lf.LexiframeWarning, match="single scores: 1"):
        found = compared(judges, missing="own")
    assert found.left_out.rows() == [("b", "AP", "x", "q3")]
    kept = SCORES["nist"].filter(~is_gap, measure="AP", run="x")["value"].mean()
    of_x = found.orderings.filter(judge="nist", run="x")["value"].item()
    assert of_x == pytest.approx(kept)
    with pytest.warns(lf.LexiframeWarning, match="single scores: 1"):
        common = compared(judges, missing="common")
    assert common.comparisons["n"].unique().to_list() == [7]
    with (
        pytest.warns(lf.LexiframeWarning, match="single scores"),
        pytest.raises(lf.LexiframeError, match="expected values of AP for the same requests of"),
    ):
        compared(judges)


def test_requests_left_out_of_judgments_are_named_too():
    judges = {"nist": JUDGES["nist"], "b": JUDGES["b"].filter(pl.col("query_id") != "q1")}
    with (
        pytest.warns(lf.LexiframeWarning, match="requests left out"),
        pytest.warns(lf.LexiframeWarning, match="rankings for requests without judgments"),
    ):
        found = lf.compare_judges(C_RUNS, judges, "AP", samples=2, requests=KINDS, by="kind")
    assert found.left_out.rows() == [("n", "b", None, None, "q1")]


def test_what_is_refused():
    with pytest.raises(lf.LexiframeError, match="rel, depth says how runs and judgments are read"):
        compared(rel=2, depth=3)
    with pytest.raises(lf.LexiframeError, match="missing says what gaps in scores mean"):
        lf.compare_judges(C_RUNS, JUDGES, "AP", missing="own")
    with pytest.raises(lf.LexiframeError, match="expected at least two judges, found 1"):
        compared({"a": SCORES["a"]})
    with pytest.raises(lf.LexiframeError, match=r"unknown measure 'RR'.*\(judge 'nist'\)"):
        compared(measures="RR")
    with pytest.raises(lf.LexiframeError, match=r"judge 'x': .*nowhere\.csv"):
        compared(SCORES | {"x": "nowhere.csv"})


def test_judges_have_as_many_measures():
    with pytest.raises(lf.LexiframeError, match="as many measures of each judge, found"):
        compared(measures={judge: ["AP", "SL1"][: 1 + (judge == "a")] for judge in SCORES})


def test_the_sentence_names_the_order_of_the_best(nuggets):
    judges, _ = nuggets
    said = compared(judges, "NuggetRecall", top=5, samples=5).verdict["sentence"].item()
    assert "among the 5 best by people" in said
    assert "best by" not in compared(judges, "NuggetRecall", samples=5).verdict["sentence"].item()
