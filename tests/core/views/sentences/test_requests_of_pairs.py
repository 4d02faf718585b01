"""The numbers of requests that a printed verdict names, and the runs that it could not test."""

import warnings

import polars as pl

import lexiframe as lf
from tests.small_tables import scores

BESIDE = {  # a and b share three requests, b and c one, a and c none
    "a": [0.1, 0.5, 0.2, None, None],
    "b": [0.3, 0.2, 0.9, 0.3, None],
    "c": [None, None, None, 0.1, 0.3],
}


def printed(runs, measure="AP", **options):
    """Return what is printed of the verdict as one line of words, without the frame."""
    with warnings.catch_warnings(action="ignore", category=lf.LexiframeWarning):
        e = lf.evaluate_scores(scores(runs, measure), missing="own", **options)
    return " ".join(str(e.summary("all")).partition("Verdict (")[2].replace("│", "").split())


def test_pairs_without_a_request_do_not_count_in_the_range():
    assert "α = 0.05, n = 1 to 3 requests)" in printed(BESIDE)
    apart = {"a": [0.1, 0.5, None], "b": [0.3, 0.2, 0.1], "c": [None, None, 0.4]}
    assert "α = 0.05, n = 1 to 2 requests)" in printed(apart)


def test_a_run_that_was_not_tested_is_named_where_another_was():
    said = printed(BESIDE)
    assert "not significantly worse not tested significant pairs" in said
    assert " AP b too few to tell c 0 of 2 " in said


def test_without_any_test_no_run_is_listed():
    said = printed({"a": [0.5], "b": [0.4], "c": [0.1]})
    assert " AP a no test is possible 0 of 3 " in said
    assert "not tested" not in said.partition(" AP ")[0]


def test_a_measure_without_any_test_stands_beside_one_with_tests():
    one = scores({"a": [0.5], "b": [0.4]}, "AP")
    many = scores({"a": [0.5, 0.2, 0.1], "b": [0.4, 0.3, 0.1]}, "RR")
    said = str(lf.evaluate_scores(pl.concat([one, many])).summary("all")).partition("Verdict (")[2]
    assert "not tested" not in said
    assert "no test is possible" in said
