"""What goes wrong while runs are divided into buckets, and how a job goes on afterwards."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.engines.parts import partition as partition_module
from lexiframe.connect.engines.parts import spill
from lexiframe.connect.engines.parts.partition import partition
from lexiframe.core.base.errors import LexiframeError, ReadError, SchemaError
from lexiframe.core.io import batches as readers
from lexiframe.core.io.batches import texts
from lexiframe.core.io.batches.reading import Share
from lexiframe.core.io.batches.units import Sources

ROOT = Path(__file__).parents[4]
MEMORY = 1_000_000_000
QRELS = pl.DataFrame({"query_id": ["1"], "doc_id": ["7"], "relevance": [1.0]})
N = np.arange(300)
RUN = pl.DataFrame({"query_id": N // 10, "doc_id": N, "score": N[::-1] / 7})


@pytest.fixture
def small(monkeypatch):
    """Batches of 64 rows and pieces of 1000 bytes."""
    monkeypatch.setattr(partition_module, "share_of", lambda room, rank: Share(64, 1000, rank))
    monkeypatch.setattr(texts, "_BLOCK", 500)


def parted(folder, runs, qrels=QRELS, n_buckets=5, rank=False, resume=False, **how):
    sources, memory = Sources.find(runs, qrels, **how), MEMORY
    return partition(sources, folder, n_buckets=n_buckets, memory=memory, rank=rank, resume=resume)


def files_of(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture
def many(tmp_path):
    """Thirty runs as Parquet files."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(30):
        RUN.with_columns(pl.col("score") + number).write_parquet(folder / f"run{number:02}.parquet")
    return folder


@pytest.fixture
def reads(monkeypatch):
    """The units that are read, as they are."""
    seen = []
    read = readers.parts_of_unit

    def spy(unit, scan, share):
        seen.append(Path(unit.where).stem)
        yield from read(unit, scan, share)

    monkeypatch.setattr(readers, "parts_of_unit", spy)
    return seen


# --- Broken data ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_corrupt_file_among_many(tmp_path, many, reads):
    """What is finished stays: only the broken file, and those not read before, are read again."""
    broken = many / "run20.parquet"
    good = broken.read_bytes()
    broken.write_bytes(good[:200] + b"\xff" * 100 + good[300:])
    with pytest.raises(ReadError, match=r"run20.parquet: cannot be read as Parquet \(") as caught:
        parted(tmp_path / "b", many)
    assert "other sources are finished in" in str(caught.value)
    finished = {path.stem for path in (tmp_path / "b" / "runs").glob("*.json")}
    assert "000020" not in finished
    assert len(finished) >= 15
    assert not [*(tmp_path / "b").rglob("*.part")]
    assert not [*(tmp_path / "b" / "runs").glob("000020-*")]
    reads.clear()
    broken.write_bytes(good)
    resumed = parted(tmp_path / "b", many, resume=True)
    assert set(reads) == {f"run{n:02}" for n in range(30)} - {f"run{int(n):02}" for n in finished}
    whole = parted(tmp_path / "c", many)
    assert resumed.sources == whole.sources
    assert files_of(tmp_path / "b") == files_of(tmp_path / "c")


@pytest.mark.usefixtures("small")
def test_what_is_not_finished_takes_no_room(tmp_path, monkeypatch):
    """The rows before a bad one, which were written already, are removed."""
    monkeypatch.setattr(partition_module, "_LEAST", 1000)
    monkeypatch.setattr(partition_module, "_MOST", 1000)
    written = []
    write = spill._write
    monkeypatch.setattr(
        spill, "_write", lambda path, *rest: (written.append(path), write(path, *rest))
    )
    bad = pl.when(pl.int_range(pl.len()) == 280).then(None).otherwise("score").alias("score")
    RUN.with_columns(bad).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(SchemaError, match="expected a number in score of every row"):
        parted(tmp_path / "b", tmp_path / "x.parquet")
    assert [path for path in written if path.parent.name == "runs"]
    assert not [*(tmp_path / "b" / "runs").iterdir()]


@pytest.mark.slow
@pytest.mark.parametrize("cut", [0, 3, 50, -8, -1])
def test_a_file_that_is_cut(tmp_path, many, cut):
    path = many / "run07.parquet"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ReadError, match=r"run07.parquet"):
        parted(tmp_path / "b", many)


