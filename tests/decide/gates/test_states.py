"""The file of a gate that is looked at again and again: locked, with a checksum, and bound."""

import functools
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lexiframe as lf
from lexiframe.core.io.files.kept_json import text_with_checksum
from lexiframe.decide.gates import sequential
from tests.damaged_json import edited
from tests.decide.gates.test_over_time import TWO, X, preferences

so_far = lf.significance.gate_so_far
D = preferences([-0.2, 0.0, 0.25])


@pytest.fixture
def begun(tmp_path):
    """The state of a gate with three requests, as a file, and how it was asked."""
    path = tmp_path / "state.json"
    how = {"state": path, "n_planned": 9, "alpha": 0.05, **TWO}
    return path, how, so_far(D, {"AP": 0.1}, **how)


def look_at(path, how, first, data):
    """Look at a gate with another state: the same table, or an error that leaves the file."""
    path.write_bytes(data)
    found, said = None, ""
    try:
        found = so_far(D, {"AP": 0.1}, **how)
    except lf.LexiframeError as error:
        said = str(error)
    if said:
        assert said.startswith(f"{path}: ")
        assert path.read_bytes() == data
    else:
        assert found.equals(first)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("sealed", [False, True])
def test_a_state_that_was_edited_is_refused_or_right(begun, sealed):
    path = begun[0]
    before = json.loads(path.read_text())
    texts = [*edited(path.read_text(), sealed=sealed)]
    errors = [look_at(*begun, text.encode()) for text in texts]
    assert len([*filter(None, errors)]) >= (0.9 * len(texts) if sealed else len(texts))
    assert {*before} == {"checksum", "version", "asked", "requests", "differences", "decided_at"}


@pytest.mark.parametrize(
    "name, value",
    [
        ("requests", ["q0001", "q0000", "q0002"]),
        ("decided_at", 3),
        ("decided_at", 1),
        ("differences", {"AP": [-0.2, 0.0, 0.2]}),
    ],
)
def test_values_that_could_be_right_are_refused_too(begun, name, value):
    path = begun[0]
    state = {**json.loads(path.read_text()), name: value}
    error = look_at(*begun, json.dumps(state).encode())
    assert "is damaged or was edited: its contents do not match the checksum in it; give" in error
    state.pop("checksum")
    assert look_at(*begun, text_with_checksum(state).encode()) or name == "requests"


def test_what_can_be_no_state(tmp_path):
    how = {"n_planned": 9, **TWO}
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for state, message in (
        (tmp_path / "folder", "folder: cannot be written, because it is a folder"),
        (tmp_path / "pipe", "pipe: cannot be written, because it is a device or a pipe; choose"),
        ("", "expected a path to write to, found ''"),
        ("a\0b", "expected a path to write to"),
        (tmp_path / ("x" * 300), "cannot be written"),
        ("/dev/null", "because it is a device or a pipe"),
    ):
        with pytest.raises(lf.LexiframeError, match=message):
            so_far(D, 0.1, state=state, **how)
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "pipe"}
    assert so_far(D, 0.1, state=tmp_path / "new" / "state.json", **how).height == 1


def test_an_error_leaves_the_state_and_nothing_else(begun, monkeypatch):
    path, how, first = begun
    before = path.read_bytes()
    with pytest.raises(lf.LexiframeError):
        so_far(D, {"AP": 0.2}, **how)
    with pytest.raises(lf.LexiframeError):  # the gate's own
        so_far(preferences([-0.2, 0.0, 0.25, 5.0]), {"AP": 0.1}, **how)
    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(lf.LexiframeError, match=r"cannot be written \(No space left on device\)"):
        so_far(D, {"AP": 0.1}, **how)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]
    assert so_far(D, {"AP": 0.1}, **how).equals(first)


def full_disk(*_args, **_kwargs):
    raise OSError(28, "No space left on device")


def test_two_threads_at_once_lose_no_decision(tmp_path, monkeypatch):
    """As two processes below: the first look is not done when the second one begins."""
    how = {"state": tmp_path / "state.json", "n_planned": 300, **TWO}
    inner, deciding = sequential.gate, threading.Event()

    def slow(*given, **options):
        if not deciding.is_set():
            deciding.set()
            time.sleep(0.3)
        return inner(*given, **options)

    monkeypatch.setattr(sequential, "gate", functools.wraps(inner)(slow))
    with ThreadPoolExecutor() as executor:
        first = executor.submit(so_far, preferences(X[10:20], first=10), 0.05, **how)
        assert deciding.wait(10)
        second = executor.submit(so_far, preferences(X[:20]), 0.05, **how)
        assert (first.result()["n"].item(), second.result()["n"].item()) == (10, 20)
    numbers = [int(name[1:]) for name in json.loads(how["state"].read_text())["requests"]]
    assert [sorted(numbers[:10]), sorted(numbers[10:])] == [[*range(10, 20)], [*range(10)]]


LOOK = """
import functools, sys, time
from lexiframe.significance import gate_so_far
from lexiframe.decide.gates import sequential
from tests.decide.gates.test_over_time import TWO, X, preferences
path, begin, seconds = sys.argv[1:]
inner = sequential.gate
@functools.wraps(inner)
def slow(*given, **options):
    print("deciding", flush=True)
    time.sleep(float(seconds))
    return inner(*given, **options)
sequential.gate = slow
print("ready", flush=True)
sys.stdin.readline()
d = preferences(X[int(begin):20], first=int(begin))
gate_so_far(d, 0.05, state=path, n_planned=300, **TWO)
"""


@pytest.mark.slow
def test_two_processes_at_once_lose_no_decision(tmp_path):
    """The second one, which is faster, waits for the first and goes on from what it has kept."""
    path, root = tmp_path / "state.json", str(Path(lf.__file__).parents[1])
    slow, fast = (
        subprocess.Popen(
            [sys.executable, "-c", LOOK, str(path), begin, seconds],
            env={**os.environ, "PYTHONPATH": root}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )
        for begin, seconds in (("10", "1"), ("0", "0"))
    )  # fmt: skip
    assert slow.stdout.readline() == fast.stdout.readline() == "ready\n"
    slow.stdin.write("\n")
    slow.stdin.flush()
    assert slow.stdout.readline() == "deciding\n"
    fast.communicate("\n")
    slow.communicate()
    assert (slow.returncode, fast.returncode) == (0, 0)
    numbers = [int(name[1:]) for name in json.loads(path.read_text())["requests"]]
    # In the order of the two looks, each of which draws its own.
    assert [sorted(numbers[:10]), sorted(numbers[10:])] == [[*range(10, 20)], [*range(10)]]
    assert [*tmp_path.iterdir()] == [path]
