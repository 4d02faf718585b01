"""Evaluations in the place of the tables that functions take."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

FOLDER = lf.bundled("digits")
RUNS, QRELS, QUERIES = FOLDER / "runs", FOLDER / "qrels.parquet", FOLDER / "queries.parquet"
MEASURES = ["RPP", "AP", "nDCG@10"]


@pytest.fixture(scope="module")
def e():
    return lf.evaluate(RUNS, QRELS, MEASURES)


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
