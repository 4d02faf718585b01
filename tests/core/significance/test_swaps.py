"""`swap_rates` and `swap_curve` on cases worked by hand, and at their edges."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.resampling import halves
from tests.small_tables import preferences, scores


def only_row(*args, **options):
    return lf.swap_rates(*args, **options).row(0, named=True)


def test_two_requests_that_disagree_always_swap():
    row = only_row(preferences({"ab": [1.0, -0.5]}), splits=7)
    assert row == {
        "measure": "mine",
        "n_pairs": 1,
        "splits": 7,
        "half": 1,
        "swap_rate": 1.0,
        "tie_rate": 0.0,
        "swap_rate_sd": 0.0,
    }


@pytest.mark.parametrize(
    "values, swap_rate, tie_rate",
    [
        ([0.5, 0.25, 1.0], 0.0, 0.0),
        ([0.0, 0.0, 0.0], 0.0, 1.0),
        ([0.25, 0.25, 0.25, 0.25], 0.0, 0.0),
        ([1.0, -1.0, 1.0, -1.0], 1 / 3, 2 / 3),  # {1, 3} against {2, 4}; else both tie
        ([0.1 + 0.2, -0.3, 1.0, 1.0], 0.0, 1 / 3),  # {1, 2} is 0 but for rounding
        ([1.0, 1.0, -1.0], 2 / 3, 0.0),  # one is left out: the loser, or one of the others
    ],
)
def test_shares_of_all_splits(values, swap_rate, tie_rate):
    """The splits are drawn: within five standard errors."""
    row = only_row(preferences({"ab": values}), splits=5000)
    assert row["swap_rate"] == pytest.approx(swap_rate, abs=5 * 0.5 / 5000**0.5 * (swap_rate > 0))
    assert row["tie_rate"] == pytest.approx(tie_rate, abs=5 * 0.5 / 5000**0.5 * (0 < tie_rate < 1))
    p = row["swap_rate"]
    assert row["swap_rate_sd"] == pytest.approx((p * (1 - p) * 5000 / 4999) ** 0.5)


def test_halves_are_disjoint_and_every_request_is_as_likely():
    first, second = next(halves(7, 20_000, 0, block=20_000))
    assert (first + second).max() == 1
    assert set(first.sum(axis=1)) == set(second.sum(axis=1)) == {3.0}
    for half in (first, second):
        np.testing.assert_allclose(half.mean(axis=0), 3 / 7, atol=0.02)
    together = (first[:, 0] * first[:, 1]).mean()
    assert together == pytest.approx(3 / 7 * 2 / 6, abs=0.02)


def test_a_pair_without_requests_in_a_half_is_not_counted():
    """Only splits that part requests 1 and 2 count for ac; for ad, with one request, none does."""
    d = preferences({"ab": [1.0] * 4, "ac": [1.0, -1.0, None, None], "ad": [1.0, None, None, None]})
    together = lf.swap_rates(d, splits=300).row(0, named=True)
    alone = only_row(d.filter(pl.col("run_b") == "c"), splits=300)
    assert (together["n_pairs"], alone["n_pairs"]) == (3, 1)
    assert alone["swap_rate"] == 1.0
    assert 300 < lf.swap_curve(d, splits=300)["n"].sum() < 600
    assert 0.2 < together["swap_rate"] < 0.5


def test_when_no_pair_is_ever_counted_there_is_no_rate():
    d = preferences({"ab": [1.0, None], "ac": [None, 1.0]})
    row = only_row(d, splits=5)
    assert (row["n_pairs"], row["half"]) == (2, 1)
    assert row["swap_rate"] is row["tie_rate"] is row["swap_rate_sd"] is None
    curve = lf.swap_curve(d, splits=5, bins=2)
    assert curve["n"].to_list() == [0, 0]
    assert curve["swap_rate"].to_list() == [None, None]


def test_a_curve_has_as_many_bins_as_one_can_look_at():
    with pytest.raises(lf.LexiframeError, match="expected at most 10,000 bins, found 10,001"):
        lf.swap_curve(preferences({"ab": [1.0, 0.5]}), splits=5, bins=10_001)


def test_a_curve_by_hand():
    """Request 1 in the first half: 1, and a swap; request 2: 0.25, and a swap; ac holds."""
    d = preferences({"ab": [1.0, -0.25], "ac": [0.5, 0.25]})
    curve = lf.swap_curve(d, splits=100, bins=4)
    first, _ = next(halves(2, 100, 0, block=100))
    n = int(first[:, 0].sum())
    assert curve.rows() == [
        ("mine", 0.0, 0.25, 0, None),
        ("mine", 0.25, 0.5, 2 * (100 - n), 0.5),
        ("mine", 0.5, 0.75, n, 0.0),
        ("mine", 0.75, 1.0, n, 1.0),
    ]


def test_runs_that_are_the_same_have_one_bin():
    s = scores({"a": [0.5, 0.25, 1.0], "b": [0.5, 0.25, 1.0]})
    assert lf.swap_curve(s, splits=9).rows() == [("mine", 0.0, 0.0, 9, 0.0)]
    assert only_row(s)["tie_rate"] == 1.0


def test_less_is_better_for_lengths():
    s = scores({"a": [1.0, 2.0], "b": [2.0, 3.0]})
    for measure in ("AP", "ISL"):
        assert only_row(s.with_columns(measure=pl.lit(measure)))["swap_rate"] == 0


def test_the_same_seed_the_same_splits_for_every_measure():
    values = [1.0, -0.5, 0.25, 0.5, -1.0]
    one, two = preferences({"ab": values}, "m1"), preferences({"ab": values}, "m2")
    both = lf.swap_rates(pl.concat([one, two]), splits=50)
    assert both.row(0)[1:] == both.row(1)[1:]
    other = lf.swap_rates(pl.concat([one, two]), splits=50, seed=1)
    assert other["swap_rate"].to_list() != both["swap_rate"].to_list()


@pytest.mark.parametrize("function", [lf.swap_rates, lf.swap_curve])
def test_arguments_that_cannot_be(function):
    d, name = preferences({"ab": [1.0, -0.5]}), function.__name__
    message = f"{name}: expected two or more requests, to split them into halves, found 1 for mine"
    with pytest.raises(lf.LexiframeError, match=message):
        function(d.head(1))
    with pytest.raises(lf.LexiframeError, match=f"{name}: expected splits to be a whole number"):
        function(d, splits=0)
    with pytest.raises(lf.LexiframeError, match=f"{name}: expected seed to be a whole number"):
        function(d, seed=-1)
    message = f"{name}: expected preferences between runs, or scores of two runs, found none"
    for none in (d.clear(), scores({"a": [1.0, 0.5]})):
        with pytest.raises(lf.LexiframeError, match=message):
            function(none)


@pytest.mark.parametrize("bins", [0, 1.5])
def test_bins_are_a_whole_number(bins):
    with pytest.raises(lf.LexiframeError, match="swap_curve: expected bins to be a whole number"):
        lf.swap_curve(preferences({"ab": [1.0, -0.5]}), bins=bins)
