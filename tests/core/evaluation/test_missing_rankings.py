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
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*rankings missing", "ignore:scores are 0"),
]


@pytest.fixture(scope="module")
def s():
    with pytest.warns(lf.LexiframeWarning, match="rankings missing"):
        return lf.scores(lf.positions(RUNS, QRELS), ["RR", "P@1"])


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
