"""What strengths from judgments promise, by simulation: tables of the guide, and the time taken.

``python -m tests.benchmarks.strengths coverage [REPETITIONS]``
    How often 95 % intervals hold the true strengths, where judgments of a request (and of a judge)
    hang together.
``python -m tests.benchmarks.strengths next [REPETITIONS]``
    How well the order is known after judgments of pairs that `next_pairs` chose, or chance.
``python -m tests.benchmarks.strengths time``
    Seconds and memory for a million judgments of 300 runs.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import polars as pl
from scipy.special import expit
from scipy.stats import kendalltau

import lexiframe as lf

RUNS = 6
EFFECT = 0.6
"""The standard deviation of what a request, or a judge, adds to the strength of a run."""
SETTINGS = [(13, 100), (50, 30), (200, 10)]
JUDGES = [(50, 30, 20), (200, 10, 50)]


def simulated(
    requests: int, each: int, rng: np.random.Generator, judges: int = 0, runs: int = RUNS
) -> pl.DataFrame:
    """Return judgments of runs that are equally strong over all requests (and judges)."""
    q = np.repeat(np.arange(requests), each)
    a = rng.integers(0, runs, len(q))
    b = (a + rng.integers(1, runs, len(q))) % runs
    effect = rng.normal(0, EFFECT, (requests, runs))
    shift = effect[q, a] - effect[q, b]
    j = rng.integers(0, max(judges, 1), len(q))
    if judges:
        taste = rng.normal(0, EFFECT, (judges, runs))
        shift += taste[j, a] - taste[j, b]
    return judgments(q, a, b, j, rng.random(len(q)) < expit(shift))


def judgments(*columns: np.ndarray) -> pl.DataFrame:
    """Return a table of judgments, of numbers of requests, runs and judges, and who won."""
    *ids, a_won = columns
    names = ["query_id", "run_a", "run_b", "judge"]
    text = [pl.Series(c, x).cast(pl.String) for c, x in zip(names, ids, strict=True)]
    return pl.DataFrame(text).with_columns(winner=pl.Series(np.where(a_won, "a", "b")))


WAYS = {
    "request": {"by": "request"},
    "judge": {"by": "judge"},
    "both": {"by": "both"},
    "judgment": {"by": "judgment"},
    "percentile": {"by": "request", "interval": "percentile", "samples": 200},
}


def covered(
    requests: int, each: int, judges: int, ways: tuple[str, ...], repetitions: int, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """Return for each way the share of true strengths inside, and its standard error.

    Strengths of one simulation depend on each other: the error is that over simulations. Those with
    percentiles take longest, and half of the simulations have them.
    """
    rng = np.random.default_rng(seed)
    inside: dict[str, list[float]] = {way: [] for way in ways}
    for n in range(repetitions):
        votes = simulated(requests, each, rng, judges)
        for way in ways:
            if way == "percentile" and n % 2:
                continue
            s = lf.bradley_terry(votes, **WAYS[way]).strengths  # type: ignore[arg-type]
            inside[way].append(float(((s["ci_low"] <= 0) & (s["ci_high"] >= 0)).mean()))
    return {
        way: (float(np.mean(x)), float(np.std(x) * len(x) ** -0.5)) for way, x in inside.items()
    }


def coverage(repetitions: int) -> None:
    """Print how often intervals hold the truth, in Markdown."""
    ways = [*WAYS]
    print(f"| requests | judgments each | judges | {' | '.join(ways)} |")
    print("|--:|--:|--:|" + "--:|" * len(ways))
    settings = [(*one, 0) for one in SETTINGS] + JUDGES
    for requests, each, judges in settings:
        some = ("request", "judgment", "percentile") if not judges else ("request", "judge", "both")
        found = covered(requests, each, judges, some, repetitions)
        cells = [f"{found[w][0]:.3f} ± {found[w][1]:.3f}" if w in found else "" for w in ways]
        print(f"| {requests} | {each} | {judges or ''} | {' | '.join(cells)} |", flush=True)


def learned(
    choose: str, rng: np.random.Generator, runs: int = 20, rounds: int = 5, size: int = 40
) -> list[float]:
    """Return Kendall's τ with the truth after each round of judgments of chosen pairs.

    The first round is of random pairs; ``choose`` is ``next_pairs`` or ``random``.
    """
    true, table, found = rng.normal(0, 1.5, runs), None, []
    names = [f"{n:02}" for n in range(runs)]
    for _ in range(rounds):
        if table is None or choose == "random":
            a = rng.integers(0, runs, size)
            b = (a + rng.integers(1, runs, size)) % runs
        else:
            chosen = lf.next_pairs(table, size, runs=names)
            a, b = (chosen[c].cast(pl.Int64).to_numpy() for c in ("run_a", "run_b"))
        start = 0 if table is None else table.height
        won = rng.random(size) < expit(true[a] - true[b])
        columns = {
            "query_id": [f"q{start + n}" for n in range(size)],
            "run_a": [names[i] for i in a], "run_b": [names[i] for i in b],
            "winner": np.where(won, "a", "b"),
        }  # fmt: skip
        new = pl.DataFrame(columns)
        table = new if table is None else pl.concat([table, new])
        s = lf.bradley_terry(table, prior=1.0, by="judgment").strengths
        beta = dict(s.select("run", "strength").iter_rows())
        found.append(float(kendalltau(true, [beta.get(run, 0.0) for run in names])[0]))
    return found


def compare_choices(repetitions: int) -> None:
    """Print how well the order is known after each round, in Markdown."""
    found = {
        how: np.array([learned(how, np.random.default_rng(n)) for n in range(repetitions)])
        for how in ("next_pairs", "random")
    }
    print("| judgments | " + " | ".join(found) + " | difference |\n|--:|" + "--:|" * 3)
    for place, n in enumerate(range(40, 201, 40)):
        both = [x[:, place] for x in found.values()]
        difference = both[0] - both[1]
        error = difference.std() / repetitions**0.5
        cells = " | ".join(f"{x.mean():.3f}" for x in both)
        print(f"| {n} | {cells} | {difference.mean():+.3f} ± {error:.3f} |")


def take_time(n: int = 1_000_000, runs: int = 300) -> None:
    """Print how long strengths of many judgments take, and how much memory."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, runs, n)
    b = (a + rng.integers(1, runs, n)) % runs
    beta = rng.normal(0, 1, runs)
    won = rng.random(n) < expit(beta[a] - beta[b])
    votes = judgments(rng.integers(0, 5000, n), a, b, rng.integers(0, 2000, n), won)
    from lexiframe.core.orderings.likeliest.fitting import fit
    from lexiframe.decide.votes.strengths.judged import judged_of

    ways = {
        "strengths alone": lambda: fit(judged_of(votes).counts()),
        "by request": lambda: lf.bradley_terry(votes),
        "by both": lambda: lf.bradley_terry(votes, by="both"),
    }
    lf.bradley_terry(votes.head(10_000), prior=1.0)  # what is imported once
    for name, way in ways.items():
        start, cpu = time.perf_counter(), time.process_time()
        way()
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{name}: {wall:.2f} s, {cpu:.2f} s of CPU, {memory:.2f} GB at most so far")


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["time"]
    repetitions = int(more[0]) if more else 1000
    ways = {"coverage": coverage, "next": compare_choices}
    ways[what](repetitions) if what in ways else take_time()
