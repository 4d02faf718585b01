"""Tie rates, sign agreement and Kendall's τ-b are those of the oracle."""

from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, assert_identical, cells, measured
from tests.properties.test_invariance import renamed, renaming, shuffled
from tests.properties.test_stability import samples_of
from tests.strategies import positions_tables, preferences_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

FEWER = settings(max_examples=settings().max_examples // 3)
MEASURES = ["m1", "m2", "m3"]


@st.composite
def missing_requests(draw):
    """Of two measures, one lacks the first request."""
    d = draw(preferences_tables(measures=MEASURES[:2]))
    kept = (pl.col("measure") == "m1") | (pl.col("query_id") != "0")
    rows = d.filter(kept)
    return rows if rows["measure"].n_unique() == 2 else d


@given(preferences_tables(measures=MEASURES))
def test_tie_rates(d):
    found = {row["measure"]: row for row in lf.tie_rates(d).to_dicts()}
    assert list(found) == MEASURES
    for name, row in found.items():
        of_measure = measured(d, name)
        assert row["n"] == len(of_measure)
        assert row["ties"] == sum(x == 0 for x in of_measure.values())
        assert row["tie_rate"] == oracle.tie_rate(of_measure)


@given(preferences_tables(measures=MEASURES))
def test_sign_agreement(d):
    assert_sign_agreement(lf.sign_agreement(d), d, MEASURES)


@FEWER
@given(positions_tables(min_runs=2))
def test_sign_agreement_of_measures_that_lack_requests(p):
    names = ["LR", "LR(rel=3)", "RPP", "RR"]
    d = lf.preferences(p, names)
    assert_sign_agreement(lf.sign_agreement(d), d, names)


def assert_sign_agreement(table, d, names):
    rows = {(row.pop("measure_a"), row.pop("measure_b")): row for row in table.to_dicts()}
    assert list(rows) == sorted(permutations(names, 2))
    for (a, b), row in rows.items():
        n, agree = oracle.agreement(measured(d, a), measured(d, b))
        n_systems, systems_agree = oracle.system_agreement(measured(d, a), measured(d, b))
        assert row == {
            "n": n,
            "agree": agree,
            "agreement": agree / n if n else None,
            "n_systems": n_systems,
            "systems_agree": systems_agree,
            "system_agreement": systems_agree / n_systems if n_systems else None,
        }


@FEWER
@given(preferences_tables(measures=MEASURES[:2]) | missing_requests(), st.integers(0, 99))
def test_bootstrap_of_sign_agreement(d, seed):
    """Student's t over requests, and agreements of runs in the tables that the draws make."""
    found = lf.sign_agreement(d, samples=4, seed=seed, alpha=0.2)
    assert found.select(found.columns[:8]).equals(lf.sign_agreement(d))
    shares = {}
    for sample in samples_of(d, seed, samples=4):
        for a, b in permutations({*d["measure"]}, 2):
            one, other = measured(sample, a), measured(sample, b)
            n, agree = (0, 0)
            if one and other:
                n, agree = oracle.system_agreement(one, other)
            elif one:
                n = oracle.system_agreement(one, one)[0]
            shares.setdefault((a, b), []).append(agree / n if n else None)
    for (a, b), drawn in shares.items():
        row = found.filter(measure_a=a, measure_b=b).row(0, named=True)
        known, whole = [x for x in drawn if x is not None], row["system_agreement"]
        half = (
            2 * np.quantile([abs(x - whole) for x in known], 0.8)
            if known and whole is not None
            else 0
        )
        assert_limits(row, "system_agreement", whole, half)
        counts = [
            oracle.agreement(*(measured(of_query, m) for m in (a, b)))
            for of_query in d.partition_by("query_id")
        ]
        counts, ratio = [(n, k) for n, k in counts if n], row["agreement"]
        half, g = 0, len(counts)
        if g > 1:
            squares = sum((k - ratio * n) ** 2 for n, k in counts)
            error = (squares * g / (g - 1)) ** 0.5 / sum(n for n, _ in counts)
            half = stats.t.isf(0.1, g - 1) * error
        assert_limits(row, "agreement", ratio, half)


def assert_limits(row, name, value, half):
    """An interval within 0 and 1; none where nothing varies."""
    ends = (None, None) if half <= oracle.TIE else (max(0, value - half), min(1, value + half))
    found = {which: row[f"{name}_{which}"] for which in ("low", "high")}
    assert_close(found, dict(zip(("low", "high"), ends, strict=True)))


@given(preferences_tables(measures=MEASURES), st.sampled_from([["borda"], ["mc4", "copeland"]]))
def test_kendall(d, methods):
    o = pl.concat(lf.order_runs(d, method) for method in methods)
    ranks = {}
    for measure, method, run, rank in o.drop("value").iter_rows():
        ordering = f"{measure} {method}" if len(methods) > 1 else measure
        ranks.setdefault(ordering, {})[run] = rank
    expected = {
        ("kendall", a, b): oracle.kendall_tau_b(ranks[a], ranks[b])
        for a, b in combinations(sorted(ranks), 2)
    }
    table = lf.rank_correlations(o)
    assert table.select("method", "ordering_a", "ordering_b").rows() == list(expected)
    assert_close(cells(table, ["method", "ordering_a", "ordering_b"], "correlation"), expected)
    assert set(table["n"]) == {len(ranks[next(iter(ranks))])}
    assert table["p_value"].is_null().equals(table["correlation"].is_null())
    assert table["p_value"].drop_nulls().is_between(0, 1).all()


COEFFICIENTS = {
    "kendall": oracle.kendall_tau_b,
    "spearman": oracle.spearman,
    "tau_ap": oracle.tau_ap,
    "tau_ap_symmetric": oracle.tau_ap_symmetric,
    "rbo": oracle.rbo,
}


def ranks_by_measure(o):
    ranks = {}
    for measure, run, rank in o.select("measure", "run", "rank").iter_rows():
        ranks.setdefault(measure, {})[run] = rank
    return ranks


@pytest.mark.parametrize("method", COEFFICIENTS)
@given(d=preferences_tables(measures=MEASURES), order=st.sampled_from(["mean", "copeland"]))
def test_coefficients(method, d, order):
    o = lf.order_runs(d, order)
    ranks = ranks_by_measure(o)
    choose = permutations if method == "tau_ap" else combinations
    expected = {(a, b): COEFFICIENTS[method](ranks[a], ranks[b]) for a, b in choose(MEASURES, 2)}
    found = lf.rank_correlations(o, method)
    assert found.select("ordering_a", "ordering_b").rows() == list(expected)
    assert_close(cells(found, ["ordering_a", "ordering_b"], "correlation"), expected)


@pytest.mark.parametrize("method", COEFFICIENTS)
@FEWER
@given(preferences_tables(measures=MEASURES[:2]), st.integers(0, 99))
def test_bootstrap_of_coefficients(method, d, seed):
    """How far the correlations of the tables that the draws make are from that of the table."""
    found = []
    for sample in samples_of(d, seed, samples=4):
        ranks = ranks_by_measure(lf.order_runs(sample, "borda"))
        found.append(COEFFICIENTS[method](ranks["m1"], ranks["m2"]))
    ranks = ranks_by_measure(lf.order_runs(d, "borda"))
    whole = COEFFICIENTS[method](ranks["m1"], ranks["m2"])
    known = [abs(r - whole) for r in found if r is not None and whole is not None]
    half = 2 * np.quantile(known, 0.8) if known else None
    known = known if known and half > oracle.TIE else []  # samples that agree show no certainty
    least = 0 if method == "rbo" else -1
    low = max(least, whole - half) if known else None
    high = min(1, whole + half) if known else None
    row = lf.bootstrap_correlations(d, method, order="borda", samples=4, seed=seed, alpha=0.2).row(
        0, named=True
    )
    found = {name: row[name] for name in ("ci_low", "ci_high")}
    assert_close(found, {"ci_low": low, "ci_high": high})


@FEWER
@given(st.data(), preferences_tables(measures=MEASURES[:2]), st.integers(0, 99))
def test_the_bootstrap_is_blind_to_names_and_to_the_order_of_rows(data, d, seed):
    names = renaming(data.draw, sorted({*d["run_a"], *d["run_b"]}))
    method = data.draw(st.sampled_from(list(COEFFICIENTS)))
    for function in (
        lambda d: lf.bootstrap_correlations(d, method, samples=5, seed=seed),
        lambda d: lf.sign_agreement(d, samples=5, seed=seed),
    ):
        found = function(d)
        assert_identical(function(shuffled(d, seed)), found)
        of_renamed = function(renamed(d, names))
        for row, other in zip(found.to_dicts(), of_renamed.to_dicts(), strict=True):
            number = {k: x for k, x in row.items() if not isinstance(x, str)}
            assert_close({k: other[k] for k in number}, number)
