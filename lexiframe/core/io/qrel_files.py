"""Reading relevance judgments from files, frames and other libraries' objects: `read_qrels`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl
import pyarrow as pa

from lexiframe import features
from lexiframe.core.base import (
    LexiframeError,
    Problem,
    ReadError,
    SchemaError,
    check_choice,
    coded,
    feature,
    n_and_first,
    schemas,
    typed,
    warn,
)
from lexiframe.core.io.column_forms import of_collections
from lexiframe.core.io.column_forms.column_names import (
    CHANGED_PLACES,
    RIGHT_ORDER,
    items_of_implicit_feedback,
)
from lexiframe.core.io.column_forms.ids import checked_ids
from lexiframe.core.io.column_forms.lists_of_items import rename_columns
from lexiframe.core.io.column_forms.numbers import may_have_changed, refuse_lost_digits
from lexiframe.core.io.column_forms.objects import are_several_runs, to_frame
from lexiframe.core.io.column_forms.requests_called import requests_called
from lexiframe.core.io.column_forms.values_for_none import NaValues, drop_none, values_in
from lexiframe.core.io.doubts.first_looks import may_be_other_lines, names_folds
from lexiframe.core.io.doubts.odd_grades import doubts_of_grades, ratings_in_words
from lexiframe.core.io.files.data_sources import (
    File,
    expanded,
    is_in_ir_datasets,
    is_remote,
    only_file,
)
from lexiframe.core.io.files.provenance import describe, recorded_sources
from lexiframe.core.io.files.tables import read_arrow
from lexiframe.core.io.files.unpacking import Content, content_of
from lexiframe.core.io.one_run import as_text, as_written, refuse_no_number
from lexiframe.core.io.parsing import parse_table, places_in
from lexiframe.core.io.problems.line_numbers import Places
from lexiframe.core.io.rare_forms import forms_of_grades
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.text import trec
from lexiframe.core.io.text_forms import layout_of
from lexiframe.typing import QrelsLike

Duplicates = Literal["error", "best"]
Negative = Literal["unjudged", "not relevant"]


@dataclass(frozen=True)
class Judgments:
    """The rows of qrels; ids are strings, or categories of strings if they were integers."""

    rows: pl.DataFrame
    where: str  # what error messages call the qrels
    places: Places | None = None  # returns the line or record of every row that comes from text
    sha256: str | None = None  # the hash of the file's bytes, if it was asked for


@typed
def read_qrels(
    qrels: QrelsLike,
    *,
    columns: Mapping[str, str] | None = None,
    header: bool = False,
    decimal: str = ".",
    duplicates: Duplicates = "error",
    negative: Negative = "unjudged",
    rows: str | Path | None = None,
    max_grade: float | None = None,
    grades: Mapping[Any, float | None] | None = None,
    na_values: NaValues = None,
) -> pa.Table:
    """Read relevance judgments into an Arrow table.

    Parameters
    ----------
    qrels
        A file, ``-`` (standard input), an address, a frame, or an object of another library, in any
        of the forms that `read_runs` takes; text has three fields (query, document, grade) or four
        (the second is the iteration or subtopic). ``"irds:NAME"`` is a data set of ir_datasets.
        Also OpenSearch's judgment lists, requests and responses of ``_rank_eval`` (Elasticsearch,
        OpenSearch), Quepid's ratings, snapshots and cases, BioASQ's questions, the grades of RUBRIC
        and EXAM++ (a question is a subtopic, as in ``strec(rel=4)@20``), and rows of learning to
        rank (``grade qid:QUERY 1:0.5 ... # document``; LETOR, SVMlight).

        Columns may have the names that `read_runs` knows; the grade may be called ``relevance``,
        ``label``, ``rel``, ``grade``, ``gain`` or ``rating``, or ``score`` without any of these;
        the iteration ``iteration``, ``subtopic``, ``subtopic_id`` or ``q0`` (default ``"0"``).
        Tables of a query (user) and a document (item), and at most a time, are implicit feedback:
        every row is relevant, with grade 1, and a warning says so.
    columns, header, decimal
        As for `read_runs`.
    duplicates : {"error", "best"}
        Whether a document that is judged twice in one iteration of a query is an error, or its
        highest grade is kept, with a warning.
    negative : {"unjudged", "not relevant"}
        What a grade below 0 means. For bpref, infAP and Judged@k it is a document that was pooled,
        but not judged, as in trec_eval. In judgments of ClueWeb −2 is spam, which somebody has
        judged: with ``"not relevant"`` such grades become 0, and the metadata have their number.
    rows
        For rows of learning to rank without ``qid:``, as LightGBM and XGBoost have them: the file
        with the number of rows of each query (``train.query``, ``train.group``).
    max_grade
        The greatest grade of the scale that the judge was given, from 0: grades outside of it,
        which models give now and then, are an error.
    grades : mapping, optional
        What grades mean that are words: ``{"E": 3, "S": 2, "C": 1, "I": 0}``. None stands for no
        judgment: with ``{"": None}`` rows with an empty grade are left out, and a warning counts
        them. Without ``grades``, true is 1 and false 0.
    na_values : float or list of float, optional
        Numbers that stand for none, as ids of documents (see `read_runs`) and as grades: rows of
        judgments that failed are left out.

    Returns
    -------
    pyarrow.Table
        Key ``query_id, iteration, doc_id``; ``relevance`` (float64, a grade; 0 and below are not
        relevant). Of a table with a column ``collection``, this comes first. The
        schema metadata name the file, its sha256 and the options.

    Raises
    ------
    ReadError
        With file and line, for anything that cannot be read.
    SchemaError
        For a frame that lacks a column, and for a document that is judged twice.
    LexiframeError
        For an option with a value that it cannot have.
    TypeError
        For an object that is not a file, a frame, or of one of these libraries.

    Warns
    -----
    LexiframeWarning
        With the count, when judgments were removed, and when there is no column of grades; and when
        all grades are above 0 and reach 4, as ratings of 1 to 5 do, of which all count as relevant
        unless ``rel`` is given where they are used.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.read_qrels("data/example/qrels.txt").column_names
    ['query_id', 'iteration', 'doc_id', 'relevance']
    >>> lf.read_qrels({"q1": {"d1": 2}}).to_pylist()
    [{'query_id': 'q1', 'iteration': '0', 'doc_id': 'd1', 'relevance': 2.0}]
    """
    check_choice("duplicates", duplicates, get_args(Duplicates))
    check_choice("read_qrels", negative, get_args(Negative), "negative")
    options = TextOptions(None, header, decimal, columns or {}, rows=rows, grades=grades or {})
    options = replace(options, na_values=na_values)
    origin = file_or_data(qrels)
    judged = load_each(origin, options, hashed=True)
    if max_grade is not None:
        features.needed(feature.Forms, "max_grade").refuse_off_scale(judged, max_grade)
    kept, removed = _distinct_in_each(judged, duplicates)
    if removed:
        warn(f"judgments that repeated a document, removed: {removed}")
    sources = sources_of_qrels(origin, options, judged.sha256)
    facts = {"table": "qrels", "sources": sources, "reading": options.changed()}
    counts = {"duplicates": removed} if removed else {}
    if negative == "not relevant":
        counts["negative"] = kept.filter(pl.col("relevance") < 0).height
        kept = kept.with_columns(pl.col("relevance").clip(lower_bound=0.0))
    for said in (ratings_in_words(kept["relevance"]), *doubts_of_grades(kept["relevance"])):
        if said:
            warn(f"{judged.where}: {said}")
    return schemas.to_arrow(coded.as_strings(kept)).replace_schema_metadata(
        describe(facts | counts)
    )


def _distinct_in_each(judged: Judgments, duplicates: Duplicates) -> tuple[pl.DataFrame, int]:
    """Return judgments as `distinct_judgments` does, of each collection if there are several."""
    if of_collections.COLLECTION not in judged.rows.columns:
        return distinct_judgments(judged, duplicates)
    parts = judged.rows.partition_by(of_collections.COLLECTION, maintain_order=True)
    each = [distinct_judgments(replace(judged, rows=rows), duplicates) for rows in parts]
    return pl.concat(kept for kept, _ in each), sum(removed for _, removed in each)


def file_or_data(qrels: Any) -> Any:
    """Return the file at a path; return frames, objects and names of ir_datasets unchanged.

    Raise ReadError for a folder, and TypeError for several runs: they may have changed places.
    """
    if are_several_runs(qrels):
        found = (
            f"several runs, {n_and_first([*qrels])}"
            if isinstance(qrels, Mapping)
            else "a list of runs"
        )
        raise TypeError(f"qrels: expected judgments, found {found}; {RIGHT_ORDER}")
    is_path = isinstance(qrels, str | Path) and not is_in_ir_datasets(qrels)
    if not is_path:
        return qrels
    if not is_remote(qrels) and os.path.isdir(expanded(qrels)):  # noqa: PTH112 - too long names
        advice = f"judgments are in one file; {CHANGED_PLACES}"
        raise ReadError(Problem(str(expanded(qrels)), "a file", "a folder", advice))
    return only_file(qrels)


def held_or_data(data: Any) -> Any:
    """Return data, or the file that a path means with its bytes, since it may change later."""
    is_path = isinstance(data, str | Path) and not is_in_ir_datasets(data)
    origin = only_file(data) if is_path else data
    return origin.held() if isinstance(origin, File) else origin


def sources_of_qrels(
    origin: Any, options: TextOptions | None = None, sha256: str | None = None
) -> list[dict[str, Any]]:
    """Return the file that qrels come from; nothing for frames made in memory.

    ``sha256`` is the hash of the bytes that were read from the file; ``called`` names the data in
    messages.
    """
    called = requests_called(origin)
    more = {} if called == "requests" else {"called": called}
    if isinstance(origin, File):
        return [origin.facts(sha256, **(options or TextOptions()).facts(), **more)]
    return recorded_sources(origin) or [more] * bool(more)


def load_qrels(
    qrels: Any,
    options: TextOptions | None = None,
    *,
    hashed: bool = False,
    called: str = "qrels",
) -> Judgments:
    """Read and check relevance judgments of one collection, in any form that `read_qrels` takes."""
    judged = load_each(qrels, options, hashed=hashed, called=called)
    return replace(judged, rows=one_collection(judged.rows, judged.where))


def one_collection(rows: pl.DataFrame, where: str) -> pl.DataFrame:
    """Return judgments without the column of collections; raise for several of these."""
    if of_collections.COLLECTION not in rows.columns:
        return rows
    of_collections.refuse_several(rows[of_collections.COLLECTION].unique().sort().to_list(), where)
    return rows.drop(of_collections.COLLECTION)


def load_each(
    qrels: Any,
    options: TextOptions | None = None,
    *,
    hashed: bool = False,
    called: str = "qrels",
) -> Judgments:
    """Read and check judgments, which keep a column of collections."""
    options = options or TextOptions()
    data = file_or_data(qrels)
    if isinstance(data, File):
        return _load_file(data, options, hashed=hashed)
    if isinstance(data, str):
        table, where = features.needed(feature.Places, data).from_ir_datasets(data, "qrels"), data
    else:
        table, where = to_frame(data, "relevance", called, keep_twins=True), called
        options = options.settled_for(data)
    return Judgments(checked_judgments(table, where, options), where)


def _load_file(file: File, options: TextOptions, *, hashed: bool) -> Judgments:
    where, given = str(file), file.read()
    sha256 = hashlib.sha256(given).hexdigest() if hashed else None
    content = content_of(given, where)
    del given  # or the packed bytes stay in memory beside the unpacked
    try:
        rows = parse_qrels(content, where, options)
    except LexiframeError as error:
        from lexiframe.core.io.rows_of_files import error_with_line

        raise error_with_line(error, content, where, options, schemas.QRELS) from None
    is_whole = content.form is None and not (options.grades or options.na_values)  # no row left out
    is_whole &= of_collections.COLLECTION not in rows.columns  # which come in another order
    places = places_in(file, options, schemas.QRELS) if is_whole else None
    return Judgments(rows, where, places, sha256)


def parse_qrels(content: Content, where: str, options: TextOptions) -> pl.DataFrame:
    """Parse and check the content of a file, whose grades may be words."""
    if options.grades and (found := _labelled(content, where, options)) is not None:
        return found
    try:
        return _parse_numbers(content, where, options)
    except LexiframeError:
        if options.grades or (found := _labelled(content, where, options)) is None:
            raise
        return found


def _parse_numbers(content: Content, where: str, options: TextOptions) -> pl.DataFrame:
    """Parse and check the content of a file with numbers as grades."""
    if content.form is not None:
        frame = to_frame(
            read_arrow(content.form, content.data, where), "relevance", where, keep_twins=True
        )
        return checked_judgments(frame, where, options)
    table = parse_table(content.data, where, options, schemas.QRELS)
    if table is None:
        layout = layout_of(content.data, where, options, schemas.QRELS)
        table, _ = trec.parse_lines(content.data, where, layout, layout.names, options.decimal)
        if may_be_other_lines(table):
            from lexiframe.core.io.doubts.other_lines import doubted_lines

            doubt = doubted_lines(table, where)
            if doubt is not None:
                raise ReadError(doubt)
    rows = checked_judgments(table, where, options)
    if may_have_changed(rows, "relevance"):
        refuse_lost_digits(*as_written(content, where, options, schemas.QRELS))
    return rows


def _labelled(content: Content, where: str, options: TextOptions) -> pl.DataFrame | None:
    """Return the judgments of a file whose grades are words; None for other files."""
    labels = features.found(feature.Forms)
    table = None if labels is None else labels.labelled_rows(content, where, options)
    return None if table is None else checked_judgments(table, where, replace(options, columns={}))


def checked_judgments(table: pl.DataFrame, where: str, options: TextOptions) -> pl.DataFrame:
    """Check a table of judgments, and give its columns our names; it keeps its collections."""
    if of_collections.has_collections(table.columns, options.columns):
        rest = table.drop(of_collections.COLLECTION)
        each = {
            name: coded.as_strings(checked_judgments(rest[rows], where, options))
            for name, rows in of_collections.rows_by_collection(table, where)
        }
        named = (
            rows.select(pl.lit(name).alias(of_collections.COLLECTION), pl.all())
            for name, rows in each.items()
        )
        return pl.concat(named) if each else checked_judgments(rest, where, options)
    graded = grades_of_implicit_feedback(table, options.columns)
    written = table if graded is None else graded
    table = given = rename_columns(written, schemas.QRELS, where, options.columns)
    if graded is not None:  # lists of documents have become rows
        warn_of_implicit_feedback(where, table.height)
    _refuse_empty_lists(table, where)
    _doubt_folds(written, table, where)
    if labels := forms_of_grades(table, options.grades):
        table = labels.graded(table, where, options.grades)
    table = drop_none(table, where, options.na_values)
    table = checked_ids(table, schemas.QRELS, where, coded=schemas.IDS)
    is_none = pl.col("relevance").is_in(values_in(options.na_values))
    table = table.filter(~is_none.fill_null(value=False)) if options.na_values else table
    refuse_no_number(table, "relevance", where)
    _refuse_infinite(table, where)
    if may_have_changed(table, "relevance"):
        refuse_lost_digits(*as_text(given, where))
    if "iteration" in table.columns:
        return table
    return table.with_columns(iteration=pl.lit("0")).select(*schemas.QRELS.columns)


def warn_of_implicit_feedback(where: str, n_rows: int) -> None:
    """Warn that there are no grades."""
    warn(f"{where}: no column of grades, so all rows are read as relevant, with grade 1: {n_rows}")


def grades_of_implicit_feedback(
    table: pl.DataFrame, columns: Mapping[str, str]
) -> pl.DataFrame | None:
    """Add the grade 1 to implicit feedback, which has no grades; None for other judgments."""
    items = items_of_implicit_feedback(table.columns, columns)
    if items is None:
        return None
    if isinstance(table[items].dtype, pl.List):
        table = table.explode(items, empty_as_null=True)
    return table.with_columns(relevance=pl.when(table[items].is_not_null()).then(1.0))


def _doubt_folds(written: pl.DataFrame, table: pl.DataFrame, where: str) -> None:
    """Warn of judgments of a request in several folds; raise if they repeat a document."""
    folds = written.select(column for column in written if names_folds(column.name))
    if not folds.width or written.height != table.height:
        return
    from lexiframe.core.io.doubts.lists_in_folds import divided_lists

    divided = divided_lists(table, folds, where)
    if divided is not None and divided.is_certain:
        raise SchemaError(divided.problem)
    if divided is not None:
        warn(str(divided.problem))


def _refuse_empty_lists(table: pl.DataFrame, where: str) -> None:
    empty = table.filter(pl.col("doc_id").is_null() & pl.col("relevance").is_null())
    if empty.height:
        raise SchemaError(
            f"{where}: expected judgments for every query, found an empty list for "
            f"{n_and_first(empty['query_id'])}; leave these queries out"
        )


def _refuse_infinite(table: pl.DataFrame, where: str) -> None:
    infinite = table.filter(pl.col("relevance").is_infinite())
    if infinite.height:
        first = infinite.row(0, named=True)
        raise SchemaError(
            f"{where}: expected finite grades, found {first['relevance']} for document "
            f"{first['doc_id']!r} and query {first['query_id']!r} ({infinite.height} such rows)"
        )


def distinct_judgments(judged: Judgments, duplicates: Duplicates) -> tuple[pl.DataFrame, int]:
    """Raise for a document judged twice, or keep its highest grade; count the removed judgments."""
    keys = judged.rows.select(schemas.QRELS.key)
    if not (coded.may_repeat(keys) and keys.is_duplicated().any()):
        return judged.rows, 0
    from lexiframe.core.io.problems.duplicates import highest_grade, repeated_judgment

    if duplicates == "error":
        raise repeated_judgment(judged.rows, judged.where, judged.places)
    return highest_grade(judged.rows)
