"""A sample of requests is ordered as the table with its requests repeated."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests
from tests.frames import assert_close, assert_identical, cells
from tests.properties.test_invariance import FEWER, renamed, renaming, shuffled
from tests.small_tables import RULES
from tests.strategies import positions_tables, preferences_tables, scores_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

SAMPLES = 3
OPTIONS = [
    *[{"method": method} for method in RULES],
    {"method": "mc4", "votes": "preference"},
    {"method": "mc4", "iterations": 3},
    {"method": "mc4", "teleport": 0.2},
    {"method": "kemeny", "votes": "preference"},
]


def samples_of(table, seed, samples=SAMPLES):
    """The tables that the draws make, each drawn request under a name of its own."""
    queries = table["query_id"].unique().sort()
    for counts in drawn_requests(len(queries), samples, seed):
        drawn = pl.DataFrame({"query_id": queries, "copy": counts.astype(int)})
        repeated = drawn.filter(pl.col("copy") > 0).with_columns(
            pl.int_ranges("copy").alias("copy")
        )
        copies = table.join(repeated.explode("copy"), on="query_id")
        yield copies.with_columns(
            pl.concat_str("query_id", "copy", separator="_").alias("query_id")
        ).select(table.columns)


def of_each_sample(table, options, seed):
    """{(measure, run): [its rank in each sample]}, by ordering the repeated tables."""
    ranks = {}
    for sample in samples_of(table, seed):
        o = lf.order_runs(sample, **options)
        for measure, run, rank in o.select("measure", "run", "rank").iter_rows():
            ranks.setdefault((measure, run), []).append(rank)
    return ranks


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@FEWER
@given(table=preferences_tables(max_runs=4) | scores_tables(max_runs=4), seed=st.integers(0, 99))
def test_a_sample_is_a_table_with_repeated_requests(options, table, seed):
    ranks = of_each_sample(table, options, seed)
    found = lf.rank_distributions(table, **options, samples=SAMPLES, seed=seed)
    assert set(found["method"]) == set(lf.order_runs(table, **options)["method"])
    assert_close(
        cells(found, ["measure", "run", "rank"], "probability"),
        {
            (measure, run, rank): of_run.count(rank) / SAMPLES
            for (measure, run), of_run in ranks.items()
            for rank in of_run
        },
    )
    pairs = lf.order_probabilities(table, **options, samples=SAMPLES, seed=seed)
    for row in pairs.iter_rows(named=True):
        both = [*zip(ranks["m1", row["run_a"]], ranks["m1", row["run_b"]], strict=True)]
        expected = [sum(a < b for a, b in both), sum(a == b for a, b in both)]
        expected.append(sum(a > b for a, b in both))
        shares = [row["p_a_first"], row["p_tie"], row["p_b_first"]]
        assert shares == pytest.approx([n / SAMPLES for n in expected])


@FEWER
@given(positions_tables(min_runs=2), st.integers(0, 99))
def test_measures_that_lack_requests_take_those_that_they_have(p, seed):
    """All measures see the same draws."""
    d = lf.preferences(p, ["LR(rel=3)", "RPP"])
    sample = next(samples_of(d, seed, samples=1))
    found = lf.rank_distributions(d, samples=1, seed=seed)
    for measure in sample["measure"].unique():
        o = lf.order_runs(sample.filter(measure=measure), "mean")
        assert cells(found.filter(measure=measure), "run", "rank") == cells(o, "run", "rank")


@FEWER
@given(st.data(), preferences_tables(max_runs=5), st.sampled_from([*RULES]), st.integers(0, 99))
def test_names_and_the_order_of_rows_change_nothing(data, d, method, seed):
    names = renaming(data.draw, sorted({*d["run_a"], *d["run_b"]}))
    found = lf.rank_distributions(d, method, samples=5, seed=seed)
    assert_identical(lf.rank_distributions(shuffled(d, seed), method, samples=5, seed=seed), found)
    expected = renamed(found.select("run", "rank", "probability"), names).sort("run", "rank")
    of_renamed = lf.rank_distributions(renamed(d, names), method, samples=5, seed=seed)
    assert_close(
        cells(of_renamed, ["run", "rank"], "probability"),
        cells(expected, ["run", "rank"], "probability"),
    )
