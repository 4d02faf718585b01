"""How often intervals and tests of the worst share hold what they promise, and how long they take.

    python -m tests.benchmarks.worst [trials]

Requests are drawn from a population of known worst shares: their difficulty, and each run's own
part, are Beta distributed, and a share of them is 0 for a run. Intervals should hold 95 %, and
equal runs should differ in at most 5 % of the evaluations.
"""

import sys
import time

import numpy as np
import polars as pl

import lexiframe as lf
from lexiframe.core.significance import correct_families
from lexiframe.decide.worst.tails import Tails

SIZES, SHARES, ZEROS = (20, 50, 100, 250), (0.1, 0.25), (0.0, 0.06, 0.12)


def drawn(rng, n, columns, zeros, alike=0.7):
    """Values of requests × columns of one population; columns share the requests' difficulty."""
    difficulty = rng.beta(0.8, 1.6, (n, 1) if np.isscalar(columns) else (n, columns[0], 1))
    shape = (n, columns) if np.isscalar(columns) else (n, *columns)
    x = alike * difficulty + (1 - alike) * rng.beta(0.8, 1.6, shape)
    return np.where(rng.random(shape) < zeros, 0.0, x)


def whole(share, zeros, seed=0):
    """The worst share of the population, from a million requests."""
    x = drawn(np.random.default_rng(seed), 1_000_000, 1, zeros)
    return Tails(x).estimates(share).mean[0]


def coverage(n, share, zeros, trials, seed=1):
    """The shares of intervals that hold the value of a run, and the difference of two runs."""
    rng = np.random.default_rng(seed)
    x = drawn(rng, n, (trials, 2), zeros)
    tails = Tails(np.concatenate([x[:, :, 0], x[:, :, 1]], axis=1))
    places = np.arange(trials)
    truth = whole(share, zeros)
    held = []
    for e, wanted in (
        (tails.estimates(share), truth),
        (tails.pairs(share, places, places + trials), 0.0),
    ):
        low, high = e.ends(0.025)
        known = ~np.isnan(low)
        held.append(((low <= wanted) & (wanted <= high))[known].mean() if known.any() else np.nan)
    return held


def errors(n, share, zeros, trials, runs=10, seed=2):
    """The shares of evaluations of exchangeable runs in which one pair, or any, is rejected."""
    rng, pair, any_pair = np.random.default_rng(seed), 0, 0
    a, b = np.triu_indices(runs, k=1)
    for _ in range(trials):
        tails = Tails(drawn(rng, n, runs, zeros))
        p = tails.pairs(share, a, b).apart()
        pair += p[0] < 0.05
        any_pair += (correct_families(p, np.zeros(len(p)), "holm") < 0.05).any()
    return pair / trials, any_pair / trials


def many(n=10_000, runs=100):
    """Scores of many requests and runs, by one measure."""
    x = drawn(np.random.default_rng(3), n, runs, 0.02)
    names = [f"r{run:03}" for run in range(runs)], [f"q{request:05}" for request in range(n)]
    run, request = np.repeat(names[0], n), np.tile(names[1], runs)
    table = pl.DataFrame({"run": run, "query_id": request, "value": x.T.ravel()})
    return table.with_columns(measure=pl.lit("AP"))


def main(trials=2000):
    """Print coverage, errors and times."""
    print("requests share zeros  values  differences  one pair  ten runs")
    for n in SIZES:
        for share in SHARES:
            for zeros in ZEROS:
                found = *coverage(n, share, zeros, trials), *errors(n, share, zeros, trials // 5)
                print(f"{n:8} {share:5} {zeros:5}", *(f"{of:9.3f}" for of in found))
    s = many()
    for what, seconds in times(s).items():
        print(f"{what}: {seconds:.1f} s")


def times(s):
    """The seconds for values and t-tests, and for quantiles of pairs at first access."""
    start = time.perf_counter()
    w = lf.worst_served(s, (0.05, 0.1, 0.25))
    assert w.values.height == 3 * s["run"].n_unique()
    assert w.tested.height > 0
    middle = time.perf_counter()
    assert w.comparisons.height == w.tested.height
    return {"values and t": middle - start, "quantiles": time.perf_counter() - middle}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
