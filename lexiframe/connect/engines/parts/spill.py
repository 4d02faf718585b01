"""Files of rows that are sorted by bucket: each has one record batch for every bucket.

One large file for many rows, and not one file for each bucket: a thousand sources and a hundred
buckets would be a hundred thousand small files. Arrow's file format says where each record batch
begins, so a bucket is read without reading the others. The files are not compressed: that took more
time than all other work on the rows.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe.core.base import Problem, ReadError, errors, hashing
from lexiframe.core.evaluation.buckets.whole_files import cannot_write, named_when_whole


@dataclass
class Spill:
    """Rows of one unit, on their way to files.

    They are held until they take ``room`` bytes, then sorted by bucket and written. ``counts`` has
    the number of rows of each bucket, ``files`` the names of the files written, and ``checks`` the
    checksum of each bucket in each of them.
    """

    folder: Path
    name: str
    room: int
    counts: np.ndarray
    files: list[str] = field(default_factory=list)
    checks: list[list[int]] = field(default_factory=list)
    _held: list[pl.DataFrame] = field(default_factory=list)
    _n_bytes: int = 0

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows; their columns may differ from the columns of earlier rows."""
        if self._held and self._held[0].schema != rows.schema:
            self.flush()
        self._held.append(rows)
        self._n_bytes += int(rows.estimated_size())
        if self._n_bytes >= self.room:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are held."""
        held, self._held, self._n_bytes = self._held, [], 0
        if not held:
            return
        rows = pl.concat(held)
        del held
        n_buckets = len(self.counts)
        bucket = hashing.bucket_of(rows["query_id"], n_buckets)
        counts = np.bincount(bucket, minlength=n_buckets)
        # NumPy's stable sort of integers of up to 16 bits is a radix sort, which is much faster.
        order = np.argsort(bucket.astype(np.min_scalar_type(n_buckets - 1)), kind="stable")
        table = rows[order].to_arrow(compat_level=pl.CompatLevel.oldest())
        name = f"{self.name}-{len(self.files):05}.arrow"
        try:
            checks = _write(self.folder / name, table, counts)
        except (OSError, pa.ArrowException) as error:
            raise cannot_write(self.folder, error, table.nbytes) from None
        self.files.append(name)
        self.checks.append(checks)
        self.counts += counts

    def remove(self) -> None:
        """Remove the files written: the unit could not be finished."""
        for name in self.files:
            (self.folder / name).unlink(missing_ok=True)


def _write(path: Path, table: pa.Table, counts: np.ndarray) -> list[int]:
    """Write the rows of all buckets, and return the checksum of each."""
    checks = []
    whole = table.combine_chunks().to_batches()
    empty = pa.RecordBatch.from_pylist([], table.schema)
    batch = whole[0] if whole else empty
    with (
        named_when_whole(path) as temporary,
        pa.OSFile(str(temporary), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        start = 0
        for count in counts.tolist():
            # of a slice without rows, PyArrow would write the buffers of the whole batch
            rows = batch.slice(start, count) if count else empty
            writer.write_batch(rows)
            checks.append(zlib.crc32(rows.serialize()))
            start += count
    return checks


def read_bucket(path: Path, bucket: int, checks: Sequence[int]) -> pl.DataFrame:
    """Read the rows of a bucket from a file; raise when they differ from the written ones."""
    try:
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            batch = reader.get_batch(bucket)
            batch.validate(full=True)
            if zlib.crc32(batch.serialize()) != checks[bucket]:
                raise ValueError("its bytes are not those that were written")
            return pl.DataFrame(pa.Table.from_batches([batch]))
    except (OSError, pa.ArrowException, ValueError) as error:
        found = f"the file of buckets cannot be read ({errors.one_line(error)})"
        advice = "start again without resume"
        raise ReadError(Problem(str(path), "", found, advice)) from None
