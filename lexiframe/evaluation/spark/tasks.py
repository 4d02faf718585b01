"""What Spark's executors do: evaluate buckets, and add up the results of the buckets of a task.

Errors about data are rows of the result. An exception would make Spark repeat the task, and would
reach the user inside a Java stack trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa

from lexiframe.base import LexiframeError, __version__, errors
from lexiframe.evaluation.buckets.bucket import evaluate_bucket, noted_warnings, with_warnings
from lexiframe.evaluation.buckets.plan import Plan
from lexiframe.evaluation.buckets.results import BucketResult
from lexiframe.evaluation.spark.cogroup import BUCKET

ROWS = "bucket int, result binary, error string"
"""The columns of results in Spark's notation.

``result`` is that of a bucket, or the sum of those of several, of which ``bucket`` is one.
``error``, if it is not null, has the kind and the message of an error as JSON.
"""
SCHEMA = pa.schema({"bucket": pa.int32(), "result": pa.binary(), "error": pa.string()})


def evaluation_of_bucket(plan: bytes) -> Callable[..., pa.Table]:
    """Return the function from a bucket's key and rows to its result, for Spark to send."""
    row_of = _for_executors("bucket_row", plan, __version__)

    def evaluate(key: tuple[Any], runs: pa.Table, qrels: pa.Table) -> pa.Table:
        return row_of(key, runs, qrels)  # Spark counts the parameters

    return evaluate


def sum_of_buckets(plan: bytes) -> Callable[..., Iterator[pa.RecordBatch]]:
    """Return the function that adds up the results of a task's buckets, for Spark to send."""
    summed_of = _for_executors("summed", plan, __version__)

    def add(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from summed_of(batches).to_batches()

    return add


def _for_executors(name: str, plan: bytes, version: str) -> Callable[..., Any]:
    """Return a function that calls one of this module's with a plan, where lexiframe is the same.

    It is local so that PySpark sends its code, not its name: it has to say what is wrong on a
    machine that has no lexiframe, or another version.
    """
    schema = SCHEMA

    def call(*arguments: Any) -> Any:
        import importlib
        import json
        import sys

        import pyarrow

        try:
            found = importlib.import_module("lexiframe").__version__
        except ImportError as error:
            found = f"none ({error})"
        if found == version:
            tasks = importlib.import_module("lexiframe.evaluation.spark.tasks")
            return getattr(tasks, name)(plan, *arguments)
        message = (
            f"expected lexiframe {version} in the Python of Spark's executors ({sys.executable}), "
            f"found {found}; ship them an environment that has it, or set PYSPARK_PYTHON to a "
            "Python that has it before the session starts"
        )
        said = json.dumps({"kind": "LexiframeError", "message": message})
        return pyarrow.Table.from_pylist([{"bucket": -1, "error": said}], schema=schema)

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


def bucket_row(plan: bytes, key: tuple[Any], runs: pa.Table, qrels: pa.Table) -> pa.Table:
    """Evaluate the bucket of a key, and return a row with the result."""
    bucket = key[0].as_py()
    try:
        data = runs.drop([BUCKET]), qrels.drop([BUCKET])
        with noted_warnings() as caught:
            result = evaluate_bucket(_loaded(plan), *data, bucket)
        result = with_warnings(result, caught)
    except LexiframeError as error:
        said = json.dumps({"kind": type(error).__name__, "message": str(error)})
        return pa.table([[bucket], [None], [said]], schema=SCHEMA)
    return pa.table([[bucket], [result.to_bytes()], [None]], schema=SCHEMA)


def summed(_plan: bytes, batches: Iterable[pa.RecordBatch]) -> pa.Table:
    """Add up the results of a task's buckets as they come; the first error takes their place."""
    total: BucketResult | None = None
    for batch in batches:
        for row in batch.to_pylist():
            if row["error"] is not None:
                return pa.Table.from_pylist([row], schema=SCHEMA)
            found = BucketResult.from_bytes(row["result"])
            total = found if total is None else total + found
    rows = [] if total is None else [{"bucket": row["bucket"], "result": total.to_bytes()}]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def result_of(row: Mapping[str, Any]) -> BucketResult:
    """Return the result that a row holds; raise the error if it holds one."""
    if row["error"] is None:
        return BucketResult.from_bytes(bytes(row["result"]))
    said = json.loads(row["error"])
    kind = getattr(errors, said["kind"], LexiframeError)
    raise kind(said["message"])
