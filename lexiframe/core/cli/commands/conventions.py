"""The command on the meaning of a measure in several libraries: ``lexiframe conventions``."""

from __future__ import annotations

from typing import Annotated

import typer

from lexiframe.core.cli.options import Format
from lexiframe.core.cli.output import print_table, say
from lexiframe.core.pairwise import conventions as conventions_of

PANEL = "Help"
EXAMPLES = ("conventions", "conventions AP")


def conventions(
    measure: Annotated[
        str | None,
        typer.Argument(metavar="MEASURE", help="Its rows only; all if not given."),
    ] = None,
    format: Format = "table",
) -> None:
    """Show where libraries mean different things by the name of a measure."""
    table = conventions_of(measure)
    if format != "table":
        print_table(table, format)
        return
    say(str(table))
