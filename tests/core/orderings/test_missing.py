"""Runs that lack requests: no order unless it is said what a missing value means."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.orderings.means import best_first, run_means
from tests.small_tables import preferences, scores

EASY = {"a": [0.9, None, None], "b": [0.5, 0.3, 0.1], "c": [0.6, None, 0.4]}
"""a has one easy request."""


def test_strengths_of_pairs_that_met_order_runs_with_different_requests():
    """They need no request of all runs: a wins 2 of 3 against b and both against c, b 1 of 2."""
    d = preferences({"ab": [1, 1, -1, None], "ac": [None, None, 1, 1], "bc": [None, 1, -1, None]})
    o = lf.order_runs(d, "bradley_terry")
    assert o.select("run", "rank").rows() == [("a", 1), ("b", 2), ("c", 3)]


def test_correlations_of_such_orders_are_refused():
    s = pl.concat([scores(EASY), scores(EASY, "other")])
    with pytest.raises(lf.LexiframeError, match="missing='common'"):
        lf.bootstrap_correlations(s, samples=5)
    found = lf.bootstrap_correlations(s, samples=5, missing="common")
    assert found["correlation"].to_list() == [1.0]


def test_preferences_of_different_requests_have_no_order():
    d = preferences({"ab": [1, 1], "ac": [None, 1], "bc": [None, 1]})
    with pytest.raises(lf.LexiframeError, match=r"1 of 3 runs .* 2 requests \('c' lacks 1\)"):
        lf.order_runs(d, "mean")
    assert lf.order_runs(d, "win_rate", missing="common")["run"].to_list() == ["a", "b", "c"]
    with pytest.raises(lf.LexiframeError, match="expected scores, found preferences"):
        lf.order_runs(d, "win_rate", missing="zero")


def plain_means(missing):
    """The mean of each run, computed run by run."""
    values = {run: list(of) for run, of in EASY.items()}
    if missing == "zero":
        values = {run: [0.0 if v is None else v for v in of] for run, of in values.items()}
    if missing == "common":
        kept = [n for n in range(3) if all(of[n] is not None for of in values.values())]
        values = {run: [of[n] for n in kept] for run, of in values.items()}
    return {run: np.mean([v for v in of if v is not None]) for run, of in values.items()}


@pytest.mark.parametrize("missing", ["zero", "common", "own"])
def test_what_is_said_is_done_and_the_order_says_so(missing):
    o = lf.order_runs(scores(EASY), "mean", missing=missing)
    assert dict(o.select("run", "value").rows()) == pytest.approx(plain_means(missing))
    assert o["run"].to_list() == sorted(EASY, key=lambda run: -plain_means(missing)[run])
    assert {*o["method"]} == {f"mean(missing='{missing}')"}
    stable = lf.rank_distributions(scores(EASY), samples=20, missing=missing)
    assert {*stable["method"]} == {f"mean(missing='{missing}')"}
    means = run_means(scores(EASY), missing=missing)
    assert dict(means.select("run", "mean").rows()) == pytest.approx(plain_means(missing))
    assert means["rank"].null_count() == 0


def test_means_are_shown_with_n_and_without_ranks():
    means = run_means(scores(EASY))
    assert means.select("run", "n", "rank").rows() == [
        ("a", 1, None),
        ("b", 3, None),
        ("c", 2, None),
    ]
    assert best_first(means, ["mine"])["run"].to_list() == ["a", "b", "c"]


def test_the_first_measure_that_has_ranks_orders_the_rows():
    s = pl.concat([scores(EASY, "AP"), scores({"a": [0.1], "b": [0.2], "c": [0.3]}, "RR")])
    assert best_first(run_means(s), ["AP", "RR"])["run"].to_list() == ["c", "b", "a"] * 2


@pytest.mark.parametrize("measure", ["ASL", "gm_map"])
def test_zero_is_refused_where_it_is_the_best_value(measure):
    with pytest.raises(lf.LexiframeError, match=f"found {measure}, of which 0 is the best"):
        lf.order_runs(scores(EASY, measure), "mean", missing="zero")


def test_zero_leaves_counts_alone():
    s = pl.concat([scores(EASY, "AP"), scores(EASY, "num_rel")])
    e = lf.evaluate_scores(s, missing="zero")
    assert e.scores.filter(measure="AP").height == 9
    assert e.scores.filter(measure="num_rel").height == 6


def test_no_common_request_is_an_error():
    s = scores({"a": [0.9, None], "b": [0.5, 0.3], "c": [None, 0.4]})
    with pytest.raises(lf.LexiframeError, match="requests that all runs have, found none by mine"):
        lf.order_runs(s, "mean", missing="common")


def test_an_unknown_word_is_an_error():
    with pytest.raises(lf.LexiframeError, match="expected missing to be one of 'zero'"):
        lf.order_runs(scores(EASY), "mean", missing="drop")
    with pytest.raises(lf.LexiframeError, match="expected missing to be one of 'zero'"):
        lf.evaluate_scores(scores(EASY), missing="drop")


def test_within_groups_each_group_is_looked_at():
    """In the group of the first request, all runs have all."""
    kinds = pl.DataFrame({"query_id": ["q0", "q1", "q2"], "kind": ["x", "y", "y"]})
    s = scores(EASY)
    kinds = kinds.with_columns(query_id=s["query_id"].unique().sort())
    means = run_means(s, requests=kinds, by="kind")
    assert means.filter(kind="x")["rank"].null_count() == 0
    assert means.filter(kind="y")["rank"].null_count() == 2
    with pytest.raises(lf.LexiframeError, match="kind"):
        lf.order_runs(s, "mean", requests=kinds, by="kind")


def test_mteb_has_no_order_of_all_models(shared):
    """The mean over what each model has puts a model with one easy task first (0.8998)."""
    s = pl.read_parquet(shared / "data" / "mteb_eng_v2" / "scores.parquet").select(
        run="model", query_id="task", measure=pl.lit("score"), value="score"
    )
    with pytest.raises(lf.LexiframeError, match="found 141 of 324 runs that lack some of the 41"):
        lf.order_runs(s, "mean")
    own = lf.order_runs(s, "mean", missing="own")
    assert own["value"][0] == pytest.approx(0.8998, abs=5e-5)
    assert own["method"][0] == "mean(missing='own')"
