"""How large the data are, how much memory is allowed, and what follows for the buckets."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from pyarrow import dataset

from lexiframe.core.base.errors import LexiframeError
from lexiframe.core.evaluation.buckets.sizes import (
    BASE,
    BYTES_PER_ROW,
    UNKNOWN,
    is_small,
    n_buckets,
    n_rows,
    parse_memory,
    room_in,
)
from lexiframe.core.io.batches.units import Sources

ROOT = Path(__file__).parents[4]
RUN = pl.DataFrame({"query_id": np.arange(3000) // 10, "doc_id": np.arange(3000), "score": 0.5})
QRELS = pl.DataFrame({"query_id": [1, 2], "doc_id": [1, 2], "relevance": [1.0, 2.0]})


@pytest.mark.parametrize(
    "text, size",
    [
        ("4GB", 4_000_000_000),
        ("4gb", 4_000_000_000),
        ("4G", 4_000_000_000),
        (" 500 MB ", 500_000_000),
        ("1.5GiB", 1_610_612_736),
        ("64KiB", 65_536),
        ("2TB", 2_000_000_000_000),
        ("1000B", 1000),
        (2_000_000_000, 2_000_000_000),
        (2e9, 2_000_000_000),
    ],
)
def test_memory(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "GB", "4XB", "four", "4 5GB", "-4GB", "1e9", "4iB", "1000"])
def test_memory_that_is_no_size(text):
    with pytest.raises(LexiframeError, match="memory: expected a size such as '4GB' or '500MB', f"):
        parse_memory(text)


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


def test_counted_rows(tmp_path):
    RUN.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "big" / "run=x").mkdir(parents=True)
    RUN.write_parquet(tmp_path / "big" / "run=x" / "part.parquet")
    forms = [
        tmp_path / "a.parquet",
        tmp_path / "big",
        RUN,
        RUN.lazy(),
        RUN.to_pandas(),
        RUN.to_arrow(),
        dataset.dataset(tmp_path / "a.parquet"),
        dataset.dataset(RUN.to_arrow()),
    ]
    for form in forms:
        assert counted(form, QRELS) == 3002
    assert counted({"a": RUN, "b": tmp_path / "a.parquet"}) == 6000
    assert counted({"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d1": 1.0}}) == 3
    duckdb = pytest.importorskip("duckdb")
    assert counted(duckdb.connect().from_arrow(RUN.to_arrow())) == 3000


def test_estimated_rows(tmp_path):
    """Those of text and of Arrow files, within a factor of two (packed text: four)."""
    text = "".join(f"{q} Q0 {d} {d} {s} tag\n" for q, d, s in RUN.rows())
    (tmp_path / "a.run").write_text(text)
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(text.encode()))
    RUN.write_ipc(tmp_path / "a.arrow")
    RUN.write_csv(tmp_path / "a.csv")
    for name, factor in (("a.run", 2), ("a.csv", 2), ("a.arrow", 2), ("a.run.gz", 4)):
        assert 3000 / factor < counted(tmp_path / name) < 3000 * factor


def test_a_stream_of_unknown_length():
    """It does not fit in an amount of memory that the user told, however much that is."""
    sources = Sources.find(RUN.to_arrow().to_reader(), QRELS)
    assert n_rows(sources.runs) == UNKNOWN
    for was_told in (False, True):
        assert is_small(sources, 10**12, was_told=was_told) == (not was_told)
    assert not is_small(sources, 10**9, was_told=False)


def test_rows_are_counted_once():
    """A query, of which that takes long."""
    counts = []
    query = RUN.lazy().map_batches(lambda rows: counts.append(1) or rows, streamable=True)
    (unit,) = Sources.find(query, QRELS).runs
    assert unit.rows() == 3000
    n_counts = len(counts)
    assert unit.rows() == 3000
    assert len(counts) == n_counts > 0


def test_each_bucket_fits():
    """A bucket that is a quarter larger than the others takes no more than the memory allowed."""
    for rows in (1, 10**6, 10**8, 10**9):
        for memory in map(parse_memory, ("300MB", "1GB", "4GB", "64GB")):
            n = n_buckets(rows, memory)
            assert 1.25 * rows / n * BYTES_PER_ROW <= room_in(memory)
            assert n == 1 or 1.25 * rows / (n - 1) * BYTES_PER_ROW > room_in(memory)
    assert room_in(parse_memory("4GB")) == 3_200_000_000 - BASE
    assert n_buckets(10**12, 1000) == 1 << 15


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
