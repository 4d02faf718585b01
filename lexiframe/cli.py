"""The command line: ``lexiframe evaluate | compare | verdict | coverage | check | ...``."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe._version import __version__
from lexiframe.cli_explain import explain
from lexiframe.cli_files import check, conventions, convert, measures
from lexiframe.cli_options import (
    AsFormat,
    Baseline,
    EvaluatedOptions,
    GroupedBy,
    HonestDifference,
    InferenceOptions,
    InputOptions,
    Intervals,
    Measures,
    OutFile,
    OutFolder,
    ReportFile,
    RequestsFile,
    as_options,
    place,
    with_groups_of_options,
)
from lexiframe.cli_output import print_json, print_table, refuse_other_ending, write_table
from lexiframe.errors import LexiframeError
from lexiframe.evaluated_runs import MEASURES
from lexiframe.evaluated_runs import evaluate as evaluate_runs
from lexiframe.evaluated_scores import evaluate_scores
from lexiframe.evaluation import Evaluation, table_files
from lexiframe.example_data import bundled
from lexiframe.gaps import coverage as coverage_of_runs
from lexiframe.io.files.outputs import refuse_outputs, refuse_replacing, refuse_unwritable
from lexiframe.io.files.sources import File
from lexiframe.io.qrels import held_or_data
from lexiframe.io.runs import RunScan
from lexiframe.layouts.cube import pair_cube_with_scores
from lexiframe.layouts.groups import names_of
from lexiframe.metrics.metric import Metric
from lexiframe.pairwise.pairs import parse_measures
from lexiframe.projected import project_runs
from lexiframe.projection.policies import Policies
from lexiframe.significance.paired import check_inference
from lexiframe.significance.paired import compare as compare_runs
from lexiframe.significance.tukey import tukey_hsd
from lexiframe.views.verdict import verdict

app = typer.Typer(
    help="Compare rankings: which run is better, and how sure one can be.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _examples(*commands: str) -> str:
    """Return the end of a command's help: examples, each on a line of its own."""
    return "\n\n".join(["Examples:", *(f"  lexiframe {command}" for command in commands)])


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"lexiframe {__version__}")
        raise typer.Exit


