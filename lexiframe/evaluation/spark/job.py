"""A job on Spark: buckets of requests, evaluated by executors, whose results are added up."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, SchemaError
from lexiframe.evaluation.buckets.plan import Plan
from lexiframe.evaluation.buckets.results import BucketResult, nothing
from lexiframe.evaluation.spark.cogroup import reduce_buckets
from lexiframe.evaluation.spark.data import in_buckets
from lexiframe.evaluation.spark.errors import errors_of_spark
from lexiframe.evaluation.spark.tasks import ROWS, evaluation_of_bucket, result_of, sum_of_buckets

_FEW = 1000
"""The number of rows of which an error message shows queries."""


def reduced_on_spark(plan: Plan, runs: Any, qrels: Any, buckets: int) -> BucketResult:
    """Return the sum of the results of all buckets.

    ``runs`` and ``qrels`` are Spark data frames with our columns.

    Raises
    ------
    LexiframeError
        As `evaluate_bucket`, and when Spark cannot read the data or gives up.
    """
    from pyspark import cloudpickle

    sent = cloudpickle.dumps(plan)
    found = reduce_buckets(
        in_buckets(runs, buckets),
        in_buckets(qrels, buckets),
        evaluation_of_bucket(sent),
        sum_of_buckets(sent),
        ROWS,
    )
    with errors_of_spark(buckets):
        rows = found.collect()
    return reduce(add, (result_of(row.asDict()) for row in rows), nothing(plan))


def rows_by_run(runs: Any) -> dict[str, int]:
    """Count the rows of each run; of Parquet, Spark reads the column of runs alone."""
    with errors_of_spark():
        found = {row["run"]: row["count"] for row in runs.groupBy("run").count().collect()}
    unnamed = sum(n for name, n in found.items() if not name)
    if unnamed:
        raise SchemaError(
            f"runs: expected the name of a run in every row, found none in {unnamed} rows; give "
            "them one, or leave them out"
        )
    if not found:
        raise SchemaError("runs: expected the rows of rankings, found no rows")
    return found


def some_queries(runs: Any, qrels: Any) -> tuple[list[str], pl.Series]:
    """Return some queries of the runs, and some judged ones."""
    columns = (frame.select(frame["query_id"].cast("string")) for frame in (runs, qrels))
    found = [column.limit(_FEW).toArrow()["query_id"].to_pylist() for column in columns]
    return sorted({*found[0]}), pl.Series(sorted({*found[1]}), dtype=pl.String)


def check_session(spark: Any) -> None:
    """Raise when PySpark is missing or older than version 4, and for what is no running session."""
    _check_pyspark()
    if not hasattr(spark, "createDataFrame"):
        raise TypeError(f"spark: expected a SparkSession, found {type(spark).__name__}")
    # A session that was stopped has lost its Java; without this check, PySpark fails an assertion.
    context = getattr(spark, "_sc", None)
    if getattr(spark, "is_stopped", False) or (context is not None and context._jsc is None):
        raise LexiframeError(
            "spark: expected a running session, found one that was stopped; start another with "
            "SparkSession.builder.getOrCreate()"
        )


def _check_pyspark() -> None:
    try:
        import pyspark
    except ImportError:
        raise LexiframeError(
            "Spark needs PySpark, which is not installed; pip install 'lexiframe[spark]'"
        ) from None
    if int(pyspark.__version__.partition(".")[0]) < 4:
        raise LexiframeError(
            f"expected PySpark 4 or later, found {pyspark.__version__}; "
            "pip install 'lexiframe[spark]'"
        )
