"""How many pairs of runs evaluations of few requests find to differ, in the right direction.

``python -m tests.benchmarks.power DATA [TIMES]``, with a folder of collections: in each trial
(default 200) ten runs and n requests are drawn, without replacement, from a collection, and all
pairs of the runs are compared by the default of `compare` (joint sign flips with step-down max-t)
and, with Holm's correction, by t and by the sign test. A cell is the share of the pairs that are
found to differ, with the better mean over all requests ahead. t keeps no level where nearly all
differences have one size, so it is no choice for LR, LP and RR of few requests (see
`tests.benchmarks.whole_evaluations`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import lexiframe as lf
from lexiframe.core.pairwise import measured, parse_measures
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.study.audits.tested_families import compare_families

MEASURES = ["RPP", "LR", "LP", "AP", "nDCG@10", "RR"]
OF_RUNS = {
    "trec_dl_2019_passage": {}, "trec_robust_2003": {}, "movielens_100k": {"rel": 4},
}  # fmt: skip
"""Collections with rankings, and how their grades are read."""
MATRICES = "trec_score_matrices"
"""The folder of requests × runs with one measure each."""
SIZES, RUNS, ALPHA, TRIALS = (10, 25, 50), 10, 0.05, 2**11
TESTS = {"max_t": "randomization", "t": "t", "sign": "sign"}


def collections(folder: Path) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield each collection and measure with differences, requests × pairs of runs."""
    for name, options in OF_RUNS.items():
        runs = sorted((folder / name / "runs").iterdir())
        p = lf.positions(runs, folder / name / "qrels.trec", **options)
        cube = measured.measure_positions(p, parse_measures(MEASURES))
        for measure, values in zip(cube.measures, cube.values, strict=True):
            yield name, measure, values
    for path in sorted((folder / MATRICES).glob("*.csv")):
        scores = pl.read_csv(path).to_numpy()
        a, b = np.triu_indices(scores.shape[1], k=1)
        yield path.stem.split("_")[0], path.stem.split("_")[1], scores[:, a] - scores[:, b]


def found(values: np.ndarray, n: int, times: int) -> list[float]:
    """Return the share of pairs that are found in the right direction, by each test."""
    rng = np.random.default_rng(n)
    n_runs = round((1 + (1 + 8 * values.shape[1]) ** 0.5) / 2)
    number = np.zeros((n_runs, n_runs), int)
    number[np.triu_indices(n_runs, k=1)] = np.arange(values.shape[1])
    first, second = np.triu_indices(min(RUNS, n_runs), k=1)
    means, shares = values.mean(axis=0), []
    for trial in range(times):
        runs = np.sort(rng.permutation(n_runs)[:RUNS])
        pairs = number[runs[first], runs[second]]
        drawn = values[rng.permutation(len(values))[:n]][:, pairs]
        d = Differences(drawn, np.full((1, 1), 1e-12))
        is_right = np.sign(d.mean) * np.sign(means[pairs]) > 0
        row = []
        for name, test in TESTS.items():
            options = Options("two-sided", ALPHA, TRIALS, trial, effect_intervals=False)
            correction = name if name == "max_t" else "holm"
            _, p = compare_families(test, d, len(pairs), correction, options)
            row.append(((p[0] < ALPHA) & is_right).mean())
        shares.append(row)
    return np.mean(shares, axis=0).tolist()


def main(folder: Path, times: int) -> None:
    """Print the table, in Markdown, and its means over collections and measures."""
    print(f"pairs found in the right direction, in %: {' / '.join(TESTS)}\n")
    print(f"| collection | measure | {' | '.join(f'n = {n}' for n in SIZES)} |")
    print("|---|---|" + "---:|" * len(SIZES))
    every = []
    for name, measure, values in collections(folder):
        cells = [found(values, min(n, len(values)), times) for n in SIZES]
        every.append(cells)
        row = [" / ".join(f"{100 * share:.1f}" for share in cell) for cell in cells]
        print(f"| {name} | {measure} | {' | '.join(row)} |", flush=True)
    row = [" / ".join(f"{100 * share:.1f}" for share in cell) for cell in np.mean(every, axis=0)]
    print(f"| all | | {' | '.join(row)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200)