@app.callback(epilog=_examples("demo", "evaluate qrels.txt runs/ -m AP,nDCG@10"))
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Compare rankings: which run is better, and how sure one can be."""


@app.command(epilog=_examples("demo", "demo -o results"))
def demo(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            parser=place,
            help="The folder for the tables and the report.",
        ),
    ] = Path("lexiframe-demo"),
) -> None:
    """Evaluate the runs of the bundled collection: image retrieval over handwritten digits."""
    folder = bundled("digits")
    read = [folder / "qrels.parquet", *(folder / "runs").iterdir()]
    report = out / "report.html"
    refuse_replacing(_refuse_outputs(out, report), map(str, read))
    e = evaluate_runs(folder / "runs", folder / "qrels.parquet", [*MEASURES, "rrLP", "R@1000"])
    typer.echo(str(e))
    _write(e, out)
    texts = pl.read_parquet(folder / "queries.parquet")
    words = pl.format("the digit {}, {}", "digit", "strokes")
    _write_report(e, report, texts.select("query_id", text=words))


@app.command(
    epilog=_examples(
        "evaluate qrels.txt bm25.run dense.run -m AP,nDCG@10",
        "evaluate qrels.txt runs/ --rel 2 -o results --report report.html",
    )
)
@with_groups_of_options
def evaluate(
    *,
    inputs: EvaluatedOptions,
    measure: Measures = None,
    tests: InferenceOptions,
    baseline: Baseline = None,
    requests: RequestsFile = None,
    by: GroupedBy = None,
    out: OutFolder = None,
    report: ReportFile = None,
    format: AsFormat = "table",
) -> None:
    """Evaluate runs: their means, orderings, agreement, ties, and a verdict."""
    outputs = _refuse_outputs(out, report)
    how: dict[str, Any] = {**vars(tests), "baseline": baseline, "requests": requests, "by": by}
    if inputs.scores:
        files = inputs.score_files()
        refuse_replacing(outputs, [requests or "", *(file.path for file in files)])
        e = evaluate_scores(files, measure or None, **how)
    else:
        scan = inputs.scan()
        refuse_replacing(outputs, [inputs.qrels, requests or "", *_files_of(scan)])
        e = evaluate_runs(scan, inputs.judgments(), measure or None, **inputs.policies(), **how)
    if out is not None:
        _write(e, out)
    if report is not None:
        _write_report(e, report)
    if format == "table":
        typer.echo(str(e))
    elif format == "json":
        print_json({name: table.to_dicts() for name, table in _printed(e).items()})
    else:
        print_table(e.orderings, "csv")


@app.command(
    epilog=_examples(
        "compare qrels.txt runs/ -m AP,RPP --baseline bm25 -o pairs.csv",
        "compare qrels.txt runs/ -m AP --hsd randomized --trials 2000",
    )
)
@with_groups_of_options
def compare(
    *,
    inputs: InputOptions,
    measure: Measures = None,
    tests: InferenceOptions,
    requests: RequestsFile = None,
    by: GroupedBy = None,
    baseline: Baseline = None,
    intervals: Intervals = "t",
    hsd: HonestDifference = None,
    out: OutFile = None,
    format: AsFormat = "table",
) -> None:
    """Test which runs differ, pair by pair."""
    if hsd is not None and (baseline is not None or tests.alternative != "two-sided"):
        raise LexiframeError(
            "--hsd: compares all pairs of runs, on both sides; leave --baseline and --alternative "
            "out, or --hsd"
        )
    # All options are checked before any run is read: reading may take minutes.
    asked = parse_measures(measure or MEASURES)
    check_inference(**vars(tests))
    names_of(requests, by)
    attributes = held_or_data(requests)
    policies = Policies(**inputs.policies())
    scan = inputs.scan()
    if out is not None:
        refuse_other_ending(out)
        refuse_outputs([out])
        refuse_replacing([out], [inputs.qrels, requests or "", *_files_of(scan)])
    projected = project_runs(scan, inputs.judgments(), asked, policies, baseline=baseline)
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    d, s = projected.preferences(asked, baseline), projected.scores(metrics)
    pairs = pair_cube_with_scores(d, s, baseline)
    groups: dict[str, Any] = {"requests": attributes, "by": by}
    if hsd is None:
        how = {**vars(tests), "baseline": baseline, "intervals": intervals}
        c = compare_runs(pairs, **how, **groups)
    else:
        how = {name: getattr(tests, name) for name in ("trials", "seed", "alpha")}
        c = tukey_hsd(pairs, hsd, **how, **groups)
    if out is not None:
        facts = {"table": "comparisons", "policies": asdict(policies), "inference": how}
        write_table(out, c, facts)
        typer.echo(f"wrote {out}", err=True)
    print_table(c, format)


@app.command(
    "verdict",
    epilog=_examples(
        "verdict qrels.txt runs/ -m AP", "verdict qrels.txt runs/ --test sign --correction bh"
    ),
)
@with_groups_of_options
def print_verdict(
    *,
    inputs: InputOptions,
    measure: Measures = None,
    tests: InferenceOptions,
    requests: RequestsFile = None,
    by: GroupedBy = None,
    format: AsFormat = "table",
) -> None:
    """Say which runs are best and which are not significantly worse, a sentence a measure."""
    policies = inputs.policies()
    options = {**policies, **vars(tests), "requests": requests, "by": by}
    v = verdict(evaluate_runs(inputs.scan(), inputs.judgments(), measure or None, **options))
    if format == "table":
        typer.echo("\n".join(v["sentence"]))
    else:
        print_table(v, format)


@app.command(epilog=_examples("coverage qrels.txt runs/", "coverage qrels.txt runs/ --format csv"))
@with_groups_of_options
def coverage(*, inputs: InputOptions, format: AsFormat = "table") -> None:
    """Count the requests answered and the documents judged, and bound the influence of ties."""
    table = coverage_of_runs(inputs.scan(), inputs.judgments(), **inputs.policies())
    print_table(table, format)


app.command(epilog=_examples("check runs/ qrels.txt", "check run.txt --as run --third score"))(
    check
)
app.command(epilog=_examples("convert run.gz run.parquet", "convert qrels.tsv qrels.txt"))(convert)
app.command(
    epilog=_examples(
        "explain qrels.txt bm25.run dense.run", "explain qrels.txt a.run b.run --query 42 -m AP"
    )
)(explain)
app.command(epilog=_examples("measures", "measures nDCG"))(measures)
app.command(epilog=_examples("conventions", "conventions AP"))(conventions)


def _printed(e: Evaluation) -> dict[str, pl.DataFrame]:
    names = ("coverage", "means", "orderings", "correlations", "tie_rates", "power")
    tables = {name: e.tables()[name] for name in names}
    if e.provenance["inference"]["baseline"] is not None:
        tables["against_baseline"] = e.against_baseline
    elif e.provenance["inference"]["alternative"] == "two-sided":  # a verdict needs it
        tables["verdict"] = verdict(e)
    return tables


def _refuse_outputs(out: Path | None, report: Path | None) -> list[Path]:
    """Raise if an output cannot be written; return the files that will be written."""
    folders = [folder for folder in (out, report and report.parent) if folder is not None]
    for folder in folders:
        refuse_unwritable(folder)
    files = [*(table_files(out) if out else []), *([report] if report else [])]
    refuse_outputs(files)
    return files


def _files_of(scan: RunScan) -> list[str]:
    origins = [source.origin for source in scan.sources]
    return [file.path for file in origins if isinstance(file, File)]


def _write(e: Evaluation, out: Path) -> None:
    paths = e.write(out)
    typer.echo(f"wrote {len(paths)} tables to {out}: {', '.join(p.name for p in paths)}", err=True)


def _write_report(e: Evaluation, report: Path, queries: pl.DataFrame | None = None) -> None:
    path = e.report(report, queries=queries)
    typer.echo(f"wrote the report: {path} (open it in a browser)", err=True)


def _say_warning(message: Warning | str, *_args: Any, **_keywords: Any) -> None:
    typer.echo(f"warning: {as_options(str(message))}", err=True)


def _open_closed_streams() -> None:
    """Replace closed standard streams, or the next file opened would get their descriptor."""
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
            setattr(sys, name, nowhere)


class _Messages:
    """Standard error, but what cannot be written there, as on a full disk, is dropped."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _print_what_there_is(stream: Any) -> None:
    """Switch a stream to UTF-8 if its encoding lacks characters that ids and tables may have."""
    try:
        "│é語".encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        stream.reconfigure(encoding="utf-8")


def main() -> None:
    """Run the command line; for bad input print one message and exit with status 1."""
    _open_closed_streams()
    warnings.showwarning = _say_warning
    for stream in (sys.stdout, sys.stderr):
        _print_what_there_is(stream)
    sys.stderr = _Messages(sys.stderr)
    try:
        app()
    except (LexiframeError, OSError) as error:
        typer.echo(f"error: {as_options(str(error))}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
