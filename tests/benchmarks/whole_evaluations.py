"""Whether whole evaluations find differences that are not there, and intervals hold true means.

``python -m tests.benchmarks.whole_evaluations [SHARE]`` simulates SHARE (default 1) of `TIMES` for
each cell of the tables on the page about tests; ``SHARE PROCESSES`` says in how many processes,
as many as there are processors if it is not given.

*Evaluations.* The m relevant items of a request have random ranks among `DOCUMENTS`, in each run
independently, so that no run is better; or they are first or have such ranks, with equal chances.
A cell is the share of evaluations, by the default of `compare` with fewer sign flips, that find any
pair of runs to differ; beside it that by the t-test with Holm's correction. For the power one run
takes the place of another: in every second request, at random, it ranks all relevant items first.
A cell of that table is the share of the other runs that it is found to differ from. Evaluations of
few runs and requests are parts of those of many. Cells above the level by more than 2.6 standard
errors are simulated again, ten times as often.

*Shapes.* The scores of half of the runs vary, and those of the others are their mean in all
requests. So the means are equal, but the runs cannot be exchanged.

*Intervals.* A ranking has all relevant items first, with a probability that makes the true mean
what it is to be; else its ranks are random, or it finds the next item at each rank with the
probability 0.05. For differences one run has all relevant items first and the other none at all,
and else both have rankings of the latter kinds. A cell is the share of intervals of 95 % that hold
the true mean, the least of all m and both kinds. The last table is of differences between the
metrics of two runs that both have few easy requests, and random ranks in the others.

All is computed by what `compare` computes with, for many evaluations at once: positions become
preferences by `measured.measure_positions`, and `compare_families` tests these, as in `audit`.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # each process has one processor

import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
import polars as pl

from lexiframe.core.base import sums
from lexiframe.core.metrics import values_of
from lexiframe.core.orderings import run_means
from lexiframe.core.pairwise import facts, measured, parse_measures
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.intervals import interval_of_kind
from lexiframe.study.audits import tested_families
from lexiframe.study.theory.rankings import positions_of

MEASURES = ("RPP", "LR", "LP", "AP", "RR", "nDCG@10", "Success@10")
SIX = MEASURES[:-1]
"""The measures of `evaluate`, unless others are asked for."""
ANY = "any of six"
"""In place of a measure: whether an evaluation finds anything by any of `SIX`."""
PREFERENCES = {"RPP", "LR", "LP"}
RELEVANT, RUNS, REQUESTS = (1, 3, 20), (2, 10, 30), (3, 5, 8, 12, 43, 100)
MOST = 1000
"""How many runs times requests are simulated."""
TOP = (10, 3), (30, 5), (100, 6)
"""Numbers of runs and of requests in which the relevant item is first, or has a random rank."""
DOCUMENTS = 1000
ALPHA = 0.05
TIMES = 1000
"""How many evaluations are simulated for each cell."""
TRIALS = 2**10
"""How many sign flips an evaluation has: all of up to eleven requests."""
AGAIN = 10
"""How many times as many for a cell above the level."""
ROUNDING = np.full((1, 1), sums.TIE)
FEWER = 5
"""One in so many evaluations is enough for the power, whose many small p-values take long."""
_DIFFERENCES = 2**22
"""How many differences by one measure are simulated at once."""

Cell = tuple[str, int, int]
"""A measure, a number of runs and a number of requests."""


Found = dict[tuple[str, int, Cell], np.ndarray]
"""By the kind of ranks, the number of relevant items and the cell: what is counted of it."""


class Job(NamedTuple):
    """Some evaluations of which cells are counted, with m relevant items in each request.

    ``kind`` is that of the rankings.
    """

    kind: str
    m: int
    seed: int
    times: int
    cells: tuple[Cell, ...]


def limit(times: int) -> float:
    """Return the level and 2.6 standard errors of a share of so many evaluations."""
    return ALPHA + 2.6 * (ALPHA * (1 - ALPHA) / times) ** 0.5


def random_ranks(rng: np.random.Generator, rankings: int, m: int) -> np.ndarray:
    """Draw m different ranks for each ranking, all sets equally likely, sorted."""
    ranks = np.sort(rng.integers(1, DOCUMENTS + 1, (rankings, m)), axis=1)
    while len(twice := np.flatnonzero((np.diff(ranks, axis=1) == 0).any(axis=1))):
        ranks[twice] = np.sort(rng.integers(1, DOCUMENTS + 1, (len(twice), m)), axis=1)
    return ranks


def found_ranks(rng: np.random.Generator, rankings: int, m: int) -> np.ndarray:
    """Draw ranks of items of which the next is found at each rank with the probability 0.05."""
    return np.cumsum(rng.geometric(0.05, (rankings, m)), axis=1)


def top_ranks(rng: np.random.Generator, rankings: int, m: int) -> np.ndarray:
    """Draw rankings that have all relevant items first, or at random ranks: one half each."""
    is_top = rng.random((rankings, 1)) < 0.5
    return np.where(is_top, np.arange(1, m + 1), random_ranks(rng, rankings, m))


KINDS = {"random": random_ranks, "found": found_ranks, "top": top_ranks}


def preferences(ranks: np.ndarray, measures: Iterable[str]) -> dict[str, np.ndarray]:
    """Compute preferences from ranks, requests × runs × items: requests × pairs, by measure."""
    names = [f"r{run:02d}" for run in range(ranks.shape[1])]
    p = positions_of([(np.arange(len(ranks)), ranks)], names, DOCUMENTS)
    cube = measured.measure_positions(p, parse_measures([*measures]))
    return dict(zip(cube.measures, cube.values, strict=True))


def differences(values: np.ndarray) -> Differences:
    """Return samples × requests × pairs as differences, the pairs of a sample side by side."""
    return Differences(np.moveaxis(values, 1, 0).reshape(values.shape[1], -1), ROUNDING)


def differs(test: str, values: np.ndarray, pairs: np.ndarray, seed: int) -> np.ndarray:
    """Test evaluations (× requests × pairs) by some of the pairs: evaluations × pairs.

    By joint sign flips with step-down max-t, the default, or by another test with Holm's.
    """
    options = Options("two-sided", ALPHA, TRIALS, seed, effect_intervals=False)
    correction = "max_t" if test == "randomization" else "holm"
    d = differences(values[:, :, pairs])
    _, p = tested_families.compare_families(test, d, len(pairs), correction, options)
    return p < ALPHA


def counted(job: Job) -> np.ndarray:
    """Count the evaluations of a job: cells × (errors, errors of t, share found)."""
    most_runs, most = (max(cell[k] for cell in job.cells) for k in (1, 2))
    rng = np.random.default_rng([job.m, job.seed])
    ranks = KINDS[job.kind](rng, job.times * most * (most_runs + 1), job.m)
    ranks = ranks.reshape(job.times * most, most_runs + 1, job.m)
    ranks[rng.random(len(ranks)) < 0.5, -1] = np.arange(1, job.m + 1)
    named = {measure for measure, _, _ in job.cells}
    by_measure = preferences(ranks, sorted({*SIX, *named} - {ANY} if ANY in named else named))
    number = np.zeros((most_runs + 1, most_runs + 1), int)
    number[np.triu_indices(most_runs + 1, k=1)] = np.arange(most_runs * (most_runs + 1) // 2)
    counts = []
    for measure, n_runs, n in job.cells:
        parts = [
            by_measure[name].reshape(job.times, most, -1)[:, :n]
            for name in (SIX if measure == ANY else [measure])
        ]
        others = [*range(n_runs)]
        equal, better = (
            number[np.ix_(runs, runs)][np.triu_indices(n_runs, k=1)]
            for runs in (others, [*others[1:], most_runs])
        )
        errors = [
            sum(differs(test, values, equal, job.seed).any(axis=1) for values in parts) > 0
            for test in ("randomization", "t")
        ]
        found = differs("randomization", parts[0][: 1 + job.times // FEWER], better, job.seed)
        found = found[:, np.isin(better, number[:, most_runs])]  # of the better run
        counts.append([*(of.sum() for of in errors), found.mean() * job.times])
    return np.array(counts)


def jobs_of(kind: str, m: int, times: int, cells: Sequence[Cell], first_seed: int) -> list[Job]:
    """Divide evaluations into jobs that fit in memory."""
    most_runs, most = (max(cell[k] for cell in cells) for k in (1, 2))
    at_once = max(1, min(times, _DIFFERENCES // (most * most_runs * (most_runs + 1) // 2)))
    starts = range(0, times, at_once)
    return [
        Job(kind, m, first_seed + k, min(at_once, times - start), tuple(cells))
        for k, start in enumerate(starts)
    ]


def shares(
    kind: str, m: int, times: int, cells: Sequence[Cell], pool: Executor, first_seed: int = 0
) -> dict[Cell, np.ndarray]:
    """Return for each cell the share of evaluations that err, by t too, and the share found."""
    total = sum(pool.map(counted, jobs_of(kind, m, times, cells, first_seed)))
    return dict(zip(cells, total / times, strict=True))


def shape_errors(n: int, times: int) -> list[float]:
    """Return the share of evaluations that err, and that by t, of ten runs with equal means.

    The scores of five runs have a beta distribution, and those of the others are its mean.
    """
    values = np.random.default_rng(n).beta(0.4, 2, (times, n, 10))
    values[:, :, 5:] = 0.4 / 2.4
    a, b = np.triu_indices(10, k=1)
    d, pairs = values[:, :, a] - values[:, :, b], np.arange(len(a))
    return [differs(test, d, pairs, 0).any(axis=1).mean() for test in ("randomization", "t")]


# --- Intervals ------------------------------------------------------------------------------------

SIZES, TARGETS = (5, 12, 43), (0.5, 0.9, 0.98)
"""Numbers of requests, and true means as shares of the range of a measure."""


class Intervals(NamedTuple):
    """The intervals of means or of mean differences that are simulated with rankings of a kind."""

    kind: str
    m: int
    times: int


def interval_of_differences(measure: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval that `compare` gives the mean of each column, a pair of its own."""
    d, options = Differences(values, ROUNDING), Options("two-sided", ALPHA)
    return interval_of_kind(d, options, 1.0, are_signs=facts.Facts.named(measure).are_signs)


