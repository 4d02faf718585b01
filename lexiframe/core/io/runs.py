"""Reading runs from files, frames and other libraries' objects: `read_runs`, `scan_runs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pyarrow as pa

from lexiframe.core.base import (
    LexiframeError,
    Problem,
    SchemaError,
    check_choice,
    coded,
    in_threads,
    n_and_first,
    schemas,
    typed,
    warn,
)
from lexiframe.core.io import doubts
from lexiframe.core.io.column_forms import of_collections
from lexiframe.core.io.column_forms.values_for_none import NaValues
from lexiframe.core.io.files.data_sources import find_sources, refuse_twins, warn_of_left_out
from lexiframe.core.io.files.provenance import describe
from lexiframe.core.io.one_run import NameFrom, RunPart, warn_of_doubts
from lexiframe.core.io.reading_options import Better, RankedBy, TextOptions, Third
from lexiframe.core.io.run_scan import RunScan, SourceRead
from lexiframe.core.io.text.trec import warn_of_wider_lines
from lexiframe.typing import RunsLike


@typed
def scan_runs(
    runs: RunsLike,
    *,
    name_from: NameFrom = "file",
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
    better: Better = "high",
    rows: str | Path | None = None,
    na_values: NaValues = None,
    ranked_by: RankedBy | None = None,
) -> RunScan:
    """Find runs without reading them: they are read one file at a time, when they are needed.

    Pass the result to `positions`, `coverage` or `evaluate` in place of the table that `read_runs`
    returns. Memory then does not grow with the number of runs.

    Standard input, pipes, addresses, iterators and readers of record batches are read at once and
    kept in memory, since they can be read only once. A pipe has to be named itself, as the shell
    does in process substitution; in folders and globs pipes are refused.

    Parameters
    ----------
    runs, name_from, columns, third, header, decimal, better, rows, na_values, ranked_by
        As for `read_runs`.

    Returns
    -------
    RunScan
        The files and frames to read, and the names of runs.

    Raises
    ------
    ReadError
        For a missing file, an empty folder, and two files with the same name.
    LexiframeError
        For an option with a value that it cannot have.

    Examples
    --------
    >>> import lexiframe as lf
    >>> scan = lf.scan_runs("data/example/runs/p*.run")
    >>> [source.name for source in scan.sources]
    ['pca8_euclidean', 'pixels_euclidean']
    """
    check_choice("name_from", name_from, get_args(NameFrom))
    more: dict[str, Any] = {"na_values": na_values, "ranked_by": ranked_by}
    options = TextOptions(third, header, decimal, columns or {}, better, rows, **more)
    if isinstance(runs, RunScan):
        if (name_from, options) != ("file", TextOptions()):
            raise LexiframeError(
                "runs: a scan says already how its files are read, and takes no options; give "
                "them to scan_runs"
            )
        return runs
    found = find_sources(runs)
    warn_of_left_out(found.left_out)
    return RunScan(tuple(found.sources), name_from, options)


@typed
def read_runs(
    runs: RunsLike,
    *,
    name_from: NameFrom = "file",
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
    better: Better = "high",
    rows: str | Path | None = None,
    na_values: NaValues = None,
    ranked_by: RankedBy | None = None,
) -> pa.Table:
    """Read runs into one Arrow table.

    Parameters
    ----------
    runs
        A file, a folder, a glob, ``-`` (standard input), an address (``https://``, ``s3://`` ...),
        a frame, an object of another library, a list of any of these, or ``{name: any of these}``.
        Several files under one name are replicates of this run: it was trained or sampled several
        times. Give a folder, a glob, or a list of ``Path``; they are called like their files,
        or as you call them: ``{"dense": {"seed 1": Path("1.run"), "seed 2": Path("2.run")}}``. Text
        in such a list is the id of a document: nothing is opened that stands inside data.

        *Files*: TREC text with any white space between fields; CSV or TSV with a header; JSON lines
        or ``{query: {document: score}}``; a response of ``_rank_eval`` (Elasticsearch, OpenSearch),
        a snapshot of Quepid, questions of BioASQ; predictions of learning to rank (``rows``);
        Parquet and Arrow files; each also packed by gzip, bzip2, xz or zstd. *Frames*: Polars,
        pandas, PyArrow (tables, readers, datasets), DuckDB, also with a column of lists of items as
        LensKit keeps them. *Objects*: pytrec_eval's dictionaries, ir_measures' ``ScoredDoc``, ranx'
        ``Run``; and ``"irds:NAME"``, the scored documents of ir_datasets.

        Columns may be called ``query_id``, ``qid``, ``q_id``, ``query``, ``query-id``, ``topic``,
        ``user_id`` or ``user``; ``doc_id``, ``docno``, ``docid``, ``doc``, ``item_id``, ``item`` or
        ``corpus-id``; ``score``, ``sim`` or ``prediction``; ``run``, ``name``, ``system``, ``tag``
        or ``model``; ``replicate``; and ``rank``. Without a score, the negative rank is the score.

        In a folder, other folders and files whose names show that they are no runs (``README.md``)
        are left out, with a warning.
    name_from : {"file", "tag"}
        What names the run of a TREC file: the file's name without the prefix ``input.`` and endings
        such as ``.trec``, ``.run``, ``.txt``, ``.res``, ``.gz``; or the sixth field. In a table,
        the column of runs names them; a frame without that column and without a name is the run
        ``run``. A name that you give in ``{name: ...}`` overrides all others.
    columns
        ``{our name: the table's name}``, for columns with other names.
    third : {"rank", "score"}
        What the last field is in TREC text with three fields.
    header
        Whether text begins with a line of names. In CSV and TSV this is recognised by itself.
    decimal : {".", ","}
        The decimal separator in text.
    better : {"high", "low"}
        Which scores are better. Those of which ``"low"`` ones are, such as distances and losses,
        are read with the other sign. Ranks count from the best one in any case.
    rows
        For predictions of learning to rank, one number in each line: the file whose rows they are
        of, as for `read_qrels`, or a file with the number of rows of each query.
    na_values : float or list of float, optional
        Ids of documents that stand for none, whose rows are left out: −1 where faiss finds no
        neighbour. By default −1 beside whole numbers is an error; an empty list keeps it.
    ranked_by : {"rank", "score"}, optional
        What orders the documents of runs that have both. Scores do by default, as in trec_eval, and
        a warning says where the ranks disagree with them; ``"rank"`` takes the ranks, with their
        negative as the score, and ``"score"`` says that the scores are right.

    Returns
    -------
    pyarrow.Table
        Key ``run, query_id, doc_id``; ``score`` (float64), and ``rank`` (int64) when every run
        gives whole numbers. With replicates the key is ``run, replicate, query_id, doc_id``. Runs
        are sorted by name; each keeps the order of its file. Of tables with a column
        ``collection``, this comes first, as requests of one id are different ones in another, and
        runs are sorted within it. Ids are strings, unchanged. A query that was answered with an
        empty list has one row without ``doc_id`` and ``score``. The schema metadata name each
        file, its sha256 and the options.

    Raises
    ------
    ReadError
        With file and line, for anything that cannot be read.
    SchemaError
        For a frame that lacks a column, or has no rows, and for different scores beyond 2^53
        (nanoseconds since 1970, say) that would be equal as float64.
    LexiframeError
        For an option with a value that it cannot have.
    TypeError
        For an object that is not a file, a frame, or of one of these libraries.

    Warns
    -----
    LexiframeWarning
        With the count, when lines have more fields than are read, when paths in a folder are left
        out, and for runs whose scores order the documents of half of the requests or more otherwise
        than their ranks; and for runs without any row, which a table cannot hold.

    Notes
    -----
    A row without document, score and rank stands for an empty list. It is refused unless it is the
    only row of its query.

    A document that occurs twice in a ranking is read twice; `positions` raises for it, or keeps
    one. Lines of TREC text may lack the tag, unless tags of other lines are numbers: then another
    field may be missing. A line with two rows is refused: such lines arise when files without a
    line feed at their end are joined.

    See Also
    --------
    check_run : All problems of a file at once.
    run_metadata : The metadata of runs in the comments of their files.

    Examples
    --------
    >>> import lexiframe as lf
    >>> runs = lf.read_runs({"baseline": "data/example/runs/random.run"})
    >>> runs.column_names
    ['run', 'query_id', 'doc_id', 'score', 'rank']
    >>> lf.read_runs({"bm25": {"q1": {"d1": 2.5, "d2": 1}}}).to_pylist()[0]
    {'run': 'bm25', 'query_id': 'q1', 'doc_id': 'd1', 'score': 2.5}
    >>> twice = {"seed 1": {"q1": {"d1": 2.5}}, "seed 2": {"q1": {"d1": 2.25}}}
    >>> lf.read_runs({"dense": twice}).select(["run", "replicate", "score"]).to_pylist()[1]
    {'run': 'dense', 'replicate': 'seed 2', 'score': 2.25}
    """
    how: dict[str, Any] = {"columns": columns, "third": third, "header": header}
    how |= {"decimal": decimal, "better": better, "rows": rows}
    how |= {"na_values": na_values, "ranked_by": ranked_by}
    scan = scan_runs(runs, name_from=name_from, **how)
    loaded = [*in_threads(partial(_load_rows, scan), range(len(scan)), "reading runs")]
    read = [
        SourceRead([*dict.fromkeys(part.name for part, _ in some)], some[0][0].sha256)
        for some in loaded
    ]
    ordered = _ordered_parts(part for some in loaded for part in some)
    parts = [part for part, _ in ordered]
    warn_of_wider_lines({part.where: part.n_wider for part in parts})
    doubts.warn_of_scores_against_ranks({part.name: part.against for part in parts})
    warn_of_doubts(doubt for part in parts for doubt in part.doubts)
    has_rows = [any(rows.num_rows or part.empty for part, rows in some) for some in loaded]
    scan.refuse_empty(has_rows, [of.names for of in read])
    nothing = [part.name for part, rows in ordered if not rows.num_rows and not part.empty]
    if nothing:
        warn(
            f"runs without any row, which the table cannot hold: {n_and_first(nothing)}; "
            "scan_runs keeps them"
        )
    ranked = all("rank" in t.column_names and not t["rank"].null_count for _, t in ordered)
    columns_kept = ["query_id", "doc_id", "score", *["rank"] * ranked]
    has_replicates = any(coded.split_replicate(part.name)[1] for part in parts)
    named = partial(_named_rows, columns=columns_kept, is_replicated=has_replicates)
    table = pa.concat_tables(named(part, rows) for part, rows in ordered)
    headers = {part.name: part.header for part in parts if part.header}
    facts = {"table": "runs", "sources": scan.provenance(read), "reading": scan.options.changed()}
    metadata = {"ir_metadata": headers} if headers else {}
    return table.replace_schema_metadata(describe(facts | metadata))


def _load_rows(scan: RunScan, index: int) -> list[tuple[RunPart, pa.Table]]:
    """Load the runs of one source, without rows, and the rows of each as Arrow.

    So the memory of its frames is free for the next source.
    """
    parts = scan.load_each(index, rank=True, hashed=True)
    read = pl.selectors.by_name("query_id", "doc_id", "score", "rank", require_all=False)
    tables = (schemas.to_arrow(coded.as_strings(part.rows.select(read))) for part in parts)
    return [(replace(p, rows=p.rows.clear()), t) for p, t in zip(parts, tables, strict=True)]


def _ordered_parts(parts: Iterable[tuple[RunPart, pa.Table]]) -> list[tuple[RunPart, pa.Table]]:
    """Sort runs by name, within the collections where tables have some; raise for twins."""
    by_collection: dict[str | None, list[tuple[RunPart, pa.Table]]] = {}
    for part, rows in parts:
        by_collection.setdefault(part.collection, []).append((part, rows))
    if len(by_collection) > 1 and None in by_collection:
        found = f"none for {n_and_first([part.name for part, _ in by_collection[None]])}"
        advice = "add the column to all tables, or drop it"
        raise SchemaError(Problem("runs", "a column collection in all tables", found, advice))
    for some in by_collection.values():
        some.sort(key=lambda part: part[0].name)
        refuse_twins((part.name, part.where) for part, _ in some)
    return [part for some in by_collection.values() for part in some]


def _named_rows(
    part: RunPart, rows: pa.Table, columns: Sequence[str], *, is_replicated: bool
) -> pa.Table:
    """Return a run's rows for a table of runs, with one row for each query with an empty list."""
    table = rows.select(columns)
    if part.empty:
        empty = pa.table({"query_id": pa.array(part.empty, pa.string())})
        table = pa.concat_tables([table, empty], promote_options="default").combine_chunks()
    run, replicate = coded.split_replicate(part.name)
    named = [(of_collections.COLLECTION, part.collection)] * (part.collection is not None)
    named += [("run", run), *[("replicate", replicate)] * is_replicated]
    for place, (name, value) in enumerate(named):
        column = pa.repeat(pa.scalar(value, pa.string()), table.num_rows)
        table = table.add_column(place, name, column)
    return table
