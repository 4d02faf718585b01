"""Tables into files: Parquet and TREC text, whole or not at all."""

from __future__ import annotations

import gzip
import os
import tempfile
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.errors import LexiframeError, LexiframeWarning, SchemaError, unknown_name
from lexiframe.io import trec
from lexiframe.io.arrow import to_arrow
from lexiframe.io.frames import is_frame
from lexiframe.io.metadata import commented, header_text
from lexiframe.io.parts import split_runs
from lexiframe.io.provenance import describe, provenance_of, sources_in
from lexiframe.io.qrels import load_qrels
from lexiframe.io.runs import RunScan
from lexiframe.schemas import RUNS, check, to_polars

ROWS_PER_GROUP = 1 << 20


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Lend a temporary path beside ``path`` and rename it to ``path`` when all went well.

    Raises
    ------
    LexiframeError
        When the folder cannot be written to.
    """
    if path.is_dir():
        raise LexiframeError(f"{path}: cannot be written, because it is a folder")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise LexiframeError(
            f"{path}: cannot be written ({error.strerror or error}); "
            "choose another place or change its permissions"
        ) from None
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise LexiframeError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        temporary.unlink(missing_ok=True)


def output_folder(path: str | Path) -> Path:
    """Make a folder for results, when it is not there.

    Raises
    ------
    LexiframeError
        When it cannot be made or written to.
    """
    folder = Path(path).expanduser()
    refuse_unwritable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def refuse_unwritable(folder: Path) -> None:
    """Raise when a folder, or the nearest one above it that is there, cannot be written to."""
    try:
        nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise LexiframeError(
            f"{folder}: results cannot be written there ({error.strerror or error}); "
            "choose another folder or change its permissions"
        ) from None


def write_parquet(
    table: Any, path: str | Path, *, computed_from: Iterable[Any] = (), **facts: Any
) -> Path:
    """Write a frame as Parquet that says where it comes from; the same rows give the same bytes.

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
    path = Path(path).expanduser()
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


def sources_of(origin: Any, names: Sequence[Sequence[str]] | None = None) -> list[dict[str, Any]]:
    """Say which files runs or qrels come from; nothing for frames made in memory."""
    return origin.provenance(names) if isinstance(origin, RunScan) else sources_in(origin)


def write_parquet_file(path: Path, table: Any, facts: dict[str, Any]) -> None:
    """Write a frame as Parquet right to a path, with facts in the metadata beside its own."""
    from pyarrow import parquet

    arrow = table if isinstance(table, pa.Table) else to_arrow(to_polars(table))
    metadata = describe(provenance_of(arrow.schema) | facts)
    parquet.write_table(
        arrow.replace_schema_metadata(metadata).combine_chunks(),
        path,
        compression="zstd",
        row_group_size=ROWS_PER_GROUP,
    )


