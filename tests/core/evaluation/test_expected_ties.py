"""Evaluations over all orders of equal scores: coverage, deviations, what is kept, what is said."""

import math
import warnings

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.evaluation.buckets.results import BucketResult

MEASURES = ["AP", "RR", "nDCG@10", "ERR@10", "RPP", "LR"]
"""Of all kinds: with a deviation, and without one (ERR)."""
HOW = {"ties": "expected", "test": "t", "correction": "holm"}
NO_FORM = "{} has no closed form over tied orders; choose an order (ties=) or lf.tie_spread"


def collection(n_runs=3, seed=1, n_requests=8):
    """Runs whose lists of twelve documents have three scores."""
    rng = np.random.default_rng(seed)
    ids = [f"d{n:02}" for n in range(20)]
    qrels = {f"q{q}": {d: int(rng.integers(0, 3)) for d in ids} for q in range(n_requests)}
    runs = {
        f"r{n}": {
            q: {str(d): float(rng.integers(0, 3)) for d in rng.permutation(ids)[:12]} for q in qrels
        }
        for n in range(n_runs)
    }
    return runs, qrels


@pytest.fixture(scope="module")
def data():
    return collection()


@pytest.fixture(scope="module")
def e(data):
    return lf.evaluate(*data, MEASURES, **HOW)


def same(one, other, *left_out):
    """Whether two evaluations have equal tables and say the same."""
    ours, theirs = one.tables(), other.tables()
    assert ours.keys() - {*left_out} == theirs.keys() - {*left_out}
    for name in ours.keys() - {*left_out}:
        assert ours[name].equals(theirs[name]), name
    return str(one) == str(other) and one.verdict.equals(other.verdict)


def test_coverage_counts_tied_documents_by_hand():
    """Of q1 b, c and d tie, of q2 nothing, of the unjudged q3 everything."""
    runs = {
        "x": {
            "q1": {"a": 3, "b": 2, "c": 2, "d": 2, "e": 1},
            "q2": {"a": 2, "b": 1},
            "q3": {"a": 1, "b": 1, "c": 1, "d": 1},
        },
        "y": {"q1": {"a": 1}},
    }
    qrels = {"q1": {"b": 1, "z": 0}, "q2": {"a": 1}}
    counts = ["run", "retrieved", "tied", "largest_tie"]
    c = lf.coverage(runs, qrels, ties="expected")
    assert c[counts].rows() == [("x", 7, 3, 3), ("y", 1, 0, 1)]
    cut = lf.coverage(runs, qrels, ties="expected", depth=3)
    assert cut[counts].rows() == [("x", 5, 2, 3), ("y", 1, 0, 1)]
    assert c.drop("tied", "largest_tie").equals(lf.coverage(runs, qrels))


@pytest.mark.parametrize(
    "measure", ["infAP", "gm_map", "IPrec@0.5", "LR.rank", "Compat", "WC(AP)", "RR>AP", "G"]
)
def test_a_measure_without_closed_form_is_refused_before_runs_are_read(measure):
    with pytest.raises(lf.LexiframeError) as error:
        lf.evaluate("nowhere", "nowhere", ["AP", measure], ties="expected")
    assert str(error.value) == NO_FORM.format(measure)


PROVIDERS = pl.DataFrame({"doc_id": [f"d{n:02}" for n in range(20)], "provider": "x"})


def zeros(p):
    n = p["run"].n_unique()
    return np.zeros((n, n))


def test_tables_of_positions_and_functions_of_whole_lists_are_refused(data, e):
    p = lf.positions(*data, ties="expected")
    items = lf.read_items(pl.DataFrame({"doc_id": ["d00"], "users": [3]}), users=4)
    refused = {
        "IPrec@0.5": lambda: lf.scores(p, "IPrec@0.5"),
        "tie_profile": lambda: lf.tie_profile(p),
        "provider_exposure": lambda: lf.provider_exposure(p, PROVIDERS),
        "rarity": lambda: lf.theory.rarity(p, 100),
        "fit_users": lambda: lf.theory.fit_users(p, e.preferences),
        "zeros": lambda: lf.preferences(p, zeros),
        "RR>AP": lambda: lf.preferences(p, ["LR", "RR>AP"]),
        "Jaccard@10": lambda: lf.overlap(data[0], ties="expected"),
        "RBO(p=0.9)": lambda: lf.contrasting(data[0], "r0", "r1", ties="expected"),
        "OI": lambda: lf.interleaving(*data, ties="expected"),
        "unjudged": lambda: lf.unjudged(*data, ties="expected"),
        "swap_gains": lambda: lf.swap_gains(*data, ["RPP"], ties="expected"),
        "degradation": lambda: lf.degradation(*data, ["RPP"], ties="expected"),
        "hole_sensitivity": lambda: lf.hole_sensitivity(*data, ["P@10"], ties="expected"),
        "Novelty@2": lambda: lf.list_scores(data[0], "Novelty@2", items, ties="expected"),
        "Coverage@2": lambda: lf.catalogue(data[0], "Coverage@2", items, ties="expected"),
    }
    for name, function in refused.items():
        with pytest.raises(lf.LexiframeError) as error:
            function()
        assert str(error.value) == NO_FORM.format(name)


