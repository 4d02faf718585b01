"""Ranks under drawn requests, on cases worked by hand."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.orderings.in_samples import weighted_sums
from tests.small_tables import RULES, preferences, scores


@pytest.mark.parametrize("method", RULES)
@pytest.mark.slow
def test_identical_runs_tie_in_every_sample(method):
    """However large their values, and wherever they stand in the alphabet."""
    rng = np.random.default_rng(0)
    worse, same = rng.random(23), 1e7 * rng.random(23)
    s = scores({"a": same, "b": worse, "c": same, "d": worse, "e": same, "f": worse, "g": same})
    found = lf.order_probabilities(s, method, samples=50)
    tied = {("a", "c"), ("a", "e"), ("a", "g"), ("c", "e"), ("c", "g"), ("e", "g")}
    tied |= {("b", "d"), ("b", "f"), ("d", "f")}
    for _, _, a, b, *shares in found.iter_rows():
        if (a, b) in tied:
            assert shares == [0, 1, 0]
        else:
            assert shares == ([1, 0, 0] if a in "aceg" else [0, 0, 1])
    ranks = lf.rank_distributions(s, method, samples=50)
    assert ranks.select("run", "rank", "probability").rows() == [
        (run, 2.5 if run in "aceg" else 6, 1) for run in "abcdefg"
    ]


def test_the_sums_of_equal_columns_are_equal_to_the_last_bit():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.random((31, 3)), 7, axis=1)
    weights = rng.integers(0, 4, (9, 31)).astype(float)
    sums = weighted_sums(weights, values)
    assert (sums.reshape(9, 3, 7) == sums.reshape(9, 3, 7)[:, :, :1]).all()
    np.testing.assert_allclose(sums, weights @ values, rtol=1e-14)


def test_two_requests_that_disagree():
    """Both drawn, the runs tie; one of them twice, it decides."""
    found = lf.order_probabilities(preferences({"ab": [1, -1]}), samples=4000, seed=1)
    a, tie, b = found.select("p_a_first", "p_tie", "p_b_first").row(0)
    assert (a, tie, b) == pytest.approx((0.25, 0.5, 0.25), abs=0.03)
    ranks = lf.rank_distributions(preferences({"ab": [1, -1]}), samples=4000, seed=1)
    assert ranks.select("run", "rank", "probability").rows() == [
        ("a", 1, a),
        ("a", 1.5, tie),
        ("a", 2, b),
        ("b", 1, b),
        ("b", 1.5, tie),
        ("b", 2, a),
    ]


def test_a_run_without_any_request_of_a_sample_is_last():
    s = scores({"a": [0.1, None], "b": [0.5, 0.5], "c": [0.2, 0.2]})
    found = lf.rank_distributions(s, samples=200, missing="own")
    assert {*found["rank"]} == {1.0, 2.0, 3.0}
    assert found.filter(run="a").select("rank", "probability").rows() == [(3.0, 1.0)]


@pytest.mark.parametrize("method", RULES)
def test_runs_that_no_request_of_a_sample_compares_tie(method):
    """b and c are compared by the first of two requests alone."""
    d = preferences({"ab": [-1, -1], "ac": [-1, -1], "bc": [1, None]})
    found = lf.order_probabilities(d, method, samples=200).filter(run_a="b")
    b, tie, c = found.select("p_a_first", "p_tie", "p_b_first").row(0)
    assert c == 0
    assert b + tie == pytest.approx(1)
    assert 0.1 < tie < 0.5


def test_a_measure_may_have_none_of_the_requests_of_a_sample():
    """Then all its runs tie."""
    rare = preferences({"ab": [1, None, None]}, "rare")
    d = pl.concat([rare, preferences({"ab": [1, 1, 1]})])
    tie = lf.order_probabilities(d, samples=300).filter(measure="rare")["p_tie"].item()
    assert tie == pytest.approx((2 / 3) ** 3, abs=0.1)
    s = pl.concat([scores({"a": [1, None], "b": [0, None]}, "rare"), scores({"a": [1, 2]})])
    found = lf.order_probabilities(s, samples=300)
    assert found.select("measure", "p_b_first").rows() == [("rare", 0)]
    assert found["p_tie"].item() == pytest.approx(1 / 4, abs=0.1)


@pytest.mark.parametrize("method", RULES)
def test_one_request_all_tied_nothing(method):
    one = lf.rank_distributions(preferences({"ab": [-0.5]}), method, samples=3)
    assert one.select("run", "rank", "probability").rows() == [("a", 2, 1), ("b", 1, 1)]
    tied = preferences({"ab": [0, 0], "ac": [0, 0], "bc": [0, 0]})
    assert {*lf.rank_distributions(tied, method, samples=3)["rank"]} == {2.0}
    for table in (preferences({}), scores({})):
        assert lf.rank_distributions(table, method).is_empty()
        assert lf.order_probabilities(table, method).is_empty()


def test_one_run_alone():
    s = scores({"a": [0.5, 0.25]})
    assert lf.rank_distributions(s, samples=3).select("run", "rank", "probability").rows() == [
        ("a", 1, 1)
    ]
    assert lf.order_probabilities(s, samples=3).is_empty()


def test_search_lengths_are_better_small():
    s = scores({"a": [5.0, 7.0], "b": [50.0, 70.0]}, "TSL")
    assert lf.order_probabilities(s, samples=5)["p_a_first"].item() == 1


@pytest.mark.parametrize("function", [lf.rank_distributions, lf.order_probabilities])
def test_the_seed_and_bad_arguments(function):
    s = scores({"a": [0.1, 0.9, 0.5, 0.3], "b": [0.2, 0.3, 0.6, 0.3]})
    assert function(s, seed=3).equals(function(s, seed=3))
    assert not function(s, seed=3).equals(function(s, seed=4))
    name = function.__name__
    for options, found in [
        ({"samples": 0}, "samples to be a whole number from 1, found 0"),
        ({"samples": True}, "samples to be a whole number, found a bool: True"),
        ({"seed": -1}, "seed to be a whole number from 0, found -1"),
    ]:
        with pytest.raises(lf.LexiframeError, match=f"^{name}: expected {found}"):
            function(s, **options)
    with pytest.raises(
        lf.LexiframeError, match=r"^order_runs: expected method to be one of 'mean', .*, f"
    ):
        function(s, "median")


def test_infinite_scores_have_no_bootstrap():
    s = scores({"a": [float("inf"), 1.0], "b": [2.0, 3.0]})
    assert lf.order_runs(s, "mean")["run"].to_list() == ["a", "b"]
    for function in (lf.rank_distributions, lf.order_probabilities, lf.bootstrap_correlations):
        message = f"^{function.__name__}: expected finite values, found 1 that are infinite; a mean"
        with pytest.raises(lf.LexiframeError, match=message):
            function(s)
