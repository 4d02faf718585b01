"""Paired tests, corrections and discriminative power are those of the oracle."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, measured
from tests.strategies import preferences_tables, scores_tables

pytestmark = pytest.mark.slow

MEASURES = ["m1", "m2"]
FEWER = settings(max_examples=settings().max_examples // 3)
"""Holm's correction by statsmodels collects garbage each time."""
CORRECTIONS = {"none": list, "bonferroni": oracle.bonferroni, "holm": oracle.holm}


def differences(table, measure):
    """{(run_a, run_b): [d_q for every request]}."""
    d, by_pair = measured(table, measure), {}
    if "value" in table.columns:
        runs = sorted({run for _, run in d})
        d = {
            (q, a, b): d[q, a] - d[q, b]
            for q, run in d
            if run == runs[0]
            for a, b in combinations(runs, 2)
        }
    for (_, a, b), x in d.items():
        by_pair.setdefault((a, b), []).append(oracle.tie(x))
    return by_pair


@given(
    preferences_tables(max_runs=4, max_queries=12) | scores_tables(max_runs=4),
    st.sampled_from([0.05, 0.3]),
)
def test_student_t(table, alpha):
    c = lf.compare(table, "t", "none", alpha=alpha, intervals="t")
    assert_tests(c, differences(table, "m1"), lambda d_q: oracle.t_test(d_q, alpha))


@given(
    preferences_tables(max_runs=4, max_queries=12) | scores_tables(max_runs=4),
    st.sampled_from([0.05, 0.3]),
)
def test_sign(table, alpha):
    c = lf.compare(table, "sign", "none", alpha=alpha, intervals="t")
    assert_tests(
        c, differences(table, "m1"), lambda d_q: oracle.t_test(d_q, alpha) | oracle.sign_test(d_q)
    )


def assert_tests(c, by_pair, test):
    assert c.select("run_a", "run_b").rows() == sorted(by_pair)
    for row in c.iter_rows(named=True):
        d_q = by_pair[row["run_a"], row["run_b"]]
        expected = dict.fromkeys(["ci_low", "ci_high", "effect_size", "statistic"]) | test(d_q)
        assert row["n"] == len(d_q)
        assert_close({name: row[name] for name in expected}, expected, rel=1e-9, abs=1e-12)


@FEWER
@given(
    preferences_tables(measures=MEASURES, max_runs=5, max_queries=12),
    st.sampled_from(["t", "sign"]),
    st.sampled_from(list(CORRECTIONS)),
    st.sampled_from(["measure", "all"]),
    st.booleans(),
    st.sampled_from([0.05, 0.5]),
)
def test_corrections_over_a_family(d, test, correction, family, with_baseline, alpha):
    baseline = d["run_b"][0] if with_baseline else None
    c = lf.compare(d, test, correction, family=family, baseline=baseline, alpha=alpha)
    if with_baseline:
        assert (c["run_b"] == baseline).all()
    p_values, adjusted = [], []
    for table in c.partition_by("measure") if family == "measure" else [c]:
        p_values += table["p_value"].to_list()
        adjusted += CORRECTIONS[correction](table["p_value"].to_list())
    assert c["p_value"].to_list() == p_values
    assert_close(dict(enumerate(c["p_adjusted"])), dict(enumerate(adjusted)))
    assert c["reject"].to_list() == [p < alpha for p in c["p_adjusted"]]
    assert c.select("test", "correction").unique().rows() == [(test, correction)]


@given(preferences_tables(min_runs=3), st.sampled_from(["t", "sign"]))
def test_a_baseline_chooses_pairs_and_changes_nothing_else(d, test):
    baseline = d["run_a"][0]
    turned = pl.when(run_a=baseline)  # the baseline is run_b
    others = d.filter((pl.col("run_a") == baseline) | (pl.col("run_b") == baseline))
    columns = {
        "run_a": turned.then("run_b").otherwise("run_a"),
        "preference": turned.then(0 - pl.col("preference")).otherwise("preference"),
    }
    # The greatest name of all, so that the other run is run_a in every pair.
    renamed = others.with_columns(**columns, run_b=pl.lit("\U0010ffff")).sort(d.columns[:4])
    expected = lf.compare(renamed, test, "none").with_columns(run_b=pl.lit(baseline))
    assert lf.compare(d, test, "none", baseline=baseline).equals(expected)


@given(preferences_tables(measures=MEASURES), st.sampled_from([0.05, 0.2, 0.6]))
def test_discriminative_power(d, alpha):
    c = lf.compare(d, "sign", "bonferroni", alpha=alpha)
    rows = lf.discriminative_power(c, alpha).rows(named=True)
    assert [row["measure"] for row in rows] == MEASURES
    for row in rows:
        adjusted = c.filter(measure=row["measure"])["p_adjusted"].to_list()
        assert row["n_pairs"] == len(adjusted)
        assert row["n_significant"] == c.filter(measure=row["measure"])["reject"].sum()
        assert row["power"] == oracle.power(adjusted, alpha)


def test_a_p_value_of_alpha_is_not_significant():
    d = pl.DataFrame({"query_id": ["1", "2"], "run_a": "a", "run_b": "b", "measure": "m1"})
    c = lf.compare(d.with_columns(preference=1.0), "sign", alpha=0.5)
    assert c.select("p_value", "reject").rows() == [(0.5, False)]
    assert lf.discriminative_power(c, 0.5)["power"].to_list() == [0.0]