def test_damage_that_only_our_checksum_shows(tmp_path):
    """A bit in the footer, which is written by `write_parquet`: the name of a column, say."""
    path = lf.write_parquet(RUN.with_columns(note=pl.lit("x")), tmp_path / "x.parquet")
    assert parted(tmp_path / "b", path).sizes.sum() == 300
    data = path.read_bytes()
    at = data.rindex(b"note")
    path.write_bytes(data[:at] + b"mote" + data[at + 4 :])
    with pytest.raises(ReadError, match=r"x.parquet: is damaged: its bytes do not match the check"):
        parted(tmp_path / "b", path)


def write_partitions(folder, frames):
    for number, frame in enumerate(frames):
        (folder / f"run=r{number}").mkdir(parents=True)
        frame.write_parquet(folder / f"run=r{number}" / "part-0.parquet")
    return folder


def test_a_missing_column_in_one_partition(tmp_path):
    folder = write_partitions(tmp_path / "BIG", [RUN, RUN, RUN.drop("score"), RUN])
    with pytest.raises(
        SchemaError, match=r"run=r2/part-0.parquet: expected the columns .*score; score is missing"
    ):
        parted(tmp_path / "b", folder)
    empty = write_partitions(tmp_path / "EMPTY", [RUN, RUN.drop("score")[:0]])
    with pytest.raises(SchemaError, match=r"run=r1/part-0.parquet: .*score is missing"):
        parted(tmp_path / "b", empty)


def test_ids_of_two_types_in_two_partitions(tmp_path):
    """Integers in one, text in another: both are text, and so is what lies in one bucket."""
    parts = [RUN[:150], RUN[150:].cast({"query_id": pl.String, "doc_id": pl.String}), RUN[:0]]
    for number, part in enumerate(parts):
        (tmp_path / "BIG" / f"day={number}").mkdir(parents=True)
        part.write_parquet(tmp_path / "BIG" / f"day={number}" / "x.parquet")
    one = parted(tmp_path / "b", tmp_path / "BIG", n_buckets=1)
    expected = RUN.cast({"query_id": pl.String, "doc_id": pl.String})
    assert one.runs(0)["BIG"].equals(expected)


@pytest.mark.usefixtures("small")
def test_errors_name_the_line_of_the_file(tmp_path):
    lines = [f"{q} Q0 {d} {d} {s} tag" for q, d, s in RUN.rows()]
    lines[249] = "25 Q0 broken 3"
    (tmp_path / "x.run").write_text("\n".join(lines))
    with pytest.raises(ReadError, match=r"x.run, line 250: expected 6 fields .*, found 4"):
        parted(tmp_path / "b", tmp_path / "x.run")
    table = [f"{q},{d},{s}" for q, d, s in RUN.rows()]
    table[249] = "25,7,high"
    (tmp_path / "x.csv").write_text("\n".join(["query_id,doc_id,score", *table]))
    with pytest.raises(ReadError, match=r"x.csv, line 251: .*'high'"):
        parted(tmp_path / "b", tmp_path / "x.csv")


@pytest.mark.usefixtures("small")
def test_a_row_without_document_beside_others_in_another_batch(tmp_path):
    """An empty list is a row alone in its request, wherever the others are."""
    nothing = pl.DataFrame({"query_id": [0], "doc_id": [None], "score": [None]}, RUN.schema)
    pl.concat([RUN, nothing]).write_parquet(tmp_path / "x.parquet")
    buckets = parted(tmp_path / "b", tmp_path / "x.parquet", n_buckets=1)
    with pytest.raises(
        SchemaError, match=r"x.parquet: expected a document and a number in each row of a query"
    ):
        buckets.runs(0)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("form", ["parquet", "run", "csv", "runs.csv"])
def test_large_scores_of_two_batches_that_are_equal_as_floats(tmp_path, form):
    """Nanoseconds since 1970: in one request, but in two batches, and 1 apart."""
    time_ = np.where(N == 0, 2**60 + 1, np.where(N == 299, 2**60, 2**59 + 1024 * N))
    table = RUN.with_columns(query_id=pl.lit(7), score=time_)
    path = tmp_path / f"x.{form}"
    if form == "parquet":
        table.write_parquet(path)
    elif form == "run":
        path.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in table.rows()))
    else:
        names = pl.lit("b") if form == "csv" else pl.Series(["b", "a"]).gather((N > 0) & (N < 299))
        table.with_columns(run=names).write_csv(path)
    whole = partial(lf.read_runs, path)
    buckets = parted(tmp_path / "b", path)
    (bucket,) = np.flatnonzero(buckets.sizes)
    for read in (whole, partial(buckets.runs, int(bucket))):
        with pytest.raises(
            SchemaError, match="expected different scores that also differ as float64, found 1152"
        ):
            read()


