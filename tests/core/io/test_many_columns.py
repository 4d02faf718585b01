"""Tables of very many columns: each takes a share of the time, and is opened and looked at once."""

import io
import json
import time

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf


def wide(n, value=1):
    ids = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]}
    return pl.DataFrame(ids | {f"c{k}": [value] * 3 for k in range(n)})


@pytest.mark.slow
@pytest.mark.parametrize(
    "form, n, value", [("parquet", 2000, 1), ("parquet", 2000, "x"), ("csv", 12000, 1),
                       ("jsonl", 12000, "x"), ("frame", 12000, 1)],
)  # fmt: skip
def test_columns_beside_a_run_take_time_in_proportion(tmp_path, form, n, value):
    table, path = wide(n, value), tmp_path / f"bm25.{form}"
    write = {"parquet": table.write_parquet, "csv": table.write_csv, "jsonl": table.write_ndjson}
    if form in write:
        write[form](path)
    start = time.process_time()
    assert lf.read_runs(table if form == "frame" else path)["doc_id"].to_pylist() == ["a", "b", "c"]
    assert time.process_time() - start < 6  # before, 10 s and more


def records(n):
    return [{"query_id": f"q{k // 9}", "doc_id": f"d{k % 9}", "score": -k} for k in range(n)]


@pytest.mark.slow
def test_records_with_fields_of_their_own(tmp_path):
    """Their fields are left out, but none that is read, however few have it, or that many have."""
    rows = [one | {f"own {k}": k, f"text {k}": "x"} for k, one in enumerate(records(1998))]
    path = tmp_path / "bm25.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert lf.read_runs(path).equals(lf.read_runs({"bm25": pl.DataFrame(records(1998))}))
    two = [one | {"engine": name} for one in rows for name in ("new", "old")]
    path.write_text("\n".join(map(json.dumps, two)))
    with pytest.raises(lf.SchemaError, match="distinguished by the column engine: 2"):
        lf.read_runs(path)
    named = [one | ({"run": "late"} if k == 1997 else {}) for k, one in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, named)))
    with pytest.raises(lf.LexiframeError, match="run"):
        lf.read_runs(path)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Int32])
def test_parquet_without_text_is_read_once(tmp_path, monkeypatch, dtype):
    ids = {"query_id": [1, 1, 2], "doc_id": [7, 8, 7]}
    rows = pl.DataFrame(ids, schema=dict.fromkeys(ids, dtype)).with_columns(score=pl.lit(0.5))
    rows.write_parquet(path := tmp_path / "als.parquet")
    monkeypatch.setattr("lexiframe.core.io.run_tables.read_arrow", None)  # what reads it again
    assert lf.read_runs(path)["doc_id"].to_pylist() == ["7", "8", "7"]


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 500, 1000])
@pytest.mark.parametrize("read", ["whole", "judged", "parts"])
def test_one_long_text_of_many_in_a_dictionary(tmp_path, at, read):
    """All rows are the long one, which the average length of the texts does not show."""
    n, texts = 60_000, [f"d{k}" for k in range(1000)]
    texts.insert(at, "x" * 1_000_000)
    docs = pa.DictionaryArray.from_arrays(pa.array([at] * n, pa.int32()), texts)
    table = pa.table({"query_id": ["q"] * n, "doc_id": docs, "score": [0.5] * n})
    path = tmp_path / "bm25.parquet"
    parquet.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 26_000
    reads = {
        "whole": lf.read_runs,
        "judged": lf.read_qrels,
        "parts": lambda path: lf.evaluate(path, {"q": {"d1": 1}}, memory=1 << 26),
    }
    with pytest.raises(lf.ReadError, match=r"bytes of the file hold far more .* fill the memory"):
        reads[read](path)


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("read", [lf.read_runs, lf.read_qrels, lf.read_log])
def test_lengths_in_arrow_beyond_the_end_of_the_file(tmp_path, monkeypatch, new, read):
    """Nothing is read before a length is compared with what there is."""
    table, buffer = wide(1).to_arrow(), io.BytesIO()
    with new(buffer, table.schema) as file:
        file.write_table(table)
    data, path = buffer.getvalue(), tmp_path / "bm25.arrow"
    begins = data.find(b"\xff\xff\xff\xff", 16 if new is pa.ipc.new_file else 4)
    for length in (2**31 - 1, 2**30):
        path.write_bytes(data[: begins + 4] + length.to_bytes(4, "little") + data[begins + 8 :])
        with pytest.raises(lf.ReadError, match="a part beyond the end of the file"):
            read(path)
