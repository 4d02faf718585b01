"""Tables into Parquet that says what they were computed from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from lexiframe.io.files.arrow import to_arrow
from lexiframe.io.files.checksum import add_checksum
from lexiframe.io.files.outputs import output_path, replacing
from lexiframe.io.files.provenance import describe, provenance_of, sources_in
from lexiframe.io.runs import RunScan, SourceRead
from lexiframe.io.tables.objects import is_frame
from lexiframe.schemas import to_polars
from lexiframe.typing import Frame

ROWS_PER_GROUP = 1 << 20


def write_parquet(
    table: Frame, /, path: str | Path, *, computed_from: Iterable[Any] = (), **facts: Any
) -> Path:
    """Write a frame as Parquet that says where it comes from; the same rows give the same bytes.

    It has checksums, of its pages and of the whole file, and lexiframe refuses to read it when a
    bit of it has changed. Of files by writers that leave no checksums nobody can tell.

    Parameters
    ----------
    table
        Any frame that exports Arrow. The provenance that a table of `read_runs` or `read_qrels`
        carries in its schema metadata is kept.
    path
        The file; it appears whole or not at all.
    computed_from
        What the table was computed from, one or several: tables of `read_runs` and `read_qrels`,
        scans of `scan_runs`, an `Evaluation`. Their files with sha256, and the policies and
        measures of an evaluation, are written into the metadata, since Polars' frames carry none.
    **facts
        What else the metadata shall say: policies, measures, a seed ...

    Returns
    -------
    pathlib.Path
        The path.

    Raises
    ------
    LexiframeError
        When the place cannot be written to.
    TypeError
        For something else in ``computed_from``, such as a path.

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
    path = output_path(path)
    said: dict[str, Any] = {}
    sources: list[dict[str, Any]] = []
    for origin in [computed_from] if _is_origin(computed_from) else computed_from:
        if not _is_origin(origin):
            raise TypeError(
                "computed_from: expected tables of read_runs and read_qrels, scans of scan_runs, "
                f"or an Evaluation, found {origin!r}; read it first"
            )
        how = getattr(origin, "provenance", None)
        said |= how if isinstance(how, Mapping) else {}
        sources += sources_of(origin)
    said |= {"sources": sources} if sources else {}
    with replacing(path) as temporary:
        write_parquet_file(temporary, table, said | facts)
    return path


def _is_origin(data: Any) -> bool:
    """Tell what knows where it comes from, or is a frame."""
    return isinstance(data, RunScan) or hasattr(data, "provenance") or is_frame(data)


def sources_of(origin: Any, read: Sequence[SourceRead] | None = None) -> list[dict[str, Any]]:
    """Say which files runs or qrels come from; nothing for frames made in memory.

    ``read`` is what is known of the sources of runs that were read already.
    """
    return origin.provenance(read) if isinstance(origin, RunScan) else sources_in(origin)


def write_parquet_file(path: Path, table: Any, facts: dict[str, Any]) -> None:
    """Write a frame as Parquet right to a path, with facts in the metadata beside its own.

    Pages and file have checksums, which tell when a bit flipped.
    """
    from pyarrow import parquet

    arrow = table if isinstance(table, pa.Table) else to_arrow(to_polars(table))
    metadata = describe(provenance_of(arrow.schema) | facts)
    with path.open("w+b") as file:
        parquet.write_table(
            arrow.replace_schema_metadata(metadata).combine_chunks(),
            file,
            compression="zstd",
            row_group_size=ROWS_PER_GROUP,
            write_page_checksum=True,
        )
        add_checksum(file)