@pytest.mark.usefixtures("small")
def test_large_scores_that_differ_as_floats(tmp_path):
    nothing = pl.DataFrame({"query_id": [-1], "doc_id": [None], "score": [None]}, RUN.schema)
    large = pl.concat([nothing, RUN], how="vertical").with_columns(
        pl.when(pl.col("score").is_not_null())
        .then(2**60 + 1024 * pl.int_range(pl.len()))
        .alias("score")
    )
    large.write_parquet(tmp_path / "x.parquet")
    buckets = parted(tmp_path / "b", tmp_path / "x.parquet", n_buckets=1)
    rows = buckets.runs(0)["x"]
    assert rows.columns == ["query_id", "doc_id", "score"]
    assert rows["score"].sort(nulls_last=True).to_list() == [*large["score"][1:].cast(float), None]


@pytest.mark.usefixtures("small")
def test_json_that_has_to_be_read_as_a_whole(tmp_path):
    run = {str(q): {str(d): float(d) for d in range(20)} for q in range(20)}
    (tmp_path / "x.json").write_text(json.dumps(run, indent=1))
    with pytest.raises(ReadError, match=r"x.json: expected text with a row in each line, found a"):
        parted(tmp_path / "b", tmp_path / "x.json")


@pytest.mark.usefixtures("small")
def test_packed_text_that_is_cut_short(tmp_path):
    import gzip

    text = "".join(f"{q} Q0 {d} {d} {s} tag\n" for q, d, s in RUN.rows())
    (tmp_path / "x.run.gz").write_bytes(gzip.compress(text.encode())[:-20])
    with pytest.raises(ReadError, match=r"x.run.gz: the gzip data is broken or cut short"):
        parted(tmp_path / "b", tmp_path / "x.run.gz")


@pytest.mark.usefixtures("small")
def test_utf_16_that_is_cut_short(tmp_path):
    text = "".join(f"{q} Q0 {d} {d} {s} tag\n" for q, d, s in RUN.rows())
    (tmp_path / "x.run").write_bytes(text.encode("utf-16")[:-1])
    with pytest.raises(ReadError, match=r"x.run: expected UTF-16 text, .* bytes that cannot be"):
        parted(tmp_path / "b", tmp_path / "x.run")


def test_a_query_that_fails(tmp_path):
    query = RUN.lazy().with_columns(score=pl.lit("x").cast(pl.Float64))
    with pytest.raises(SchemaError, match="runs: the LazyFrame cannot be computed"):
        parted(tmp_path / "b", query)


def test_two_runs_of_one_name(tmp_path):
    (tmp_path / "x").mkdir()
    named = RUN.with_columns(run=pl.lit("a"))
    named.write_parquet(tmp_path / "x" / "b.parquet")
    named.write_parquet(tmp_path / "x" / "c.parquet")
    with pytest.raises(ReadError, match=r"two runs are named 'a': .*b.parquet, .*c.parquet"):
        parted(tmp_path / "b", tmp_path / "x")


def test_an_empty_folder_of_judgments(tmp_path):
    (tmp_path / "BIGQ").mkdir()
    with pytest.raises(ReadError, match="BIGQ: expected Parquet files, found an empty folder"):
        parted(tmp_path / "b", RUN, tmp_path / "BIGQ")


# --- The folder ----------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_written_to(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(LexiframeError, match="results cannot be written there"):
        parted(tmp_path / "file" / "b", RUN)

    def refused(path, table, counts):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(spill, "_write", refused)
    with pytest.raises(LexiframeError, match=r"buckets cannot be written there .Permission denied"):
        parted(tmp_path / "b", RUN)


