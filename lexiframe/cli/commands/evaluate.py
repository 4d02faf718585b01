"""The commands that compare runs: ``lexiframe demo | evaluate | compare | verdict | coverage``."""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe.base import LexiframeError, memory_use
from lexiframe.cli.inputs import (
    InferenceOptions,
    InputOptions,
    RunsOrScores,
    with_groups_of_options,
)
from lexiframe.cli.options import (
    AsFormat,
    HonestDifference,
    Intervals,
    Keep,
    Measures,
    Memory,
    OutFile,
    OutFolder,
    ReportFile,
    Resume,
    ReuseFolder,
    place,
)
from lexiframe.cli.output import (
    complain,
    print_json,
    print_table,
    refuse_other_ending,
    say,
    write_table,
)
from lexiframe.evaluation import (
    BASE,
    KEPT,
    MEASURES,
    Asked,
    Evaluation,
    Inference,
    evaluate_asked,
    evaluate_scores,
    load_chosen,
    parse_memory,
    result_files,
)
from lexiframe.evaluation import evaluate as evaluate_runs
from lexiframe.io import File, bundled, output_files, qrel_files, run_scan
from lexiframe.metrics import Metric, coverages
from lexiframe.orderings import gaps
from lexiframe.pairwise import PairsLike, arrays, grouping, measured, parse_measures
from lexiframe.projection import Policies
from lexiframe.significance import check_inference, tukey_hsd
from lexiframe.significance import compare as compare_runs
from lexiframe.views import sentences

_GROUPS_HINT = (
    "to test whether the groups differ: lexiframe.compare_groups(e) and group_correlations(e) in "
    "Python, with e = lexiframe.evaluate(..., requests=..., by=...)"
)


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
    output_files.refuse_replacing(_refuse_outputs(out, report), map(str, read))
    e = evaluate_runs(folder / "runs", folder / "qrels.parquet", [*MEASURES, "rrLP", "R@1000"])
    typer.echo(str(e))
    _write(e, out)
    queries = pl.read_parquet(folder / "queries.parquet")
    words = pl.format("the digit {}, {}", "digit", "strokes")
    _write_report(e, report, queries.select("query_id", text=words))


@with_groups_of_options
def evaluate(
    *,
    inputs: RunsOrScores,
    measure: Measures = None,
    tests: InferenceOptions,
    out: OutFolder = None,
    report: ReportFile = None,
    reuse: ReuseFolder = None,
    memory: Memory = None,
    keep: Keep = None,
    resume: Resume = False,
    format: AsFormat = "table",
) -> None:
    """Evaluate runs: their means, orderings, agreement, ties, and a verdict."""
    parts = {"reuse": reuse, "memory": memory, "keep": keep or (), "resume": resume, "out": out}
    if inputs.scores and (memory or keep or resume):
        raise LexiframeError(
            "--memory, --keep and --resume: scores of other tools are held in memory; leave these "
            "or --scores out"
        )
    if resume and out is None:
        raise LexiframeError(
            "--resume: expected the folder of the interrupted evaluation; add --out"
        )
    if reuse is not None and inputs.scores:
        raise LexiframeError(
            "--reuse: scores of other tools are only compared, so there is nothing to reuse; leave "
            "--reuse or --scores out"
        )
    if memory is not None and parse_memory(memory) < BASE:
        complain(
            f"--memory {memory}: Python and the libraries alone take about {BASE / 1e6:.0f} MB, so "
            "that less cannot be kept to"
        )
    outputs, is_reported = _refuse_outputs(out, report), report is not None
    e = _evaluated(inputs, measure, tests, outputs, is_reported=is_reported, **parts)
    if e.sums is not None:
        typer.echo(
            f"evaluated in parts, with {memory_use.peak_memory()} of memory at most", err=True
        )
    if reuse is not None:
        typer.echo(
            f"reused: {', '.join(f'{n} {what}' for what, n in e.provenance['reused'].items())}",
            err=True,
        )
    if out is not None:
        _write(e, out)
    if report is not None:
        _write_report(e, report)
    if format == "table":
        typer.echo(str(e))
        if tests.by and e.sums is None and e.preferences.height:
            complain(_GROUPS_HINT)
    elif format == "json":
        print_json({name: table.to_dicts() for name, table in _printed(e).items()})
    elif format == "csv":
        print_table(e.orderings, "csv")
    else:
        typer.echo(e.latex() if format == "latex" else e.markdown(), nl=False)


