"""A gate in a test: what passes, what fails, what is refused, and snapshots of a baseline."""

import json
import os
import re
import subprocess
import sys

import polars as pl
import polars.testing
import pytest

import lexiframe as lf
from lexiframe.core.io.files.kept_json import text_with_checksum
from lexiframe.testing import assert_not_worse
from tests.damaged_json import broken, edited

DIGITS = lf.bundled("digits")
QRELS = DIGITS / "qrels.parquet"
OLD, NEW, BAD = (
    DIGITS / f"runs/{name}.parquet" for name in ("pixels_euclidean", "pca16_cosine", "random")
)


def run_of(path):
    """The rows of a run, without what they came from."""
    return pl.DataFrame(lf.read_runs(path))


def gate(baseline, candidate, margin):
    p = lf.positions({"baseline": baseline, "candidate": candidate}, QRELS)
    s = lf.scores(p, [*margin])
    return lf.gate(s, margin, baseline="baseline", candidate="candidate")


def test_what_passes_returns_the_table_of_the_gate():
    margin = {"AP": 0.05, "nDCG@10": "5%"}
    table = assert_not_worse(OLD, NEW, QRELS, margin)
    names = ["measure", "mean_difference", "p_value", "outcome", "margin"]
    pl.testing.assert_frame_equal(table.select(names), gate(OLD, NEW, margin).select(names))
    assert table["candidate_judged_at_10"].null_count() == 0
    assert assert_not_worse(lf.read_runs(OLD), NEW, lf.read_qrels(QRELS), {"RPP": 0.2}).height == 1


def test_options_reach_the_gate():
    table = assert_not_worse(OLD, NEW, QRELS, {"P@5": 0.1}, test="bootstrap", depth=5, rel=1)
    assert table["test"].item() == "bootstrap"
    assert table["alpha"].item() == 0.05


@pytest.mark.slow
def test_without_evidence_it_refuses_as_the_gate_does():
    run = pl.DataFrame(lf.read_runs(NEW))
    margin = {"AP": 0.05}
    with pytest.raises(lf.LexiframeError, match="candidate and baseline are one file"):
        assert_not_worse(OLD, OLD, QRELS, margin)
    assert assert_not_worse(OLD, OLD, QRELS, margin, same_ok=True)["outcome"].item() == "pass"
    assert assert_not_worse(OLD, run_of(OLD), QRELS, margin)["outcome"].item() == "pass"
    fewer = run.filter(pl.col("query_id") != run["query_id"][0])
    with (
        pytest.warns(lf.LexiframeWarning, match="rankings missing"),
        pytest.raises(lf.LexiframeError, match="expected rankings of both runs"),
    ):
        assert_not_worse(OLD, fewer, QRELS, margin)
    elsewhere = run.with_columns(pl.col("doc_id") + "x")
    with (
        pytest.warns(lf.LexiframeWarning),
        pytest.raises(lf.LexiframeError, match="expected judgments of the collection"),
    ):
        assert_not_worse(elsewhere, elsewhere, QRELS, margin)
    with pytest.raises(lf.LexiframeError, match="expected one run as candidate, found"):
        assert_not_worse(OLD, DIGITS / "runs", QRELS, margin)
    with pytest.raises(lf.LexiframeError, match="expected a baseline, found None"):
        assert_not_worse(None, NEW, QRELS, margin)
    with pytest.raises(TypeError, match=r"expected margin to be a dictionary \{name: value\}"):
        assert_not_worse(OLD, NEW, QRELS, 0.05)


@pytest.mark.slow
def test_a_snapshot_stands_for_the_baseline(tmp_path):
    path, margin = tmp_path / "tests" / "baseline.json", {"AP": 0.05, "nDCG@10": 0.05}
    first = assert_not_worse(OLD, NEW, QRELS, margin, snapshot=path)
    text = path.read_text()
    again = assert_not_worse(None, NEW, QRELS, margin, snapshot=path)
    assert first.equals(again)
    whole = assert_not_worse(OLD, NEW, QRELS, margin)
    names = ["measure", "n", "mean_difference", "p_value", "outcome"]
    pl.testing.assert_frame_equal(again.select(names), whole.select(names))
    assert path.read_text() == text
    kept = json.loads(text)
    assert kept["scores"]["AP"] == dict(
        lf.scores(lf.positions(OLD, QRELS), "AP").select("query_id", "value").rows()
    )
    with pytest.raises(AssertionError, match="candidate is worse than"):
        assert_not_worse(None, BAD, QRELS, margin, snapshot=path)
    with pytest.raises(lf.LexiframeError, match="candidate has the same values as baseline in all"):
        assert_not_worse(None, OLD, QRELS, margin, snapshot=path)
    same = assert_not_worse(None, OLD, QRELS, margin, snapshot=path, same_ok=True)
    assert same["why"].to_list() == [
        "PASS: nothing changed: candidate has the same values as baseline in all requests."
    ] * 2  # fmt: skip


