"""Means of the runs and their intervals, against SciPy and `order_runs`."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.orderings.means import run_means
from tests.small_tables import preferences, scores

EXAMPLE = lf.bundled("example")
A, B = [0.5, 0.25, 0.9, 0.1], [0.3, None, 0.2, 0.4]


def row(table, run):
    return table.filter(run=run).row(0, named=True)


def test_means_and_intervals_are_those_of_scipy():
    s = scores({"a": A, "b": B})
    table = run_means(s, 0.1, missing="own")
    assert run_means(s, 0.1).drop("rank").equals(table.drop("rank"))
    for run, values in (("a", A), ("b", [value for value in B if value is not None])):
        found = row(table, run)
        interval = stats.ttest_1samp(values, 0).confidence_interval(0.9)
        assert found["mean"] == pytest.approx(np.mean(values), rel=1e-14)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx(tuple(interval), rel=1e-12)
        assert (found["n"], found["rank"]) == (len(values), 1 if run == "a" else 2)


def test_of_preferences_it_is_the_share_of_requests_won():
    """Against two others: a wins 2, 1, 1/2; a tie is half a win; the sizes do not matter."""
    d = preferences({"ab": [0.9, 0.1, 0.0], "ac": [0.2, -3.0, -0.4], "bc": [1.0, 1.0, 1.0]})
    shares = {"a": [1, 0.5, 0.25], "b": [0.5, 0.5, 0.75], "c": [0, 0.5, 0.5]}
    table = run_means(d)
    for run, values in shares.items():
        interval = np.clip(stats.ttest_1samp([*values, 0, 1], 0).confidence_interval(0.95), 0, 1)
        found = [row(table, run)[name] for name in ("mean", "ci_low", "ci_high", "n")]
        assert found == pytest.approx([np.mean(values), *interval, 3], rel=1e-12)


def test_a_pair_that_lacks_a_request_is_no_comparison():
    d = preferences({"ab": [1.0, -1.0], "ac": [None, 1.0], "bc": [None, 0.0]})
    assert run_means(d).select("run", "mean", "n").rows() == [
        ("a", 0.75, 2),
        ("b", (0 + 0.75) / 2, 2),
        ("c", 0.25, 1),
    ]


@pytest.mark.parametrize("values", [[0.1] * 3, [0.1 + 0.2] * 7, [1e6 + 0.1] * 3])
def test_equal_values_have_no_deviation(values):
    found = row(run_means(scores({"a": values, "b": values})), "a")
    assert found["ci_low"] is found["ci_high"] is None  # and no bounds of the measure are known
    assert found["rank"] == 1.5


@pytest.fixture(scope="module")
def evaluated():
    return lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", ["RPP", "LR", "AP", "RR"])


def test_the_means_of_an_evaluation(evaluated):
    """Of metrics those of the scores, of preferences the win rates; ranks go with the means."""
    o = [lf.order_runs(evaluated.scores, "mean")]
    d = evaluated.preferences.filter(pl.col("measure").is_in(["RPP", "LR"]))
    o = pl.concat([*o, lf.order_runs(d, "win_rate")]).sort("run", "measure")
    means = evaluated.means.sort("run", "measure")
    assert means.select("run", "measure").equals(o.select("run", "measure"))
    assert means["mean"].to_list() == pytest.approx(o["value"].to_list(), rel=1e-14)
    assert means["rank"].equals(o["rank"])
    assert set(means["n"]) == {5}


def test_one_run_has_means():
    e = lf.evaluate(EXAMPLE / "runs" / "random.run", EXAMPLE / "qrels.txt")
    found = e.means
    assert found["measure"].to_list() == ["AP", "nDCG@10", "RR"]
    values = e.scores.filter(measure="AP")["value"]
    assert found["mean"][0] == pytest.approx(values.mean())
    low, high = stats.ttest_1samp([*values, 0, 1], 0).confidence_interval(0.95)
    assert low < 0
    assert found.row(0)[3:5] == pytest.approx((0, high), rel=1e-12)


def test_logarithms_have_their_geometric_mean():
    runs = {"a": {"q1": {"x": 2.0, "y": 1.0}, "q2": {"y": 2.0, "x": 1.0}, "q3": {"z": 1.0}}}
    qrels = {query: {"x": 1} for query in ("q1", "q2", "q3")}
    s = lf.scores(lf.positions(runs, qrels), "gm_map")
    found = run_means(s).row(0, named=True)
    assert found["mean"] == pytest.approx((1 * 0.5 * 1e-5) ** (1 / 3), rel=1e-12)
    assert found["mean"] == lf.aggregates(s)["value"].item()
    assert 0 < found["ci_low"] < found["mean"] < found["ci_high"] == 1
