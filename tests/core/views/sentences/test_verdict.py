"""`verdict`: which runs are best and not worse, told apart, and the sentence that says so."""

import dataclasses

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # what it prints and refuses has quicker tests in each stage

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


def evaluate(runs=RUNS, measures=("RR",), test="t", **options):
    return lf.evaluate(*collection(runs), list(measures), test=test, **options)


def test_by_hand():
    row = lf.verdict(evaluate(), alpha=0.01).row(0, named=True)
    assert row["best"] == ["best"]
    assert row["not_worse"] == ["near", "mixed"]  # by rank
    assert (row["n_pairs"], row["n_significant"], row["n"]) == (6, 2, 12)
    assert row["sentence"] == (
        "By RR, best is first; near and mixed are not significantly worse, so that 3 runs may be "
        "best. 2 of 6 pairs of runs differ significantly (paired t-test, Holm's correction over "
        "the 6 pairs, α = 0.01, n = 12 requests)."
    )


def test_one_pair_of_many_is_told_apart():
    e = evaluate()
    least, other = e.comparisons["p_adjusted"].sort()[:2]
    (said,) = lf.verdict(e, alpha=(least + other) / 2)["sentence"]
    assert " 1 of 6 pairs of runs differs significantly (" in said


def test_best_is_a_run_that_is_told_apart_from_all_others():
    def said(runs, **options):
        return lf.verdict(evaluate(runs), **options)["sentence"][0].partition(".")[0]

    runs = {"a": [1] * 12, "b": [2] * 12, "c": [4, 5] * 6}
    assert said(runs) == "By RR, a is best; all other runs are significantly worse"
    told = "a is first; b and c are not significantly worse, so that 3 runs may be best"
    assert said({"a": [1, 2] * 6, "b": [2, 1, 2] * 4, "c": [2, 2, 1, 2] * 3}).endswith(told)
    shared = "a and b share the first rank; c is not significantly worse, so that 3 runs may be"
    assert said({"a": [1, 2] * 6, "b": [1, 2] * 6, "c": [2, 1, 1, 2, 2, 2] * 2}).startswith(
        f"By RR, {shared}"
    )


def test_runs_that_share_the_first_rank():
    v = lf.verdict(evaluate({"a": [1] * 12, "b": [1] * 12, "c": [5] * 12}))
    assert v["best"].to_list() == [["a", "b"]]
    assert v["not_worse"].to_list() == [[]]
    assert v["sentence"][0].startswith(
        "By RR, a and b share the first rank; the other run is significantly worse."
    )