def test_snapshots_that_are_refused(tmp_path):
    path, margin = tmp_path / "baseline.json", {"AP": 0.05}
    how = {"snapshot": path}
    with pytest.raises(lf.LexiframeError, match="no snapshot yet, and no baseline"):
        assert_not_worse(None, NEW, QRELS, margin, **how)
    with pytest.raises(lf.LexiframeError, match="expected metrics with a snapshot, found RPP"):
        assert_not_worse(OLD, NEW, QRELS, {"RPP": 0.1}, **how)
    assert not path.exists()
    assert_not_worse(OLD, NEW, QRELS, margin, **how)
    with pytest.raises(lf.LexiframeError, match=r"the snapshot lacks RR \(it has AP\); delete it"):
        assert_not_worse(None, NEW, QRELS, {"RR": 0.05}, **how)
    with pytest.raises(lf.LexiframeError, match=r"of other options \(depth None, not 5\); delete"):
        assert_not_worse(None, NEW, QRELS, margin, depth=5, **how)
    qrels = pl.DataFrame(lf.read_qrels(QRELS)).slice(1)
    with pytest.raises(lf.LexiframeError, match="the snapshot is of other judgments"):
        assert_not_worse(None, NEW, qrels, margin, **how)


@pytest.fixture
def kept(tmp_path):
    """A snapshot of three requests, and what is read with it."""
    path = tmp_path / "baseline.json"
    runs, qrels = (
        pl.DataFrame(table).filter(pl.col("query_id").is_in(FEW))
        for table in (lf.read_runs([OLD, NEW]), lf.read_qrels(QRELS))
    )
    old, new = (runs.filter(run=name).drop("run") for name in (OLD.stem, NEW.stem))
    how = {"margin": {"AP": 0.9}, "snapshot": path, "test": "bootstrap"}
    return path, (new, qrels), how, assert_not_worse(old, new, qrels, **how)


FEW = sorted({*lf.read_qrels(QRELS)["query_id"].to_pylist()})[:3]


def look_at(kept, data, *, may_be_other=False):
    """Decide with another snapshot: the same table, or an error that leaves the file."""
    path, given, how, first = kept
    path.write_bytes(data)
    found, said = None, ""
    try:
        found = assert_not_worse(None, *given, **how)
    except lf.LexiframeError as error:
        said = str(error)
    assert path.read_bytes() == data
    assert said or may_be_other or found.equals(first)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [False, True])
def test_a_snapshot_that_was_edited_is_refused_or_right(kept, sealed):
    """With a new checksum, scores within the bounds of the measure are another snapshot."""
    texts = [*edited(kept[0].read_text(), sealed=sealed)][::4]
    errors = [look_at(kept, text.encode(), may_be_other=sealed) for text in texts]
    assert sum(map(bool, errors)) > 0.9 * len(texts)


@pytest.mark.slow
def test_a_snapshot_with_other_bytes_is_refused_or_right(kept):
    many = [*broken(kept[0].read_bytes(), every=11)]
    assert sum(bool(look_at(kept, one)) for one in many) > 0.8 * len(many)


@pytest.mark.slow
@pytest.mark.parametrize(
    "value, message",
    [
        (1.5, r"expected a snapshot of scores from 0 to 1, found 1 \(\('{q}', 1.5\)\) of AP; dele"),
        (-0.1, r"a snapshot of scores from 0 to 1, found 1 \(\('{q}', -0.1\)\) of AP; delete it"),
        (True, r"a snapshot of scores that are numbers, found 1 \(\('{q}', True\)\) of AP; delet"),
        ("0.5", r"of scores that are numbers, found 1 \(\('{q}', '0.5'\)\) of AP; delete it"),
        (float("nan"), r"that are numbers, found 1 \(\('{q}', nan\)\) of AP; delete it and give"),
    ],
)
def test_scores_that_the_measure_cannot_have(kept, value, message):
    contents = json.loads(kept[0].read_text())
    contents.pop("checksum")
    contents["scores"]["AP"][FEW[1]] = value
    error = look_at(kept, text_with_checksum(contents).encode())
    assert re.search(message.replace("{q}", FEW[1]), error)


def test_snapshots_of_version_1_had_no_checksum(kept):
    contents = {**json.loads(kept[0].read_text()), "version": 1}
    contents.pop("checksum")
    error = look_at(kept, json.dumps(contents).encode())
    assert "as those of version 1); delete it and give the baseline, so that it is writ" in error


def test_what_can_be_no_snapshot(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for snapshot, message in (
        (tmp_path / "folder", "folder: cannot be written, because it is a folder"),
        (tmp_path / "pipe", "pipe: cannot be written, because it is a device or a pipe; choose"),
        ("", "expected a path to write to, found ''"),
        (tmp_path / ("x" * 300), "cannot be written"),
    ):
        for baseline in (OLD, None):
            with pytest.raises(lf.LexiframeError, match=message):
                assert_not_worse(baseline, NEW, QRELS, {"AP": 0.05}, snapshot=snapshot)


@pytest.mark.slow
def test_pytest_shows_the_line_of_the_test_and_the_verdict(tmp_path):
    path = tmp_path / "test_rankings.py"
    given = ", ".join(map(repr, map(str, (OLD, BAD, QRELS))))
    lines = ["from lexiframe import testing", "def test_it():"]
    lines.append(f"    testing.assert_not_worse({given}, {{'AP': 0.05}})")
    path.write_text("\n".join(lines))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert "FAIL: by AP, candidate is worse" in done.stdout
    assert "def assert_not_worse" not in done.stdout
    assert "guards.py" not in done.stdout
