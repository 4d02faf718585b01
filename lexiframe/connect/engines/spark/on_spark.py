"""Evaluation on a Spark cluster, where the runs and judgments lie: `spark.evaluate`.

It needs PySpark 4, which the extra ``spark`` installs, and Java 17 or later.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, Protocol, Unpack

from lexiframe import features
from lexiframe.connect.engines.spark.data import collected, qrels_of, runs_of
from lexiframe.connect.engines.spark.job import (
    check_session,
    judged,
    reduced_on_spark,
    refuse_to_hold,
    rows_by_run,
    some_queries,
)
from lexiframe.core.base import LexiframeError, shown
from lexiframe.core.base.feature import Items
from lexiframe.core.evaluation.buckets.held import Held
from lexiframe.core.evaluation.buckets.plan import KEPT, Kept, Plan
from lexiframe.core.evaluation.buckets.results import BucketResult
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.from_parts import are_of_sums, evaluated_by, tables_to_keep
from lexiframe.core.evaluation.options import Asked, Options, name_options
from lexiframe.core.io import data_sources, one_run, output_files
from lexiframe.core.metrics import needed
from lexiframe.core.significance import own_tests, tests
from lexiframe.typing import FrameKind, HasItems, MeasureLike, QrelsLike, RunsLike

__all__ = ["evaluate"]

ROWS_PER_BUCKET = 250_000
"""The rows of runs of a bucket, where the user does not say how many buckets there are."""


class Session(Protocol):
    """A ``SparkSession``."""

    @property
    def read(self) -> Any:
        """The reader of files into data frames."""

    def createDataFrame(self, data: Any) -> Any:
        """Make a data frame of a table in memory."""


class SparkFrame(Protocol):
    """A data frame of Spark."""

    @property
    def sparkSession(self) -> Any:
        """The session that it belongs to."""


@name_options
def evaluate(
    spark: Session,
    runs: RunsLike | SparkFrame,
    qrels: QrelsLike | SparkFrame,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    out: str | Path | None = None,
    keep: str | Sequence[str] = ("scores", "preferences"),
    buckets: int | None = None,
    items: HasItems | None = None,
    frames: FrameKind | None = None,
    **options: Unpack[Options],
) -> Evaluation:
    """Compare runs on a Spark cluster; the tables are those of `evaluate`, bit for bit.

    Spark divides the requests into buckets, and its executors evaluate one bucket after the other
    with the functions that are used in memory. The driver gets sums, and makes the tables from
    them. An executor that is lost changes nothing: Spark repeats its tasks, and the sums do not
    depend on their order.

    Parameters
    ----------
    spark
        The ``SparkSession``. The Python of its executors needs the same version of lexiframe (set
        ``PYSPARK_PYTHON`` before the session starts).
    runs
        A data frame of Spark, or a path that Spark reads: Parquet, ORC, CSV or TSV with a header,
        or JSON lines, known by its ending; a folder or an address without one is Parquet. Also
        ``{name: data frame or path}``, or a list of data frames or paths. What else `read_runs`
        takes (TREC text, frames of Polars) is read by the driver. Columns may have the names that
        `read_runs` knows; ids are integers or text. Rows without a column of runs are those of one
        run, ``run``: names of files that Spark reads name no runs, other than folders ``run=NAME``.
    qrels
        The same with judgments, see `read_qrels`.
    measures, rel, score_type, no_relevant, duplicates, unjudged, depth, exclude_self, exclude
        As for `evaluate`.
    order
        As for `evaluate`.
    ties
        As for `evaluate`, but for ``"input"``: the rows of a data frame of Spark have no order.
    out : path, optional
        A folder that the driver and all executors share, for the tables of ``keep``.
    keep
        The tables to write to ``out``, a Parquet file for each bucket: ``"scores"``,
        ``"preferences"`` or both, in folders of these names.
    buckets : int, optional
        The number of buckets. Each has to fit into the memory of an executor's Python, so there
        should be many more than tasks that run at a time. Default: one for every 250,000 rows of
        runs, which are counted first (of Parquet, this reads the column of runs alone).
    items : Items, optional
        As for `evaluate`; the catalogue and its history are sent to every executor.
    test, correction, family, alpha, alternative, baseline, trials, seed
        As for `evaluate`; the tests are those that sums suffice for (``"t"``, ``"sign"``).
    weights, strata, shares
        As for `evaluate`. The executors then return the preferences of single requests, which have
        to fit in the memory of the driver.
    requests, by
        As for `evaluate`; a data frame of Spark is collected.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Evaluation
        All tables but scores and preferences, which are in ``out``.

    Raises
    ------
    LexiframeError
        As `evaluate`. When PySpark is missing or older than version 4; when the executors have no
        lexiframe, or another version; when Spark cannot read the data; when processes that evaluate
        a bucket end again and again, as they do when memory is short; when ``out`` has such
        tables already, or cannot be written to; and, with the amount, when the preferences that
        weights need do not fit in the memory of the driver.

    Examples
    --------
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> import lexiframe as lf
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()  # doctest: +SKIP
    >>> folder = lf.bundled("example")
    >>> e = lf.spark.evaluate(spark, folder / "runs", folder / "qrels.txt", "RPP RR")
    ... # doctest: +SKIP
    >>> e.tie_rates.select("measure", "ties").rows()  # doctest: +SKIP
    [('RPP', 1), ('RR', 6)]
    """
    options["requests"] = collected(options.get("requests"))
    how = Asked.given(measures, **options)
    beside = None
    if items is not None:
        beside = features.needed(Items, "evaluate").measured_beside(items, how)
        how = beside.how
    _check_arguments(how, buckets)
    kept = tables_to_keep(keep, out or "", resume=False)
    check_session(spark)
    with _writing(out, kept) as folder:
        sides = runs_of(spark, runs), qrels_of(spark, qrels)
        rows = rows_by_run(sides[0])
        named = [*map(str, runs)] if isinstance(runs, Mapping) else []
        if lacking := [name for name in named if name not in rows]:
            raise one_run.no_rows(lacking)
        n = -(-sum(rows.values()) // ROWS_PER_BUCKET) if buckets is None else int(buckets)

        def on_spark(plan: Plan, held: Held | None) -> BucketResult:
            if held is not None:
                refuse_to_hold(plan, *sides)
            return reduced_on_spark(plan, *sides, n, held)

        e = evaluated_by(
            on_spark if beside is None else beside.around(on_spark, partial(judged, sides[1])),
            how,
            sorted(rows),
            {"runs": _sources(runs), "qrels": _sources(qrels)},
            partial(some_queries, *sides),
            out=folder,
            keep=() if out is None else kept,
        )
        return e if beside is None else beside.completed(e)


def _check_arguments(how: Asked, buckets: int | None) -> None:
    """Raise for arguments that cannot be used here, before Spark does anything."""
    if not are_of_sums(how):
        named = map(own_tests.name_of_test, own_tests.several(how.inference.test))
        test = next(name for name in named if name not in tests.OF_SUMS)
        raise LexiframeError(
            f"evaluate: the test {test!r} needs the preferences of each request, and executors "
            f"return their sums; take {' or '.join(tests.OF_SUMS)}, or evaluate on one machine, "
            "in parts"
        )
    needed.refuse_lower_rel(how.measures, how.policies.rel)
    if how.policies.ties == "input":
        raise LexiframeError(
            "ties: 'input' takes the order of rows, which data frames of Spark do not have; take "
            "'doc_id_desc', or 'rank' and a column of ranks"
        )
    is_whole = isinstance(buckets, Integral) and not isinstance(buckets, bool)
    if buckets is not None and not (is_whole and 1 <= buckets < 2**31):
        raise LexiframeError(f"buckets: expected a whole number from 1, found {shown(buckets)}")


@contextmanager
def _writing(out: str | Path | None, kept: Sequence[Kept]) -> Iterator[Path | None]:
    """Yield the folder to write to, with empty folders for tables; clean it up after an error."""
    if out is None:
        yield None
        return
    if data_sources.is_remote(out):
        raise LexiframeError(
            f"out: expected a folder that the driver and all executors share, found the address "
            f"{data_sources.public_address(str(out))}; give the path of a shared folder"
        )
    is_new = not output_files.output_path(out).exists()
    folder = output_files.output_folder(out).absolute()
    tables = [folder / name for name in kept]
    for table in [folder / name for name in KEPT] if kept else []:
        if table.exists() and any(table.iterdir()):
            raise LexiframeError(
                f"{table}: expected no files of an earlier evaluation, found some; give another "
                "folder as out=, or delete this one"
            )
    try:
        for table in tables:
            table.mkdir(exist_ok=True)
        yield folder
    except BaseException:
        for table in tables:
            shutil.rmtree(table, ignore_errors=True)
        if is_new:
            with suppress(OSError):  # somebody may have put something else into it
                folder.rmdir()
        raise


def _sources(data: Any) -> list[dict[str, Any]]:
    """Return the paths that were read, as provenance has them; data frames have none."""
    if isinstance(data, Mapping):
        return [{"run": str(n), **fact} for n, one in data.items() for fact in _sources(one)]
    given = data if isinstance(data, list | tuple) else [data]
    return [{"path": str(path)} for path in given if isinstance(path, str | Path)]
