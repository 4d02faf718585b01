"""Make a recommender's log that is larger than memory: Parquet files of runs and of judgments.

    python tests/benchmarks/make_logs.py OUT --rows 200_000_000 --runs 20 --depth 10

Writes ``OUT/runs/run00.parquet`` and so on (or ``OUT/runs/run=run00/part-0.parquet`` with
``--partitioned``), and ``OUT/qrels/part-0.parquet`` and so on. Each run answers the same
``rows / runs / depth`` requests with ``depth`` items each; runs and judgments are written in blocks
of requests, so that memory does not grow with the log.

What makes it like a real one: popular items are recommended and chosen more often than others; runs
differ in quality, so that orderings of them mean something, and in quality per request, so that
they disagree; some runs leave requests out; each request has one to many relevant items.
"""

import argparse
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

BLOCK_OF_ROWS = 1 << 20
POPULAR = 3.0
"""The place of an item among all is a uniform number to this power: few items are frequent."""


@dataclass(frozen=True)
class Log:
    """The sizes of a log, and the form of its ids."""

    rows: int
    runs: int = 20
    depth: int = 10
    relevant: int = 5
    items: int = 27_000
    seed: int = 0
    strings: bool = False

    @property
    def requests(self) -> int:
        return max(self.rows // (self.runs * self.depth), 1)

    def blocks(self) -> Iterator[np.ndarray]:
        """The requests in blocks, which are the same for all runs."""
        size = max(BLOCK_OF_ROWS // max(self.depth, self.relevant), 1)
        for start in range(0, self.requests, size):
            yield np.arange(start, min(start + size, self.requests))


def judgments(log: Log, requests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw the relevant items of a block: an item in each column, and which of them count.

    A request has from 1 to 2 · relevant - 1 of them, on average ``relevant``.
    """
    rng = np.random.default_rng([log.seed, 1, int(requests[0])])
    most = max(2 * log.relevant - 1, 1)
    items = distinct_items(log, len(requests), most, rng)
    counts = rng.integers(1, most + 1, len(requests))
    return items, np.arange(most) < counts[:, None]


def distinct_items(log: Log, rows: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """Draw distinct items for each row: ascending places among all items, in a random order.

    Each column has its own stretch of the items, shorter among the frequent ones. So no two columns
    of a row are equal, without drawing again.
    """
    edges = np.unique(
        np.rint((np.arange(columns + 1) / columns) ** POPULAR * log.items).astype(int)
    )
    edges = (
        edges if len(edges) == columns + 1 else np.linspace(0, log.items, columns + 1).astype(int)
    )
    low, high = (
        np.maximum(edges[:-1], np.arange(columns)),
        np.maximum(edges[1:], np.arange(columns) + 1),
    )
    drawn = low + (rng.random((rows, columns), np.float32) * (high - low)).astype(np.int64)
    return np.minimum(drawn, high - 1)


def recommendations(log: Log, run: int, requests: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw a run's items and scores for a block: the better the run, the more relevant ones."""
    rng = np.random.default_rng([log.seed, 2, run, int(requests[0])])
    relevant, counts = judgments(log, requests)
    items = distinct_items(log, len(requests), log.depth, rng)
    items = np.take_along_axis(items, rng.random(items.shape, np.float32).argsort(1), 1)
    scores = -np.sort(-rng.random(items.shape, np.float32), axis=1).astype(np.float64)
    quality = (run + 1) / log.runs * 0.5 * rng.gamma(4, 0.25, (len(requests), 1))
    hit = (rng.random(relevant.shape) < quality) & counts
    place = (rng.random(relevant.shape) ** 2 * log.depth).astype(int)
    row, column = np.nonzero(hit)
    items[row, place[row, column]] = relevant[row, column]
    return items, scores


def without_repeats(items: np.ndarray) -> np.ndarray:
    """Return which items of each row are the first of their kind in it."""
    order = items.argsort(axis=1, kind="stable")
    ascending = np.take_along_axis(items, order, 1)
    first = np.ones(items.shape, bool)
    np.put_along_axis(first, order[:, 1:], ascending[:, 1:] != ascending[:, :-1], 1)
    return first


def ids(numbers: np.ndarray, prefix: str, strings: bool) -> pa.Array:
    if not strings:
        return pa.array(numbers)
    distinct, codes = np.unique(numbers, return_inverse=True)
    names = pa.array([f"{prefix}{number:07}" for number in distinct.tolist()])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names).cast(pa.string())


def table(log: Log, users: np.ndarray, items: np.ndarray, name: str, value: np.ndarray) -> pa.Table:
    columns = {
        "user_id": ids(users, "user", log.strings),
        "item_id": ids(items, "item", log.strings),
    }
    return pa.table({**columns, name: value})


def run_block(log: Log, run: int, requests: np.ndarray) -> pa.Table:
    items, scores = recommendations(log, run, requests)
    kept = without_repeats(items)
    if run % 10 == 9:  # every tenth run leaves requests out
        kept &= (requests % 50 != 7)[:, None]
    users = np.broadcast_to(requests[:, None], items.shape)
    return table(log, users[kept], items[kept], "score", scores[kept])


def qrels_block(log: Log, requests: np.ndarray) -> pa.Table:
    items, counts = judgments(log, requests)
    users = np.broadcast_to(requests[:, None], items.shape)
    return table(log, users[counts], items[counts], "rating", np.ones(int(counts.sum())))


def write(path: Path, blocks: Iterator[pa.Table]) -> int:
    """Write a file block by block, and return the number of its rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, first = 0, next(blocks)
    with parquet.ParquetWriter(path, first.schema, compression="zstd", compression_level=1) as out:
        while first is not None:
            out.write_table(first)
            rows += first.num_rows
            first = next(blocks, None)
    return rows


def write_run(out: Path, log: Log, partitioned: bool, run: int) -> int:
    name = f"run{run:02}"
    path = f"run={name}/part-0.parquet" if partitioned else f"{name}.parquet"
    return write(out / "runs" / path, (run_block(log, run, some) for some in log.blocks()))


def make(out: Path, log: Log, *, partitioned: bool = False) -> int:
    """Write the log, and return the number of rows of its runs."""
    write(out / "qrels" / "part-0.parquet", (qrels_block(log, some) for some in log.blocks()))
    with ThreadPoolExecutor(2) as executor:
        return sum(executor.map(partial(write_run, out, log, partitioned), range(log.runs)))


def checksum(out: Path) -> str:
    """Return a hash of all files, which is the same for the same arguments and versions."""
    found = hashlib.sha256()
    for path in sorted(out.rglob("*.parquet")):
        found.update(path.read_bytes())
    return found.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=2_000_000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--relevant", type=int, default=5, help="on average, for each request")
    parser.add_argument("--items", type=int, default=27_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--strings", action="store_true", help="ids are text, not integers")
    parser.add_argument("--partitioned", action="store_true", help="a folder run=NAME for each run")
    given = vars(parser.parse_args())
    out, partitioned = given.pop("out"), given.pop("partitioned")
    log = Log(**given)
    rows = make(out, log, partitioned=partitioned)
    print(f"{rows:,} rows of {log.runs} runs for {log.requests:,} requests in {out}")


if __name__ == "__main__":
    main()
