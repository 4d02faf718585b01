"""``lexiframe evaluate --memory --keep --resume``: what it says, writes and refuses."""

import io
import sys
from itertools import count

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.engines.parts import batches
from lexiframe.core.base.memory_use import NotEnoughMemoryError

pytestmark = pytest.mark.slow  # its room has quicker tests


@pytest.fixture
def data(tmp_path):
    """Two folders of Parquet files: judgments, and two runs."""
    for folder in ("Q", "R"):
        (tmp_path / folder).mkdir()
    query, doc = np.divmod(np.arange(3000), 10)
    for n, name in enumerate("ab"):
        score = np.random.default_rng(n).random(3000)
        run = pl.DataFrame({"query_id": query, "doc_id": doc, "score": score})
        run.write_parquet(tmp_path / "R" / f"{name}.parquet")
    qrels = pl.DataFrame({"query_id": query, "doc_id": doc, "relevance": doc // 9})
    for n, part in enumerate(qrels.iter_slices(1000)):
        part.write_parquet(tmp_path / "Q" / f"{n}.parquet")
    return [str(tmp_path / "Q"), str(tmp_path / "R")]


def too_many(*_):
    raise NotEnoughMemoryError("these are too many")


@pytest.mark.parametrize("arguments", [["--memory", "1MB"], []])
def test_the_report_of_data_in_parts_shows_a_sample(
    data, tmp_path, lexiframe, monkeypatch, arguments
):
    """Also where preferences do not fit, which is known once the judgments are read."""
    if not arguments:
        monkeypatch.setattr("lexiframe.core.pairwise.measured.refuse_many_pairs", too_many)
    page = tmp_path / "report.html"
    report = [*arguments, "--report", page]
    status, _, said = lexiframe("evaluate", *data, "-m", "AP RPP", *report)
    assert status == 0, said
    assert "Single requests, and how stable ranks are" in page.read_text("utf-8")


def test_it_fails_and_is_resumed(data, tmp_path, lexiframe, monkeypatch):
    arguments = ["evaluate", *data, "-m", "AP RPP", "--memory", "1MB", "--out", tmp_path / "OUT"]
    done, of_bucket = [], batches.evaluate_bucket

    def fails_once(plan, runs, qrels, number, held=None):
        if number == 2 and 2 not in done:
            done.append(2)
            raise lf.LexiframeError("the disk is on fire")
        done.append(number)
        return of_bucket(plan, runs, qrels, number, held)

    monkeypatch.setattr(batches, "evaluate_bucket", fails_once)
    monkeypatch.setattr(batches, "_SECONDS", -1)
    status, printed, said = lexiframe(*arguments)
    assert (status, printed) == (1, "")
    assert "the disk is on fire" in said
    assert "Traceback" not in said
    status, _, said = lexiframe(*arguments, "--resume")
    assert status == 0, said
    assert done[:4] == [0, 1, 2, 2]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--resume"], "--resume: expected the folder of the interrupted evaluation; add --out"),
        (["--memory", "much"], "memory: expected a size such as '4GB' or '500MB', found 'much'"),
        (["--keep", "scores"], "keep needs a folder to write to"),
    ],
)
def test_what_does_not_fit_is_refused(data, lexiframe, arguments, message):
    status, printed, said = lexiframe("evaluate", *data, "-m", "AP RPP", *arguments)
    assert (status, printed) == (1, "")
    assert message in " ".join(said.split())


def test_scores_of_other_tools_are_held_in_memory(tmp_path, lexiframe):
    status, printed, said = lexiframe("evaluate", "--scores", tmp_path, "--memory", "1GB")
    assert (status, printed) == (1, "")
    assert "--resume: scores of other tools are held in memory; leave these" in said


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self):
        return True


def test_a_terminal_shows_how_long_it_will_take(data, monkeypatch):
    """The bar of the buckets has the time that is left."""
    ticks = count(0, 1.5)
    monkeypatch.setattr("tqdm.std.time", lambda: next(ticks))
    monkeypatch.setattr(sys, "stderr", Terminal())
    lf.evaluate(data[1], data[0], ["AP", "RPP"], memory="1MB")
    shown = sys.stderr.getvalue()
    bars = [bar for bar in shown.split("\r") if "evaluating requests" in bar]
    assert any("<00:" in bar and "/" in bar for bar in bars), bars
    assert any("reading runs and judgments" in bar for bar in shown.split("\r"))
    assert shown.endswith(" \r")
