"""Listing what is wrong with votes, scores and results of tools, and what is doubted in them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from lexiframe.base import LexiframeError, Problem, errors
from lexiframe.io.checks import Checked
from lexiframe.io.column_forms.column_names import (
    CHOSEN,
    GAMES,
    KNOWN_NAMES,
    PAIRS_OF_RUNS,
    candidates_for,
)
from lexiframe.io.files.data_sources import File
from lexiframe.io.files.tables import read_arrow
from lexiframe.io.per_request_scores import read_scores
from lexiframe.io.problems.doubted_judgments import DOUBT
from lexiframe.io.problems.problem_tables import listed, problem_of, table_of
from lexiframe.io.result_forms import form_of_result
from lexiframe.io.result_forms.found import result_files
from lexiframe.io.score_forms.layouts import COLLECTION_WORDS, WORDS
from lexiframe.io.stated.reading import read_preferences
from lexiframe.io.text.csv_tables import first_line
from lexiframe.io.text.json_tables import is_json, names_in

OtherKind = Literal["votes", "scores"]
_WHAT = {"votes": "side-by-side judgments", "scores": "scores"}


def other_kind_of(file: File) -> OtherKind | None:
    """Return whether a file holds votes or scores, by its columns; None for runs and judgments.

    Scores have no column of documents, and one of collections or measures, or runs without one of
    requests.
    """
    try:
        content = file.content()
        if content.form is not None:
            names = read_arrow(content.form, content.data, str(file)).column_names
        elif is_json(content.data):
            names = names_in(content.data)
        else:
            header = first_line(content.data)
            names = header.split(max("\t,;", key=header.count))
    except LexiframeError:
        return None
    columns = {name.strip(' "\r\n') for name in names}
    if any({*pair} <= columns for pair in [*PAIRS_OF_RUNS, *CHOSEN, GAMES]):
        return "votes"
    has = {ours: bool(candidates_for(words, [*columns])) for ours, words in WORDS.items()}
    has_documents = not columns.isdisjoint([*KNOWN_NAMES["doc_id"], "rank"])
    has_collections = not columns.isdisjoint(COLLECTION_WORDS)
    has_runs_alone = has["run"] and not has["query_id"] and not has["value"] and len(columns) > 1
    if has_documents or not (has_collections or has["measure"] or has_runs_alone):
        return None
    return "scores"


def check_other(file: File, kind: OtherKind, columns: Mapping[str, str]) -> Checked:
    """List what is wrong with a file of votes or scores, and what is doubted in it."""
    where = str(file)
    read: Callable[..., Any] = read_preferences if kind == "votes" else read_scores
    measure = {} if kind == "votes" else {"measure": None}
    given = file if file.data is not None else file.path
    return _tried(lambda: read(given, columns=dict(columns), **measure), where, _WHAT[kind])


def check_results(source: str) -> list[Checked]:
    """List what is wrong with each file of results of a tool in a folder, and with all together.

    There are none where the source has no such files.
    """
    files = result_files(source)
    checked = [_tried(partial(_parsed, file), str(file), "results") for file in files]
    if not files or any(one.problems.height for one in checked):
        return checked
    whole = _tried(lambda: read_scores(files), str(File(source)), "results")
    return [*checked, whole] if whole.problems.height else checked


def _parsed(file: Path) -> None:
    form = form_of_result(file)
    if form is not None:
        for _ in form.read(file, None):
            pass


def _tried(read: Callable[[], object], where: str, what: str) -> Checked:
    """List the error of a reader, or else what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read()
            said = [one for one in caught if issubclass(one.category, errors.LexiframeWarning)]
            return doubted([str(one.message) for one in said], where, what)
        except LexiframeError as error:
            return Checked(where, listed(table_of([problem_of(error, where)]), what))


def doubted(messages: Sequence[str], where: str, what: str = "scores") -> Checked:
    """List doubts about a file; the advice of each stands behind a semicolon."""
    parts = [one.removeprefix(f"{where}: ").partition("; ") for one in messages]
    found = [Problem(where, "", doubt, advice, problem=DOUBT) for doubt, _, advice in parts]
    return Checked(where, listed(table_of(found), what))