@with_groups_of_options
def compare(
    *,
    inputs: RunsOrScores,
    measure: Measures = None,
    tests: InferenceOptions,
    intervals: Intervals = "t",
    hsd: HonestDifference = None,
    out: OutFile = None,
    format: AsFormat = "table",
) -> None:
    """Test which runs differ, pair by pair."""
    if hsd is not None and (tests.baseline is not None or tests.alternative != "two-sided"):
        raise LexiframeError(
            "--hsd: compares all pairs of runs, on both sides; leave --baseline and --alternative "
            "out, or --hsd"
        )
    # All options are checked before any run is read: reading may take minutes.
    of_groups = {"baseline", "requests", "by"}
    inference = {name: value for name, value in vars(tests).items() if name not in of_groups}
    check_inference(**inference)
    grouping.names_of(tests.requests, tests.by)
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(tests.requests), "by": tests.by}
    if out is not None:
        refuse_other_ending(out)
        output_files.refuse_outputs([out])
    files = [out] if out is not None else []
    if inputs.scores:
        pairs, facts = _score_pairs(inputs, measure, tests, files)
    else:
        pairs, facts = _run_pairs(inputs, measure, tests, files)
    if hsd is None:
        how = {**inference, "baseline": tests.baseline, "intervals": intervals}
        c = compare_runs(pairs, **how, **groups)
    else:
        how = {name: inference[name] for name in ("trials", "seed", "alpha")}
        c = tukey_hsd(pairs, hsd, **how, **groups)
    if out is not None:
        write_table(out, c, {"table": "comparisons", **facts, "inference": how})
        typer.echo(f"wrote {out}", err=True)
    print_table(c, format, tests.alpha)


@with_groups_of_options
def print_verdict(
    *,
    inputs: RunsOrScores,
    measure: Measures = None,
    tests: InferenceOptions,
    format: AsFormat = "table",
) -> None:
    """Say which runs are best and which are not significantly worse, a sentence a measure."""
    if tests.alternative != "two-sided" and tests.baseline is None:
        raise LexiframeError(
            "--alternative: a verdict about all pairs needs two-sided tests; leave it out, or name "
            "the --baseline that the runs are compared with"
        )
    e = _evaluated(inputs, measure, tests, [])
    if format == "table":
        if tests.baseline is None:
            v = sentences.verdict(e)
        else:
            v = pl.DataFrame({"sentence": sentences.baseline_sentences(e)}, {"sentence": pl.String})
        say(sentences.verdict_text(v))
    else:
        table = sentences.verdict(e) if tests.baseline is None else e.against_baseline
        # A sentence is wider than a page; the other columns say the same.
        sentence = ["sentence"] if format in ("latex", "markdown") else []
        print_table(table.drop(sentence, strict=False), format, tests.alpha)


@with_groups_of_options
def coverage(*, inputs: InputOptions, format: AsFormat = "table") -> None:
    """Count the requests answered and the documents judged, and bound the influence of ties."""
    table = coverages.coverage(inputs.scan(), inputs.judgments(), **inputs.policies())
    print_table(table, format)


def _evaluated(
    inputs: RunsOrScores,
    measure: list[str] | None,
    tests: InferenceOptions,
    outputs: list[Path],
    *,
    is_reported: bool = False,
    **large: Any,
) -> Evaluation:
    """Evaluate runs, or the scores of other tools; ``large`` has the options for large data."""
    if inputs.scores:
        inputs.measures(None)  # raises for options that are not for scores
        files = _found_scores(inputs, tests, outputs)
        return evaluate_scores(files, measure or None, missing=inputs.missing, **vars(tests))
    scan = _found_runs(inputs, tests, outputs)
    policies = Policies(**inputs.policies())
    inference = Inference(**{f.name: getattr(tests, f.name) for f in fields(Inference)})
    groups = tests.requests, tests.by
    asked = inputs.measures(measure)
    how = Asked.of(asked, policies, inference, *groups, is_reported=is_reported)
    return evaluate_asked(scan, inputs.judgments(), how, **large)


