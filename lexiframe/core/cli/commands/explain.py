"""The command that says where and why two runs differ: ``lexiframe explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from lexiframe.core.base import LexiframeError
from lexiframe.core.cli.inputs import PairOptions
from lexiframe.core.cli.options import Format
from lexiframe.core.cli.output import complain, print_table
from lexiframe.core.evaluation import Evaluation
from lexiframe.core.evaluation import evaluate as evaluate_runs
from lexiframe.core.io import data_sources
from lexiframe.core.views import shown

PANEL = "Compare runs"
EXAMPLES = (
    "explain qrels.txt bm25.run dense.run",
    "explain qrels.txt a.run b.run --query 42 -m AP",
)


def explain(
    *,
    inputs: PairOptions,
    query: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The request to explain, recall level by recall level."),
    ] = None,
    measure: list[str] | None = None,
    format: Format = "table",
) -> None:
    """Explain where run A is better or worse than run B, request by request, and why in one."""
    scan = inputs.scan()
    e = evaluate_runs(scan, inputs.judgments(), measure or None, **vars(inputs.policies))
    a, b = _names_of(e, [_path_of(source) for source in scan.sources])
    table = e.pair(a, b)
    if format != "table":
        print_table(table if query is None else e.explain(query, a, b), format)
    elif query is not None:
        levels = e.explain(query, a, b)
        typer.echo(shown.levels_text(table.filter(query_id=query), levels, query, a, b))
    else:
        text, note = shown.requests_text(table, a, b)
        if note:
            complain(note)
        typer.echo(text)


def _path_of(source: data_sources.Source) -> str:
    """Return the path of a source as the provenance has it; hashes do not matter here."""
    return str(source.files[0].facts(sha256="any")["path"] if source.files else source.origin)


def _names_of(e: Evaluation, paths: list[str]) -> list[str]:
    """Return the names of the runs in the order of their files on the command line."""
    names = [fact["run"] for path in paths for fact in e.provenance["runs"] if fact["path"] == path]
    if len(names) != 2:
        raise LexiframeError(
            f"explain: expected one run in each of two files, found {len(names)} in "
            f"{', '.join(paths)}; give files of one run"
        )
    return names
