"""`group_correlations`: how alike the orderings of the runs are in two groups of requests."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.small_tables import scores

RNG = np.random.default_rng(3)
RUNS = {run: RNG.random(9).round(2).tolist() for run in "abcde"}
KIND = "xyxyxzzyx"
KINDS = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 10)], "kind": [*KIND]})
BY = {"requests": KINDS, "by": "kind"}
METHODS = ["kendall", "spearman", "rbo", "tau_ap", "tau_ap_symmetric"]


@pytest.mark.slow
@pytest.mark.parametrize("order", ["mean", "borda", "mc4"])
@pytest.mark.parametrize("method", METHODS)
def test_correlations_are_those_of_the_orderings_of_groups(method, order):
    s = pl.concat([scores(RUNS, "AP"), scores({r: v[::-1] for r, v in RUNS.items()}, "RR")])
    o = lf.order_runs(s, order, **BY)
    found = lf.group_correlations(s, method, order=order, trials=3, **BY)
    rows = []
    for measure in ("AP", "RR"):
        of_groups = o.filter(measure=measure).with_columns(measure="kind").drop("kind")
        expected = lf.rank_correlations(of_groups, method)
        rows += [
            (measure, *row)
            for row in expected.select("ordering_a", "ordering_b", "correlation", "n").rows()
        ]
    assert found.select("measure", "group_a", "group_b").rows() == [row[:3] for row in rows]
    assert found["correlation"].to_list() == pytest.approx([row[3] for row in rows])
    assert found["n"].to_list() == [row[4] for row in rows]
    sizes = {kind: KIND.count(kind) for kind in "xyz"}
    assert found["n_a"].to_list() == [sizes[name] for name in found["group_a"]]
    assert found["n_b"].to_list() == [sizes[name] for name in found["group_b"]]


def test_all_random_groups_of_few_requests():
    """By a loop, with SciPy's τ."""
    row = lf.group_correlations(scores(RUNS), **BY).row(0, named=True)
    x, y = ([n for n, k in enumerate(KIND) if k == kind] for kind in "xy")
    matrix = np.array([*RUNS.values()])

    def tau(first, second):
        means = (matrix[:, [*some]].mean(axis=1) for some in (first, second))
        return stats.kendalltau(*(m.round(12) for m in means)).statistic

    every = [
        tau(first, [n for n in x + y if n not in first])
        for first in itertools.combinations(x + y, len(x))
    ]
    observed = tau(x, y)
    assert row["correlation"] == pytest.approx(observed)
    assert row["p_value"] == pytest.approx(np.mean(np.array(every) <= observed + 1e-9))
    others = (sum(every) - observed) / (len(every) - 1)
    assert row["by_chance"] == pytest.approx(others)


def test_groups_that_turn_the_order_round():
    """Ten runs, 20 requests: the second half turns the order round, but for noise."""
    base = np.linspace(0, 1, 10)[:, None]
    noise = RNG.normal(size=(10, 20)) * 0.3
    turned = np.where(np.arange(20) < 10, base, 1 - base) + noise
    same = base + noise
    kinds = pl.DataFrame(
        {"query_id": [f"q{n}" for n in range(1, 21)], "kind": ["x"] * 10 + ["y"] * 10}
    )
    p_value = {
        name: lf.group_correlations(
            scores(dict(zip("abcdefghij", values.tolist(), strict=True))), requests=kinds, by="kind"
        ).row(0, named=True)
        for name, values in (("turned", turned), ("same", same))
    }
    assert p_value["turned"]["correlation"] < -0.5
    assert p_value["turned"]["p_value"] < 0.05
    assert p_value["same"]["correlation"] > 0.5
    assert p_value["same"]["p_value"] > 0.1


def test_the_seed_and_the_trials():
    many = {run: RNG.random(40).tolist() for run in "abcd"}
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 41)], "kind": [*"xy" * 20]})
    asked = {"requests": kinds, "by": "kind", "trials": 99}
    one, same = (lf.group_correlations(scores(many), seed=1, **asked) for _ in range(2))
    assert one.equals(same)
    assert not one.equals(lf.group_correlations(scores(many), seed=2, **asked))
    assert (one["p_value"][0] * 100) % 1 == pytest.approx(0, abs=1e-9)


def test_what_has_no_correlation():
    flat = {run: [0.5] * 9 for run in "abc"}
    row = lf.group_correlations(scores(flat), **BY).row(0, named=True)
    assert (row["correlation"], row["by_chance"], row["p_value"], row["n"]) == (None, None, None, 3)
    one = lf.group_correlations(scores({"a": RUNS["a"]}), **BY).row(0, named=True)
    assert (one["correlation"], one["p_value"], one["n"]) == (None, None, 1)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"method": "pearson"}, "group_correlations: expected method to be one of"),
        ({"trials": 0}, "group_correlations: expected trials to be a whole number from 1, found 0"),
        ({"p": 0.5}, "group_correlations: p belongs to method='rbo'"),
        ({"by": None, "requests": None}, "group_correlations: which attribute makes the groups?"),
        (
            {"requests": KINDS.with_columns(kind=pl.lit("x"))},
            "at least two groups of requests, found 1",
        ),
    ],
)
def test_arguments_that_do_not_exist(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.group_correlations(scores(RUNS), **{**BY, **options})


def test_nothing_to_compare():
    s = pl.concat([scores({"a": [1.0, None]}, "AP"), scores({"a": [None, 1.0]}, "RR")])
    with pytest.raises(lf.LexiframeError, match="expected requests in two groups, found none"):
        lf.group_correlations(s, requests=KINDS, by="kind")
    infinite = scores({**RUNS, "a": [math.inf, *RUNS["a"][1:]]})
    with pytest.raises(lf.LexiframeError, match="group_correlations: expected finite values"):
        lf.group_correlations(infinite, **BY)


@pytest.mark.slow
def test_an_evaluation_has_its_groups():
    folder = lf.bundled("example")
    inputs = (folder / "runs", folder / "qrels.txt", ["AP", "RPP"])
    queries = "q0066 q0078 q0113 q0175 q0206".split()
    by_kind = {"requests": pl.DataFrame({"query_id": queries, "kind": [*"xyxyx"]}), "by": "kind"}
    grouped, plain = lf.evaluate(*inputs, **by_kind), lf.evaluate(*inputs)
    found = lf.group_correlations(grouped, "spearman")
    assert lf.group_correlations(plain, "spearman", **by_kind).equals(found)
    metric = lf.group_correlations(plain.scores, "spearman", **by_kind)
    preference = plain.preferences.filter(measure="RPP")
    parts = [metric, lf.group_correlations(preference, "spearman", **by_kind)]
    assert found.equals(pl.concat(parts))
    with pytest.raises(lf.LexiframeError, match="group_correlations: the evaluation has no groups"):
        lf.group_correlations(plain)
