"""`run_means` against loops over requests and rivals, and SciPy's interval."""

import math
import statistics

import pytest
from hypothesis import given
from scipy import stats

import lexiframe as lf
from lexiframe.core.orderings.means import run_means
from tests.strategies import collections

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]


def expected(values, alpha):
    """The mean of a list, and Student's interval of it and of one more value at each bound."""
    mean = statistics.fmean(values)
    if len(values) == 1:
        return mean, None, None
    more = [*values, 0.0, 1.0]
    half = stats.t.ppf(1 - alpha / 2, len(more) - 1) * statistics.stdev(more)
    middle, half = statistics.fmean(more), half / math.sqrt(len(more))
    return mean, min(mean, max(middle - half, 0.0)), max(mean, min(middle + half, 1.0))


def share_won(d, run):
    """For each request the share of the other runs that a run is preferred to; ties half."""
    shares = {}
    for query, a, b, preference in d.select("query_id", "run_a", "run_b", "preference").iter_rows():
        if run in (a, b):
            gain = preference if run == a else -preference
            shares.setdefault(query, []).append(1.0 if gain > 0 else 0.5 if gain == 0 else 0.0)
    return [statistics.fmean(of) for of in shares.values()]


def assert_rows(table, values, alpha):
    for (run, measure), of in values.items():
        row = table.filter(run=run, measure=measure).row(0, named=True)
        assert row["n"] == len(of)
        found = row["mean"], row["ci_low"], row["ci_high"]
        assert found == pytest.approx(expected(of, alpha), abs=1e-9)
    assert table.height == len(values)


@given(collections(min_runs=2))
def test_means_are_those_of_loops(collection):
    e = lf.evaluate(*collection, ["LR", "RPP", "RR"], alpha=0.1)
    values = {
        (run, "RR"): e.scores.filter(run=run)["value"].to_list() for run in e.scores["run"].unique()
    }
    runs = {run for run, _ in values}
    for name in ("LR", "RPP"):
        d = e.preferences.filter(measure=name)
        values |= {(run, name): share_won(d, run) for run in runs}
    assert_rows(e.means, values, 0.1)


@given(collections(min_runs=2))
def test_ranks_are_those_of_the_means(collection):
    d = lf.preferences(lf.positions(*collection), ["LR"])
    table = run_means(d)
    assert table["rank"].to_list() == stats.rankdata(-table["mean"].to_numpy().round(9)).tolist()
