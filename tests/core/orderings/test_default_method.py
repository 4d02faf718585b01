"""`order_runs` without a method: scores by their mean, preferences by shares won."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences, scores

# a has the greatest mean, b wins two of three requests
S = scores({"a": [1.0, 0.0, 0.0], "b": [0.0, 0.1, 0.1]})
D = preferences({"ab": [1.0, -0.1, -0.1]})


@pytest.mark.parametrize("given", [S, S.lazy(), S.to_arrow(), S.to_pandas()])
def test_scores_are_ordered_by_mean(given):
    o = lf.order_runs(given)
    assert o.equals(lf.order_runs(S, "mean"))
    assert o.select("run", "method").rows() == [("a", "mean"), ("b", "mean")]


def test_a_stream_is_read_once():
    assert lf.order_runs(S.to_arrow().to_reader()).equals(lf.order_runs(S))


def test_preferences_are_ordered_by_the_share_of_requests_won():
    o = lf.order_runs(D)
    assert o.equals(lf.order_runs(D, "win_rate"))
    assert o.select("run", "method").rows() == [("b", "win_rate"), ("a", "win_rate")]


@pytest.mark.parametrize(
    "options", [{"iterations": 10}, {"teleport": 0.1}, {"votes": "preference"}]
)
def test_an_option_of_mc4_asks_for_it(options):
    assert lf.order_runs(S, **options).equals(lf.order_runs(S, "mc4", **options))


def test_who_asks_gets_another_order_of_scores():
    assert lf.order_runs(S, "mc4")["run"].to_list() == ["b", "a"]


def test_groups_are_ordered_by_mean_too():
    grouped = S.with_columns(kind=pl.lit("x"))
    assert lf.order_runs(grouped, by="kind").drop("kind").equals(lf.order_runs(S))
