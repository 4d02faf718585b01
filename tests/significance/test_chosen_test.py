"""The test that each measure gets unless one is named, and the intervals of few or equal values."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.significance.test_betting import capital
from tests.small_tables import preferences, scores

MEASURES = ["RPP", "LR", "LP", "AP", "Success@5", "rrLP"]
EXPECTED = {
    "RPP": "randomization", "LR": "sign", "LP": "sign", "AP": "t", "Success@5": "sign",
    "rrLP": "randomization",
}  # fmt: skip


def collection(n_requests, n_runs=4, seed=0):
    """Runs that rank twenty documents at random, four of which are relevant."""
    rng = np.random.default_rng(seed)
    queries = [f"q{n:03d}" for n in range(n_requests)]
    runs = {
        f"run{k}": {
            q: dict(zip([f"d{i}" for i in rng.permutation(20)], range(20, 0, -1), strict=True))
            for q in queries
        }
        for k in range(n_runs)
    }
    return runs, {q: {f"d{i}": 1 for i in range(4)} for q in queries}


def chosen_in(comparisons):
    return dict(comparisons.select("measure", "test").unique().iter_rows())


@pytest.mark.parametrize("n, few", [(12, True), (50, True), (51, False)])
def test_each_measure_has_its_own(n, few):
    runs, qrels = collection(n, n_runs=3)
    e = lf.evaluate(runs, qrels, MEASURES)
    of_many = {name: "t" if test == "randomization" else test for name, test in EXPECTED.items()}
    assert chosen_in(e.comparisons) == (EXPECTED if few else of_many)


@pytest.mark.slow
def test_all_engines_choose_alike(tmp_path):
    """In parts, in groups and from tables there are the same comparisons and means."""
    runs, qrels = collection(20, n_runs=3)
    requests = pl.DataFrame({"query_id": [*qrels], "kind": ["few"] * 6 + ["many"] * 14})
    for groups in ({}, {"requests": requests, "by": "kind"}):
        whole = lf.evaluate(runs, qrels, MEASURES, **groups)
        parts = lf.evaluate(runs, qrels, MEASURES, memory="1kB", **groups)
        assert whole.comparisons.equals(parts.comparisons)
        assert whole.means.equals(parts.means)


def test_groups_choose_by_their_own_requests():
    runs, qrels = collection(60, n_runs=3)
    requests = pl.DataFrame({"query_id": [*qrels], "kind": ["few"] * 9 + ["many"] * 51})
    e = lf.evaluate(runs, qrels, ["RPP", "LR"], requests=requests, by="kind")
    found = e.comparisons.select("kind", "measure", "test").unique().sort("kind", "measure").rows()
    assert found == [
        ("few", "LR", "sign"), ("few", "RPP", "randomization"),
        ("many", "LR", "sign"), ("many", "RPP", "t"),
    ]  # fmt: skip


@pytest.mark.parametrize("n", [5, 9])
def test_all_sign_flips_of_few_requests(n):
    values = np.random.default_rng(n).normal(0.4, 1, n).round(3)
    row = lf.compare(preferences({"ab": values.tolist()}, "RPP")).row(0, named=True)
    flips = np.array([*itertools.product([1, -1], repeat=n)]) @ values
    assert row["test"] == "randomization"
    assert row["p_value"] == pytest.approx((np.abs(flips) >= abs(values.sum()) - 1e-9).mean())


def test_trials_reach_below_the_level_of_all_comparisons():
    """20 runs have 190 pairs: p may be as small as 1/(1 + 20 · 190/α)."""
    rng = np.random.default_rng(5)
    pairs = [f"{a}{b}" for a, b in itertools.combinations("abcdefghijklmnopqrst", 2)]
    d = preferences({ab: rng.uniform(0.1, 1, 25).tolist() for ab in pairs}, "RPP")
    c = lf.compare(d)
    assert c["test"].unique().to_list() == ["randomization"]
    assert c["p_value"].min() == pytest.approx(1 / (1 + 20 * 190 / 0.05))
    assert c["reject"].all()


def test_all_measures_are_one_family():
    """The chosen tests do not divide the family that is asked for."""
    runs, qrels = collection(6, n_runs=3)
    d = lf.preferences(lf.positions(runs, qrels), ["LR", "AP"])
    c = lf.compare(d, correction="bonferroni", family="all")
    assert chosen_in(c) == {"LR": "sign", "AP": "t"}
    ratio = (c["p_adjusted"] / c["p_value"]).to_list()
    assert [r for r, p in zip(ratio, c["p_adjusted"], strict=True) if p < 1] == pytest.approx(
        [6.0] * sum(p < 1 for p in c["p_adjusted"])
    )


@pytest.mark.slow
def test_too_many_flips_are_said():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(19, 12_000))
    d = pl.DataFrame(
        {"query_id": np.repeat([f"q{n:02}" for n in range(19)], 12_000),
         "run_a": np.tile([f"a{n:05}" for n in range(12_000)], 19), "run_b": "b",
         "measure": "RPP", "preference": values.ravel()}
    )  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="RPP has the t test, as sign flips of 12,000"):
        c = lf.compare(d, baseline="b")
    assert chosen_in(c) == {"RPP": "t"}


def test_sizes_of_differences_decide_not_the_name():
    one_size = scores({"a": [1.0, 0.0, 1.0, 0.5], "b": [0.5, 0.5, 0.5, 0.5]}, "AP")
    assert chosen_in(lf.compare(one_size)) == {"AP": "sign"}
    two = scores({"a": [1.0, 0.0, 1.0, 0.5], "b": [0.5, 0.5, 0.5, 0.25]}, "AP")
    assert chosen_in(lf.compare(two)) == {"AP": "t"}
    three = pl.concat([one_size, scores({"c": [0.25, 0.5, 0.5, 0.5]}, "AP")])
    assert chosen_in(lf.compare(three)) == {"AP": "t"}  # one choice for all pairs
    small = scores({"a": [1e-6, 3e-6, 1e-6, 0.0], "b": [0.0, 1e-6, 2e-6, 0.0]}, "AP")
    assert chosen_in(lf.compare(small)) == {"AP": "t"}


# --- Intervals ------------------------------------------------------------------------------------


def grid_interval(y, tail):
    """The multiples of 1/1000 that bets on neither side reject, and one more at each end."""
    kept = [
        k
        for k in range(1, 1000)
        if all(
            math.exp(-max([0.0, *capital(side, null, tail, len(y))])) >= tail
            for side, null in ((y, k / 1000), ([1 - v for v in y], 1 - k / 1000))
        )
    ]
    return (kept[0] - 1) / 1000, (kept[-1] + 1) / 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    "values", [[1, 0, -1, 1, 1], [1, 1, 1, 1], [0, 0, 0], [-1, 0, 0, -1, 1, 1]]
)
def test_few_signs_have_the_interval_of_bets(values):
    row = lf.compare(preferences({"ab": values}, "LR")).row(0, named=True)
    low, high = grid_interval([(v + 1) / 2 for v in values], 0.025)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-9)
    of_run = lf.orderings.means.run_means(preferences({"ab": values}, "LR")).row(0, named=True)
    assert (of_run["ci_low"], of_run["ci_high"]) == pytest.approx((low, high), abs=1e-9)


def test_thirty_signs_have_students_interval():
    values = [1.0, -1.0, 0.0] * 10
    row = lf.compare(preferences({"ab": values}, "LR")).row(0, named=True)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("n", [2, 3, 40])
@pytest.mark.parametrize("test", ["auto", "t", "sign", "wilcoxon", "randomization", "bootstrap"])
def test_no_sample_is_certain(n, test):
    """One run wins all requests by the same: p is that of sign flips, and the interval is wide."""
    s = scores({"a": [0.75] * n, "b": [0.25] * n}, "AP")
    row = lf.compare(s, test, "none", trials=200).row(0, named=True)
    assert row["p_value"] >= max(0.5 ** (n - 1), 0.5**40) * (1 - 1e-9)
    assert row["ci_low"] < 0.5 < row["ci_high"]
    mean = lf.orderings.means.run_means(s).filter(run="a").row(0, named=True)
    assert 0 <= mean["ci_low"] < 0.75 < mean["ci_high"] <= 1


def test_p_is_above_0_where_no_float_is_small_enough():
    n = 3000
    row = lf.compare(preferences({"ab": [1.0] * n}, "LR")).row(0, named=True)
    assert row["p_value"] > 0
    varied = (1 + np.arange(n) % 2 * 1e-6).tolist()
    assert lf.compare(preferences({"ab": varied}, "RPP"), "t")["p_value"].item() > 0
