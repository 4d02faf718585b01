"""Runs and judgments as Spark data frames: names of columns, types of ids, paths and buckets."""

import gzip

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.connect.engines.spark.data import qrels_of, runs_of
from lexiframe.core.base.schemas import to_arrow

FOLDER = lf.bundled("example")
RUNS, QRELS = lf.read_runs(FOLDER / "runs"), lf.read_qrels(FOLDER / "qrels.txt")


def rows(frame):
    """The rows of a Spark data frame, sorted, with the columns in the order of their names."""
    names = sorted(frame.columns)
    return sorted(map(tuple, frame.select(*names).collect()), key=str)


def expected(table):
    return sorted(pl.DataFrame(table).select(sorted(table.column_names)).rows(), key=str)


def sent(spark, frame):
    return spark.createDataFrame(to_arrow(frame))


@pytest.mark.slow
def test_the_forms_of_runs_are_read_alike(spark, tmp_path):
    """Each is the same table: frames of all kinds, and files of which Spark reads some."""
    frame = pl.DataFrame(RUNS)
    (tmp_path / "parts").mkdir()
    frame.head(100).write_parquet(tmp_path / "parts" / "a.parquet")
    frame.tail(-100).write_parquet(tmp_path / "parts" / "b.parquet")
    (tmp_path / "runs.csv.gz").write_bytes(gzip.compress(frame.write_csv().encode()))
    by_run = {name[0]: part.drop("run") for name, part in frame.group_by("run")}
    frame.write_ndjson(tmp_path / "runs.jsonl")
    of_runs = [
        sent(spark, frame),
        frame,
        FOLDER / "runs",
        tmp_path / "parts",
        str(tmp_path / "parts" / "*.parquet"),
        [frame.head(100), sent(spark, frame.tail(-100))],
        {name: sent(spark, part) for name, part in by_run.items()},
        by_run,
        tmp_path / "runs.jsonl",
    ]
    for runs in of_runs:
        assert rows(runs_of(spark, runs)) == expected(RUNS), runs
    of_csv = runs_of(spark, tmp_path / "runs.csv.gz").toArrow().to_pylist()
    read = pl.DataFrame(of_csv).cast({"score": pl.Float64, "rank": pl.Int64})
    assert expected(to_arrow(read)) == expected(RUNS)


@pytest.mark.slow
def test_columns_may_have_the_names_that_the_readers_know(spark):
    named = pl.DataFrame({"model": 7, "qid": [1], "query": "words", "docno": ["d"], "sim": [0.5]})
    runs = runs_of(spark, sent(spark, named))
    assert runs.columns == ["run", "query_id", "doc_id", "score"]
    assert rows(runs) == [("d", 1, "7", 0.5)]
    alone = pl.DataFrame({"user_id": [1], "item_id": [2], "rank": [1]})
    assert rows(runs_of(spark, sent(spark, alone))) == [(2, 1, 1, "run")]
    odd = pl.DataFrame({"user": [1], "item": [2], "rating": [3.0], "a.b`c": [0]})
    assert rows(qrels_of(spark, sent(spark, odd))) == [(2, 1, 3.0)]


def test_implicit_feedback_is_relevant_with_a_warning(spark):
    with pytest.warns(lf.LexiframeWarning, match="no column of grades, so all rows are read as"):
        qrels = qrels_of(spark, sent(spark, pl.DataFrame({"user_id": [1], "item_id": [2]})))
    assert rows(qrels) == [(2, 1, 1.0)]


def test_what_cannot_be_read_is_an_error(spark, tmp_path):
    with pytest.raises(lf.SchemaError, match=r"score is missing .*score may be called score, sim"):
        runs_of(spark, sent(spark, pl.DataFrame({"run": ["a"], "qid": ["q"], "docno": ["d"]})))
    with pytest.raises(lf.LexiframeError, match=r"cannot read the data \(PATH_.*gone\.parquet"):
        runs_of(spark, tmp_path / "gone.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(
        lf.LexiframeError, match=r"cannot read the data \(FAILED_READ_FILE.*bad\.parquet"
    ):
        qrels_of(spark, tmp_path / "bad.parquet")
    with pytest.raises(lf.LexiframeError, match=r"no .*S3AFileSystem, .*spark\.jars\.packages"):
        runs_of(spark, "s3a://bucket/runs")
    with pytest.raises(lf.ReadError, match="no such file"):
        runs_of(spark, tmp_path / "gone.run")
    with pytest.raises(lf.SchemaError, match="run 'a': expected the rows of one run, found a col"):
        runs_of(spark, {"a": sent(spark, pl.DataFrame(RUNS))})
    with pytest.raises(lf.LexiframeError, match="expected at least one data frame or path, found"):
        runs_of(spark, [])
    ranked = pl.DataFrame({"run": ["a"], "qid": ["q"], "docno": ["d"], "rank": [1]})
    with pytest.raises(lf.SchemaError, match="expected the same columns in all data frames, found"):
        runs_of(spark, [sent(spark, ranked), sent(spark, pl.DataFrame(RUNS))])