def _run_pairs(
    inputs: RunsOrScores,
    measure: list[str] | None,
    tests: InferenceOptions,
    outputs: list[Path],
) -> tuple[PairsLike, dict[str, Any]]:
    """Return the preferences of runs with their scores, and the facts that a file states."""
    asked = inputs.measures(measure) or parse_measures(MEASURES)
    policies = Policies(**inputs.policies())
    scan, baseline = _found_runs(inputs, tests, outputs), tests.baseline
    projected = measured.project_runs(scan, inputs.judgments(), asked, policies, baseline=baseline)
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    d, s = projected.preferences(asked, baseline), projected.scores(metrics)
    return arrays.pair_cube_with_scores(d, s, baseline), {"policies": asdict(policies)}


def _score_pairs(
    inputs: RunsOrScores, measure: list[str] | None, tests: InferenceOptions, outputs: list[Path]
) -> tuple[PairsLike, dict[str, Any]]:
    """Return the scores of other tools, and the facts that a file states."""
    files = _found_scores(inputs, tests, outputs)
    chosen = load_chosen(files, measure or None, warns=inputs.missing is None)
    table, _ = gaps.settle(chosen.table, inputs.missing)
    return table, {"scores": chosen.files, "missing": inputs.missing}


def _found_runs(
    inputs: InputOptions, tests: InferenceOptions, outputs: list[Path]
) -> run_scan.RunScan:
    """Find the runs; raise if an output would replace what is read."""
    scan = inputs.scan()
    origins = [source.origin for source in scan.sources]
    files = [file.path for file in origins if isinstance(file, File)]
    output_files.refuse_replacing(outputs, [inputs.qrels, tests.requests or "", *files])
    return scan


def _found_scores(inputs: RunsOrScores, tests: InferenceOptions, outputs: list[Path]) -> list[File]:
    """Find the files of scores; raise if an output would replace what is read."""
    files = inputs.score_files()
    output_files.refuse_replacing(outputs, [tests.requests or "", *(file.path for file in files)])
    return files


def _printed(e: Evaluation) -> dict[str, pl.DataFrame]:
    names = ("coverage", "means", "orderings", "correlations", "tie_rates", "power")
    tables = {name: e.tables()[name] for name in names}
    if e.provenance["inference"]["baseline"] is not None:
        tables["against_baseline"] = e.against_baseline
    elif e.provenance["inference"]["alternative"] == "two-sided":  # a verdict needs it
        ranked = sentences.without_unranked(e.tables(), e.provenance["groups"])
        tables["verdict"] = sentences.verdict_of(ranked, e.provenance)
    return tables


def _refuse_outputs(out: Path | None, report: Path | None) -> list[Path]:
    """Raise if an output cannot be written; return the files that will be written."""
    folders = [folder for folder in (out, report and report.parent) if folder is not None]
    for folder in folders:
        output_files.refuse_unwritable(folder)
    files = [*(result_files(out) if out else []), *([report] if report else [])]
    output_files.refuse_outputs(files)
    return files


def _write(e: Evaluation, out: Path) -> None:
    e.write(out)
    paths = [out / f"{name}.parquet" for name in e.tables()]
    parts = [f"{name}{os.sep} (in parts)" for name in KEPT if name in e.parts]
    names = [*(path.name for path in paths), *parts]
    typer.echo(f"wrote {len(names)} tables to {out}: {', '.join(names)}", err=True)


def _write_report(e: Evaluation, report: Path, queries: pl.DataFrame | None = None) -> None:
    path = e.report(report, queries=queries)
    typer.echo(f"wrote the report: {path} (open it in a browser)", err=True)
