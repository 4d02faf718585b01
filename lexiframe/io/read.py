"""Runs and judgments from files and frames: ``read_runs``, ``scan_runs``, ``read_qrels``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow as pa

from lexiframe.errors import LexiframeError, ReadError, SchemaError
from lexiframe.io import trec
from lexiframe.io.provenance import describe, file_facts
from lexiframe.io.sources import (
    Source,
    find_sources,
    one_run_per_source,
    only_file,
    refuse_twins,
)
from lexiframe.progress import in_threads
from lexiframe.schemas import QRELS, RUNS, check, to_polars

NameFrom = Literal["file", "tag"]
_PARQUET = b"PAR1"


@dataclass(frozen=True)
class RunPart:
    """One run.

    Attributes
    ----------
    name
        What it is called.
    rows
        ``query_id``, ``doc_id``, ``score`` and perhaps ``rank``, in the order of the file.
    where
        What error messages call it.
    empty
        The queries that it answered with an empty list: they have no rows.
    """

    name: str
    rows: pl.DataFrame
    where: str
    empty: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunScan:
    """Runs that are read when they are needed, a file at a time; made by `scan_runs`.

    Attributes
    ----------
    sources
        The files or frames.
    name_from
        What names a run: its ``"file"`` or its ``"tag"``.
    """

    sources: tuple[Source, ...]
    name_from: NameFrom

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, index: int, *, rank: bool = False) -> list[RunPart]:
        """Read one source into its runs (one, unless a table carries several)."""
        return load_source(self.sources[index], self.name_from, rank=rank)

    def provenance(self) -> list[dict[str, Any]]:
        """Give path and sha256 of every file, sorted."""
        files = [s for s in self.sources if isinstance(s.origin, Path)]
        facts = [file_facts(s.origin, run=s.name) for s in files]
        return sorted(facts, key=lambda fact: (str(fact["run"]), str(fact["path"])))


def scan_runs(runs: Any, *, name_from: NameFrom = "file") -> RunScan:
    """Name runs without reading them: they are read a file at a time, where they are needed.

    Give the result to `positions`, `coverage` or `evaluate` in place of the table that
    `read_runs` returns. Memory then does not grow with the number of runs.

    Parameters
    ----------
    runs
        As for `read_runs`.
    name_from : {"file", "tag"}
        What names a run.

    Returns
    -------
    RunScan
        What to read, and what each run is called.

    Raises
    ------
    ReadError
        For a missing file, an empty folder, and two files of one name.

    Examples
    --------
    >>> import lexiframe as lf
    >>> scan = lf.scan_runs("data/example/runs/p*.run")
    >>> [source.name for source in scan.sources]
    ['pca8_euclidean', 'pixels_euclidean']
    """
    if name_from not in ("file", "tag"):
        raise LexiframeError(f"name_from: expected 'file' or 'tag', found {name_from!r}")
    return RunScan(tuple(find_sources(runs)), name_from)


def read_runs(runs: Any, *, name_from: NameFrom = "file") -> pa.Table:
    """Read runs into one Arrow table.

    Parameters
    ----------
    runs
        A file (TREC text, also gzipped, or Parquet), a folder, a glob, a frame with the columns
        ``run``, ``query_id``, ``doc_id``, ``score``, a list of any of these, or
        ``{name: path or frame}``.
    name_from : {"file", "tag"}
        What names the run of a text file: the file's name without ``input.`` in front and
        ``.trec``, ``.run``, ``.txt``, ``.res``, ``.gz`` ... behind, or its sixth field.

    Returns
    -------
    pyarrow.Table
        Key ``run, query_id, doc_id``; ``score`` (float64), and ``rank`` (int64) when every run
        gives whole numbers. Runs are sorted by name; each keeps the order of its file. The schema
        metadata name each file and its sha256.

    Raises
    ------
    ReadError
        With file and line, for anything that cannot be read.
    SchemaError
        For a frame that lacks a column.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = lf.read_runs({"baseline": "data/example/runs/random.run"})
    >>> runs.column_names
    ['run', 'query_id', 'doc_id', 'score', 'rank']
    """
    scan = scan_runs(runs, name_from=name_from)
    loaded = in_threads(lambda n: scan.load(n, rank=True), range(len(scan)), "reading runs")
    parts = [part for parts in loaded for part in parts]
    refuse_twins((part.name, part.where) for part in parts)
    parts.sort(key=lambda part: part.name)
    ranked = all("rank" in part.rows.columns for part in parts)
    columns = ["query_id", "doc_id", "score", *["rank"] * ranked]
    table = pa.concat_tables(
        to_arrow(part.rows.select(pl.lit(part.name).alias("run"), *columns)) for part in parts
    )
    facts = describe({"table": "runs", "sources": scan.provenance()})
    return table.replace_schema_metadata(facts)


def read_qrels(qrels: Any) -> pa.Table:
    """Read relevance judgments into an Arrow table.

    Parameters
    ----------
    qrels
        A file (TREC text of four fields, also gzipped, or Parquet) or a frame with the columns
        ``query_id``, ``doc_id``, ``relevance`` and perhaps ``iteration``.

    Returns
    -------
    pyarrow.Table
        Key ``query_id, iteration, doc_id``; ``relevance`` (float64, a grade; 0 and below are not
        relevant). The schema metadata name the file and its sha256.

    Raises
    ------
    ReadError
        With file and line, for anything that cannot be read.
    SchemaError
        For a frame that lacks a column.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.read_qrels("data/example/qrels.txt").column_names
    ['query_id', 'iteration', 'doc_id', 'relevance']
    """
    sources = [] if not isinstance(qrels, str | Path) else [file_facts(only_file(qrels))]
    table = to_arrow(judgments(qrels))
    return table.replace_schema_metadata(describe({"table": "qrels", "sources": sources}))


def judgments(qrels: Any) -> pl.DataFrame:
    """Read and check relevance judgments; see `read_qrels`."""
    if isinstance(qrels, str | Path):
        path, where = only_file(qrels), str(qrels)
        data = trec.read_bytes(path)
        is_parquet = data.startswith(_PARQUET)
        table = to_polars(read_parquet(path)) if is_parquet else trec.parse_qrels(data, where)
    else:
        table, where = to_polars(qrels), "qrels"
    if "iteration" not in table.columns:
        table = table.with_columns(iteration=pl.lit("0"))
    table = check(table, QRELS, where)
    _refuse_no_number(table["relevance"], where)
    return table


def load_source(source: Source, name_from: NameFrom, *, rank: bool) -> list[RunPart]:
    """Read one file or frame into its runs."""
    if not isinstance(source.origin, Path):
        return _parts_of_table(to_polars(source.origin), source)
    data = trec.read_bytes(source.origin)
    if data.startswith(_PARQUET):
        return _parts_of_table(to_polars(read_parquet(source.origin)), source)
    fields = ["query_id", "doc_id", "score", *["rank"] * rank, *["tag"] * (name_from == "tag")]
    rows = trec.parse_run(data, source.where, tuple(fields))
    name = source.name
    if name_from == "tag":
        if "tag" not in rows.columns:
            raise ReadError(f"{source.where}: expected a tag in field 6, found 5 fields")
        name = one_run_per_source(rows["tag"].unique().to_list(), source.where)
    return [RunPart(str(name), _with_whole_ranks(rows.drop("tag", strict=False)), source.where)]


def split_runs(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Give each run's rows, runs sorted by name, rows in the order of the table."""
    stretches = table["run"].rle().struct.unnest()
    if stretches["value"].n_unique() < stretches.height:
        table = table.sort("run", maintain_order=True)
        stretches = table["run"].rle().struct.unnest()
    starts = stretches["len"].cast(pl.Int64).cum_sum() - stretches["len"]
    for start, length, name in sorted(
        zip(starts, stretches["len"], stretches["value"], strict=True), key=lambda part: part[2]
    ):
        yield name, table.slice(start, length).drop("run")


