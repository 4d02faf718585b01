"""Metrics by lexicographic order have its signs, and metric lexirecall is exact."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.metrics.kinds.order_metrics import leximin, leximin_weights
from tests import oracle
from tests.frames import assert_close, items_of, measured, pairs_of
from tests.oracle import cut, positions_of, sgn
from tests.strategies import positions_tables

pytestmark = pytest.mark.slow

RANKS = {"LR.rank": True, "LP.rank": False}


def vectors(p, rel=0):
    """{(query_id, run): positions}, of the items of a grade or above, where there are some."""
    items = {(q, run): positions_of(items, rel) for (run, q), items in items_of(p).items()}
    return {key: vector for key, vector in items.items() if vector}


def of_the_request(of, query_id):
    return [vector for (q, _), vector in of.items() if q == query_id]


def ranks(of, largest):
    return {
        key: oracle.lexicographic_rank(p, of_the_request(of, key[0]), largest)
        for key, p in of.items()
    }


@given(positions_tables())
def test_ranks(p):
    s = lf.scores(p, [*RANKS])
    for name, largest in RANKS.items():
        assert measured(s, name) == ranks(vectors(p), largest)


@given(positions_tables(), st.sampled_from([1, 1.5, 2, 3]))
def test_ranks_with_a_least_grade(p, rel):
    s = lf.scores(p, [f"{name}(rel={rel})" for name in RANKS])
    for name, largest in RANKS.items():
        assert measured(s, f"{name}(rel={rel:g})") == ranks(vectors(p, rel), largest)


@given(positions_tables(), st.integers(1, 8))
def test_ranks_at_a_cut_off(p, k):
    s = lf.scores(p, [f"{name}@{k}" for name in RANKS])
    of = {key: cut(vector, k) for key, vector in vectors(p).items()}
    for name, largest in RANKS.items():
        assert measured(s, f"{name}@{k}") == ranks(of, largest)


@given(positions_tables(min_runs=2), st.sampled_from(["", "(rel=2)"]))
def test_differences_of_ranks_have_the_signs_of_the_preference(p, rel):
    assume(not rel or p["relevance"].max() >= 2)
    names = [f"{name}{rel}" for name in ("LR.rank", "LP.rank", "LR", "LP")]
    d = lf.preferences(p, names)
    for rank, sign in zip(names[:2], names[2:], strict=True):
        assert {key: sgn(x) for key, x in measured(d, rank).items()} == measured(d, sign)


@given(positions_tables(no_relevant="zero"))
def test_without_relevant_items_they_are_zero(p):
    s = lf.scores(p, [*RANKS])
    empty = p.filter(pl.col("n_relevant") == 0)
    values = s.join(empty, on=["run", "query_id"], how="semi")["value"]
    assert values.to_list() == [0.0] * (empty.height * len(RANKS))


# --- Metric lexirecall ---------------------------------------------------------------------------

SIZES = [(m, n) for n in range(1, 7) for m in range(1, n + 1)]


@pytest.mark.parametrize("m, n", [*SIZES, (40, 1000), (3, 10**12)])
def test_the_weights_are_those_of_the_formula_and_sum_to_one(m, n):
    weights, denominator = leximin_weights(m, n)
    assert [Fraction(w, denominator) for w in weights] == oracle.leximin_weights(m, n)
    assert sum(weights) == denominator


@pytest.mark.parametrize("m, n", SIZES)
def test_the_exact_values_order_all_rankings_as_lexirecall(m, n):
    """Equal positions too, which no ranking has: the order is that of any ascending vector."""
    weights, _ = leximin_weights(m, n)
    for make in (combinations, combinations_with_replacement):
        every = [list(p) for p in make(range(1, n + 1), m)]
        totals = [-sum(w * p_i for w, p_i in zip(weights, p, strict=True)) for p in every]
        for a, b in combinations(range(len(every)), 2):
            assert sgn(totals[a] - totals[b]) == oracle.LR(every[a], every[b])


@pytest.mark.parametrize("m, n", SIZES)
def test_the_values_are_the_exact_ones_rounded_once(m, n):
    every = np.array([*combinations(range(1, n + 1), m)])
    expected = [float(oracle.metric_LR([int(x) for x in p], n)) for p in every]
    assert leximin(every.T[:, :, None], n).ravel().tolist() == expected
    assert all(-n <= x <= -1 for x in expected)


def test_every_level_counts_where_there_are_few():
    """Of all rankings of 7 items with 4 relevant each has its own number, in lexirecall's order."""
    every = sorted(combinations(range(1, 8), 4), key=lambda p: p[::-1])
    rows = [
        dict(run=f"{n:02}", query_id="q", doc_id=f"d{i}", relevance=1.0, position=x, level=i)
        for n, p in enumerate(every)
        for i, x in enumerate(p, start=1)
    ]
    p = pl.DataFrame(rows).with_columns(n_relevant=4, n_retrieved=7)
    values = lf.scores(p, lf.LR.metric(n=7)).sort("run")["value"].to_list()
    assert all(better > worse for better, worse in pairwise(values))
    assert lf.scores(p, lf.LR.rank).sort("run")["value"].to_list() == list(range(35, 0, -1))


@given(positions_tables(), st.sampled_from([60, 1000]), st.sampled_from([None, 2]))
def test_metric_lexirecall(p, n, rel):
    assume(rel is None or p["relevance"].max() >= rel)
    measure = lf.LR.metric(n=n) if rel is None else lf.LR(rel=rel).metric(n=n)
    kept = {
        (q, run): [item for item in items if item[1] >= (rel or 0)]
        for (run, q), items in items_of(p).items()
    }
    expected = {
        key: oracle.metric_LR(positions_of(oracle.impute_pessimistic(items, n)), n)
        for key, items in kept.items()
        if items
    }
    merged = any(
        x != y and abs(float(x) - float(y)) <= oracle.TIE * max(1, abs(x), abs(y))
        for (q, _), x in expected.items()
        for (r, _), y in expected.items()
        if q == r
    )
    if merged:
        with pytest.raises(lf.LexiframeError, match=r"ranks of the rankings, LR\.rank"):
            lf.scores(p, measure)
    else:
        found = measured(lf.scores(p, measure), str(measure))
        assert found == {key: float(x) for key, x in expected.items()}


@given(positions_tables(min_runs=2))
def test_differences_of_metric_lexirecall_have_its_signs(p):
    try:
        d = lf.preferences(p, ["LR.metric(n=100)", "LR"])
    except lf.LexiframeError:
        assume(False)
    found = measured(d, "LR.metric(n=100)")
    assert {key: sgn(x) for key, x in found.items()} == measured(d, "LR")
    assert found.keys() == pairs_of(items_of(p)).keys()


@given(positions_tables(min_runs=2))
def test_the_mean_of_ranks_orders_runs(p):
    s = lf.scores(p, lf.LR.rank)
    o = lf.order_runs(s, "mean")
    means = s.group_by("run").agg(pl.col("value").mean())
    assert_close(dict(o.select("run", "value").rows()), dict(means.rows()))
