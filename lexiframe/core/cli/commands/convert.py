"""The command that writes a run or judgments in another form: ``lexiframe convert``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.core.base import LexiframeError
from lexiframe.core.cli.inputs import as_columns, as_grades
from lexiframe.core.cli.options import Decimal, Kind, Passed, place
from lexiframe.core.io import (
    File,
    checks,
    data_sources,
    output_files,
    qrel_files,
    read_qrels,
    read_runs,
    reading_options,
    to_parquet,
    write_trec,
)

PANEL = "Files"
EXAMPLES = ("convert run.gz run.parquet", "convert qrels.tsv qrels.txt")


_OTHER_ENDINGS = {*data_sources.SUFFIXES, ".zip"} - {*data_sources.WRITTEN, ".csv", ".tsv"}


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A run or qrels, in any form.")],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", parser=place, help="The file to write; .parquet, .csv, .tsv: a table."
        ),
    ],
    *,
    kind: Kind | None = None,
    of_runs: Annotated[dict[str, Any], Passed(read_runs, "third better ranked_by")],
    text: Annotated[dict[str, Any], Passed(read_runs, "header rows")],
    column: list[str] | None = None,
    decimal: Decimal = ".",
    grade: list[str] | None = None,
    duplicates: qrel_files.Duplicates = "error",
) -> None:
    """Convert a run or qrels to TREC text or, as OUT ends, to Parquet, CSV or TSV."""
    given = data_sources.only_file(source)
    _refuse_target(target, given)
    # Read once: the kind is found, and the output written, from the same bytes.
    file: Any = given.held()
    grades = as_grades(grade)
    text |= {"decimal": decimal, "columns": as_columns(column)}
    options = reading_options.TextOptions(grades=grades, **of_runs, **text)
    if (kind or checks.kind_of(file, options)) == "qrels":
        table = read_qrels(file, duplicates=duplicates, grades=grades, **text)
    else:
        table = read_runs(file, **of_runs, **text)
    if target.suffix.lower() == ".csv":
        with output_files.replacing(target) as temporary:
            pl.DataFrame(table).write_csv(temporary)
        written = [target]
    elif target.suffix.lower() == ".parquet" and "run" in table.column_names:
        written = [to_parquet.write_runs(table, target)]
    elif target.suffix.lower() == ".parquet":
        written = [to_parquet.write_parquet(table, target)]
    else:
        is_tsv = target.suffix.lower() == ".tsv"
        written = write_trec(table, target, form="tsv" if is_tsv else "trec")
    typer.echo(f"wrote {', '.join(map(str, written))}{_sizes(file, written)}", err=True)


def _sizes(file: File, written: Sequence[Path]) -> str:
    """Say how large the files are, beside the file that was read."""
    before, after = len(file.read()), sum(path.stat().st_size for path in written)
    return f" ({after:,} bytes, {after / before:.0%} of the {before:,} of {file})"


def _refuse_target(target: Path, file: File) -> None:
    """Raise for formats that convert does not write, and if the output is also the input."""
    if str(target) == data_sources.STANDARD_INPUT:
        raise LexiframeError("-: convert writes a file, not standard output; name one")
    if target.suffix.lower() in _OTHER_ENDINGS:
        raise LexiframeError(
            f"{target}: convert writes TREC text, TSV, Parquet and CSV, not {target.suffix}; use "
            "another ending (.run, .qrels, .txt, .gz, .parquet, .csv, .tsv)"
        )
    # A folder gets a file for each run; which runs there are is not known before they are read.
    output_files.refuse_replacing((target, *target.glob("*.trec")), [file.path])
