"""`evaluate_scores`: the tables of `evaluate` from scores that another tool wrote to files."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

import lexiframe as lf

EXAMPLE = lf.bundled("example")
MEASURES = ["AP", "ISL", "nDCG@10", "RR"]


@pytest.fixture(scope="module")
def evaluated():
    """Metrics alone, one of which favours smaller values, order the runs by their means."""
    return lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", MEASURES, alpha=0.1, test="sign")


@pytest.fixture
def files(evaluated, tmp_path):
    """A file for each run, as `trec_eval -q` writes it."""
    words = {"AP": "map", "ISL": "ISL", "nDCG@10": "ndcg_cut_10", "RR": "recip_rank"}
    for (run,), rows in evaluated.scores.partition_by("run", as_dict=True).items():
        lines = [f"{words[m]:22}\t{q}\t{value!r}" for _, q, m, value in rows.iter_rows()]
        counts = [f"num_ret               \t{q}\t25" for q in rows["query_id"].unique()]
        path = tmp_path / f"{run}.run.treceval"
        path.write_text("\n".join([*counts, *lines, f"runid                 \tall\t{run}", ""]))
    return tmp_path


def test_comparisons_are_those_of_scipy():
    matrix = {"bm25": [0.5, 0.25, 0.75, 0.3], "dph": [0.25, 0.5, 0.1, 0.2]}
    e = lf.evaluate_scores(pl.DataFrame(matrix), "AP", test="t")
    expected = stats.ttest_rel(matrix["bm25"], matrix["dph"])
    assert e.comparisons["p_value"][0] == pytest.approx(expected.pvalue)
    assert set(e.scores["measure"]) == {"AP"}


def test_a_run_without_the_measure_is_said():
    rows = {"run": ["a", "b", "c"], "qid": ["q"] * 3, "measure": ["AP", "AP", "ap"]}
    scores = pl.DataFrame(rows | {"value": [0.5, 0.25, 0.75]})
    with pytest.warns(lf.LexiframeWarning, match=r"without AP, left out: 1 \('c'\); .* 1 \('ap'"):
        e = lf.evaluate_scores(scores, "AP")
    assert e.means["run"].to_list() == ["a", "b"]


@pytest.mark.slow
def test_a_single_run_and_groups(files, evaluated):
    alone = lf.evaluate_scores(files / "random.run.treceval", "AP")
    assert alone.orderings.select("run", "rank").rows() == [("random", 1.0)]
    assert alone.comparisons.height == alone.preferences.height == 0
    assert "random" in str(alone)
    queries = evaluated.scores["query_id"].unique().sort()
    kinds = pl.DataFrame({"qid": queries, "kind": ["odd", "even", "odd", "even", "odd"]})
    grouped = lf.evaluate_scores(files, "AP", requests=kinds, by="kind")
    assert grouped.comparisons["kind"].unique().sort().to_list() == ["even", "odd"]
    assert grouped.provenance["groups"] == ["kind"]


@pytest.mark.slow
def test_a_name_measures_a_matrix_and_chooses_elsewhere(tmp_path):
    """One name is that of the numbers in a matrix, but never renames a measure that has a name."""
    matrix = pl.DataFrame({"qid": ["q1", "q2"], "bm25": [0.25, 0.5], "dph": [0.5, 0.75]})
    with pytest.warns(lf.LexiframeWarning, match="larger values count as better.*'mine'"):
        of_mine = lf.evaluate_scores(matrix, "mine")
    assert of_mine.scores["measure"].unique().to_list() == ["mine"]
    e = lf.evaluate_scores({"AP": matrix, "RR": matrix}, keys="measure")
    assert e.provenance["measures"] == ["AP", "RR"]
    of_one = matrix.rename({"bm25": "AP", "dph": "RR"})
    of_one.write_csv(tmp_path / "bm25.csv")
    assert lf.evaluate_scores(tmp_path / "bm25.csv", "AP").scores.rows() == [
        ("bm25", "q1", "AP", 0.25),
        ("bm25", "q2", "AP", 0.5),
    ]
    with pytest.raises(lf.LexiframeError, match="columns AP, RR; if these are runs, say what was"):
        lf.evaluate_scores(of_one, "AP")
    with pytest.raises(lf.LexiframeError, match="columns bm25, dph; if these are runs"):
        lf.evaluate_scores(matrix)
    long = pl.DataFrame({"run": "x", "qid": ["q1"], "measure": "map", "value": 0.5})
    with pytest.raises(lf.UnknownNameError, match=r"unknown measure 'nDCG'\. Known: map"):
        lf.evaluate_scores(long, "nDCG")
    with pytest.raises(lf.LexiframeError, match="measures: expected at least one, found none"):
        lf.evaluate_scores(long, ())


@pytest.mark.parametrize(
    "ask",
    [
        lf.evaluate_scores,
        lambda s: lf.compare(s, "bootstrap"),
        lambda s: lf.order_runs(s, "mean"),
        lambda s: lf.equivalence(s, 1e290),
    ],
)
def test_values_whose_sums_would_be_infinite_are_refused(ask):
    table = pl.DataFrame({"run": ["a"] * 3 + ["b"] * 3, "query_id": [*"123"] * 2, "measure": "AP"})
    values = pl.Series([1.7e308, 1.6e308, 1.5e308, 1e308, 1.2e308, 1.4e308])
    great = table.with_columns(value=values)
    with pytest.raises(lf.LexiframeError, match=r"expected values up to 1e\+300 in size, found 6"):
        ask(great)


FORKING = """
import os, sys
import lexiframe as lf
runs = {"a": {"q": {"d": 1.0}}, "b": {"q": {"e": 1.0}}}
if sys.argv[1] == "after":
    lf.scores(lf.positions(runs, {"q": {"d": 1}}), "AP")
if os.fork() == 0:
    try:
        print(lf.scores(lf.positions(runs, {"q": {"d": 1}}), "AP")["value"].to_list(), flush=True)
    except lf.LexiframeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.parametrize("when, said", [("after", "was forked from one"), ("before", "[1")])
def test_a_forked_process_says_what_to_do(when, said):
    command = [sys.executable, "-W", "ignore", "-c", FORKING, when]
    environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
    found = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=environment
    )
    assert said in found.stdout, found


@pytest.mark.parametrize("measures", [None, "AP"])
def test_a_leaderboard_is_no_table_of_requests(measures):
    """Its scores are those of collections."""
    with pytest.raises(lf.LexiframeError, match=r"^scores: .* found a leaderboard, .* lf.leaderb"):
        lf.evaluate_scores(lf.bundled("leaderboard") / "scores.csv", measures)


@pytest.mark.slow
@pytest.mark.parametrize(
    "values, said",
    [
        ({"a": [31.0, 45.0, 52.0], "b": [0.4, 0.5, 0.6]}, "3 far outside, such as 31 of run 'a'"),
        ({"a": [0.2, 0.5, 20.0], "b": [0.4, 0.5, 20.0]}, "20 of run 'a' in request 'q2'"),
    ],
)
def test_values_that_a_measure_cannot_have_beside_others_are_refused(values, said):
    s = pl.DataFrame({"query_id": ["q0", "q1", "q2"], **values})
    with pytest.raises(lf.LexiframeError, match=f"values of AP from 0 to 1, as others.*{said}"):
        lf.evaluate_scores(s, "AP")
    lf.evaluate_scores(s, "mine")
    weak = pl.Series("c", [0.0, 0.004, 0.02])
    lf.evaluate_scores(s.with_columns(pl.col("a", "b") * 100, weak * 100), "AP")  # in percent
