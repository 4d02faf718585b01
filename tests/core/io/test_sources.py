"""Which files a path, a folder, a glob, a list or a dict means, and what each run is called."""

import bz2
import gzip
import hashlib
import math
import os
import threading
from io import BytesIO
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import lexiframe as lf
from lexiframe import write_parquet
from lexiframe.core.cli import app as cli
from lexiframe.core.io.files import packings
from lexiframe.core.io.files.provenance import describe, provenance_of

LINE = "q1 Q0 d1 1 3.5 its-tag\n"
QRELS = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [1.0]})


def read(runs, **options):
    return lf.read_runs(runs, **options)["run"].to_pylist()


def scan(runs, **options):
    return lf.positions(lf.scan_runs(runs, **options), QRELS)["run"].to_list()


def names(runs, **options):
    """The names of runs that are read, which are those of runs that are scanned."""
    assert read(runs, **options) == scan(runs, **options)
    return read(runs, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "file, name",
    [
        ("bm25", "bm25"),
        ("bm25.run", "bm25"),
        ("bm25.trec", "bm25"),
        ("bm25.txt", "bm25"),
        ("bm25.res", "bm25"),
        ("bm25.arrows", "bm25"),
        ("bm25.gz", "bm25"),
        ("bm25.trec.gz", "bm25"),
        ("bm25.run.txt.gz", "bm25"),
        ("BM25.RUN.GZ", "BM25"),
        ("input.bm25", "bm25"),
        ("input.bm25.k1.2.trec.gz", "bm25.k1.2"),
        ("bm25.k1.2", "bm25.k1.2"),
        ("bm25.runs.2", "bm25.runs.2"),
        ("my.input.run", "my.input"),
        ("a b:c.run", "a b:c"),
        ("input.run", "run"),
        ("txt.txt", "txt"),
    ],
)
def test_a_files_name_names_its_run(write, file, name):
    assert names(write(LINE, file)) == [name]


def test_the_tag_has_to_be_one(write):
    with pytest.raises(lf.ReadError, match=r"bm25.run: expected one tag in the file, found 2 \("):
        lf.read_runs(write(LINE + LINE.replace("its", "other")), name_from="tag")
    with pytest.raises(lf.ReadError, match="expected a tag in field 6, found 5 fields"):
        lf.read_runs(write("q1 Q0 d1 1 3.5\n"), name_from="tag")


def test_an_unknown_way_to_name_runs(write):
    message = "name_from: expected one of 'file', 'tag', found 'tags'"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.scan_runs(write(LINE), name_from="tags")


def test_two_files_of_one_name(write):
    files = [write(LINE, "a/bm25.run"), write(LINE, "b/bm25.trec.gz")]
    message = r"two runs are named 'bm25': \S+a/bm25.run, \S+b/bm25.trec.gz. Rename one, or pass"
    for function in (lf.read_runs, lf.scan_runs):
        with pytest.raises(lf.ReadError, match=message):
            function(files)
    assert names({"a": files[0], "b": files[1]}) == ["a", "b"]


@pytest.mark.parametrize(
    "runs, message",
    [
        ("missing.run", "missing.run: no such file"),
        ("missing/*.run", r"missing/\*.run: the pattern matches no file"),
        (".", "the folder has no files in it"),
        ("", "expected a path, found ''"),
        ([], "expected at least one file or frame, found an empty list"),
        ({}, "expected at least one file or frame, found an empty list"),
        ({"a": "missing.run"}, "missing.run: no such file"),
        ({"a": ""}, "expected a path, found ''"),
        ({"a": "."}, "the folder has no files in it"),
    ],
)
@pytest.mark.parametrize("function", [lf.read_runs, lf.scan_runs])
def test_nothing_to_read(tmp_path, monkeypatch, runs, message, function):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lf.ReadError, match=message):
        function(runs)


def test_a_folder_of_folders(tmp_path):
    (tmp_path / "qid=1").mkdir()
    message = (
        r"read; the folders in it are not read \(1 \('qid=1'\)\): give a glob, such as '.*/\*/"
    )
    with pytest.raises(lf.ReadError, match=message):
        lf.read_runs(tmp_path)


def test_an_open_file(write):
    path = write(LINE)
    for read_it in (lf.read_runs, lf.read_qrels, lambda file: lf.read_runs({"a": file})):
        for mode in ("r", "rb"):
            with path.open(mode) as file, pytest.raises(TypeError, match="an open file; give its"):
                read_it(file)


@pytest.mark.parametrize("columns", ["query_id", ["query_id"], [("query_id", "a")]])
@pytest.mark.parametrize(
    "function", [lf.read_runs, lf.scan_runs, lf.read_qrels, lf.check_run, lf.check_qrels]
)
def test_columns_that_are_no_mapping(write, function, columns):
    with pytest.raises(TypeError, match=r"columns: expected {our name: the"):
        function(write(LINE), columns=columns)


NO_NAMES = ["~no_such_user/x", "a\0b", "x" * 300, os.fsdecode(b"\xff"), "\ud800", ""]


