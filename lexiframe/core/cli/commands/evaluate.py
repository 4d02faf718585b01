"""The command that evaluates runs, or scores of other tools: ``lexiframe evaluate``."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl
import typer

from lexiframe import features
from lexiframe.core.base import LexiframeError, check_choice, memory_use, printed
from lexiframe.core.base.feature import Items
from lexiframe.core.cli.collections import RunsOrCollections
from lexiframe.core.cli.inputs import InferenceOptions, RunsOrScores, refuse_replacing
from lexiframe.core.cli.options import Format
from lexiframe.core.cli.output import complain, print_json, print_table
from lexiframe.core.evaluation import (
    BASE,
    KEPT,
    Asked,
    Evaluation,
    Inference,
    evaluate_asked,
    parse_memory,
    result_files,
    table_files,
)
from lexiframe.core.evaluation import evaluate as evaluate_runs
from lexiframe.core.io import output_files
from lexiframe.core.orderings import Method
from lexiframe.core.projection import Policies
from lexiframe.core.views import sentences, shown

PANEL = "Compare runs"
EXAMPLES = (
    "evaluate qrels.txt bm25.run dense.run -m AP,nDCG@10",
    "evaluate qrels.txt runs/ --rel 2 -o results --report report.html",
    "evaluate collections/ --rel ml-1m=4 -o results",
    "evaluate --collections places.csv -m AP",
)


_TABLES = (*(path.stem for path in table_files(Path())), "verdict")
"""The tables that ``--table`` prints: those of an evaluation, and its verdict."""
_OF_ITEMS = ("catalogue", "catalogue_comparisons")
"""Those of an evaluation with measures of the catalogue of ``--items``."""
_COUNTED = ("coverage", "tie_rates", "sign_agreement")
"""Those in which each request counts once, whatever its weight."""
_MOST_WITH_INTERVALS = 3
"""The number of measures up to which a table for a paper has room for intervals."""
_GROUPS_HINT = (
    "to test whether the groups differ, in Python: e = lexiframe.evaluate(..., requests=..., "
    "by=...), then lexiframe.compare_groups(e) and lexiframe.group_correlations(e)"
)


def evaluate(
    *,
    inputs: RunsOrCollections,
    measure: list[str] | None = None,
    tests: InferenceOptions,
    out: Path | None = None,
    report: Path | None = None,
    items: str | None = None,
    history: str | None = None,
    reuse: Path | None = None,
    memory: str | None = None,
    keep: list[str] | None = None,
    resume: bool = False,
    order: Method = "win_rate",
    all: bool = False,
    table: str | None = None,
    format: Format = "table",
) -> None:
    """Evaluate runs: which are first, how surely, and their means.

    Formats: csv has the means, json all tables, latex and markdown a paper's
    table, of one collection with intervals of up to three measures.
    """
    parts: dict[str, Any] = {"reuse": reuse, "memory": memory, "keep": keep or ()}
    parts |= {"resume": resume, "out": out}
    if inputs.has_scores:
        _refuse_beside_scores(items, reuse, is_in_parts=bool(memory or keep or resume))
    _refuse_alone(items, history, table, **parts)
    outputs, catalogue = refuse_outputs(out, report), (items, history)
    refuse_replacing(outputs, catalogue)
    if inputs.place is not None:
        if any(catalogue):
            raise LexiframeError("--items: is for runs of one collection; leave it out")
        found = inputs.each_collection(outputs, tests.requests)
        asked = {"measures": inputs.measures(measure), "order": order, **vars(inputs.policies)}
        e = evaluate_runs(found, **asked, **{**vars(tests), **tests.weighed}, **parts)
    else:
        how: dict[str, Any] = {"order": order, "is_reported": report is not None, **parts}
        e = evaluated(inputs, measure, tests, outputs, catalogue=catalogue, **how)
    if e.sums is not None:
        peak = memory_use.peak_memory()
        typer.echo(f"evaluated in parts, with {peak} of memory at most", err=True)
    if reuse is not None:
        counts = ", ".join(f"{n} {what}" for what, n in e.provenance["reused"].items())
        typer.echo(f"reused: {counts}", err=True)
    write(e, out, report)
    if table is not None and format == "table":
        typer.echo(_table_text(e, table, tests.alpha))
    elif table is not None:
        print_table(_table(e, table), format, tests.alpha)
    elif format == "table":
        typer.echo(str(e.summary("all" if all else "first")))
        if tests.by and e.sums is None and e.win_rates.height:
            complain(_GROUPS_HINT)
    else:
        _print_as(format, e)


def _refuse_beside_scores(items: str | None, reuse: Path | None, *, is_in_parts: bool) -> None:
    """Raise for options that scores of other tools do not go with."""
    if is_in_parts:
        raise LexiframeError(
            "--memory, --keep and --resume: scores of other tools are held in memory; leave these "
            "or --scores out"
        )
    if reuse is not None:
        raise LexiframeError(
            "--reuse: scores of other tools are only compared, so there is nothing to reuse; leave "
            "--reuse or --scores out"
        )
    if items is not None:
        raise LexiframeError(
            "--items: measures of lists need the runs; leave --items or --scores out"
        )


def _refuse_alone(
    items: str | None, history: str | None, table: str | None, *, resume: bool, out: Path | None,
    memory: str | None, **parts: Any,
) -> None:  # fmt: skip
    """Raise for options that need another one, and for a table that there is not."""
    if resume and out is None:
        raise LexiframeError(
            "--resume: expected the folder of the interrupted evaluation; add --out"
        )
    if history is not None and items is None:
        raise LexiframeError("--history: is that of the users of --items; add --items FILE")
    if memory is not None and parse_memory(memory) < BASE:
        complain(
            f"--memory {memory}: Python and the libraries alone take about {BASE / 1e6:.0f} MB, so "
            "that less cannot be kept to"
        )
    if table is not None:
        check_choice("evaluate", table, (*_TABLES, *_OF_ITEMS), "--table")
        if table in _OF_ITEMS and items is None:
            raise LexiframeError(f"--table {table}: is of the items of --items; add --items FILE")


def _print_as(format: str, e: Evaluation) -> None:
    """Print for programs and papers: the means, all tables, or a paper's table."""
    if format == "json":
        print_json({name: found.to_dicts() for name, found in _printed(e).items()})
    elif format == "csv":
        print_table(e.means, "csv")
        if e.catalogue is not None:
            complain("csv has the means; of all lists of a run: --table catalogue")
    else:
        written = e.latex if format == "latex" else e.markdown
        is_wide = "collection" in e.provenance["groups"]  # as runs × collections are
        intervals = len(e.provenance["measures"]) <= _MOST_WITH_INTERVALS and not is_wide
        typer.echo(written(intervals=intervals), nl=False)


