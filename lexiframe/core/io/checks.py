"""Listing all problems of a file at once: `check_run` and `check_qrels`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pyarrow as pa

from lexiframe import features
from lexiframe.core.base import LexiframeError, Problem, coded, schemas, typed, warn
from lexiframe.core.base.feature import Forms, Votes
from lexiframe.core.io.column_forms import line_layouts
from lexiframe.core.io.column_forms.column_names import items_of_implicit_feedback, words_for
from lexiframe.core.io.columns import ALL_SCORES, KNOWN_NAMES, LISTS_OF_IDS, spelled
from lexiframe.core.io.doubts.changing_tags import changing_tags
from lexiframe.core.io.doubts.equal_scores import (
    MEND_TIES,
    ONE_SCORE,
    RANKS,
    TIES,
    problems_of_order,
)
from lexiframe.core.io.doubts.first_looks import DOUBT, TAGS
from lexiframe.core.io.doubts.odd_grades import doubts_of_grades, ratings_in_words
from lexiframe.core.io.files.data_sources import File, Source, only_file, run_name
from lexiframe.core.io.files.tables import read_arrow
from lexiframe.core.io.files.unpacking import Content
from lexiframe.core.io.problems.advice import are_grades
from lexiframe.core.io.problems.problem_tables import listed, problem_of, table_of, undecodable
from lexiframe.core.io.qrel_files import parse_qrels
from lexiframe.core.io.rare_forms import forms_of_text
from lexiframe.core.io.reading_options import Better, RankedBy, TextOptions, Third
from lexiframe.core.io.rows_of_files import problems_of
from lexiframe.core.io.run_parts import load_source, parse_runs
from lexiframe.core.io.text import trec
from lexiframe.core.io.text.csv_tables import first_line, table_in
from lexiframe.core.io.text.lines import first_fields, is_json
from lexiframe.core.io.text.trec import warn_of_wider_lines
from lexiframe.core.io.text.trec_rows import lines_of
from lexiframe.core.io.text_forms import json_reader

Kind = Literal["run", "qrels"]
AnyKind = Literal["run", "qrels", "votes", "scores"]
_FRACTION = re.compile(r'[ "]*-?[0-9]*[.][0-9]+([eE][-+]?[0-9]+)?[ "\r]*')
_FEWEST = 2
"""Columns of a table."""
_START = 1 << 16
"""In so many bytes are the names of columns and the first row."""
_OF_BEIR = {"query-id", "corpus-id", "score"}  # the columns of judgments in the form of BEIR


@typed
def check_run(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    third: Third | None = None,
    header: bool = False,
    decimal: str = ".",
    better: Better = "high",
    rows: str | Path | None = None,
    ranked_by: RankedBy | None = None,
) -> pl.DataFrame:
    r"""List all problems of a run file; `read_runs` raises an error for the first only.

    Parameters
    ----------
    path
        A file in any of the forms that `read_runs` takes.
    columns, third, header, decimal, better, rows, ranked_by
        As for `read_runs`.

    Returns
    -------
    polars.DataFrame
        One row for each problem, in the order of the file; none if the file has no problems.
        ``line`` is null for problems of the file as a whole (these are last), and for Parquet,
        Arrow, lists and ``{query: {document: score}}`` in JSON, where ``found`` names the row or
        record, query and document; ``problem`` is one of ``file``, ``encoding``, ``fields``,
        ``number``, ``id``, ``duplicate``, ``ranks``, ``one score``, ``ties`` and ``doubt``;
        ``expected`` and ``found`` describe the problem, ``advice`` how to mend it or how to read
        the file as it is. A line may have several problems. A list or an object in JSON is checked
        up to the first place that is not JSON or not UTF-8.

        The last four are problems of a file that can be read. ``ranks``: scores order the
        documents of half of the requests or more otherwise than their ranks. ``one score``: most
        requests with several documents give all of them one score. ``ties``: more than half of the
        documents at ranks 1 to 10 share their score with another one of the request. How far that
        may change results depends on the judgments: see `coverage`. ``doubt``: the file is probably
        something else.

    Raises
    ------
    ReadError
        When there is no such file, or the path is a folder or a device.
    LexiframeError
        For an option with a value that it cannot have.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import lexiframe as lf
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "bm25.run")
    >>> _ = path.write_text("q1 Q0 d1 1 2.5 x\nq1 Q0 d2\nq1 Q0 d3 3 high x\nq1 Q0 d1 4 0.5 x\n")
    >>> lf.check_run(path).select("line", "problem").rows()
    [(2, 'fields'), (3, 'number'), (4, 'duplicate')]
    >>> folder.cleanup()
    """
    options = TextOptions(third, header, decimal, columns or {}, better, rows, ranked_by=ranked_by)
    checked = check_file(only_file(path), options, "run")
    warn_of_wider_lines({checked.where: checked.n_wider})
    return checked.problems


@typed
def check_qrels(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    header: bool = False,
    decimal: str = ".",
    rows: str | Path | None = None,
    grades: Mapping[Any, float | None] | None = None,
) -> pl.DataFrame:
    r"""List all problems of a qrels file; `read_qrels` raises an error for the first only.

    Parameters
    ----------
    path
        A file in any of the forms that `read_qrels` takes.
    columns, header, decimal, rows, grades
        As for `read_qrels`.

    Returns
    -------
    polars.DataFrame
        The columns of `check_run`.

    Raises
    ------
    ReadError
        When there is no such file, or the path is a folder or a device.
    LexiframeError
        For an option with a value that it cannot have.

    Warns
    -----
    LexiframeWarning
        When grades look like ratings, as `read_qrels` does.

    Examples
    --------
    >>> import lexiframe as lf
    >>> lf.check_qrels("data/example/qrels.txt").height
    0
    """
    options = TextOptions(None, header, decimal, columns or {}, rows=rows, grades=grades or {})
    return check_file(only_file(path), options, "qrels").problems


@dataclass(frozen=True)
class Checked:
    """The problems of a file, and how many lines of it have more fields than are read."""

    where: str
    problems: pl.DataFrame
    n_wider: int = 0

    @property
    def is_readable(self) -> bool:
        """Whether the file can be read, so that its problems are at most doubts."""
        return self.problems["problem"].is_in([TIES, ONE_SCORE, RANKS, DOUBT]).all()


def check_file(file: File, options: TextOptions, kind: Kind) -> Checked:
    """List the problems of a file; see `check_run` and `check_qrels`."""
    schema, what = (schemas.RUNS, "a run") if kind == "run" else (schemas.QRELS, "judgments")
    where, n_wider = str(file), 0
    refused: list[Problem] = []
    doubts: list[Problem] = []
    try:
        content = file.content()
    except LexiframeError as error:
        return unreadable(where, error)
    try:
        has_no_problem, n_wider, doubts = _read_and_check(content, file, options, kind)
        if has_no_problem:
            return Checked(where, listed(table_of(doubts), what), n_wider)
    except LexiframeError as error:
        refused = [problem_of(error, where)]
    problems = problems_of(content, where, options, schema)
    # A search that finds nothing must not hide that the file cannot be read.
    if DOUBT not in problems["problem"]:
        doubts += [problem for problem in refused if problem.problem == DOUBT]
    found = problems if problems.height or doubts else table_of(refused)
    is_other = [doubt for doubt in doubts if doubt.problem == DOUBT]  # than what has to be mended
    return Checked(where, listed(pl.concat([found, table_of(is_other)]), what), n_wider)


def check_table(source: Source, options: TextOptions) -> Checked:
    """List the first problem of runs in a table that is no file of its own: a Delta table."""
    try:
        load_source(source, "file", options, rank=True)
    except LexiframeError as error:
        return unreadable(source.where, error)
    return Checked(source.where, pl.DataFrame(schema=schemas.PROBLEMS.columns))


def recheck_ties(checked: Checked, doubts: Sequence[Problem]) -> Checked:
    """Replace problems of ties by findings of the judgments beside a file."""
    others = checked.problems.filter(pl.col("problem") != TIES)
    return replace(checked, problems=pl.concat([others, listed(table_of(doubts), "a run")]))


def problem_of_ties(where: str, means: str) -> Problem:
    """Return the problem of a run whose ``means``, in words, hang on the order of ties."""
    found = f"equal scores by whose order its {means}"
    return Problem(where, "scores that differ", found, MEND_TIES, TIES)


def problem_of_ids(where: str) -> Problem:
    """Return the problem of a run whose ids are unknown, where other runs match the judgments."""
    advice = "write the ids of its requests and documents as the judgments have them"
    return Problem(where, "ids that the judgments have", "none of them", advice, DOUBT)


def problem_with_runs(error: LexiframeError, where: str) -> Problem:
    """Return the problem of judgments with which the runs beside them cannot be evaluated."""
    found = f"runs beside them that cannot be evaluated with them: {error}"
    return Problem(where, "judgments of the runs", found, "", DOUBT)


def unreadable(where: str, error: LexiframeError) -> Checked:
    """Return the one problem of a file that cannot be opened or unpacked."""
    return Checked(where, listed(table_of([problem_of(error, where)]), "runs or judgments"))


def _read_and_check(
    content: Content, file: File, options: TextOptions, kind: Kind
) -> tuple[bool, int, list[Problem]]:
    """Return whether a file repeats no document and is UTF-8, its too wide lines, and doubts."""
    n_wider, where = 0, str(file)
    if kind == "qrels":
        judged = parse_qrels(content, where, options)
        if said := ratings_in_words(judged["relevance"]):
            warn(f"{file}: {said}")
        doubts = _doubts_of_judgments(judged, where)
        keys = [judged.select(schemas.QRELS.key)]
    else:
        source = Source(run_name(Path(where)), file)
        parts = parse_runs(content, source, "file", options, rank=True)
        doubts = [doubt for part in parts for doubt in part.doubts]
        keys = [part.rows.select("query_id", "doc_id") for part in parts]
        n_wider = sum(part.n_wider for part in parts)
        if TAGS in parts[0].unread and not doubts:
            named = ("query_id", "tag")
            tags, _ = trec.parse_lines(
                content.data, where, line_layouts.RUN, named, options.decimal
            )
            doubts += filter(None, [changing_tags(tags, where)])
        for part in parts:
            run = f"run {coded.said(part.name)}" if len(parts) > 1 else ""
            doubts += problems_of_order(where, run, part.rows, part.against)
    is_utf8 = content.form is not None or not undecodable(content.data)
    no_twins = not any(key.is_duplicated().any() for key in keys)
    return is_utf8 and no_twins, n_wider, doubts


def _doubts_of_judgments(judged: pl.DataFrame, where: str) -> list[Problem]:
    """Return the doubts about judgments that can be read."""
    if not judged.height:
        return [Problem(where, "judgments", "no rows")]
    said = [doubt.split("; ", 1) for doubt in doubts_of_grades(judged["relevance"])]
    return [Problem(where, "grades", found, advice, DOUBT) for found, advice in said]


def kind_of(file: File, options: TextOptions) -> AnyKind:
    """Return the kind of a file by its columns or fields; a file that cannot be read is a run."""
    text, cells = b"", list[str]()
    separator: str | None = ""
    try:
        content = file.content()
        if content.form is not None:
            schema = read_arrow(content.form, content.data, str(file)).schema
            names = schema.names
            cells = ["0.5" if pa.types.is_floating(kind) else "" for kind in schema.types]
        elif is_json(content.data):
            documents = features.found(Forms)
            if documents and (tool := documents.form_of_text(content.data)):
                return "qrels" if tool[0].judgments and not tool[0].rankings else "run"
            names = json_reader().names_in(content.data)
        elif (letor := forms_of_text(content.data)) and letor.is_of_letor(
            content.data, schemas.QRELS
        ):
            return "qrels"
        else:
            text, separator = table_in(content.data, options)
            header = first_line(text)
            between = separator or max("\t,;", key=header.count)
            names = header.split(None if between == " " else between)
            start = text[:_START].lstrip().replace(b"\r", b"\n")
            cells = first_line(start.partition(b"\n")[2]).split(between)
    except LexiframeError:
        return "run"
    # RecBole writes types behind the names: user_id:token.
    found = {name.strip(' "').partition(":")[0] for name in names}
    if other := _kind_of_others([name.strip(' "') for name in names], cells):
        return other
    if separator is None and options.grades:
        return "qrels"
    if separator is None:
        return _kind_of_lines(text, str(file), options)
    is_graded = not found.isdisjoint(words_for("relevance", options.columns))
    lists = {of: not found.isdisjoint(spelled(LISTS_OF_IDS[of])) for of in ("runs", "qrels")}
    if lists["qrels"] and not lists["runs"] and found.isdisjoint(words_for("doc_id", {})):
        return "qrels"
    is_implicit = items_of_implicit_feedback(names, options.columns) is not None
    return "qrels" if is_graded or is_implicit or found == _OF_BEIR else "run"


def _kind_of_others(names: Sequence[str], cells: Sequence[str]) -> AnyKind | None:
    """Return whether columns belong to votes or to scores; None for runs and judgments.

    Scores have no column of documents, and one of collections or measures, or runs without one of
    requests, or else requests and fractions alone.
    """
    from lexiframe.core.io.score_forms.layouts import plain_name

    stated = features.found(Votes)
    if stated and stated.are_votes(names):
        return "votes"
    known = {ours: {*words} for ours, words in (KNOWN_NAMES | ALL_SCORES).items()}
    means = [{ours for ours, words in known.items() if plain_name(name) in words} for name in names]
    has = {ours for one in means for ours in one}
    if has & {"doc_id", "rank"} or len(names) < _FEWEST:
        return None
    numbers = [str(one or "") for one, kind in zip_longest(cells, means) if not kind]
    is_matrix = has == {"query_id"} and numbers and all(map(_FRACTION.fullmatch, numbers))
    has_runs_alone = "run" in has and not has & {"query_id", "value"}
    return "scores" if has & {"collection", "measure"} or has_runs_alone or is_matrix else None


def _kind_of_lines(data: bytes, where: str, options: TextOptions) -> Kind:
    layout = trec.qrels_layout(data)
    n_fields = len(first_fields(data))
    if n_fields != len(layout.names) or (layout is line_layouts.GRADED and options.third):
        return "run"
    start = data[:_START].rpartition(b"\n")[0] or data  # the last line may be cut
    return "qrels" if are_grades(lines_of(start, where)["text"].to_list(), layout) else "run"
