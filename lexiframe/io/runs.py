"""Runs from files, frames and other libraries' objects: `read_runs`, `scan_runs`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl
import pyarrow as pa

from lexiframe.errors import LexiframeError, ReadError, SchemaError
from lexiframe.io import trec
from lexiframe.io.arrow import to_arrow
from lexiframe.io.duplicates import LineNumbers
from lexiframe.io.frames import checked_ids, in_our_words, to_frame, whole_ranks, with_rows_of_lists
from lexiframe.io.metadata import header_of
from lexiframe.io.problems import malformed
from lexiframe.io.provenance import describe
from lexiframe.io.sources import File, Source, find_sources, one_run_per_source, refuse_twins
from lexiframe.io.tables import from_ir_datasets, line_numbers_of, table_of
from lexiframe.io.trec import Dialect, Third
from lexiframe.progress import in_threads
from lexiframe.schemas import RUNS

NameFrom = Literal["file", "tag"]
UNNAMED = "run"


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
    lines
        Gives the line number of every row, when they come from lines of text.
    header
        The ir_metadata in the file's comments.
    """

    name: str
    rows: pl.DataFrame
    where: str
    empty: tuple[str, ...] = ()
    lines: LineNumbers | None = None
    header: str | None = None


@dataclass(frozen=True)
class RunScan:
    """Runs that are read when they are needed, a file at a time; made by `scan_runs`.

    Attributes
    ----------
    sources
        The files or frames.
    name_from
        What names a run: its ``"file"`` or its ``"tag"``.
    dialect
        What text cannot say of itself.
    """

    sources: tuple[Source, ...]
    name_from: NameFrom = "file"
    dialect: Dialect = field(default_factory=Dialect)

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, index: int, *, rank: bool = False) -> list[RunPart]:
        """Read one source into its runs (one, unless a table carries several)."""
        return load_source(self.sources[index], self.name_from, self.dialect, rank=rank)

    def provenance(self) -> list[dict[str, Any]]:
        """Give path and sha256 of every file, sorted."""
        files = [s for s in self.sources if isinstance(s.origin, File)]
        facts = [s.origin.facts(run=s.name) for s in files]
        return sorted(facts, key=lambda fact: (str(fact["run"]), str(fact["path"])))


