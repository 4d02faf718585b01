"""The command that evaluates the bundled collection: ``lexiframe demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from lexiframe import bundled
from lexiframe.core.cli.commands.evaluate import refuse_outputs, write
from lexiframe.core.cli.options import output
from lexiframe.core.evaluation import MEASURES
from lexiframe.core.evaluation import evaluate as evaluate_runs
from lexiframe.core.io import output_files

PANEL = "Help"
EXAMPLES = ("demo", "demo -o results")


def demo(
    out: Annotated[
        Path,
        output("The folder for the tables and the report.", "--out", "-o", metavar="FOLDER"),
    ] = Path("lexiframe-demo"),
) -> None:
    """Evaluate the runs of the bundled collection: image retrieval over handwritten digits."""
    folder = bundled("digits")
    read = [folder / "qrels.parquet", *(folder / "runs").iterdir()]
    report = out / "report.html"
    output_files.refuse_replacing(refuse_outputs(out, report), map(str, read))
    e = evaluate_runs(folder / "runs", folder / "qrels.parquet", MEASURES)
    typer.echo(str(e))
    queries = pl.read_parquet(folder / "queries.parquet")
    words = pl.format("the digit {}, {}", "digit", "strokes")
    write(e, out, report, queries.select("query_id", text=words))
