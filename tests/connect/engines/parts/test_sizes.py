"""How large the data are, how much memory is allowed, and what follows for the buckets."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lexiframe.core.base.errors import LexiframeError
from lexiframe.core.evaluation.buckets.sizes import (
    n_rows,
    parse_memory,
)
from lexiframe.core.io.batches.units import Sources

ROOT = Path(__file__).parents[4]
RUN = pl.DataFrame({"query_id": np.arange(3000) // 10, "doc_id": np.arange(3000), "score": 0.5})
QRELS = pl.DataFrame({"query_id": [1, 2], "doc_id": [1, 2], "relevance": [1.0, 2.0]})


@pytest.mark.parametrize("number", [0, -1, float("inf"), float("nan"), "0GB"])
def test_memory_that_is_not_positive(number):
    with pytest.raises(LexiframeError, match="memory: expected a positive number of bytes, found"):
        parse_memory(number)


@pytest.mark.parametrize("given", [None, True, ["4GB"], b"4GB"])
def test_memory_of_another_type(given):
    with pytest.raises(TypeError, match="memory: expected a size such as '4GB', found"):
        parse_memory(given)


def counted(runs, qrels=None):
    sources = Sources.find(runs, QRELS if qrels is None else qrels)
    return n_rows(sources.runs if qrels is None else [*sources.runs, *sources.qrels])


PEAK = """
import re, sys
from pathlib import Path
from lexiframe.connect.engines.parts.partition import partition
from lexiframe.core.io.batches.units import Sources
import lexiframe as lf
how, runs, qrels, folder, memory = sys.argv[1:]
if how == "whole":
    lf.read_runs(runs)
else:
    buckets = partition(Sources.find(runs, qrels), folder, n_buckets=40, memory=int(memory))
    assert buckets.sizes.sum() > 2_900_000
# not resource.getrusage, which counts what the process held that started this one
print(re.search("VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def peak(*arguments):
    """The peak memory of a new process, in bytes (Linux counts kilobytes)."""
    command = [sys.executable, "-c", PEAK, *map(str, arguments)]
    done = subprocess.run(
        command, check=True, capture_output=True, env={"PYTHONPATH": str(ROOT)}, text=True
    )
    return int(done.stdout) * 1000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory has another unit elsewhere")
@pytest.mark.parametrize("form", ["parquet", "text"])
def test_memory_stays_bounded(tmp_path, form):
    """3 million rows in two runs; read as a whole they take more than the memory allowed."""
    memory = parse_memory("350MB")
    make = [sys.executable, str(ROOT / "tests/benchmarks/make_logs.py"), str(tmp_path)]
    subprocess.run([*make, "--rows", "3e6", "--runs", "2", "--strings"], check=True)
    runs = tmp_path / "runs"
    if form == "text":
        runs = tmp_path / "text"
        runs.mkdir()
        for path in sorted((tmp_path / "runs").glob("*.parquet")):
            lines = pl.scan_parquet(path).select(
                "user_id", pl.lit("Q0").alias("q0"), "item_id", pl.lit(1).alias("n"), "score"
            )
            lines.sink_csv(runs / f"{path.stem}.run", separator=" ", include_header=False)
    found = peak("buckets", runs, tmp_path / "qrels", tmp_path / "b", memory)
    assert found < memory
    assert peak("whole", runs, "", "", "") > memory
