"""Kendall's τ, tie rates and sign agreement, on cases worked by hand."""

import math

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences, scores


def orderings(**ranks):
    """An orderings table from measure={"a": rank, ...}; the method may follow: measure__method."""
    return pl.DataFrame(
        [
            (name.partition("__")[0], name.partition("__")[2] or "mean", run, -float(rank), rank)
            for name, by_run in ranks.items()
            for run, rank in by_run.items()
        ],
        schema={"measure": str, "method": str, "run": str, "value": float, "rank": float},
        orient="row",
    )


def tau(a, b):
    """From ranks of the runs a, b, c ..., in that order."""
    o = orderings(x=dict(zip("abcdef", a, strict=False)), y=dict(zip("abcdef", b, strict=False)))
    return lf.rank_correlations(o).row(0, named=True)


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ([1, 2, 3], [1, 2, 3], 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 3], [1, 3, 2], 1 / 3),
        ([1, 2, 3], [1.5, 1.5, 3], 2 / math.sqrt(3 * 2)),
        ([1.5, 1.5, 3], [1.5, 1.5, 3], 1.0),
        ([1.5, 1.5, 3, 4], [1, 2, 3.5, 3.5], 4 / math.sqrt(5 * 5)),
    ],
)
def test_kendalls_tau_b(a, b, expected):
    row = tau(a, b)
    assert row["correlation"] == pytest.approx(expected)
    assert (row["method"], row["ordering_a"], row["ordering_b"], row["n"]) == (
        "kendall",
        "x",
        "y",
        len(a),
    )


def test_the_p_value_of_independence():
    """Of the 6 orders of three runs 2 agree or disagree wholly; of 24 of four, 2."""
    assert tau([1, 2, 3], [1, 2, 3])["p_value"] == pytest.approx(2 / 6)
    assert tau([1, 2, 3, 4], [4, 3, 2, 1])["p_value"] == pytest.approx(2 / 24)


@pytest.mark.parametrize(
    "a, b, n",
    [([2, 2, 2], [1, 2, 3], 3), ([1, 2, 3], [2, 2, 2], 3), ([1], [1], 1), ([1.5, 1.5], [1, 2], 2)],
    ids=["all tied", "the other all tied", "one run", "two runs, tied"],
)
def test_without_an_order_there_is_no_correlation(a, b, n):
    row = tau(a, b)
    assert row["correlation"] is row["p_value"] is None
    assert row["n"] == n


def test_only_runs_in_both_orderings_count():
    o = orderings(x={"a": 1, "b": 2, "c": 3, "d": 4}, y={"e": 1, "d": 2, "c": 3, "b": 4})
    rows = lf.rank_correlations(o).select("ordering_a", "ordering_b", "correlation", "n").rows()
    assert rows == [("x", "y", -1.0, 3)]


def test_orderings_without_a_run_in_common():
    row = lf.rank_correlations(orderings(x={"a": 1, "b": 2}, y={"c": 1})).row(0, named=True)
    assert (row["correlation"], row["p_value"], row["n"]) == (None, None, 0)


def test_what_an_ordering_is_called():
    ranks = {"a": 1, "b": 2}
    by_measure = lf.rank_correlations(orderings(RPP__mc4=ranks, AP__mean=ranks))
    assert by_measure.select("ordering_a", "ordering_b").rows() == [("AP", "RPP")]
    by_both = lf.rank_correlations(orderings(RPP__mc4=ranks, RPP__borda=ranks, AP=ranks))
    assert by_both.select("ordering_a", "ordering_b").rows() == [
        ("AP mean", "RPP borda"),
        ("AP mean", "RPP mc4"),
        ("RPP borda", "RPP mc4"),
    ]


def test_one_ordering_correlates_with_nothing():
    assert lf.rank_correlations(orderings(x={"a": 1, "b": 2})).is_empty()


def test_tie_rates():
    d = pl.concat(
        [
            preferences({"ab": [1, 0, None], "ac": [0, 0, None], "bc": [-1, 0.5, None]}, "LP"),
            preferences({"ab": [1, 0, 0], "ac": [1, 1, 1], "bc": [1, 1, 1]}, "RR"),
        ]
    )
    assert lf.tie_rates(d).rows() == [("LP", 6, 3, 0.5), ("RR", 9, 2, 2 / 9)]
    assert lf.tie_rates(scores({"a": [0.5, 1], "b": [0.5, 0]})).rows() == [("mine", 2, 1, 0.5)]


def test_a_measure_that_one_run_alone_has_ties_nothing():
    s = pl.concat([scores({"a": [1.0], "b": [0.5]}), scores({"a": [1.0]}, "other")])
    assert lf.tie_rates(s)["measure"].to_list() == ["mine"]


def test_sign_agreement():
    """By rankings: x tells 3 apart, y 3, z 1; by means: x a, y a, z b."""
    d = pl.concat(
        [
            preferences({"ab": [1.0, 0.5, -0.25, 0.0]}, "x"),
            preferences({"ab": [0.1, -0.5, 0.0, 1.0]}, "y"),
            preferences({"ab": [0.0, 0.0, -1.0, 0.0]}, "z"),
        ]
    )
    table = lf.sign_agreement(d)
    assert table.select("measure_a", "measure_b", "n", "agree", "agreement").rows() == [
        ("x", "y", 3, 1, 1 / 3),
        ("x", "z", 3, 1, 1 / 3),
        ("y", "x", 3, 1, 1 / 3),
        ("y", "z", 3, 0, 0.0),
        ("z", "x", 1, 1, 1.0),
        ("z", "y", 1, 0, 0.0),
    ]
    assert table["n_systems"].to_list() == [1] * 6
    assert table["systems_agree"].to_list() == [1, 0, 1, 0, 0, 0]
    assert table["system_agreement"].to_list() == [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def test_measures_that_see_no_difference_agree_with_nothing():
    d = pl.concat([preferences({"ab": [0, 0]}, "x"), preferences({"ab": [1, -1]}, "y")])
    table = lf.sign_agreement(d).drop("measure_a", "measure_b")
    assert table.rows() == [(0, 0, None, 0, 0, None), (2, 0, 0.0, 0, 0, None)]
