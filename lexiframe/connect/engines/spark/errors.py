"""Errors of Spark in one line with advice, in place of a Java stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lexiframe.core.base import LexiframeError, errors

_LOST = "ExecutorLostFailure|exited unexpectedly|OutOfMemoryError|MemoryError"
_IN_WORDS = {
    r"\[((?:FAILED_READ_FILE|PATH_NOT_FOUND|UNABLE_TO_INFER_SCHEMA|CANNOT_MERGE)[A-Z_.]*)\] (.*?)"
    r"(?:SQLSTATE|Please ensure|\n\s+at |\Z)": "Spark cannot read the data ({0}): {1}",
    r"ClassNotFoundException: Class (\S*FileSystem) not found": (
        "Spark has no {0}, which reads such addresses; start the session with the package that it "
        "comes from (spark.jars.packages)"
    ),
    "PYTHON_VERSION_MISMATCH": (
        "Spark's executors run another version of Python than this process; set PYSPARK_PYTHON to "
        "a Python of the same version before the session starts"
    ),
}


@contextmanager
def errors_of_spark(buckets: int | None = None) -> Iterator[None]:
    """Raise LexiframeError for errors of Spark that users can mend; any other is raised unchanged.

    ``buckets`` is the number of buckets, when some are evaluated.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        for pattern, words in _IN_WORDS.items():
            if found := re.search(pattern, str(error), re.DOTALL):
                raise LexiframeError(words.format(*map(errors.one_line, found.groups()))) from None
        if buckets is not None and re.search(_LOST, str(error)):
            raise LexiframeError(
                "Spark gave up, because processes that evaluated a bucket ended too often, as they "
                f"do when memory is short; give more buckets than {buckets} (buckets=), or "
                "executors more memory (spark.executor.memoryOverhead)"
            ) from error
        raise
