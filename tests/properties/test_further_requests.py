"""Swaps between halves of the requests, and the power of further ones, are those of the oracle."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests, halves
from lexiframe.core.significance.margin_power import question_size, t_power
from lexiframe.core.significance.simulated_power import SIZES
from tests import oracle
from tests.frames import assert_close, assert_identical, cells, measured
from tests.properties.test_invariance import renamed, renaming, shuffled
from tests.strategies import preferences_tables, scores_tables

pytestmark = pytest.mark.slow

FEWER = settings(max_examples=settings().max_examples // 3)
SEEDS = st.integers(0, 99)
ALPHAS = st.sampled_from([0.05, 0.3])


@st.composite
def with_gaps(draw, tables):
    """A table that lacks some rows, not all."""
    table = draw(tables)
    kept = draw(st.lists(st.booleans(), min_size=table.height, max_size=table.height))
    return table.filter(pl.Series(kept)) if any(kept) else table


D = preferences_tables(max_runs=4)
TABLES = D | with_gaps(D)


def differences(table):
    """{(run_a, run_b): {request: d}}."""
    by_pair = {}
    for (q, a, b), x in measured(table, "m1").items():
        by_pair.setdefault((a, b), {})[q] = x
    return by_pair


def drawn_halves(table, splits, seed):
    queries = table["query_id"].unique().sort()
    pairs = zip(*next(halves(len(queries), splits, seed, block=splits)), strict=True)
    return [tuple(set(queries.filter(pl.Series(half > 0))) for half in pair) for pair in pairs]


@given(preferences_tables(), st.sampled_from(["t", "sign"]), ALPHAS)
@FEWER
def test_curves_of_comparisons(d, test, alpha):
    c = lf.compare(d, test)
    curve = lf.asl_curve(c)
    assert curve.select("place", "share", "p_value").rows() == oracle.asl_curve(c["p_value"])
    key = ["run_a", "run_b", "p_value", "p_adjusted"]
    assert curve.select(key).sort(key).equals(c.select(key).sort(key))
    row = lf.smallest_significant_differences(c, alpha).row(0, named=True)
    smallest, largest = oracle.smallest_differences(c["mean_difference"], c["p_adjusted"], alpha)
    assert (row["smallest_significant"], row["largest_not_significant"]) == (smallest, largest)
    power = lf.discriminative_power(c, alpha).row(0, named=True)
    assert (row["n_pairs"], row["n_significant"]) == (power["n_pairs"], power["n_significant"])
    of_pair = cells(c, ["run_a", "run_b"], "mean_difference")
    if smallest is None:
        assert row["run_a"] is row["run_b"] is None
    else:
        assert abs(of_pair[row["run_a"], row["run_b"]]) == pytest.approx(smallest, abs=1e-12)


@given(TABLES, st.integers(1, 9), SEEDS)
def test_swap_rates(table, splits, seed):
    assume(table["query_id"].n_unique() > 1)
    row = lf.swap_rates(table, splits=splits, seed=seed).row(0, named=True)
    by_pair = differences(table)
    expected = oracle.swap_rates(list(by_pair.values()), drawn_halves(table, splits, seed))
    assert (row["n_pairs"], row["splits"]) == (len(by_pair), splits)
    assert row["half"] == table["query_id"].n_unique() // 2
    assert_close({name: row[name] for name in expected}, expected)


@given(TABLES, st.integers(1, 9), SEEDS, st.integers(1, 6))
def test_swap_curve(table, splits, seed, bins):
    assume(table["query_id"].n_unique() > 1)
    by_pair, pairs_of_halves = list(differences(table).values()), drawn_halves(table, splits, seed)
    assume(
        any(oracle.mean_in_half(d_q, a) is not None for a, _ in pairs_of_halves for d_q in by_pair)
    )
    curve = lf.swap_curve(table, splits=splits, seed=seed, bins=bins)
    expected = oracle.swap_curve(by_pair, pairs_of_halves, bins)
    assert curve.height == len(expected)
    for row, other in zip(curve.drop("measure").rows(), expected, strict=True):
        assert_close(dict(enumerate(row)), dict(enumerate(other)))
    rate = lf.swap_rates(table, splits=splits, seed=seed)["swap_rate"][0]
    if rate is not None:
        swaps = (curve["n"] * curve["swap_rate"]).sum()
        assert swaps / curve["n"].sum() == pytest.approx(rate)


@FEWER
@given(st.floats(0, 3), st.integers(2, 60), st.sampled_from([0.01, 0.05, 0.3]))
def test_power_of_t(effect, n, alpha):
    found = t_power(np.array([effect, -effect]), np.array([n, n]), alpha)
    assert found.tolist() == pytest.approx([oracle.t_power(effect, n, alpha)] * 2, abs=1e-6)


@given(st.floats(1e-3, 100), st.sampled_from([0.1, 0.5, 0.8, 0.99]), st.sampled_from([1e-5, 0.05]))
def test_the_least_size_reaches_the_power_and_one_less_does_not(effect, power, alpha):
    n = question_size("better", np.array([effect]), np.ones(1), 0.0, power, alpha)
    before, there = (t_power(np.array([effect]), n - k, alpha)[0] for k in (1, 0))
    assert before < power <= there


@FEWER
@given(TABLES, ALPHAS, SEEDS, st.lists(st.integers(2, 8), min_size=1, max_size=3, unique=True))
def test_simulated_power(table, alpha, seed, sizes):
    options = dict(alpha=alpha, how="simulation", samples=8, seed=seed)
    curve = cells(
        lf.power_curve(table, sizes, **options), ["run_a", "run_b", "n_requests"], "power"
    )
    at_n = cells(lf.required_requests(table, **options), ["run_a", "run_b"], "power_at_n")
    expected, expected_at_n = {}, {}
    for pair, d_q in differences(table).items():
        d_q = [d_q[q] for q in sorted(d_q)]

        def share(size, d_q=d_q):
            counts = drawn_requests(len(d_q), 8, seed, size=size).astype(int)
            samples = [np.repeat(np.arange(len(d_q)), row) for row in counts]
            return oracle.simulated_power(d_q, samples, alpha) if len(d_q) > 1 else None

        expected |= {(*pair, size): share(size) for size in sizes}
        expected_at_n[pair] = share(len(d_q)) if len(d_q) > 1 else None
    assert curve == expected
    assert at_n == expected_at_n


@FEWER
@given(preferences_tables(max_runs=3), SEEDS)
def test_the_simulated_size_reaches_the_power_and_the_one_before_does_not(table, seed):
    options = dict(how="simulation", samples=10, seed=seed)
    found = lf.required_requests(table, power=0.7, **options)
    curve = lf.power_curve(table, [n for n in SIZES if n <= 100], **options)
    for row in found.iter_rows(named=True):
        of_pair = curve.filter(run_a=row["run_a"], run_b=row["run_b"], measure=row["measure"])
        power, required = dict(of_pair.select("n_requests", "power").rows()), row["required"]
        if abs(row["mean_difference"]) <= 1e-12:
            assert required is None
        elif required in power:
            assert power[required] >= 0.7
            assert required == 2 or power[SIZES[SIZES.index(required) - 1]] < 0.7


FUNCTIONS = {
    "rates": lambda d: lf.swap_rates(d, splits=20),
    "curve": lambda d: lf.swap_curve(d, splits=20, bins=4),
    "required": lambda d: lf.required_requests(d),
    "simulated": lambda d: lf.required_requests(d, how="simulation", samples=20, power=0.5),
    "power": lambda d: lf.power_curve(d, [5, 9]),
    "simulated power": lambda d: lf.power_curve(d, [5, 9], how="simulation", samples=20),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@FEWER
@given(st.data(), TABLES, SEEDS)
def test_names_and_the_order_of_rows_change_nothing(name, data, d, seed):
    assume(d["query_id"].n_unique() > 1)
    function = FUNCTIONS[name]
    found = function(d)
    assert_identical(function(d), found)
    assert_identical(function(shuffled(d, seed)), found)
    names = renaming(data.draw, sorted({*d["run_a"], *d["run_b"]}))
    assert_same_but_for_names(function(renamed(d, names)), found, names)


def assert_same_but_for_names(found, table, names):
    """Signs turn with the pairs; they are no matter here."""
    if "run_a" not in table.columns:
        for a, b in zip(found.rows(), table.rows(), strict=True):
            assert_close(dict(enumerate(a[1:])), dict(enumerate(b[1:])), rel=1e-9, abs=1e-9)
        return
    keys = [k for k in ("run_a", "run_b", "n_requests") if k in table.columns]
    for value in table.columns:
        if value in (*keys, "measure", "how"):
            continue
        expected = {}
        for (a, b, *rest), x in cells(table, keys, value).items():
            key = (*sorted((names[a], names[b])), *rest)
            turned = names[a] > names[b] and value in ("mean_difference", "effect_size")
            expected[key] = -x if turned and x is not None else x
        assert_close(cells(found, keys, value), expected, rel=1e-9, abs=1e-9)


@FEWER
@given(scores_tables(max_queries=5))
def test_scores_are_their_differences(s):
    assume(s["query_id"].n_unique() > 1)
    d = s.join(s, on=["query_id", "measure"], suffix="_b").filter(pl.col("run") < pl.col("run_b"))
    d = d.select("query_id", "measure", run_a="run", run_b="run_b")
    d = d.with_columns(preference=s_difference(s, d))
    for function in FUNCTIONS.values():
        assert_identical(function(s), function(d))


def s_difference(s, d):
    value = cells(s, ["query_id", "run"], "value")
    rows = d.select("query_id", "run_a", "run_b").rows()
    return pl.Series([oracle.tie(value[q, a] - value[q, b]) for q, a, b in rows])
