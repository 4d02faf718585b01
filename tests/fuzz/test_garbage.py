"""Garbage with some structure: lines of odd fields, broken files of every form, odd frames."""

import gzip
import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.base.schemas import QRELS, SCORES
from lexiframe.core.io.columns import KNOWN_NAMES
from tests.fuzz.outcomes import (
    COLUMNS,
    JUDGED,
    READERS,
    Choices,
    check_outcome,
    check_positions,
    check_runs,
    check_table,
    only_our_errors,
)

FILES = {path.name: path.read_bytes() for path in (Path(__file__).parent / "corpus").iterdir()}
CHOICES = st.builds(
    Choices,
    st.sampled_from(list(READERS)),
    third=st.sampled_from([None, "rank", "score"]),
    header=st.booleans(),
    decimal=st.sampled_from(".,"),
    columns=st.sampled_from(COLUMNS),
    name_from=st.sampled_from(["file", "tag"]),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "input"


# --- Lines --------------------------------------------------------------------------------------

NAMES = [name for names in KNOWN_NAMES.values() for name in names]
FIELDS = [
    *"q1 q2 007 d1 d2 Q0 0 1 2 -1 0.5 -1e-3 inf nan 1e999 0,5 x # all runid AP map_cut_5".split(),
    *["", '"', '"a', '"a b"', "é", "\x85", "\u2028", "\xa0", "\ufeff", "\x1b[1m", "\0", "null"],
    *["1" * 40, "d" * 200, "9223372036854775808", "{", "[]", "<html>", "PAR1"],
]
field = st.sampled_from(FIELDS) | st.sampled_from(NAMES) | st.text(max_size=5)
separator = st.sampled_from([" ", " ", "\t", ",", ";", "  ", " \t"])
line_end = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", ""])
encoding = st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-16", "utf-8-sig", "latin-1", "utf-32"])


@st.composite
def tables_of_text(draw):
    """Lines, mostly of one width and one separator, below a header or none."""
    width, between = draw(st.integers(1, 7)), draw(separator)
    widths = st.just(width) | st.just(width) | st.integers(0, 8)
    rows = draw(st.lists(widths.flatmap(lambda n: st.lists(field, min_size=n, max_size=n))))
    if draw(st.booleans()):
        rows.insert(0, draw(st.lists(st.sampled_from(NAMES), min_size=width, max_size=width)))
    text = "".join(draw(separator | st.just(between)).join(row) + draw(line_end) for row in rows)
    return text.encode(draw(encoding), "replace")


@given(tables_of_text(), CHOICES)
def test_lines(path, data, choices):
    path.write_bytes(data)
    check_outcome(path, choices)


value = st.sampled_from(
    [
        None,
        True,
        1,
        -0.5,
        10**30,
        10**99,
        float("inf"),
        "d1",
        "0.5",
        "nan",
        [],
        {},
        [1],
        {"a": None},
    ]
)
records = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=2), value, max_size=5)
nested = st.recursive(
    value | records, lambda inner: st.lists(inner) | st.dictionaries(field, inner)
)


@given(st.lists(records | nested, max_size=4), st.sampled_from(["lines", "list", "first"]), CHOICES)
def test_json(path, found, form, choices):
    text = {
        "lines": "\n".join(map(json.dumps, found)),
        "list": json.dumps(found),
        "first": json.dumps(found[0] if found else {}),
    }
    path.write_text(text[form])
    check_outcome(path, choices)


# --- Broken files -------------------------------------------------------------------------------


@st.composite
def broken_files(draw):
    """A file of the corpus with some of its bytes deleted, inserted, changed, or cut off."""
    data = bytearray(FILES[draw(st.sampled_from(sorted(FILES)))])
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["delete", "insert", "change", "flip", "cut", "double"]))
        start = draw(st.integers(0, max(len(data) - 1, 0)))
        end = min(len(data), start + draw(st.integers(1, 9)))
        if kind == "delete":
            del data[start:end]
        elif kind == "insert":
            data[start:start] = draw(st.binary(max_size=8))
        elif kind == "change":
            data[start:end] = draw(st.binary(min_size=end - start, max_size=end - start))
        elif kind == "flip" and data:
            data[start] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del data[start:]
        else:
            data[start:start] = data[start:end]
    return bytes(data)


@given(broken_files(), CHOICES)
def test_broken_files(path, data, choices):
    path.write_bytes(data)
    check_outcome(path, choices)