def test_a_sentence_names_six_runs_at_most():
    v = lf.verdict(evaluate({f"r{n}": [1] * 12 for n in range(9)}))
    assert len(v["best"][0]) == 9
    assert v["sentence"][0].startswith(
        "By RR, r0, r1, r2, r3, r4 and 4 others share the first rank; there is no other run. 0 of "
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
    assert v["sentence"][0].startswith("By RR for no kind, ")
    for name in ("win_rates", "orderings", "correlations", "comparisons", "power", "tie_rates"):
        assert e.tables()[name].columns[0] == "kind", name
    of_x = REQUESTS.filter(kind="x")["qid"].implode()
    part = e.preferences.filter(pl.col("query_id").is_in(of_x))
    for name, function in {
        "win_rates": lf.win_rates,
        "tie_rates": lf.tie_rates,
        "sign_agreement": lf.sign_agreement,
        "comparisons": lambda part: lf.compare(part, "t"),
    }.items():
        assert e.tables()[name].filter(kind="x").drop("kind").equals(function(part)), name
    assert "kind" in str(e)
    said = str(e.summary("all"))
    assert "orderings, kind = y" in said
    assert "orderings, no kind" in said


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

    from lexiframe.core.cli.app import app

    queries = lf.read_qrels(EXAMPLE / "qrels.txt")["query_id"].to_pandas().unique().tolist()
    path = tmp_path / "queries.csv"
    path.write_text("qid,kind\n" + "".join(f"{q},{n % 2}\n" for n, q in enumerate(queries)))
    runs, qrels = str(EXAMPLE / "runs"), str(EXAMPLE / "qrels.txt")
    e = lf.evaluate(runs, qrels, ["AP"], requests=path, by=["kind"])
    options = [qrels, runs, "-m", "AP", "--requests", str(path), "--by", "kind", "--format", "csv"]
    assert CliRunner().invoke(app, ["compare", *options]).output == e.comparisons.write_csv()
    assert CliRunner().invoke(app, ["evaluate", *options]).output == e.means.write_csv()


def test_requests_that_are_not_there_make_a_group_and_a_warning():
    s = evaluate().scores
    with pytest.warns(lf.LexiframeWarning, match="requests: query_id without attributes: 4 "):
        rates = lf.tie_rates(s, requests=REQUESTS.head(8), by="kind")
    assert rates["kind"].to_list() == [None, "x", "y"]
    assert rates["n"].to_list() == [36, 18, 18]


def test_tables_that_groups_cannot_be_made_of():
    e = evaluate()
    with pytest.raises(lf.SchemaError, match="expected a table with the column query_id to join"):
        lf.win_rates(e.orderings, requests=REQUESTS, by="kind")
    with pytest.raises(lf.LexiframeError, match="unknown attribute 'group'"):
        lf.rank_correlations(e.orderings, by="group")


def test_comparisons_that_are_not_of_the_evaluation():
    e, grouped = evaluate(), evaluate(requests=REQUESTS, by="kind")
    with pytest.raises(lf.LexiframeError, match="has no ordering of runs for LR in this group"):
        lf.verdict(e, evaluate(measures=("LR",)).comparisons)
    with pytest.raises(lf.LexiframeError, match=r"groups by kind, but .* lack the column kind"):
        lf.verdict(grouped, e.comparisons)
    with pytest.raises(lf.SchemaError, match="expected one comparison of each pair by measure"):
        lf.verdict(e, grouped.comparisons)


def test_comparisons_alone_are_no_evaluation():
    for given in (evaluate().comparisons, None, "results"):
        with pytest.raises(TypeError, match="verdict: expected the Evaluation of eval"):
            lf.verdict(given)


def test_levels_and_families_that_there_are_not():
    with pytest.raises(lf.LexiframeError, match="verdict: expected alpha between 0 and 1"):
        lf.verdict(evaluate(), alpha=5)
    with pytest.raises(
        lf.LexiframeError, match="verdict: expected family to be one of 'measure', 'all'"
    ):
        lf.verdict(evaluate(), family="pairs")


@pytest.mark.parametrize("name", ["family", "gain", "rival", "n_runs", "n_best", "there"])
def test_attributes_may_be_called_like_what_a_verdict_is_worked_out_with(name):
    renamed = REQUESTS.rename({"kind": name})
    e = evaluate(requests=renamed, by=name)
    expected = lf.verdict(evaluate(requests=REQUESTS, by="kind")).drop("sentence")
    assert lf.verdict(e).drop("sentence").equals(expected.rename({"kind": name}))
    assert f"for {name} = x, " in lf.verdict(e)["sentence"][1]
    assert name in str(e)


@pytest.mark.parametrize("name", ["best", "sentence", "n_pairs"])
def test_attributes_called_like_a_column_of_the_verdict(name):
    with pytest.raises(lf.LexiframeError, match=f"by: {name} is a column of the table already"):
        evaluate(requests=REQUESTS.rename({"kind": name}), by=name)


def test_attributes_that_there_are_not():
    with pytest.raises(lf.LexiframeError, match="by: expected attributes of requests, found none"):
        evaluate(by="kind")
    for requests in (REQUESTS, REQUESTS.rename({"qid": "query_id"})):
        with pytest.raises(lf.LexiframeError, match="each would be a group of its own"):
            evaluate(requests=requests, by=requests.columns[0])


def test_by_without_requests_on_the_command_line(capsys, monkeypatch):
    from lexiframe.core.cli.app import main

    files = [str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "runs")]
    for command in ("evaluate", "compare"):
        monkeypatch.setattr("sys.argv", ["lexiframe", command, *files, "--by", "kind"])
        with pytest.raises(SystemExit):
            main()
        assert "--requests FILE" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["measure", "run_a", "method"])
def test_attributes_called_like_what_identifies_a_row(name):
    d = evaluate().preferences
    with pytest.raises(lf.LexiframeError, match=f"by: {name} is a column of the table already"):
        lf.compare(d, by=name)


def test_matrices_and_request_win_rates_within_groups():
    e = evaluate(requests=REQUESTS, by="kind", measures=("RR", "LR"))
    d, within = e.preferences, {"requests": REQUESTS, "by": "kind"}
    of_x = d.filter(pl.col("query_id").is_in(REQUESTS.filter(kind="x")["qid"].implode()))
    for found, expected in (
        (lf.win_rate_matrix(d, "LR", **within), lf.win_rate_matrix(of_x, "LR")),
        (lf.request_win_rates(d, how="mean", **within), lf.request_win_rates(of_x, how="mean")),
        (
            lf.agreement_matrix(e.correlations, by="kind"),
            lf.agreement_matrix(e.correlations.filter(kind="x")),
        ),
    ):
        assert found.filter(kind="x").drop("kind").equals(expected)
        assert found["kind"].unique().sort().to_list() == [None, "x", "y"]


