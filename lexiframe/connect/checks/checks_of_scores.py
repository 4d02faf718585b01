"""Problems of votes, scores and results of tools, and doubts about them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import polars as pl

from lexiframe.core.base import LexiframeError, Problem, errors
from lexiframe.core.io.checks import Checked
from lexiframe.core.io.columns import ALL_SCORES
from lexiframe.core.io.doubts.first_looks import DOUBT
from lexiframe.core.io.files.data_sources import File
from lexiframe.core.io.logs.files import read_log
from lexiframe.core.io.per_request_scores import load_scores, read_scores
from lexiframe.core.io.problems.problem_tables import listed, problem_of, table_of
from lexiframe.core.io.result_forms import form_of_result
from lexiframe.core.io.result_forms.found import result_files
from lexiframe.core.io.score_forms.layouts import plain_name
from lexiframe.core.io.score_forms.sources import given_scores
from lexiframe.decide.votes import read_preferences

OtherKind = Literal["votes", "scores"]
_WHAT = {"votes": "side-by-side judgments", "scores": "scores"}


def check_other(file: File, kind: OtherKind, columns: Mapping[str, str]) -> Checked:
    """List the problems of a file of votes or scores, and the doubts about it."""
    given: Any = file if file.data is not None else file.path
    if kind == "votes":
        return _tried(lambda: read_preferences(given, columns=columns), str(file), _WHAT[kind])
    sources = given_scores(given, None, None, None)
    # What was measured is no matter here.
    read = partial(load_scores, sources, "scores", columns=columns)
    checked = _tried(read, str(file), _WHAT[kind])
    if checked.is_readable or not _may_be_a_log(given):
        return checked
    advice = pl.lit("if it is a log of experiments, lexiframe.read_log reads it")
    return replace(checked, problems=checked.problems.with_columns(advice=advice))


def _may_be_a_log(given: Any) -> bool:
    """Return whether a table has runs, and neither requests nor collections nor measures."""
    try:
        names = {plain_name(name) for name in read_log(given).columns}
    except LexiframeError:
        return False
    others = (word for ours in ("query_id", "collection", "measure") for word in ALL_SCORES[ours])
    return names.isdisjoint(others)


def check_results(source: str) -> list[Checked]:
    """List the problems of each file of a tool's results in a folder, and of all together."""
    files = result_files(source)
    checked = [_tried(partial(_check_parses, file), str(file), "results") for file in files]
    if not files or any(one.problems.height for one in checked):
        return checked
    whole = _tried(lambda: read_scores(files), str(File(source)), "results")
    return [*checked, whole] if whole.problems.height else checked


def _check_parses(file: Path) -> None:
    form = form_of_result(file)
    if form is not None:
        for _ in form.read(file, None):
            pass


def _tried(read: Callable[[], object], where: str, what: str) -> Checked:
    """List the error of a reader, or else its warnings."""
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
