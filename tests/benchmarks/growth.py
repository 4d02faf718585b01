"""How the time grows with what users give: the exponent of twelve growths.

    python tests/benchmarks/growth.py [NAME ...]

Each line has the CPU seconds of sizes that double, and the slope of their logarithms: 1 is time in
proportion. A slope far above 1 is a fault; `tests/test_growth.py` holds the worst that there were.
"""

import io
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import lexiframe as lf

ROUNDS = 3
"""Each size is measured so often, and the least time counts."""
Call = Callable[[], Any]


def wide(n: int, rows: int = 20) -> pl.DataFrame:
    """Return a run with n columns that are not read."""
    number = range(rows)
    ours = {
        "query_id": [f"q{i // 5}" for i in number],
        "doc_id": [f"d{i}" for i in number],
        "score": [float(rows - i) for i in number],
    }
    return pl.DataFrame(ours | {f"x{i}": [i] * rows for i in range(n)})


def scores(runs: int, requests: int, measures: int = 1) -> pl.DataFrame:
    """Return random scores."""
    n = np.arange(runs * requests * measures)
    names = {
        "run": ("r", n // (requests * measures), runs),
        "query_id": ("q", n // measures % requests, requests),
        "measure": ("m", n % measures, measures),
    }
    columns = {
        name: pl.Series([f"{letter}{i}" for i in range(of)]).gather(code)
        for name, (letter, code, of) in names.items()
    }
    return pl.DataFrame(columns | {"value": np.random.default_rng(0).random(len(n))})


def parts(n: int, each: int, column: str) -> pl.DataFrame:
    """Return scores of three runs in n parts of the requests, which a column names."""
    number = pl.col("query_id").str.slice(1).cast(pl.Int64) // each
    return scores(3, each * n).with_columns(pl.format("p{}", number).alias(column))


def columns_of_parquet(n: int) -> Call:
    """Return the reading of Parquet with n further columns."""
    wide(n).write_parquet(data := io.BytesIO())
    return reading(data.getvalue(), "wide.parquet")


def columns_of_csv(n: int) -> Call:
    """Return the reading of CSV with n further columns."""
    return reading(wide(n).write_csv().encode(), "wide.csv")


def columns_of_json(n: int) -> Call:
    """Return the reading of JSON lines with n further fields."""
    return reading(wide(n).write_ndjson().encode(), "wide.jsonl")


def fields_of_records(n: int) -> Call:
    """Return the reading of n records, each with a field of its own."""
    records = (
        {"query_id": f"q{i // 10}", "doc_id": f"d{i}", "score": n - i, f"x{i}": 1} for i in range(n)
    )
    return reading("\n".join(map(json.dumps, records)).encode(), "own.jsonl")


def reading(data: bytes, name: str) -> Call:
    """Return the reading of a run from a file of this content."""

    def read() -> Any:
        with TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(data)
            return lf.read_runs(path)

    return read


def strata_of_a_pool(n: int) -> Call:
    """Return the scores from judgments of a sample that was drawn in n strata."""
    number = np.arange(20 * n)
    pool = pl.DataFrame({"query_id": "q", "doc_id": pl.Series(number).cast(pl.String)})
    judged = pool.with_columns(stratum=number % n, relevance=number % 3 - 1)
    run = pool.with_columns(score=-number.astype(float))
    return lambda: lf.collection.inferred_scores(run, judged, depth=len(number))


def groups_of_requests(n: int) -> Call:
    """Return the evaluation of scores within n groups of requests."""
    s = parts(n, 10, "group")
    requests = s.select("query_id", "group").unique()
    return lambda: lf.evaluate_scores(s.drop("group"), requests=requests, by="group")


def collections_of_scores(n: int) -> Call:
    """Return the evaluation of scores of n collections."""
    s = parts(n, 10, "collection")
    return lambda: lf.evaluate_scores(s)


def collections_of_leaderboards(n: int) -> Call:
    """Return the leaderboard over the requests of n collections, which are strata."""
    s = parts(n, 10, "collection")
    return lambda: lf.leaderboard(s, measure="m0", over="requests")


def runs_against_a_baseline(n: int) -> Call:
    """Return the comparison of n runs with a baseline."""
    s = scores(n, 50)
    return lambda: lf.compare(s, baseline="r0")


def measures_of_scores(n: int) -> Call:
    """Return the means and the orders of runs by n measures."""
    s = scores(3, 50, n)
    return lambda: lf.order_runs(s, method="mean")


def requests_of_scores(n: int) -> Call:
    """Return the evaluation of scores of n requests."""
    s = scores(5, n)
    return lambda: lf.evaluate_scores(s)


def relevant_items(n: int) -> Call:
    """Return the comparison of two runs by one request with n relevant items."""
    number = np.arange(2 * n)
    one = pl.DataFrame({"run": "a", "query_id": "q", "doc_id": pl.Series(number).cast(pl.String)})
    runs = pl.concat(
        one.with_columns(run=pl.lit(run), score=sign * number.astype(float))
        for run, sign in (("a", 1), ("b", -1))
    )
    qrels = one.gather_every(2).select("query_id", "doc_id", relevance=pl.lit(1))
    return lambda: lf.evaluate(runs, qrels, ["AP", "nDCG", "RPP", "LR"])


GROWTHS: dict[str, tuple[Callable[[int], Call], tuple[int, ...]]] = {
    "columns of Parquet": (columns_of_parquet, (1250, 2500, 5000)),
    "columns of CSV": (columns_of_csv, (1250, 2500, 5000)),
    "columns of JSON lines": (columns_of_json, (1250, 2500, 5000)),
    "records with fields of their own": (fields_of_records, (2000, 4000, 8000)),
    "strata of a pool": (strata_of_a_pool, (2500, 5000, 10_000)),
    "groups of requests": (groups_of_requests, (25, 50, 100)),
    "collections": (collections_of_scores, (10, 20, 40)),
    "collections of a leaderboard": (collections_of_leaderboards, (100, 200, 400)),
    "runs against a baseline": (runs_against_a_baseline, (2000, 4000, 8000)),
    "measures": (measures_of_scores, (100, 200, 400)),
    "requests": (requests_of_scores, (40_000, 80_000, 160_000)),
    "relevant items of a request": (relevant_items, (40_000, 80_000, 160_000)),
}


def cpu_of(call: Call) -> float:
    """Return the CPU seconds of a call in all threads."""
    start = time.process_time()
    call()
    return time.process_time() - start


def least_times(make: Callable[[int], Call], sizes: tuple[int, ...], rounds: int) -> list[float]:
    """Return the least CPU seconds of each size, taken in turn."""
    calls = [make(n) for n in sizes]
    calls[0]()  # what is loaded once
    return [
        min(of_one) for of_one in zip(*(map(cpu_of, calls) for _ in range(rounds)), strict=True)
    ]


def exponent(sizes: tuple[int, ...], times: list[float]) -> float:
    """Return the slope of the logarithms of times over the logarithms of sizes."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def main() -> None:
    """Print the exponent of each growth."""
    warnings.simplefilter("ignore")
    print(f"{'growth':34} {'sizes':>24} {'CPU seconds':>24} {'exponent':>9}")
    for name in sys.argv[1:] or GROWTHS:
        make, sizes = GROWTHS[name]
        times = least_times(make, sizes, ROUNDS)
        told = " ".join(f"{n:7,}" for n in sizes), " ".join(f"{t:7.3f}" for t in times)
        print(f"{name:34} {told[0]:>24} {told[1]:>24} {exponent(sizes, times):9.2f}", flush=True)


if __name__ == "__main__":
    main()
