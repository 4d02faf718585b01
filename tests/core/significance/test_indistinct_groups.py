"""Groups of runs that are not significantly different, against all intervals one by one."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.significance.indistinct_groups import groups_not_told_apart


def compared(order, rejected):
    """Comparisons of all pairs, with the names in their own order."""
    pairs = [tuple(sorted(pair)) for pair in combinations(order, 2)]
    return pl.DataFrame(
        {"run_a": [a for a, _ in pairs], "run_b": [b for _, b in pairs],
         "reject": [{a, b} in rejected for a, b in pairs]},
        schema={"run_a": pl.String, "run_b": pl.String, "reject": pl.Boolean},
    )  # fmt: skip


def one_by_one(order, rejected):
    """All intervals of at least two runs without a rejected pair, but those within others."""
    n = len(order)
    fine = [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if not any({a, b} in rejected for a, b in combinations(order[i : j + 1], 2))
    ]
    largest = [
        (i, j)
        for i, j in fine
        if not any((k <= i and j <= m) and (k, m) != (i, j) for k, m in fine)
    ]
    inside = {frozenset(pair) for i, j in largest for pair in combinations(order[i : j + 1], 2)}
    alike = {frozenset(p) for p in combinations(order, 2) if set(p) not in rejected}
    return [(i + 1, j + 1) for i, j in largest], len(alike - inside)


@pytest.mark.parametrize("seed", range(60))
def test_groups_are_the_largest_intervals(seed):
    rng = np.random.default_rng(seed)
    order = [f"r{n}" for n in rng.permutation(rng.integers(2, 9))]
    rejected = [{*pair} for pair in combinations(order, 2) if rng.random() < seed % 5 / 5]
    found = groups_not_told_apart(compared(order, rejected), order)
    groups, without = one_by_one(order, rejected)
    assert (found.groups.rows(), found.n_without) == (groups, without)


def test_all_pairs_are_needed():
    c = compared(["a", "b", "c"], []).filter(run_b="c")
    with pytest.raises(
        lf.LexiframeError, match="found none of 'a' and 'b'; compare without a base"
    ):
        groups_not_told_apart(c, ["a", "b", "c"])


def test_a_single_run_has_no_group():
    assert groups_not_told_apart(compared(["a"], []), ["a"]).groups.is_empty()