def test_positions_have_both_ends_of_groups_or_neither(data):
    p = lf.positions(*data, ties="expected")
    for lacking in ("tied_from", "tied_to"):
        for function in (lf.scores, lf.preferences):
            with pytest.raises(lf.SchemaError, match=f"; {lacking} is missing"):
                function(p.drop(lacking), "AP")


def test_means_have_the_deviation_of_independent_requests(e, data):
    """√Σ sd² / n; null where it is null in a request, and for preferences."""
    p = lf.positions(*data, ties="expected")
    assert lf.scores(p, MEASURES[:4]).equals(e.scores)
    for run, measure, sd in e.means["run", "measure", "ties_sd"].rows():
        of_each = e.scores.filter(run=run, measure=measure)["ties_sd"]
        if measure in ("ERR@10", "RPP", "LR"):
            assert sd is None
        else:
            assert sd == pytest.approx(math.sqrt(sum(x**2 for x in of_each)) / len(of_each))
    s = e.scores.with_columns(ties_sd=pl.when(pl.col("query_id") != "q0").then("ties_sd"))
    assert lf.evaluate_scores(s).means["ties_sd"].null_count() == 12


def test_nothing_has_more_columns_without_it(data):
    e = lf.evaluate(*data, MEASURES)
    columns = {name for table in e.tables().values() for name in table.columns}
    assert not columns & {"ties_sd", "largest_tie", "p_better", "p_equal", "p_worse"}
    assert "tied" not in e.coverage.columns
    assert "first_by_document_id" not in e.provenance


def test_preferences_have_their_chances(e, data):
    p = lf.positions(*data, ties="expected")
    d = lf.preferences(p, MEASURES)
    assert e.preferences.equals(d)
    assert d.filter(measure="LR")["p_better"].count() > 0
    assert e.pair("r0", "r1")["deciding_level"].null_count() == 48


@pytest.mark.slow
def test_parts_have_the_tables_of_memory(e, data, tmp_path):
    parts = lf.evaluate(*data, MEASURES, **HOW, out=tmp_path, keep=["scores", "preferences"])
    assert same(e, parts, "scores", "preferences")
    for name in ("scores", "preferences"):
        table = pl.read_parquet(tmp_path / name / "*.parquet")
        known = getattr(e, name)
        assert (
            table.select(known.columns)
            .sort(known.columns[:3])
            .equals(known.sort(known.columns[:3]))
        )
    again = BucketResult.from_bytes(BucketResult({"sums": parts.sums}).to_bytes())["sums"]
    assert lf.order_runs(again, "mean").equals(lf.order_runs(parts.sums, "mean"))
    for name in ("AP", "RR", "nDCG@10"):
        known = parts.sums.scores[name].ties
        assert again.scores[name].ties.mean.tolist() == known.mean.tolist()


def test_groups_have_deviations_of_their_own(data, tmp_path):
    requests = pl.DataFrame({"query_id": [f"q{n}" for n in range(8)], "half": ["a", "b"] * 4})
    how = {**HOW, "requests": requests, "by": "half"}
    e = lf.evaluate(*data, ["AP"], **how)
    parts = lf.evaluate(*data, ["AP"], **how, out=tmp_path, keep="scores")
    assert parts.means.equals(e.means)
    of_a = e.scores.filter(pl.col("query_id").is_in(["q0", "q2", "q4", "q6"]), run="r0")
    known = e.means.filter(half="a", run="r0")["ties_sd"].item()
    assert known == pytest.approx(math.sqrt((of_a["ties_sd"] ** 2).sum()) / 4)


def test_results_are_read_back_whole(e, tmp_path):
    e.write(tmp_path)
    again = lf.read_results(tmp_path)
    assert same(e, again)
    again.write(tmp_path / "again")
    assert same(e, lf.read_results(tmp_path / "again"))


@pytest.mark.slow
def test_reuse_gives_the_tables_of_a_fresh_evaluation(tmp_path):
    """Also of ranks alone, and not those of another policy."""
    runs, qrels = collection(4)
    files = {}
    for name, run in runs.items():
        rows = [(q, d, s) for q, of in run.items() for d, s in of.items()]
        files[name] = tmp_path / f"{name}.parquet"
        pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row").write_parquet(files[name])
    earlier = {name: files[name] for name in ("r0", "r1", "r2")}
    lf.evaluate(earlier, qrels, MEASURES, **HOW).write(tmp_path / "kept")
    fresh = lf.evaluate(files, qrels, MEASURES, **HOW)
    reused = lf.evaluate(files, qrels, MEASURES, **HOW, reuse=tmp_path / "kept")
    assert reused.provenance["reused"]["runs"] == 3
    assert same(fresh, reused)
    e = lf.evaluate(earlier, qrels, MEASURES, **HOW)
    assert same(fresh, lf.add_runs(e, {"r3": files["r3"]}))
    with pytest.warns(lf.LexiframeWarning, match="computed with ties='expected', and now"):
        lf.evaluate(files, qrels, MEASURES, test="t", reuse=tmp_path / "kept")


