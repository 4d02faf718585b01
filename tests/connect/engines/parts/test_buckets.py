"""Buckets on disk have the rows that `read_runs` and `read_qrels` read, whatever the source is."""

import bz2
import gzip
import lzma

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import dataset, ipc, parquet

import lexiframe as lf
from lexiframe.connect.engines.parts import partition as partition_module
from lexiframe.connect.engines.parts.partition import partition
from lexiframe.core.base.errors import LexiframeError, LexiframeWarning, ReadError
from lexiframe.core.base.hashing import bucket_of
from lexiframe.core.io.batches import texts
from lexiframe.core.io.batches.reading import Share
from lexiframe.core.io.batches.units import Sources
from tests.strategies import collections

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(  # made-up rows lie in any order
        "ignore:runs whose ranks and scores disagree",
        "ignore:.*expected scores of which the greatest is the best",
    ),
]

MEMORY = 1_000_000_000
QRELS = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [1.0]})


@pytest.fixture
def run():
    """1000 rows: 100 requests in a row, 10 documents each."""
    n = np.arange(1000)
    score = np.random.default_rng(0).random(1000)
    return pl.DataFrame({"query_id": n // 10, "doc_id": n * 7 % 1000, "score": score})


@pytest.fixture
def small(monkeypatch):
    """Batches of 64 rows, pieces of 2000 bytes, files of some hundred rows."""
    monkeypatch.setattr(partition_module, "share_of", lambda room, rank: Share(64, 2000, rank))
    monkeypatch.setattr(texts, "_BLOCK", 1000)
    monkeypatch.setattr(partition_module, "_LEAST", 4000)
    monkeypatch.setattr(partition_module, "_MOST", 4000)


def parted(folder, runs, qrels=QRELS, n_buckets=7, rank=False, resume=False, **how):
    sources, memory = Sources.find(runs, qrels, **how), MEMORY
    return partition(sources, folder, n_buckets=n_buckets, memory=memory, rank=rank, resume=resume)


def rows_in(buckets, columns=("run", "query_id", "doc_id", "score")):
    """All rows of runs, ids as text, sorted by run; each run in the order of bucket and file."""
    frames = []
    for k in range(len(buckets)):
        runs = buckets.runs(k)
        assert tuple(runs) == buckets.names
        assert sum(frame.height for frame in runs.values()) == buckets.sizes[k]
        for name, frame in runs.items():
            assert bucket_of(frame["query_id"], len(buckets)).tolist() == [k] * frame.height
            ids = pl.col("query_id", "doc_id").cast(pl.String)
            frames.append(frame.with_columns(ids, run=pl.lit(name)).select(columns))
    return pl.concat(frames).sort("run", maintain_order=True)


def expected_rows(runs, n_buckets=7, wanted=("run", "query_id", "doc_id", "score"), **how):
    """The same from `read_runs`."""
    table = pl.DataFrame(lf.read_runs(runs, **how)).select(wanted)
    bucket = bucket_of(table["query_id"], n_buckets)
    table = table.with_columns(bucket=bucket)
    return table.sort("run", "bucket", maintain_order=True).drop("bucket")


def assert_same(buckets, runs, **how):
    assert rows_in(buckets).equals(expected_rows(runs, len(buckets), **how), null_equal=True)


def trec(frame, name="tag"):
    lines = (f"{q} Q0 {d} {n} {s!r} {name}\n" for n, (q, d, s) in enumerate(frame.rows(), 1))
    return "".join(lines).encode()


def duckdb_relation(frame):
    duckdb = pytest.importorskip("duckdb")
    arrow = frame.to_arrow()
    return duckdb.connect().from_arrow(arrow)


FORMS = {
    "Polars": lambda frame: frame,
    "pandas": lambda frame: frame.to_pandas(),
    "Arrow table": lambda frame: frame.to_arrow(),
    "LazyFrame": lambda frame: frame.lazy(),
    "DuckDB": duckdb_relation,
    "reader": lambda frame: frame.to_arrow().to_reader(max_chunksize=100),
    "data set in memory": lambda frame: dataset.dataset(frame.to_arrow()),
    "filtered": lambda frame: dataset.dataset(frame.to_arrow()).scanner(batch_size=50),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ids", [pl.Int64, pl.UInt16, pl.String])
def test_a_frame_or_query(tmp_path, run, form, ids):
    frame = run.with_columns(pl.col("query_id", "doc_id").cast(ids))
    buckets = parted(tmp_path, FORMS[form](frame))
    assert buckets.names == ("run",)
    assert_same(buckets, frame)
    dtype = pl.String if ids == pl.String else pl.Int64
    assert buckets.runs(0)["run"].schema["query_id"] == dtype  # integers stay integers
    named = parted(tmp_path, {"b": FORMS[form](frame), "a": frame[:0]})
    assert named.names == ("a", "b")
    assert_same(named, {"b": frame})


def write_arrow(frame, path):
    with ipc.new_file(path, frame.to_arrow().schema) as writer:
        writer.write_table(frame.to_arrow(), 300)


def write_stream(frame, path):
    with ipc.new_stream(path, frame.to_arrow().schema) as writer:
        writer.write_table(frame.to_arrow(), 300)


FILES = {
    "parquet": lambda frame, path: frame.write_parquet(path, row_group_size=300),
    "arrow": write_arrow,
    "arrows": write_stream,
    "csv": lambda frame, path: frame.write_csv(path),
    "tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "jsonl": lambda frame, path: frame.write_ndjson(path),
    "run": lambda frame, path: path.write_bytes(trec(frame)),
    "run.gz": lambda frame, path: path.write_bytes(
        gzip.compress(trec(frame[:500])) + gzip.compress(trec(frame[500:]))
    ),
    "run.bz2": lambda frame, path: path.write_bytes(bz2.compress(trec(frame))),
    "run.xz": lambda frame, path: path.write_bytes(lzma.compress(trec(frame)) + b"\0" * 8),
    "run.zst": lambda frame, path: path.write_bytes(
        pa.Codec("zstd").compress(trec(frame), asbytes=True)
    ),
    "utf16.run": lambda frame, path: path.write_bytes(trec(frame).decode().encode("utf-16")),
    "csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", FILES)
def test_a_file(tmp_path, run, ending):
    path = tmp_path / f"bm25.{ending}"
    FILES[ending](run, path)
    buckets = parted(tmp_path / "b", path)
    assert_same(buckets, path)
    assert len(buckets.facts["runs"][0]["files"]) > 2  # it was read in pieces
    facts = lf.scan_runs(path).provenance()
    assert buckets.sources["runs"] == facts
    again = parted(tmp_path / "b", lf.scan_runs(path))
    assert again.sources["runs"] == facts


@pytest.mark.usefixtures("small")
def test_options_of_text(tmp_path, run):
    path = tmp_path / "bm25.csv"
    text = run.rename({"score": "points"}).write_csv(separator=";").replace(".", ",")
    path.write_text(text)
    how = {"columns": {"score": "points"}, "decimal": ","}
    assert_same(parted(tmp_path / "b", path, **how), path, **how)
    tagged = tmp_path / "tagged.run"
    tagged.write_bytes(trec(run, "mine"))
    buckets = parted(tmp_path / "c", tagged, name_from="tag")
    assert buckets.names == ("mine",)
    assert_same(buckets, tagged, name_from="tag")
    tagged.write_bytes(trec(run[:500], "mine") + trec(run[500:], "other"))
    with pytest.raises(
        ReadError, match=r"tagged.run: expected one tag in the file, found 2 \('(mi|ot)"
    ):
        parted(tmp_path / "d", tagged, name_from="tag")


@pytest.mark.usefixtures("small")
def test_ranks(tmp_path, run):
    columns = ("run", "query_id", "doc_id", "score", "rank")
    ranked = run.with_columns(rank=pl.int_range(pl.len()) % 10)
    ranked.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.run").write_bytes(trec(run))
    buckets = parted(tmp_path / "b", [tmp_path / "a.parquet", tmp_path / "b.run"], rank=True)
    expected = expected_rows([tmp_path / "a.parquet", tmp_path / "b.run"], wanted=columns)
    assert rows_in(buckets, columns).equals(expected)
    without = parted(tmp_path / "b", [tmp_path / "a.parquet", tmp_path / "b.run"])
    assert without.runs(0)["a"].columns == ["query_id", "doc_id", "score"]
    only = ranked.drop("score").select("rank", "doc_id", "query_id")
    assert_same(parted(tmp_path / "b", only), only)  # the negative rank is the score


@pytest.mark.usefixtures("small")
def test_a_table_of_several_runs(tmp_path, run):
    names = pl.Series(["b", "a", "é"]).gather(np.arange(1000) // 100 % 3)
    table = run.with_columns(system=names)
    table.write_parquet(tmp_path / "runs.parquet")
    buckets = parted(tmp_path / "b", tmp_path / "runs.parquet")
    assert buckets.names == ("a", "b", "é")
    assert_same(buckets, tmp_path / "runs.parquet")
    assert [fact["run"] for fact in buckets.sources["runs"]] == ["a", "b", "é"]


@pytest.mark.usefixtures("small")
def test_partitions_of_a_folder(tmp_path, run):
    for name in ("bm25", "lm"):
        for part in range(3):
            folder = tmp_path / "BIG" / f"run={name}"
            folder.mkdir(parents=True, exist_ok=True)
            run[part::3].write_parquet(folder / f"part-{part}.parquet")
    table = pl.concat([run[part::3] for part in range(3)])
    table = pl.concat([table.with_columns(run=pl.lit(name)) for name in ("bm25", "lm")])
    buckets = parted(tmp_path / "b", tmp_path / "BIG")
    assert_same(buckets, table)
    assert [fact["run"] for fact in buckets.sources["runs"]] == ["bm25"] * 3 + ["lm"] * 3
    assert all(fact["sha256"] for fact in buckets.sources["runs"])
    opened = dataset.dataset(tmp_path / "BIG", partitioning="hive")
    assert_same(parted(tmp_path / "c", opened), table)
    only = opened.filter(dataset.field("run") == "lm")
    assert_same(parted(tmp_path / "d", only), table.filter(pl.col("run") == "lm"))


@pytest.mark.usefixtures("small")
def test_a_data_set_at_an_address_of_fsspec(tmp_path, run):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    parquet.write_to_dataset(
        run.with_columns(run=pl.lit("bm25")).to_arrow(), "/big", ["run"], filesystem=memory
    )
    opened = dataset.dataset("/big", filesystem=memory, partitioning="hive")
    assert_same(parted(tmp_path, opened), run.with_columns(run=pl.lit("bm25")))


JUDGED = pl.DataFrame(
    {
        "query_id": np.arange(300) // 3,
        "doc_id": np.arange(300) % 11,
        "relevance": np.arange(300) % 3,
    }
)


def judged_in(buckets):
    frames = []
    for k in range(len(buckets)):
        frame = buckets.qrels(k)
        assert bucket_of(frame["query_id"], len(buckets)).tolist() == [k] * frame.height
        frames.append(frame.cast({"query_id": pl.String, "doc_id": pl.String}))
    return pl.concat(frames)


@pytest.mark.usefixtures("small")
def test_judgments_as_text_and_objects(tmp_path, run):
    lines = "".join(f"{q} 0 {d} {r}\n" for q, d, r in JUDGED.rows())
    (tmp_path / "qrels.txt").write_text(lines)
    expected = pl.DataFrame(lf.read_qrels(tmp_path / "qrels.txt")).sort(pl.all())
    buckets = parted(tmp_path / "b", run, str(tmp_path / "qrels.txt"))
    assert judged_in(buckets).sort(pl.all()).equals(expected)
    buckets = parted(tmp_path / "b", run, {"7": {"d1": 2}})
    assert judged_in(buckets).rows() == [("7", "0", "d1", 2.0)]


@pytest.mark.usefixtures("small")
def test_implicit_feedback_is_counted_once(tmp_path, run):
    with pytest.warns(LexiframeWarning, match="all rows are read as relevant, with grade 1: 300"):
        buckets = parted(tmp_path / "b", run, JUDGED.drop("relevance"))
    assert judged_in(buckets)["relevance"].to_list() == [1.0] * 300


# --- Random collections --------------------------------------------------------------------------

AS_SOURCES = {
    "frame": lambda runs, folder: runs,
    "lazy": lambda runs, folder: runs.lazy(),
    "reader": lambda runs, folder: runs.to_arrow().to_reader(max_chunksize=3),
    "dict": lambda runs, folder: {
        name: part.drop("run") for (name,), part in runs.group_by("run", maintain_order=True)
    },
    "parquet": lambda runs, folder: _written(runs, folder / "runs.parquet"),
}


def _written(runs, path):
    runs.write_parquet(path, row_group_size=5)
    return path


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(collections(), st.sampled_from([*AS_SOURCES]), st.integers(1, 9))
def test_all_buckets_together_are_what_is_read(tmp_path_factory, collection, form, n_buckets):
    folder = tmp_path_factory.mktemp("random")
    runs, qrels = collection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_module, "share_of", lambda room, rank: Share(4, 50, rank))
        patch.setattr(partition_module, "_LEAST", 100)
        patch.setattr(partition_module, "_MOST", 100)
        try:
            expected = lf.read_runs(AS_SOURCES[form](runs, folder))
        except LexiframeError as error:
            with pytest.raises(type(error)):
                parted(folder / "b", AS_SOURCES[form](runs, folder), qrels, n_buckets)
            return
        buckets = parted(folder / "b", AS_SOURCES[form](runs, folder), qrels, n_buckets)
    table = pl.DataFrame(expected).select("run", "query_id", "doc_id", "score")
    found = rows_in(buckets)
    for name in buckets.names:
        mine = found.filter(pl.col("run") == name)
        theirs = table.filter(pl.col("run") == name)
        assert mine.sort(pl.all()).equals(theirs.sort(pl.all()))
        # each request keeps the order of its rows
        mine, theirs = (
            t.drop_nulls().sort("query_id", maintain_order=True) for t in (mine, theirs)
        )
        assert mine.equals(theirs)
    judged = pl.DataFrame(lf.read_qrels(qrels))
    assert judged_in(buckets).sort(pl.all()).equals(judged.sort(pl.all()))
