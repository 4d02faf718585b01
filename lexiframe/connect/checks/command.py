"""The command that lists the problems of files: ``lexiframe check``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import polars as pl
import typer

from lexiframe.connect.checks.checks_of_scores import check_other, check_results, doubted
from lexiframe.core.base import LexiframeError, Problem, ReadError, errors
from lexiframe.core.cli.inputs import as_columns, as_grades
from lexiframe.core.cli.messages import as_options
from lexiframe.core.cli.options import AnyKind, Decimal, Format, Passed
from lexiframe.core.cli.output import print_table
from lexiframe.core.io import (
    File,
    checks,
    data_sources,
    read_qrels,
    read_runs,
    reading_options,
    scan_runs,
    warn_of_wider_lines,
)
from lexiframe.decide import leaderboards

PANEL = "Files"
EXAMPLES = ("check runs/ qrels.txt votes.csv results/", "check run.txt --as run --third score")


class _File(NamedTuple):
    """The problems of a file, its kind, and the file itself; None if it is not there."""

    checked: checks.Checked
    kind: checks.AnyKind = "run"
    file: File | None = None


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Runs, qrels, votes, scores, results of tools: files, folders, globs. Beside "
            "qrels, runs are checked against them.",
        ),
    ],
    *,
    kind: AnyKind | None = None,
    how_read: Annotated[dict[str, Any], Passed(read_runs, "third better ranked_by header rows")],
    column: list[str] | None = None,
    decimal: Decimal = ".",
    grade: list[str] | None = None,
    format: Format = "table",
) -> None:
    """List all problems of files, line by line; exit with status 1 if there are any.

    Where judgments are given beside runs, a run is also a problem if its ids match nothing in the
    judgments, or if the order of its equal scores may move a mean out of its interval.
    """
    options = reading_options.TextOptions(
        decimal=decimal, columns=as_columns(column), grades=as_grades(grade), **how_read
    )
    results = {given: check_results(given) for given in files if kind is None}
    found = [_find_file(given) for given in files if not results.get(given)]
    data_sources.warn_of_left_out(
        data_sources.Found.together(
            one for one in found if isinstance(one, data_sources.Found)
        ).left_out
    )
    read = [file for one in found for file in _check_given(one, options, kind)]
    read += [_File(one, "scores") for of_one in results.values() for one in of_one]
    checked = _check_with_judgments(read, options)
    warn_of_wider_lines({file.where: file.n_wider for file in checked})
    advice = pl.col("advice").map_elements(as_options, return_dtype=pl.String)
    listed = pl.concat(file.problems for file in checked).with_columns(advice)
    if format == "table":  # where there is no room for all columns, the last is left out
        listed = listed.select(pl.all().exclude("expected"), "expected")
    if listed.height or format != "table":
        print_table(listed, format)
    bad = sum(file.problems.height > 0 for file in checked)
    typer.echo(f"files checked: {len(checked)}, with problems: {bad}", err=True)
    raise typer.Exit(1 if listed.height else 0)


def _find_file(given: str) -> data_sources.Found | checks.Checked:
    """Find a file, or the files of a folder or glob; a missing file is listed as a problem."""
    try:
        return data_sources.sources_of_runs(given)
    except ReadError as error:
        where = (
            data_sources.public_address(given)
            if data_sources.is_remote(given)
            else str(File(given))
        )
        return checks.unreadable(where, error)


def _check_given(
    found: data_sources.Found | checks.Checked,
    options: reading_options.TextOptions,
    kind: AnyKind | None,
) -> list[_File]:
    if isinstance(found, checks.Checked):
        return [_File(found)]
    named = [source.origin for source in found.sources if isinstance(source.origin, str)]
    if named:
        raise LexiframeError(f"{named[0]}: expected a file to check, found a name of ir_datasets")
    tables = [source for source in found.sources if not source.files]
    return [
        *(
            _checked_file(file, options, kind, is_whole=file == source.origin)
            for source in found.sources
            for file in source.files
        ),
        *(_File(checks.check_table(source, options)) for source in tables),
    ]


def _checked_file(
    file: File, options: reading_options.TextOptions, kind: AnyKind | None, *, is_whole: bool
) -> _File:
    """List the problems of a file; its kind is found out if it is not given.

    A file that is only a part of a run is not evaluated.
    """
    of = kind or checks.kind_of(file, options)
    if of == "run" or of == "qrels":
        return _File(checks.check_file(file, options, of), of, file if is_whole else None)
    checked = check_other(file, of, options.columns)
    if of == "scores" and not checked.problems.height:
        checked = _check_units(file)
    return _File(checked, of, file)


def _check_units(file: File) -> checks.Checked:
    """List collections whose units decide the mean; scores without collections have none."""
    try:
        said = leaderboards.doubts_of_units(file if file.data is not None else file.path)
    except LexiframeError:
        said = []
    return doubted(said, str(file))


def _check_with_judgments(
    files: Sequence[_File], options: reading_options.TextOptions
) -> list[checks.Checked]:
    """Add the problems that runs and judgments show together, if one file has judgments."""
    judged = [one for one in files if one.kind == "qrels"]
    runs = [one.file for one in files if one.kind == "run" and one.file and one.checked.is_readable]
    checked = [one.checked for one in files]
    if len(judged) != 1 or not judged[0].file or not judged[0].checked.is_readable or not runs:
        return checked
    found = _doubts_of_results(runs, judged[0].file, options)
    return [
        checks.recheck_ties(one, found[one.where]) if one.where in found else one for one in checked
    ]


def _doubts_of_results(
    runs: Sequence[File], judged: File, options: reading_options.TextOptions
) -> dict[str, list[Problem]]:
    """Evaluate runs; return by file the runs without matching ids, and means that ties leave open.

    If runs and judgments cannot be evaluated together, that is a problem of the judgments.
    """
    from lexiframe.core.evaluation import evaluate
    from lexiframe.core.metrics import coverages
    from lexiframe.core.views import sentences

    how: dict[str, Any] = {"header": options.header, "decimal": options.decimal}
    how |= {"columns": options.columns, "rows": options.rows}
    try:
        scan = scan_runs(
            [file.path for file in runs],
            third=options.third,
            better=options.better,
            ranked_by=options.ranked_by,
            **how,
        )
        with warnings.catch_warnings():  # of what evaluate says itself
            warnings.simplefilter("ignore", errors.LexiframeWarning)
            qrels = read_qrels(judged.path, grades=options.grades, **how)
            e = evaluate(scan, qrels, coverages.MEASURES)
    except LexiframeError as error:
        return {str(judged): [checks.problem_with_runs(error, str(judged))]}
    paths = {fact["run"]: str(fact["path"]) for fact in e.provenance["runs"]}
    found = {path: list[Problem]() for path in paths.values()}
    for run, means in sentences.open_means(e.coverage, e.means).items():
        found[paths[run]].append(checks.problem_of_ties(paths[run], means))
    for run in e.provenance.get("unmatched", ()):
        found[paths[run]].append(checks.problem_of_ids(paths[run]))
    return found
