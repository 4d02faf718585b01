"""The command that says which runs are best: ``lexiframe verdict``."""

from __future__ import annotations

import typer

from lexiframe.core.base import LexiframeError
from lexiframe.core.cli.commands.evaluate import evaluated
from lexiframe.core.cli.inputs import InferenceOptions, RunsOrScores
from lexiframe.core.cli.options import Format
from lexiframe.core.cli.output import print_table
from lexiframe.core.orderings import Method
from lexiframe.core.views import sentences

PANEL = "Compare runs"
EXAMPLES = (
    "verdict qrels.txt runs/ -m AP",
    "verdict qrels.txt runs/ --test sign --correction bh",
)


def verdict(
    *,
    inputs: RunsOrScores,
    measure: list[str] | None = None,
    tests: InferenceOptions,
    order: Method = "win_rate",
    format: Format = "table",
) -> None:
    """Say by each measure which runs are best and which are not significantly worse."""
    if tests.alternative != "two-sided" and tests.baseline is None:
        raise LexiframeError(
            "--alternative: a verdict about all pairs needs two-sided tests; leave it out, or name "
            "the --baseline that the runs are compared with"
        )
    e = evaluated(inputs, measure, tests, [], order=order)
    if format == "table":
        typer.echo(str(sentences.verdict(e)))
    else:
        table = sentences.verdict(e) if tests.baseline is None else e.against_baseline
        # A sentence is wider than a page; the other columns say the same.
        sentence = ["sentence"] if format in ("latex", "markdown") else []
        print_table(table.drop(sentence, strict=False), format, tests.alpha)
