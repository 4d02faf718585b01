"""Evaluations in the place of the tables that functions take."""

import polars as pl
import pytest

import lexiframe as lf

FOLDER = lf.bundled("digits")
RUNS, QRELS, QUERIES = FOLDER / "runs", FOLDER / "qrels.parquet", FOLDER / "queries.parquet"
MEASURES = ["RPP", "AP", "nDCG@10"]


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(RUNS, QRELS, MEASURES)


@pytest.fixture(scope="module")
def grouped():
    return lf.evaluate(RUNS, QRELS, ["RPP", "AP"], baseline="random", requests=QUERIES, by="loop")


def test_each_function_takes_its_table(e, grouped):
    for one in (e, grouped):
        assert lf.compare(one).equals(one.comparisons)
        assert lf.rank_correlations(one).equals(one.correlations)
        assert lf.discriminative_power(one).equals(one.power)
        assert lf.win_rates(one).equals(one.win_rates)
        assert lf.tie_rates(one).equals(one.tie_rates)
        assert lf.sign_agreement(one).equals(one.sign_agreement)
        order = one.provenance["inference"]["ordering"]
        by_preference = lf.order_runs(one, order).filter(measure="RPP")
        assert by_preference.equals(one.orderings.filter(measure="RPP"))
        by_mean = lf.order_runs(one).filter(measure="AP")
        assert by_mean.equals(one.orderings.filter(measure="AP"))
    d = e.preferences
    assert lf.win_rate_matrix(e, "RPP").equals(lf.win_rate_matrix(d, "RPP"))
    assert lf.rank_distributions(e).height
    assert lf.equivalence(e, 0.02).height == e.comparisons.height
    assert lf.audit(e, "t", 25, trials=50).equals(lf.audit(d, "t", 25, trials=50))
    assert lf.required_requests(e).equals(lf.required_requests(d))
    assert lf.aggregates(e).equals(lf.aggregates(e.scores))
    assert lf.asl_curve(e).equals(lf.asl_curve(e.comparisons))
    assert lf.scores(e, "RR").equals(lf.scores(e.positions, "RR"))
    assert lf.conclusions({"x": e, "y": e}).equals(
        lf.conclusions({"x": e.comparisons, "y": e.comparisons})
    )
    assert lf.conclusions(e, e).height == len(MEASURES)


def test_metrics_are_tested_by_their_scores(e):
    h = lf.tukey_hsd(e, "parametric")
    assert h.filter(measure="AP").equals(lf.tukey_hsd(e.scores.filter(measure="AP"), "parametric"))
    of_preferences = lf.tukey_hsd(e.preferences.filter(measure="RPP"), "parametric")
    assert h.filter(measure="RPP").equals(of_preferences)
    by_loop = lf.tukey_hsd(e, "parametric", requests=QUERIES, by="loop")
    assert by_loop.columns[0] == "loop"
    assert by_loop["measure"].n_unique() == len(MEASURES)


def test_what_a_call_names_holds(grouped):
    assert lf.compare(grouped, baseline="pca8_euclidean")["run_b"].unique().to_list() == [
        "pca8_euclidean"
    ]
    other = lf.compare(grouped, requests=QUERIES, by="digit")
    assert other.columns[0] == "digit"
    with pytest.raises(lf.LexiframeError, match="which attribute makes the groups"):
        lf.compare(grouped, requests=QUERIES)
    with pytest.raises(lf.UnknownNameError, match="digit"):
        lf.compare(grouped, by="digit")


def test_gate_looks_at_the_rankings(e, tmp_path):
    two = {"baseline": "pixels_euclidean", "candidate": "pca8_euclidean"}
    g = lf.gate(e, {"AP": 0.02, "ndcg_cut_10": "5%"}, **two)
    assert g["measure"].to_list() == ["AP", "nDCG@10"]
    assert g["baseline_answered"].to_list() == [60, 60]
    s = lf.gate(e.scores, {"AP": 0.02}, **two)  # nDCG@10 has no margin
    assert s["p_value"].to_list() == g.filter(measure="AP")["p_value"].to_list()
    with pytest.raises(lf.UnknownNameError, match="RR"):
        lf.gate(e, {"RR": 0.02}, **two)
    runs = lf.read_runs({name: RUNS / f"{name}.parquet" for name in two.values()})
    table = pl.DataFrame(runs)
    first = table["query_id"][0]
    some = table.filter(~((pl.col("query_id") == first) & (pl.col("run") == two["candidate"])))
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        lacking = lf.evaluate(some, QRELS, "AP")
    with pytest.raises(lf.LexiframeError, match="1 of 60 missing from pca8_euclidean"):
        lf.gate(lacking, 0.02, **two)
    assert lf.gate(lacking, 0.02, **two, missing="drop")["n"].item() == 59
    lacking.write(tmp_path)
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        in_parts = lf.evaluate(some, QRELS, "AP", out=tmp_path / "parts", keep="scores")
    with pytest.raises(lf.LexiframeError, match="missing='drop' needs the rankings"):
        lf.gate(in_parts, 0.02, **two, missing="drop")
    assert lf.gate(in_parts, 0.02, **two, missing="zero")["n"].item() == 60


def test_gate_reads_rankings_again(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    example = lf.bundled("example")
    for file in (example / "runs").iterdir():
        (runs / file.name).write_bytes(file.read_bytes())
    e = lf.evaluate(runs, example / "qrels.txt", "AP")
    e.write(tmp_path / "results")
    again = lf.read_results(tmp_path / "results")
    (runs / "random.run").write_text("q1 Q0 d1 1 1 x\n")
    with pytest.warns(lf.LexiframeWarning, match="gate: without the coverage of rankings"):
        lf.gate(again, 0.02, baseline="random", candidate="pca8_euclidean")


def test_sums_are_handed_over(tmp_path):
    whole = lf.evaluate(RUNS, QRELS, MEASURES)
    parts = lf.evaluate(RUNS, QRELS, MEASURES, out=tmp_path, keep="scores")
    assert lf.compare(parts).equals(whole.comparisons)
    assert lf.order_runs(parts).equals(lf.order_runs(whole))
    assert lf.win_rates(parts).equals(whole.win_rates)
    with pytest.raises(lf.LexiframeError, match="found their sums"):
        lf.tukey_hsd(parts)


def test_scores_of_other_tools_are_handed_over():
    s = lf.evaluate(RUNS, QRELS, ["AP"]).scores.with_columns(
        measure=pl.lit("cost"), smaller_is_better=True
    )
    e = lf.evaluate_scores(s)
    assert lf.compare(e).equals(e.comparisons)
    assert lf.order_runs(e).equals(e.orderings)
    two = {"baseline": "pixels_euclidean", "candidate": "pca8_euclidean"}
    assert lf.gate(e, 0.02, **two).equals(lf.gate(s, 0.02, **two))
