"""Preferences of some requests after the other are those of the table."""

import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.scored import values_of
from lexiframe.core.pairwise.compared_runs import parse_measures
from lexiframe.core.pairwise.measured import measure_positions
from lexiframe.core.pairwise.preference_arrays import preference_cubes
from tests.frames import assert_identical
from tests.strategies import positions_tables

pytestmark = pytest.mark.filterwarnings(  # made-up rows lie in any order
    "ignore:runs whose ranks and scores disagree",
    "ignore:.*expected scores of which the greatest is the best",
)

FEWER = settings(max_examples=settings().max_examples // 3)
MOST = st.sampled_from([1, 10, 40, 1000])


def found_more(p):
    """Count what was retrieved: a function of one's own."""
    found = np.isfinite(p).sum(axis=1)
    return np.sign(found[:, None] - found[None, :])


MEASURES = ["RPP", "RPP(rel=2)", "invRPP", "LR(rel=3)", "rrLP", "AP", "AP(rel=3)", "nDCG@3"]
OF_SUBTOPICS = ["ST-RPP", "ST-invRPP", "alpha_nDCG@5", "ST-RPP(rel=2)"]


def cubes_of(p, measures, no_relevant="drop", **options):
    """The cubes, from values that are computed once, as the table's are."""
    asked = parse_measures(measures)
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    values = values_of(p, metrics, no_relevant) if metrics else None
    return list(preference_cubes(p, asked, values, no_relevant, **options))


def table_of(cube):
    """The rows of a cube that have a value, as the table of preferences has them."""
    n, request, pair = np.nonzero(~np.isnan(cube.values))
    table = {
        "query_id": cube.queries.gather(request),
        "run_a": cube.runs.gather(cube.a[pair]),
        "run_b": cube.runs.gather(cube.b[pair]),
        "measure": cube.measures.gather(n),
        "preference": cube.values[n, request, pair],
    }
    return pl.DataFrame(table)


def assert_same(cubes, d, n_requests, most):
    together = pl.concat([table_of(cube) for cube in cubes])
    assert_identical(together.sort("query_id", "run_a", "run_b", "measure"), d)
    first = cubes[0]
    for cube in cubes:
        assert cube.runs.equals(first.runs)
        assert cube.measures.equals(first.measures)
        assert (cube.a == first.a).all()
        assert (cube.b == first.b).all()
        assert cube.queries.is_sorted()
        assert cube.values.flags.c_contiguous
        assert cube.values.size <= most or len(cube.queries) == 1
    assert sum(len(cube.queries) for cube in cubes) == n_requests


@FEWER
@given(positions_tables(min_runs=2), MOST, st.sampled_from(["drop", "zero"]))
def test_cubes_are_the_table(p, most, no_relevant):
    greatest = p["relevance"].max()
    names = [n for n in MEASURES if "rel=" not in n or float(n[n.index("=") + 1]) <= greatest]
    measures = [*names, found_more, lf.MatrixPreference("own", found_more, rel=1.5)]
    measures = measures if greatest >= 1.5 else measures[:-1]
    with warnings.catch_warnings(action="ignore"):
        d = lf.preferences(p, measures, no_relevant=no_relevant)
        cubes = cubes_of(p, measures, no_relevant, most=most)
        whole = measure_positions(p, parse_measures(measures), no_relevant)
    assert_same(cubes, d, p["query_id"].n_unique(), most)
    assert_same([whole], d, p["query_id"].n_unique(), whole.values.size)


@FEWER
@given(positions_tables(min_runs=2, subtopics=True), MOST)
def test_cubes_of_subtopics(p, most):
    names = OF_SUBTOPICS if p["relevance"].max() >= 2 else OF_SUBTOPICS[:-1]
    d = lf.preferences(p, names)
    assert_same(cubes_of(p, names, most=most), d, p["query_id"].n_unique(), most)


@FEWER
@given(positions_tables(min_runs=3), MOST)
def test_cubes_against_a_baseline(p, most):
    names = ["RPP", "LR", "AP", found_more]
    baseline = p["run"].max()
    d = lf.preferences(p, names, baseline=baseline)
    cubes = cubes_of(p, names, baseline=baseline, most=most)
    assert_same(cubes, d, p["query_id"].n_unique(), most)


def of_sizes(sizes):
    """Positions of two runs in requests that have so many relevant items."""
    items = {f"q{n}": {f"d{k}": 1 for k in range(size)} for n, size in enumerate(sizes)}
    runs = {
        run: {q: {d: sign * n for n, d in enumerate(of)} for q, of in items.items()}
        for run, sign in (("a", 1), ("b", -1))
    }
    return lf.positions(runs, items)


def test_each_request_is_in_one_cube_and_cubes_are_as_large_as_they_may_be():
    p = of_sizes([1, 2] * 20)
    cubes = cubes_of(p, "RPP AP", most=2 * 15)
    assert sorted(q for cube in cubes for q in cube.queries) == sorted(p["query_id"].unique())
    assert [len(cube.queries) for cube in cubes] == [15, 15, 10]


def test_a_measure_without_any_value_is_no_error_in_a_part_of_the_requests():
    p = of_sizes([1, 1])
    (cube,) = cubes_of(p, "RPP LR(rel=2)")
    assert np.isnan(cube.values[0]).all()
    assert not np.isnan(cube.values[1]).any()
    with pytest.raises(lf.LexiframeError, match="LR"):
        measure_positions(p, parse_measures("LR(rel=2)"))


def test_own_functions_are_called_in_order_and_never_together():
    p, seen = of_sizes([3, 1, 2]), []

    def remember(positions):
        seen.append(positions.shape[1])
        return np.zeros((2, 2))

    cubes_of(p, remember, most=1)
    assert sorted(seen) == [1, 2, 3]


def test_one_run_has_no_pairs():
    with pytest.raises(lf.LexiframeError, match="at least two runs, found 1"):
        cubes_of(of_sizes([1]).filter(run="a"), "RPP")


def test_requests_of_one_block_keep_their_own_preferences():
    """Requests with equally many relevant items are compared together, in any order of names."""
    ranks = np.random.default_rng(0).permuted(np.tile(np.arange(9), (3, 40, 1)), axis=2)
    runs = {
        f"r{n}": {
            f"q{q}": {f"d{d}": -rank for d, rank in enumerate(of_q)} for q, of_q in enumerate(of)
        }
        for n, of in enumerate(ranks.tolist())
    }
    qrels = {f"q{q}": {"d1": 1, "d2": q % 2} for q in range(40)}
    p = lf.positions(runs, qrels)
    whole = lf.preferences(p, ["AP", "RPP", "LR"])
    names = sorted(qrels)  # blocks of few requests are divided
    parts = [p.filter(pl.col("query_id").is_in(names[k : k + 8])) for k in range(0, 40, 8)]
    assert whole.equals(pl.concat(lf.preferences(part, ["AP", "RPP", "LR"]) for part in parts))