def test_kemeny_is_refused_before_the_work_is_done():
    many = {f"r{n}": [1] * 12 for n in range(13)}
    with pytest.raises(lf.LexiframeError, match="at most 12 runs, found 13"):
        evaluate(many, ["LR"], order="kemeny")
    assert evaluate(many, ["RR"], order="kemeny").orderings["method"].unique().item() == "mean"


def test_errors_name_the_group():
    one = REQUESTS.with_columns(kind=pl.Series(["x"] + ["y"] * 11))
    with pytest.raises(lf.LexiframeError, match="kind = x: swap_rates: expected "):
        lf.swap_rates(evaluate().scores, requests=one, by="kind")


def test_two_runs_and_one_request_are_said_in_the_singular():
    requests = REQUESTS.with_columns(one=pl.Series(range(12)) == 0, two=pl.lit("z"))
    e = evaluate({"a": [1] * 12, "b": [5] * 12}, requests=requests, by=["one", "two"])
    v = lf.verdict(e, family="all")
    how = "paired t-test, Holm's correction over the 2 pairs of all measures and groups, α = 0.05"
    of_one = "a is ahead; no test is possible with one request."
    of_many = "By RR for one = False and two = z, a is best; the other run is significantly worse."
    assert v["sentence"].to_list() == [
        f"{of_many} 1 of 1 pair of runs differs significantly ({how}, n = 11 requests).",
        f"1 request: too few for any conclusion by RR for one = True and two = z; {of_one}",
    ]
    assert v["not_worse"].to_list() == [[], []]
    assert "no test is possible " in str(e.summary("all"))
    assert "1 request: too few for any conclusion by RR for one = True and two = z;" in str(e)
    assert "Holm's correction over the one pair, " in lf.verdict(e)["sentence"][0]


