"""The command that ranks runs over several collections: ``lexiframe leaderboard``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lexiframe.cli.inputs import refuse_replacing
from lexiframe.cli.options import INPUT, OUTPUT, Format, option
from lexiframe.cli.output import print_table
from lexiframe.collection import leaderboards as of
from lexiframe.evaluation import Leaderboard
from lexiframe.evaluation import leaderboard as leaderboard_of
from lexiframe.io import output_files

PANEL = "Compare runs"
EXAMPLES = (
    "leaderboard scores.csv",
    "leaderboard scores.parquet --rule mean --rule borda --group type --report board.html",
    "leaderboard results/ --missing votes --rule borda",
)

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|FOLDER...",
        help="Tables with a value for each run and collection, or folders of results of MTEB, "
        "lm-evaluation-harness or HELM.",
        show_default=False,
    ),
]
RuleNames = Annotated[
    list[str] | None,
    option(
        INPUT,
        "mean, mean_z, mean_rank, borda, win_rate, copeland, mc4, kemeny or bradley_terry; "
        "repeated for several.",
        "--rule",
        metavar="RULE",
        show_default="mean",
    ),
]
MissingPolicy = Annotated[
    of.Missing,
    option(INPUT, "Runs without all collections: left out, only common collections, lost, or "
           "estimated."),
]  # fmt: skip
Grouped = Annotated[
    str | None,
    option(INPUT, "The column that names the groups of collections, which weigh equally.",
           metavar="COLUMN"),
]  # fmt: skip
Generalised = Annotated[of.Over, option(INPUT, "What the tests generalise to.")]
Tested = Annotated[of.RankTest, option(INPUT, "How pairs are tested for the possible ranks.")]
Measured = Annotated[
    str | None,
    option(INPUT, "Which measure counts where a collection has several.", "-m", "--measure",
           metavar="MEASURE"),
]  # fmt: skip
Page = Annotated[
    str | None, option(OUTPUT, "Write the leaderboard as one HTML page.", metavar="FILE")
]
Folder = Annotated[
    str | None,
    option(OUTPUT, "Write all tables as Parquet.", "-o", "--out", metavar="DIR"),
]


def leaderboard(
    *,
    scores: Sources,
    rule: RuleNames = None,
    missing: MissingPolicy = "complete",
    group: Grouped = None,
    over: Generalised = "collections",
    test: Tested = "holm",
    measure: Measured = None,
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    report: Page = None,
    out: Folder = None,
    all: bool = False,
    format: Format = "table",
) -> None:
    """Rank runs over several collections, and say how sure the ranks are."""
    written = [*([Path(report)] if report else []), *(Leaderboard.files(out) if out else [])]
    output_files.refuse_outputs(written)
    refuse_replacing(written, scores)
    rules: Any = rule or ["mean"]  # names, which leaderboard checks
    board = leaderboard_of(
        scores[0] if len(scores) == 1 else scores,
        rules,
        missing,
        group=group,
        over=over,
        test=test,
        measure=measure,
        alpha=alpha,
        samples=samples,
        seed=seed,
    )
    if format == "table":
        typer.echo(str(board.summary("all" if all else "first")))
    else:
        print_table(board.ranking, format)
    if out is not None:
        board.write(out)
        typer.echo(f"wrote {out}", err=True)
    if report is not None:
        board.report(Path(report))
        typer.echo(f"wrote {report}", err=True)
