"""How often intervals and tests of requests with weights hold what they promise.

    python -m tests.benchmarks.weights [trials]

Weights are fixed, values are drawn alike for all requests. Intervals should hold 95 %, and flips
reject 5 % of equal runs. In strata the values of each stratum have their own mean; at last weights
are drawn with the requests, and values rise with them. Below are the ranges that SPEC §21 has.
"""

import sys

import numpy as np
import polars as pl

from lexiframe.core.base import sums
from lexiframe.core.significance import Options
from lexiframe.core.significance.joint_flips import max_t

SIZES = (10, 20, 50, 100)
RANGES = {"t": (0.94, 0.99), "hits": (0.97, 1), "signs": (0.95, 1), "bounded": (0.97, 1),
          "flips": (0.04, 0.06), "strata": (0.94, 0.98)}  # fmt: skip
SHARES = np.array([0.6, 0.3, 0.1])
_ROUGH = np.full((1, 1), sums.TIE)


def _lognormal(sigma, n):
    """The quantiles of a lognormal distribution."""
    from scipy.special import ndtri

    return np.exp(sigma * ndtri((np.arange(n) + 0.5) / n))


WEIGHTS = {
    "lognormal 1": lambda n: _lognormal(1.0, n),
    "lognormal 1.5": lambda n: _lognormal(1.5, n),
    "Zipf": lambda n: 1 / np.arange(1, n + 1),
    "heavy tenth": lambda n: np.where(np.arange(n) < n / 10, 9.0, 1.0),
}


def held(ends, truth):
    """The share of intervals that hold the truth."""
    low, high = ends
    return float(((low <= truth) & (truth <= high)).mean())


def cell(family, n, trials, seed=0):
    """The coverage of each interval, and the level of flips, for a family of weights."""
    rng, weighing = np.random.default_rng(seed), sums.Weighing(WEIGHTS[family](n))

    def moments(values):
        return sums.add_up(values * 1.0, _ROUGH, weighing)

    x = rng.normal(0.05, 0.2, (n, trials)) + rng.exponential(0.1, (n, trials))
    found = {"t": held(sums.Estimates.of_values(moments(x)).ends(0.025), 0.15)}
    hits = moments(rng.random((n, trials)) < 0.3)
    found["hits"] = held(sums.bounded_means.hits_ends(hits.won, hits.n_effective, 0.025), 0.3)
    signs = moments(rng.choice([-1, 0, 1], (n, trials), p=[0.3, 0.2, 0.5]))
    of_signs = signs.won, signs.lost, signs.n_effective
    found["signs"] = held(sums.bounded_means.signs_ends(*of_signs, 0.025), 0.2)
    values = np.where(rng.random((n, trials)) < 0.1, 0.0, rng.beta(0.8, 1.6, (n, trials)))
    found["bounded"] = held(moments(values).add_bounds(0, 1).ends(0.025), 0.9 * 0.8 / 2.4)
    equal = rng.laplace(0, 0.2, (n, trials)) * weighing.factors[:, None]
    options = Options("two-sided", 0.05, trials=999, seed=seed)
    queries = pl.Series([f"q{k}" for k in range(n)])
    p = [max_t(queries, equal[:, k : k + 500], _ROUGH, options, 1).p_value
         for k in range(0, trials, 500)]  # fmt: skip
    return found | {"flips": float((np.concatenate(p) <= 0.05).mean())}


def strata(sizes, trials, seed=0):
    """The coverage of means over three strata with so many requests and their own means."""
    rng, stratum = np.random.default_rng(seed), np.repeat(np.arange(3), sizes)
    weighing = sums.Weighing(SHARES[stratum], stratum)
    means = np.array([0.2, 0.5, 0.8])
    x = rng.normal(means[stratum][:, None], 0.2, (len(stratum), trials))
    of = sums.add_up(x, _ROUGH, weighing)
    return held(sums.Estimates.of_values(of).ends(0.025), SHARES @ means)


def following(n, trials, seed=0):
    """The coverage of t where weights are random, and values follow them."""
    rng, n_held = np.random.default_rng(seed), 0
    for _ in range(trials):
        of = rng.normal(0, 1, n)
        x = 0.3 * of + rng.normal(0, 0.3, n)
        moments = sums.add_up(x[:, None], _ROUGH, sums.Weighing(np.exp(of)))
        n_held += held(sums.Estimates.of_values(moments).ends(0.025), 0.3)
    return n_held / trials


def main(trials=4000):
    """Print a table of coverage and levels, with SPEC's ranges beside."""
    names = [name for name in RANGES if name != "strata"]
    print(f"{'weights':>14} {'Q':>4} {'n*':>6}", *(f"{name:>8}" for name in names))
    for family in WEIGHTS:
        for n in SIZES:
            found = cell(family, n, trials)
            n_effective = sums.Weighing(WEIGHTS[family](n)).n_effective
            values = (f"{found[name]:8.3f}" for name in names)
            print(f"{family:>14} {n:4} {n_effective:6.1f}", *values, flush=True)
    print(f"{'SPEC':>26}", *(f"{'{:g}–{:g}'.format(*RANGES[name]):>8}" for name in names))
    for sizes in ((2, 10, 10), (5, 5, 5), (10, 10, 10), (20, 20, 10), (50, 30, 20)):
        print(f"strata {sizes}: {strata(sizes, trials):.3f}")
    print(f"SPEC: {'{:g}–{:g}'.format(*RANGES['strata'])}; two requests in a stratum of .6: .90")
    for n in SIZES[1:]:
        print(f"values follow random weights, {n} requests: {following(n, trials // 2):.3f}")
    print("SPEC: 0.88–0.92")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
