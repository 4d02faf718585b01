"""Error rates and power of t and bets, as the documentation prints them.

    python tests/benchmarks/decisions.py [--trials 2000]

Each number is a share of samples in which a candidate is found "not worse" by a margin of 0.02, at
α = .05. In the first table its true mean difference is −0.02, so that this is wrong; in the second
it is 0.
"""

import argparse

import numpy as np
from scipy import stats

from lexiframe.significance.bets import Bets, p_above

MARGIN, ALPHA = 0.02, 0.05
SIZES = (20, 50, 100, 200, 500, 1000, 2000)
LOOKS = 30


def rare(rng, size):
    return -(rng.random(size) < MARGIN).astype(float)


def two_points(rng, size):
    """−1 in 3.9 % of the requests, else a little better."""
    return np.where(rng.random(size) < 0.039, -1.0, (0.039 - MARGIN) / 0.961)


def normal(rng, size):
    return np.clip(rng.normal(-MARGIN, 0.15, size), -1, 1)


def exponential(rng, size):
    """Many small gains, few large losses."""
    return np.clip(0.1 - MARGIN - rng.exponential(0.1, size), -1, 1)


KINDS = {
    "2 % of −1, else 0": rare,
    "3.9 % of −1, else .02": two_points,
    "exponential losses": exponential,
    "normal, sd .15": normal,
}


def by_t(x, limit):
    """The t-test; equal differences decide nothing."""
    n, sd = len(x), x.std(axis=0, ddof=1)
    varies = np.ptp(x, axis=0) > 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (x.mean(axis=0) - limit) / sd * np.sqrt(n)
    return varies & (stats.t.sf(t, n - 1) < ALPHA)


def by_bets(x, limit, planned=None):
    bets = Bets(bound=1.0, level=ALPHA, n_planned=planned)
    return p_above(x, np.full(x.shape[1], limit), bets) < ALPHA


def table(title, rows):
    print(f"\n{title}\n")
    print("| differences | test | " + " | ".join(f"n = {n:,}" for n in SIZES) + " |")
    print("|---|---|" + "---|" * len(SIZES))
    for name, test, shares in rows:
        print(f"| {name} | {test} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")


def shares(trials, shift):
    for name, draw in KINDS.items():
        for test, passes in (("t", by_t), ("betting", by_bets)):
            found = []
            for n in SIZES:
                x = draw(np.random.default_rng(n), (n, trials))
                # Limits move, not the differences, which would leave their bounds.
                found.append(passes(x, -MARGIN - shift).mean())
            yield name, test, found


def looks(trials):
    """Look 30 times at up to 600 requests, and stop at the first pass."""
    n = 600
    for name, draw in KINDS.items():
        x = draw(np.random.default_rng(1), (n, trials))
        seen = np.linspace(n // LOOKS, n, LOOKS).astype(int)
        t = np.any([by_t(x[:k], -MARGIN) for k in seen], axis=0).mean()
        bets = np.any([by_bets(x[:k], -MARGIN, n) for k in seen], axis=0).mean()
        print(f"| {name} | {t:.3f} | {bets:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    trials = parser.parse_args().trials
    table("Wrong passes: the true mean difference lies on the margin", shares(trials, 0.0))
    table("Right passes: the true mean difference is 0", shares(trials, MARGIN))
    print(f"\nWrong passes when one looks {LOOKS} times at up to 600 requests\n")
    print("| differences | t | betting |\n|---|---|---|")
    looks(trials)


if __name__ == "__main__":
    main()
