"""Runs and judgments as Spark data frames with our columns and the number of a bucket."""

from __future__ import annotations

import glob
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa

from lexiframe.connect.engines.spark.errors import errors_of_spark
from lexiframe.core.base import LexiframeError, SchemaError, schemas, warn
from lexiframe.core.io import column_forms, data_sources, one_run, read_qrels, read_runs

BUCKET = "bucket"
"""The column of the number of a row's bucket."""
_BY_SPARK_ALONE = {".orc": {"format": "orc"}}
"""The endings of files that Spark reads and lexiframe does not, with Spark's options."""


def runs_of(spark: Any, runs: Any) -> Any:
    """Return runs as one Spark data frame: run, query_id, doc_id, score, and rank if it is there.

    ``runs`` is the argument of ``evaluate`` in `lexiframe.spark`.
    """
    if isinstance(runs, Mapping):
        return _union([_rows_of_run(spark, run, str(name)) for name, run in runs.items()])
    given = runs if isinstance(runs, list | tuple) else [runs]
    return _union([_one_table(_spark_frame(spark, run, read_runs)) for run in given])


def qrels_of(spark: Any, qrels: Any) -> Any:
    """Return judgments as a Spark data frame: query_id, doc_id, relevance, perhaps iteration."""
    frame = _spark_frame(spark, qrels, read_qrels)
    items = column_forms.items_of_implicit_feedback(frame.columns, {})
    if items is not None:
        from pyspark.sql import functions

        warn("qrels: no column of grades, so all rows are read as relevant, with grade 1")
        frame = frame.withColumn("relevance", functions.lit(1.0))
    return _rename_columns(frame, schemas.QRELS, "qrels")


def is_spark_frame(data: Any) -> bool:
    """Return whether data is a data frame of Spark, also of a session elsewhere (Connect)."""
    return hasattr(data, "groupBy") and hasattr(data, "sparkSession")


def collected(data: Any) -> Any:
    """Return a data frame of Spark as a table in memory, and any other data unchanged."""
    return data.toArrow() if is_spark_frame(data) else data


def add_buckets(frame: Any, n: int) -> Any:
    """Add the bucket of each row's request, from 0 to n − 1.

    Ids are hashed as text, so that a request has one bucket whether its id is a number in one data
    frame and text in another.
    """
    from pyspark.sql import functions as f

    return frame.withColumn(
        BUCKET, f.pmod(f.xxhash64(f.col("query_id").cast("string")), f.lit(n)).cast("int")
    )


def _one_table(frame: Any) -> Any:
    frame = _rename_columns(frame, schemas.RUNS, "runs")
    if "run" in frame.columns:
        return frame
    from pyspark.sql import functions

    return frame.withColumn("run", functions.lit(one_run.UNNAMED))


def _rows_of_run(spark: Any, run: Any, name: str) -> Any:
    """Return the rows of the run that is given under a name."""
    from pyspark.sql import functions

    frame = _read_by_spark(spark, run)
    if frame is None:
        return _one_table(_sent(spark, read_runs({name: run})))
    frame = _rename_columns(frame, schemas.RUNS, f"the run {name!r}")
    if "run" in frame.columns:
        raise SchemaError(
            f"the run {name!r}: expected the rows of one run, found a column of runs; give the "
            "table without a name"
        )
    return frame.withColumn("run", functions.lit(name))


def _union(frames: Sequence[Any]) -> Any:
    if not frames:
        raise LexiframeError("runs: expected at least one data frame or path, found none")
    names = {name for frame in frames for name in frame.columns}
    if any({*frame.columns} != names for frame in frames):
        raise SchemaError(
            "runs: expected the same columns in all data frames, found rank or score in some alone"
        )
    return reduce(lambda one, other: one.unionByName(other), frames)


def _rename_columns(frame: Any, schema: schemas.TableSchema, where: str) -> Any:
    """Return a data frame's columns under lexiframe's names; names of runs become text."""
    from pyspark.sql import functions

    found = column_forms.columns_of(frame.columns, schema, where, {})
    if "replicate" in found:
        raise SchemaError(
            f"{where}: expected runs without replicates, found the column {found['replicate']}; "
            "lexiframe.evaluate takes replicates=, in memory"
        )
    quoted = {ours: "`" + theirs.replace("`", "``") + "`" for ours, theirs in found.items()}
    columns = {ours: functions.col(theirs) for ours, theirs in quoted.items()}
    if "run" in columns:
        columns["run"] = columns["run"].cast("string")
    return frame.select(*(column.alias(ours) for ours, column in columns.items()))


def _spark_frame(spark: Any, data: Any, read: Callable[[Any], pa.Table]) -> Any:
    """Return data as a Spark data frame; the driver reads the forms that Spark does not."""
    frame = _read_by_spark(spark, data)
    return _sent(spark, read(data)) if frame is None else frame


def _read_by_spark(spark: Any, data: Any) -> Any:
    """Return the Spark data frame that is given, or whose path is; None for other data."""
    if is_spark_frame(data):
        return data
    form = _form(data) if isinstance(data, str | Path) else None
    return None if form is None else _load_path(spark, str(data), form)


def _sent(spark: Any, table: pa.Table) -> Any:
    """Return the Spark data frame of a table in memory."""
    return spark.createDataFrame(table.replace_schema_metadata())


def _form(path: str | Path) -> Mapping[str, Any] | None:
    """Return the options with which Spark reads a path; None for paths that the driver reads.

    A file is known by its ending. A folder, a glob or an address without one is read by Spark as
    Parquet, unless it is a folder of this machine without such files.
    """
    known = _BY_SPARK_ALONE | data_sources.read_by_spark()
    endings = reversed(Path(str(path).rstrip("*")).suffixes)
    form = next((known[ending] for ending in endings if ending in known), None)
    if form is not None or data_sources.is_remote(str(path)):
        return form or known[".parquet"]
    place = data_sources.expanded(path)
    found = glob.iglob(f"{glob.escape(str(place))}/**/*.parquet", recursive=True)
    return known[".parquet"] if place.is_dir() and any(True for _ in found) else None


def _load_path(spark: Any, path: str, options: Mapping[str, Any]) -> Any:
    place = path if data_sources.is_remote(path) else str(data_sources.expanded(path).absolute())
    with errors_of_spark():
        return spark.read.load(place, **options)
