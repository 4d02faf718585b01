"""Reading judgments of answers, of people or of a model: `read_nuggets`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf
from typing import Any, Literal, get_args

import polars as pl

from lexiframe.core.base import LexiframeError, check_choice, n_and_first, printed, typed, warn
from lexiframe.core.io import File, data_sources
from lexiframe.core.io.text import json_places
from lexiframe.decide.nuggets import rows_of_nuggets
from lexiframe.decide.nuggets.answer_tables import SCHEMAS
from lexiframe.decide.nuggets.argue_records import read_bank, read_report
from lexiframe.decide.nuggets.judged_answers import Nuggets
from lexiframe.decide.nuggets.nuggetizer_records import read_assignment
from lexiframe.decide.nuggets.read_so_far import Failed, Read
from lexiframe.typing import FrameKind, RunsLike

NuggetForm = Literal["nuggetizer", "argue"]
_READERS = {
    "nugget_bank": ("argue", read_bank),
    "judgments": ("argue", read_report),
    "nuggets": ("nuggetizer", read_assignment),
}
"""The key by which a record is known, its form, and what reads it; banks come first."""


@typed
def read_nuggets(
    source: RunsLike,
    *,
    form: NuggetForm | None = None,
    failed: Failed = "error",
    max_grade: float | None = None,
    rel: float | None = None,
    frames: FrameKind | None = None,
) -> Nuggets:
    """Read which nuggets (facts, questions with gold answers) answers state, and their citations.

    Parameters
    ----------
    source
        A file, a folder, a glob, a frame, or a list of these, packed or not; or
        ``{run: file or frame}``, which names the runs. Forms are found by content:

        - nuggetizer's assignments: records with ``qid``, ``run_id`` (or the file's name is the
          run's), and ``nuggets``, a list of ``text``, ``importance``, and ``assignment``
          (``support`` is credit 1, ``partial_support`` ½, ``not_support`` 0; or a grade). The id of
          a nugget is its place in the list, from 1. Nuggets that were created, and not assigned
          yet, are read without statements.
        - frames, CSV and TSV with a row for each nugget of an answer, by the names of columns:
          ``query_id``, ``nugget_id``, ``credit`` (0 to 1) or ``assignment`` (as nuggetizer's), and
          perhaps ``run``, ``importance`` and ``text``.
        - Auto-ARGUE's judgments of reports together with their nugget bank. A question whose
          answers are joined by ``OR`` is stated with one of them, by ``AND`` with all; its credit
          is 0 or 1, and its sentence the one that completes it. A cited document whose support
          nobody judged counts as not supporting.
    form : {"nuggetizer", "argue"}, optional
        The form of all files, where their content does not show it.
    failed : {"error", "zero"}
        Whether nuggets whose importance or assignment nuggetizer calls ``failed`` are an error;
        with ``zero`` an importance that failed is ``okay``, and an assignment that failed is not
        stated. The other of the two counts as it is.
    max_grade : float, optional
        The greatest grade G of a judge who was asked for grades 0 to G: credit is g/G.
    rel : float, optional
        The least grade with which a nugget is stated, above 0: credit is then 1, or else 0.
    frames : {"polars", "pandas", "pyarrow"}, optional
        The kind of frame that the tables of the result are, as `frames` says.

    Returns
    -------
    Nuggets
        With the tables ``nuggets``, ``statements``, ``citations`` and ``sentences``.

    Raises
    ------
    ReadError
        With file, line and key: for text that is not JSON, a key that is missing or of another
        type, a request that a run answers twice, an importance, assignment or grade that there is
        not, and for runs that are judged by other nuggets of a request.
    LexiframeError
        With counts, for nuggets that ``failed``.

    Warns
    -----
    LexiframeWarning
        With counts, for kinds of Auto-ARGUE's judgments that are not read, and for runs of which no
        answer was judged, which are left out.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import lexiframe as lf
    >>> nuggets = [{"text": "It is red.", "importance": "vital", "assignment": "support"},
    ...            {"text": "It is big.", "importance": "okay", "assignment": "not_support"}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.jsonl")
    ...     _ = file.write_text(json.dumps({"qid": "q", "run_id": "a", "nuggets": nuggets}))
    ...     n = lf.read_nuggets(file)
    >>> n.statements.select("run", "nugget_id", "credit").rows()
    [('a', '1', 1.0), ('a', '2', 0.0)]
    """
    check_choice("read_nuggets", form, (*get_args(NuggetForm), None), "form")
    check_choice("read_nuggets", failed, get_args(Failed), "failed")
    if max_grade is not None and not 0 < max_grade < inf:
        raise LexiframeError(f"read_nuggets: expected max_grade above 0, found {max_grade:g}")
    if rel is not None and not (0 < rel < inf and rel <= (max_grade or inf)):
        most = f" to max_grade, {max_grade:g}" if max_grade else ""
        raise LexiframeError(f"read_nuggets: expected rel above 0{most}, found {rel:g}")
    read, files = Read(failed, max_grade, rel), _files(source)
    keyed = [(_key_of(record, form), record, file) for file in files for record in _records(file)]
    for key, record, file in sorted(keyed, key=lambda one: [*_READERS].index(one[0])):
        _READERS[key][1](record, file, read)
    if rel is not None and read.statements and not read.has_grades:
        raise LexiframeError(
            "read_nuggets: rel is the least grade that is stated, and no nugget has a grade; leave "
            "it out"
        )
    return _tables(read, [one.facts() for file in files for one in file.files])


def _records(source: data_sources.Source) -> Iterable[json_places.Value]:
    """Return the records of a source, or the records that its rows stand for."""
    rows = rows_of_nuggets.rows_in(source)
    if rows is not None:
        named = source.name is not None
        where = source.where if named else "nuggets"
        return rows_of_nuggets.records_of_rows(rows, where, is_named=named)
    return json_places.records_of(source.origin, "judgments of answers")


def _files(source: RunsLike) -> list[data_sources.Source]:
    """Return the files, each with the name of the run that it has if its records say none."""
    found = [one for of in data_sources.sources_of_runs(source).sources for one in of.apart()]
    # what is hashed is what is read
    return [
        replace(one, origin=one.origin.held()) if isinstance(one.origin, File) else one
        for one in found
    ]


def _key_of(record: json_places.Value, form: NuggetForm | None) -> str:
    """Return the key that tells a record's form."""
    of_form = [key for key, (name, _) in _READERS.items() if form in (None, name)]
    for key in of_form:
        if record.has(key):
            return key
    expected = f"a record with {' or '.join(of_form)}, as nuggetizer or Auto-ARGUE write"
    if isinstance(record.data, dict):
        raise record.wrong(expected, found=f"the keys {', '.join(record.data)}")
    advice = "read_qrels reads the grades of RUBRIC and EXAM++, and so do commands, as QRELS"
    raise record.wrong(expected, advice)


def _tables(read: Read, sources: list[dict[str, Any]]) -> Nuggets:
    if read.n_failed and read.failed == "error":
        counts = " and ".join(printed.counted(n, what) for what, n in sorted(read.n_failed.items()))
        how = printed.advice(python="failed='zero'", terminal="--failed zero")
        raise LexiframeError(
            f"read_nuggets: expected judgments of all nuggets, found {counts} that failed, the "
            f"first in {read.first_failed}; judge these again, or count them as okay and not "
            f"stated: {how}"
        )
    if read.skipped:
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(read.skipped.items()))
        warn(f"read_nuggets: kinds of judgments that are not read, left out: {kinds}")
    judged = {row[0] for rows in (read.statements, read.sentences) for row in rows}
    if empty := sorted({run for run, _ in read.answers} - judged):
        warn(f"read_nuggets: runs without any judged answer, left out: {n_and_first(empty)}")
    nuggets = [(query, *one) for query, (_, of) in read.nuggets.items() for one in of]
    rows: Any = nuggets, read.statements, read.citations, read.sentences
    read_by = zip(SCHEMAS, rows, strict=True)
    tables = {of.name: pl.DataFrame(some, of.columns, orient="row") for of, some in read_by}
    return Nuggets(**tables, sources=sources)
