"""The commands about single files: ``lexiframe check | convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.base import LexiframeError, ReadError
from lexiframe.cli.inputs import as_columns
from lexiframe.cli.messages import as_options
from lexiframe.cli.options import (
    AsFormat,
    DecimalMark,
    HasHeader,
    HeldKind,
    Repeated,
    RunColumns,
    ThirdColumn,
    place,
)
from lexiframe.cli.output import print_table
from lexiframe.io import (
    File,
    checks,
    data_sources,
    output_files,
    read_qrels,
    read_runs,
    reading_options,
    to_parquet,
    warn_of_wider_lines,
    write_trec,
)

_OTHER_ENDINGS = {*data_sources.SUFFIXES, ".zip"} - {*data_sources.WRITTEN}


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Runs or qrels: files, folders, globs.")
    ],
    kind: HeldKind = None,
    third: ThirdColumn = None,
    header: HasHeader = False,
    column: RunColumns = None,
    decimal: DecimalMark = ".",
    format: AsFormat = "table",
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
    origins = [source.origin for source in found.sources]
    named = [origin for origin in origins if not isinstance(origin, File)]
    if named:
        raise LexiframeError(f"{named[0]}: expected a file to check, found a name of ir_datasets")
    return [
        checks.check_file(file, options, kind or checks.kind_of(file, options)) for file in origins
    ]


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A run or qrels, in any form.")],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", parser=place, help="The file to write; .parquet: Parquet."),
    ],
    kind: HeldKind = None,
    third: ThirdColumn = None,
    header: HasHeader = False,
    column: RunColumns = None,
    decimal: DecimalMark = ".",
    duplicates: Repeated = "error",
) -> None:
    """Convert a run or qrels to TREC text or, if OUT ends in .parquet, to Parquet."""
    given = data_sources.only_file(source)
    _refuse_target(target, given)
    # Read once: the kind is found, and the output written, from the same bytes.
    file: Any = given.held()
    options = reading_options.TextOptions(third, header, decimal, as_columns(column))
    said: dict[str, Any] = {"header": header, "decimal": decimal, "columns": options.columns}
    if (kind or checks.kind_of(file, options)) == "qrels":
        table = read_qrels(file, duplicates=duplicates, **said)
    else:
        table = read_runs(file, third=options.third, **said)
    if target.suffix.lower() == ".parquet":
        written = [to_parquet.write_parquet(table, target)]
    else:
        written = write_trec(table, target)
    typer.echo(f"wrote {', '.join(map(str, written))}", err=True)


def _refuse_target(target: Path, file: File) -> None:
    """Raise for formats that convert does not write, and if the output is also the input."""
    if str(target) == data_sources.STANDARD_INPUT:
        raise LexiframeError("-: convert writes a file, not standard output; name one")
    if target.suffix.lower() in _OTHER_ENDINGS:
        raise LexiframeError(
            f"{target}: convert writes TREC text and Parquet, not {target.suffix}; choose another "
            "ending (.run, .qrels, .txt, .gz, .parquet)"
        )
    # A folder gets a file for each run; which runs there are is not known before they are read.
    output_files.refuse_replacing((target, *target.glob("*.trec")), [file.path])
