"""Whether whole evaluations find differences that are not there, and intervals hold true means.

``python -m tests.benchmarks.whole_evaluations [SHARE]`` simulates SHARE (default 1) of `TIMES` for
each cell of the tables on the page about tests, in as many processes as there are processors.

*Evaluations.* The m relevant items of a request have random ranks among `DOCUMENTS`, in each run
independently, so that no run is better. A cell is the share of evaluations, by `compare` with its
defaults, that find any pair of runs to differ; beside it that by the t-test. For the power one run
takes the place of another: in every second request, at random, it ranks all relevant items first.
A cell of that table is the share of the other runs that it is found to differ from. Evaluations of
few runs and requests are parts of those of many. Cells above the level by more than two standard
errors are simulated again, ten times as often.

*Intervals.* A ranking has all relevant items first, with a probability that makes the true mean
what it is to be; else its ranks are random, or it finds the next item at each rank with the
probability 0.05. For differences one run has all relevant items first and the other none at all,
and else both have rankings of the latter kinds. A cell is the share of intervals of 95 % that hold
the true mean, the least of all m and both kinds.

All is computed by what `compare` computes with, for many evaluations at once: positions become
preferences by `measured.measure_positions`, and `compare_families` tests these, as in `audit`.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # each process has one processor

import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from lexiframe.base import sums
from lexiframe.metrics import values_of
from lexiframe.orderings import means
from lexiframe.pairwise import arrays, measured, parse_measures
from lexiframe.significance.audits import tested_families
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.intervals import bets_interval, t_interval, widen_equal_intervals
from lexiframe.theory.rankings import positions_of

MEASURES = ("RPP", "LR", "LP", "AP", "RR", "nDCG@10", "Success@10")
PREFERENCES = {"RPP", "LR", "LP"}
RELEVANT, RUNS, REQUESTS = (1, 3, 20), (2, 3, 10, 30), (2, 3, 5, 8, 12, 20, 43, 100)
DOCUMENTS = 1000
ALPHA = 0.05
TIMES = 1000
"""How many evaluations are simulated for each cell."""
AGAIN = 10
"""How many times as many for a cell above the level."""
ROUNDING = np.full((1, 1), sums.TIE)
FEWER = 5
"""One in so many evaluations is enough for the power, whose many small p-values take long."""
_DIFFERENCES = 2**22
"""How many differences by one measure are simulated at once."""

Cell = tuple[str, int, int]
"""A measure, a number of runs and a number of requests."""


class Job(NamedTuple):
    """Some evaluations of which cells are counted, with m relevant items in each request."""

    m: int
    seed: int
    times: int
    cells: tuple[Cell, ...]


def limit(times: int) -> float:
    """Return the level and two standard errors of a share of so many evaluations."""
    return ALPHA + 2 * (ALPHA * (1 - ALPHA) / times) ** 0.5


def random_ranks(rng: np.random.Generator, rankings: int, m: int) -> np.ndarray:
    """Draw m different ranks for each ranking, all sets equally likely, sorted."""
    ranks = np.sort(rng.integers(1, DOCUMENTS + 1, (rankings, m)), axis=1)
    while len(twice := np.flatnonzero((np.diff(ranks, axis=1) == 0).any(axis=1))):
        ranks[twice] = np.sort(rng.integers(1, DOCUMENTS + 1, (len(twice), m)), axis=1)
    return ranks


def found_ranks(rng: np.random.Generator, rankings: int, m: int) -> np.ndarray:
    """Draw ranks of items of which the next is found at each rank with the probability 0.05."""
    return np.cumsum(rng.geometric(0.05, (rankings, m)), axis=1)


def preferences(ranks: np.ndarray, measures: Iterable[str]) -> dict[str, np.ndarray]:
    """Compute preferences from ranks, requests × runs × items: requests × pairs, by measure."""
    names = [f"r{run:02d}" for run in range(ranks.shape[1])]
    p = positions_of([(np.arange(len(ranks)), ranks)], names, DOCUMENTS)
    cube = measured.measure_positions(p, parse_measures([*measures]))
    return dict(zip(cube.measures, cube.values, strict=True))


def differences(values: np.ndarray) -> Differences:
    """Return samples × requests × pairs as differences, the pairs of a sample side by side."""
    return Differences(np.moveaxis(values, 1, 0).reshape(values.shape[1], -1), ROUNDING)


def differs(
    measure: str, test: str, values: np.ndarray, pairs: np.ndarray, seed: int
) -> np.ndarray:
    """Test evaluations (× requests × pairs) by some of the pairs: evaluations × pairs."""
    d, size = differences(values[:, :, pairs]), len(pairs)
    options = Options("two-sided", ALPHA, 10_000, seed, effect_intervals=False)
    found = np.zeros((len(values), size), bool)
    chosen = tested_families.chosen_tests(
        test, d, size, options, is_metric=measure not in PREFERENCES
    )
    for name, how, some in chosen:
        part = tested_families.some_columns(d, tested_families.columns_of(some, size))
        _, p_adjusted = tested_families.compare_families(name, part, size, "holm", how)
        found[some] = p_adjusted < ALPHA
    return found


def counted(job: Job) -> np.ndarray:
    """Count the evaluations of a job: cells × (errors, errors of t, share found)."""
    names = sorted({measure for measure, _, _ in job.cells})
    most_runs, most = (max(cell[k] for cell in job.cells) for k in (1, 2))
    rng = np.random.default_rng([job.m, job.seed])
    ranks = random_ranks(rng, job.times * most * (most_runs + 1), job.m)
    ranks = ranks.reshape(job.times * most, most_runs + 1, job.m)
    ranks[rng.random(len(ranks)) < 0.5, -1] = np.arange(1, job.m + 1)
    by_measure = preferences(ranks, names)
    number = np.zeros((most_runs + 1, most_runs + 1), int)
    number[np.triu_indices(most_runs + 1, k=1)] = np.arange(most_runs * (most_runs + 1) // 2)
    counts = []
    for measure, n_runs, n in job.cells:
        values = by_measure[measure].reshape(job.times, most, -1)[:, :n]
        others = [*range(n_runs)]
        equal, better = (
            number[np.ix_(runs, runs)][np.triu_indices(n_runs, k=1)]
            for runs in (others, [*others[1:], most_runs])
        )
        errors = [
            differs(measure, test, values, equal, job.seed).any(axis=1).sum()
            for test in ("auto", "t")
        ]
        some = values[: max(1, len(values) // FEWER)]
        found = differs(measure, "auto", some, better, job.seed)
        found = found[:, np.isin(better, number[:, most_runs])]  # of the better run
        counts.append([*errors, found.mean() * job.times])
    return np.array(counts)


def jobs_of(m: int, times: int, cells: Sequence[Cell], first_seed: int) -> list[Job]:
    """Divide evaluations into jobs that fit in memory."""
    most_runs, most = (max(cell[k] for cell in cells) for k in (1, 2))
    at_once = max(1, min(times, _DIFFERENCES // (most * most_runs * (most_runs + 1) // 2)))
    starts = range(0, times, at_once)
    return [
        Job(m, first_seed + k, min(at_once, times - start), tuple(cells))
        for k, start in enumerate(starts)
    ]


def shares(
    m: int, times: int, cells: Sequence[Cell], pool: ProcessPoolExecutor, first_seed: int = 0
) -> dict[Cell, np.ndarray]:
    """Return for each cell the share of evaluations that err, by t too, and the share found."""
    total = sum(pool.map(counted, jobs_of(m, times, cells, first_seed)))
    return dict(zip(cells, total / times, strict=True))


# --- Intervals ------------------------------------------------------------------------------------

KINDS = {"random": random_ranks, "found": found_ranks}
SIZES, TARGETS = (5, 12, 43), (0.5, 0.9, 0.98)
"""Numbers of requests, and true means as shares of the range of a measure."""


class Intervals(NamedTuple):
    """The intervals of means or of mean differences that are simulated with rankings of a kind."""

    kind: str
    m: int
    times: int


def interval_of_differences(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval that `compare` gives the mean of each column, a pair of its own."""
    d, options = Differences(values, ROUNDING), Options("two-sided", ALPHA)
    low, high = widen_equal_intervals(t_interval(d, options), d, options, 1.0)
    if len(values) <= arrays.FEW_OF_ONE_SIZE:
        signs = np.flatnonzero(d.moments.have_one_size_in(1))
        part = tested_families.some_columns(d, signs)
        low[signs], high[signs] = bets_interval(part, options, 1.0)
    return low, high


