"""Pairs of runs that share no request: they have a row, and no p-value counts them."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.small_tables import scores

RUNS = {
    "a": [0.9, 0.8, 0.7, 0.9, None, None, None],
    "b": [0.5, 0.3, 0.1, 0.2, 0.3, 0.2, 0.4],
    "c": [None, None, None, None, 0.4, 0.5, 0.9],
    "d": [0.1, 0.2, 0.4, 0.2, 0.3, 0.6, 0.1],
}
NUMBERS = (
    "mean_difference ci_low ci_high effect_size statistic p_value p_adjusted reject effect_low "
    "effect_high least_p"
).split()


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "randomization", "bootstrap"])
def test_they_have_a_row_without_numbers(test):
    row = lf.compare(scores(RUNS), test, "none").filter(run_a="a", run_b="c").row(0, named=True)
    assert (row["n"], {row[name] for name in NUMBERS}) == (0, {None})


@pytest.mark.parametrize("correction, at_most", [("holm", 5), ("bonferroni", 5)])
def test_the_family_does_not_count_them(correction, at_most):
    """Five of six pairs share requests; their p-values are SciPy's."""
    c = lf.compare(scores(RUNS), "t", correction)
    assert c.height == 6
    p = {}
    for a, b in c.filter(pl.col("n") > 0).select("run_a", "run_b").iter_rows():
        both = [(x, y) for x, y in zip(RUNS[a], RUNS[b], strict=True) if None not in (x, y)]
        p[a, b] = stats.ttest_rel(*zip(*both, strict=True)).pvalue
    first = min(p, key=p.get)
    found = c.filter(run_a=first[0], run_b=first[1])["p_adjusted"].item()
    assert found == pytest.approx(at_most * p[first], rel=1e-12)
    assert len(p) == at_most


def test_a_run_that_shares_no_request_with_any_has_rows_too():
    runs = {**RUNS, "e": [None] * 7 + [0.5]}
    c = lf.compare(scores(runs))
    assert c.filter(run_b="e").select("run_a", "n").rows() == [(run, 0) for run in "abcd"]
    with_baseline = lf.compare(scores(RUNS), baseline="a")
    assert with_baseline.select("run_a", "n").rows() == [("b", 4), ("c", 0), ("d", 4)]


def test_tests_of_ones_own_are_not_asked_about_them():
    def ones(d):
        assert d.shape[1] == 5
        return np.ones(d.shape[1])

    assert lf.compare(scores(RUNS), ones)["p_value"].null_count() == 1


def test_runs_of_which_no_two_share_a_request_are_an_error():
    with pytest.raises(lf.LexiframeError, match="scores of two runs for the same requests, found"):
        lf.compare(scores({"a": [0.1, None], "b": [None, 0.2]}))


def test_curves_and_counts_leave_them_out():
    c = lf.compare(scores(RUNS))
    assert lf.discriminative_power(c)["n_pairs"].item() == 5
    assert lf.smallest_significant_differences(c)["n_pairs"].item() == 5
    assert lf.asl_curve(c)["share"].to_list() == pytest.approx([n / 5 for n in range(1, 6)])
    assert lf.conclusions(c, lf.compare(scores(RUNS), "sign"))["n_pairs"].item() == 5