def scan_runs(
    runs: Any,
    *,
    name_from: NameFrom = "file",
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
) -> RunScan:
    """Name runs without reading them: they are read a file at a time, where they are needed.

    Give the result to `positions`, `coverage` or `evaluate` in place of the table that
    `read_runs` returns. Memory then does not grow with the number of runs.

    Parameters
    ----------
    runs, name_from, columns, third, header, decimal
        As for `read_runs`.

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
    dialect = Dialect(third, header, decimal, dict(columns or {}))
    return RunScan(tuple(find_sources(runs)), name_from, dialect)


def read_runs(
    runs: Any,
    *,
    name_from: NameFrom = "file",
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
) -> pa.Table:
    """Read runs into one Arrow table.

    Parameters
    ----------
    runs
        A file, a folder, a glob, ``-`` (standard input), an address (``https://``, ``s3://`` ...),
        a frame, an object of another library, a list of any of these, or ``{name: any of these}``.

        *Files*: TREC text with any white space between fields; CSV or TSV with a header; JSON lines
        or ``{query: {document: score}}``; Parquet and Arrow files; each also packed by gzip, bzip2,
        xz or zstd. *Frames*: Polars, pandas, PyArrow (tables, readers, datasets), DuckDB, also with
        a column of lists of items as LensKit keeps them. *Objects*: pytrec_eval's dictionaries,
        ir_measures' ``ScoredDoc``, ranx' ``Run``; and ``"irds:NAME"``, the scored documents of
        ir_datasets.

        Columns may be called ``query_id``, ``qid``, ``q_id``, ``query``, ``query-id``, ``topic``,
        ``user_id`` or ``user``; ``doc_id``, ``docno``, ``docid``, ``doc``, ``item_id``, ``item`` or
        ``corpus-id``; ``score``, ``sim`` or ``prediction``; ``run``, ``name``, ``system``, ``tag``
        or ``model``; and ``rank``. Without a score the rank orders: its negative is the score.
    name_from : {"file", "tag"}
        What names the run of a text file: the file's name without ``input.`` in front and
        ``.trec``, ``.run``, ``.txt``, ``.res``, ``.gz`` ... behind, or its sixth field. A table's
        column of runs names them; a frame that has none and was given no name is the run ``run``.
    columns
        ``{our name: the table's name}``, for columns that are called otherwise.
    third : {"rank", "score"}
        What the third of three columns is.
    header
        Whether text in columns begins with a line of names. Of CSV and TSV that is seen.
    decimal : {".", ","}
        What separates decimals in text.

    Returns
    -------
    pyarrow.Table
        Key ``run, query_id, doc_id``; ``score`` (float64), and ``rank`` (int64) when every run
        gives whole numbers. Runs are sorted by name; each keeps the order of its file. Ids are
        strings, unchanged. A query that was answered with an empty list has one row without
        ``doc_id`` and ``score``. The schema metadata name each file, its sha256 and how it was
        read.

    Raises
    ------
    ReadError
        With file and line, for anything that cannot be read.
    SchemaError
        For a frame that lacks a column.

    Warns
    -----
    LexiframeWarning
        With the count, when lines hold more fields than are read.

    Notes
    -----
    A document that is twice in a ranking is read twice: `positions` refuses or mends it.

    See Also
    --------
    check_run : All problems of a file at once.
    run_metadata : What the files say of their runs.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = lf.read_runs({"baseline": "data/example/runs/random.run"})
    >>> runs.column_names
    ['run', 'query_id', 'doc_id', 'score', 'rank']
    >>> lf.read_runs({"bm25": {"q1": {"d1": 2.5, "d2": 1}}}).to_pylist()[0]
    {'run': 'bm25', 'query_id': 'q1', 'doc_id': 'd1', 'score': 2.5}
    """
    scan = scan_runs(
        runs, name_from=name_from, columns=columns, third=third, header=header, decimal=decimal
    )
    loaded = in_threads(lambda n: scan.load(n, rank=True), range(len(scan)), "reading runs")
    parts = sorted((part for of_one in loaded for part in of_one), key=lambda part: part.name)
    refuse_twins((part.name, part.where) for part in parts)
    ranked = all("rank" in part.rows.columns for part in parts)
    columns_kept = ["query_id", "doc_id", "score", *["rank"] * ranked]
    table = pa.concat_tables(to_arrow(_rows_of(part, columns_kept)) for part in parts)
    headers = {part.name: part.header for part in parts if part.header}
    facts = {"table": "runs", "sources": scan.provenance(), "reading": scan.dialect.said()}
    said = {"ir_metadata": headers} if headers else {}
    return table.replace_schema_metadata(describe(facts | said))


def _rows_of(part: RunPart, columns: Sequence[str]) -> pl.DataFrame:
    """Give a run's rows in a table of runs, with one for each query that has none."""
    rows = part.rows.select(columns)
    if part.empty:
        empty = pl.DataFrame({"query_id": part.empty}, schema={"query_id": pl.String()})
        rows = pl.concat([rows, empty], how="diagonal")
    return rows.select(pl.lit(part.name).alias("run"), *columns)


def load_source(
    source: Source, name_from: NameFrom, dialect: Dialect, *, rank: bool
) -> list[RunPart]:
    """Read one file, frame or object into its runs."""
    data = source.origin
    if isinstance(data, str):
        return _parts_of_table(from_ir_datasets(data, "scoreddocs"), source, dialect)
    if not isinstance(data, File):
        return _parts_of_table(to_frame(data, "score"), source, dialect)
    content = data.content()
    table = table_of(content, source.where, dialect, "score")
    if table is None:
        return [_part_of_lines(content.data, source, name_from, dialect, rank=rank)]
    lines = line_numbers_of(data) if content.kind == "text" else None
    return _parts_of_table(table, source, dialect, lines)


def _part_of_lines(
    data: bytes, source: Source, name_from: NameFrom, dialect: Dialect, *, rank: bool
) -> RunPart:
    """Parse the text of one run."""
    layout = trec.run_layout(data, dialect.third)
    wanted = ("query_id", "doc_id", "score", *["rank"] * rank, *["tag"] * (name_from == "tag"))
    if layout is trec.RANKED:
        wanted = layout.names
    rows = trec.parse_lines(data, source.where, layout, wanted, dialect.decimal)
    if rows is not None:
        rows = _with_whole_ranks(rows)
    if rows is None or not {"score", "rank"} & set(rows.columns):
        raise malformed(data, source.where, layout, dialect)
    name = source.name
    if name_from == "tag":
        if "tag" not in rows.columns:
            raise ReadError(
                f"{source.where}: expected a tag in field 6, found {layout.at_least} fields"
            )
        name = one_run_per_source(rows["tag"].unique().to_list(), source.where)
        rows = rows.drop("tag")
    return RunPart(
        str(name),
        _with_score(rows),
        source.where,
        lines=line_numbers_of(source.origin),
        header=header_of(data),
    )


def _parts_of_table(
    table: pl.DataFrame, source: Source, dialect: Dialect, lines: LineNumbers | None = None
) -> list[RunPart]:
    """Divide a table into its runs."""
    where = source.where
    table = with_rows_of_lists(table, where)
    is_ranked = "rank" in (*table.columns, *dialect.columns.keys(), *dialect.columns.values())
    needless = ["run", "score"] if is_ranked else ["run"]
    named = in_our_words(table, RUNS, where, dialect.columns, needless)
    if "run" not in named.columns:
        name = source.name if source.name is not None else UNNAMED
        named = named.with_columns(run=pl.lit(name))
    named = checked_ids(_with_score(named), RUNS, where)
    if not named.height and source.name is None:
        raise SchemaError(f"{where}: expected the rows of a ranking, found no rows")
    if not named.height:
        return [RunPart(str(source.name), named.drop("run"), where)]
    of_one = named["run"].n_unique() == 1
    parts = [
        _part(name, rows, where if of_one else f"{where}, run {name!r}", lines if of_one else None)
        for name, rows in split_runs(named)
    ]
    return [replace(part, name=str(source.name)) for part in parts] if source.is_given else parts


def _part(name: str, rows: pl.DataFrame, where: str, lines: LineNumbers | None) -> RunPart:
    """Take the queries that were answered with an empty list out of the rows."""
    no_document = rows["doc_id"].is_null()
    if not no_document.any():
        refuse_no_number(rows["score"], where)
        return RunPart(name, rows, where, lines=lines)
    empty = rows.filter(no_document)
    if empty["score"].null_count() < empty.height:
        raise SchemaError(
            f"{where}: expected an id as doc_id, found none in "
            f"{empty.height - empty['score'].null_count()} rows that have a score"
        )
    rows = rows.filter(~no_document)
    refuse_no_number(rows["score"], where)
    return RunPart(name, rows, where, tuple(empty["query_id"].unique(maintain_order=True)))


def _with_score(rows: pl.DataFrame) -> pl.DataFrame:
    """Let the rank order where there is no score: its negative is the score."""
    if "score" in rows.columns or "rank" not in rows.columns:
        return rows
    return rows.with_columns(score=-pl.col("rank").cast(pl.Float64, strict=False))


def _with_whole_ranks(rows: pl.DataFrame) -> pl.DataFrame:
    """Turn a column of ranks into integers, or leave it out when it is none."""
    if "rank" not in rows.columns:
        return rows
    ranks = whole_ranks(rows["rank"])
    return rows.drop("rank") if ranks.null_count() else rows.with_columns(rank=ranks)


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


def refuse_no_number(column: pl.Series, where: str) -> None:
    """Raise when a score or grade is null or NaN."""
    bad = (column.is_null() | column.is_nan()).arg_true()
    if len(bad):
        raise SchemaError(
            f"{where}: expected a number in {column.name} of every row, found none in "
            f"{len(bad)} (row {bad[0] + 1} first)"
        )
