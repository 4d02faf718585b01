"""`asl_curve` and `smallest_significant_differences` on cases worked by hand."""

import polars as pl
import pytest

import lexiframe as lf
from tests.core.significance.test_power import TEN
from tests.small_tables import preferences

P = [2 / 1024, 22 / 1024, 112 / 1024]


def test_p_values_from_the_smallest():
    curve = lf.asl_curve(lf.compare(TEN, "sign").sample(fraction=1, shuffle=True, seed=1))
    assert curve.rows() == [
        ("mine", "sign", "holm", 1, 1 / 3, P[0], pytest.approx(3 * P[0]), "a", "b"),
        ("mine", "sign", "holm", 2, 2 / 3, P[1], pytest.approx(2 * P[1]), "a", "c"),
        ("mine", "sign", "holm", 3, 1.0, P[2], P[2], "b", "c"),
    ]


def test_each_measure_test_and_correction_has_a_curve():
    ties = preferences({"ab": [0] * 10, "ac": [0] * 10}, "blind")
    c = pl.concat([lf.compare(pl.concat([TEN, ties]), "sign", x) for x in ("none", "holm")])
    curve = lf.asl_curve(c)
    assert curve.select("measure", "correction", "place", "share").rows() == [
        *[("blind", x, n, n / 2) for x in ("holm", "none") for n in (1, 2)],
        *[("mine", x, n, n / 3) for x in ("holm", "none") for n in (1, 2, 3)],
    ]
    assert curve.filter(measure="blind")["run_b"].to_list() == ["b", "c"] * 2


@pytest.mark.parametrize(
    "alpha, expected",
    [
        (0.005, (0, None, 1.0, None, None)),
        (0.01, (1, 1.0, 0.8, "a", "b")),
        (0.05, (2, 0.8, 0.6, "a", "c")),
        (112 / 1024, (2, 0.8, 0.6, "a", "c")),
        (0.11, (3, 0.6, None, "b", "c")),
    ],
)
def test_the_least_difference_that_is_significant(alpha, expected):
    row = lf.smallest_significant_differences(lf.compare(TEN, "sign"), alpha).row(0)
    assert row[:5] == ("mine", "sign", "holm", alpha, 3)
    assert row[5:] == pytest.approx(expected)


def test_a_larger_difference_may_be_none():
    """Mean −0.25 without spread, and mean 0.5 of values between −2 and 3."""
    d = preferences({"ab": [-0.25] * 4, "ac": [3.0, -2.0, 1.0, 0.0]})
    c = lf.compare(d, "t", "none")
    row = lf.smallest_significant_differences(c, 0.13).row(0, named=True)
    assert (row["smallest_significant"], row["largest_not_significant"]) == (0.25, 0.5)
    assert (row["run_a"], row["run_b"]) == ("a", "b")


def test_of_differences_that_are_the_same_the_first_pair_is_named():
    d = preferences({"ab": [0.3] * 3, "ac": [0.1 + 0.2] * 3, "bc": [0.3 - 1e-15] * 3})
    row = lf.smallest_significant_differences(lf.compare(d, "t", "none"), 0.3).row(0, named=True)
    assert (row["run_a"], row["run_b"], row["n_significant"]) == ("a", "b", 3)
