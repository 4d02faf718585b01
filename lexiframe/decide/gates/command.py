"""The command that says whether a candidate may replace a baseline: ``lexiframe gate``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from lexiframe import features
from lexiframe.core.base.feature import Items
from lexiframe.core.cli.inputs import WeightOptions, as_columns, named_file, refuse_replacing
from lexiframe.core.cli.options import INPUT, Passed
from lexiframe.core.cli.output import complain, print_json, print_table, say
from lexiframe.core.evaluation import evaluate, load_chosen
from lexiframe.core.io import output_files, qrel_files, to_parquet
from lexiframe.core.pairwise import grouping, measured, parse_measures
from lexiframe.core.significance import replicates as replication
from lexiframe.decide import gates
from lexiframe.decide.gates.command_inputs import (
    AnyMeasure,
    AsGateFormat,
    AskedMeasures,
    Cluster,
    CorrectionOfGate,
    Curve,
    GateInputs,
    GivenMargins,
    JunitFile,
    Planned,
    Power,
    Required,
    StateFile,
    TestOfGate,
    WorstShare,
    margins_by_measure,
    refuse_shares_of_preferences,
)
from lexiframe.decide.gates.shown_gates import gate_markdown, gate_text, junit_xml

PANEL = "Compare runs"
EXAMPLES = (
    "gate qrels.txt main/bm25.run pr/bm25.run -m nDCG@10 --margin 0.01",
    "gate main pr --scores perquery.csv --margin AP=2% --require better",
)

_MEANT = Passed(
    gates.gate, "", INPUT, "missing same_ok smaller_is_better=MEASURE larger_is_better=MEASURE"
)
NOT_PASSED = 3
"""The exit status when a row does not pass."""


def gate(
    *,
    inputs: GateInputs,
    measure: AskedMeasures = None,
    margin: GivenMargins = None,
    require: Required = "not-worse",
    any_measure: AnyMeasure = False,
    test: TestOfGate = None,
    correction: CorrectionOfGate = None,
    drawn: Annotated[dict[str, Any], Passed(gates.gate, "alpha trials seed")],
    power: Power = 0.8,
    worst: WorstShare = None,
    sequential: StateFile = None,
    planned: Planned = None,
    curve: Curve = False,
    cluster: Cluster = None,
    replicates: replication.Replicates | None = None,
    items: str | None = None,
    history: str | None = None,
    requests: str | None = None,
    by: list[str] | None = None,
    weighing: WeightOptions,
    meant: Annotated[dict[str, Any], _MEANT],
    out: Path | None = None,
    junit: JunitFile = None,
    format: AsGateFormat = "table",
) -> None:
    """Decide whether a candidate may replace a baseline (exit status 3 if not)."""
    margins = margins_by_measure(margin, measure)
    how: dict[str, Any] = {"require": [require, "any"] if any_measure else require, "test": test}
    how |= {"correction": correction, "power": power, **drawn}
    # All options are checked before any run is read: reading may take minutes.
    gates.check_gate(**how)
    weighed = weighing.weighed
    _refuse_together(
        sequential, planned, test, correction, cluster, requests, by, replicates, weighed,
        curve=curve,
    )  # fmt: skip
    if worst is not None and (sequential or curve):
        raise typer.BadParameter("--worst does not go with --sequential and --curve; leave it out")
    grouping.names_of(requests if by or not (cluster or weighed) else None, by)
    written = (out and out / _FILE, junit, sequential)
    files = [file for file in written if file is not None]
    output_files.refuse_outputs(files)
    if items is not None and (inputs.scores or replicates or sequential or curve):
        others = "--scores, --replicates, --sequential and --curve"
        raise typer.BadParameter(f"--items does not go with {others}; leave one of them out")
    if inputs.scores:
        pairs, names, facts = _gate_scores(inputs, margins, files, requests)
    elif replicates is not None:
        pairs, names, facts = _gate_replicates(inputs, margins, replicates)
    elif items is not None:
        catalogue = (items, history, requests, by)
        pairs, names, facts = _gate_with_items(inputs, margins, files, catalogue)
    else:
        pairs, names, facts = _gate_runs(inputs, margins, files, requests)
    two: dict[str, Any] = dict(zip(("baseline", "candidate"), names, strict=True))
    if curve:
        _print_curve(pairs, margins, two, how, format)
        return
    groups: dict[str, Any] = {"requests": qrel_files.held_or_data(requests), "by": by}
    groups |= {"cluster": cluster, "replicates": replicates, **weighed}
    if sequential is not None:
        asked = {name: how[name] for name in ("require", "alpha", "power", "seed")} | meant
        table = gates.gate_so_far(
            pairs, margins, state=sequential, n_planned=planned or 0, **two, **asked
        )
    else:
        table = gates.gate(pairs, margins, **two, **how, **groups, **meant, worst=worst)
    how |= weighed
    _write(table, out, junit, {**facts, "inference": {**how, **two, **meant, "margin": margins}})
    _print(table, format, [*margins])
    if not (gates.gate_sentences(table)["outcome"] == "pass").all():
        raise typer.Exit(NOT_PASSED)


def _refuse_together(
    sequential: Path | None, planned: int | None, test: str | None, correction: str | None,
    cluster: str | None, requests: str | None, by: list[str] | None,
    replicates: str | None, weighed: dict[str, Any], *, curve: bool,
) -> None:  # fmt: skip
    """Raise for options that do not go together."""
    if (sequential is None) != (planned is None):
        raise typer.BadParameter("--sequential and --planned belong together: give both")
    told = {"--test": test not in (None, "betting"), "--correction": correction, "--by": by}
    told |= {"--cluster": cluster, "--curve": curve}
    for name, is_given in told.items():
        if sequential is not None and is_given:
            raise typer.BadParameter(f"{name} does not go with --sequential; leave it out")
    others = [*weighed, *(["replicates"] if replicates else [])]
    if others and (sequential or curve):
        with_what = "--sequential" if sequential else "--curve"
        raise typer.BadParameter(f"--{others[0]} does not go with {with_what}; leave it out")
    if cluster and not requests:
        raise typer.BadParameter("--cluster names an attribute of requests; add --requests FILE")


def _print_curve(
    pairs: Any, margins: Mapping[str, str | float], two: dict[str, Any], how: dict[str, Any],
    format: str,
) -> None:  # fmt: skip
    asked = {name: how[name] for name in ("require", "test", "alpha", "seed")}
    given = pairs.pairs if isinstance(pairs, gates.RankedPairs) else pairs
    table = gates.gate_curve(given, margins, **two, **asked, inner_trials=how["trials"])
    if format == "json":
        print_json(table.to_dicts())
        return
    print_table(gates.curve_table(table), "table" if format == "table" else "markdown")
    say(gates.curve_sentence(table, how["alpha"]))


_FILE = "gates.parquet"


Found = tuple[Any, tuple[str, str], dict[str, Any]]
"""The differences, the names of baseline and candidate, and the facts that a file states."""


def _gate_runs(
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
    pairs = gates.RankedPairs.of_projected(projected, asked, scan, policies)
    return pairs, (names[0], names[1]), {"policies": asdict(policies)}


def _gate_replicates(
    inputs: GateInputs, margins: Mapping[str, str | float], replicates: replication.Replicates
) -> Found:
    """Evaluate two runs with several files each, or tables with replicates."""
    refuse_shares_of_preferences(parse_measures(list(margins)), margins)
    names, scan = inputs.runs_with_replicates()
    e = evaluate(
        scan, inputs.judgments(), [*margins], replicates=replicates, **vars(inputs.policies)
    )
    return e, names, {"policies": asdict(inputs.policies)}


def _gate_with_items(
    inputs: GateInputs,
    margins: Mapping[str, str | float],
    outputs: list[Path],
    catalogue: tuple[str, str | None, str | None, list[str] | None],
) -> Found:
    """Evaluate two runs over a catalogue of items, whose measures a margin may be of."""
    items, history, requests, by = catalogue
    refuse_shares_of_preferences(parse_measures(list(margins)), margins)
    refuse_replacing(outputs, [items, history])
    scan = inputs.found(outputs, requests)
    read = features.needed(Items, "--items").read(items, history=history)
    asked: dict[str, Any] = {"items": read, "requests": requests if by else None, "by": by}
    # num_ret: measures of all lists alone are no evaluation
    names = [*margins, "num_ret"]
    e = evaluate(scan, inputs.judgments(), names, **asked, **vars(inputs.policies))
    named = {one["path"]: str(one["run"]) for one in e.provenance["runs"]}  # in another order
    first, second = (str(s.name) if s.is_given else named[str(s.origin)] for s in scan.sources)
    return e, (first, second), {"policies": asdict(inputs.policies)}


def _gate_scores(
    inputs: GateInputs,
    margins: Mapping[str, str | float],
    outputs: list[Path],
    requests: str | None,
) -> Found:
    names = inputs.two_names()
    given = [named_file(text) for text in inputs.scores or []]
    paths = [path for one in given for path in (one.values() if isinstance(one, dict) else [one])]
    refuse_replacing(outputs, [requests, *paths])
    chosen = load_chosen(given, list(margins), columns=as_columns(inputs.column))
    return chosen.table, names, {"scores": chosen.files}


def _write(
    table: pl.DataFrame, out: Path | None, junit: Path | None, facts: dict[str, Any]
) -> None:
    with output_files.together():
        if out is not None:
            with output_files.replacing(output_files.output_folder(out) / _FILE) as temporary:
                to_parquet.write_parquet_file(temporary, table, {"table": "gates", **facts})
        if junit is not None:
            output_files.write_page(junit, junit_xml(table) + "\n")
    for place in filter(None, (out and out / _FILE, junit)):
        typer.echo(f"wrote {place}", err=True)


def _print(table: pl.DataFrame, format: str, measures: list[str]) -> None:
    """Print the table; where programs read it, the verdict goes to standard error as well."""
    if format == "table":
        typer.echo(gate_text(table, measures))
        return
    if format == "json":
        print_json(table.to_dicts())
    elif format == "csv":
        print_table(table, "csv")
    else:
        typer.echo(junit_xml(table) if format == "junit" else gate_markdown(table))
    complain(gates.gate_sentences(table)["sentence"].item())
