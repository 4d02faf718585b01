"""Damaged descriptions of pages and messages: the readers of their sizes refuse them."""

import struct

import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe.core.io.files import arrow_messages as arrow
from lexiframe.core.io.files import parquet_pages

RUN = pa.table({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})


@pytest.mark.parametrize(
    "data, message",
    [
        (b"\x1c" * 40, "structs in structs, too deep"),
        (b"\x1b\x00\x00", "a field of the unknown type 11"),
        (b"\x15" + b"\xff" * 12, "a number that is too long"),
    ],
)
def test_what_is_no_struct(data, message):
    with pytest.raises(ValueError, match=message):
        parquet_pages.struct_in(data)


@pytest.mark.parametrize("data", [b"\x18\x05abc", b"\x15", b"", b"\x19\xf5\x64\x02"])
def test_a_struct_that_does_not_end(data):
    with pytest.raises(IndexError, match=r"the bytes end within a text|out of range"):
        parquet_pages.struct_in(data)


def test_all_kinds_of_fields():
    """True, false, a byte, a double, a list of flags, a long list, and a number of a far field."""
    long = b"\xf5\x10" + b"\x02" * 16
    data = b"\x11\x12\x13\x07\x17" + struct.pack("<d", 0.5) + b"\x19\x21\x01\x02\x19" + long
    fields, end = parquet_pages.struct_in(data + b"\x05\xc8\x01\x01\x00")
    assert end == len(data) + 5
    assert fields == {1: True, 2: False, 3: b"\x07", 4: struct.pack("<d", 0.5),
                      5: [b"\x01", b"\x02"], 6: [1] * 16, 100: -1}  # fmt: skip


@pytest.mark.parametrize(
    "sizes, message",
    [
        ({2: -1}, "pages of negative sizes"),
        ({5: None}, "damaged heads of pages"),
        ({1: None}, "damaged heads of pages"),
    ],
)
def test_damaged_heads(monkeypatch, sizes, message):
    head = {1: 0, 2: 9, 3: 9, 5: {1: 3, 2: 0}} | sizes
    head = {number: value for number, value in head.items() if value is not None}
    monkeypatch.setattr(parquet_pages, "struct_in", lambda data: (head, 4))
    with pytest.raises(ValueError, match=message):
        parquet_pages.pages_of(pa.BufferReader(b"x" * 40), {1: 6, 4: 0, 7: 13, 9: 4})


def test_metadata_without_columns(monkeypatch, tmp_path):
    """They are refused as damaged Parquet."""
    parquet.write_table(RUN, tmp_path / "run.parquet")
    monkeypatch.setattr(parquet_pages, "struct_in", lambda data: ({4: [{}]}, 9))
    with pytest.raises(lf.ReadError, match=r"cannot be read as Parquet \(damaged metadata: 1\)"):
        lf.read_runs(tmp_path / "run.parquet")


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("error", [struct.error("short"), IndexError("a list does not end")])
def test_damaged_messages(monkeypatch, tmp_path, new, error):
    with new(path := tmp_path / "run.arrow", RUN.schema) as file:
        file.write_table(RUN)
    assert lf.read_runs(path)["doc_id"].to_pylist() == ["a", "b", "c"]

    def refuse(file, at):
        raise error

    monkeypatch.setattr(arrow, "_message", refuse)
    with pytest.raises(lf.ReadError, match=r"as an Arrow file \(damaged messages: "):
        lf.read_runs(path)


def test_tables_of_a_damaged_message():
    """An empty table of names, a list that is longer than its bytes, and a place in front."""
    table = arrow._root(struct.pack("<IHHi", 8, 4, 4, 4) + struct.pack("<I", 2**31))
    for read in (lambda: table.table(0), lambda: table.table(5)):
        with pytest.raises(IndexError, match="a table is missing"):
            read()
    assert table.number(0, "<q") == 0
    assert table.records(0, "<qq") == []
    data = struct.pack("<IHHHHiII", 12, 6, 8, 4, 0, 8, 4, 99)
    with pytest.raises(IndexError, match="a list does not end"):
        arrow._root(data).records(0, "<qq")
    with pytest.raises(IndexError, match="a position before the beginning"):
        arrow._root(struct.pack("<Ii", 4, 2**31 - 1)).position(0)
