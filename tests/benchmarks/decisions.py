"""Error rates and power of t and bets, as the documentation prints them.

    python tests/benchmarks/decisions.py [--trials 2000]

Each number is a share of samples in which a candidate is found "not worse" by a margin of 0.02, at
α = .05. In the first table its true mean difference is −0.02, so that this is wrong; in the second
it is 0. Further tables: looking 30 times; collections drawn from the bundled one, whose candidate
loses the margin in truth; requests of users, with differences of mean 0, two-sided; runs
of several seeds; and intervals of means by people and a model.
"""

import argparse

import numpy as np
import polars as pl
from scipy import stats

import lexiframe as lf
from lexiframe.core.base import sums
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.betting_on_means import p_above
from lexiframe.core.significance.powered_means import powered_means
from lexiframe.decide.gates.gate_tests import doubt_of_t
from lexiframe.study.replicates.algorithms import _unrelated

MARGIN, ALPHA = 0.02, 0.05
SIZES = (20, 50, 100, 200, 500, 1000, 2000)
LOOKS = 30


def rare(rng, size):
    return -(rng.random(size) < MARGIN).astype(float)


def two_points(rng, size):
    """−1 in 3.9 % of the requests, else a little better."""
    return np.where(rng.random(size) < 0.039, -1.0, (0.039 - MARGIN) / 0.961)


def losses(rng, size):
    """−0.8 in 2 % of the requests, else a little noise."""
    usual = rng.normal((0.02 * 0.8 - MARGIN) / 0.98, 0.02, size)
    return np.where(rng.random(size) < 0.02, -0.8, usual)


def normal(rng, size):
    return np.clip(rng.normal(-MARGIN, 0.15, size), -1, 1)


def exponential(rng, size):
    """Many small gains, few large losses."""
    return np.clip(0.1 - MARGIN - rng.exponential(0.1, size), -1, 1)