def interval_of_means(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval that `run_means` gives the mean of each column, a run of its own."""
    moments = sums.Moments.add_up(values, ROUNDING)
    low, high = np.empty((2, values.shape[1]))
    are_few = len(values) <= arrays.FEW_OF_ONE_SIZE
    signs = moments.have_one_size_in(1) & are_few
    for some in (np.flatnonzero(signs), np.flatnonzero(~signs)):
        few = values[:, some] if len(some) and signs[some[0]] else None
        low[some], high[some] = means._mean_intervals(moments[some], few, (0.0, 1.0), ALPHA)
    return low, high


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
                    interval_of_differences(values[:size]), mean
                )
    metrics = parse_measures([m for m in MEASURES if m not in PREFERENCES])
    p = positions_of([(np.arange(len(ranks)), ranks)], ["a", "b"], DOCUMENTS)
    of_metrics = values_of(p, metrics, "drop")
    for measure, both in zip(of_metrics.metrics, of_metrics.values.T, strict=True):
        worse = both.mean()  # of both runs: the error of this mean is far below that of a sample
        for target in TARGETS:
            values = mixed(both[: len(ranks)], (target - worse) / (1 - worse))
            for size in SIZES:
                found[str(measure), "mean", size, target] = covers(
                    interval_of_means(values[:size]), target
                )
    return found


def covers(ends: tuple[np.ndarray, np.ndarray], mean: float) -> np.ndarray:
    """Return the share of intervals that hold a mean, and the least width; NaN holds nothing."""
    low, high = ends
    return np.array([((low <= mean) & (mean <= high)).mean(), (high - low).min()])


# --- Tables ---------------------------------------------------------------------------------------


def print_greatest(found: dict[int, dict[Cell, np.ndarray]]) -> None:
    """Print the greatest share of evaluations that err, of all m and runs, also by the t-test."""
    print("\nany pair significant, without a difference (by t): the greatest of all m and runs\n")
    print(f"| measure | {' | '.join(f'n = {n}' for n in REQUESTS)} |")
    print("|---|" + "---:|" * len(REQUESTS))
    for measure in MEASURES:
        row = []
        for n in REQUESTS:
            every = [cells[measure, runs, n] for cells in found.values() for runs in RUNS]
            errors, of_t, _ = np.max(every, axis=0)
            row.append(f"{errors:.3f} ({of_t:.2f})")
        print(f"| {measure} | {' | '.join(row)} |")


def print_errors(found: dict[int, dict[Cell, np.ndarray]]) -> None:
    """Print the share of evaluations that err, that by the t-test, and the power, by m."""
    titles = "any pair significant, without a difference (by t)", "power"
    for title, power in zip(titles, (False, True), strict=True):
        print(f"\n{title}\n\n| m | measure | runs | {' | '.join(map(str, REQUESTS))} |")
        print("|--:|---|--:|" + "---:|" * len(REQUESTS))
        for m, cells in found.items():
            for measure in MEASURES:
                for runs in RUNS:
                    row = [cells[measure, runs, n] for n in REQUESTS]
                    written = [f"{c:.2f}" if power else f"{a:.3f} ({b:.2f})" for a, b, c in row]
                    print(f"| {m} | {measure} | {runs} | {' | '.join(written)} |")


def print_above(
    found: dict[int, dict[Cell, np.ndarray]], times: int, pool: ProcessPoolExecutor
) -> None:
    """Simulate the cells above the level again, and print what comes of them."""
    n_cells = sum(map(len, found.values()))
    for m, cells in found.items():
        above = [cell for cell, (errors, *_) in cells.items() if errors > limit(times)]
        print(f"\nm = {m}: {len(above)} of {len(cells)} cells are above {limit(times):.4f}")
        for cell in above:
            again = shares(m, AGAIN * times, [cell], pool, first_seed=10**6)[cell]
            mark = " ABOVE" if again[0] > limit(AGAIN * times) else ""
            measure, runs, n = cell
            print(
                f"{measure}, {runs} runs, n = {n}: {cells[cell][0]:.3f}, again {again[0]:.4f} "
                f"of {AGAIN * times:,} (limit {limit(AGAIN * times):.4f}){mark}", flush=True,
            )  # fmt: skip
    print(f"{n_cells} cells in all")


def print_intervals(found: dict[Intervals, dict[tuple[str, str, int, float], np.ndarray]]) -> None:
    """Print the least share of intervals that hold the mean, and the cells below .93."""
    columns = [(n, target) for n in SIZES for target in TARGETS]
    print("\nintervals of 95 % that hold the true mean: the least of all m and kinds\n")
    print("| measure | of | " + " | ".join(f"n = {n}, {target:g}" for n, target in columns) + " |")
    print("|---|---|" + "---:|" * len(columns))
    some = next(iter(found.values()))
    for measure, of in sorted({key[:2] for key in some}, key=lambda row: (row[1], row[0])):
        least = [min(cells[measure, of, *c][0] for cells in found.values()) for c in columns]
        print(f"| {measure} | {of} | {' | '.join(f'{share:.3f}' for share in least)} |")
    for job, cells in found.items():
        for (measure, of, n, target), (share, width) in cells.items():
            if share < 0.93 or not width > 0:
                print(
                    f"{job.kind} rankings, m = {job.m}, {measure}, {of}, n = {n}, true mean at "
                    f"{target:g}: {share:.3f}, least width {width:.4f}"
                )


def main(share: float) -> None:
    """Print all tables, in Markdown."""
    start, times = time.perf_counter(), round(TIMES * share)
    cells = [(measure, runs, n) for measure in MEASURES for runs in RUNS for n in REQUESTS]
    with ProcessPoolExecutor() as pool:
        found = {m: shares(m, times, cells, pool) for m in RELEVANT}
        print_greatest(found)
        print_errors(found)
        print(f"\n{time.perf_counter() - start:.0f} seconds")
        print_above(found, times, pool)
        jobs = [Intervals(kind, m, 4 * times) for m in RELEVANT for kind in KINDS]
        print_intervals(dict(zip(jobs, pool.map(held, jobs), strict=True)))
    print(f"\n{time.perf_counter() - start:.0f} seconds, {os.cpu_count()} processors")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
