"""Units in which runs and judgments are read: a file, a file of a data set, a frame, a query.

A unit is spilled as a whole or not at all, so that a job that was killed goes on behind the last
unit that was finished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from lexiframe.core.io.column_forms.objects import held, is_frame, is_one_run, refuse_open_file
from lexiframe.core.io.files import folders
from lexiframe.core.io.files.data_sources import File, Parts, expanded, is_in_ir_datasets, is_remote
from lexiframe.core.io.files.form import Form
from lexiframe.core.io.files.packings import packing_of
from lexiframe.core.io.forms import form_of
from lexiframe.core.io.qrel_files import file_or_data
from lexiframe.core.io.run_scan import RunScan
from lexiframe.core.io.runs import scan_runs

if TYPE_CHECKING:
    from lexiframe.core.io.batches.tables import Batches

_SAMPLE = 1 << 16
_PER_ROW = 24  # bytes of a row in an Arrow file: two ids and a score
_UNPACKED = 5  # text unpacks to about this many times its size


@dataclass(frozen=True)
class Unit:
    """A part of the data that is read and spilled whole.

    It is read in ``batches`` if it has them, else in pieces of the text at its ``path``, or else at
    once. ``source`` is the index of the source that it belongs to; ``rows`` counts or estimates its
    rows, and returns None when nobody knows. ``stamp`` is the size and time of its file. A query is
    read ``alone``: two of them may share a connection to a database.
    """

    where: str
    source: int = 0
    origin: Any = None
    batches: Batches | None = None
    path: str | None = None
    stamp: tuple[int, ...] | None = None
    rows: Callable[[], int | None] = lambda: None
    alone: bool = False


@dataclass(frozen=True)
class Sources:
    """Runs and judgments that were found already: iterators and readers can be found only once.

    ``judgments`` are as they were given, a file or data, and ``qrels`` their units.
    """

    scan: RunScan
    runs: list[Unit]
    judgments: Any
    qrels: list[Unit]

    @classmethod
    def find(cls, runs: Any, qrels: Any, **how: Any) -> Sources:
        """Find runs and judgments; ``how`` has the options of `scan_runs`."""
        scan = runs if isinstance(runs, RunScan) else scan_runs(_keep_readers(runs), **how)
        units = [
            unit
            for number, source in enumerate(scan.sources)
            for unit in _units(source.origin, source.where, number)
        ]
        judgments = file_or_data(_keep_readers(judgments_in(qrels)))
        return cls(scan, units, judgments, _units(judgments, "qrels", 0))

    def held(self) -> Sources:
        """Return sources that can be read repeatedly: readers of runs are read now."""
        if not any(isinstance(source.origin, Once) for source in self.scan.sources):
            return self
        several = [
            replace(source, origin=held(source.origin.reader, source.where))
            if isinstance(source.origin, Once)
            else source
            for source in self.scan.sources
        ]
        return Sources.find(replace(self.scan, sources=tuple(several)), self.judgments)


class Once:
    """A reader of record batches, which can be read only once, as a frame that exports Arrow."""

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.reader.__arrow_c_stream__(requested_schema)


def _keep_readers(data: Any) -> Any:
    """Replace the readers in dictionaries and lists, which `find_sources` would read at once."""
    refuse_open_file(data)
    if is_one_run(data):  # its rows may be tuples, which are no lists of runs
        return data
    if isinstance(data, Mapping):
        return {name: _keep_readers(value) for name, value in data.items()}
    if isinstance(data, list | tuple) or (isinstance(data, Iterator) and not is_frame(data)):
        return [_keep_readers(value) for value in data]
    return Once(data) if isinstance(data, pa.RecordBatchReader) else data


def judgments_in(data: Any) -> Any:
    """Replace a folder of Parquet files by the data set that it is."""
    is_path = isinstance(data, str | Path) and not is_remote(data) and not is_in_ir_datasets(data)
    is_set = is_path and (folders.is_empty(expanded(data)) or folders.is_data_set(expanded(data)))
    return folders.data_set(expanded(data)) if is_set else data


def _units(origin: Any, where: str, number: int) -> list[Unit]:
    if isinstance(origin, File | Parts):
        files = (origin,) if isinstance(origin, File) else origin.files
        return [_file_unit(file, number) for file in files]
    from lexiframe.core.io.batches.tables import compute_query, cut_frame, read_stream

    if _has_fragments(origin):
        return [_fragment_unit(one, number) for one in origin.get_fragments()]
    is_lazy, rows = isinstance(origin, pl.LazyFrame), _count_once(partial(_length, origin))
    if is_lazy or _is_stream(origin):
        batches = partial(compute_query if is_lazy else read_stream, origin, where)
        return [Unit(where, number, origin, batches, rows=rows, alone=True)]
    if is_frame(origin):
        return [Unit(where, number, origin, partial(cut_frame, origin, where), rows=rows)]
    return [Unit(where, number, origin, rows=rows)]


def is_query(data: Any) -> bool:
    """Return whether data are rows that are read when they are asked for."""
    return isinstance(data, pl.LazyFrame) or _is_stream(data) or _has_fragments(data)


def _is_stream(data: Any) -> bool:
    package = type(data).__module__.partition(".")[0]
    is_query = package in ("duckdb", "_duckdb") and is_frame(data)
    is_table = isinstance(data, pa.Table | pa.RecordBatch)
    is_of_arrow = package == "pyarrow" and is_frame(data) and not is_table
    return isinstance(data, Once) or is_query or is_of_arrow


def _has_fragments(data: Any) -> bool:
    """Return whether data is a data set of files that is neither filtered nor projected."""
    if not (type(data).__module__ == "pyarrow._dataset" and hasattr(data, "files")):
        return False
    try:
        data.get_fragments()
    except ValueError:
        return False
    return True


def _file_unit(file: File, number: int) -> Unit:
    where = str(file)
    if file.data is not None:
        size = len(file.data)
        return Unit(where, number, file, rows=lambda: size // _PER_ROW)
    with file.opened() as opened:
        start = opened.read(_SAMPLE)
    stamp = file.stamp()
    form, size = form_of(start), stamp[2] if stamp else 0
    known = partial(Unit, where, number, file, path=file.path, stamp=stamp and stamp[2:])
    if form is None:
        return known(rows=lambda: _rows_of_text(start, size))
    from lexiframe.core.io.batches.tables import read_file

    rows = _count_once(partial(_n_file_rows, form, file.path, size))
    return known(batches=partial(read_file, form, file.path, where), rows=rows)


def _fragment_unit(fragment: Any, number: int) -> Unit:
    from lexiframe.core.io.batches.tables import read_fragment

    path = fragment.path
    info = fragment.filesystem.get_file_info(path)
    stamp = (info.size or 0, info.mtime_ns or 0)
    is_local = fragment.filesystem.type_name == "local"
    batches = partial(read_fragment, fragment, path)
    rows, local = _count_once(fragment.count_rows), path if is_local else None
    return Unit(path, number, fragment, batches, path=local, stamp=stamp, rows=rows)


def _count_once(count: Callable[[], Any]) -> Callable[[], int | None]:
    """Return a function that counts once, and returns None where that is not possible."""

    @cache
    def rows() -> int | None:
        try:
            return int(count())
        except Exception:  # noqa: BLE001 - reading it says what is wrong
            return None

    return rows


def _length(data: Any) -> int:
    """Count the rows of a data set, a DuckDB relation or an object."""
    if isinstance(data, pl.LazyFrame):
        return int(data.select(pl.len()).collect(engine="streaming").item())
    if isinstance(data, Mapping):
        return sum(len(one) if isinstance(one, Mapping) else 1 for one in data.values())
    if hasattr(data, "count_rows"):
        return int(data.count_rows())
    if type(data).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        return int(data.shape[0])
    return int(data.num_rows) if hasattr(data, "num_rows") else len(data)


def _n_file_rows(form: Form, path: str, size: int) -> int | None:
    if form.n_rows is None:
        return size // _PER_ROW
    with pa.OSFile(path) as file:
        return form.n_rows(file)


def _rows_of_text(start: bytes, size: int) -> int:
    if packing_of(start) is not None:
        return size * _UNPACKED // (2 * _PER_ROW)
    return size * (start.count(b"\n") or 1) // max(len(start), 1)
