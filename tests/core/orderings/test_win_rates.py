"""Win rates, their matrix, and per-request win rates, on cases worked by hand."""

from fractions import Fraction

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences, scores

D = preferences({"ab": [1.0, 0.5, -1.0, 0.0], "ac": [1.0, 1.0, 1.0, 0.0], "bc": [0, 0, 0, -1]})


def test_win_rates():
    table = lf.win_rates(D).drop("measure")
    assert table.rows() == [
        ("a", "b", 4, 2, 1, 1, 0.625, 0.125),
        ("a", "c", 4, 3, 0, 1, 0.875, 0.75),
        ("b", "c", 4, 0, 1, 3, 0.375, -0.25),
    ]


def test_win_rates_of_scores_are_those_of_their_differences():
    s = scores({"a": [1.0, 0.5], "b": [0.5, 0.5 + 1e-13]})
    assert lf.win_rates(s).row(0)[3:] == (2, 1, 0, 1, 0.75, 0.25)


def test_pairs_without_a_value_have_no_row():
    d = pl.concat([D, preferences({"ab": [1, None], "bc": [None, 1]}, "other")])
    table = lf.win_rates(d).filter(measure="other").drop("measure")
    assert table.rows() == [("a", "b", 1, 1, 0, 0, 1.0, 1.0), ("b", "c", 1, 1, 0, 0, 1.0, 1.0)]


def test_a_tie_is_half_a_win_in_the_table_the_matrix_and_the_ordering():
    """The share is the nearest double to (wins + ties / 2) / n: one division of whole numbers."""
    d = preferences({"ab": [1, -1, -1, 0, 0, 1, 1]})
    (rate,) = lf.win_rates(d)["win_rate"]
    assert rate == float(Fraction(8, 14))
    assert lf.win_rate_matrix(d)["b"][0] == pytest.approx(rate, abs=1e-15)
    assert lf.order_runs(d, "win_rate")["value"][0] == pytest.approx(rate, abs=1e-15)


def test_win_rate_matrix():
    matrix = lf.win_rate_matrix(D)
    assert matrix.columns == ["run", "a", "b", "c"]
    assert matrix.rows() == [
        ("a", 0.5, 0.625, 0.875),
        ("b", 0.375, 0.5, 0.375),
        ("c", 0.125, 0.625, 0.5),
    ]


def test_win_rate_matrix_of_one_of_several_measures():
    two = pl.concat([D, preferences({"ab": [1], "ac": [1], "bc": [1]}, "RPP")])
    assert lf.win_rate_matrix(two, "mine").equals(lf.win_rate_matrix(D))
    assert lf.win_rate_matrix(two, lf.RPP)["a"].to_list() == [0.5, 0.0, 0.0]
    with pytest.raises(lf.LexiframeError, match=r"which measure\? Pass one of RPP, mine"):
        lf.win_rate_matrix(two)
    with pytest.raises(lf.UnknownNameError, match="unknown measure 'rpp'; did you mean RPP"):
        lf.win_rate_matrix(two, "rpp")


def test_request_win_rates_leave_out_requests_that_a_measure_lacks():
    d = pl.concat([D, preferences({"ab": [None, 1], "ac": [None, 1], "bc": [None, 1]}, "z")])
    of_z = lf.request_win_rates(d).filter(measure="z")
    assert of_z.select("query_id", "run", "win_rate").rows() == [
        ("q2", "a", 2),
        ("q2", "b", 0),
        ("q2", "c", -2),
    ]


@pytest.mark.parametrize(
    "table, message",
    [
        (pl.concat([D, D]), "expected one row for each query_id, run_a, run_b, measure, found sev"),
        (
            D.with_columns(run_b="run_a"),
            "expected two different runs, found 'a' as run_a and as run_b; leave the row out",
        ),
        (D.with_columns(preference=pl.lit(None, pl.Float64)), "each row of the column preference"),
        (D.with_columns(preference=float("nan")), "the column preference, found a null or NaN"),
        (D.drop("measure"), "measure is missing"),
        (pl.concat([scores({"a": [1.0]})] * 2), "expected one row for each run, query_id, measure"),
        (scores({"a": [float("nan")]}), "expected a number in each row of the column value"),
    ],
)
def test_tables_that_are_none(table, message):
    for function in (lf.win_rates, lf.order_runs, lf.compare, lf.tie_rates, lf.sign_agreement):
        with pytest.raises(lf.SchemaError, match=message):
            function(table)


def test_pairs_with_different_numbers_of_requests():
    """The share of each pair is that of its own requests, and all pairs count alike."""
    signs = {("a", "b"): [1], ("a", "c"): [1, -1, -1, -1], ("b", "c"): [0, 0]}
    d = pl.DataFrame(
        [
            (f"q{n}", *pair, "LR", float(sign))
            for pair, of_pair in signs.items()
            for n, sign in enumerate(of_pair)
        ],
        schema=["query_id", "run_a", "run_b", "measure", "preference"],
        orient="row",
    )
    o = lf.order_runs(d, "win_rate", missing="own")
    assert dict(o.select("run", "value").rows()) == {"a": 0.625, "b": 0.25, "c": 0.625}
