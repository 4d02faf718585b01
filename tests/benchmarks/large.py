"""Measure the evaluation of logs larger than memory: time and peak memory by the number of rows.

    python tests/benchmarks/large.py FOLDER --rows 2_000_000 20_000_000 --memory 2GB

The logs are made in FOLDER by make_logs.py, unless they are there; each is evaluated by the command
``lexiframe evaluate JUDGMENTS RUNS -m RPP,LR,rrLP,AP,nDCG@10,RR --memory …`` in a process of its
own: all pairs of runs, sums only. Wall and CPU time (user and system, all threads) and the peak of
the resident memory are those of the whole process. ``--spark N`` also evaluates by Spark, in a
session of N cores; the session's start is not counted, and the tables are compared.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEASURES = ["RPP", "LR", "rrLP", "AP", "nDCG@10", "RR"]
MAKE_LOGS = Path(__file__).with_name("make_logs.py")


def made(folder: Path, rows: int, runs: int, depth: int) -> Path:
    """Return the folder of a log, made if it is not there."""
    log = folder / f"{rows}-rows-{runs}-runs-{depth}-deep"
    if not log.exists():
        begun = log.with_suffix(".part")
        sizes = ["--rows", rows, "--runs", runs, "--depth", depth]
        subprocess.run([sys.executable, MAKE_LOGS, begun, *map(str, sizes)], check=True)
        begun.rename(log)
    return log


def measured(command: list[str]) -> tuple[float, float, float]:
    """Run a command; return its wall and CPU seconds, and its peak memory in MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    if status:
        sys.exit(f"{' '.join(command)}: failed")
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def by_spark(log: Path, out: str, cores: int) -> float:
    """Evaluate by Spark; raise if a table differs from the ones in ``out``; return the seconds."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    import polars as pl
    from pyspark.sql import SparkSession

    import lexiframe as lf

    spark = SparkSession.builder.master(f"local[{cores}]").getOrCreate()
    spark.range(10).count()
    begun = time.perf_counter()
    runs = {path.stem: str(path) for path in sorted((log / "runs").glob("*.parquet"))}
    e = lf.spark.evaluate(spark, runs, str(log / "qrels"), MEASURES)
    wall = time.perf_counter() - begun
    spark.stop()
    for name, table in e.tables().items():
        if not table.equals(pl.read_parquet(Path(out, f"{name}.parquet")), null_equal=True):
            sys.exit(f"{name}: Spark's table differs")
    return wall


def main() -> None:
    """Print a line for each log."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--rows", type=int, nargs="+", default=[2_000_000])
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--depth", type=int, default=10)
    options.add_argument("--memory", default="2GB")
    options.add_argument("--spark", type=int, metavar="CORES")
    told = options.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    print(f"{told.runs} runs, {told.depth} rows a request, memory {told.memory}")
    print(f"{'rows':>12} {'requests':>10} {'wall s':>8} {'CPU s':>8} {'peak MB':>8} {'Spark s':>8}")
    for rows in told.rows:
        log = made(told.folder, rows, told.runs, told.depth)
        with tempfile.TemporaryDirectory(dir=told.folder) as out:
            command = [sys.executable, "-m", "lexiframe", "evaluate", log / "qrels", log / "runs"]
            command += ["-m", ",".join(MEASURES), "--memory", told.memory, "--out", out]
            wall, cpu, peak = measured([*map(str, command)])
            spark = f"{by_spark(log, out, told.spark):8.1f}" if told.spark else f"{'–':>8}"
        requests = rows // told.runs // told.depth
        print(f"{rows:12,} {requests:10,} {wall:8.1f} {cpu:8.1f} {peak:8,.0f} {spark}", flush=True)


if __name__ == "__main__":
    main()
