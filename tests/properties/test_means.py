"""`run_means` against loops over requests and rivals, and SciPy's interval."""

import math
import statistics

import pytest
from hypothesis import given
from scipy import stats

import lexiframe as lf
from lexiframe.orderings.means import run_means
from tests.strategies import collections

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]


def expected(values, alpha):
    """The mean of a list, and Student's interval of it."""
    mean = statistics.fmean(values)
    if len(values) == 1:
        return mean, None, None
    half = stats.t.ppf(1 - alpha / 2, len(values) - 1) * statistics.stdev(values)
    return mean, mean - half / math.sqrt(len(values)), mean + half / math.sqrt(len(values))


def share_won(d, run):
    """For each request the share of the other runs that a run is preferred to; ties half."""
    shares = {}
    for query, a, b, preference in d.select("query_id", "run_a", "run_b", "preference").iter_rows():
        if run in (a, b):
            gain = preference if run == a else -preference
            shares.setdefault(query, []).append(1.0 if gain > 0 else 0.5 if gain == 0 else 0.0)
    return [statistics.fmean(of) for of in shares.values()]


def have_one_size(values):
    """Whether the values are −c, 0 or c, as signs are."""
    sizes = {round(abs(value), 12) for value in values} - {0}
    return len(sizes) <= 1


def assert_rows(table, values, alpha, of_one_size):
    by_bets = {
        (run, measure)
        for (run, measure), of in values.items()
        if len(of) > 1 and (measure in of_one_size or max(of) - min(of) <= 1e-12)
    }
    for (run, measure), of in values.items():
        row = table.filter(run=run, measure=measure).row(0, named=True)
        found = row["mean"], row["ci_low"], row["ci_high"]
        assert row["n"] == len(of)
        if (run, measure) in by_bets:  # their ends are held against loops in test_chosen_test.py
            assert found[0] == pytest.approx(statistics.fmean(of), abs=1e-9)
            assert 0 <= found[1] <= found[0] <= found[2] <= 1
            assert found[1] < found[2]
            continue
        mean, low, high = expected(of, alpha)
        if low is not None:  # intervals of means end at the bounds of the measure
            low, high = max(low, 0.0), min(high, 1.0)
        assert found == pytest.approx((mean, low, high), abs=1e-9)
    assert table.height == len(values)


@given(collections(min_runs=2))
def test_means_are_those_of_loops(collection):
    e = lf.evaluate(*collection, ["LR", "RPP", "RR"], alpha=0.1)
    values = {
        (run, "RR"): e.scores.filter(run=run)["value"].to_list() for run in e.scores["run"].unique()
    }
    runs = {run for run, _ in values}
    of_one_size = {"RR"} if have_one_size(e.scores["value"]) else set()
    for name in ("LR", "RPP"):
        d = e.preferences.filter(measure=name)
        values |= {(run, name): share_won(d, run) for run in runs}
        of_one_size |= {name} if have_one_size(d["preference"]) else set()
    assert_rows(e.means, values, 0.1, of_one_size)


@given(collections(min_runs=2))
def test_ranks_are_those_of_the_means(collection):
    d = lf.preferences(lf.positions(*collection), ["LR"])
    table = run_means(d)
    assert table["rank"].to_list() == stats.rankdata(-table["mean"].to_numpy().round(9)).tolist()
