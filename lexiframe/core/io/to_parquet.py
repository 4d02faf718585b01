"""Writing tables as Parquet, with metadata on their sources: `write_parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.core.base import schemas, to_polars, typed
from lexiframe.core.io.column_forms.objects import is_frame
from lexiframe.core.io.files.provenance import describe, provenance_of, recorded_sources
from lexiframe.core.io.files.result_folders import NewTables
from lexiframe.core.io.run_scan import RunScan
from lexiframe.typing import Frame

ROWS_PER_GROUP = 1 << 20


@typed
def write_parquet(
    frame: Frame, path: str | Path, *, computed_from: Iterable[Any] = (), **facts: Any
) -> Path:
    """Write a frame as Parquet, with its provenance.

    The same rows with the same provenance and the same versions of lexiframe and PyArrow give the
    same bytes. The file has checksums of its pages and of all its bytes. lexiframe refuses to read
    the file if a bit has changed; in files of writers that add no checksums, it cannot detect that.

    Parameters
    ----------
    frame
        Any frame that exports Arrow. The provenance in the schema metadata of a table of
        `read_runs` or `read_qrels` is kept.
    path
        The file; it appears whole or not at all.
    computed_from
        One or several objects that the table was computed from: tables of `read_runs` and
        `read_qrels`, scans of `scan_runs`, an `Evaluation`. Their files with sha256, and the
        policies and measures of an evaluation, are written into the metadata. Polars' frames carry
        no metadata, so this is the only way to record them.
    **facts
        Further facts for the metadata, such as policies, measures or a seed.

    Returns
    -------
    pathlib.Path
        The path.

    Raises
    ------
    LexiframeError
        When the path cannot be written to.
    TypeError
        For another object in ``computed_from``, such as a path.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import lexiframe as lf
    >>> runs, qrels = lf.read_runs("data/example/runs"), lf.read_qrels("data/example/qrels.txt")
    >>> p = lf.positions(runs, qrels, rel=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lf.write_parquet(p, Path(folder, "p.parquet"), computed_from=[runs, qrels], rel=1).name
    'p.parquet'
    """
    from lexiframe.core.io.files.output_files import output_path, replacing

    path = output_path(path)
    if isinstance(frame, Iterator):  # a stream of batches is a frame, other iterators are none
        frame = to_polars(frame)
    provenance: dict[str, Any] = {}
    sources: list[dict[str, Any]] = []
    given: Any = computed_from
    is_list = isinstance(given, Iterable) and not isinstance(given, str | Path)
    is_list = is_list and getattr(given, "ndim", 1) > 0
    is_one = _is_origin(given) or not is_list
    for origin in [computed_from] if is_one else computed_from:
        if not _is_origin(origin):
            raise TypeError(
                "computed_from: expected tables of read_runs and read_qrels, scans of scan_runs, "
                f"or an Evaluation, found {origin!r}; read it first"
            )
        how = getattr(origin, "provenance", None)
        provenance |= how if isinstance(how, Mapping) else {}
        if isinstance(origin, RunScan):
            sources += origin.provenance()
        else:
            sources += recorded_sources(origin)
    provenance |= {"sources": sources} if sources else {}
    with replacing(path) as temporary:
        write_parquet_file(temporary, frame, provenance | facts)
    return path


def write_runs(runs: pa.Table, path: Path) -> Path:
    """Write a table of `read_runs` as Parquet, in the form that is read fastest.

    LZ4 makes files a little larger than Zstandard does and is unpacked in less time; rows that lie
    by request and score need not be sorted when they are read.
    """
    from lexiframe.core.io.files.output_files import output_path, replacing

    path = output_path(path)
    with replacing(path) as temporary:
        write_parquet_file(temporary, sort_within_runs(runs), {}, compression="lz4")
    return path


def sort_within_runs(runs: pa.Table) -> pa.Table:
    """Put the rows of each run in the order of query and descending score.

    Runs and queries stay in the order in which they begin, and equal scores in their order, which
    breaks ties where ``ties="input"`` is asked for. Sorted rows stay unchanged.
    """
    rows = to_polars(runs.select(["run", "query_id", "score"])).with_row_index("row")
    begins = {"of_run": "run", "of_query": ["run", "query_id"]}
    rows = rows.with_columns(pl.min("row").over(by).alias(name) for name, by in begins.items())
    keys, descending = [*begins, "score"], [False, False, True]
    order = rows.sort(keys, descending=descending, maintain_order=True)["row"].cast(pl.Int64)
    return runs if (order.diff().drop_nulls() > 0).all() else runs.take(order.to_arrow())


def _is_origin(data: Any) -> bool:
    """Return whether data is a frame, or carries its provenance."""
    return isinstance(data, RunScan) or hasattr(data, "provenance") or is_frame(data)


def write_parquet_file(
    path: Path, table: Any, facts: dict[str, Any], *, compression: str = "zstd"
) -> None:
    """Write a frame as Parquet to a path directly, and add facts to its metadata.

    An iterator of frames is one table, of which only one frame is in memory; of a frame only a
    million rows are as Arrow at a time. The file of an iterator does not keep Arrow's types: names
    that come as categories, which are written faster, are read as text. Pages and file have
    checksums.
    """
    from pyarrow import parquet

    from lexiframe.core.io.files.checksum import add_checksum

    are_several = isinstance(table, Iterator)
    frames = map(_as_arrow, table if are_several else _row_slices(table))
    first = next(frames)
    schema = first.schema.with_metadata(describe(provenance_of(first.schema) | facts))
    options: dict[str, Any] = {"compression": compression, "write_page_checksum": True}
    options["store_schema"] = not are_several
    with path.open("w+b") as file:
        with parquet.ParquetWriter(file, schema, **options) as writer:
            writer.add_key_value_metadata(schema.metadata)  # without Arrow's types it would go
            for frame in chain([first], frames):
                rows = frame.replace_schema_metadata(schema.metadata).combine_chunks()
                writer.write_table(rows, row_group_size=ROWS_PER_GROUP)
        add_checksum(file)


def _row_slices(table: Any) -> Iterator[Any]:
    """Yield the rows of a frame, as many at a time as a row group has."""
    if not isinstance(table, pl.DataFrame) or not table.height:
        return iter([table])
    return table.iter_slices(ROWS_PER_GROUP)


def _as_arrow(table: Any) -> pa.Table:
    return table if isinstance(table, pa.Table) else schemas.to_arrow(to_polars(table))


def write_tables(
    folder: str | Path,
    tables: Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    earlier: Iterable[Path] = (),
) -> list[Path]:
    """Write frames as Parquet, each under its name in a folder, all of them or none.

    ``facts`` go into the schema metadata of each, with its name. All files get one fingerprint,
    which tells the files of two writers apart. Other files of ``earlier`` results go.
    """
    from lexiframe.core.io.files.checksum import add_fingerprint
    from lexiframe.core.io.files.output_files import output_folder, replacing_all

    target = output_folder(folder)
    paths = [target / f"{name}.parquet" for name in tables]
    files = NewTables(target, [path.name for path in paths], [*({*earlier} - {*paths})])
    with replacing_all(paths, files) as temporaries:
        for (name, table), file in zip(tables.items(), temporaries, strict=True):
            write_parquet_file(file, table, {"table": name, **(facts or {})})
        add_fingerprint(temporaries)
    return paths
