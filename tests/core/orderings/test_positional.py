"""Orderings by mean, win rate, Borda and Copeland, on cases worked by hand."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import RULES, preferences, scores

S = scores({"a": [1.0, 1.0], "b": [1.0, 0.0], "c": [0.0, 0.0]})
CYCLE = preferences({"ab": [1], "ac": [-1], "bc": [1]})


def order(table, method, column="value"):
    o = lf.order_runs(table, method)
    assert o["method"].unique().to_list() == [method]
    return dict(o.sort("run").select("run", column).iter_rows())


def test_mean_of_scores_and_of_preferences():
    assert order(S, "mean") == {"a": 1.0, "b": 0.5, "c": 0.0}
    d = preferences({"ab": [0.5, 0.0], "ac": [1.0, 0.5], "bc": [-0.5, 0.0]})
    assert order(d, "mean") == {"a": 0.5, "b": -0.25, "c": -0.25}
    assert order(d, "mean", "rank") == {"a": 1, "b": 2.5, "c": 2.5}


def test_win_rate_counts_ties_as_half_a_win():
    """a against b: a win and a tie, 3/4; against c two wins, 1. b against c: a win and a tie."""
    assert order(S, "win_rate") == {"a": 7 / 8, "b": 1 / 2, "c": 1 / 8}
    assert order(S, "win_rate", "rank") == {"a": 1, "b": 2, "c": 3}


def test_borda_with_mid_ranks():
    """Ranks 1.5, 1.5, 3 and 1, 2.5, 2.5, taken from the number of runs."""
    assert order(S, "borda") == {"a": 1.75, "b": 1.0, "c": 0.25}


def test_borda_takes_win_rates_that_are_nearly_equal_for_equal():
    d = preferences({"ab": [0.0], "ac": [0.1 + 0.2], "bc": [0.3]})
    assert order(d, "borda") == {"a": 1.5, "b": 1.5, "c": 0.0}


def test_copeland_counts_majorities_won_minus_lost():
    d = preferences({"ab": [1, 1, -1], "ac": [0.1, -1, 0], "bc": [0, 0, 0.1]})
    assert order(d, "copeland") == {"a": 1, "b": 0, "c": -1}
    assert lf.majority_cycles(d).is_empty()


def test_copeland_warns_of_cycles_and_they_tie():
    with pytest.warns(lf.LexiframeWarning) as caught:
        o = lf.order_runs(CYCLE, "copeland")
    assert [str(w.message) for w in caught] == [
        "majorities form 1 cycles (mine: a, b, c); majority_cycles lists them"
    ]
    assert caught[0].filename == __file__
    assert o.select("run", "value", "rank").rows() == [("a", 0, 2), ("b", 0, 2), ("c", 0, 2)]


def test_the_cycles_of_several_measures():
    two = {"ab": [1], "ac": [-1], "bc": [1], "de": [1], "df": [-1], "ef": [1]}
    apart = {a + b: [1] for a in "abc" for b in "def"}
    d = pl.concat([CYCLE, preferences(two | apart, "two"), preferences({"ab": [1]}, "none")])
    assert lf.majority_cycles(d).group_by("measure", "cycle", maintain_order=True).agg(
        pl.col("run").str.join("")
    ).rows() == [("mine", 1, "abc"), ("two", 1, "abc"), ("two", 2, "def")]
    with pytest.warns(lf.LexiframeWarning, match=r"3 cycles \(mine: a, b, c; two: a, b, c; two: d"):
        lf.order_runs(d, "copeland")


@pytest.mark.parametrize("method", RULES)
def test_when_all_tie_all_share_the_middle_rank(method):
    tied = preferences({"ab": [0, 0], "ac": [0, 0], "bc": [0, 0]})
    assert order(tied, method, "rank") == dict.fromkeys("abc", 2.0)
    same = scores({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.2, 0.3, 0.1]})
    assert order(same, "mean", "rank") == dict.fromkeys("abc", 2.0)


@pytest.mark.parametrize("method", RULES)
def test_one_request_and_two_runs(method):
    assert order(preferences({"ab": [-0.5]}), method, "rank") == {"a": 2, "b": 1}
    assert order(scores({"a": [0.5], "b": [0.25]}), method, "rank") == {"a": 1, "b": 2}


@pytest.mark.parametrize("method", RULES)
def test_a_run_that_one_measure_lacks_is_not_ordered_by_it(method):
    s = pl.concat(
        [scores({"a": [1.0], "b": [0.5]}), scores({"a": [1.0], "b": [0], "c": [0.5]}, "z")]
    )
    o = lf.order_runs(s, method).filter(measure="mine")
    assert o.select("run", "rank").rows() == [("a", 1), ("b", 2)]
