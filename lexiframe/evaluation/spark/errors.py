"""Errors of Spark, of which users need one line and what they can do, not a Java stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lexiframe.base import LexiframeError, errors

_LOST = ("ExecutorLostFailure", "exited unexpectedly", "OutOfMemoryError", "MemoryError")
_UNREADABLE = re.compile(
    r"\[((?:FAILED_READ_FILE|PATH_NOT_FOUND|UNABLE_TO_INFER_SCHEMA|CANNOT_MERGE)[A-Z_.]*)\] (.*?)"
    r"(?:SQLSTATE|Please ensure|\n\s+at |\Z)",
    re.DOTALL,
)
_NO_FILE_SYSTEM = re.compile(r"ClassNotFoundException: Class (\S*FileSystem) not found")


@contextmanager
def errors_of_spark(buckets: int | None = None) -> Iterator[None]:
    """Raise LexiframeError for the errors of Spark that users can mend; leave others as they are.

    ``buckets`` is the number of buckets, when some are evaluated.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        said = str(error)
        if found := _UNREADABLE.search(said):
            raise LexiframeError(
                f"Spark cannot read the data ({found[1]}): {errors.in_one_line(found[2])}"
            ) from None
        if found := _NO_FILE_SYSTEM.search(said):
            raise LexiframeError(
                f"Spark has no {found[1]}, which reads such addresses; start the session with the "
                "package that it comes from (spark.jars.packages)"
            ) from None
        if "PYTHON_VERSION_MISMATCH" in said:
            raise LexiframeError(
                "Spark's executors run another version of Python than this process; set "
                "PYSPARK_PYTHON to a Python of the same version before the session starts"
            ) from None
        if buckets is not None and any(sign in said for sign in _LOST):
            raise LexiframeError(
                "Spark gave up, because processes that evaluated a bucket ended too often, as they "
                f"do when memory is short; give more buckets than {buckets} (buckets=), or "
                "executors more memory (spark.executor.memoryOverhead)"
            ) from error
        raise