def _parts_of_table(table: pl.DataFrame, source: Source) -> list[RunPart]:
    named = table
    if "run" not in table.columns and source.name is not None:
        named = table.with_columns(run=pl.lit(source.name))
    where = source.where if source.name is not None else "runs"
    named = check(named, RUNS, where)
    if not named.height and source.name is None:
        raise SchemaError(f"{where}: expected the rows of a ranking, found no rows")
    if not named.height:
        return [RunPart(str(source.name), named.drop("run"), where)]
    _refuse_no_number(named["score"], where)
    parts = [
        RunPart(name, rows, where if source.name else f"run {name!r}")
        for name, rows in split_runs(named)
    ]
    return [replace(part, name=str(source.name)) for part in parts] if source.is_given else parts


def _refuse_no_number(column: pl.Series, where: str) -> None:
    bad = (column.is_null() | column.is_nan()).arg_true()
    if len(bad):
        raise SchemaError(
            f"{where}: expected a number in {column.name} of every row, found none in "
            f"{len(bad)} (row {bad[0] + 1} first)"
        )


def read_parquet(path: Path) -> pa.Table:
    """Read a Parquet file as it is.

    Raises
    ------
    ReadError
        When it is none.
    """
    from pyarrow import parquet

    try:
        return parquet.read_table(path, partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise ReadError(f"{path}: cannot be read as Parquet ({error})") from None


def _with_whole_ranks(rows: pl.DataFrame) -> pl.DataFrame:
    """Turn a column of rank strings into integers, or leave it out when it is none."""
    if "rank" not in rows.columns:
        return rows
    ranks = rows["rank"].cast(pl.Int64, strict=False)
    return rows.drop("rank") if ranks.null_count() else rows.with_columns(rank=ranks)


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Give a frame with plain Arrow strings, which every reader of Arrow and Parquet knows."""
    table = frame.to_arrow()
    is_text = (pa.types.is_string_view, pa.types.is_large_string)
    types = [pa.string() if any(t(f.type) for t in is_text) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))
