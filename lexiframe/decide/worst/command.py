"""The command that says who is served worst: ``lexiframe worst``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.core.cli.inputs import RunsOrScores, WeightOptions
from lexiframe.core.cli.options import MEASURES, STATISTICS, Format, Passed, option, output
from lexiframe.core.cli.output import print_table
from lexiframe.core.evaluation import load_chosen
from lexiframe.core.io import output_files, qrel_files
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import measured, pairs, parse_measures
from lexiframe.decide.worst.served import WorstServed, worst_served

PANEL = "Compare runs"
EXAMPLES = (
    "worst qrels.txt runs/ -m AP,nDCG@10 --share 0.1",
    "worst qrels.txt runs/ -m AP --share 0.25 --unit user --requests queries.csv",
)
USUAL = "AP nDCG@10 RR"
_OPTIONS = Passed(worst_served, "share=SHARE unit=ATTRIBUTE", STATISTICS, "alpha correction")
Metrics = Annotated[
    list[str] | None,
    option(MEASURES, "Metrics: AP,nDCG@10 or -m AP -m nDCG@10.", "-m", "--measure",
           metavar="MEASURE", show_default=USUAL),
]  # fmt: skip


def worst(
    *,
    inputs: RunsOrScores,
    measure: Metrics = None,
    how: Annotated[dict[str, Any], _OPTIONS],
    baseline: str | None = None,
    requests: str | None = None,
    by: list[str] | None = None,
    weighing: WeightOptions,
    all: bool = False,
    out: Annotated[Path | None, output("Write all tables here, as Parquet.", "--out", "-o")] = None,
    format: Format = "table",
) -> None:
    """Compare runs by the share of the requests that each of them serves worst.

    Other formats than text have the values of the runs; --out writes all tables.
    """
    files = [] if out is None else [*WorstServed.files(out)]
    output_files.refuse_outputs(files)
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(requests), "by": by}
    s = scores_in(inputs, measure, files, requests)
    found = worst_served(s, baseline=baseline, **how, **weighing.weighed, **groups)
    if out is not None:
        found.write(out)
        typer.echo(f"wrote {out}", err=True)
    if format == "table":
        typer.echo(found.summary("all" if all else "first"))
    else:
        print_table(found.values, format)


def scores_in(
    inputs: RunsOrScores, measure: list[str] | None, outputs: list[Path], requests: str | None
) -> pl.DataFrame:
    """Return the scores of runs by metrics, or given ones; preferences where there are none."""
    if inputs.has_scores:
        given, how = inputs.given_scores(outputs, requests, measure)
        missing = how.pop("missing")
        table = load_chosen(given, warns=missing is None, **how).table
        return missing_requests.settle(table, missing)[0]  # type: ignore[no-any-return]
    asked = inputs.measures(measure) or parse_measures(USUAL)
    scan = inputs.found(outputs, requests)
    projected = measured.project_runs(scan, inputs.judgments(), asked, inputs.policies)
    scores, preferences = pairs.tables_of(projected.part(asked, None))
    return scores if scores.height else preferences