@pytest.mark.parametrize("name", [*NO_NAMES, *(f"{name}*" for name in NO_NAMES[:-1])])
@pytest.mark.parametrize(
    "read",
    "read_runs scan_runs read_qrels check_run read_scores read_log read_mlflow".split(),
)
def test_what_can_be_no_name(tmp_path, monkeypatch, name, read):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lf.ReadError, match=r"no such|no file|expected a (path|file)|MLflow"):
        getattr(lf, read)(name)


# --- What is no file ------------------------------------------------------------------------------


def in_time(function):
    """Call a function that may wait for ever, and give what it raises."""
    raised = []

    def call():
        with pytest.raises(lf.LexiframeError) as caught:
            function()
        raised.append(str(caught.value))

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(20)
    (message,) = raised
    return message


@pytest.mark.parametrize("form", ["Parquet", "Arrow", "memory"])
@pytest.mark.parametrize("name", ["pipe", "a\0b", "secret"])
def test_paths_in_metadata_are_not_opened(write, tmp_path, name, form):
    """Whoever made the file may have written any."""
    (tmp_path / "secret").write_text(f"\n{LINE}{LINE}")
    os.mkfifo(tmp_path / "pipe")
    facts = {"sources": [{"run": "a", "path": str(tmp_path / name), "sha256": "0"}]}
    twice = {"query_id": ["q1"] * 2, "doc_id": ["d1"] * 2, "score": [1.0, 2.0]}
    table = pa.table({"run": ["a"] * 2, **twice}).replace_schema_metadata(describe(facts))
    if form == "Parquet":
        parquet.write_table(table, tmp_path / "x")
    elif form == "Arrow":
        feather.write_feather(table, tmp_path / "x")
    runs = table if form == "memory" else tmp_path / "x"
    assert "(rows 1 and 2" in in_time(lambda: lf.positions(runs, QRELS))


DEVICE = "/dev/zero"


@pytest.mark.skipif(not os.path.exists(DEVICE), reason="there are no devices")  # noqa: PTH110
@pytest.mark.parametrize(
    "read", [lf.read_runs, lf.scan_runs, lf.read_qrels, lf.read_scores, lf.read_log, lf.check_run]
)
def test_a_device_is_no_file(tmp_path, read):
    (tmp_path / "a.run").symlink_to(DEVICE)
    for path in (DEVICE, tmp_path / "a.run"):
        assert "expected a file, found a device" in in_time(lambda p=path: read(p))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("read", [lf.read_runs, lf.scan_runs, lf.read_scores])
def test_a_pipe_in_a_folder_is_no_file(write, read):
    folder = write(LINE).parent
    os.mkfifo(folder / "z.run")
    message = "z.run: expected a file, found a device or a pipe; name files alone"
    for given in (folder, f"{folder}/*"):
        assert message in in_time(lambda given=given: read(given))


@pytest.mark.parametrize("read", [lf.read_runs, lf.scan_runs, lf.read_scores])
def test_a_broken_link_is_not_passed_over(write, read):
    folder = write(LINE).parent
    (folder / "z.run").symlink_to("gone.run")
    for given in (folder, f"{folder}/*"):
        with pytest.raises(lf.ReadError, match=r"z\.run: no such file"):
            read(given)


# --- Files that change meanwhile ------------------------------------------------------------------


def evaluated(run, qrels, requests):
    e = lf.evaluate(run, qrels, ["RR"], requests=requests, by="length")
    return [*e.provenance["runs"], *e.provenance["qrels"], *e.provenance["requests"]]


def converted(*files):
    """What convert says of each file that it reads."""
    said = []
    for file in files[:2]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", ["lexiframe", "convert", str(file), f"{file}.parquet"])
            with pytest.raises(SystemExit, match="0"):
                cli.main()
        said += provenance_of(parquet.read_schema(f"{file}.parquet"))["sources"]
    return said


def read_alone(run, qrels, _requests):
    tables = lf.read_runs(run), lf.read_qrels(qrels)
    return [fact for table in tables for fact in provenance_of(table.schema)["sources"]]


READING = {
    "evaluate": evaluated,
    "evaluate tables": lambda r, q, a: evaluated(lf.read_runs(r), lf.read_qrels(q), a),
    "evaluate several runs in a file": evaluated,
    "read": read_alone,
    "convert": converted,
}


def two_runs_beside(run):
    rows = lf.read_runs(run).to_pylist()
    frame = pl.DataFrame([{**row, "run": name} for name in "ab" for row in rows])
    return write_parquet(frame, run.with_suffix(".parquet"))


def then_rewritten(path):
    path.write_bytes(b"another")


