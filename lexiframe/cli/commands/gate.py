"""The command that says whether a candidate may replace a baseline: ``lexiframe gate``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import typer

from lexiframe.base import LexiframeError
from lexiframe.cli.gate_inputs import (
    AnyMeasure,
    AsGateFormat,
    AskedMeasures,
    CorrectionOfGate,
    GateInputs,
    GivenMargins,
    JunitFile,
    LargerIsBetter,
    MissingOfGate,
    Power,
    Required,
    SameOk,
    SmallerIsBetter,
    TestOfGate,
    margins_by_measure,
    refuse_shares_of_preferences,
    score_file,
)
from lexiframe.cli.inputs import as_columns, refuse_replacing
from lexiframe.cli.output import complain, print_json
from lexiframe.evaluation import load_chosen
from lexiframe.io import output_files, qrel_files, to_parquet
from lexiframe.pairwise import grouping, measured, parse_measures
from lexiframe.projection import answers
from lexiframe.significance import gates
from lexiframe.views import sentences, shown

PANEL = "Compare runs"
EXAMPLES = (
    "gate qrels.txt main/bm25.run pr/bm25.run -m nDCG@10 --margin 0.01",
    "gate main pr --scores perquery.csv --margin AP=2% --require better",
)

NOT_PASSED = 3
"""The exit status when a row does not pass."""


def gate(
    *,
    inputs: GateInputs,
    measure: AskedMeasures = None,
    margin: GivenMargins,
    require: Required = "not-worse",
    any_measure: AnyMeasure = False,
    test: TestOfGate = None,
    correction: CorrectionOfGate = None,
    alpha: float = 0.05,
    power: Power = 0.8,
    trials: int = 10_000,
    seed: int = 0,
    requests: str | None = None,
    by: list[str] | None = None,
    missing: MissingOfGate = "refuse",
    same_ok: SameOk = False,
    smaller_is_better: SmallerIsBetter = None,
    larger_is_better: LargerIsBetter = None,
    out: Path | None = None,
    junit: JunitFile = None,
    format: AsGateFormat = "table",
) -> None:
    """Decide whether a candidate may replace a baseline; exit status 3 if it does not pass."""
    margins = margins_by_measure(margin, measure)
    how: dict[str, Any] = {"require": [require, "any"] if any_measure else require, "test": test}
    how |= {"correction": correction}
    how |= {"alpha": alpha, "power": power, "trials": trials, "seed": seed}
    # All options are checked before any run is read: reading may take minutes.
    gates.check_gate(**how)
    grouping.names_of(requests, by)
    files = [*([out / _FILE] if out else []), *([junit] if junit else [])]
    output_files.refuse_outputs(files)
    if inputs.scores:
        pairs, names, facts = _of_scores(inputs, margins, files, requests)
    else:
        pairs, names, facts = _of_runs(inputs, margins, files, requests)
    meant: dict[str, Any] = {"missing": missing, "same_ok": same_ok}
    meant |= {"smaller_is_better": smaller_is_better or []}
    meant |= {"larger_is_better": larger_is_better or []}
    two: dict[str, Any] = dict(zip(("baseline", "candidate"), names, strict=True))
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(requests), "by": by}
    table = gates.gate(pairs, margins, **two, **how, **groups, **meant)
    _write(table, out, junit, {**facts, "inference": {**how, **two, **meant, "margin": margins}})
    _print(table, format)
    if not (sentences.gate_sentences(table)["outcome"] == "pass").all():
        raise typer.Exit(NOT_PASSED)


_FILE = "gates.parquet"


Found = tuple[Any, tuple[str, str], dict[str, Any]]
"""The differences, the names of baseline and candidate, and the facts that a file states."""


def _of_runs(
    inputs: GateInputs,
    margins: Mapping[str, str | float],
    outputs: list[Path],
    requests: str | None,
) -> Found:
    asked = parse_measures(list(margins))
    refuse_shares_of_preferences(asked, margins)
    policies, scan = inputs.policies, inputs.found(outputs, requests)
    projected = measured.project_runs(scan, inputs.judgments(), asked, policies)
    names = [name for read in projected.ranked.read for name in read.names]
    if len(names) != 2:
        raise LexiframeError(
            f"gate: expected one run in each of two files, found {len(names)} "
            f"({', '.join(names)}); give files of one run"
        )
    counts = answers.counts_of(projected.ranked)
    pairs = gates.RankedPairs(projected.part(asked).pairs, counts, projected.ranked)
    return pairs, (names[0], names[1]), {"policies": asdict(policies)}


def _of_scores(
    inputs: GateInputs,
    margins: Mapping[str, str | float],
    outputs: list[Path],
    requests: str | None,
) -> Found:
    names = inputs.two_names()
    given = [score_file(text) for text in inputs.scores or []]
    paths = [path for one in given for path in (one.values() if isinstance(one, dict) else [one])]
    refuse_replacing(outputs, [requests, *paths])
    chosen = load_chosen(given, list(margins), columns=as_columns(inputs.column))
    return chosen.table, names, {"scores": chosen.files}


def _write(
    table: pl.DataFrame, out: Path | None, junit: Path | None, facts: dict[str, Any]
) -> None:
    if out is not None:
        with output_files.replacing(output_files.output_folder(out) / _FILE) as temporary:
            to_parquet.write_parquet_file(temporary, table, {"table": "gates", **facts})
        typer.echo(f"wrote {out / _FILE}", err=True)
    if junit is not None:
        with output_files.replacing(
            output_files.output_folder(junit.parent) / junit.name
        ) as temporary:
            temporary.write_text(shown.junit_xml(table) + "\n", encoding="utf-8")
        typer.echo(f"wrote {junit}", err=True)


def _print(table: pl.DataFrame, format: str) -> None:
    """Print the table; where programs read it, the verdict goes to standard error as well."""
    if format == "table":
        typer.echo(shown.gate_text(table))
        return
    if format == "json":
        print_json(table.to_dicts())
    else:
        typer.echo(shown.junit_xml(table) if format == "junit" else shown.gate_markdown(table))
    complain(sentences.gate_sentences(table)["sentence"].item())
