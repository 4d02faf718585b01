"""Measure time and memory where requests, relevant items, runs or depths are many.

Each case runs in a process of its own. It makes its data in memory, and then prints for each step
the CPU time (user and system, all threads) and by how much the process's memory grew at most, which
leaves the data out. `--share 0.1` makes all sizes a tenth.
"""

import argparse
import multiprocessing
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

import lexiframe as lf
from lexiframe.core.metrics.kinds.metric import Metric
from lexiframe.core.metrics.scored import values_of
from lexiframe.core.pairwise.compared_runs import parse_measures
from lexiframe.core.pairwise.preference_arrays import preference_cubes

PREFERENCES = "RPP dcgRPP invRPP LR LP sgnLR sgnLP rrLR rrLP".split()
METRICS = "AP nDCG@10 RR RBP ERR(max=5)".split()
JUDGED = "bpref infAP Judged@10 RBP_residual num_ret Compat".split()
_PAGE = 4096


def positions(sizes: np.ndarray, n_runs: int, grades: int = 1, seed: int = 0) -> pl.DataFrame:
    """Return positions of requests with so many relevant items, of which each run finds 70 %.

    Two rows in three of a ranking are not relevant, and a tenth as many judged items as there are
    relevant ones are judged not relevant.
    """
    rng = np.random.default_rng(seed)
    sizes = np.asarray(sizes)
    judged = sizes + np.maximum(sizes // 10, 1)
    query = np.repeat(np.arange(len(sizes)), judged)
    place = np.arange(judged.sum()) - np.repeat(judged.cumsum() - judged, judged)
    is_relevant = place < sizes[query]
    ids = pl.Series(np.arange(len(sizes))).cast(pl.String).str.zfill(8).gather(query)
    grade = np.where(is_relevant, rng.integers(1, grades + 1, len(query)), 0)
    same = {
        "query_id": ids,
        "doc_id": pl.Series(place).cast(pl.String).str.zfill(7),
        "relevance": grade.astype(np.float64),
        "n_relevant": sizes[query],
        "n_retrieved": 3 * judged[query],
    }
    runs = []
    for run in range(n_runs):
        gaps = rng.integers(1, 4, len(query)).cumsum()  # ranks that ascend within each request
        start = np.where(np.arange(len(gaps)) > 0, np.roll(gaps, 1), 0)[judged.cumsum() - judged]
        order = np.lexsort((rng.random(len(query)), query))
        rank, level = np.empty((2, len(query)), np.int64)
        rank[order] = gaps - start[query]
        nth = is_relevant[order].cumsum()
        before = np.concatenate([[0], sizes.cumsum()[:-1]])
        level[order] = nth - before[query]
        is_found = np.where(is_relevant, level <= np.ceil(0.7 * sizes[query]), place % 3 > 0)
        columns = {
            "position": pl.Series(rank).set(pl.Series(~is_found), None),
            "level": pl.Series(level).set(pl.Series(~is_relevant), None),
        }
        names = pl.repeat(f"run{run:04}", len(query), eager=True)
        runs.append(pl.DataFrame({"run": names, **same, **columns}))
    return pl.concat(runs)


def whole_runs(depth: int, n_runs: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return runs of one request, which share half of their documents, and its judgments."""
    rng = np.random.default_rng(0)
    ids = "d" + pl.Series(np.arange(2 * depth)).cast(pl.String)
    score = np.arange(depth, 0, -1.0)
    runs = [
        pl.DataFrame({"run": f"run{n:04}", "query_id": "q", "doc_id": ids.gather(order[:depth])})
        for n, order in enumerate(rng.permuted(np.tile(np.arange(2 * depth), (n_runs, 1)), axis=1))
    ]
    judged = ids.gather(rng.choice(2 * depth, depth // 10, replace=False))
    grades = rng.integers(-1, 3, depth // 10).astype(np.float64)
    qrels = pl.DataFrame({"query_id": "q", "doc_id": judged, "relevance": grades})
    return pl.concat([run.with_columns(score=score) for run in runs]), qrels


@contextmanager
def measured(case: str, step: str) -> Iterator[None]:
    """Print CPU time and the growth of memory of what is done inside."""
    begin, cpu, on = _memory(), time.process_time(), threading.Event()
    greatest = begin

    def watch() -> None:
        nonlocal greatest
        while not on.wait(0.005):
            greatest = max(greatest, _memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    yield
    on.set()
    watcher.join()
    used = time.process_time() - cpu
    print(f"{case:<34} {step:<14} {used:9.2f} {(greatest - begin) / 1e6:9.0f}", flush=True)


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def reduced(p: pl.DataFrame, names: list[str], case: str, step: str) -> None:
    """Compute preferences cube by cube, of which only sums over requests are kept."""
    asked = parse_measures(names)
    with measured(case, step):
        metrics = [measure for measure in asked if isinstance(measure, Metric)]
        values = values_of(p, metrics, "drop") if metrics else None
        sums = [cube.values.sum(axis=1) for cube in preference_cubes(p, asked, values)]
        np.sum(sums, axis=0)


def one_large(case: str, m: int, n_runs: int, grades: int) -> None:
    """Compare one request with m relevant items, beside a thousand small ones."""
    p = positions(np.array([m, *[3] * 1000]), n_runs, grades)
    for name in PREFERENCES:
        reduced(p.filter(pl.col("level").is_not_null()), [name], case, name)
    for name in [*METRICS, *JUDGED]:
        with measured(case, name):
            lf.scores(p, name)


def many_runs(case: str, n_runs: int, n_requests: int) -> None:
    """Compare all pairs of many runs in requests of Robust's size."""
    sizes = 1 + np.random.default_rng(0).exponential(70, n_requests).astype(np.int64)
    p = positions(sizes, n_runs, 2).filter(pl.col("level").is_not_null())
    for names in (["RPP"], ["LR"], ["RPP", "LR"]):
        reduced(p, names, case, " ".join(names))


def many_requests(case: str, n_requests: int, n_runs: int) -> None:
    """Compare runs in many requests, each with one relevant item."""
    p = positions(np.ones(n_requests, np.int64), n_runs).filter(pl.col("level").is_not_null())
    for names in (["RPP"], ["LR"], ["AP"], "RPP LR rrLP AP nDCG@10 RR".split()):
        reduced(p, names, case, " ".join(names) if len(names) == 1 else "six measures")


def deep(case: str, depth: int, n_runs: int) -> None:
    """Compare whole rankings, and use judged items at all depths."""
    runs, qrels = whole_runs(depth, n_runs)
    with measured(case, "OI(user=rank)"):
        lf.interleaving(runs, qrels, "rank")
    p = lf.positions(runs, qrels, judged=True)
    for name in [*JUDGED, "INSQ(max_rel=2, depth=100000)"]:
        with measured(case, name.partition("(")[0]):
            lf.scores(p, name)


def cases(share: float) -> dict[str, Callable[[str], None]]:
    """Return a function for each case."""

    def of(size: float) -> int:
        return max(int(size * share), 1)

    return {
        "1 request, m = 10^6, 20 runs": lambda c: one_large(c, of(1e6), 20, 1),
        "1 request, m = 10^5, 100 runs": lambda c: one_large(c, of(1e5), 100, 1),
        "the same with 3 grades": lambda c: one_large(c, of(1e5), 100, 3),
        "50 requests, 1,000 runs": lambda c: many_runs(c, max(of(1000), 2), 50),
        "10^6 requests, m = 1, 4 runs": lambda c: many_requests(c, of(1e6), 4),
        "depth 10^5, 20 runs": lambda c: deep(c, of(1e5), 20),
    }


def run_case(name: str, share: float) -> None:
    """Run one case; what it warns of is of no interest here."""
    warnings.simplefilter("ignore")
    cases(share)[name](name)


def main() -> None:
    """Run the cases, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of all sizes (%(default)s)")
    parser.add_argument(
        "--case", type=int, help="the number of one case, from 1; unless given, all"
    )
    arguments = parser.parse_args()
    names = [*cases(1)]
    print(f"{'case':<34} {'step':<14} {'CPU s':>9} {'MB':>9}", flush=True)
    for name in names if arguments.case is None else [names[arguments.case - 1]]:
        process = multiprocessing.get_context("spawn").Process(
            target=run_case, args=(name, arguments.share)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"{name}: failed")


if __name__ == "__main__":
    main()
