"""Two Spark data frames, bucket by bucket: the only call of what Spark marks as unstable."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

BUCKET = "bucket"
"""The column of the number of a row's bucket."""


def reduce_buckets(
    left: Any,
    right: Any,
    of_bucket: Callable[[tuple[Any], pa.Table, pa.Table], pa.Table],
    of_task: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: str,
) -> Any:
    """Apply a function to the rows of each bucket of two data frames, and reduce what it returns.

    Parameters
    ----------
    left, right
        Spark data frames with the column ``bucket``.
    of_bucket
        From the key of a bucket and its rows of both data frames, as two Arrow tables, to an Arrow
        table. A table is empty when its data frame has no rows of the bucket.
    of_task
        From the tables of the buckets that one task has evaluated, as they come, to fewer rows.
    schema
        The columns of both functions' tables, in Spark's notation.

    Returns
    -------
    pyspark.sql.DataFrame
        The rows of all tasks, in no particular order.
    """
    pairs = left.groupBy(BUCKET).cogroup(right.groupBy(BUCKET))
    with warnings.catch_warnings():  # PySpark warns of pandas 3, which nothing here uses
        warnings.simplefilter("ignore", FutureWarning)
        return pairs.applyInArrow(of_bucket, schema).mapInArrow(of_task, schema)
