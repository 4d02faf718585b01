"""The command on the coverage of runs and judgments: ``lexiframe coverage``."""

from __future__ import annotations

import typer

from lexiframe.core.cli.inputs import InputOptions
from lexiframe.core.cli.options import Format
from lexiframe.core.cli.output import print_table
from lexiframe.core.metrics import coverage as coverage_of
from lexiframe.core.views import shown

PANEL = "Compare runs"
EXAMPLES = ("coverage qrels.txt runs/", "coverage qrels.txt runs/ --format csv")


def coverage(*, inputs: InputOptions, format: Format = "table") -> None:
    """Count the requests answered and the documents judged, and bound the influence of ties."""
    table = coverage_of(inputs.scan(), inputs.judgments(), **vars(inputs.policies))
    if format == "table":
        typer.echo(shown.coverage_text(table))
    else:
        print_table(table, format)
