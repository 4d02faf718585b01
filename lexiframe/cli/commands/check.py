"""The command that lists the problems of files: ``lexiframe check``."""

from __future__ import annotations

from typing import Annotated

import polars as pl
import typer

from lexiframe.base import LexiframeError, ReadError
from lexiframe.cli.inputs import as_columns
from lexiframe.cli.messages import as_options
from lexiframe.cli.options import Decimal, Format, Kind
from lexiframe.cli.output import print_table
from lexiframe.io import File, checks, data_sources, reading_options, warn_of_wider_lines

PANEL = "Files"
EXAMPLES = ("check runs/ qrels.txt", "check run.txt --as run --third score")


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Runs or qrels: files, folders, globs.")
    ],
    kind: Kind | None = None,
    third: reading_options.Third | None = None,
    header: bool = False,
    column: list[str] | None = None,
    decimal: Decimal = ".",
    format: Format = "table",
) -> None:
    """List all problems of files, line by line; exit with status 1 if there are any."""
    options = reading_options.TextOptions(third, header, decimal, as_columns(column))
    found = [_found(given) for given in files]
    data_sources.warn_of_left_out(
        data_sources.Found.together(
            one for one in found if isinstance(one, data_sources.Found)
        ).left_out
    )
    checked = [file for one in found for file in _checked(one, options, kind)]
    warn_of_wider_lines({file.where: file.n_wider for file in checked})
    advice = pl.col("advice").map_elements(as_options, return_dtype=pl.String)
    problems = pl.concat(file.problems for file in checked).with_columns(advice)
    if problems.height or format != "table":
        print_table(problems, format)
    bad = problems["file"].n_unique()
    typer.echo(f"files checked: {len(checked)}, with problems: {bad}", err=True)
    raise typer.Exit(1 if problems.height else 0)


def _found(given: str) -> data_sources.Found | checks.Checked:
    """Find a file, or those of a folder or glob; a missing file is listed as a problem."""
    try:
        return data_sources.sources_of_runs(given)
    except ReadError as error:
        where = (
            data_sources.public_address(given)
            if data_sources.is_remote(given)
            else str(File(given))
        )
        return checks.unreadable(where, error)


def _checked(
    found: data_sources.Found | checks.Checked,
    options: reading_options.TextOptions,
    kind: checks.Kind | None,
) -> list[checks.Checked]:
    if isinstance(found, checks.Checked):
        return [found]
    named = [source.origin for source in found.sources if isinstance(source.origin, str)]
    if named:
        raise LexiframeError(f"{named[0]}: expected a file to check, found a name of ir_datasets")
    files = [file for source in found.sources for file in source.files]
    tables = [source for source in found.sources if not source.files]
    return [
        *(
            checks.check_file(file, options, kind or checks.kind_of(file, options))
            for file in files
        ),
        *(checks.check_table(source, options) for source in tables),
    ]
