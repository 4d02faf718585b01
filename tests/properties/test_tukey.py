"""Tukey's HSD is the oracle's, and names and orders change nothing."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.significance.hsd_trials import canonical
from tests import oracle
from tests.frames import assert_close, assert_identical, cells, measured
from tests.properties.test_invariance import renamed, renaming, shuffled
from tests.properties.test_orderings import by_request
from tests.strategies import preferences_tables, scores_tables

pytestmark = pytest.mark.slow

TINY = {"max_runs": 3, "max_queries": 4}
FEWER = settings(max_examples=max(10, settings().max_examples // 3))
"""Each looks at all permutations in plain loops, or draws hundreds."""
KEY = ["run_a", "run_b"]


@FEWER
@given(preferences_tables(**TINY) | scores_tables(**TINY), st.sampled_from([None, "win_rate"]))
def test_all_permutations(table, on):
    d = by_request(table)
    c = lf.tukey_hsd(table, on=on)
    if on == "win_rate":
        others = len(oracle.runs(d)) - 1
        rate = {
            (q, a): oracle.request_win_rate(d, q, a) / others
            for q in oracle.requests(d)
            for a in oracle.runs(d)
        }
        d = {(q, a, b): oracle.tie(rate[q, a] - rate[q, b]) for q, a, b in d}
    assert_close(cells(c, KEY, "p_value"), oracle.hsd_randomized(d))
    means = {(a, b): oracle.win_rate(d, a, b)["mean_preference"] for _, a, b in d}
    assert_close(cells(c, KEY, "mean_difference"), means, abs=1e-12)
    assert_close(cells(c, KEY, "statistic"), {k: abs(x) for k, x in means.items()}, abs=1e-12)
    effects = {
        pair: oracle.t_test([d[q, *pair] for q in oracle.requests(d)]).get("effect_size")
        for pair in means
    }
    assert_close(cells(c, KEY, "effect_size"), effects, rel=1e-9)


@given(scores_tables(max_runs=5))
def test_parametric(table):
    values = measured(table, "m1")
    n_queries = len({q for q, _ in values})
    n_runs = len(values) // n_queries
    assume(n_queries > 1)
    mse = oracle.mean_square_error(values)
    c = lf.tukey_hsd(table, "parametric")
    for row in c.iter_rows(named=True):
        difference = abs(row["mean_difference"])
        if mse < 1e-20:
            flips = 0.5 ** (n_queries - 1)
            assert row["p_value"] == (flips if difference > oracle.TIE else 1.0)
            assert row["ci_low"] is row["ci_high"] is None
        else:
            q = difference / (mse / n_queries) ** 0.5
            assert abs(row["statistic"] - q) <= 1e-9 * (1 + q)
    assert (c["n"] == n_queries).all()
    assert c.height == n_runs * (n_runs - 1) // 2


TABLES = preferences_tables() | scores_tables()
METHODS = st.sampled_from([("randomized", None), ("randomized", "win_rate"), ("parametric", None)])


@given(st.data(), TABLES, METHODS)
def test_blind_to_the_names_of_runs(data, table, how):
    """Trials are drawn: they must be the same ones."""
    names = sorted(
        {*table["run"]} if "run" in table.columns else {*table["run_a"], *table["run_b"]}
    )
    new = renaming(data.draw, names)
    method, on = how
    c = lf.tukey_hsd(table, method, on=on, trials=40)
    found = lf.tukey_hsd(renamed(table, new), method, on=on, trials=40)
    p_values = {
        tuple(sorted(map(new.get, pair))): p for pair, p in cells(c, KEY, "p_value").items()
    }
    assert_close(cells(found, KEY, "p_value"), p_values, rel=1e-9)


@given(TABLES, METHODS, st.integers(0, 999))
def test_blind_to_the_order_of_rows(table, how, seed):
    method, on = how
    expected = lf.tukey_hsd(table, method, on=on, trials=40)
    assert_identical(lf.tukey_hsd(shuffled(table, seed), method, on=on, trials=40), expected)


@given(st.data(), st.integers(1, 7), st.sampled_from([[0, 1, -1], [1, -1], [0, 1, -1, 0.25]]))
def test_canonical_preferences(data, n_runs, values):
    a, b = np.triu_indices(n_runs, k=1)
    matrix = np.zeros((n_runs, n_runs))
    matrix[a, b] = data.draw(
        st.lists(st.sampled_from(values), min_size=len(a), max_size=len(a)), "preferences"
    )
    matrix -= matrix.T
    order = data.draw(st.permutations(range(n_runs)))
    form = canonical(matrix)
    np.testing.assert_array_equal(canonical(matrix[np.ix_(order, order)]), form)
    np.testing.assert_array_equal(np.sort(form.ravel()), np.sort(matrix.ravel()))
    np.testing.assert_array_equal(form, -form.T)


def test_a_cycle_of_many_runs():
    """Nothing but going around the cycle tells its runs apart."""
    run = np.arange(9)
    matrix = np.select([(run[:, None] - run) % 9 == 1, (run - run[:, None]) % 9 == 1], [1.0, -1.0])
    form = canonical(matrix)
    order = np.random.default_rng(0).permutation(9)
    np.testing.assert_array_equal(canonical(matrix[np.ix_(order, order)]), form)
    np.testing.assert_array_equal(canonical(-matrix), form)


def test_a_cycle_in_two_requests():
    """Three runs in a circle, once more in the same circle; names must not decide what is drawn."""
    rows = [("1", "a", "b", 1.0), ("1", "a", "c", -1.0), ("1", "b", "c", 1.0)]
    rows += [("2", *row[1:]) for row in rows] + [("3", "a", "b", 1.0), ("3", "a", "c", 1.0)]
    rows += [("3", "b", "c", 1.0)]
    schema = ["query_id", "run_a", "run_b", "preference"]
    d = pl.DataFrame(rows, schema=schema, orient="row").with_columns(measure=pl.lit("m1"))
    d = d.select("query_id", "run_a", "run_b", "measure", "preference")
    c = lf.tukey_hsd(d, trials=50)
    swapped = lf.tukey_hsd(renamed(d, {"a": "b", "b": "a", "c": "c"}), trials=50)
    p, q = cells(c, KEY, "p_value"), cells(swapped, KEY, "p_value")
    assert (p["a", "b"], p["a", "c"], p["b", "c"]) == (q["a", "b"], q["b", "c"], q["a", "c"])
