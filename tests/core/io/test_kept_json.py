"""Files of JSON that are kept: their checksum, their lock, and what is refused."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import lexiframe as lf
from lexiframe.core.io.files import output_files
from lexiframe.core.io.files.kept_json import KeptJson, contents_of, text_with_checksum
from tests.damaged_json import broken, edited

KEPT = KeptJson("a note", version=2, fields=("numbers", "name"), again="write it anew")
NOTE = {"numbers": [1, 0.1 + 0.2, None], "name": "é\n"}


def test_what_is_kept_is_read_again(tmp_path):
    path = tmp_path / "note.json"
    KEPT.write(path, NOTE)
    assert KEPT.read(path) == NOTE
    assert json.loads(path.read_text())["version"] == 2


def test_tools_may_indent_it_and_end_lines_in_another_way(tmp_path):
    path = tmp_path / "note.json"
    KEPT.write(path, NOTE)
    for text in (
        path.read_text().replace("\n", "\r\n"),
        json.dumps(json.loads(path.read_text()), indent=4, sort_keys=True, ensure_ascii=False),
    ):
        path.write_bytes(text.encode())
        assert KEPT.read(path) == NOTE


def test_all_damage_is_refused_or_does_no_harm(tmp_path):
    path = tmp_path / "note.json"
    KEPT.write(path, NOTE)
    whole = path.read_bytes()
    texts = [text.encode() for text in edited(whole.decode(), sealed=False)]
    said = [read_or_said(path, data) for data in (*texts, *broken(whole))]
    errors = [one for one in said if one != NOTE]
    assert len(errors) > 0.9 * len(said)
    assert all(one.startswith(f"{path}: ") and one.endswith("; write it anew") for one in errors)


def read_or_said(path, data):
    path.write_bytes(data)
    try:
        return KEPT.read(path)
    except lf.ReadError as error:
        return str(error)


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"version": 1, "name": 1}', r"found another file \(it has no checksum, as those of vers"),
        ("{", r"expected a note, found another file \(Expecting property name"),
        ('{"name": 1, "name": 2}', r"another file \(two fields are named 'name'\)"),
        ("[" * 9999, "it is nested too deeply"),
        (text_with_checksum({"version": 3, **NOTE}), "a note of version 2, found version 3"),
        (text_with_checksum({"version": 2, "name": "x"}), "a note, found the fields name; write"),
        (text_with_checksum({"version": 2, **NOTE}).replace("0.3", "0.4"), "is damaged or was edi"),
    ],
)
def test_what_is_refused_says_why(tmp_path, text, message):
    path = tmp_path / "note.json"
    path.write_text(text)
    with pytest.raises(lf.ReadError, match=message):
        KEPT.read(path)


def test_the_checksum_is_that_of_what_is_read():
    """Tuples and names that are numbers are others in JSON."""
    assert contents_of(text_with_checksum({"a": (1, 2), "b": {10: 1, 9: 2}})) == {
        "a": [1, 2],
        "b": {"10": 1, "9": 2},
    }


# --- One at a time ------------------------------------------------------------------------------


def test_threads_wait_for_each_other(tmp_path):
    path = tmp_path / "count.txt"
    path.write_text("0")

    def add():
        for _ in range(10):
            with output_files.one_at_a_time(path):
                count = int(path.read_text())
                time.sleep(0.001)
                with output_files.replacing(path) as temporary:
                    temporary.write_text(str(count + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "40"
    assert [*tmp_path.iterdir()] == [path]


HOLDING = """
import sys, time
from pathlib import Path
from lexiframe.core.io import output_files
with output_files.one_at_a_time(Path(sys.argv[1])):
    print("mine", flush=True)
    time.sleep(60)
"""


def test_a_process_that_was_killed_is_not_in_the_way(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    environment = {**os.environ, "PYTHONPATH": str(Path(lf.__file__).parents[1])}
    command = [sys.executable, "-c", HOLDING, str(path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline().strip() == b"mine"
        monkeypatch.setattr(output_files, "_PATIENCE", 0.1)
        with (
            pytest.raises(lf.LexiframeError, match=r"state.json: expected to be the only process"),
            output_files.one_at_a_time(path),
        ):
            pass
        other.kill()
        other.wait()
    assert len([*tmp_path.iterdir()]) == 1  # what it has locked
    with output_files.one_at_a_time(path):
        pass
    assert [*tmp_path.iterdir()] == []


def test_a_lock_that_was_removed_meanwhile_locks_nobody_out(tmp_path, monkeypatch):
    """Who had it removes it between the moments at which the next one opens it and locks it."""
    beside, inner, removed = tmp_path / ".state.json.lock", output_files._is_locked_now, []

    def lock(handle):
        if not removed:
            removed.append(beside.unlink())
        return inner(handle)

    monkeypatch.setattr(output_files, "_is_locked_now", lock)
    with output_files.one_at_a_time(tmp_path / "state.json"):
        assert beside.exists()


def test_another_name_of_the_file_is_the_same_file(tmp_path, monkeypatch):
    monkeypatch.setattr(output_files, "_PATIENCE", 0.1)
    (tmp_path / "state.json").write_text("")
    (tmp_path / "link.json").symlink_to(tmp_path / "state.json")
    with (
        output_files.one_at_a_time(tmp_path / "state.json"),
        pytest.raises(lf.LexiframeError, match="only process"),
        output_files.one_at_a_time(tmp_path / "link.json"),
    ):
        pass


def test_a_place_without_locks_is_an_error(tmp_path):
    (tmp_path / ".state.json.lock").mkdir()
    with (
        pytest.raises(lf.LexiframeError, match=r"state.json: cannot be locked \(.*state.json.lock"),
        output_files.one_at_a_time(tmp_path / "state.json"),
    ):
        pass
