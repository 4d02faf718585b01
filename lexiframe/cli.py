"""The command line: ``lexiframe demo | evaluate | compare | coverage | check | convert``."""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any, Optional

import polars as pl
import typer

from lexiframe.bundled import bundled
from lexiframe.coverage import coverage as coverage_of_runs
from lexiframe.errors import LexiframeError
from lexiframe.evaluation import MEASURES, Evaluation
from lexiframe.evaluation import evaluate as evaluate_runs
from lexiframe.io.arrow import read_arrow
from lexiframe.io.checks import check_qrels, check_run
from lexiframe.io.frames import DIALECTS
from lexiframe.io.lines import first_fields
from lexiframe.io.qrels import read_qrels
from lexiframe.io.runs import RunScan, read_runs, scan_runs
from lexiframe.io.sources import File, find_sources, only_file
from lexiframe.io.tables import table_of
from lexiframe.io.trec import QRELS, Dialect
from lexiframe.io.write import refuse_unwritable, write_parquet, write_trec
from lexiframe.options import (
    AsFormat,
    Correction,
    Decimal,
    DecimalMark,
    Duplicates,
    Format,
    HasHeader,
    Kind,
    Measures,
    NamedBy,
    NameFrom,
    NoRelevant,
    NotJudged,
    OutFolder,
    QrelsPath,
    Rel,
    Repeated,
    RunPaths,
    ScoresAs,
    ScoreType,
    Test,
    Third,
    ThirdColumn,
    TiePolicy,
    Ties,
    Unjudged,
    WithoutRelevant,
)
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
    score_type: ScoresAs = ScoreType.float64,
    no_relevant: WithoutRelevant = NoRelevant.drop,
    duplicates: Repeated = Duplicates.error,
    unjudged: NotJudged = Unjudged.keep,
    third: ThirdColumn = None,
    header: HasHeader = False,
    decimal: DecimalMark = Decimal.point,
    name_from: NamedBy = NameFrom.file,
    out: OutFolder = None,
    report: Annotated[Optional[Path], typer.Option(help="Write an HTML page.")] = None,  # noqa: UP045
    format: AsFormat = Format.table,
) -> None:
    """Evaluate runs: coverage, orderings, correlations, ties and discriminative power."""
    if out is not None:
        refuse_unwritable(out)
    if report is not None:
        refuse_unwritable(report.parent)
    e = evaluate_runs(
        _scan(runs, third, header, decimal, name_from),
        qrels,
        measure or None,
        rel=rel,
        ties=ties.value,
        score_type=score_type.value,
        no_relevant=no_relevant.value,
        duplicates=duplicates.value,
        unjudged=unjudged.value,
    )
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
    score_type: ScoresAs = ScoreType.float64,
    no_relevant: WithoutRelevant = NoRelevant.drop,
    duplicates: Repeated = Duplicates.error,
    unjudged: NotJudged = Unjudged.keep,
    third: ThirdColumn = None,
    header: HasHeader = False,
    decimal: DecimalMark = Decimal.point,
    name_from: NamedBy = NameFrom.file,
    format: AsFormat = Format.table,
) -> None:
    """Test which runs differ, pair by pair."""
    p = positions(
        _scan(runs, third, header, decimal, name_from),
        qrels,
        rel=rel,
        ties=ties.value,
        score_type=score_type.value,
        no_relevant=no_relevant.value,
        duplicates=duplicates.value,
        unjudged=unjudged.value,
    )
    d = preferences(p, measure or MEASURES, no_relevant=no_relevant.value)
    _print(compare_runs(d, test.value, correction.value, alpha=alpha, baseline=baseline), format)


@app.command()
def coverage(
    qrels: QrelsPath,
    runs: RunPaths,
    rel: Rel = None,
    ties: TiePolicy = Ties.doc_id_desc,
    score_type: ScoresAs = ScoreType.float64,
    no_relevant: WithoutRelevant = NoRelevant.drop,
    duplicates: Repeated = Duplicates.error,
    unjudged: NotJudged = Unjudged.keep,
    third: ThirdColumn = None,
    header: HasHeader = False,
    decimal: DecimalMark = Decimal.point,
    name_from: NamedBy = NameFrom.file,
    format: AsFormat = Format.table,
) -> None:
    """Count what was answered and what of it is judged, and say how much hangs on ties."""
    table = coverage_of_runs(
        _scan(runs, third, header, decimal, name_from),
        qrels,
        rel=rel,
        ties=ties.value,
        score_type=score_type.value,
        no_relevant=no_relevant.value,
        duplicates=duplicates.value,
        unjudged=unjudged.value,
    )
    _print(table, format)


@app.command()
def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Runs or qrels: files, folders, globs.")
    ],
    kind: Annotated[
        Optional[Kind],  # noqa: UP045
        typer.Option("--as", help="What the files hold; found out unless said."),
    ] = None,
    third: ThirdColumn = None,
    header: HasHeader = False,
    decimal: DecimalMark = Decimal.point,
    format: AsFormat = Format.table,
) -> None:
    """List all problems of files, line by line; status 1 when there are any."""
    said: dict[str, Any] = {"header": header, "decimal": decimal.value}
    tables = []
    for source in find_sources(files):
        if (kind or _kind_of(source.origin)) == Kind.qrels:
            tables.append(check_qrels(source.origin, **said))
        else:
            tables.append(check_run(source.origin, third=third.value if third else None, **said))
    problems = pl.concat(tables)
    if problems.height or format != Format.table:
        _print(problems, format)
    bad = problems["file"].n_unique()
    typer.echo(f"files checked: {len(tables)}, with problems: {bad}", err=True)
    raise typer.Exit(1 if problems.height else 0)


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A run or qrels, in any form.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Its name's ending decides.")],
    third: ThirdColumn = None,
    header: HasHeader = False,
    decimal: DecimalMark = Decimal.point,
) -> None:
    """Convert to TREC text or, when OUT ends in .parquet, to Parquet."""
    file = only_file(source)
    said: dict[str, Any] = {"header": header, "decimal": decimal.value}
    if _kind_of(file) == Kind.qrels:
        table = read_qrels(file, **said)
    else:
        table = read_runs(file, third=third.value if third else None, **said)
    if target.suffix == ".parquet":
        written = [write_parquet(table, target)]
    else:
        written = write_trec(table, target)
    typer.echo(f"wrote {', '.join(map(str, written))}", err=True)


def _scan(
    runs: list[str], third: Third | None, header: bool, decimal: Decimal, name_from: NameFrom
) -> RunScan:
    return scan_runs(
        runs,
        third=third.value if third else None,
        header=header,
        decimal=decimal.value,
        name_from=name_from.value,
    )


def _kind_of(file: File) -> Kind:
    """Tell whether a file holds runs or judgments: by its columns, or the fields of its lines."""
    try:
        content = file.content()
        if content.kind != "text":
            names = read_arrow(content, str(file)).column_names
        else:
            table = table_of(content.data, str(file), Dialect(), "score")
            names = [] if table is None else table.columns
    except LexiframeError:
        return Kind.run
    if names:
        grades = {*DIALECTS["relevance"]}
        return Kind.qrels if grades & {name.partition(":")[0] for name in names} else Kind.run
    is_qrels = len(first_fields(content.data)) == len(QRELS.names)
    return Kind.qrels if is_qrels else Kind.run


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
