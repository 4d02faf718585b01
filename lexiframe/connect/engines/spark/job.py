"""A job on Spark: buckets of requests, evaluated by executors, whose results are added up.

Errors about data are rows of the result. An exception would make Spark repeat the task, and would
reach the user inside a Java stack trace.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from operator import add
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.connect.engines.spark.data import BUCKET, add_buckets
from lexiframe.connect.engines.spark.errors import errors_of_spark
from lexiframe.core.base import LexiframeError, SchemaError, __version__, errors, memory_use
from lexiframe.core.evaluation.buckets.bucket import evaluate_bucket
from lexiframe.core.evaluation.buckets.codec import decoded, encoded
from lexiframe.core.evaluation.buckets.held import Held
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.evaluation.buckets.results import BucketResult, nothing
from lexiframe.core.evaluation.buckets.sizes import parse_memory
from lexiframe.core.pairwise import PairCube
from lexiframe.core.pairwise.arrays import ScoreCube

_FEW = 1000
"""The number of rows of which an error message shows queries."""
_ROWS = "result binary, held binary, kind string, message string"
"""The columns of results in Spark's notation: a result, arrays of single requests, or an error."""
_SCHEMA = pa.schema(
    {"result": pa.binary(), "held": pa.binary(), "kind": pa.string(), "message": pa.string()}
)
_COPIES = 4
"""How often what executors return is in the driver's memory while it is summed up."""


def reduced_on_spark(
    plan: Plan, runs: Any, qrels: Any, buckets: int, held: Held | None = None
) -> BucketResult:
    """Return the sum of the results of all buckets; single requests with weights are ``held``.

    ``runs`` and ``qrels`` are Spark data frames with our columns. Functions of two data frames by
    bucket, which Spark marks as unstable, are called here and nowhere else.
    """
    from pyspark import cloudpickle

    sent = cloudpickle.dumps(plan)
    of_bucket, of_task = (executor_call(name, sent, __version__) for name in ("_row_of", "_summed"))
    left, right = (add_buckets(side, buckets).groupBy(BUCKET) for side in (runs, qrels))
    with errors_of_spark(buckets), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas 3, which nothing here uses
        rows = (
            left.cogroup(right)
            .applyInArrow(lambda key, runs, qrels: of_bucket(key, runs, qrels), _ROWS)
            .mapInArrow(lambda rows: of_task(rows).to_batches(), _ROWS)
            .collect()
        )
    if held is not None:
        for number, row in enumerate(rows):
            for cube in _held_in(row):
                held.add(number, cube)
    return reduce(add, (_result_of(row) for row in rows if row["held"] is None), nothing(plan))


def refuse_to_hold(plan: Plan, runs: Any, qrels: Any) -> None:
    """Raise when the preferences of single requests, which weights need, are too much.

    They have to fit in the memory of the driver, and in what Spark lets executors return to it.
    """
    n_requests, n_pairs = len(judged(qrels)), len(plan.runs) * (len(plan.runs) - 1) // 2
    shape = f"{n_pairs:,} pairs × {n_requests:,} requests × {len(plan.measures):,} measures"
    size = 8 * len(plan.measures) * n_requests * (n_pairs + len(plan.runs))
    what = f"weights: the preferences of {len(plan.runs):,} runs ({shape}), which go to the driver,"
    advice = "take fewer runs or measures, or evaluate on one machine, in parts"
    setting = "spark.driver.maxResultSize"
    told = str(runs.sparkSession.conf.get(setting, "1g"))
    most = int(told) if told.isdigit() else parse_memory(told)
    memory_use.refuse_more_than_available(
        size, what, f"{setting} is {told}: raise it, {advice}", most or None
    )
    memory_use.refuse_more_than_available(_COPIES * size, what, advice)


def executor_call(name: str, plan: bytes, version: str) -> Callable[..., Any]:
    """Return a function that calls one of this module with a plan, for equal versions only.

    It is local so that PySpark sends its code, not its name: it has to report a machine that has no
    lexiframe, or another version.
    """
    schema = _SCHEMA

    def call(*arguments: Any) -> Any:
        import importlib
        import sys

        import pyarrow

        try:
            found = importlib.import_module("lexiframe").__version__
        except ImportError as error:
            found = f"none ({error})"
        if found == version:
            job = importlib.import_module("lexiframe.connect.engines.spark.job")
            return getattr(job, name)(plan, *arguments)
        message = (
            f"expected lexiframe {version} in the Python of Spark's executors ({sys.executable}), "
            f"found {found}; ship them an environment that has it, or set PYSPARK_PYTHON to a "
            "Python that has it before the session starts"
        )
        row = {"kind": "LexiframeError", "message": message}
        return pyarrow.Table.from_pylist([row], schema=schema)

    return call


@lru_cache(maxsize=1)
def _loaded(plan: bytes) -> Plan:
    """Return a plan from its pickle; a process does so once, since it has many buckets."""
    from pyspark import cloudpickle

    try:
        loaded: Plan = cloudpickle.loads(plan)
    except ImportError as error:
        raise LexiframeError(
            f"the executors cannot load the measures ({error}); ship the module in which yours are "
            "defined, with spark.addArtifact or --py-files"
        ) from None
    return loaded


def _row_of(plan: bytes, key: tuple[Any], runs: pa.Table, qrels: pa.Table) -> pa.Table:
    """Evaluate the bucket of a key, and return a row with the result."""
    try:
        data = runs.drop([BUCKET]), qrels.drop([BUCKET])
        loaded = _loaded(plan)
        held = Held(loaded) if loaded.weighs else None
        found = evaluate_bucket(loaded, *data, key[0].as_py(), held)
        row: dict[str, Any] = {"result": found.to_bytes(), "held": held and encoded(held.cubes)}
    except LexiframeError as error:
        row = {"kind": type(error).__name__, "message": str(error)}
    return pa.Table.from_pylist([row], schema=_SCHEMA)


def _summed(_plan: bytes, batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """Add up the results of a task's buckets as they come; the first error takes their place.

    Arrays of single requests are passed on.
    """
    total, rows = None, list[dict[str, Any]]()
    for row in (row for batch in batches for row in batch.to_pylist()):
        if row["kind"] is not None:
            return pa.Table.from_pylist([row], schema=_SCHEMA)
        found = BucketResult.from_bytes(row["result"])
        total = found if total is None else total + found
        rows += [{"held": row["held"]}] if row["held"] is not None else []
    rows += [] if total is None else [{"result": total.to_bytes()}]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _result_of(row: Any) -> BucketResult:
    """Return the result that a row holds; raise the error if it holds one."""
    if row["kind"] is not None:
        raise getattr(errors, row["kind"], LexiframeError)(row["message"])
    return BucketResult.from_bytes(bytes(row["result"]))


def _held_in(row: Any) -> list[PairCube]:
    """Return the arrays of single requests that a row holds."""
    if row["held"] is None:
        return []
    found: list[PairCube] = decoded(bytes(row["held"]), (PairCube, ScoreCube))
    return found


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


def judged(qrels: Any) -> pl.Series:
    """Return the judged requests, sorted."""
    with errors_of_spark():
        found = qrels.select(qrels["query_id"].cast("string")).distinct().toArrow()["query_id"]
    return pl.Series(found.to_pylist(), dtype=pl.String).sort()


def check_session(spark: Any) -> None:
    """Raise when PySpark is missing or older than version 4, and without a running session."""
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
