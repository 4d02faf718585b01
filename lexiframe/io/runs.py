"""Runs from files, frames and other libraries' objects: `read_runs`, `scan_runs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from lexiframe.codes import as_strings
from lexiframe.errors import LexiframeError, Problem, ReadError, first_three, warn
from lexiframe.io.files.arrow import to_arrow
from lexiframe.io.files.provenance import describe, sources_in
from lexiframe.io.files.sources import File, Source, find_sources, refuse_twins, warn_of_left_out
from lexiframe.io.metadata import header_of, metadata_frame
from lexiframe.io.options import TextOptions, Third
from lexiframe.io.parts import NameFrom, RunPart, load_source
from lexiframe.io.text.trec import warn_of_wider_lines
from lexiframe.progress import in_threads
from lexiframe.typing import RunsLike


@dataclass(frozen=True)
class SourceRead:
    """What is known of a file or frame once it was read.

    Attributes
    ----------
    names
        What its runs are called.
    sha256
        Of the bytes that were read from the file, if that was asked for.
    """

    names: Sequence[str | None]
    sha256: str | None = None


@dataclass(frozen=True)
class RunScan:
    """Runs that are read when they are needed, a file at a time; made by `scan_runs`.

    Attributes
    ----------
    sources
        The files or frames.
    name_from
        What names a run: its ``"file"`` or its ``"tag"``.
    options
        What text cannot say of itself.
    stamps
        Of each source that was read, what differs once its file was written to.
    """

    sources: tuple[Source, ...]
    name_from: NameFrom = "file"
    options: TextOptions = field(default_factory=TextOptions)
    stamps: dict[int, tuple[int, ...] | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.sources)

    def load(self, index: int, *, rank: bool = False, hashed: bool = False) -> list[RunPart]:
        """Read one source into its runs (one, unless a table carries several)."""
        source = self.sources[index]
        if isinstance(source.origin, File):
            self.stamps[index] = source.origin.stamp()
        return load_source(source, self.name_from, self.options, rank=rank, hashed=hashed)

    def provenance(self, read: Sequence[SourceRead] | None = None) -> list[dict[str, Any]]:
        """Give path and sha256 of every file and how it is read, sorted.

        ``read`` is what is known of each source when they were read already. Without it files are
        hashed now, and taken to hold one run each that is called as its file.

        Raises
        ------
        ReadError
            When a file has to be hashed that is not the one any more that was read.
        """
        known = [None] * len(self) if read is None else read
        given = in_threads(self._facts, [*enumerate(known)], "hashing runs")
        return _sorted(fact for facts in given for fact in facts)

    def _facts(self, one: tuple[int, SourceRead | None]) -> list[dict[str, Any]]:
        index, read = one
        source = self.sources[index]
        if not isinstance(source.origin, File):
            return [{"run": source.name, **fact} for fact in sources_in(source.origin)]
        names = read.names if read else [source.name if self.name_from == "file" else None]
        facts = source.origin.facts(read.sha256 if read else None, **self.options.facts())
        if read is None and self.stamps.get(index, stamp := source.origin.stamp()) != stamp:
            found = "has changed since it was read"
            advice = "compute the table again, or from read_runs, which hashes what it reads"
            raise ReadError(Problem(source.where, "", found, advice))
        return [{"run": name, **facts} for name in names]


def _sorted(facts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(facts, key=lambda fact: (str(fact.get("run")), str(fact["path"])))


def scan_runs(
    runs: RunsLike,
    /,
    *,
    name_from: NameFrom = "file",
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
) -> RunScan:
    """Name runs without reading them: they are read a file at a time, where they are needed.

    Standard input, pipes and addresses are fetched at once, and held; so are iterators and readers
    of record batches.

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
    LexiframeError
        For an option that does not exist.

    Examples
    --------
    >>> import lexiframe as lf
    >>> scan = lf.scan_runs("data/example/runs/p*.run")
    >>> [source.name for source in scan.sources]
    ['pca8_euclidean', 'pixels_euclidean']
    """
    if name_from not in ("file", "tag"):
        raise LexiframeError(f"name_from: expected 'file' or 'tag', found {name_from!r}")
    options = TextOptions(third, header, decimal, columns or {})
    found = find_sources(runs)
    warn_of_left_out(found.left_out)
    return RunScan(tuple(found.sources), name_from, options)


def read_runs(
    runs: RunsLike,
    /,
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

        In a folder, what is no run by its ending (``README.md``) and folders are left out, with a
        warning.
    name_from : {"file", "tag"}
        What names the run of a text file: the file's name without ``input.`` in front and
        ``.trec``, ``.run``, ``.txt``, ``.res``, ``.gz`` ... behind, or its sixth field. A table's
        column of runs names them; a frame that has none and was given no name is the run ``run``.
        A name that you give holds.
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
        For a frame that lacks a column, and for scores beyond 2^53 (nanoseconds since 1970, say)
        that differ, and would be ties as float64.
    LexiframeError
        For an option that does not exist.
    TypeError
        For what is no file, frame or object of these libraries.

    Warns
    -----
    LexiframeWarning
        With the count, when lines hold more fields than are read, when something in a folder is
        left out, and for runs without a row, which a table cannot hold.

    Notes
    -----
    A document that is twice in a ranking is read twice: `positions` refuses or mends it. Lines of
    TREC text may lack the tag, but not beside tags that are numbers: another field may be lost. A
    line that holds two rows is refused, as joined files have it that lack their last line feed.

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
    loaded = [*in_threads(partial(_load, scan), range(len(scan)), "reading runs")]
    parts = sorted((part for of_one, _ in loaded for part in of_one), key=lambda part: part.name)
    refuse_twins((part.name, part.where) for part in parts)
    warn_of_wider_lines({part.where: part.n_wider for part in parts})
    _warn_of_nothing(parts)
    ranked = all("rank" in p.rows.columns and not p.rows["rank"].has_nulls() for p in parts)
    columns_kept = ["query_id", "doc_id", "score", *["rank"] * ranked]
    table = pa.concat_tables(to_arrow(_rows_of(part, columns_kept)) for part in parts)
    headers = {part.name: part.header for part in parts if part.header}
    sources = _sorted(fact for _, of_one in loaded for fact in of_one)
    facts = {"table": "runs", "sources": sources, "reading": scan.options.said()}
    said = {"ir_metadata": headers} if headers else {}
    return table.replace_schema_metadata(describe(facts | said))


def _load(scan: RunScan, index: int) -> tuple[list[RunPart], list[dict[str, Any]]]:
    """Read one source and say where each of its runs comes from."""
    parts, origin = scan.load(index, rank=True, hashed=True), scan.sources[index].origin
    if not isinstance(origin, File):
        named = parts[0].name if len(parts) == 1 else None
        return parts, [{"run": named, **fact} for fact in sources_in(origin)]
    facts = origin.facts(parts[0].sha256, **scan.options.facts())
    return parts, [{"run": part.name, **facts} for part in parts]


def _warn_of_nothing(parts: Sequence[RunPart]) -> None:
    nothing = [part.name for part in parts if not part.rows.height and not part.empty]
    if nothing:
        warn(
            f"runs without any row, which the table cannot hold: {first_three(nothing)}; "
            "scan_runs keeps them"
        )


def _rows_of(part: RunPart, columns: Sequence[str]) -> pl.DataFrame:
    """Give a run's rows in a table of runs, with one for each query that has none."""
    rows = as_strings(part.rows.select(columns))
    if part.empty:
        empty = pl.DataFrame({"query_id": part.empty}, schema={"query_id": pl.String()})
        rows = pl.concat([rows, empty], how="diagonal")
    return rows.select(pl.lit(part.name).alias("run"), *columns)


