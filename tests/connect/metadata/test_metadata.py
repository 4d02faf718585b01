"""ir_metadata in the comments of run files: read, written, and as columns."""

import sys
import time
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.connect.metadata.metadata import flatten, header_text, metadata_frame, parse_metadata
from lexiframe.core.io.headers import header_of

LINES = b"q1 Q0 d1 1 0.5 bm25\nq1 Q0 d2 2 0.25 bm25\n"
HEADER = b"# ir_metadata.start\n# tag: bm25\n# method:\n#   automatic: true\n# ir_metadata.end\n"
METADATA = {"tag": "bm25", "method": {"automatic": True}}


def parsed(data):
    return parse_metadata(header_of(data), "bm25.run")


# --- The header of a file -----------------------------------------------------------------------


@pytest.mark.conformance
def test_a_run_in_the_layout_of_ir_metadata(shared):
    data = (shared / "data" / "awkward" / "edited_ir_metadata_header.run").read_bytes()
    row = metadata_frame({"demir": header_of(data)}).row(0, named=True)
    assert row == {
        "run": "demir",
        "platform.hardware.cpu.model": "Intel Xeon Gold 6144 CPU @ 3.50GHz",
        "platform.software.libraries.python": "scikit-learn",
        "implementation.source.lang": "python",
        "implementation.source.repository": "github.com/irgroup/example",
        "method.automatic": True,
        "method.retrieval.0.name": "bm25",
        "method.retrieval.0.b": 0.4,
        "method.retrieval.0.k1": 0.9,
        "research goal.venue.name": "CLEF",
        "research goal.venue.year": "2014",
        "actor.team": "DEMIR",
        "tag": "DEMIR_5",
    }


@pytest.mark.parametrize(
    "data",
    [
        b"",
        LINES,
        b"# a comment\n" + LINES,
        LINES.replace(b"d1", b"ir_metadata.start"),
        b"# about ir_metadata.start and its end\n" + LINES,
    ],
)
def test_files_without_a_header(data):
    assert header_of(data) is None


def test_a_long_file_without_a_header_costs_nothing():
    data = LINES * 1_000_000
    started = time.perf_counter()
    assert header_of(data) is None
    assert time.perf_counter() - started < 0.005


# --- YAML ---------------------------------------------------------------------------------------


def test_values_become_plain():
    text = "a: 2024-01-31\nb: 2024-01-31T10:00:00Z\n3: !!binary aGk=\n2024-01-31: {true: [1, null]}"
    assert parse_metadata(text, "x") == {
        "a": "2024-01-31",
        "b": "2024-01-31T10:00:00+00:00",
        "3": "aGk=",
        "2024-01-31": {"true": [1, None]},
    }
    assert parse_metadata("s: !!set {a}\nn: 123456789012345678901", "x") == {
        "s": ["a"],
        "n": "123456789012345678901",
    }
    assert parse_metadata("", "x") == parse_metadata("# nothing", "x") == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, message",
    [
        ("a: [1", r"bm25.run: the ir_metadata in the comments are not YAML \(while parsing a flow"),
        (
            "a: 2020-13-45",
            r"are not YAML \(month must be in 1\.\.12\); mend them, or take the head",
        ),
        ("a: !!int ''", "in the comments are not YAML"),
        ("a: !!timestamp soon", "in the comments are not YAML"),
        ("a: !!bool maybe", "in the comments are not YAML"),
        ("a: !!python/object:os.system x", "could not determine a constructor for the tag"),
        ("a: \0", "unacceptable character"),
        ("a: 0x" + "f" * 5000, "in the comments are not YAML"),
        ("- bm25", r"bm25.run: expected named fields in the ir_metadata \(tag: bm25\), found \['b"),
        ("a: &x [1]\nb: *x", r"the ir_metadata have a reference \(\*name\), which is not read"),
        (
            "a: 1\na: 2",
            r"bm25.run: the ir_metadata have two fields that are called 'a' in one place",
        ),
        (
            "m:\n  name: bm25\n  name: rm3",
            "called 'name' in one place; rename one, or write a list",
        ),
        ("m: [x, {k: {n: 1, 'n': 2}}]", "called 'n' in one place"),
        ("1: a\n'1': b", "called '1' in one place"),
        ("a: " + "[" * 900 + "]" * 900, "the ir_metadata are nested too deeply to be read"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(lf.ReadError, match=message):
        parse_metadata(text, "bm25.run")


def test_fields_of_one_name_in_several_places():
    text = "m: [{name: a, k: 1}, {name: b, k: 1}]\nname: c\nk: {name: d}"
    assert parse_metadata(text, "x") == {
        "m": [{"name": "a", "k": 1}, {"name": "b", "k": 1}],
        "name": "c",
        "k": {"name": "d"},
    }


def test_a_few_lines_that_would_fill_the_memory():
    names = "abcdefghijklmnopqrst"
    doubled = [f"{b}: &{b} [*{a}, *{a}]" for a, b in pairwise(names)]
    with pytest.raises(lf.ReadError, match="the ir_metadata have a reference"):
        parse_metadata("\n".join(["a: &a [x]", *doubled]), "bm25.run")


def test_without_pyyaml(monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    message = r"ir_metadata in run files need PyYAML; .*: pip install 'lexiframe\[interop\]'"
    for function in (lambda: parsed(HEADER), lambda: header_text(METADATA)):
        with pytest.raises(lf.LexiframeError, match=message):
            function()


# --- Written ------------------------------------------------------------------------------------


SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text()
NUMBERS = st.floats(allow_nan=False)
VALUES = st.recursive(
    SCALARS | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_is_written_is_read(metadata):
    assert parsed(header_text(metadata) + LINES) == metadata


@pytest.mark.parametrize("end", ["\x85", "\u2028", "\u2029", "\r", "\n", "\ufeff", "\x1f"])
def test_odd_characters_come_back(end):
    assert parsed(header_text({f"a{end}b": f"{end}é"})) == {f"a{end}b": f"{end}é"}


def test_what_yaml_has_no_form_for():
    with pytest.raises(lf.LexiframeError, match="metadata: expected text, numbers, booleans an"):
        header_text({"a": pl.DataFrame()})


# --- As columns ---------------------------------------------------------------------------------


def test_names_of_fields():
    metadata = {
        "tag": "bm25",
        "lang": ["python", "C"],
        "numbers": [1, True, None],
        "none": [],
        "empty": {},
        "method": {"retrieval": [{"k1": 0.9}, {"k1": 1.2}], "deep": [[1], 2]},
    }
    assert flatten(metadata) == {
        "tag": "bm25",
        "lang": "python, C",
        "numbers": "1, true, ",
        "none": None,
        "empty": None,
        "method.retrieval.0.k1": 0.9,
        "method.retrieval.1.k1": 1.2,
        "method.deep.0": "1",
        "method.deep.1": 2,
    }
    assert flatten({}) == {}
    with pytest.raises(lf.LexiframeError, match=r"two fields are both called a\.b; rename one"):
        flatten({"a": {"b": 1}, "a.b": 2})
    with pytest.raises(lf.LexiframeError, match="run 'bm25', ir_metadata: two fields are both"):
        metadata_frame({"bm25": "a: {b: 1}\na.b: 2"})
