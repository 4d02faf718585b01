"""How often intervals of τ hold the τ of the true means, where these are known.

    python -m tests.orderings.test_coverage_of_correlations

prints the table in the docstring of `bootstrap_correlations`, in a few minutes.
"""

import numpy as np
import polars as pl
import pytest
from scipy.stats import bootstrap, kendalltau

import lexiframe as lf

SETTINGS = [(8, 0.3), (30, 0.3), (30, 0.1)]
REQUESTS = [25, 50, 200]


def drawn(rng, true, n):
    """Scores, requests × measures × runs: a request's difficulty, and noise that measures share."""
    noise = rng.normal(0, 1, (n, 2, true.shape[1]))
    noise[:, 1] = 0.7 * noise[:, 0] + np.sqrt(1 - 0.7**2) * noise[:, 1]
    return true + rng.normal(0, 0.15, (n, 1, 1)) + 0.25 * noise


def table(x):
    q, m, r = (of.ravel() for of in np.indices(x.shape))
    names = {"run": [f"r{k:02}" for k in r], "query_id": [f"q{k:03}" for k in q]}
    return pl.DataFrame(names | {"measure": np.array(["A", "B"])[m], "value": x.ravel()})


def tau(x, axis=0):
    """τ-b of the two measures' means over the requests."""
    return kendalltau(*np.mean(x, axis=axis)).statistic


def others(x, samples):
    """Percentile, basic and BCa intervals by SciPy."""
    how = {"n_resamples": samples, "vectorized": False, "axis": 0, "rng": 0}
    q = np.arange(len(x))

    def of(places):
        return tau(x[places])

    for method in ("percentile", "basic", "BCa"):
        yield bootstrap((q,), of, method=method, **how).confidence_interval


def simulated_coverage(n_runs, spread, n, repetitions, *, samples=300, with_others=False):
    """The shares of repetitions in which each interval holds the τ of the true means."""
    rng, held = np.random.default_rng([n_runs, n]), []
    for _ in range(repetitions):
        first = np.linspace(0, spread, n_runs)
        true = np.stack([first, first + rng.normal(0, spread / 6, n_runs)])
        truth, x = kendalltau(*true).statistic, drawn(rng, true, n)
        found = lf.bootstrap_correlations(table(x), samples=samples).row(0, named=True)
        assert found["ci_low"] <= found["correlation"] <= found["ci_high"]
        ends = [(found["ci_low"], found["ci_high"])]
        ends += list(others(x, samples)) if with_others else []
        held.append([low - 1e-9 <= truth <= high + 1e-9 for low, high in ends])
    return np.mean(held, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("n_runs, spread, n, least", [(8, 0.3, 50, 0.9), (30, 0.3, 50, 0.85)])
def test_intervals_hold_the_truth(n_runs, spread, n, least):
    assert simulated_coverage(n_runs, spread, n, 100)[0] >= least


if __name__ == "__main__":
    for n_runs, spread in SETTINGS:
        for n in REQUESTS:
            shares = simulated_coverage(n_runs, spread, n, 200, with_others=True)
            print(n_runs, spread, n, *(f"{share:.2f}" for share in shares), flush=True)
