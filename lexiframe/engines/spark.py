"""Evaluation on a Spark cluster, where the runs and judgments lie: `evaluate`.

It needs PySpark 4, which the extra ``spark`` installs, and Java 17 or later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lexiframe.engines.cogroup import reduce_buckets
from lexiframe.engines.spark_data import in_buckets, qrels_of, runs_of
from lexiframe.engines.spark_errors import errors_of_spark
from lexiframe.engines.spark_tasks import ROWS, evaluation_of_bucket, result_of, sum_of_buckets
from lexiframe.errors import LexiframeError, SchemaError

__all__ = ["evaluate"]

ROWS_PER_BUCKET = 250_000
"""The rows of runs of a bucket, where the user does not say how many buckets there are."""


def evaluate(spark, runs, qrels, measures=None, *, out=None, buckets=None, by=(), requests=None, **options):
    from lexiframe.engines.plan import Plan
    from lexiframe.pairwise.pairs import parse_measures
    from lexiframe.projection.policies import Policies
    check_pyspark()
    r, q = runs_of(spark, runs), qrels_of(spark, qrels)
    counts = _rows_by_run(r)
    n = buckets or -(-sum(counts.values()) // ROWS_PER_BUCKET)
    plan = Plan(tuple(parse_measures(measures)), Policies(**options), tuple(sorted(counts)), requests, by, str(out) if out else None, ("scores", "preferences") if out else ())
    return _result(plan, r, q, n)


def _result(plan: Plan, runs: Any, qrels: Any, buckets: int) -> BucketResult:
    """Return the sum of the results of all buckets, in which executors evaluate the requests."""
    from pyspark import cloudpickle

    sent = cloudpickle.dumps(plan)
    sides = (in_buckets(frame, buckets) for frame in (runs, qrels))
    functions = (evaluation_of_bucket(sent), sum_of_buckets(sent))
    with errors_of_spark(buckets):
        rows = reduce_buckets(*sides, *functions, ROWS).collect()
    return reduce(add, map(result_of, (row.asDict() for row in rows)))


def _rows_by_run(runs: Any) -> dict[str, int]:
    """Count the rows of each run; of Parquet, Spark reads the column of runs alone."""
    with errors_of_spark():
        found = {row["run"]: row["count"] for row in runs.groupBy("run").count().collect()}
    bad = sum(n for name, n in found.items() if not name)
    if bad:
        raise SchemaError(
            f"runs: expected the name of a run in every row, found none in {bad}; give each a "
            "name, or leave these rows out"
        )
    if not found:
        raise SchemaError("runs: expected the rows of rankings, found no rows")
    return found


def check_pyspark() -> None:
    """Raise when PySpark is not installed, or is older than version 4."""
    try:
        import pyspark
    except ImportError:
        raise LexiframeError(
            "lexiframe.spark needs PySpark, which is not installed; pip install 'lexiframe[spark]'"
        ) from None
    if int(pyspark.__version__.partition(".")[0]) < 4:
        raise LexiframeError(
            f"lexiframe.spark: expected PySpark 4 or later, found {pyspark.__version__}; "
            "pip install 'lexiframe[spark]'"
        )
