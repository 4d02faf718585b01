"""How long leaderboards take, and how much memory.

``python -m tests.benchmarks.speed_of_leaderboards [RUNS COLLECTIONS]``

Simulated leaderboards with the ranks that are possible by Holm's correction and by the step-down
test of the largest t with 1,000 resamples (of signs, and, of up to 500 runs, drawn with
replacement), and all pairs of runs. Seconds are those of processors and of the clock; GB are the
most that the process has taken so far.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import lexiframe as lf

SIZES = ((332, 41), (2000, 200))
_MOST_DRAWN = 500


def board(runs: int, collections: int) -> pl.DataFrame:
    """Return a leaderboard whose runs differ, in a frame with a row for each cell."""
    rng = np.random.default_rng(0)
    x = 0.5 + 0.1 * rng.normal(size=(collections, 1)) + np.linspace(0, 0.2, runs)
    x = x + 0.05 * rng.normal(size=(collections, runs))
    return pl.DataFrame(
        {
            "run": np.tile([f"run {n:04}" for n in range(runs)], collections),
            "collection": np.repeat([f"collection {c:03}" for c in range(collections)], runs),
            "value": x.ravel(),
        }
    )


def timed(called: str, function: Callable[[], Any]) -> Any:
    """Call a function, and print how long it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = function()
    seconds = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # of Linux, in kB
    print(f"| {called} | {seconds[0]:.2f} | {seconds[1]:.2f} | {peak:.2f} |", flush=True)
    return found


def main(runs: int, collections: int) -> None:
    """Print the times for one size."""
    x = board(runs, collections)
    lf.leaderboard(x.filter(pl.col("run") < "run 0003")).ranking  # noqa: B018 - imports
    print(f"\n| {runs:,} × {collections} | processor, s | clock, s | GB |\n|---|--:|--:|--:|")
    tests = ("holm", "max_t", "max_t_bootstrap")[: 3 if runs <= _MOST_DRAWN else 2]
    by = {name: timed(f"read, {name}", lambda name=name: lf.leaderboard(x, test=name))
          for name in tests}  # fmt: skip
    for name, one in by.items():
        timed(f"ranking, ranks by {name}", lambda one=one: one.ranking)
    timed("all pairs", lambda: by["holm"].comparisons)
    timed("Borda's percentiles", lambda: lf.leaderboard(x, "borda").rank_percentiles)
    timed("neighbours", lambda: by["holm"].neighbours)
    timed("without each collection", lambda: by["holm"].leave_one_out)


if __name__ == "__main__":
    sizes = [tuple(map(int, sys.argv[1:3]))] if len(sys.argv) > 2 else SIZES
    for size in sizes:
        main(*size)
