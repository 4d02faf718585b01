"""Writing runs and judgments as TREC text: `write_trec`."""

from __future__ import annotations

import gzip
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow as pa

from lexiframe import features
from lexiframe.core.base import (
    LexiframeError,
    SchemaError,
    check_choice,
    coded,
    schemas,
    shown,
    to_polars,
    typed,
    unknown_name,
    warn,
)
from lexiframe.core.base.feature import Headers
from lexiframe.core.io.column_forms.numbers import EXACT
from lexiframe.core.io.files.data_sources import run_name
from lexiframe.core.io.files.output_files import (
    output_folder,
    output_path,
    refuse_outputs,
    replacing,
)
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.io.files.unpacking import content_of
from lexiframe.core.io.headers import commented
from lexiframe.core.io.one_run import RUNS_ALONE
from lexiframe.core.io.parsing import parse_table
from lexiframe.core.io.qrel_files import load_qrels
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.run_tables import split_runs
from lexiframe.core.io.text import trec
from lexiframe.core.io.text.lines import first_fields
from lexiframe.typing import Frame


@typed
def write_trec(
    table: Frame,
    path: str | Path,
    *,
    metadata: Mapping[str, Mapping[str, Any]] | None = None,
    form: Literal["trec", "tsv"] = "trec",
) -> list[Path]:
    """Write runs or judgments as TREC text, packed by gzip if the path ends in ``.gz``.

    Parameters
    ----------
    table
        Runs or qrels: any frame with their columns.
    path
        A file; for several runs a folder, in which each gets a file.
    metadata
        ``{run: nested fields}``: ir_metadata for the comments at the beginning of a run's file. By
        default, the metadata that a table of `read_runs` carries are written.
    form : {"trec", "tsv"}
        What is written: lines of TREC, or columns between tabs. These are for runs query, document
        and rank, as MS MARCO's tools take them, with equal scores in descending order of ids; for
        judgments ``query-id``, ``corpus-id`` and ``score``, below these names, as BEIR does.

    Returns
    -------
    list of pathlib.Path
        The files; each appears whole or not at all.

    Raises
    ------
    SchemaError
        When the frame has the columns of neither table, or text would not be read back as the same
        rows: it has no rows, ids that are empty, contain white space or begin with ``#``, missing
        numbers or ranks, or a first id with which the text looks like another kind of file.
    LexiframeError
        When the path for several runs is a file, when the path cannot be written to, when a run in
        a folder has a name that would be read back as another one (``bm25.txt``, ``input.x``) or
        not at all (``.bm25``), and when metadata name a run that is not in the table, or are given
        for judgments.
    TypeError
        For metadata that are not such a dictionary.

    Warns
    -----
    LexiframeWarning
        With the count, when queries were answered with empty lists, which text cannot express.

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
    check_choice("write_trec", form, ("trec", "tsv"), "form")
    frame, path = to_polars(table), output_path(path)
    if metadata and form == "tsv":
        raise LexiframeError("metadata: TREC text alone has comments, found form='tsv'")
    if "relevance" in frame.columns:
        if metadata:
            raise LexiframeError("metadata: ir_metadata are of runs, found judgments to write")
        return [_write_text(_text_of_qrels(frame, form), path)]
    if "score" not in frame.columns:
        raise SchemaError(
            f"expected runs (score) or qrels (relevance), found {', '.join(frame.columns)}"
        )
    runs = list(split_runs(_fit_for_text(_drop_empty_answers(schemas.check(frame, RUNS_ALONE)))))
    headers = _headers(table, _metadata_of_runs(metadata), [name for name, _ in runs])
    is_dir = os.path.isdir(path)  # noqa: PTH112 - false, not an error, for a name too long
    is_folder = is_dir or (len(runs) > 1 and path.suffix == "")
    if len(runs) > 1 and not is_folder:
        raise LexiframeError(
            f"{path}: {len(runs)} runs need a folder with a file for each; found a file"
        )
    for name, rows in runs:
        _refuse_name(name, is_folder=is_folder)
        beginning = headers.get(name, b"") + trec.text_of_run(rows.head(1), name)
        if form == "trec":
            _refuse_odd_beginning(beginning, rows, schemas.RUNS)
    if is_folder:
        output_folder(path)
    places = {name: path / f"{name}.{form}" if is_folder else path for name, _ in runs}
    refuse_outputs(places.values())
    return [
        _write_text(_text_of_run(rows, name, headers.get(name, b""), form), places[name])
        for name, rows in runs
    ]


def _text_of_qrels(frame: pl.DataFrame, form: str) -> bytes:
    rows = _fit_for_text(coded.as_strings(load_qrels(frame).rows))
    if form == "tsv":
        return _tsv_of_qrels(rows)
    text = trec.text_of_qrels(rows)
    _refuse_odd_beginning(text, rows, schemas.QRELS)
    return text


def _text_of_run(rows: pl.DataFrame, name: str, header: bytes, form: str) -> bytes:
    """Write lines of TREC, or query, document and rank, with ranks by the scores."""
    if form == "trec":
        return header + trec.text_of_run(rows, name)
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    ranked = rows.sort("score", "doc_id", descending=True).with_columns(rank=place)
    kept = ranked.select("query_id", "doc_id", "rank").sort("query_id", maintain_order=True)
    return kept.write_csv(include_header=False, separator="\t", quote_style="never").encode()


def _tsv_of_qrels(rows: pl.DataFrame) -> bytes:
    """Write query, document and grade; raise for values that the form cannot hold."""
    if rows["iteration"].n_unique() > 1 or bool((rows["relevance"] % 1 != 0).any()):
        raise SchemaError(
            "BEIR's judgments are whole grades without subtopics, found others; write TREC text"
        )
    grades = rows["relevance"].cast(pl.Int64)
    named = pl.DataFrame({"query-id": rows["query_id"], "corpus-id": rows["doc_id"]})
    return named.with_columns(score=grades).write_csv(separator="\t", quote_style="never").encode()


def _refuse_name(name: str, *, is_folder: bool) -> None:
    """Raise for a run whose name its file cannot have, or that readers of a folder would change."""
    if Path(name).name != name:
        raise LexiframeError(f"the run {name!r} cannot name a file; rename it")
    file = Path(f"{name}.trec")
    if is_folder and name.startswith("."):
        raise LexiframeError(
            f"the run {name!r} cannot name a file, because readers of a folder leave out hidden "
            "files; rename it"
        )
    if is_folder and run_name(file) != name:
        raise LexiframeError(
            f"the run {name!r} cannot name a file, because readers of {file} would call the run "
            f"{run_name(file)!r}; rename it"
        )


def _metadata_of_runs(metadata: Any) -> dict[str, Any]:
    given = {} if metadata is None else metadata
    if not (isinstance(given, Mapping) and all(isinstance(f, Mapping) for f in given.values())):
        raise TypeError(f"metadata: expected {{run: {{field: value}}}}, found {metadata!r}")
    return {str(run): fields for run, fields in given.items()}  # names may be integers


def _headers(
    table: Any, metadata: Mapping[str, Mapping[str, Any]], names: Collection[str]
) -> dict[str, bytes]:
    """Return each run's header: the user's metadata, otherwise the metadata of the table."""
    for name in metadata:
        if name not in names:
            raise unknown_name("run", name, names)
    schema = table.schema if isinstance(table, pa.Table) else None
    carried = provenance_of(schema).get("ir_metadata", {})
    kept = {name: commented(text) for name, text in carried.items()}
    if not metadata:
        return kept
    header = features.needed(Headers, "metadata").of_metadata
    return kept | {name: header(fields) for name, fields in metadata.items()}


def _drop_empty_answers(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out queries that were answered with an empty list, with a warning."""
    is_empty = rows["doc_id"].is_null() & rows["score"].is_null()
    if is_empty.any():
        warn(
            f"queries answered with an empty list, which TREC text cannot express: {is_empty.sum()}"
        )
    return rows.filter(~is_empty)


