"""Measure `overlap` on the collection of make_collection.py: time without and with reading.

    python tests/benchmarks/overlap.py OUT [-m "RBO(p=0.9) Jaccard@10"]

Processor time is printed besides the time on the clock, which other work on the machine lengthens.
"""

import argparse
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import lexiframe as lf
from lexiframe.core.base.memory_use import peak_memory


@contextmanager
def timed(what: str):
    """Print how long a block takes."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"{what}: {wall:.1f} s, {processor:.1f} s of processor time", flush=True)


def main() -> None:
    """Read the runs alone, and then read and compare them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="the folder of make_collection.py")
    parser.add_argument("-m", "--measures", default="RBO(p=0.9) Jaccard@10")
    given = parser.parse_args()
    warnings.simplefilter("ignore", lf.LexiframeWarning)
    with timed("reading, and the overlap of the first documents alone"):
        lf.overlap(given.out / "runs", "Jaccard@1")
    with timed(f"reading, and {given.measures}"):
        table = lf.overlap(given.out / "runs", given.measures)
    print(f"{table.height:,} values, {peak_memory()} of memory at most")


if __name__ == "__main__":
    main()
