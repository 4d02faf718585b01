"""The command line: ``lexiframe demo | evaluate | compare | coverage | convert``."""

from __future__ import annotations

import json
import math
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Optional

import polars as pl
import typer

from lexiframe.bundled import bundled
from lexiframe.errors import LexiframeError
from lexiframe.evaluation import MEASURES, Evaluation
from lexiframe.evaluation import evaluate as evaluate_runs
from lexiframe.io.arrow import read_arrow
from lexiframe.io.lines import first_fields
from lexiframe.io.qrels import read_qrels
from lexiframe.io.runs import read_runs
from lexiframe.io.sources import File, only_file
from lexiframe.io.trec import QRELS
from lexiframe.io.write import refuse_unwritable, write_parquet, write_trec
from lexiframe.positions.coverage import coverage as coverage_of_runs
from lexiframe.positions.projection import positions
from lexiframe.preferences.pairs import preferences
from lexiframe.significance.paired import compare as compare_runs
from lexiframe.views.tables import table_text

app = typer.Typer(
    help="Compare rankings: who is better, and how sure one can be.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


class Format(StrEnum):
    """How tables are printed."""

    table = "table"
    json = "json"
    csv = "csv"


class Ties(StrEnum):
    """What orders documents of equal score."""

    doc_id_desc = "doc_id_desc"
    doc_id_asc = "doc_id_asc"
    input = "input"
    rank = "rank"


class Test(StrEnum):
    """The paired test."""

    t = "t"
    sign = "sign"


class Correction(StrEnum):
    """The correction for many comparisons."""

    holm = "holm"
    bonferroni = "bonferroni"
    none = "none"


QrelsPath = Annotated[
    Path, typer.Argument(metavar="QRELS", help="Judgments: TREC text or Parquet.")
]
RunPaths = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Runs: files, folders or globs.")
]
Measures = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it
    typer.Option("-m", "--measure", help="A measure; repeat for several.", show_default=False),
]
Rel = Annotated[Optional[float], typer.Option(help="Least relevant grade.")]  # noqa: UP045
TiePolicy = Annotated[Ties, typer.Option(help="What orders equal scores.")]
OutFolder = Annotated[Optional[Path], typer.Option("--out", help="Write Parquet here.")]  # noqa: UP045
AsFormat = Annotated[
    Format,
    typer.Option("--format", help="How to print; of an evaluation csv prints the orderings."),
]


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="Write Parquet here.")] = Path(
        "lexiframe-demo"
    ),
) -> None:
    """Run the main job on the bundled collection: image retrieval over handwritten digits."""
    folder = bundled("digits")
    refuse_unwritable(out)
    e = evaluate_runs(folder / "runs", folder / "qrels.parquet", [*MEASURES, "rrLP", "R@1000"])
    typer.echo(str(e))
    _write(e, out)


@app.command()
def evaluate(
    qrels: QrelsPath,
    runs: RunPaths,
    measure: Measures = None,
    rel: Rel = None,
    ties: TiePolicy = Ties.doc_id_desc,
    out: OutFolder = None,
    report: Annotated[Optional[Path], typer.Option(help="Write an HTML page.")] = None,  # noqa: UP045
    format: AsFormat = Format.table,
) -> None:
    """Evaluate runs: coverage, orderings, correlations, ties and discriminative power."""
    if out is not None:
        refuse_unwritable(out)
    if report is not None:
        refuse_unwritable(report.parent)
    e = evaluate_runs(runs, qrels, measure or None, rel=rel, ties=ties.value)
    if out is not None:
        _write(e, out)
    if report is not None:
        typer.echo(f"wrote {e.report(report)}", err=True)
    if format == Format.table:
        typer.echo(str(e))
    elif format == Format.json:
        _print_json({name: table.to_dicts() for name, table in _printed(e).items()})
    else:
        typer.echo(e.orderings.write_csv(), nl=False)


@app.command()
def compare(
    qrels: QrelsPath,
    runs: RunPaths,
    measure: Measures = None,
    test: Annotated[Test, typer.Option(help="The paired test.")] = Test.t,
    correction: Annotated[
        Correction, typer.Option(help="For many comparisons, over the pairs of a measure.")
    ] = Correction.holm,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.05,
    baseline: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="RUN", help="Only compare with this run."),
    ] = None,
    rel: Rel = None,
    ties: TiePolicy = Ties.doc_id_desc,
    format: AsFormat = Format.table,
) -> None:
    """Test which runs differ, pair by pair."""
    p = positions(runs, qrels, rel=rel, ties=ties.value)
    d = preferences(p, measure or MEASURES)
    _print(compare_runs(d, test.value, correction.value, alpha=alpha, baseline=baseline), format)


@app.command()
def coverage(
    qrels: QrelsPath, runs: RunPaths, rel: Rel = None, format: AsFormat = Format.table
) -> None:
    """Count which requests were answered, and how much of the answers is judged."""
    _print(coverage_of_runs(runs, qrels, rel=rel), format)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A run or qrels, TREC or Parquet.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Its name's ending decides.")],
) -> None:
    """Convert between TREC text and Parquet, either way."""
    table = _read_either(only_file(source))
    if target.suffix == ".parquet":
        written = [write_parquet(table, target)]
    else:
        written = write_trec(table, target)
    typer.echo(f"wrote {', '.join(map(str, written))}", err=True)


def _read_either(file: File) -> Any:
    """Read runs or judgments, whichever the file holds: lines of four fields are judgments."""
    content = file.content()
    if content.kind != "text":
        columns = read_arrow(content, str(file)).column_names
        return read_qrels(file) if "relevance" in columns else read_runs(file)
    is_qrels = len(first_fields(content.data)) == len(QRELS.names)
    return read_qrels(file) if is_qrels else read_runs(file)


def _printed(e: Evaluation) -> dict[str, pl.DataFrame]:
    names = ("coverage", "orderings", "correlations", "tie_rates", "power")
    return {name: e.tables()[name] for name in names}


def _print(table: pl.DataFrame, format: Format) -> None:
    if format == Format.json:
        _print_json(table.to_dicts())
    elif format == Format.csv:
        typer.echo(table.write_csv(), nl=False)
    else:
        typer.echo(table_text(table))


def _print_json(value: Any) -> None:
    """Print as JSON, which has no word for an infinite number: it becomes a string."""
    typer.echo(json.dumps(_finite(value), indent=1, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _write(e: Evaluation, out: Path) -> None:
    paths = e.write(out)
    typer.echo(f"wrote {len(paths)} tables to {out}: {', '.join(p.name for p in paths)}", err=True)


def _say_warning(message: Warning | str, *_args: Any, **_keywords: Any) -> None:
    typer.echo(f"warning: {message}", err=True)


def main() -> None:
    """Run the command line; bad input ends in one message and status 1."""
    warnings.showwarning = _say_warning
    try:
        app()
    except (LexiframeError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
