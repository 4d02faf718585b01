"""Parquet: what is read of a file, by which library, and the form in which runs are written."""

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe.io import scan_runs, to_parquet
from lexiframe.io.forms.parquet import FORM


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_runs_are_written_in_the_order_in_which_they_are_read(tmp_path):
    """Runs and queries as they begin, equal scores as they were; what is in order stays."""
    columns = {
        "run": ["y", "x", "y", "y", "x", "y", "y"],
        "query_id": ["q2", "q1", "q1", "q2", "q1", "q2", "q1"],
        "doc_id": list("abcdefg"),
        "score": [1.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0],
    }
    runs = lf.read_runs(pl.DataFrame(columns))
    path = to_parquet.write_runs(runs, tmp_path / "runs.parquet")
    rows = pl.read_parquet(path)
    assert rows["doc_id"].str.join("").item() == "ebdafcg"
    assert to_parquet.by_query_and_score(read := lf.read_runs(path)) is read
    assert parquet.read_metadata(path).row_group(0).column(0).compression == "LZ4"
    for ties in ("input", "doc_id_asc"):
        qrels = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["g", "f"], "relevance": 1.0})
        assert lf.positions(path, qrels, ties=ties).equals(lf.positions(runs, qrels, ties=ties))


@pytest.mark.parametrize("has_checksums", [True, False])
@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_checksums_of_pages_are_seen(tmp_path, has_checksums, compression):
    """PyArrow verifies them, and Polars, which reads all other files, does not."""
    frame = pl.DataFrame({"query_id": ["q1"] * 500, "doc_id": [f"d{n}" for n in range(500)]})
    how = {"compression": compression, "write_page_checksum": has_checksums}
    parquet.write_table(frame.to_arrow(), path := tmp_path / "run.parquet", **how)
    data = path.read_bytes()
    opened = FORM.open(pa.BufferReader(data), "run.parquet")
    assert (opened.frame is None) == has_checksums
    frame.write_parquet(path)
    opened = FORM.open(pa.BufferReader(data := path.read_bytes()), "run.parquet")
    assert opened.frame is not None
    assert opened.frame(data, ["doc_id"]).equals(frame.select("doc_id"))


def test_a_run_that_the_file_names_in_its_statistics(tmp_path):
    """Its column is not read; names that differ, null, numbers or no statistics are read."""
    items = pl.DataFrame({"query_id": "q1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    for names, expected in [(["x", "x"], "x"), (["x", "y"], None), ([1, 1], None)]:
        table = items.with_columns(run=pl.Series(names)).to_arrow()
        parquet.write_table(table, path := tmp_path / "runs.parquet", row_group_size=1)
        opened = FORM.open(pa.BufferReader(path.read_bytes()), "runs.parquet")
        assert opened.constant("run") == expected
        assert lf.read_runs(path)["run"].unique().to_pylist() == [*dict.fromkeys(map(str, names))]
        parquet.write_table(table, path, write_statistics=False)
        opened = FORM.open(pa.BufferReader(path.read_bytes()), "runs.parquet")
        assert opened.constant("run") is None
        assert set(lf.read_runs(path)["run"].to_pylist()) == {*map(str, names)}
    table = items.with_columns(run=pl.Series(["x", None])).to_arrow()
    parquet.write_table(table, path)
    assert FORM.open(pa.BufferReader(path.read_bytes()), "").constant("run") is None
    with pytest.raises(lf.ReadError, match="row 2: expected an id as run, found none"):
        lf.read_runs(path)


def test_a_column_that_is_not_needed_is_not_read(tmp_path):
    """Neither a wide one, nor ranks that are whole; ranks of another type are still checked."""
    rows = {"qid": ["q1", "q1"], "docno": ["a", "b"], "score": [2.0, 1.0], "text": ["t", "u"]}
    for rank, is_read in [([1, 2], False), ([1.0, 2.0], True)]:
        pl.DataFrame(rows | {"rank": rank}).write_parquet(path := tmp_path / "run.parquet")
        (part,) = scan_runs(path).load(0)
        assert part.rows.columns == ["query_id", "doc_id", "score", *["rank"] * is_read]
        (part,) = scan_runs(path).load(0, rank=True)
        assert part.rows["rank"].to_list() == [1, 2]
    pl.DataFrame(rows | {"rank": [1.0, 1.5]}).write_parquet(path)
    with pytest.raises(lf.ReadError, match=r"expected a whole number as rank, found 1.5"):
        scan_runs(path).load(0)