def run_metadata(runs: RunsLike, /) -> pl.DataFrame:
    """Tell what run files say of their runs: the ir_metadata in their comments, as columns.

    Parameters
    ----------
    runs
        As for `read_runs`, or its table.

    Returns
    -------
    polars.DataFrame
        Key ``run``, a row a run. Nested fields are columns with dots in their names:
        ``method.retrieval.0.name`` is the name of the first retrieval method. What a run does not
        say is null.

    Raises
    ------
    ReadError
        For a file that cannot be read, and a header that is no YAML.
    LexiframeError
        When PyYAML is not installed.

    Notes
    -----
    Breuer, Keller & Schaer, "ir_metadata: An Extensible Metadata Schema for IR Experiments",
    SIGIR 2022, doi:10.1145/3477495.3531738.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.run_metadata("data/example/runs").columns
    ['run']
    """
    scan = runs if isinstance(runs, RunScan) else scan_runs(runs)
    found = in_threads(partial(_headers, scan), range(len(scan)), "reading metadata")
    return metadata_frame({name: header for headers in found for name, header in headers.items()})


def _headers(scan: RunScan, index: int) -> dict[str, str | None]:
    """Give the header of each run in a source; that of text without parsing its lines."""
    source = scan.sources[index]
    if isinstance(source.origin, File) and scan.name_from == "file":
        content = source.origin.content()
        if content.kind == "text" and (header := header_of(content.data)):
            return {str(source.name): header}
    return {part.name: part.header for part in scan.load(index)}