def interval_of_means(measure: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval that `run_means` gives the mean of each column, a run of its own."""
    n, times = values.shape
    column = pl.int_range(times, eager=True).cast(pl.String).str.zfill(6)
    table = pl.DataFrame({"run": pl.concat([column] * n), "value": values.ravel()})
    place = pl.int_range(n, eager=True).cast(pl.String)
    requests = {
        "query_id": place.gather(np.repeat(np.arange(n), times)),
        "measure": pl.lit(measure),
    }
    found = run_means(table.with_columns(**requests), ALPHA)
    return found["ci_low"].to_numpy(), found["ci_high"].to_numpy()


def held(job: Intervals) -> dict[tuple[str, str, int, float], np.ndarray]:
    """Return for each measure, what is averaged, n and true mean: share held, and least width."""
    rng = np.random.default_rng([*KINDS].index(job.kind) * 100 + job.m)
    draw, n = KINDS[job.kind], max(SIZES)
    shape = (n, job.times)

    def mixed(values: np.ndarray, share: float) -> np.ndarray:
        return np.where(rng.random(shape) < share, 1.0, values.reshape(shape))

    found = {}
    ranks = draw(rng, 2 * n * job.times, job.m).reshape(-1, 2, job.m)
    for measure, of_pair in preferences(ranks, MEASURES).items():
        for target in TARGETS:
            values = mixed(of_pair, mean := 2 * target - 1)
            for size in SIZES:
                found[measure, "difference", size, target] = covers(
                    interval_of_differences(measure, values[:size]), mean
                )
    metrics = parse_measures([m for m in MEASURES if m not in PREFERENCES])
    p = positions_of([(np.arange(len(ranks)), ranks)], ["a", "b"], DOCUMENTS)
    of_metrics = values_of(p, metrics, "drop")
    for measure, both in zip(of_metrics.metrics, of_metrics.values.T, strict=True):
        worse = both.mean()  # of both runs: the error of this mean is far below that of a sample
        for target in (one for one in TARGETS if one > worse):  # no mixture has a lower mean
            values = mixed(both[: len(ranks)], (target - worse) / (1 - worse))
            for size in SIZES:
                found[str(measure), "mean", size, target] = covers(
                    interval_of_means(str(measure), values[:size]), target
                )
    return found


def covers(ends: tuple[np.ndarray, np.ndarray], mean: float) -> np.ndarray:
    """Return the share of intervals that hold a mean, and the least width; NaN holds nothing."""
    low, high = ends
    return np.array([((low <= mean) & (mean <= high)).mean(), (high - low).min()])


HARD = {
    "RR": ("RR", 1, random_ranks), "RR of found": ("RR", 1, found_ranks),
    "AP, m = 3": ("AP", 3, random_ranks), "nDCG@10, m = 3": ("nDCG@10", 3, random_ranks),
}  # fmt: skip
"""Metrics of which a run has little in a hard request, the relevant items and their ranks."""
EASY, HARD_SIZES = (
    ((0.0, 0.0), (0.1, 0.1), (0.05, 0.0), (0.2, 0.05), (0.3, 0.0)),
    (5, 10, 25, 50, 100, 200),
)
"""Shares of requests in which the first run, and the second, have all relevant items first."""


def metric_differences(
    of: str, easy: tuple[float, float], times: int
) -> list[tuple[float, float, float, float]]:
    """Return what intervals of differences between two runs' metric hold, by number of requests.

    That of `compare`, t, and t with one more value at each bound; and how much wider this is.
    """
    measure, m, draw = HARD[of]
    rng = np.random.default_rng([*HARD].index(of))
    n = max(HARD_SIZES)
    ranks = draw(rng, 2 * n * times, m).reshape(-1, 2, m)
    p = positions_of([(np.arange(len(ranks)), ranks)], ["a", "b"], DOCUMENTS)
    both = values_of(p, parse_measures([measure]), "drop").values.reshape(2, -1)
    x = np.where(rng.random(both.shape) < np.array(easy)[:, None], 1.0, both)
    mean = (easy[0] - easy[1]) * (1 - both.mean())
    d, found = (x[0] - x[1]).reshape(n, times), []
    for size in HARD_SIZES:
        by_t, wide = (
            sums.Estimates.of_values(sums.Moments.add_up(x, ROUNDING)).ends(ALPHA / 2)
            for x in (d[:size], np.concatenate([d[:size], np.ones((1, times)) * [[1], [-1]]]))
        )
        every = interval_of_differences(measure, d[:size]), by_t, wide
        wider = np.median(wide[1] - wide[0]) / np.median(by_t[1] - by_t[0])
        found.append((*(covers(ends, mean)[0] for ends in every), wider))
    return found


# --- Tables ---------------------------------------------------------------------------------------


def print_greatest(found: Found) -> None:
    """Print the greatest share of evaluations that err, of all m and runs, also by the t-test."""
    print("\nany pair significant, without a difference (by t): the greatest of all m and runs\n")
    print(f"| measure | {' | '.join(f'n = {n}' for n in REQUESTS)} |")
    print("|---|" + "---:|" * len(REQUESTS))
    for measure in MEASURES:
        row = []
        for n in REQUESTS:
            every = [
                of
                for (kind, _, cell), of in found.items()
                if (kind, cell[0], cell[2]) == ("random", measure, n)
            ]
            errors, of_t, _ = np.max(every, axis=0)
            row.append(f"{errors:.3f} ({of_t:.2f})")
        print(f"| {measure} | {' | '.join(row)} |")


def print_errors(found: Found) -> None:
    """Print the share of evaluations that err, that by the t-test, and the power, by m."""
    for (kind, m, cell), (errors, of_t, power) in found.items():
        found_of_one = "" if cell[0] == ANY else f"{power:.2f}"
        row = kind, m, *cell, f"{errors:.3f}", f"{of_t:.3f}", found_of_one
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def print_above(found: Found, times: int, pool: Executor) -> None:
    """Simulate the cells above the level again, and print what comes of them."""
    of_one = {key: of for key, of in found.items() if key[2][0] != ANY}
    above = [key for key, (errors, *_) in of_one.items() if errors > limit(times)]
    print(f"\n{len(above)} of {len(of_one)} cells are above {limit(times):.4f}")
    for kind, m, cell in above:
        again = shares(kind, m, AGAIN * times, [cell], pool, first_seed=10**6)[cell]
        mark = " ABOVE" if again[0] > limit(AGAIN * times) else ""
        print(
            f"{kind} ranks, m = {m}, {cell}: {of_one[kind, m, cell][0]:.3f}, again {again[0]:.4f} "
            f"of {AGAIN * times:,} (limit {limit(AGAIN * times):.4f}){mark}", flush=True,
        )  # fmt: skip


def print_intervals(found: dict[Intervals, dict[tuple[str, str, int, float], np.ndarray]]) -> None:
    """Print the least share of intervals that hold the mean, and the cells below .93."""
    columns = [(n, target) for n in SIZES for target in TARGETS]
    print("\nintervals of 95 % that hold the true mean: the least of all m and kinds\n")
    print("| measure | of | " + " | ".join(f"n = {n}, {target:g}" for n, target in columns) + " |")
    print("|---|---|" + "---:|" * len(columns))
    every = {key[:2] for cells in found.values() for key in cells}
    for measure, of in sorted(every, key=lambda row: (row[1], row[0])):
        key = measure, of
        least = [
            min((cells[*key, *c][0] for cells in found.values() if (*key, *c) in cells), default=1)
            for c in columns
        ]
        print(f"| {measure} | {of} | {' | '.join(f'{share:.3f}' for share in least)} |")
    for job, cells in found.items():
        for (measure, of, n, target), (share, width) in cells.items():
            if share < 0.93 or not width > 0:
                print(
                    f"{job.kind} rankings, m = {job.m}, {measure}, {of}, n = {n}, true mean at "
                    f"{target:g}: {share:.3f}, least width {width:.4f}"
                )


def print_differences(times: int) -> None:
    """Print how often intervals of differences of metrics hold the true difference."""
    print(
        "\ndifferences of metrics: of `compare`, t, one more value at each bound, how much wider\n"
    )
    print("| metric | easy | " + " | ".join(f"n = {n}" for n in HARD_SIZES) + " |")
    print("|---|---|" + "---:|" * len(HARD_SIZES))
    for of in HARD:
        for easy in EASY:
            row = metric_differences(of, easy, times)
            cells = [f"{a:.3f} {b:.3f} {c:.3f} ×{w:.2f}" for a, b, c, w in row]
            print(f"| {of} | {easy[0]:g}, {easy[1]:g} | {' | '.join(cells)} |", flush=True)


def main(share: float, processes: int | None = None) -> None:
    """Print all tables, in Markdown."""
    start, times = time.perf_counter(), round(TIMES * share)
    print("| ranks | m | measure | runs | n | any pair, no difference | by t | power |")
    print("|---|--:|---|--:|--:|--:|--:|--:|")
    found: Found = {}
    with ProcessPoolExecutor(processes) as pool:
        for runs, n in TOP:
            cells = [(measure, runs, n) for measure in ("AP", "RR", "nDCG@10")]
            of = shares("top", 1, times, cells, pool)
            print_errors(some := {("top", 1, cell): of[cell] for cell in cells})
            found |= some
        for m in RELEVANT:
            for runs in RUNS:
                sizes = [n for n in REQUESTS if runs * n <= MOST]
                cells = [(measure, runs, n) for measure in MEASURES for n in sizes]
                cells += [(ANY, runs, n) for n in (12, 43) if runs == 10]
                of = shares("random", m, times, cells, pool)
                print_errors(some := {("random", m, cell): of[cell] for cell in cells})
                found |= some
        print_greatest(found)
        print(f"\n{time.perf_counter() - start:.0f} seconds", flush=True)
        print("\nequal means of other shape, ten runs: any pair significant (by t)\n")
        for n in (10, 25, 50):
            print("n = {}: {:.3f} ({:.3f})".format(n, *shape_errors(n, times)))
        print_above(found, times, pool)
        jobs = [Intervals(kind, m, 4 * times) for m in RELEVANT for kind in ("random", "found")]
        print_intervals(dict(zip(jobs, pool.map(held, jobs), strict=True)))
        print_differences(4 * times)
    print(f"\n{time.perf_counter() - start:.0f} seconds, {processes or os.cpu_count()} processes")


if __name__ == "__main__":
    main(float((sys.argv[1:] or ["1"])[0]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
