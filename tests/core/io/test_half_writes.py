"""Full disks and programs that are stopped: what is written is whole, or was never begun."""

import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.io.files import output_files

pytestmark = pytest.mark.slow  # its room has quicker tests

resource = pytest.importorskip("resource")
EXAMPLE = lf.bundled("example")
DATA = EXAMPLE / "qrels.txt", EXAMPLE / "runs"


@pytest.fixture(scope="module")
def evaluation():
    return lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", ["AP", "nDCG@10"])


@contextmanager
def disk_with_files_up_to(size):
    """No file can get larger than ``size`` bytes, as on a disk that is full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def content(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


EARLIER = json.dumps({"run": "earlier", "metrics": {"AP": 0.5}, "params": {"x": "y" * 900}})


@pytest.mark.parametrize("room", [0, 10, 1500])
@pytest.mark.parametrize("end", ["\n", ""])  # a program may have left out the end of its line
def test_a_log_on_a_full_disk_stays_as_it_was_and_takes_the_evaluation_later(
    evaluation, tmp_path, room, end
):
    log = tmp_path / "runs.jsonl"
    log.write_text("\n".join([EARLIER] * 1000) + end)  # longer than any file of the evaluation
    before = log.read_bytes()
    message = r"runs\.jsonl: cannot be written \(File too large\)"
    with (
        disk_with_files_up_to(len(before) + room),
        pytest.raises(lf.LexiframeError, match=message),
    ):
        lf.io.log_folder(evaluation, tmp_path)
    assert log.read_bytes() == before
    assert lf.read_log(lf.io.log_folder(evaluation, tmp_path)).height == 1003


def test_artifacts_on_a_full_disk_leave_no_line_and_no_half_file(evaluation, tmp_path):
    with disk_with_files_up_to(20_000), pytest.raises(lf.LexiframeError, match="File too large"):
        lf.io.log_folder(evaluation, tmp_path)
    assert content(tmp_path) == {}
    assert lf.read_log(lf.io.log_folder(evaluation, tmp_path)).height == 3


def test_a_log_that_ends_within_a_line_is_not_made_worse(evaluation, tmp_path):
    path = lf.io.log_folder(evaluation, tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    before = path.read_bytes()
    other = lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", ["AP"], depth=5)
    for e in (evaluation, other):
        with pytest.raises(lf.LexiframeError, match=r"line 3: expected a record of JSON, found a "):
            lf.io.log_folder(e, tmp_path)
    assert path.read_bytes() == before


def test_evaluations_that_are_logged_at_once_are_logged_once(evaluation, tmp_path):
    threads = [Thread(target=lf.io.log_folder, args=(evaluation, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lf.read_log(tmp_path).height == 3


def test_a_log_that_is_a_pipe_is_refused(evaluation, tmp_path):
    os.mkfifo(tmp_path / "runs.jsonl")
    with pytest.raises(lf.LexiframeError, match="because it is a device or a pipe"):
        lf.io.log_folder(evaluation, tmp_path)


# --- Tables and page ----------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["inside", "beside"])
def test_tables_stay_as_they_were_when_the_page_cannot_be_written(lexiframe, tmp_path, page):
    out = tmp_path / "results"
    report = (out if page == "inside" else tmp_path) / "page.html"
    assert lexiframe("evaluate", *DATA, "-m", "AP", "-o", out, "--report", report).status == 0
    before = content(tmp_path)
    largest = max(len(data) for path, data in before.items() if path.suffix != ".html")
    with disk_with_files_up_to(largest + 5000):  # which the page, with its scripts, exceeds
        failed = lexiframe("evaluate", *DATA, "-m", "RR,nDCG", "-o", out, "--report", report)
    assert failed.status == 1
    assert "cannot be written (File too large)" in failed.err
    assert "wrote" not in failed.err
    assert content(tmp_path) == before
    again = lexiframe("evaluate", *DATA, "-m", "RR,nDCG", "-o", out, "--report", report)
    assert again.status == 0
    assert pl.read_parquet(out / "means.parquet")["measure"].unique().sort().to_list() == [
        "RR",
        "nDCG",
    ]


def test_the_page_stays_as_it_was_when_tables_cannot_be_written(lexiframe, tmp_path, monkeypatch):
    board = pl.DataFrame({"run": ["a", "b", "c"], "x": [0.5, 0.4, 0.3], "y": [0.1, 0.2, 0.9]})
    board.write_csv(tmp_path / "scores.csv")
    out, page = tmp_path / "out", tmp_path / "page.html"
    command = ["leaderboard", tmp_path / "scores.csv", "--out", out, "--report", page]
    assert lexiframe(*command).status == 0
    before = content(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    board.with_columns(x=1 - pl.col("x")).write_csv(tmp_path / "scores.csv")
    before |= {Path("scores.csv"): (tmp_path / "scores.csv").read_bytes()}
    with monkeypatch.context() as m:
        m.setattr(output_files, "wait_for_disk", full)
        failed = lexiframe(*command)
    assert failed.status == 1
    assert "No space left on device" in failed.err
    assert content(tmp_path) == before


# --- No temporary folder ------------------------------------------------------------------------


@pytest.fixture
def no_temporary_folder(monkeypatch, tmp_path):
    """Where temporary folders are made, none can be written to; that of the test is made before."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])


@pytest.mark.usefixtures("no_temporary_folder")
def test_without_a_temporary_folder_there_is_a_sentence(evaluation, tmp_path):
    store = tmp_path / "mlflow.db"
    with pytest.raises(lf.LexiframeError, match=r"no temporary folder can be made \(No usable"):
        lf.io.log_mlflow(evaluation, store)
    assert not store.exists()
    with pytest.raises(lf.LexiframeError, match="or name another one in the environment variable"):
        lf.evaluate(EXAMPLE / "runs", EXAMPLE / "qrels.txt", "AP", memory="1kB")


def test_a_temporary_folder_that_is_full_ends_in_a_sentence(evaluation, tmp_path):
    with (
        disk_with_files_up_to(20_000),
        pytest.raises(lf.LexiframeError, match=r"cannot be written \(File too large"),
    ):
        lf.io.log_mlflow(evaluation, tmp_path / "mlflow.db")
    assert not (tmp_path / "mlflow.db").exists()
