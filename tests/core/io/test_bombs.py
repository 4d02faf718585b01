"""Small files that would take far more memory than there is, and are refused before they do."""

import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe.core.io.files.form import LEAST, size_in_rows

N = 20_000
LONG = "x" * 1_000_000
CODED = pa.DictionaryArray.from_arrays(np.zeros(N, np.int32), [LONG])
READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (8_000_000 << 10,) * 2)
import lexiframe as lf
in_parts = lambda path: lf.evaluate(path, {"q": {"d": 1}}, memory=1 << 26)
for read in (lf.read_runs, lf.read_qrels, in_parts, lf.check_run):
    try:
        found = read(sys.argv[1])
    except lf.LexiframeError as error:
        found = error
    if not isinstance(found, Exception) and hasattr(found, "to_dicts"):
        found = found.to_dicts()
    print("refused" if "hold far more than data of this kind" in str(found) else found)
"""


def table_of(docs, **columns):
    """Return a run with these documents."""
    n = len(docs)
    return pa.table({"query_id": ["q"] * n, "doc_id": docs, "score": np.zeros(n)} | columns)


def views(n=N):
    """Return one long text of which all rows are views."""
    one = pa.array([LONG], pa.string_view()).buffers()
    all_same = pa.py_buffer(one[1].to_pybytes() * n)
    return pa.Array.from_buffers(pa.string_view(), n, [None, all_same, one[2]])


def runs_of_one(values, n):
    """Return rows that all have the one value, as the length of a run."""
    return pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), values)


def arrow(path, table, compression="zstd", new=pa.ipc.new_file):
    with new(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table)


def parquet_of(path, table, **options):
    parquet.write_table(table, path, compression="zstd", **options)


BOMBS = {
    "dictionary of Arrow": lambda path: arrow(path, table_of(CODED)),
    "dictionary in a stream": lambda path: arrow(path, table_of(CODED), new=pa.ipc.new_stream),
    "dictionary without packing": lambda path: arrow(
        path, table_of(CODED.take(pa.array([0] * N))), None
    ),
    "views": lambda path: arrow(path, table_of(views())),
    "nulls": lambda path: arrow(
        path, pa.table({name: pa.nulls(10**9) for name in ("query_id", "doc_id", "score")}), None
    ),
    "lengths of runs": lambda path: arrow(path, table_of(runs_of_one(pa.array([LONG]), N))),
    "numbers in runs": lambda path: arrow(
        path,
        pa.table(
            {
                "query_id": runs_of_one(pa.array(["q"]), 10**9),
                "doc_id": runs_of_one(pa.array(["d"]), 10**9),
                "score": runs_of_one(pa.array([0.5]), 10**9),
            }
        ),
    ),
    "packed zeros": lambda path: arrow(path, table_of(pa.array([LONG] * 1200))),
    "lists of one list": lambda path: arrow(
        path,
        pa.table(
            {
                "query_id": [str(n) for n in range(N)],
                "doc_id": pa.ListViewArray.from_arrays(
                    np.zeros(N, np.int32), np.full(N, 10_000, np.int32), pa.array(["d"] * 10_000)
                ),
            }
        ),
    ),
    "dictionary of Parquet": lambda path: parquet_of(path, table_of(CODED)),
    "dictionary without its Arrow type": lambda path: parquet_of(
        path, table_of(CODED), store_schema=False
    ),
    "dictionary in lists": lambda path: parquet_of(
        path,
        pa.table(
            {
                "query_id": ["q"],
                "doc_id": pa.ListArray.from_arrays(pa.array([0, N], pa.int32()), CODED),
            }
        ),
        store_schema=False,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_columns_that_would_fill_the_memory(tmp_path, bomb):
    """They are refused within 8 GB, by all readers."""
    BOMBS[bomb](path := tmp_path / "bm25.table")
    command = [sys.executable, "-c", READ, path]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.stdout.split() == ["refused"] * 4, found.stdout + found.stderr[-300:]


@pytest.fixture
def little_room(monkeypatch):
    """Let files take a million bytes, and twice their size."""
    monkeypatch.setattr("lexiframe.core.io.files.packings._ROOM", 1_000_000)
    monkeypatch.setenv("LEXIFRAME_UNPACK_RATIO", "2")


def refused(path):
    with pytest.raises(lf.ReadError, match=r"bytes of the file hold far more .* fill the memory"):
        lf.read_runs(path)


def test_texts_that_begin_like_the_one_before(tmp_path, little_room, monkeypatch):
    """Parquet may keep what differs alone; few of them, and short ones, are read."""
    how = {"use_dictionary": False, "column_encoding": {"doc_id": "DELTA_BYTE_ARRAY"}}
    docs = [f"{'x' * 5000}{n}" for n in range(1000)]
    parquet_of(path := tmp_path / "bm25.parquet", table_of(docs), **how)
    assert path.stat().st_size < 20_000
    refused(path)
    for fewer in (docs[:100], [text[4990:] for text in docs]):
        parquet_of(path, table_of(fewer), **how)
        assert lf.read_runs(path)["doc_id"].to_pylist() == fewer
    monkeypatch.setenv("LEXIFRAME_UNPACK_RATIO", "inf")
    parquet_of(path, table_of(docs), **how)
    assert lf.read_runs(path).num_rows == 1000


def test_texts_of_a_dictionary_behind_others(tmp_path, little_room):
    """The first rows may hold their own texts, and later groups of rows longer ones."""
    docs = [*(f"d{n}" for n in range(500)), *["y" * 5000] * 500]
    for size in (500, 1000):
        parquet_of(path := tmp_path / "bm25.parquet", table_of(docs), row_group_size=size)
        refused(path)
    parquet_of(path, table_of(docs[:500] + ["y" * 300] * 500))
    assert lf.read_runs(path).num_rows == 1000


def test_sizes_in_the_metadata_that_are_not_true(tmp_path, little_room):
    """Pages say how large they are too, and are unpacked by that."""
    table = table_of([f"{n:0500}" for n in range(9000)])
    parquet_of(path := tmp_path / "bm25.parquet", table, use_dictionary=False)
    size = parquet.read_metadata(path).row_group(0).total_byte_size
    data = path.read_bytes()
    said, less = (b"\x16" + bytes([*_number(2 * n, 4)]) for n in (size, 9))
    assert data.count(said) == 1
    path.write_bytes(data.replace(said, less))
    assert parquet.read_metadata(path).row_group(0).total_byte_size == 9
    refused(path)


def test_a_dictionary_that_is_not_packed_and_says_too_little(tmp_path, little_room):
    """Polars reads as many bytes as there are, whatever size the page gives its unpacked form."""
    texts = [f"{'y' * 5000}{n % 3}" for n in range(1000)]
    parquet.write_table(table_of(texts), path := tmp_path / "bm25.parquet", compression="none")
    data = path.read_bytes()
    said, less = (b"\x15\x04\x15" + bytes([*_number(2 * n, 3)]) for n in (3 * 5005, 212))
    assert data.count(said) == 1
    path.write_bytes(data.replace(said, less))
    assert len(pl.read_parquet(path)) == 1000
    refused(path)


def _number(value, size):
    for place in range(size):
        yield value >> 7 * place & 127 | 128 * (place < size - 1)


@pytest.mark.parametrize("kind", ["dictionary", "views", "runs", "list", "fixed", "struct"])
def test_how_much_a_column_takes_as_rows(kind):
    """It is what the values take, wherever they stand, and of slices too."""
    texts = ["a", "bbb", "bbb", "", "cc" * 20]
    plain = pa.array(texts)
    lists = pa.array([["a", "b"], [], ["ccc"]])
    column, n, letters = {
        "dictionary": (plain.dictionary_encode(), 5, 47),
        "views": (plain.cast(pa.string_view()), 5, 47),
        "runs": (pc.run_end_encode(plain), 5, 47),
        "struct": (pa.StructArray.from_arrays([plain], ["x"]), 10, 47),
        "list": (lists, 6, 5),
        "fixed": (pa.array([["a", "b"]] * 2, pa.list_(pa.string(), 2)), 6, 4),
    }[kind]
    assert size_in_rows(pa.table({"x": column})) == LEAST * n + letters
    parts = [size_in_rows(pa.table({"x": column.slice(at, 1)})) for at in range(len(column))]
    assert sum(parts) == LEAST * n + letters
    assert size_in_rows(pa.table({"x": pa.chunked_array([column] * 2)})) == 2 * sum(parts)
