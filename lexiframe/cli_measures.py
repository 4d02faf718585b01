"""The commands that say what measures are: ``lexiframe measures | conventions``."""

from __future__ import annotations

from typing import Annotated

import polars as pl
import typer

from lexiframe.cli_options import AsFormat
from lexiframe.cli_output import print_table
from lexiframe.metrics.conventions import conventions as all_conventions
from lexiframe.metrics.derived import MADE_FROM_ANOTHER
from lexiframe.metrics.described import Listing
from lexiframe.pairwise.catalogue import parse_measure
from lexiframe.pairwise.listing import measures as all_measures


def measures(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A measure, by any library's name; all if not given."),
    ] = None,
    format: AsFormat = "table",
) -> None:
    """List the metrics and preferences, or say what one of them is."""
    known = all_measures()
    if name is None or known.filter(name=name)["kind"].to_list() == ["interleaving"]:
        known = known.filter(name is None or pl.col("name") == name)
        explained = str(Listing(known))
    else:
        asked = parse_measure(f"{name}(AP)" if name in MADE_FROM_ANOTHER else name)
        made_from_another = pl.col("name").str.starts_with(f"{asked.name}(")  # TSE(AP) is listed
        known = known.filter((pl.col("name") == asked.name) | made_from_another)
        explained = str(asked.__doc__)
    if format != "table":
        print_table(known, format)
    elif name is None:
        print_table(known.select("notation", "kind", "formula"), format)
    else:
        typer.echo(explained)


def conventions(
    measure: Annotated[
        str | None,
        typer.Argument(metavar="MEASURE", help="Its rows only; all if not given."),
    ] = None,
    format: AsFormat = "table",
) -> None:
    """Show where libraries mean different things by the name of a measure."""
    table = all_conventions()
    if measure is not None:
        name = parse_measure(measure).name
        of_measure = (
            pl.col("measure").str.split(", ").list.eval(pl.element().str.strip_suffix("@k") == name)
        )
        table = table.filter(of_measure.list.any() | (pl.col("measure") == "all"))
    if format != "table":
        print_table(table, format)
        return
    typer.echo(str(Listing(table)))
