"""Requests that a run did not answer count as 0, and everything that decides says so."""

import polars as pl
import pytest

import lexiframe as lf

TWO = {"baseline": "old", "candidate": "new"}
QRELS = pl.DataFrame({"query_id": [f"q{n:02}" for n in range(30)], "doc_id": "d", "relevance": 1.0})


def run_of(ranks):
    """A run with the relevant document of each request at a rank."""
    rows = [
        (query, "d" if at == rank else f"n{at}", 10.0 - at)
        for query, rank in ranks.items()
        for at in range(1, 5)
    ]
    return pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")


QUERIES = QRELS["query_id"].to_list()
OLD = run_of({query: 1 + n % 2 for n, query in enumerate(QUERIES[12:])})
NEW = run_of({query: 3 + n % 2 for n, query in enumerate(QUERIES)})
RUNS = {"old": OLD, "new": NEW}
pytestmark = pytest.mark.filterwarnings("ignore:.*rankings missing", "ignore:scores are 0")


@pytest.fixture(scope="module")
def s():
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        return lf.scores(lf.positions(RUNS, QRELS), ["RR", "P@1"])


def test_scores_say_which_rankings_were_missing(s):
    assert s.columns == ["run", "query_id", "measure", "value", "answered"]
    filled = s.filter(~pl.col("answered"))
    assert filled["run"].unique().to_list() == ["old"]
    assert sorted(filled["query_id"].unique()) == QUERIES[:12]
    assert filled["value"].to_list() == [0.0] * 24
    assert s["answered"].null_count() == 0
    whole = lf.scores(lf.positions({"new": NEW, "other": NEW}, QRELS), "RR")
    assert "answered" not in whole.columns


def test_an_empty_list_is_an_answer():
    runs = {"old": {"q00": {"d": 1.0}, "q01": {}}, "new": {"q00": {"d": 1.0}}}
    s = lf.scores(lf.positions(runs, QRELS.head(2)), "RR")
    assert s.filter(~pl.col("answered")).select("run", "query_id").rows() == [("new", "q01")]


@pytest.mark.parametrize("form", ["frame", "pandas", "arrow", "parquet", "csv", "evaluation"])
def test_a_gate_refuses_what_was_filled_in(s, tmp_path, form):
    s.write_parquet(tmp_path / "s.parquet")
    s.write_csv(tmp_path / "s.csv")
    given = {
        "frame": lambda: s,
        "pandas": s.to_pandas,
        "arrow": s.to_arrow,
        "parquet": lambda: lf.read_scores(tmp_path / "s.parquet"),
        "csv": lambda: lf.read_scores(tmp_path / "s.csv"),
        "evaluation": lambda: lf.evaluate_scores(s),
    }[form]()
    found = "12 of 30 requests for RR have a score of new only .0 in place of a missing ranking"
    with pytest.raises(lf.LexiframeError, match=found):
        lf.gate(given, 0.1, **TWO)
    e = lf.evaluate(RUNS, QRELS, ["RR", "P@1"])
    for missing, n in (("zero", 30), ("drop", 18)):
        g = lf.gate(given, 0.1, **TWO, test="t", missing=missing)
        g = pl.DataFrame(g).sort("measure")
        assert g["n"].to_list() == [n, n]
        assert g["baseline_answered"].to_list() == [18, 18]
        same = pl.DataFrame(lf.gate(e, 0.1, **TWO, test="t", missing=missing)).sort("measure")
        both = [t["mean_difference", "p_value", "outcome"] for t in (g, same)]
        assert both[0].equals(both[1])


def test_a_gate_refuses_requests_that_neither_run_answered():
    known = QUERIES[5:]
    runs = {"old": run_of(dict.fromkeys(known, 1)), "new": run_of(dict.fromkeys(known, 2))}
    s = lf.scores(lf.positions(runs, QRELS), "RR")
    with pytest.raises(lf.LexiframeError, match="5 of 30 requests for RR have a score of neither"):
        lf.gate(s, 0.1, **TWO)


