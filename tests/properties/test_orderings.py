"""Win rates and orderings of runs are those of the oracle, on preferences and on scores."""

import warnings
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.orderings.rules import RULES
from tests import oracle
from tests.frames import assert_close, cells, measured
from tests.strategies import preferences_tables, scores_tables

pytestmark = pytest.mark.slow

TABLES = preferences_tables() | scores_tables()


def by_request(table, measure="m1"):
    """The preferences of a measure, or the differences of its scores."""
    d = measured(table, measure)
    if "value" not in table.columns:
        return d
    return {
        (q, a, b): oracle.tie(d[q, a] - d[q, b])
        for q in {q for q, _ in d}
        for a, b in combinations(sorted({run for _, run in d}), 2)
    }


def assert_ordering(o, values, same=oracle.same):
    """Values by run, their mid-ranks, and rows from the best run to the worst.

    Places, which the oracle has with a minus sign, are shown without it.
    """
    are_places = any(RULES[name.partition("(")[0]].are_places for name in o["method"].unique())
    shown = {run: -value if are_places else value for run, value in values.items()}
    assert_close(cells(o, "run", "value"), shown, abs=1e-12)
    ranks = oracle.mid_ranks(values, same)
    assert cells(o, "run", "rank") == ranks
    assert o["run"].to_list() == sorted(ranks, key=lambda run: (ranks[run], run))


@given(TABLES)
def test_win_rates(table):
    d = by_request(table)
    found = {(row["run_a"], row["run_b"]): row for row in lf.win_rates(table).to_dicts()}
    assert list(found) == list(combinations(oracle.runs(d), 2))
    for (a, b), row in found.items():
        expected = oracle.win_rate(d, a, b)
        assert_close({name: row[name] for name in expected}, expected)


@given(TABLES)
def test_win_rate_matrix(table):
    d = by_request(table)
    matrix = lf.win_rate_matrix(table)
    names = matrix["run"].to_list()
    assert [*matrix.columns[1:]] == names == oracle.runs(d)
    expected = {(a, b): oracle.half_win_rate(d, a, b) for a in names for b in names}
    found = {(row["run"], b): row[b] for row in matrix.to_dicts() for b in names}
    assert_close(found, expected)
    sums = {(a, b): found[a, b] + found[b, a] for a, b in found}
    assert_close(sums, dict.fromkeys(found, 1.0))


@given(TABLES)
def test_request_win_rates(table):
    d = by_request(table)
    expected = {
        (q, a): oracle.request_win_rate(d, q, a) for q in oracle.requests(d) for a in oracle.runs(d)
    }
    sums = lf.request_win_rates(table)
    assert sums.select("query_id", "run").rows() == sorted(expected)
    assert_close(cells(sums, ["query_id", "run"], "win_rate"), expected)
    means = lf.request_win_rates(table, how="mean")
    others = len(oracle.runs(d)) - 1
    expected = {key: total / others for key, total in expected.items()}
    assert_close(cells(means, ["query_id", "run"], "win_rate"), expected)


LOOPS_OF_OTHER_NAMES = {
    "mean": oracle.mean_preference_of_runs,
    "win_rate": oracle.win_rate_of_runs,
    "mc4": lambda d: oracle.mc4(oracle.runs(d), oracle.beats_by_win_rate(d)),
}


@pytest.mark.parametrize("method", RULES)
def test_every_rule_has_a_loop_and_a_description(method):
    assert RULES[method].name == method
    assert f"``{method}``:" in lf.order_runs.__doc__
    assert callable(LOOPS_OF_OTHER_NAMES.get(method, getattr(oracle, method, None))), (
        f"write the rule as a plain loop in tests/oracle.py: def {method}(d), whose argument is "
        "the preferences, by request, run_a and run_b; it returns the value of each run"
    )


@pytest.mark.parametrize("method", [name for name in RULES if name != "leximin"])
@given(data=st.data())
def test_every_rule_is_its_loop(method, data):
    """Of preferences, and of scores where it takes their differences."""
    rule = RULES[method]
    most = {} if rule.most_runs is None else {"max_runs": 5}
    tables = preferences_tables(**most)
    table = data.draw(tables if rule.takes_scores else tables | scores_tables(**most))
    loop = LOOPS_OF_OTHER_NAMES.get(method, getattr(oracle, method, None))
    values = loop(by_request(table))
    if values is None:  # the rule orders no such preferences, and says why
        with pytest.raises(lf.LexiframeError, match="wins lead from each run to each other"):
            lf.order_runs(table, method)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lf.LexiframeWarning)  # of cycles
        o = lf.order_runs(table, method)
    assert_ordering(o, values)