def write_trec(
    table: Any, path: str | Path, *, metadata: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Path]:
    """Write runs or judgments as TREC text, gzipped when the path ends in ``.gz``.

    Parameters
    ----------
    table
        Runs or qrels: any frame with their columns.
    path
        A file; several runs need a folder and get a file each.
    metadata
        ``{run: nested fields}``: ir_metadata that goes into comments at the head of a run's file.
        The metadata that a table of `read_runs` carries is written without being asked for.

    Returns
    -------
    list of pathlib.Path
        The files; each appears whole or not at all.

    Raises
    ------
    SchemaError
        When the frame has the columns of neither table, or values that text cannot hold.
    LexiframeError
        When several runs shall go into one file, the place cannot be written to, or metadata name
        a run that is not there, or come with judgments.
    TypeError
        For metadata that are no such dictionary.

    Warns
    -----
    LexiframeWarning
        With the count, when queries were answered with empty lists, which text cannot say.

    Examples
    --------
    >>> import tempfile
    >>> import lexiframe as lf
    >>> runs = lf.read_runs({"bm25": {"q1": {"d1": 2.5}}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = lf.write_trec(runs, folder, metadata={"bm25": {"actor": {"team": "us"}}})
    ...     print(paths[0].name, lf.run_metadata(paths[0])["actor.team"].item())
    bm25.trec us
    """
    frame, path = to_polars(table), Path(path).expanduser()
    if "relevance" in frame.columns:
        if metadata:
            raise LexiframeError("metadata: ir_metadata are of runs, found judgments to write")
        rows = _fit_for_text(load_qrels(frame).rows)
        return [_write_text(trec.text_of_qrels(rows), path)]
    if "score" not in frame.columns:
        raise SchemaError(
            f"expected runs (score) or qrels (relevance), found {', '.join(frame.columns)}"
        )
    runs = list(split_runs(_fit_for_text(_without_empty_answers(check(frame, RUNS)))))
    headers = _headers(table, _by_run(metadata), [name for name, _ in runs])
    for name, _ in runs:
        if Path(name).name != name:
            raise LexiframeError(f"the run {name!r} cannot name a file; rename it")
    is_folder = path.is_dir() or (len(runs) > 1 and path.suffix == "")
    if len(runs) > 1 and not is_folder:
        raise LexiframeError(f"{path}: {len(runs)} runs need a folder, a file each; found a file")
    if is_folder:
        output_folder(path)
    return [
        _write_text(
            headers.get(name, b"") + trec.text_of_run(rows, name),
            path / f"{name}.trec" if is_folder else path,
        )
        for name, rows in runs
    ]


def _by_run(metadata: Any) -> dict[str, Any]:
    given = {} if metadata is None else metadata
    if not (isinstance(given, Mapping) and all(isinstance(f, Mapping) for f in given.values())):
        raise TypeError(f"metadata: expected {{run: {{field: value}}}}, found {metadata!r}")
    return {str(run): fields for run, fields in given.items()}  # names may be integers


def _headers(
    table: Any, metadata: Mapping[str, Mapping[str, Any]], names: Collection[str]
) -> dict[str, bytes]:
    """Give each run's header: what was asked for, else what the table carries."""
    for name in metadata:
        if name not in names:
            raise unknown_name("run", name, names)
    schema = table.schema if isinstance(table, pa.Table) else None
    carried = provenance_of(schema).get("ir_metadata", {})
    kept = {name: commented(text) for name, text in carried.items()}
    return kept | {name: header_text(fields) for name, fields in metadata.items()}


def _without_empty_answers(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out queries that were answered with an empty list, and warn of it."""
    is_empty = rows["doc_id"].is_null() & rows["score"].is_null()
    if is_empty.any():
        warnings.warn(
            f"queries answered with an empty list, which TREC text cannot say: {is_empty.sum()}",
            LexiframeWarning,
            stacklevel=3,
        )
    return rows.filter(~is_empty)


def _fit_for_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Raise for what would not read back: ids with white space or none, scores that are none."""
    is_bad = [
        pl.col(pl.String).str.contains(r"^$|[ \t\v\f\r\n\x00]"),
        pl.col("query_id").str.starts_with("#").alias("begins with #"),
        pl.col(pl.Float64).is_null() | pl.col(pl.Float64).is_nan(),
    ]
    for column in rows.select(is_bad):
        if column.any():
            name = column.name if column.name in rows.columns else "query_id"
            first = rows.row(int(column.arg_true()[0]), named=True)
            raise SchemaError(
                f"TREC text cannot hold {first[name]!r} as {name}: ids have no white space and are "
                "not empty, a line that begins with # is a comment, numbers are numbers; write "
                "Parquet instead"
            )
    return rows


def _write_text(text: bytes, path: Path) -> Path:
    with replacing(path) as temporary:
        packed = gzip.compress(text, mtime=0) if path.suffix.lower() == ".gz" else text
        temporary.write_bytes(packed)
    return path