def evaluated(
    inputs: RunsOrScores,
    measure: list[str] | None,
    tests: InferenceOptions,
    outputs: list[Path],
    *,
    order: Method = "win_rate",
    is_reported: bool = False,
    catalogue: tuple[str | None, str | None] = (None, None),
    **large: Any,
) -> Evaluation:
    """Evaluate runs, or the scores of other tools; ``large`` has the options for large data.

    ``catalogue`` are the files of items and of the users' history.
    """
    policies = Policies(**vars(inputs.policies))  # raises where they are said by collection
    if inputs.has_scores:
        from lexiframe.core.evaluation import evaluate_scores

        inputs.measures(None)  # raises for options that are not for scores
        scores, how_read = inputs.given_scores(outputs, tests.requests, measure)
        return evaluate_scores(scores, **how_read, **{**vars(tests), **tests.weighed})
    scan = inputs.found(outputs, tests.requests)
    inference = Inference(**{f.name: getattr(tests, f.name) for f in fields(Inference)})
    groups = tests.requests, tests.by
    asked = inputs.measures(measure)
    said: dict[str, Any] = {"order": order, "is_reported": is_reported, **tests.weighed}
    how = Asked.checked(asked, policies, inference, *groups, **said)
    items, history = catalogue
    if items is None:
        return evaluate_asked(scan, inputs.judgments(), how, **large)
    large["items"] = features.needed(Items, "--items").read(items, history=history)
    with_items = features.needed(Items, "--items").evaluate
    e: Evaluation = with_items(scan, inputs.judgments(), how, **large)
    return e


def _table(e: Evaluation, name: str) -> pl.DataFrame:
    """Return a table by its name; raise for one of the catalogue without a measure of it."""
    is_of_items = name in _OF_ITEMS
    table: pl.DataFrame | None
    table = e.tables(of_requests=False).get(name) if is_of_items else getattr(e, name)
    if table is None:
        raise LexiframeError(
            f"--table {name}: expected a measure of the catalogue, found none in -m; "
            "add one, such as -m Coverage@10"
        )
    return table


def _table_text(e: Evaluation, name: str, alpha: float) -> str:
    """Return a table as the command that makes it prints it."""
    table = _table(e, name)
    if name == "comparisons":
        return shown.comparisons_text(table, e.provenance["measures"], alpha)
    notes = shown.not_weighed(e.provenance) if name in _COUNTED else ()
    if name == "coverage" and table.height:
        return "\n".join([shown.coverage_text(table), *notes])
    if name == "verdict":
        return str(table)
    ends, left_out = printed.ends_of_long(table)
    text = printed.plain_text(printed.write_p_values(ends, alpha))
    return "\n".join([text, *left_out, *notes])


def _printed(e: Evaluation) -> dict[str, pl.DataFrame]:
    tables = e.tables(of_requests=False)
    if e.provenance["inference"]["baseline"] is not None:
        tables["verdict"] = e.verdict
    elif e.provenance["inference"]["alternative"] == "two-sided":  # a verdict needs it
        ranked = sentences.drop_unranked(e.tables(of_requests=False), e.provenance["groups"])
        tables["verdict"] = sentences.verdict_of(ranked, e.provenance)
    return tables


def refuse_outputs(out: Path | None, report: Path | None) -> list[Path]:
    """Raise if an output cannot be written; return the files that will be written."""
    folders = [folder for folder in (out, report and report.parent) if folder is not None]
    for folder in folders:
        output_files.refuse_unwritable(folder)
    files = [*(result_files(out) if out else []), *([report] if report else [])]
    output_files.refuse_outputs(files)
    return files


def write(
    e: Evaluation, out: Path | None, report: Path | None, queries: pl.DataFrame | None = None
) -> None:
    """Write all tables and the page of an evaluation, or neither, and name the files."""
    is_new = report is not None and not report.parent.exists()
    with output_files.together():
        paths = e.write(out) if out is not None else []
        page = e.report(report, queries=queries) if report is not None else None
    if out is not None:
        parts = sum(name in e.parts for name in KEPT)
        kept = f" ({printed.counted(parts, 'folder')} in parts)" if parts else ""
        complain(f"wrote {printed.counted(len(paths) + parts, 'table')} to {out}{kept}")
    if page is not None:
        if is_new and page.parent != out:
            typer.echo(f"made the folder {page.parent}", err=True)
        typer.echo(f"wrote the report: {page} (open it in a browser)", err=True)
