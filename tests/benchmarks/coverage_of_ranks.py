"""Whether rank intervals hold the true ranks of simulated leaderboards: a table of the guide.

``python -m tests.benchmarks.coverage_of_ranks [SHARE]`` simulates SHARE (default 1) of `BOARDS`,
and ``python -m tests.benchmarks.coverage_of_ranks votes`` rules that count votes.

Runs differ in their true means: all equal (also with results 0 or 1, "hits", or of four values,
"tied"), next ones 0.01 or 1 standard errors of a difference
apart, or in three groups. Results are normal around them, with a part that all runs share in a
collection. "MTEB" draws runs from the complete models of MTEB(eng, v2), and collections with
replacement from its 41 tasks, so that the true mean of a run is that over the 41 tasks; it needs
the table of its results, in the folder that LEXIFRAME_SHARED names.

A run's true rank is any from 1 + the number of truly better runs to S − the number of truly worse
ones: an interval holds it when it holds all of these.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from lexiframe.core.orderings.in_samples import ordered_cells
from lexiframe.core.orderings.rules import RULES
from lexiframe.core.pairwise.arrays import Cells
from lexiframe.core.significance import ranks

STEPS = {"equal": 0.0, "0.01 se apart": 0.01, "1 se apart": 1.0, "three groups": None}
TIED = {"hits": 2, "tied": 4}
"""The number of values that results have, where runs are equal and often tied."""
BOARDS = {"holm": 2000, "flip": 2000, "bootstrap": 500}
"""How many leaderboards are simulated for each test."""
VOTES = {
    ("win_rate", "holm"): 4000, ("win_rate", "flip"): 2000, ("mean_z", "holm"): 4000,
    ("mean_z", "flip"): 2000, ("bradley_terry", "holm"): 1000, ("bradley_terry", "flip"): 1000,
}  # fmt: skip
"""How many leaderboards of equal runs are simulated for rules that count votes, and tests."""
RESAMPLES = 499


def mteb() -> np.ndarray | None:
    """Return the results of the complete models of MTEB, tasks × models; None without the data."""
    path = Path(os.environ.get("LEXIFRAME_SHARED", ""), "data/mteb_eng_v2/scores.parquet")
    if not path.is_file():
        return None
    table = pl.read_parquet(path).pivot("model", index="task", values="score")
    return table.drop("task").select(c for c in table.drop("task") if not c.null_count()).to_numpy()


def boards(
    setting: str, runs: int, collections: int, repetitions: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the true means of runs, and results, collections × runs."""
    rng = np.random.default_rng([runs, collections])
    if setting == "MTEB":
        tasks = mteb()
        for _ in range(repetitions):
            chosen = rng.choice(tasks.shape[1], runs, replace=False)
            x = tasks[:, chosen]
            yield x.mean(axis=0), x[rng.integers(0, len(x), collections)]
        return
    if setting in TIED:
        for _ in range(repetitions):
            x = rng.integers(0, TIED[setting], (collections, runs)) / 3
            yield np.zeros(runs), x
        return
    se, step = np.sqrt(2 / collections), STEPS[setting]
    apart = np.arange(runs) * 3 // runs * 2 if step is None else np.arange(runs) * step
    for _ in range(repetitions):
        shared = rng.normal(size=(collections, 1))
        yield apart * se, apart * se + shared + rng.normal(size=(collections, runs))


def points_of(rule: str, cells: np.ndarray) -> np.ndarray | None:
    """Return what a rule averages; None where strengths do not exist."""
    n, declared = len(cells), RULES[rule]
    board = Cells(pl.Series([f"{run:04}" for run in range(cells.shape[1])]), cells, 0.0)
    if declared.of_units is not None:
        return declared.of_units(board)[0]
    if ordered_cells(board, np.ones((1, n)), declared).n_unlike:
        return None
    return declared.of_tests(board, np.full(n, 1 / n))  # type: ignore[misc]


def rejected(design: ranks.Design, test: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which pairs differ, all at once and for each run by itself."""
    if test == "holm":
        return ranks.holm_all(design.p_values) < 0.05, ranks.holm_each(design.p_values) < 0.05
    return ranks.step_down(design, test, RESAMPLES, seed, 0.05)  # type: ignore[arg-type]


def covered(
    setting: str, runs: int, collections: int, test: str, repetitions: int, rule: str = "mean"
) -> dict[str, float]:
    """Return how often ranks are held at once, each by itself, and the widths of both."""
    at_once, each, n = 0, np.zeros(runs), 0
    widths, widths_each = [], []
    for seed, (mean, x) in enumerate(boards(setting, runs, collections, repetitions)):
        points = points_of(rule, x)
        if points is None:
            continue
        n += 1
        least = 1 + (mean[:, None] < mean).sum(axis=1)
        most = runs - (mean[:, None] > mean).sum(axis=1)
        design = ranks.Design.equal(points)
        (low, high), (low_1, high_1) = (
            ranks.possible_ranks(design.differences, which)
            for which in rejected(design, test, seed)
        )
        at_once += bool(((low <= least) & (high >= most)).all())
        each += (low_1 <= least) & (high_1 >= most)
        widths.append(np.median(high - low + 1))
        widths_each.append(np.median(high_1 - low_1 + 1))
    return {
        "n": n, "at once": at_once / n, "each": (each / n).mean(), "least": (each / n).min(),
        "width": float(np.mean(widths)), "width each": float(np.mean(widths_each)),
    }  # fmt: skip


def row(named: str, found: dict[str, float]) -> str:
    """Write one row of a table in Markdown."""
    shares = " | ".join(f"{found[name]:.3f}" for name in ("at once", "each", "least"))
    return f"| {named} | {shares} | {found['width']:.1f} | {found['width each']:.1f} |"


def main(share: float) -> None:
    """Print both tables, in Markdown."""
    start = time.process_time()
    settings = [*STEPS, *(["MTEB"] if mteb() is not None else [])]
    head = "all at once | each | least of the runs | width | width each |"
    print(f"| runs | collections | true means | test | {head}")
    print("|--:|--:|---|---|--:|--:|--:|--:|--:|")
    for runs in (10, 40):
        for collections in (10, 41):
            for setting in settings:
                for test, n in BOARDS.items():
                    found = covered(setting, runs, collections, test, round(n * share))
                    named = f"{runs} | {collections} | {setting} | {test}"
                    print(row(named, found), flush=True)
    print(f"\n{time.process_time() - start:.0f} seconds of one processor")


def votes() -> None:
    """Print the table of rules that count votes, of equal runs."""
    start = time.process_time()
    print("| runs | collections | results | rule | test | leaderboards | all at once | ", end="")
    print("each | least of the runs | width | width each |\n|--:|--:|---|---|---|", end="")
    print("--:|--:|--:|--:|--:|--:|")
    few = [(10, 6, setting) for setting in TIED]
    for runs, collections, setting in (
        *few, (10, 6, "equal"), (10, 10, "equal"), (10, 20, "equal"), (10, 41, "equal"),
        (40, 10, "equal"),
    ):  # fmt: skip
        for (rule, test), n in VOTES.items():
            found = covered(setting, runs, collections, test, n, rule)
            named = f"{runs} | {collections} | {setting} | {rule} | {test} | {found['n']}"
            print(row(named, found), flush=True)
    print(f"\n{time.process_time() - start:.0f} seconds of one processor")


if __name__ == "__main__":
    if sys.argv[1:] == ["votes"]:
        votes()
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
