"""Runs under several judges: the tables that one makes by hand, and what is left out."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests
from lexiframe.core.significance.concluded import CATEGORIES
from tests import oracle

QUERIES = [f"q{n}" for n in range(8)]
RUNS = ["x", "y", "z", "w"]
KINDS = pl.DataFrame({"query_id": QUERIES, "kind": [*"mnmnmnmn"]})


def collection():
    """Four runs of eight requests, and three judges who grade the same documents differently."""
    rng = np.random.default_rng(3)
    docs = [f"d{n}" for n in range(12)]
    runs = pl.DataFrame(
        [(run, q, d, rng.random() + n * (i % 3) / 9)
         for i, run in enumerate(RUNS) for q in QUERIES for n, d in enumerate(docs)],
        schema=["run", "query_id", "doc_id", "score"], orient="row",
    )  # fmt: skip
    truth = {(q, d): int(rng.integers(0, 3)) for q in QUERIES for d in docs}
    judges = {}
    for judge, noise in {"nist": 0.0, "b": 0.3, "a": 0.8}.items():
        grades = {k: int(rng.integers(0, 3)) if rng.random() < noise else g
                  for k, g in truth.items()}  # fmt: skip
        rows = [(q, d, float(g)) for (q, d), g in grades.items()]
        judges[judge] = pl.DataFrame(rows, ["query_id", "doc_id", "relevance"], orient="row")
    return runs, judges


C_RUNS, JUDGES = collection()


@pytest.fixture(scope="module")
def found():
    return lf.compare_judges(C_RUNS, JUDGES, ["AP", "nDCG@5", "RPP"], samples=30, seed=2)


def ranks(found, judge, measure):
    return dict(found.orderings.filter(judge=judge, measure=measure).select("run", "rank").rows())


@pytest.mark.slow
def test_correlations_and_shifts_are_those_of_the_ranks(found):
    taus = found.correlations.filter(method="kendall")
    assert taus.select("judge_a", "judge_b").unique(maintain_order=True).rows() == [
        ("b", "a"), ("nist", "a"), ("nist", "b"),
    ]  # fmt: skip
    for row in taus.iter_rows(named=True):
        x, y = (ranks(found, row[j], row["measure"]) for j in ("judge_a", "judge_b"))
        tau = kendalltau([x[run] for run in RUNS], [y[run] for run in RUNS]).statistic
        assert row["correlation"] == pytest.approx(tau)
        assert row["n"] == 4
        shifts = found.rank_shifts.filter(**{n: row[n] for n in ("judge_a", "judge_b", "measure")})
        assert dict(shifts.select("run", "shift").rows()) == {run: x[run] - y[run] for run in RUNS}
    both = found.correlations.filter(method="tau_ap", measure="AP")
    assert both.height == 6
    for row in both.iter_rows(named=True):
        truth, other = (ranks(found, row[j], "AP") for j in ("judge_a", "judge_b"))
        assert row["correlation"] == pytest.approx(oracle.tau_ap(truth, other))


@pytest.mark.slow
def test_where_smaller_is_better():
    """Whatever a judge is called."""
    judges = dict(zip(["nist", "AP", "ASL"], JUDGES.values(), strict=True))
    found = lf.compare_judges(C_RUNS, judges, "SL1", samples=5)
    for row in found.correlations.filter(method="tau_ap").iter_rows(named=True):
        truth, other = (ranks(found, row[j], "SL1") for j in ("judge_a", "judge_b"))
        assert row["correlation"] == pytest.approx(oracle.tau_ap(truth, other))
    lengths = lf.scores(lf.positions(C_RUNS, JUDGES["b"]), ["SL1"])
    shortest = lengths.group_by("run").agg(pl.col("value").mean()).sort("value")["run"][0]
    assert ranks(found, "AP", "SL1")[shortest] == 1


def test_intervals_draw_the_same_requests_for_all_judges(found):
    means = {}
    for judge, qrels in JUDGES.items():
        s = lf.scores(lf.positions(C_RUNS, qrels), ["AP"]).sort("run", "query_id")
        means[judge] = s["value"].to_numpy().reshape(4, 8) @ drawn_requests(8, 30, 2).T
    taus = [kendalltau(x, y).statistic for x, y in zip(means["nist"].T, means["a"].T, strict=True)]
    row = found.correlations.filter(
        method="kendall", measure="AP", judge_a="nist", judge_b="a"
    ).row(0, named=True)
    half = 2 * np.quantile(np.abs(np.array(taus) - row["correlation"]), 0.95)
    expected = max(-1, row["correlation"] - half), min(1, row["correlation"] + half)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected)


@pytest.mark.slow
def test_requests_that_a_judge_lacks_are_counted_and_left_out_for_all():
    lacking = JUDGES["b"].filter(pl.col("query_id") != "q1")
    nothing = pl.col("relevance") * (pl.col("query_id") != "q2")
    judges = JUDGES | {"b": lacking, "a": JUDGES["a"].with_columns(relevance=nothing)}
    with (
        pytest.warns(lf.LexiframeWarning, match=r"nothing relevant for: 2 \('q1', 'q2'\)"),
        pytest.warns(lf.LexiframeWarning, match="rankings for requests without judgments, ignored"),
    ):
        table = lf.compare_judges(C_RUNS, judges, "AP", samples=5)
    assert table.judges.rows() == [
        ("a", 8, 0, 1, 96, 6), ("b", 7, 1, 0, 84, 6), ("nist", 8, 0, 0, 96, 6),
    ]  # fmt: skip
    assert table.comparisons["n"].unique().to_list() == [6]
    kept = {j: q.filter(~pl.col("query_id").is_in(["q1", "q2"])) for j, q in JUDGES.items()}
    runs = C_RUNS.filter(~pl.col("query_id").is_in(["q1", "q2"]))
    same = lf.compare_judges(runs, kept, "AP", samples=5)
    assert table.comparisons.equals(same.comparisons)
    assert table.correlations.equals(same.correlations)
    with pytest.warns(lf.LexiframeWarning):
        zeros = lf.compare_judges(C_RUNS, judges, "AP", samples=5, no_relevant="zero")
    assert zeros.comparisons["n"].unique().to_list() == [7]
    none = JUDGES | {"a": JUDGES["a"].with_columns(relevance=pl.lit(0.0))}
    with pytest.raises(
        lf.LexiframeError, match="a request that all judges judged and found a rele"
    ):
        lf.compare_judges(C_RUNS, none, "AP")


def test_a_greater_rel_of_a_measure_counts_too():
    low = JUDGES["a"].with_columns(
        relevance=pl.when(query_id="q3").then(pl.col("relevance").clip(0, 1)).otherwise("relevance")
    )
    with (
        pytest.warns(lf.LexiframeWarning, match=r"1 \('q3'\)"),
        pytest.warns(lf.LexiframeWarning, match="without judgments"),
    ):
        found = lf.compare_judges(
            C_RUNS, JUDGES | {"a": low}, ["AP(rel=1)", "P(rel=2)@3"], samples=5
        )
    assert found.comparisons["n"].unique().to_list() == [7]
    assert found.judges.filter(judge="a")["without_relevant"].item() == 1
    with pytest.raises(lf.LexiframeError, match=r"AP\(rel=1\) counts grades from 1, but rel=2"):
        lf.compare_judges(C_RUNS, JUDGES, "AP(rel=1)", rel=2)


@pytest.mark.slow
def test_groups_of_requests_and_a_baseline():
    how = {"samples": 5, "baseline": "x"}
    table = lf.compare_judges(C_RUNS, JUDGES, ["AP", "LP"], requests=KINDS, by="kind", **how)
    for name, part in table.tables().items():
        assert (part.columns[0] == "kind") == (name != "judges"), name
    some = {j: q.filter(pl.col("query_id").is_in(QUERIES[::2])) for j, q in JUDGES.items()}
    alone = lf.compare_judges(C_RUNS.filter(pl.col("query_id").is_in(QUERIES[::2])), some,
                              ["AP", "LP"], **how)  # fmt: skip
    for name, part in alone.tables().items():
        if name != "judges":
            assert table.tables()[name].filter(kind="m").drop("kind").equals(part), name
    assert alone.comparisons["run_b"].unique().to_list() == ["x"]
    assert alone.conclusions["tau"].null_count() == 6
    with pytest.raises(lf.LexiframeError, match="expected attributes of requests, found none"):
        lf.compare_judges(C_RUNS, JUDGES, "AP", by="kind")


@pytest.mark.slow
def test_measures_of_judged_items_pools_and_subtopics():
    """Each has positions of its own; the values are those of the functions."""
    judges = {j: q.with_columns(subtopic=pl.col("doc_id").str.tail(1)) for j, q in JUDGES.items()}
    measures = ["bpref", "strec@5", "ST-RPP", "AP"]
    table = lf.compare_judges(C_RUNS, judges, measures, samples=5)
    assert table.orderings["measure"].unique().sort().to_list() == sorted(measures)
    p = lf.positions(C_RUNS, judges["b"], judged=True)
    expected = lf.order_runs(lf.scores(p, ["bpref"]))
    assert table.orderings.filter(judge="b", measure="bpref").drop("judge").equals(expected)


def test_wrong_arguments_are_refused_before_anything_is_read():
    wrong = {"test": "expected test to be one of", "order": "method to be one of",
                        "samples": "samples to be a whole number"}  # fmt: skip
    for name, said in wrong.items():
        with pytest.raises(lf.LexiframeError, match=said):
            lf.compare_judges("nowhere", {"a": "x", "b": "y"}, "AP", **{name: "0"})


def test_language_models_order_the_runs_of_deep_passages_as_scipy_says(shared):
    """The five judges of a real track; what follows from them is in the notebook on judges."""
    folder = shared / "data" / "trec_dl_2019_passage"
    runs = lf.read_runs([*sorted((folder / "runs").iterdir())][:12])
    judges = {"nist": folder / "qrels.trec"}
    judges |= {path.stem: path for path in sorted((folder / "judges").iterdir())}
    found = lf.compare_judges(runs, judges, "nDCG@10", samples=20)
    means = {
        judge: dict(part.select("run", "value").rows())
        for (judge,), part in found.orderings.partition_by("judge", as_dict=True).items()
    }
    names = [*means["nist"]]
    taus = found.correlations.filter(method="kendall")
    assert taus.height == 15
    for a, b, tau in taus.select("judge_a", "judge_b", "correlation").rows():
        x, y = ([means[judge][run] for run in names] for judge in (a, b))
        assert tau == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)
    conclusions = found.conclusions.select("tau", "n_pairs", pl.sum_horizontal(*CATEGORIES))
    assert conclusions.select(pl.exclude("tau")).unique().rows() == [(66, 66)]
    assert conclusions["tau"].to_list() == pytest.approx(taus["correlation"].to_list())


def test_repeated_judgments_and_pairs_without_a_better_run():
    runs = {
        "x": {"q1": {"d1": 2, "d2": 1}, "q2": {"d1": 1, "d2": 2}},
        "y": {"q1": {"d1": 1, "d2": 2}, "q2": {"d1": 2, "d2": 1}},
    }
    once = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "relevance": [2.0, 2.0]})
    twice = pl.concat([once, once[:1].with_columns(relevance=1.0)])
    with pytest.raises(lf.LexiframeError, match="judge 'b'"):
        lf.compare_judges(runs, {"a": once, "b": twice}, "AP", samples=2)
    with pytest.warns(lf.LexiframeWarning, match="repeated a document, removed: 1"):
        found = lf.compare_judges(runs, {"a": once, "b": twice}, "AP", samples=2, duplicates="best")
    in_short = next(iter(found.sections().values()))
    assert in_short.select("pairs", "found", "missed", "invented").row(0) == (1, 0, 0, 0)
    assert found.conclusions["TIE"].to_list() == [1]
