"""Measure reading beside its limit: what Polars alone takes to read the same files.

Four measures (AP, nDCG, RR, R@1000) are computed from files of text, from the same files packed by
gzip, and from Parquet files that `lexiframe convert` would write, each beside a limit:

- text: Polars splits the lines of the files into their six fields, and into the three that matter;
- gzip: the files are unpacked by two threads;
- Parquet: Polars reads the three columns that matter;
- bpref, infAP and Judged@10, evaluated: AP, evaluated.

Every measurement runs in a process of its own, those of one comparison in turn, so that noise hits
all of them. Times are medians over the rounds; a ratio is the median of the ratios of each round.
"""

import argparse
import gzip
import shutil
import statistics
import tempfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from peers import PEERS
from run import cores, in_child, machine, measure, open_collection, print_collection, progress
from sizes import add_sizes
from stages import Collection, Stage, Thunk, evaluating, text, text_to_scores

FIELDS = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
THREE = ["query_id", "doc_id", "score"]
Comparison = dict[str, Stage]  # the first is lexiframe's, the second the limit


def with_polars(call: Callable[[Any, str], Any]) -> Stage:
    """Make a stage that does one thing to each file with Polars: `call(polars, path)`."""

    def stage(collection: Collection) -> Thunk:
        import polars as pl

        def each() -> None:
            for path in collection.runs:
                call(pl, path)

        return each

    return stage


def split(pl: Any, path: str, columns: list[int] | None = None) -> Any:
    """Split the lines of a run into their fields, or into some of them."""
    types = {name: pl.Float64 if name == "score" else pl.String for name in FIELDS}
    how = {"separator": " ", "has_header": False, "quote_char": None, "schema": types}
    return pl.read_csv(path, columns=columns, **how)


def three_columns(collection: Collection) -> Thunk:
    """Prepare reading the columns that matter of all Parquet files."""
    import polars as pl

    return lambda: pl.scan_parquet(collection.runs).select(THREE).collect()


def inflate(collection: Collection) -> Thunk:
    """Prepare unpacking all files by two threads, and nothing else."""

    def unpack(path: str) -> int:
        return len(zlib.decompress(Path(path).read_bytes(), wbits=31))

    def each() -> None:
        with ThreadPoolExecutor(2) as executor:
            list(executor.map(unpack, collection.runs))

    return each


OURS = text(text_to_scores)
TEXT: Comparison = {
    "text to AP, nDCG, RR, R@1000": OURS,
    "limit: Polars splits six fields": with_polars(split),
    "limit: Polars splits three fields": with_polars(partial(split, columns=[0, 2, 4])),
}
GZIP: Comparison = {"gzip to the same": OURS, "limit: unpacked by two threads": inflate}
PARQUET: Comparison = {"Parquet to the same": OURS, "limit: Polars reads 3 columns": three_columns}
JUDGED: Comparison = {
    "evaluate bpref": evaluating("bpref"),
    "evaluate infAP": evaluating("infAP"),
    "evaluate Judged@10": evaluating("Judged@10"),
    "evaluate AP": evaluating("AP"),
}


def convert(paths: list[str], folder: Path) -> list[str]:
    """Write runs as Parquet, as `lexiframe convert` does."""
    import lexiframe as lf
    from lexiframe.core.io import to_parquet

    names = {path: folder / f"{Path(path).stem}.parquet" for path in paths}
    for path, name in names.items():
        to_parquet.write_runs(lf.read_runs({name.stem: path}).arrow(), name)
    return [str(name) for name in names.values()]


def pack(paths: list[str], folder: Path) -> list[str]:
    """Pack runs by gzip."""
    names = {path: folder / f"{Path(path).name}.gz" for path in paths}
    for path, name in names.items():
        with Path(path).open("rb") as read, gzip.open(name, "wb", compresslevel=6) as written:
            shutil.copyfileobj(read, written)
    return [str(name) for name in names.values()]


def compare(comparison: Comparison, collection: Collection, rounds: int) -> None:
    """Measure the stages in turn, and print a line for each, with the first one's ratio to it."""
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in comparison}
    for _ in range(rounds):
        for name, stage in comparison.items():
            taken[name].append(measure(stage, collection))
            progress(name)
    first = next(iter(taken.values()))
    for name, of_name in taken.items():
        if errors := [one["error"] for one in of_name if "error" in one]:
            print(f"| {name} | failed: {errors[0]} | | | | |")
            continue
        wall, cpu, peak = ([one[key] for one in of_name] for key in ("wall", "cpu", "peak"))
        ratios = [
            statistics.median(a[key] / b[key] for a, b in zip(first, of_name, strict=True))
            for key in ("wall", "cpu")
        ]
        times = f"{statistics.median(wall):.2f} | {statistics.median(cpu):.2f}"
        print(f"| {name} | {times} | {ratios[0]:.2f} | {ratios[1]:.2f} | {max(peak):,.0f} |")


def main() -> None:
    """Run the comparisons and print them as a table of Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the collection; made there if it is not there")
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--files", type=int, default=40, help="of Parquet and gzip (%(default)s)")
    parser.add_argument("--only", default="text,parquet,gzip,judged", help="(%(default)s)")
    parser.add_argument("--peer", action="store_true", help="also measure pytrec_eval")
    add_sizes(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        arguments.peer_runs = None
        whole = open_collection(arguments.folder, Path(temporary), arguments)
        some = whole._replace(runs=whole.runs[: arguments.files])
        print(f"{machine()}; {cores()} cores")
        print_collection(arguments.folder, whole)
        print("\n| | wall s | CPU s | wall, ratio | CPU, ratio | peak MB |")
        print("|---|---:|---:|---:|---:|---:|")
        compared = arguments.only.split(",")
        peer = {"pytrec_eval": PEERS["pytrec_eval"]} if arguments.peer else {}
        if "text" in compared:
            compare(TEXT | peer, whole, arguments.rounds)
        if "parquet" in compared:
            # in a process of its own: one that has Polars' threads cannot be forked
            converted = in_child(partial(convert, some.runs, Path(temporary)))
            compare(PARQUET, some._replace(runs=converted), arguments.rounds)
        if "gzip" in compared:
            packed = pack(some.runs, Path(temporary))
            compare(GZIP, some._replace(runs=packed), arguments.rounds)
        if "judged" in compared:
            compare(JUDGED, some, arguments.rounds)


if __name__ == "__main__":
    main()
