"""The command that says who loses how much against a baseline: ``lexiframe risk``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from lexiframe.core.base import printed
from lexiframe.core.cli.inputs import RunsOrScores, WeightOptions
from lexiframe.core.cli.options import STATISTICS, Format, OutFile, Passed, option
from lexiframe.core.cli.output import print_table, refuse_other_ending, say, write_table
from lexiframe.core.io import output_files, qrel_files
from lexiframe.decide.worst.command import Metrics, scores_in
from lexiframe.decide.worst.risk import risk as risk_of
from lexiframe.decide.worst.risk_in_words import risk_sentences

PANEL = "Compare runs"
EXAMPLES = (
    "risk qrels.txt runs/ -m AP --baseline bm25",
    "risk qrels.txt runs/ -m nDCG@10 --baseline bm25 --risk-alpha 5 --margin 0.2 -o risk.csv",
)
_SHOWN = "wins losses large_losses mean_difference urisk trisk p_adjusted worst_change georisk"
Baseline = Annotated[str, option(STATISTICS, "The run that is in use.", metavar="RUN")]


def risk(
    *,
    inputs: RunsOrScores,
    measure: Metrics = None,
    baseline: Baseline,
    how: Annotated[dict[str, Any], Passed(risk_of, "risk_alpha margin", STATISTICS, "alpha unit")],
    requests: str | None = None,
    by: list[str] | None = None,
    weighing: WeightOptions,
    out: OutFile = None,
    wide: bool = False,
    format: Format = "table",
) -> None:
    """Say which requests gain and lose against a baseline, and how risky that is.

    Text has the columns that one reads; --wide and other formats have all.
    """
    if out is not None:
        refuse_other_ending(out)
    files = [] if out is None else [out]
    output_files.refuse_outputs(files)
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(requests), "by": by}
    how |= weighing.weighed
    table = risk_of(scores_in(inputs, measure, files, requests), baseline, **how, **groups)
    if out is not None:
        write_table(out, table, {"table": "risk", "baseline": baseline, **how})
        typer.echo(f"wrote {out}", err=True)
    if format != "table" or wide:
        print_table(table, format, wide=True)
        return
    told = risk_sentences(table)["sentence"].to_list()
    if weighing.weighed:
        told.append("Means and risks are by weight; wins, losses and large losses are counts.")
    say("\n".join(told))
    key = table.columns[: table.columns.index("run") + 1]
    shown = table.filter(table["n"].is_not_null()).select(*key, *_SHOWN.split())
    typer.echo(f"\n{printed.table_text(shown)}")