def test_print_names_few_runs_and_tests_when_there_are_several(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    e = evaluate({f"r{n}": [1] * 12 for n in range(9)}, test=["t", "sign"])
    assert "9 runs share the first place by RR." in str(e)
    assert "r0 and r1 tie in every request by all measures, and so do 35 more pairs" in str(e)


def test_titles_in_html_hold_no_markup():
    page = evaluate(
        requests=REQUESTS.with_columns(kind=pl.lit("<b>")), by="kind", measures=["RR", "AP"]
    )
    assert "orderings, kind = &lt;b&gt;</h3>" in page.summary("all")._repr_html_()


def test_tables_without_rows_have_the_columns_of_the_groups():
    s = evaluate().scores
    for function in (lf.order_runs, lf.tie_rates, lf.rank_distributions, lf.sign_agreement):
        expected = function(s.join(REQUESTS.rename({"qid": "query_id"}), on="query_id"), by="kind")
        empty = s.clear().with_columns(kind=pl.lit("x"))
        assert function(empty, by="kind").schema == expected.schema, function.__name__
    with pytest.raises(
        lf.LexiframeError, match="compare: expected preferences between runs, or scores"
    ):
        lf.compare(s.clear().with_columns(kind=pl.lit("x")), by="kind")


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_the_direction_is_that_of_the_test(test):
    """The mean favours one run, and nearly all requests the other."""
    e = evaluate({"mean": [1, 5] * 6, "often": [1, 5] * 6})
    values = {"mean": [1.0, *[0.0] * 11], "often": [0.0, *[0.01 * n for n in range(1, 12)]]}
    s = pl.DataFrame({"query_id": [f"q{n}" for n in range(12)], "measure": "RR", **values})
    s = s.unpivot(["mean", "often"], index=["query_id", "measure"], variable_name="run")
    assert s.group_by("run").agg(pl.col("value").mean()).sort("value")["run"][1] == "mean"
    e = dataclasses.replace(e, orderings=lf.order_runs(s, "mean"))
    row = lf.verdict(e, lf.compare(s, test, alpha=0.1), alpha=0.1).row(0, named=True)
    assert (row["best"], row["not_worse"], row["n_significant"]) == (["mean"], ["often"], 1)
    assert row["favoured"] == ["often"]
    compared = {"sign": "requests won and lost", "wilcoxon": "ranks of differences"}[test]
    said = f"The test compares {compared}, by which often is significantly better than mean. "
    assert f"{said}1 of 1" in row["sentence"]


def ranked(e, *runs):
    """The evaluation with its runs in another order, as a method could order them."""
    ranks = pl.DataFrame({"run": runs, "rank": [float(n + 1) for n in range(len(runs))]})
    o = e.orderings.drop("rank").join(ranks, on="run").select(e.orderings.columns)
    return dataclasses.replace(e, orderings=o)


def test_where_the_order_and_the_tests_point_to_different_runs():
    """The order says far, which others beat in all requests (mixed in 6 of 12)."""
    row = lf.verdict(ranked(evaluate(measures=["LR"]), "far", "mixed", "near", "best")).row(
        0, named=True
    )
    assert (row["best"], row["not_worse"]) == (["far"], ["mixed", "near", "best"])
    assert row["favoured"] == ["near", "best"]
    said = (
        "The test compares mean differences, by which near and best are significantly better than "
        "far. "
    )
    assert said in row["sentence"]


def test_runs_ahead_that_are_not_significantly_better():
    e = ranked(evaluate(alpha=0.01), "near", "best", "mixed", "far")
    row = lf.verdict(e).row(0, named=True)
    assert row["favoured"] == ["best"]
    assert "significantly better" not in row["sentence"]  # best is ahead, and nothing shows it
    mixed = lf.verdict(ranked(evaluate(), "mixed", "near", "far", "best")).row(0, named=True)
    assert mixed["favoured"] == ["near", "best"]
    assert "near and best are significantly better than mixed. " in mixed["sentence"]


def test_a_significantly_better_run_is_named_even_when_another_best_run_is_not_worse():
    runs = {"a": [3] * 12, "b": [1] * 12, "c": [2] * 12}
    e = evaluate(runs)
    o = pl.DataFrame({"run": ["a", "b", "c"], "rank": [1.5, 1.5, 3.0]})
    o = e.orderings.drop("rank").join(o, on="run").select(e.orderings.columns)
    row = lf.verdict(dataclasses.replace(e, orderings=o)).row(0, named=True)
    assert (row["best"], row["not_worse"], row["favoured"]) == (["a", "b"], [], ["c"])


def test_a_run_ahead_of_one_best_run_only_is_not_favoured_unless_significantly():
    runs = {"a": [2] * 12, "b": [1] * 12, "c": [1] * 11 + [5]}
    e = evaluate(runs, alpha=1e-9)
    o = pl.DataFrame({"run": ["a", "b", "c"], "rank": [1.5, 1.5, 3.0]})
    o = e.orderings.drop("rank").join(o, on="run").select(e.orderings.columns)
    row = lf.verdict(dataclasses.replace(e, orderings=o)).row(0, named=True)
    assert (row["best"], row["favoured"]) == (["a", "b"], [])


def test_the_first_sentence_names_them_when_there_are_any(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    e = ranked(evaluate(measures=["LR"]), "far", "mixed", "near", "best")
    assert "the test favours near and best significantly" in str(e)
    assert "the test favours" not in str(evaluate(measures=["LR"]))


def test_on_real_runs_the_order_and_the_share_of_requests_won_differ(shared):
    """LP of Robust 2003: one run is first by MC4, another wins the most requests."""
    folder = shared / "data" / "trec_robust_2003"
    e = lf.evaluate(folder / "runs", folder / "qrels.trec", ["LP"], order="mc4")
    o = lf.order_runs(e.preferences, "win_rate")
    first = {
        name: t.filter(rank=1)["run"].item() for name, t in (("mc4", e.orderings), ("share", o))
    }
    assert first["mc4"] != first["share"]
    assert lf.verdict(e)["best"].to_list() == [[first["mc4"]]]
    usual = lf.evaluate(folder / "runs", folder / "qrels.trec", ["LP"])
    assert lf.verdict(usual)["best"].to_list() == [[first["share"]]]


def test_one_sided_tests_have_no_verdict():
    """They would find a run worse or not by what it is called."""
    e = evaluate(alternative="less")
    with pytest.raises(lf.LexiframeError, match="verdict: expected two-sided tests, found t"):
        lf.verdict(e)
    assert "Verdict" not in str(e)
    assert lf.verdict(e, lf.compare(e.scores))["best"].to_list() == [["best"]]


def test_a_table_that_helps_to_decide_is_put_into_words():
    """In whatever library it is, and alone: it has its own measures and level."""
    found = lf.unjudged(
        pl.DataFrame({"run": "a", "query_id": "q", "doc_id": ["x", "y"], "score": [2, 1]}),
        pl.DataFrame({"query_id": "q", "doc_id": ["x"], "relevance": [1]}),
    )
    said = lf.verdict(found)
    assert said.columns[-1] == "sentence"
    assert said.height
    assert lf.verdict(found.to_pandas()).equals(said)
    with pytest.raises(TypeError, match="comparisons, alpha and family are for the result of eval"):
        lf.verdict(found, alpha=0.01)
