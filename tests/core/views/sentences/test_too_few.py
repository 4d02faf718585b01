"""What a verdict says where requests or trials are too few for any conclusion, and only there."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import scores

QRELS = {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 1, "d2": 1}}
A = {"d1": 3, "d2": 2, "x": 1}
TWO = {"a": [0.5, 0.6], "b": [0.2, 0.4]}


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Sentences are on one line each."""
    monkeypatch.setenv("COLUMNS", "1000")


def first(e):
    """The sentences that an evaluation prints first."""
    return str(e).partition("\n\n")[0].splitlines()


def of_scores(runs, measures=("AP",), **options):
    """An evaluation of the same scores by some measures; the largest of them would be no AP."""
    small = pl.col("value") / 1024
    s = pl.concat([scores(runs, m).with_columns(small) for m in measures])
    return lf.evaluate_scores(s, **options)


def test_the_bootstrap_draws_one_request_alone_in_half_of_the_trials():
    e = of_scores(TWO, test="bootstrap")
    assert first(e)[0].startswith("2 requests: too few for any conclusion by AP;")
    assert 0.45 < e.comparisons["least_p"].item() < 0.55


@pytest.mark.filterwarnings("ignore:compare. no p-value of 100 trials")
@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_trials_may_be_too_few(test):
    runs = {f"r{n}": [n + 0.1 * (q * q * (n + 1) % 11) for q in range(30)] for n in range(10)}
    said = "100 trials: too few for any conclusion about 45 pairs by AP; r9 is first."
    assert first(of_scores(runs, test=test, trials=100)) == [said]


def test_measures_without_a_request_in_common_are_named():
    apart = scores({"a": [0.5, 0.2, None, None], "b": [None, None, 0.2, 0.4]}, "AP")
    s = pl.concat([apart, scores(TWO, "RR")])
    e = lf.evaluate_scores(s, missing="own", test="sign")
    nothing = "No two runs have a request in common: nothing can be concluded by AP; a is first."
    assert first(e)[1:] == [
        nothing, "2 requests: too few for any conclusion by RR; a is ahead in both.",
    ]  # fmt: skip
    assert e.verdict.select("measure", "too_few", "n_pairs", "untested").rows() == [
        ("AP", True, 0, ["b"]), ("RR", True, 1, []),
    ]  # fmt: skip
    alone = lf.evaluate_scores(apart, missing="own")
    assert nothing in first(alone)
    assert str(alone.verdict).startswith(nothing)


@pytest.mark.slow
def test_against_a_baseline():
    runs = {"a": [0.5, 0.6], "b": [0.2, 0.4], "c": [0.1, 0.1]}
    few = "2 requests: too few for any conclusion by AP; "
    e = of_scores(runs, test="sign", baseline="b")
    assert first(e) == [f"{few}a is ahead of b, and c is behind it."]
    assert e.verdict["too_few"].to_list() == [True]
    assert e.verdict["sentence"][0].startswith(f"{few}a is ahead of b, and c is behind it (the")
    assert first(of_scores(TWO, test="sign", baseline="a")) == [f"{few}a is ahead in both."]
    assert first(of_scores(TWO, test="sign", baseline="b")) == [f"{few}a is ahead in both."]


def test_one_sided_tests():
    side = {"test": "sign", "alternative": "greater"}
    four = {"a": [0.5, 0.6, 0.4, 0.7], "b": [0.2, 0.4, 0.3, 0.6]}
    few = "4 requests: too few for any conclusion by AP; a is first."
    assert first(of_scores(four, **side)) == [few]
    five = {run: [*values, values[0]] for run, values in four.items()}
    assert first(of_scores(five, **side))[0].startswith("Significant: 1 of 1 pairs by AP; the test")


# --- What can be concluded, in few words ----------------------------------------------------------


MEASURES = ["AP", "RR", "nDCG@10", "nDCG", "P@5", "P@10", "R@100", "Success@10", "nDCG@5", "R@10",
            "RBP(p=0.5)", "RBP(p=0.8)"]  # fmt: skip


def many(n_runs, n_requests):
    """Scores of runs that differ in another order by each measure."""
    rng = np.random.default_rng(3)
    parts = []
    for measure in MEASURES:
        values = rng.random(n_requests) + rng.normal(0, 0.1, (n_runs, 1))
        values += rng.normal(0, 0.1, values.shape)
        parts.append(scores({f"run{n}": list(row) for n, row in enumerate(values)}, measure))
    return pl.concat(parts)


@pytest.mark.slow
@pytest.mark.parametrize("n_runs, n_requests", [(110, 40), (110, 2), (4, 40), (2, 40)])
@pytest.mark.parametrize("baseline", [None, "run1"])
def test_all_measures_are_named_in_a_few_lines(n_runs, n_requests, baseline, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    e = lf.evaluate_scores(many(n_runs, n_requests), baseline=baseline)
    said = str(e).partition("\n\n")[0]
    assert len(said.splitlines()) <= 12
    words = said.replace("\n", " ")
    if "all 12 measures" not in words:
        assert all(words.count(f" {measure}") for measure in MEASURES)
    assert "verdict" not in words
    assert ("all others" in words) <= (n_runs > 2)


@pytest.mark.slow
def test_first_runs_are_listed_where_they_differ_by_many_measures():
    runs = "abcde"
    s = [
        scores({run: [(q + (2.0 if run == best else 0.0) + n * 0.01 * (-1) ** q) / 1024
                      for q in range(8)] for n, run in enumerate(runs)}, measure)
        for best, measure in zip(runs, ["AP", "RR", "P@1", "P@5", "nDCG"], strict=True)
    ]  # fmt: skip
    assert first(lf.evaluate_scores(pl.concat(s), correction="none")) == [
        (
            "a is best by AP, b by RR, c by P@1, d by P@5, e by nDCG; by each measure all others "
            "are significantly worse."
        )
    ]


def test_measures_of_the_same_first_run_share_a_sentence_where_there_are_many(shared):
    folder = shared / "data" / "trec_robust_2003"
    e = lf.evaluate(folder / "runs", folder / "qrels.trec", test="t")
    assert first(e)[:3] == [
        "pircRBa1 is best by RPP and LR: all others are significantly worse.",
        "THUIRr0301 is first by LP, nDCG@10 and RR; 2 to 4 others are not significantly worse.",
        "pircRBa1 is first by AP; uwmtCR0 is not significantly worse.",
    ]


@pytest.mark.slow
def test_where_first_runs_differ_each_measure_names_its_own(shared):
    folder = shared / "data" / "trec_dl_2019_passage"
    e = lf.evaluate(folder / "runs", folder / "qrels.trec", test="t")
    assert first(e)[0] == (
        "idst_bert_p1 and idst_bert_p3 share the first place by RPP; bm25tuned_ax_p is first by "
        "LR, idst_bert_pr1 by LP and RR, idst_bert_p3 by AP, idst_bert_p1 by nDCG@10; by each "
        "measure 8 to 35 others are not significantly worse."
    )