@pytest.mark.slow
@pytest.mark.parametrize("after", [then_rewritten, Path.unlink], ids=["rewritten", "deleted"])
@pytest.mark.parametrize("reading", READING)
@pytest.mark.parametrize("pack", [bytes, bz2.compress], ids=["plain", "packed"])
def test_a_file_is_hashed_when_it_is_read(write, monkeypatch, reading, after, pack):
    """And read once, since what is there the next time may be another."""
    files = [
        write(pack(LINE.encode()), "bm25.run"),
        write(pack(b"q1 0 d1 1\n"), "qrels"),
        write(pack(b"qid,length\nq1,short\n"), "requests.csv"),
    ]
    read_bytes, found = Path.read_bytes, {}

    def read_and_change(path):
        data = read_bytes(path)
        assert str(path) not in found, "read twice"
        found[str(path)] = hashlib.sha256(data).hexdigest()
        after(path)
        return data

    if "several runs" in reading:
        files[0] = two_runs_beside(files[0])
    monkeypatch.setattr(Path, "read_bytes", read_and_change)
    said = READING[reading](*files)
    assert {fact["path"]: fact["sha256"] for fact in said} == found


@pytest.mark.slow
def test_scores_and_sha256_belong_together_beside_a_busy_writer(write):
    """Each version of the judgments has another score, and a run that finds it in another rank."""
    ranks = {
        hashlib.sha256(version.encode()).hexdigest(): version
        for version in ("q1 0 d1 1\n", "q1 0 d2 1\n", "q1 0 d3 1\n")
    }
    run = write("".join(f"q1 Q0 d{n} {n} {9 - n} t\n" for n in (1, 2, 3)))
    qrels, other, done = write("q1 0 d1 1\n", "qrels"), write("", "other"), threading.Event()

    def write_versions():
        while not done.is_set():
            for version in ranks.values():
                other.write_text(version)
                os.replace(other, qrels)  # noqa: PTH105

    writer = threading.Thread(target=write_versions)
    writer.start()
    try:
        evaluated = [lf.evaluate(run, qrels, ["RR"]) for _ in range(40)]
    finally:
        done.set()
        writer.join()
    for e in evaluated:
        version = ranks[e.provenance["qrels"][0]["sha256"]]
        assert e.scores["value"].item() == pytest.approx(1 / int(version[6]))


@pytest.mark.parametrize(
    "after, message",
    [(then_rewritten, "has changed since it was read"), (Path.unlink, "cannot be")],
)
def test_a_scanned_file_that_changed_is_not_said_to_be_what_a_table_is_from(write, after, message):
    path, scan = write(LINE), lf.scan_runs(write(LINE))
    p = lf.positions(scan, QRELS)
    lf.write_parquet(p, path.with_name("p.parquet"), computed_from=scan)
    after(path)
    with pytest.raises(lf.ReadError, match=rf"bm25\.run: {message}"):
        lf.write_parquet(p, path.with_name("p.parquet"), computed_from=scan)


def test_a_scan_is_read_with_its_own_options(write):
    scan = lf.scan_runs(write("q1 Q0 d1 1 3,5 its-tag\n"), name_from="tag", decimal=",")
    table = lf.read_runs(scan)
    assert table.equals(lf.read_runs(write(LINE), name_from="tag"))
    assert provenance_of(table.schema)["reading"] == {"decimal": ","}
    assert lf.scan_runs(scan) is scan
    for read_with in (lf.read_runs, lf.scan_runs):
        with pytest.raises(lf.LexiframeError, match="a scan says already how its files are read"):
            read_with(scan, header=True)


@pytest.mark.parametrize("after", [then_rewritten, Path.unlink], ids=["rewritten", "deleted"])
def test_lines_are_not_counted_in_another_file(write, monkeypatch, after):
    """They are counted when something is wrong, after the file was read."""
    path = write(f"\n{LINE}{LINE}")
    for runs in (lf.read_runs(path), path):
        with pytest.raises(lf.SchemaError, match="lines 2 and 3"):
            lf.positions(runs, QRELS)
    table, read_bytes = lf.read_runs(path), Path.read_bytes

    def read_and_change(path):
        data = read_bytes(path)
        after(path)
        return data

    monkeypatch.setattr(Path, "read_bytes", read_and_change)
    for runs in (path, table):
        with pytest.raises(lf.SchemaError, match=r"'d1' occurs more than once .*\(rows 1 and 2"):
            lf.positions(runs, QRELS)


@pytest.mark.parametrize("end", [b"", b"\0" * 5, b"second"], ids=["one", "padded", "two"])
def test_streams_of_gzip_that_arrow_does_or_does_not_unpack(end):
    """One whole stream is unpacked by Arrow, all else by zlib: nothing behind a stream is lost."""
    text = b"q1 Q0 d1 1 0.5 bm25\n" * 50
    packed = gzip.compress(text)
    behind = packed if end == b"second" else end  # of the same length as the first
    whole = packed + behind
    assert (packings._inflated(whole, math.inf) is None) == bool(end)
    found = b"".join(packings.unpacked(BytesIO(whole), packings.packing_of(whole), "x.gz"))
    assert found == text * (2 if end == b"second" else 1)
    assert packings._inflated(whole, len(text) - 1) is None
    assert packings._inflated(packed[:-1], math.inf) is None
    damaged = packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]  # the checksum
    assert packings._inflated(damaged, math.inf) is None