KINDS = {
    "2 % of −1, else 0": rare,
    "3.9 % of −1, else .02": two_points,
    "2 % of −.8, else noise": losses,
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


def as_gate_chooses(x, limit):
    """By bets where t is doubted, else by t."""
    doubted = np.array([bool(doubt_of_t(one, limit)) for one in x.T])
    return np.where(doubted, by_bets(x, limit), by_t(x, limit))


def table(title, rows):
    print(f"\n{title}\n")
    print("| differences | test | " + " | ".join(f"n = {n:,}" for n in SIZES) + " |")
    print("|---|---|" + "---|" * len(SIZES))
    for name, test, shares in rows:
        print(f"| {name} | {test} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")


def shares(trials, shift):
    for name, draw in KINDS.items():
        for test, passes in (("t", by_t), ("betting", by_bets), ("gate", as_gate_chooses)):
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


def drawn_from_a_collection(trials):
    """Pairs of runs of the bundled collection, one of which loses the margin in truth."""
    folder = lf.bundled("digits")
    s = lf.scores(lf.positions(folder / "runs", folder / "qrels.parquet"), "AP nDCG@10")
    for a, b in (("pca16_cosine", "pixels_euclidean"), ("pca8_euclidean", "pixels_euclidean")):
        for measure in ("AP", "nDCG@10"):
            wide = s.filter(measure=measure).pivot("run", index="query_id", values="value")
            x = (wide[a] - wide[b]).to_numpy()
            x = x if x.mean() < 0 else -x
            draws = np.random.default_rng(1).choice(x, (len(x), trials))
            limit, n = x.mean(), len(x)
            seen = np.linspace(n // 10, n, 10).astype(int)
            at_looks = [by_bets(draws[:k], limit, n) for k in seen]
            found = [
                by_t(draws, limit).mean(),
                by_bootstrap(draws, limit, measure).mean(),
                at_looks[-1].mean(),
                np.any([by_t(draws[:k], limit) for k in seen], axis=0).mean(),
                np.any(at_looks, axis=0).mean(),
            ]
            shares_ = " | ".join(f"{share:.3f}" for share in found)
            print(f"| {measure}: {a}, {b} | {limit:.4f} | {shares_} |")


def by_bootstrap(draws, limit, measure):
    """Which candidates pass by the bootstrap, as `equivalence` has it."""
    requests = pl.Series("query_id", [f"q{n:04}" for n in range(len(draws))])
    wide = pl.DataFrame(draws, [f"c{n:04}" for n in range(draws.shape[1])]).with_columns(requests)
    d = wide.unpivot(index="query_id", variable_name="run_a", value_name="preference")
    d = d.with_columns(run_b=pl.lit("old"), measure=pl.lit(measure))
    found = lf.equivalence(d, -limit, "bootstrap", "none", baseline="old", trials=999)
    return (found["p_not_worse_a"] < ALPHA).to_numpy()


CLUSTERS = (6, 10, 25, 50, 100, 200)


def users(trials):
    """Requests of users, each of whom has differences of a mean of its own, of mean 0 over users.

    The mean of a user varies as much as the requests of one do.
    """
    for kind in ("8 each", "1 to 60, 8 on average"):
        by_clusters, blind = [], []
        for groups in CLUSTERS:
            rng = np.random.default_rng(groups)
            shape = (groups, trials)
            size = np.full(shape, 8) if kind == "8 each" else rng.geometric(1 / 8, shape)
            size = np.minimum(size, 60)
            mean = rng.normal(size=shape)
            total = size * mean + np.sqrt(size) * rng.normal(size=shape)
            within = (size - 1).clip(0)
            squares = rng.chisquare(np.maximum(within, 1e-9))
            e = sums.Estimates.of_ratios(size, total, np.zeros(trials))
            by_clusters.append((2 * stats.t.sf(np.abs(e.beyond(0.0)), e.df) < ALPHA).mean())
            n = size.sum(axis=0)
            all_squares = (squares + total**2 / size).sum(axis=0) - total.sum(axis=0) ** 2 / n
            t = total.sum(axis=0) / n / np.sqrt(all_squares / (n - 1) / n)
            blind.append((2 * stats.t.sf(np.abs(t), n - 1) < ALPHA).mean())
        for test, found in (("t by clusters", by_clusters), ("t", blind)):
            print(f"| {kind} | {test} | " + " | ".join(f"{share:.3f}" for share in found) + " |")


SEED_VARIANCES = (0, 0.25, 1, 4)


def seeds(trials):
    """50 requests, runs of equal algorithms; how often t rejects, over requests and with seeds.

    The variance of a run's seeds is a multiple of that of the differences of requests, over the
    number of requests: so much the mean of one trained model varies by it.
    """
    n = 50
    for number in (2, 3, 5):
        found = []
        for variance in SEED_VARIANCES:
            rng, wrong = np.random.default_rng(number), np.zeros(2)
            for _ in range(trials):
                runs = [
                    rng.normal(size=(n, 1)) / np.sqrt(2)
                    + rng.normal(size=number) * np.sqrt(variance / n)
                    + rng.normal(size=(n, number)) / 2
                    for _ in range(2)
                ]
                d = runs[0].mean(axis=1) - runs[1].mean(axis=1)
                e = _unrelated(runs, np.array([0]), np.array([1]))
                p = 2 * stats.t.sf(abs(e.beyond(0.0)[0]), e.df[0])
                wrong += [stats.ttest_1samp(d, 0).pvalue < ALPHA, p < ALPHA]
            found.append(wrong / trials)
        for k, test in enumerate(("t over requests", "t that knows seeds")):
            cells = " | ".join(f"{of[k]:.3f}" for of in found)
            print(f"| {number} seeds | {test} | {cells} |")


CORRELATIONS = (0, 0.3, 0.6, 0.8, 0.95)
VALUES = {
    "normal": (lambda x: x, 0.0),
    "grades 0, 1, 2": (lambda x: (x > 0) * 1.0 + (x > 1), stats.norm.sf([0, 1]).sum()),
    "0 or 1, 31 % are 1": (lambda x: (x > 0.5) * 1.0, stats.norm.sf(0.5)),
    "0 or 1, 7 % are 1": (lambda x: (x > 1.5) * 1.0, stats.norm.sf(1.5)),
}
AT_ONCE = 500


def people_and_model(trials):
    """n requests judged by both and 10 n by the model alone, of what correlates as said."""
    for kind, (value, mean) in VALUES.items():
        for n in (20, 50, 200):
            cells = [by_people_and_model(value, mean, n, c, trials) for c in CORRELATIONS]
            print(f"| {kind} | {n} | " + " | ".join(cells) + " |")


def by_people_and_model(value, mean, n, correlation, trials):
    """How often the interval has the mean, and its width over that of people alone."""
    rng, found = np.random.default_rng(n), []
    for _ in range(trials // AT_ONCE):
        model = rng.normal(size=(11 * n, AT_ONCE))
        rest = np.sqrt(1 - correlation**2) * rng.normal(size=(n, AT_ONCE))
        people, model = value(correlation * model[:n] + rest), value(model)
        both = powered_means(people, model[:n], model[n:])
        half = np.nan_to_num(both.estimates.half(ALPHA / 2))
        alone = np.nan_to_num(both.people.half(ALPHA / 2))
        found.append(
            ((np.abs(both.estimates.mean - mean) <= half).mean(), half.mean(), alone.mean())
        )
    held, width, alone = np.mean(found, axis=0)
    return f"{held:.3f}, {width / alone:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    trials = parser.parse_args().trials
    table("Wrong passes: the true mean difference lies on the margin", shares(trials, 0.0))
    table("Right passes: the true mean difference is 0", shares(trials, MARGIN))
    print(f"\nWrong passes when one looks {LOOKS} times at up to 600 requests\n")
    print("| differences | t | betting |\n|---|---|---|")
    looks(trials)
    print("\nWrong passes in collections drawn from the bundled one (60 requests)\n")
    tests = ("t", "bootstrap", "betting", "t, 10 looks", "betting, 10 looks")
    print(f"| measure and runs | true mean | {' | '.join(tests)} |")
    print("|---|---|---|---|---|---|---|")
    drawn_from_a_collection(trials)
    print("\nWrong rejections where requests hang together, by the number of users\n")
    print("| requests of a user | test | " + " | ".join(f"{n} users" for n in CLUSTERS) + " |")
    print("|---|---|" + "---|" * len(CLUSTERS))
    users(10 * trials)
    print("\nWrong rejections, by how much runs vary by their seeds\n")
    print("| seeds of a run | test | " + " | ".join(f"{v:g}" for v in SEED_VARIANCES) + " |")
    print("|---|---|" + "---|" * len(SEED_VARIANCES))
    seeds(trials)
    print("\nHow often intervals by people and a model hold the mean; their width over people's\n")
    print("| values | n | " + " | ".join(f"correlation {c:g}" for c in CORRELATIONS) + " |")
    print("|---|---|" + "---|" * len(CORRELATIONS))
    people_and_model(4 * trials)


if __name__ == "__main__":
    main()