@pytest.mark.slow
def test_replicates_and_collections_have_deviations(data):
    runs, qrels = data
    rows = [
        ("r", name, q, d, s) for name, run in runs.items() for q in run for d, s in run[q].items()
    ]
    columns = ["run", "replicate", "query_id", "doc_id", "score"]
    r = pl.DataFrame(rows, columns, orient="row")
    e = lf.evaluate(r, qrels, ["AP"], **HOW, replicates="request")
    q0 = e.replicated.filter(query_id="q0")["ties_sd"]
    known = e.scores.filter(query_id="q0")["ties_sd"].item()
    assert known == pytest.approx(math.sqrt((q0**2).sum()) / 3)
    assert e.coverage["run", "replicate", "tied"].height == 3
    both = lf.evaluate({"one": data, "two": collection(2)}, None, MEASURES, **HOW)
    alone = lf.evaluate(*data, MEASURES, **HOW)
    assert both.means.filter(collection="one").drop("collection").equals(alone.means)
    assert both.collections["one"].scores.equals(alone.scores)
    assert "ties_sd" in both.scores.columns


def test_missing_requests_that_become_zeros_do_not_deviate(e):
    s = e.scores.filter((pl.col("run") != "r0") | (pl.col("query_id") != "q0"))
    filled = lf.evaluate_scores(s, ["AP"], missing="zero").means.filter(run="r0")
    of_others = s.filter(run="r0", measure="AP")["ties_sd"]
    assert filled["ties_sd"].item() == pytest.approx(math.sqrt((of_others**2).sum()) / 8)


def test_the_verdict_says_who_is_first_by_document_id():
    """x has its relevant document at rank 1 by id, and at 1.5 on average; y always at rank 1."""
    runs = {"x": {"q": {"a": 1.0, "b": 1.0}}, "y": {"q": {"b": 2.0, "a": 1.0}}}
    more = {f"q{n}": {"a": 2.0, "b": 1.0} for n in range(2)}  # where both are alike
    runs = {name: run | more for name, run in runs.items()}
    qrels = {"q": {"b": 1}, "q0": {"a": 1}, "q1": {"a": 1}}
    said = "By expectation over tied orders y is first; by document id x and y."
    e = lf.evaluate(runs, qrels, ["RR", "R@1", "LR"], ties="expected")
    both = ["x", "y"]
    assert e.provenance["first_by_document_id"] == {"R@1": both, "RR": both, "LR": both}
    assert all(sentence.endswith(said) for sentence in e.verdict["sentence"].unique())
    printed = " ".join(str(e).split())
    assert "By expectation over tied orders y is first by RR, R@1 and LR; by document id" in printed
    assert "whose order is arbitrary" not in printed


def test_evaluate_notes_where_the_order_of_ties_decides():
    """Once, with the call; not where it only could part runs that are first together."""
    qrels = {"q": {"b": 1}}
    runs = {"x": {"q": {"a": 1, "b": 1}}, "y": {"q": {"a": 3, "b": 2, "c": 2}}}
    with warnings.catch_warnings(action="error", category=lf.LexiframeWarning):
        # y has its document at rank 2 at best, and x at rank 2 at worst
        lf.evaluate(runs, qrels, ["RR", "num_ret"], ties="doc_id_asc", test="t")
    runs["z"] = {"q": {"c": 1, "b": 1}}
    with pytest.warns(lf.LexiframeWarning, match="the order of equal scores") as noted:
        e = lf.evaluate(runs, qrels, ["RR", "num_ret"], ties="doc_id_asc", test="t")
    said = [str(one.message) for one in noted if "order of equal" in str(one.message)]
    call = 'evaluate(..., ties="expected") takes the mean over all orders'
    who = "the order of equal scores (ties='doc_id_asc') decides which run is first by RR"
    assert said == [f"{who}; {call}"]
    assert e.means.filter(measure="RR", rank=1)["run"].to_list() == ["z"]
    for ties in ("input", "expected"):
        with warnings.catch_warnings(action="error", category=lf.LexiframeWarning):
            lf.evaluate(runs, qrels, ["RR"], ties=ties, test="t")


def test_runs_that_tie_in_expectation_need_not_be_the_same():
    runs = {name: {"q": {"a": 1.0, "b": 1.0, "c": 1.0}} for name in "xy"}
    e = lf.evaluate(runs, {"q": {"b": 1}}, ["RR", "LR"], ties="expected")
    assert "tie in every request by all measures in expectation over tied orders: are they" in (
        " ".join(str(e).split())
    )
