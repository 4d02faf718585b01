"""`audit` of whole evaluations: against `compare`, called for one evaluation after the other."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences

RNG = np.random.default_rng(4)
N, RUNS = 12, "abcde"
R = len(RUNS)
QUERIES = [f"q{n:03d}" for n in range(N)]
VALUES = np.round(RNG.beta(0.5 + 0.3 * np.arange(R), 2, (N, R)), 2)
S = pl.concat(
    pl.DataFrame({"run": run, "query_id": QUERIES, "measure": "mine", "value": VALUES[:, k]})
    for k, run in enumerate(RUNS)
)
DIFFERENCES = np.round(VALUES[:, :, None] - VALUES[:, None], 10)
SIGNS = np.sign(DIFFERENCES)
ANY = np.triu(np.round(RNG.normal(0.2, 0.5, (N, R, R)), 2), 1)
ANY -= ANY.transpose(0, 2, 1)
"""Preferences that are no differences of scores: each pair of runs has its own."""


def table(squares, runs=RUNS):
    """A table of preferences from antisymmetric matrices, requests × runs × runs."""
    named = {f"{RUNS[i]}{RUNS[j]}": squares[:, i, j] for i, j in combinations(range(len(runs)), 2)}
    d = preferences({pair: values.tolist() for pair, values in named.items()})
    place = pl.col("query_id").str.slice(1).cast(pl.Int64) - 1
    return d.with_columns(query_id=pl.format("q{}", place.cast(pl.String).str.zfill(3)))


def drawn(null, size, n_runs, trials, seed):
    """Draw what `audit` draws: its inner seed, and each trial's runs, requests and dealt names."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size, 0, n_runs)))
    inner = int(rng.integers(2**32))
    runs = np.sort(rng.random((trials, R)).argsort(axis=1)[:, :n_runs], axis=1)
    request = rng.integers(0, N, (size, trials))
    dealt = np.tile(np.arange(n_runs), (size, trials, 1))
    if null == "exchanged":
        dealt = rng.random((size, trials, n_runs)).argsort(axis=2)
    return inner, zip(runs, request.T, dealt.transpose(1, 0, 2), strict=True)


def by_compare(squares, test, correction, null, size, n_runs, trials, seed):
    """Evaluate one trial after the other; return rates, and the numbers of trials they are of."""
    mean = squares.mean(axis=0)
    centred = np.round(squares - mean, 10) if null == "centred" else squares
    inner, each = drawn(null, size, n_runs, trials, seed)
    errors, found, wrong = [], [], []
    a, b = np.triu_indices(n_runs, k=1)
    for runs, request, dealt in each:

        def rejected(of, order):
            run = runs[order]
            names = request[:, None, None], run[:, :, None], run[:, None]
            d = table(of[names], range(n_runs))
            c = lf.compare(d, test, correction, alpha=0.1, trials=50, seed=inner)
            return c["reject"].to_numpy(), np.sign(c["mean_difference"].to_numpy())

        errors.append(rejected(centred, dealt)[0].any())
        is_found, ahead = rejected(squares, np.tile(np.arange(n_runs), (size, 1)))
        better = np.sign(np.round(mean, 10)[runs[a], runs[b]])
        is_found &= better != 0
        if (better != 0).any():
            found.append(is_found.sum() / (better != 0).sum())
        if is_found.any():
            wrong.append((ahead != better)[is_found].mean())
    return errors, found, wrong


CASES = [
    ("t", "holm", "exchanged", 4, S, DIFFERENCES),
    ("t", "none", "centred", 3, S, DIFFERENCES),
    ("sign", "holm", "exchanged", 5, table(SIGNS), SIGNS),
    ("t", "bh", "exchanged", 4, table(ANY), ANY),
    ("randomization", "bonferroni", "centred", 3, table(ANY), ANY),
    ("wilcoxon", "none", "exchanged", 3, table(ANY), ANY),
]


@pytest.mark.parametrize("test, correction, null, n_runs, d, squares", CASES)
def test_rates_are_those_of_compare_called_for_each_evaluation(
    test, correction, null, n_runs, d, squares
):
    how = {"null": null, "trials": 60, "seed": 7}
    row = lf.audit(
        d, test, 8, runs=n_runs, correction=correction, inner_trials=50, alpha=0.1, **how
    ).row(0, named=True)
    errors, found, wrong = by_compare(squares, test, correction, size=8, n_runs=n_runs, **how)
    for name, shares in (("error", errors), ("power", found), ("type_iii", wrong)):
        rate = "error_rate" if name == "error" else name
        assert row[rate] == pytest.approx(np.mean(shares))
        assert row[f"{name}_se"] == pytest.approx(np.std(shares) / len(shares) ** 0.5)
    assert (row["n_differ"], row["n_significant"]) == (len(found), len(wrong))
    assert 0 < row["error_rate"] < 1
