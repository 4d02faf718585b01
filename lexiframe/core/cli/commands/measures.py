"""The command that lists and explains measures: ``lexiframe measures``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from lexiframe.core.cli.options import Format
from lexiframe.core.cli.output import print_table, say
from lexiframe.core.pairwise import measures as measures_of
from lexiframe.core.pairwise import parse_measure

PANEL = "Help"
EXAMPLES = ("measures", "measures nDCG")


def measures(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A measure, by any library's name; all if not given."),
    ] = None,
    format: Format = "table",
) -> None:
    """List the metrics and preferences, or say what one of them is."""
    known = measures_of(name)
    if name is None or known["kind"].to_list() == ["interleaving"]:
        explained = str(known)
    else:
        explained = str(parse_measure(known["name"].item()).__doc__)
    if format != "table":
        print_table(known, format)
    elif name is None:
        print_table(known.select("notation", "kind", "formula"), format)
    else:
        say(_flowing(explained).replace("``", ""))


def _flowing(explained: str) -> str:
    """Join the lines of each paragraph of prose; facts and parameters have a line each."""
    blocks = (
        block if _LISTED.match(block) else block.replace("\n", " ")
        for block in explained.split("\n\n")
    )
    return "\n\n".join(blocks)


_LISTED = re.compile(r"((Formula|Kind|Range|Source)\b.*: |Parameters, | |.*\n +\S)")
"""The beginning of a block of an explanation whose lines are not prose."""
