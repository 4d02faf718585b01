"""Files of JSON that are kept: their checksum, their lock, and what is refused."""

import pytest

import lexiframe as lf
from lexiframe.core.io.files import output_files
from lexiframe.core.io.files.kept_json import KeptJson, contents_of, text_with_checksum

KEPT = KeptJson("a note", version=2, fields=("numbers", "name"), again="write it anew")
NOTE = {"numbers": [1, 0.1 + 0.2, None], "name": "é\n"}


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
