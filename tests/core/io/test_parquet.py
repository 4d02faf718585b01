"""Parquet: what is read of a file, by which library, and the form in which runs are written."""

import re
import subprocess
import sys
from functools import partial

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe.core.io import scan_runs
from lexiframe.core.io.forms.parquet import FORM


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
    assert opened.frame(data, ["doc_id"], 1e9).equals(frame.select("doc_id"))


ITEMS = pl.DataFrame({"query_id": "q1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})


def test_runs_of_one_name_and_of_several(tmp_path):
    """With and without a dictionary, by statistics; numbers are names too, and null is none."""
    write = parquet.write_table
    writers = [partial(write, row_group_size=1), partial(write, use_dictionary=False)]
    path = tmp_path / "runs.parquet"
    for names in (["x", "x"], ["x", "y"], [1, 1]):
        table = ITEMS.with_columns(run=pl.Series(names)).to_arrow()
        for write_it in (*writers, lf.write_parquet):
            write_it(table, path)
            assert lf.read_runs(path)["run"].to_pylist() == [*map(str, names)]
            only = {"mine"} if len({*names}) == 1 else set()
            assert not only or {*lf.read_runs({"mine": path})["run"].to_pylist()} == only
    table = ITEMS.with_columns(run=pl.Series(["x", None])).to_arrow()
    for write_it in (write, lf.write_parquet):
        write_it(table, path)
        with pytest.raises(lf.ReadError, match="row 2: expected an id as run, found none"):
            lf.read_runs(path)


@pytest.mark.parametrize("nested", ["meta", "a", "run.id"])
def test_a_field_of_a_nested_column_that_is_called_like_the_column_of_runs(tmp_path, nested):
    """The run is the column at the top, wherever the nested one stands."""
    inner = pl.DataFrame({nested: [{"run": "x", "id": "y"}] * 2})
    for frame in (inner.hstack(ITEMS), ITEMS.hstack(inner)):
        path = tmp_path / "runs.parquet"
        parquet.write_table(frame.with_columns(run=pl.Series(["a", "b"])).to_arrow(), path)
        assert lf.read_runs(path)["run"].to_pylist() == ["a", "b"]
        parquet.write_table(frame.with_columns(run=pl.lit("a")).to_arrow(), path)
        assert lf.read_runs(path)["run"].to_pylist() == ["a", "a"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "run, found",
    [
        ({"name": "x"}, "Struct"),
        (["x"], "List"),
        ([{"run": "x"}], "List"),
        ({"run": {"run": "x"}}, "Struct"),
    ],
)
def test_a_nested_column_as_run(tmp_path, run, found):
    """It is refused in every way of reading, and `check_run` lists it."""
    path = tmp_path / "runs.parquet"
    parquet.write_table(ITEMS.with_columns(run=pl.Series([run] * 2)).to_arrow(), path)
    with pytest.raises(lf.SchemaError, match=f"expected strings in run, found {found}"):
        lf.read_runs(path)
    with pytest.raises(lf.SchemaError, match=f"expected strings in run, found {found}"):
        lf.evaluate(path, {"q1": {"a": 1}}, "AP", memory="64MB")
    assert lf.check_run(path)["expected"].to_list() == ["strings in run"]


def rewritten(path, table, pattern, replacement, **how):
    """Write a file, and change bytes of the description of its columns, which is at its end."""
    parquet.write_table(table, path, store_schema=False, **how)
    data = path.read_bytes()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    changed, n = re.subn(pattern, replacement, data[begin:], count=1, flags=re.DOTALL)
    assert n == 1
    assert len(changed) == len(data) - begin
    path.write_bytes(data[:begin] + changed)
    return path


READ = """
import sys, lexiframe as lf
in_parts = lambda path: lf.evaluate(path, {}, memory=1 << 26)
for read in (lf.read_runs, lf.read_qrels, lf.check_run, in_parts):
    try:
        read(sys.argv[1])
    except lf.LexiframeError:
        pass
print("alive")
"""


@pytest.mark.slow
@pytest.mark.parametrize("use_dictionary", [True, False])
@pytest.mark.parametrize(
    "damaged, by",
    [
        (rb"\x15\x0c(?=\x19.{1,6}\x19\x18\x03run)", b"\x15\x10"),  # a type that there is not
        (rb"\x15\x0c(?=\x19.{1,6}\x19\x18\x03run)", b"\x15\x04"),  # numbers, where texts are
        (rb"\x25\x02(?=\x18\x03run)", b"\x25\x00"),  # no row is null, where null rows are counted
    ],
)
def test_damaged_metadata_of_columns(tmp_path, damaged, by, use_dictionary):
    """PyArrow ends the process when it is asked for them; reading asks for none of these."""
    table = ITEMS.with_columns(run=pl.lit("x")).to_arrow()
    path = tmp_path / "runs.parquet"
    rewritten(path, table, damaged, lambda _: by, use_dictionary=use_dictionary)
    command = [sys.executable, "-c", READ, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


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
