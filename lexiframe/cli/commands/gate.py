"""The command that says whether a candidate may replace a baseline: ``lexiframe gate``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import typer

from lexiframe.base.errors import LexiframeError
from lexiframe.cli.commands.gate_inputs import (
    AsGateFormat,
    AskedMeasures,
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
from lexiframe.cli.inputs import with_groups_of_options
from lexiframe.cli.options import (
    Alpha,
    Corrected,
    GroupedBy,
    OutFolder,
    RequestsFile,
    Seed,
    Trials,
)
from lexiframe.cli.output import complain, print_json
from lexiframe.evaluation.from_scores import load_chosen
from lexiframe.io.files.outputs import output_folder, refuse_outputs, refuse_replacing, replacing
from lexiframe.io.files.sources import File
from lexiframe.io.qrels import held_or_data
from lexiframe.io.to_parquet import write_parquet_file
from lexiframe.metrics.kinds.metric import Metric
from lexiframe.pairwise.arrays.cube import pair_cube_with_scores
from lexiframe.pairwise.arrays.groups import names_of
from lexiframe.pairwise.measured import project_runs
from lexiframe.pairwise.pairs import parse_measures
from lexiframe.projection.answers import counts_of
from lexiframe.projection.policies import Policies
from lexiframe.significance.gates.gate import check_gate
from lexiframe.significance.gates.gate import gate as gate_of_runs
from lexiframe.significance.gates.gate_coverage import RankedPairs, answers_of
from lexiframe.significance.gates.gate_evidence import (
    GateMissing,
    refuse_missing_rankings,
    refuse_other_collection,
)
from lexiframe.views.sentences.gates import gate_sentences
from lexiframe.views.shown.gate_texts import gate_markdown, gate_text
from lexiframe.views.shown.junit import junit_xml

NOT_PASSED = 3
"""The exit status when a row does not pass."""


@with_groups_of_options
def gate(
    *,
    inputs: GateInputs,
    measure: AskedMeasures = None,
    margin: GivenMargins,
    require: Required = "not-worse",
    test: TestOfGate = "t",
    correction: Corrected = "none",
    alpha: Alpha = 0.05,
    power: Power = 0.8,
    trials: Trials = 10_000,
    seed: Seed = 0,
    requests: RequestsFile = None,
    by: GroupedBy = None,
    missing: MissingOfGate = "refuse",
    same_ok: SameOk = False,
    smaller_is_better: SmallerIsBetter = None,
    larger_is_better: LargerIsBetter = None,
    out: OutFolder = None,
    junit: JunitFile = None,
    format: AsGateFormat = "table",
) -> None:
    """Decide whether a candidate may replace a baseline; exit status 3 if it does not pass."""
    margins = margins_by_measure(margin, measure)
    how: dict[str, Any] = {"require": require, "test": test, "correction": correction}
    how |= {"alpha": alpha, "power": power, "trials": trials, "seed": seed}
    # All options are checked before any run is read: reading may take minutes.
    check_gate(**how)
    names_of(requests, by)
    files = [*([out / _FILE] if out else []), *([junit] if junit else [])]
    refuse_outputs(files)
    if inputs.scores:
        pairs, names, facts = _of_scores(inputs, margins, files, requests)
    else:
        pairs, names, facts = _of_runs(inputs, margins, files, requests, missing)
    meant: dict[str, Any] = {"missing": missing, "same_ok": same_ok}
    meant |= {"smaller_is_better": smaller_is_better or []}
    meant |= {"larger_is_better": larger_is_better or []}
    two: dict[str, Any] = dict(zip(("baseline", "candidate"), names, strict=True))
    groups: dict[str, Any] = {"requests": held_or_data(requests), "by": by}
    table = gate_of_runs(pairs, margins, **two, **how, **groups, **meant)
    _write(table, out, junit, {**facts, "inference": {**how, **two, **meant, "margin": margins}})
    _print(table, format)
    if not (table["outcome"] == "pass").all():
        raise typer.Exit(NOT_PASSED)


_FILE = "gates.parquet"


Found = tuple[Any, tuple[str, str], dict[str, Any]]
"""The differences, the names of baseline and candidate, and the facts that a file states."""


def _of_runs(
    inputs: GateInputs,
    margins: Mapping[str, str | float],
    outputs: list[Path],
    requests: str | None,
    missing: GateMissing,
) -> Found:
    asked = parse_measures(list(margins))
    refuse_shares_of_preferences(asked, margins)
    policies, scan = Policies(**inputs.policies()), inputs.scan()
    files = [s.origin.path for s in scan.sources if isinstance(s.origin, File)]
    refuse_replacing(outputs, [inputs.qrels, requests or "", *files])
    projected = project_runs(scan, inputs.judgments(), asked, policies)
    names = [name for read in projected.ranked.read for name in read.names]
    if len(names) != 2:
        raise LexiframeError(
            f"gate: expected one run in each of two files, found {len(names)} "
            f"({', '.join(names)}); give files of one run"
        )
    ranked = projected.ranked
    refuse_other_collection(counts_of(ranked))
    refuse_missing_rankings(ranked.answers, missing)
    metrics = [measure for measure in asked if isinstance(measure, Metric)]
    cube = pair_cube_with_scores(projected.preferences(asked), projected.scores(metrics))
    pairs = RankedPairs(cube, answers_of(ranked, names[0], names[1]))
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
    refuse_replacing(outputs, [requests or "", *paths])
    chosen = load_chosen(given, list(margins))
    return chosen.table, names, {"scores": chosen.files}


def _write(
    table: pl.DataFrame, out: Path | None, junit: Path | None, facts: dict[str, Any]
) -> None:
    if out is not None:
        with replacing(output_folder(out) / _FILE) as temporary:
            write_parquet_file(temporary, table, {"table": "gates", **facts})
        typer.echo(f"wrote {out / _FILE}", err=True)
    if junit is not None:
        with replacing(output_folder(junit.parent) / junit.name) as temporary:
            temporary.write_text(junit_xml(table) + "\n", encoding="utf-8")
        typer.echo(f"wrote {junit}", err=True)


def _print(table: pl.DataFrame, format: str) -> None:
    """Print the table; where programs read it, the verdict goes to standard error as well."""
    if format == "table":
        typer.echo(gate_text(table))
        return
    if format == "json":
        print_json(table.to_dicts())
    else:
        typer.echo(junit_xml(table) if format == "junit" else gate_markdown(table))
    complain(gate_sentences(table)["sentence"].item())