def _fit_for_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Raise for rows that would not be read back, such as ids with white space, and for no rows."""
    if rows.is_empty():
        raise SchemaError("expected rows to write as TREC text, found none")
    is_bad = [
        pl.col(pl.String).str.contains(r"^$|[ \t\v\f\r\n\x00]"),
        pl.col("query_id").str.contains(r"^[#\x{FEFF}]").alias("begins with #"),
        pl.col(pl.Float64).is_null() | pl.col(pl.Float64).is_nan(),
        pl.col(pl.Int64).is_null() | (pl.col(pl.Int64).abs() >= EXACT),  # ranks
    ]
    for column in rows.select(is_bad):
        if column.any():
            name = column.name if column.name in rows.columns else "query_id"
            first = rows.row(int(column.arg_true()[0]), named=True)
            raise SchemaError(
                f"TREC text cannot hold {first[name]!r} as {name}: ids must not be empty, have "
                "white space or begin a line with # (a comment), and numbers must not be missing; "
                "write Parquet instead"
            )
    return rows


def _refuse_odd_beginning(text: bytes, rows: pl.DataFrame, schema: schemas.TableSchema) -> None:
    """Raise if readers would take the text for JSON, for a table, or for another kind of file."""
    first = rows["query_id"][0]
    begins = text.find(f"{first} ".encode())
    start = text[: text.find(b"\n", begins) + 1]
    try:
        content = content_of(start, "")
        is_text = content.form is None
        is_lines = is_text and parse_table(content.data, "", TextOptions(), schema) is None
        is_read = is_lines and first_fields(content.data)[:1] == [first.encode()]
    except LexiframeError:
        is_read = False
    if not is_read:
        raise SchemaError(
            f"TREC text cannot begin with {shown(first)} as query_id: readers would take it for "
            "another kind of file; put another query first, or write Parquet instead"
        )


def _write_text(text: bytes, path: Path) -> Path:
    with replacing(path) as temporary:
        # Without the time in gzip's header, equal tables give equal files.
        packed = gzip.compress(text, mtime=0) if path.suffix.lower() == ".gz" else text
        temporary.write_bytes(packed)
    return path
