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


def test_only_runs_in_both_orderings_count():
    o = orderings(x={"a": 1, "b": 2, "c": 3, "d": 4}, y={"e": 1, "d": 2, "c": 3, "b": 4})
    rows = lf.rank_correlations(o).select("ordering_a", "ordering_b", "correlation", "n").rows()
    assert rows == [("x", "y", -1.0, 3)]


def test_tie_rates():
    d = pl.concat(
        [
            preferences({"ab": [1, 0, None], "ac": [0, 0, None], "bc": [-1, 0.5, None]}, "LP"),
            preferences({"ab": [1, 0, 0], "ac": [1, 1, 1], "bc": [1, 1, 1]}, "RR"),
        ]
    )
    assert lf.tie_rates(d).rows() == [("LP", 6, 3, 0.5), ("RR", 9, 2, 2 / 9)]
    assert lf.tie_rates(scores({"a": [0.5, 1], "b": [0.5, 0]})).rows() == [("mine", 2, 1, 0.5)]


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


def test_intervals_of_sign_agreement():
    """x and y agree in the first of two requests: both, one or none of the draws are that.

    y ties the runs on average, so that it has no share of runs.
    """
    d = pl.concat([preferences({"ab": [1, 1]}, "x"), preferences({"ab": [1, -1]}, "y")])
    found = lf.sign_agreement(d, samples=200)
    assert found.columns[:8] == lf.sign_agreement(d).columns
    limits = found.select(found.columns[8:]).rows()
    assert limits == [(0, 1, 0, 1), (0, 1, None, None)]
    assert found.equals(lf.sign_agreement(d, samples=200))
    same = pl.concat([preferences({"ab": [1, 1]}, "x"), preferences({"ab": [1, 1]}, "y")])
    certain = lf.sign_agreement(same, samples=20)
    assert certain.select(certain.columns[8:]).rows() == [(None,) * 4] * 2  # no sample is certain


def test_intervals_where_a_measure_sees_no_difference():
    d = pl.concat([preferences({"ab": [0, 0]}, "x"), preferences({"ab": [1, 1]}, "y")])
    found = lf.sign_agreement(d, samples=5)
    assert found.select(found.columns[8:]).rows() == [(None,) * 4] * 2


def test_intervals_of_nothing():
    for table in (preferences({}), scores({}), preferences({"ab": [1]})):
        found = lf.sign_agreement(table, samples=5)
        assert found.is_empty()
        assert len(found.columns) == 12
        assert len(lf.sign_agreement(table).columns) == 8


@pytest.mark.parametrize(
    "options, message",
    [
        ({"samples": 0}, "expected samples to be a whole number from 1, found 0"),
        ({"samples": 5, "seed": -1}, "expected seed to be a whole number from 0, found -1"),
        ({"alpha": 1.0}, "expected alpha between 0 and 1, found 1.0"),
    ],
)
def test_bad_arguments_of_the_intervals(options, message):
    with pytest.raises(lf.LexiframeError, match=f"^sign_agreement: {message}"):
        lf.sign_agreement(preferences({"ab": [1]}), **options)


# --- Matrices ------------------------------------------------------------------------------------

RANKS = dict(x={"a": 1, "b": 2, "c": 3}, y={"a": 1, "b": 3, "c": 2}, z={"a": 3, "b": 2, "c": 1})


def test_a_matrix_of_correlations():
    matrix = lf.agreement_matrix(lf.rank_correlations(orderings(**RANKS)))
    assert matrix.columns == ["measure", "x", "y", "z"]
    third = pytest.approx(1 / 3)
    assert matrix.rows() == [
        ("x", 1, third, -1),
        ("y", third, 1, pytest.approx(-1 / 3)),
        ("z", -1, pytest.approx(-1 / 3), 1),
    ]


def test_a_matrix_of_both_directions():
    ranks = {"x": {"a": 1, "b": 2, "c": 3}, "y": {"a": 1.5, "b": 1.5, "c": 3}}
    matrix = lf.agreement_matrix(lf.rank_correlations(orderings(**ranks), "tau_ap"))
    assert matrix.rows() == [("x", 1, 1), ("y", 0, 1)]
    boot = pl.concat([scores({"a": [1, 1], "b": [0, 0]}, m) for m in "xy"])
    found = lf.agreement_matrix(lf.bootstrap_correlations(boot, samples=3))
    assert found.rows() == [("x", 1, 1), ("y", 1, 1)]
    assert found.equals(lf.bootstrap_correlations(boot, samples=3, matrix=True))


def test_a_matrix_of_sign_agreement():
    d = pl.concat([preferences({"ab": [0, 0]}, "x"), preferences({"ab": [1, -1]}, "y")])
    table = lf.sign_agreement(d, samples=3)
    assert lf.agreement_matrix(table).rows() == [("x", 1, None), ("y", 0, 1)]
    assert lf.agreement_matrix(table.to_pandas(), "agreement").rows()[1] == ("y", 0, 1)
    systems = lf.agreement_matrix(table, "system_agreement")
    assert systems.rows() == [("x", 1, None), ("y", None, 1)]


def test_a_matrix_of_nothing_or_with_gaps():
    assert lf.agreement_matrix(lf.rank_correlations(orderings(x={"a": 1}))).columns == ["measure"]
    some = lf.rank_correlations(orderings(**RANKS)).head(1)
    assert lf.agreement_matrix(some).columns == ["measure", "x", "y"]
    undefined = lf.rank_correlations(orderings(x={"a": 1, "b": 2}, y={"a": 1.5, "b": 1.5}))
    assert lf.agreement_matrix(undefined).rows() == [("x", 1, None), ("y", None, 1)]


def test_what_is_no_matrix():
    o = orderings(**RANKS)
    one, other = lf.rank_correlations(o), lf.rank_correlations(o, "rbo")
    message = r"several methods of correlation \(kendall, rbo\); choose one: table.filter"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.agreement_matrix(pl.concat([one, other]))
    message = "agreement_matrix: expected value to be one of 'correlation', found 'p_value'"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.agreement_matrix(one, "p_value")
    message = "expected the table of rank_correlations, bootstrap_correlations or sign_agreement, f"
    with pytest.raises(lf.SchemaError, match=message):
        lf.agreement_matrix(o)
    message = "agreement_matrix: expected one row for each ordering_a and ordering_b, found several"
    with pytest.raises(lf.SchemaError, match=message):
        lf.agreement_matrix(pl.concat([one, one]))