@given(scores_tables(min_runs=1))
def test_leximin_orders_scores(s):
    values = oracle.leximin(measured(s, "m1"))
    assert_ordering(lf.order_runs(s, "leximin"), values)
    pairs = lf.leximin(s).rows(named=True)
    for row in pairs:
        assert row["preference"] == oracle.sgn(values[row["run_a"]] - values[row["run_b"]])


@given(scores_tables(min_runs=1))
def test_mean_score(s):
    by_run = {}
    for (_, run), value in measured(s, "m1").items():
        by_run.setdefault(run, []).append(value)
    means = {run: sum(values) / len(values) for run, values in by_run.items()}
    assert_ordering(lf.order_runs(s, "mean"), means)


@given(TABLES)
def test_copeland_and_its_cycles(table):
    d = by_request(table)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert_ordering(lf.order_runs(table, "copeland"), oracle.copeland(d))
    cycles = {}
    for _, cycle, run in lf.majority_cycles(table).iter_rows():
        cycles.setdefault(cycle, set()).add(run)
    assert {frozenset(cycle) for cycle in cycles.values()} == oracle.majority_cycles(d)
    assert [w.category for w in warned] == [lf.LexiframeWarning] * bool(cycles)


VOTES = {"win_rate": oracle.beats_by_win_rate, "preference": oracle.beats_by_preference}


@pytest.mark.parametrize("votes", VOTES)
@given(table=TABLES)
def test_mc4(votes, table):
    d = by_request(table)
    values = oracle.mc4(oracle.runs(d), VOTES[votes](d))
    assert_ordering(lf.order_runs(table, "mc4", votes=votes), values)


@given(TABLES, st.sampled_from(list(VOTES)))
def test_mc4_puts_every_run_above_those_that_only_lead_to_it(table, votes):
    d = by_request(table)
    rank = cells(lf.order_runs(table, "mc4", votes=votes), "run", "rank")
    reach = oracle.reachable(oracle.runs(d), VOTES[votes](d))
    assert all(rank[b] < rank[a] for a, b in reach if (b, a) not in reach)


@given(TABLES, st.sampled_from(list(VOTES)), st.sampled_from([1, 2, 10]))
def test_mc4_after_some_iterations(table, votes, iterations):
    d = by_request(table)
    values = oracle.mc4_iterations(oracle.runs(d), VOTES[votes](d), iterations)
    o = lf.order_runs(table, "mc4", votes=votes, iterations=iterations)
    assert_ordering(o, values, oracle.same_probability)


def test_mc4_after_ten_iterations_keeps_small_probabilities_apart():
    """Of 30 runs that all requests order alike, the last has a probability of 30^-11."""
    names = [f"{n:02}" for n in range(30)]
    d = pl.DataFrame(list(combinations(names, 2)), schema=["run_a", "run_b"], orient="row")
    d = d.with_columns(query_id=pl.lit("q"), measure=pl.lit("m1"), preference=1.0)
    o = lf.order_runs(d, "mc4", iterations=10)
    assert o.select("run", "rank").rows() == [(run, n + 1) for n, run in enumerate(names)]


@given(TABLES, st.sampled_from(list(VOTES)), st.sampled_from([0.05, 0.5]))
def test_mc4_with_teleporting(table, votes, probability):
    d = by_request(table)
    values = oracle.mc4_teleport(oracle.runs(d), VOTES[votes](d), probability)
    assert_ordering(lf.order_runs(table, "mc4", votes=votes, teleport=probability), values)


@pytest.mark.parametrize("votes", VOTES)
@given(table=preferences_tables(max_runs=5) | scores_tables(max_runs=5))
def test_kemeny(votes, table):
    values = oracle.kemeny(by_request(table), votes)
    assert_ordering(lf.order_runs(table, "kemeny", votes=votes), values)


@given(preferences_tables(measures=["m1", "m2"]))
def test_measures_are_ordered_apart(d):
    together = lf.order_runs(d, "mc4")
    for name in ("m1", "m2"):
        alone = lf.order_runs(d.filter(measure=name), "mc4")
        assert together.filter(measure=name).equals(alone)
