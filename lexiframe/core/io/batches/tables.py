"""Tables that are larger than memory, as batches of rows: Parquet, Arrow, data sets, queries.

The batches have the columns of the table, and its order of rows. A table without rows is one batch
without rows, so that its columns are checked like those of any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.core.base import LexiframeError, SchemaError, schemas
from lexiframe.core.io.column_forms import of_collections
from lexiframe.core.io.column_forms.column_names import columns_of
from lexiframe.core.io.column_forms.objects import to_frame
from lexiframe.core.io.doubts.scores_against_ranks import batches_are_doubtful
from lexiframe.core.io.files.form import Batch, Form, size_in_rows
from lexiframe.core.io.files.packings import room_for, too_much
from lexiframe.core.io.files.parquet_tables import BUFFER
from lexiframe.core.io.files.tables import as_table, reading


@dataclass(frozen=True)
class Request:
    """The schema of a table, the user's names of its columns, and the rows of a batch.

    Ranks are read only when ``rank`` asks for them, or when there are no scores.
    """

    schema: schemas.TableSchema
    columns: Mapping[str, str]
    rows: int
    rank: bool = False

    @property
    def value(self) -> str:
        """The column of numbers."""
        return "score" if self.schema is schemas.RUNS else "relevance"

    def needed(self, arrow: pa.Schema, extra: Sequence[str] = ()) -> list[str] | None:
        """Return the columns to read; None for all, if they are found only when they are read."""
        is_list = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
        if any(test(field.type) for field in arrow for test in is_list):
            return None
        names = [*arrow.names, *extra]
        if of_collections.has_collections(names, self.columns):
            raise of_collections.several_in_one(self.schema.name, "several")
        try:
            found = columns_of(names, self.schema, "", self.columns)
        except SchemaError:  # the first batch raises it, with the name of the file
            return None
        if "score" in found and not self.rank:
            found.pop("rank", None)
        return [*found.values()]

    def check_first_rows(
        self, schema: pa.Schema, read: Callable[[list[str], int], Iterator[Batch]]
    ) -> Request:
        """Return a request for ranks too, if the first rows have scores that contradict them."""
        try:
            found = columns_of(schema.names, self.schema, "", self.columns)
        except SchemaError:  # as above
            return self
        is_run = self.schema is schemas.RUNS and not self.rank
        return replace(self, rank=True) if is_run and batches_are_doubtful(found, read) else self

    def frame(self, batch: Batch, where: str) -> pl.DataFrame:
        """Convert a batch of Arrow; broken offsets are found before Polars follows them."""
        batch.validate(full=True)
        if size_in_rows(batch, room_for(0)) > room_for(batch.nbytes):
            raise too_much(where, batch.nbytes, "batch")
        return to_frame(as_table(batch), self.value, where, keep_twins=True)


Batches = Callable[[Request], Iterator[pl.DataFrame]]


def read_file(form: Form, path: str, where: str, request: Request) -> Iterator[pl.DataFrame]:
    """Read a file that is no text; its checksums are verified, as `read_arrow` does."""
    with reading(where, form.name), pa.OSFile(path) as file:
        opened = form.open(file, where)
        request = request.check_first_rows(opened.schema, opened.batches)
        batches = opened.batches(request.needed(opened.schema), request.rows)
        yield from _slices(batches, opened.schema, where, request)


def read_fragment(fragment: Any, where: str, request: Request) -> Iterator[pl.DataFrame]:
    """Read a file of a PyArrow data set, with the values in the names of its folders as columns.

    Its own columns count, not those of the data set: where these differ, PyArrow would make nulls
    of a column that the file lacks, and fail at an id of another type.
    """
    from pyarrow import dataset

    with reading(where, "a file of the data set"):
        schema = fragment.physical_schema
        keys = dataset.get_partition_keys(fragment.partition_expression)
        keys = {name: value for name, value in keys.items() if name not in schema.names}
        read = partial(_batches_of_fragment, fragment, schema)
        request = request.check_first_rows(schema, read)
        needed = request.needed(schema, [*keys])
        columns = None if needed is None else [name for name in needed if name in schema.names]
        for frame in _slices(read(columns, request.rows), schema, where, request):
            values = [pl.lit(value).alias(name) for name, value in keys.items()]
            yield frame.with_columns(values)


def _batches_of_fragment(
    fragment: Any, schema: pa.Schema, columns: list[str] | None, rows: int
) -> Iterator[pa.RecordBatch]:
    """Read a file of a data set; Parquet without PyArrow's scanner, which reads far ahead."""
    from pyarrow import parquet

    if not hasattr(fragment, "row_groups"):
        yield from fragment.to_batches(
            schema, columns=columns, batch_size=rows, use_threads=False, batch_readahead=2
        )
        return
    with (
        fragment.open() as opened,
        parquet.ParquetFile(opened, buffer_size=BUFFER, pre_buffer=False) as file,
    ):
        groups = [group.id for group in fragment.row_groups]
        yield from file.iter_batches(rows, row_groups=groups, columns=columns, use_threads=False)


def compute_query(query: pl.LazyFrame, where: str, request: Request) -> Iterator[pl.DataFrame]:
    """Compute a Polars query."""
    n_batches = 0
    try:
        empty = query.collect_schema().to_frame()
        for batch in query.collect_batches(
            chunk_size=request.rows, maintain_order=True, lazy=True, engine="streaming"
        ):
            if batch.height:
                n_batches += 1
                yield batch
    except LexiframeError:
        raise
    except Exception as error:  # the plan may call any function of the user
        reason = str(error).strip().partition("\n")[0]
        raise SchemaError(
            f"{where}: the LazyFrame cannot be computed ({type(error).__name__}: {reason}); call "
            "its collect() to see more"
        ) from error
    if not n_batches:
        yield empty


def read_stream(data: Any, where: str, request: Request) -> Iterator[pl.DataFrame]:
    """Read a stream of Arrow batches: a DuckDB relation, a data set in memory, a reader."""
    with reading(where, "a stream of Arrow batches"), _reader(data, request.rows) as reader:
        yield from _slices(reader, reader.schema, where, request)


def _reader(data: Any, rows: int) -> pa.RecordBatchReader:
    for name in ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch"):
        if type(data).__module__.partition(".")[0] in ("duckdb", "_duckdb") and hasattr(data, name):
            return getattr(data, name)(rows)
    if hasattr(data, "scanner"):
        return data.scanner(batch_size=rows, use_threads=False).to_reader()
    if hasattr(data, "to_reader"):
        return data.to_reader()
    return pa.RecordBatchReader.from_stream(data)


def _slices(
    batches: Iterator[Batch], schema: pa.Schema, where: str, request: Request
) -> Iterator[pl.DataFrame]:
    """Convert batches, cut to the rows wanted; if there is none, yield one without rows."""
    n_batches = 0
    for batch in batches:
        for start in range(0, batch.num_rows, request.rows):
            n_batches += 1
            yield request.frame(batch.slice(start, request.rows), where)
    if not n_batches:
        yield request.frame(schema.empty_table(), where)


def cut_frame(data: Any, where: str, request: Request) -> Iterator[pl.DataFrame]:
    """Cut a frame that is in memory."""
    frame = to_frame(data, request.value, where, keep_twins=True)
    for start in range(0, max(frame.height, 1), request.rows):
        yield frame.slice(start, request.rows)
