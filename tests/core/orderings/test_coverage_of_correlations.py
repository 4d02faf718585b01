"""How often intervals of τ hold the τ of the true means, where these are known.

    python -m tests.core.orderings.test_coverage_of_correlations

prints the table in the docstring of `bootstrap_correlations`, in a few minutes.
"""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.base import resampling
from lexiframe.core.orderings.coefficients import kendall

pytestmark = pytest.mark.slow  # draws, or reads real collections

SETTINGS = [(8, 0.3, False), (30, 0.3, False), (30, 0.1, False), (15, 0.3, True), (30, 0.3, True)]
"""Numbers of runs, the spread of their true means, and whether the measures are judges that agree:
their means are nearly the same, and so is their noise."""
REQUESTS = [25, 50, 200]


def drawn(rng, true, n, alike=0.7):
    """Scores, requests × measures × runs: a request's difficulty, and noise that measures share."""
    noise = rng.normal(0, 1, (n, 2, true.shape[1]))
    noise[:, 1] = alike * noise[:, 0] + np.sqrt(1 - alike**2) * noise[:, 1]
    return true + rng.normal(0, 0.15, (n, 1, 1)) + 0.25 * noise


def table(x):
    q, m, r = (of.ravel() for of in np.indices(x.shape))
    names = {"run": [f"r{k:02}" for k in r], "query_id": [f"q{k:03}" for k in q]}
    return pl.DataFrame(names | {"measure": np.array(["A", "B"])[m], "value": x.ravel()})


def others(x, tau, samples):
    """The interval of half the width, percentiles, and the jackknife on Fisher's z."""
    n = len(x)
    drawn = np.einsum("bn,nmr->bmr", resampling.drawn_requests(n, samples, 1) / n, x)
    taus = kendall(drawn[:, 0], drawn[:, 1])
    half = np.quantile(np.abs(taus - tau), 0.95)
    yield tau - half, tau + half
    yield np.quantile(taus, [0.025, 0.975])
    left = (x.sum(axis=0) - x) / (n - 1)
    most = 1 - 4 / x.shape[2] ** 2  # below 1, whose z is infinite
    z, z_left = (
        np.arctanh(np.clip(t, -most, most)) for t in (tau, kendall(left[:, 0], left[:, 1]))
    )
    error = np.sqrt((n - 1) * z_left.var())
    low, high = np.tanh(z + np.array([-1, 1]) * stats.t.ppf(0.975, n - 1) * error)
    yield low, 1.0 if high >= most else high


def simulated_coverage(n_runs, spread, agree, n, repetitions, *, samples=300):
    """The shares of repetitions in which each interval holds the τ of the true means."""
    rng, held = np.random.default_rng([n_runs, n]), []
    for _ in range(repetitions):
        first = np.linspace(0, spread, n_runs)
        apart = spread * 0.03 if agree else spread / 6
        true = np.stack([first, first + rng.normal(0, apart, n_runs)])
        truth = stats.kendalltau(*true).statistic
        x = drawn(rng, true, n, 0.9 if agree else 0.7)
        found = lf.bootstrap_correlations(table(x), samples=samples).row(0, named=True)
        assert found["correlation"] == pytest.approx(stats.kendalltau(*x.mean(axis=0)).statistic)
        # No interval, as where all samples have one order, holds nothing.
        ends = [(2, 2) if found["ci_low"] is None else (found["ci_low"], found["ci_high"])]
        ends += others(x, found["correlation"], samples)
        held.append([low - 1e-9 <= truth <= high + 1e-9 for low, high in ends])
    return np.mean(held, axis=0)


@pytest.mark.parametrize("n_runs, spread, agree", [SETTINGS[2], SETTINGS[4]])
def test_intervals_hold_the_truth(n_runs, spread, agree):
    """Of 100, .89 is three standard errors below .95; half the width holds .66 and .63."""
    assert simulated_coverage(n_runs, spread, agree, 50, 100, samples=100)[0] >= 0.89


if __name__ == "__main__":
    for setting in SETTINGS:
        for n in REQUESTS:
            shares = simulated_coverage(*setting, n, 200)
            print(*setting, n, *(f"{share:.2f}" for share in shares), flush=True)