MAGIC = [
    *[b"\x1f\x8b\x08\0", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"PAR1", b"ARROW1\0\0"],
    *[b"\xff\xff\xff\xff", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xef\xbb\xbf", b"%PDF"],
    *[b"", b"{", b"[", b"#", b"# ir_metadata.start\n# "],
]


@given(st.sampled_from(MAGIC), st.binary(max_size=200), st.booleans(), CHOICES)
@example(b"", b"# only comments\n", False, Choices("read_qrels", header=True))
def test_bytes_behind_magic_numbers(path, magic, data, packed, choices):
    data = magic + data
    path.write_bytes(gzip.compress(data) if packed else data)
    check_outcome(path, choices)


# --- Frames -------------------------------------------------------------------------------------

numbers = [0.0, 1.0, -1.0, float("nan"), float("inf"), -0.0]
VALUES = {
    pl.String(): st.sampled_from(["q1", "d1", "007", "", " ", "é", "0.5", "nan", "a\nb", "all"]),
    pl.Float64(): st.sampled_from(numbers),
    pl.Float32(): st.sampled_from(numbers),
    pl.Int64(): st.integers(-2, 2) | st.sampled_from([2**53 + 1, -(2**63), 2**63 - 1]),
    pl.UInt64(): st.sampled_from([0, 1, 2**64 - 1]),
    pl.Int8(): st.integers(-2, 2),
    pl.Boolean(): st.booleans(),
    pl.Null(): st.none(),
    pl.Decimal(10, 2): st.sampled_from([Decimal("0.50"), Decimal("-1.00")]),
    pl.Date(): st.just(date(2024, 2, 29)),
    pl.Datetime("us"): st.just(datetime(2024, 2, 29)),
    pl.Duration("us"): st.just(timedelta(1)),
    pl.Binary(): st.sampled_from([b"", b"q1", b"\xff"]),
    pl.Categorical(): st.sampled_from(["q1", "d1", ""]),
    pl.Enum(["q1", "d1"]): st.sampled_from(["q1", "d1"]),
    pl.List(pl.Float64()): st.lists(st.sampled_from(numbers), max_size=2),
    pl.List(pl.String()): st.lists(st.sampled_from(["d1", "", None]), max_size=2),
    pl.Struct({"doc_id": pl.String()}): st.sampled_from([{"doc_id": "d1"}, {"doc_id": None}]),
    pl.List(pl.Struct({"item_id": pl.Int64(), "score": pl.Float64()})): st.lists(
        st.sampled_from([{"item_id": 1, "score": 0.5}, {"item_id": None, "score": None}, None]),
        max_size=2,
    ),
    pl.List(pl.List(pl.Struct({"doc_id": pl.String()}))): st.just([[], [{"doc_id": "d1"}]]),
    pl.Array(pl.Int64(), 2): st.just([1, 2]),
    pl.Struct({}): st.just({}),
}
USUAL = {
    "query_id": pl.String(),
    "doc_id": pl.String(),
    "score": pl.Float64(),
    "relevance": pl.Float64(),
}


@st.composite
def frames(draw):
    """Columns with names that are looked for, mostly of the types that they should have."""
    height = draw(st.integers(0, 4))
    names = draw(st.lists(st.sampled_from([*USUAL, *USUAL, *NAMES, "items", "value"]), unique=True))
    if draw(st.booleans()):
        names = list(dict.fromkeys([*USUAL, *names]))
    columns = []
    for name in names:
        kinds = st.sampled_from(list(VALUES))
        dtype = draw(st.just(USUAL[name]) | kinds if name in USUAL else kinds)
        one = VALUES[dtype] if draw(st.booleans()) else VALUES[dtype] | st.none()
        values = draw(st.lists(one, min_size=height, max_size=height))
        columns.append(pl.Series(name, values, dtype, strict=False))
    return pl.DataFrame(columns)


def qrels_of(frame):
    check_table(lf.read_qrels(frame), QRELS)


def scores_of(frame):
    check_table(lf.read_scores(frame, measure="AP"), SCORES)


def with_log(frame):
    joined = lf.with_log(JUDGED, frame, on="query_id")
    assert joined.height == JUDGED.height


USES = {
    "runs": lambda frame: check_runs(lf.read_runs(frame)),
    "runs of that name": lambda frame: check_runs(lf.read_runs({"runs": frame})),
    "qrels": qrels_of,
    "positions": lambda frame: check_positions(lf.positions(frame, JUDGED, duplicates="best")),
    "positions of qrels": lambda f: check_positions(lf.positions(JUDGED.rename(RENAMED), f)),
    "scores": scores_of,
    "log": with_log,
}
RENAMED = {"relevance": "score"}
NAMED = ["runs", "qrels", "scores", "log", "frame", "columns"]


ARROW = {
    "intervals": pa.array([pa.scalar((1, 2, 3), pa.month_day_nano_interval())]),
    "unions": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1.0])]),
    "run ends": pa.RunEndEncodedArray.from_arrays([1], [1.0]),
    "maps": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "large decimals": pa.array([1], pa.decimal256(60, 2)),
    "half floats": pa.array([1.0], pa.float16()),
    "categories of numbers": pa.array([1.0]).dictionary_encode(),
    "bytes": pa.array([b"1"], pa.binary(1)),
    "lists": pa.array([[1]], pa.list_(pa.int64(), 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("use", ["runs", "qrels", "scores", "log"])
@pytest.mark.parametrize("name", ["query_id", "doc_id", "score", "relevance", "x"])
def test_types_of_arrow(kind, use, name):
    table = pa.table({"query_id": ["q1"], "doc_id": ["d1"], "score": [1.0], "relevance": [1]})
    table = table.drop_columns([name] if name in table.column_names else [])
    with only_our_errors(*NAMED):
        USES[use](table.append_column(name, ARROW[kind]))


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@given(frame=frames())
def test_frames(use, library, frame):
    with only_our_errors(*NAMED):
        USES[use](frame if library == "polars" else frame.to_arrow())
