"""`verdict`: which runs are best and not worse, told apart, and the sentence that says so."""

import polars as pl
import pytest

import lexiframe as lf

EXAMPLE = lf.bundled("example")
REQUESTS = pl.DataFrame({"qid": [f"q{n}" for n in range(12)], "kind": ["x", "y", None] * 4})


def collection(runs):
    """Runs with the rank of the one relevant document of each request."""
    frames = [
        {
            "run": run,
            "query_id": f"q{q}",
            "doc_id": "d" if rank == at else f"n{rank}",
            "score": -rank,
        }
        for run, ranks in runs.items()
        for q, at in enumerate(ranks)
        for rank in range(1, 6)
    ]
    qrels = {"query_id": [f"q{q}" for q in range(12)], "doc_id": "d", "relevance": 1.0}
    return pl.DataFrame(frames), pl.DataFrame(qrels)


RUNS = {
    "best": [1] * 12,
    "near": [1] * 11 + [2],
    "far": [4] * 12,
    "mixed": [1, 5] * 6,
}


def evaluate(runs=RUNS, measures=("RR",), **options):
    return lf.evaluate(*collection(runs), list(measures), **options)


def test_by_hand():
    row = lf.verdict(evaluate(), alpha=0.01).row(0, named=True)
    assert row["best"] == ["best"]
    assert row["not_worse"] == ["near", "mixed"]  # by rank
    assert (row["n_pairs"], row["n_significant"], row["n"]) == (6, 2, 12)
    assert row["sentence"] == (
        "By RR, best is best; near and mixed are not significantly worse. 2 of 6 pairs of runs are "
        "told apart (paired t-test, Holm's correction over the 6 pairs, α = 0.01, n = 12 requests)."
    )


def test_runs_that_share_the_first_rank():
    v = lf.verdict(evaluate({"a": [1] * 12, "b": [1] * 12, "c": [5] * 12}))
    assert v["best"].to_list() == [["a", "b"]]
    assert v["not_worse"].to_list() == [[]]
    assert v["sentence"][0].startswith(
        "By RR, a and b share the first rank; all other runs are significantly worse."
    )


def test_a_sentence_names_six_runs_at_most():
    v = lf.verdict(evaluate({f"r{n}": [1] * 12 for n in range(9)}))
    assert len(v["best"][0]) == 9
    assert v["sentence"][0].startswith(
        "By RR, r0, r1, r2, r3, r4 and 4 others share the first rank; there is no other. 0 of 36 "
    )


def test_measures_come_in_the_order_asked_for_and_families_are_named():
    e = evaluate(measures=("RR", "AP", "LR"), family="all", test="sign")
    v = lf.verdict(e)
    assert v["measure"].to_list() == ["RR", "AP", "LR"]
    ending = "(sign test, Holm's correction over the 18 pairs of all measures"
    assert all(ending in sentence for sentence in v["sentence"])


def test_search_lengths_are_better_small():
    v = lf.verdict(evaluate(measures=("ISL",)))
    assert (v["best"].to_list(), "far" in v["not_worse"][0]) == ([["best"]], False)


def test_groups_of_requests():
    e = evaluate(requests=REQUESTS, by="kind", measures=("RR", "LR"))
    v = lf.verdict(e)
    assert v.select("kind", "measure", "n").rows() == [
        (kind, measure, 4) for kind in (None, "x", "y") for measure in ("RR", "LR")
    ]
    assert v["sentence"][2].startswith("By RR for kind = x, ")
    for name in ("win_rates", "orderings", "correlations", "comparisons", "power", "tie_rates"):
        assert e.tables()[name].columns[0] == "kind", name
    of_x = REQUESTS.filter(kind="x")["qid"].implode()
    part = e.preferences.filter(pl.col("query_id").is_in(of_x))
    for name, function in {
        "win_rates": lf.win_rates,
        "tie_rates": lf.tie_rates,
        "sign_agreement": lf.sign_agreement,
        "comparisons": lf.compare,
    }.items():
        assert e.tables()[name].filter(kind="x").drop("kind").equals(function(part)), name
    assert "kind" in str(e)
    assert "orderings, kind = y" in str(e)


def test_of_other_comparisons():
    e = evaluate()
    c = lf.compare(e.scores, ["t", "wilcoxon"], ["none", "holm"])
    v = lf.verdict(e, c)
    assert v.select("test", "correction").rows() == [
        (test, correction) for test in ("t", "wilcoxon") for correction in ("holm", "none")
    ]
    assert "Wilcoxon's signed-rank test, not corrected for the 6 pairs" in v["sentence"][3]


def test_comparisons_with_a_baseline_are_not_enough():
    e = evaluate()
    with pytest.raises(lf.LexiframeError, match="every best run of RR with all other runs"):
        lf.verdict(e, lf.compare(e.scores, baseline="far"))


def test_one_run_has_no_verdict():
    assert lf.verdict(
        lf.evaluate(EXAMPLE / "runs" / "random.run", EXAMPLE / "qrels.txt")
    ).is_empty()


def test_requests_from_a_file_and_on_the_command_line(tmp_path, capsys):
    from typer.testing import CliRunner

    from lexiframe.cli import app

    queries = lf.read_qrels(EXAMPLE / "qrels.txt")["query_id"].to_pandas().unique().tolist()
    path = tmp_path / "queries.csv"
    path.write_text("qid,kind\n" + "".join(f"{q},{n % 2}\n" for n, q in enumerate(queries)))
    runs, qrels = str(EXAMPLE / "runs"), str(EXAMPLE / "qrels.txt")
    e = lf.evaluate(runs, qrels, ["AP"], requests=path, by=["kind"])
    options = [qrels, runs, "-m", "AP", "--requests", str(path), "--by", "kind", "--format", "csv"]
    assert CliRunner().invoke(app, ["compare", *options]).output == e.comparisons.write_csv()
    assert CliRunner().invoke(app, ["evaluate", *options]).output == e.orderings.write_csv()


def test_requests_that_are_not_there_make_a_group_and_a_warning():
    s = evaluate().scores
    with pytest.warns(lf.LexiframeWarning, match="query_id without a log entry: 4 "):
        rates = lf.tie_rates(s, requests=REQUESTS.head(8), by="kind")
    assert rates["kind"].to_list() == [None, "x", "y"]
    assert rates["n"].to_list() == [36, 18, 18]


def test_tables_that_groups_cannot_be_made_of():
    e = evaluate()
    with pytest.raises(lf.SchemaError, match="expected a table with the column query_id to join"):
        lf.win_rates(e.orderings, requests=REQUESTS, by="kind")
    with pytest.raises(lf.LexiframeError, match="unknown attribute 'group'"):
        lf.rank_correlations(e.orderings, by="group")


def test_one_sided_tests_have_no_verdict():
    """They would find a run worse or not by what it is called."""
    e = evaluate(alternative="less")
    with pytest.raises(lf.LexiframeError, match="verdict: expected two-sided tests, found t"):
        lf.verdict(e)
    assert "Verdict" not in str(e)
    assert lf.verdict(e, lf.compare(e.scores))["best"].to_list() == [["best"]]