def test_a_folder_with_other_files(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(LexiframeError, match="expected an empty folder for the buckets"):
        parted(tmp_path, RUN)
    assert (tmp_path / "thesis.tex").exists()


def test_a_damaged_file_of_buckets(tmp_path):
    buckets = parted(tmp_path / "b", RUN)
    for path in (tmp_path / "b").rglob("*.arrow"):
        path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(
        ReadError, match=r"the file of buckets cannot be read .*start again without"
    ):
        buckets.runs(0)


@pytest.mark.parametrize("rows", [RUN, RUN.with_columns(pl.col("query_id", "doc_id").cast(str))])
def test_a_flipped_bit_in_a_bucket_is_seen(tmp_path, rows):
    """Ids and scores stay valid Arrow when one of their bits is another."""
    buckets = parted(tmp_path / "b", rows, n_buckets=1)
    path = next((tmp_path / "b" / "runs").glob("*.arrow"))
    whole = bytearray(path.read_bytes())
    first = buckets.runs(0)
    place = whole.index(np.float64(RUN["score"][17]).tobytes())
    for at in (place, place + 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(ReadError, match="its bytes are not those that were written"):
            buckets.runs(0)
    path.write_bytes(whole)
    assert all(buckets.runs(0)[name].equals(frame) for name, frame in first.items())


# --- Going on ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_file_that_changed_since(tmp_path, many):
    parted(tmp_path / "b", many)
    RUN[:100].write_parquet(many / "run03.parquet")
    with pytest.raises(LexiframeError, match=r"run03.parquet: has changed since it was read for"):
        parted(tmp_path / "b", many, resume=True)
    assert parted(tmp_path / "b", many).sizes.sum() == 29 * 300 + 100


def test_a_file_that_changes_meanwhile(tmp_path, many, monkeypatch):
    read = readers.parts_of_unit

    def spy(unit, scan, share):
        yield from read(unit, scan, share)
        if unit.where.endswith("run03.parquet"):
            RUN[:100].write_parquet(unit.where)

    monkeypatch.setattr(readers, "parts_of_unit", spy)
    with pytest.raises(
        ReadError, match=r"changed while it was read; wait until it is written, and read it again"
    ):
        parted(tmp_path / "b", many)


def test_another_job_in_the_folder(tmp_path, many):
    parted(tmp_path / "b", many)
    with pytest.raises(LexiframeError, match="holds another job: its buckets differ"):
        parted(tmp_path / "b", many, n_buckets=6, resume=True)
    with pytest.raises(LexiframeError, match="holds another job: its runs and options differ"):
        parted(tmp_path / "b", RUN, third="rank", resume=True)


def test_frames_are_read_again(tmp_path):
    """They have no time of a last change: another frame may be given."""
    parted(tmp_path / "b", RUN)
    other = RUN.with_columns(score=pl.lit(1.0))
    buckets = parted(tmp_path / "b", other, resume=True, n_buckets=5)
    rows = pl.concat([buckets.runs(k)["run"] for k in range(5)])
    assert rows["score"].unique().to_list() == [1.0]
    assert rows.height == 300


KILLED = """
import sys, time
from lexiframe.core.io import batches as readers
from pathlib import Path
from lexiframe.connect.engines.parts import partition as b
read = readers.parts_of_unit
def slow(unit, scan, share):
    time.sleep(0.15)
    yield from read(unit, scan, share)
readers.parts_of_unit = slow
runs, folder, qrels = sys.argv[1:]
b.partition(readers.Sources.find(runs, qrels), folder, n_buckets=5, memory=10**9)
"""


@pytest.mark.slow
def test_a_job_that_was_killed_goes_on(tmp_path, many, reads):
    QRELS.write_parquet(tmp_path / "qrels.parquet")
    where = [str(many), str(tmp_path / "b"), str(tmp_path / "qrels.parquet")]
    job = subprocess.Popen(
        [sys.executable, "-c", KILLED, *where], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    end = time.monotonic() + 60
    while len([*(tmp_path / "b").glob("runs/*.json")]) < 5 and time.monotonic() < end:
        time.sleep(0.02)
    job.send_signal(signal.SIGKILL)
    job.wait()
    finished = len([*(tmp_path / "b").glob("runs/*.json")])
    assert 5 <= finished < 30
    parted(tmp_path / "b", str(many), where[2], resume=True)
    assert len(reads) == 30 - finished
    parted(tmp_path / "c", str(many), where[2])
    assert files_of(tmp_path / "b") == files_of(tmp_path / "c")