def test_what_compares_scores_says_what_was_filled_in(s):
    said = "scores are 0 because rankings are missing: 12 of 30 requests of old; give the rankings"
    several = lf.scores({"x": (RUNS, QRELS), "y": ({"old": NEW, "new": NEW}, QRELS)}, "RR")
    assert several.group_by("collection").agg(n=(~pl.col("answered")).sum()).sort("collection")[
        "n"
    ].to_list() == [12, 0]
    for decide in (lf.compare, lf.evaluate_scores):
        with pytest.warns(lf.LexiframeWarning, match=said):
            decide(s)
    with pytest.warns(lf.LexiframeWarning, match="12 of 60 requests of old"):
        assert lf.leaderboard(several).ranking.height == 2
    assert "missing='zero'), as 1 run lacks some of the 30 requests (old has 18)" in " ".join(
        str(lf.evaluate_scores(s)).split()
    )
    told = lf.verdict(lf.evaluate(RUNS, QRELS, "RR"))["sentence"][0]
    assert told.endswith("old lacks rankings of 12 of the 30 requests.")


def test_zeros_that_evaluate_scores_fills_in_are_known():
    s = pl.DataFrame({
        "run": [*["old"] * 3, *["new"] * 4], "query_id": [*"abc", *"abcd"], "measure": "AP",
        "value": 0.5,
    })  # fmt: skip
    e = lf.evaluate_scores(s, missing="zero")
    assert e.scores.filter(~pl.col("answered")).select("run", "query_id").rows() == [("old", "d")]
    with pytest.raises(lf.LexiframeError, match="1 of 4 requests for AP have a score of new only"):
        lf.gate(e, 0.1, **TWO)


def test_parts_reuse_and_folders_have_the_same_scores(tmp_path):
    measures = ["RR", "LR"]
    e = lf.evaluate(RUNS, QRELS, measures)
    how = {"out": tmp_path / "parts", "keep": "scores", "memory": "100 MB"}
    lf.evaluate(RUNS, QRELS, measures, **how)
    parts = pl.read_parquet(tmp_path / "parts" / "scores" / "*.parquet")
    assert parts.sort("run", "query_id", "measure").equals(e.scores)
    e.write(tmp_path / "results")
    assert lf.read_results(tmp_path / "results").scores.equals(e.scores)
    again = lf.evaluate(RUNS, QRELS, [*measures, "AP"], reuse=tmp_path / "results")
    assert again.scores.equals(lf.evaluate(RUNS, QRELS, [*measures, "AP"]).scores)
    first = lf.evaluate({"old": OLD}, QRELS, "RR")
    added = lf.add_runs(first, {"new": NEW}).scores
    assert added.equals(e.scores.filter(measure="RR"))


def test_parts_without_a_missing_ranking_have_the_columns_of_the_others(tmp_path):
    from lexiframe.core.evaluation.buckets.writing import complete_parts

    folder = tmp_path / "scores"
    folder.mkdir()
    one = lf.scores(lf.positions({"a": NEW, "b": NEW}, QRELS), "RR")
    one.with_columns(answered=False).write_parquet(folder / "part-000000.parquet")
    one.write_parquet(folder / "part-000001.parquet")
    complete_parts(tmp_path, ["scores"])
    found = pl.read_parquet(folder / "*.parquet")
    assert found["answered"].to_list() == [False] * one.height + [True] * one.height


def test_a_column_that_is_no_truth_is_none_of_ours():
    wide = pl.DataFrame({"query_id": ["a", "b"], "AP": [0.5, 0.25], "answered": [0.5, 1.0]})
    assert lf.read_scores({"x": wide})["measure"].unique().sort().to_list() == ["AP", "answered"]
    long = pl.DataFrame({"run": "x", "query_id": ["a", "b"], "measure": "AP", "value": 0.5})
    assert "answered" not in lf.read_scores(long.with_columns(answered=pl.lit(3))).columns


@pytest.mark.parametrize("form", ["polars", "pandas", "arrow", "lazy", "csv"])
def test_a_run_without_rows_is_no_bad_run(tmp_path, form):
    (tmp_path / "e.csv").write_text("query_id,doc_id,score\n")
    empty = {
        "polars": OLD.clear(), "pandas": OLD.clear().to_pandas(), "arrow": OLD.clear().to_arrow(),
        "lazy": OLD.lazy().filter(pl.col("query_id") == "none"),
        "csv": tmp_path / "e.csv",
    }[form]  # fmt: skip
    runs = {"old": OLD, "new": empty}
    found = "expected the rows of each run's rankings, found no rows of 1 .*new"
    with pytest.raises(lf.LexiframeError, match=found):
        lf.read_runs(runs)
    for decide in (lf.evaluate, lf.positions):
        with pytest.raises(lf.LexiframeError, match=found):
            decide(runs, QRELS)
