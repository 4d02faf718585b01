"""The command that tests which runs differ: ``lexiframe compare``."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Literal

import typer

from lexiframe.core.base import LexiframeError
from lexiframe.core.cli.inputs import InferenceOptions, RunsOrScores
from lexiframe.core.cli.options import Format, OutFile
from lexiframe.core.cli.output import print_table, refuse_other_ending, write_table
from lexiframe.core.evaluation import MEASURES
from lexiframe.core.io import output_files
from lexiframe.core.metrics import as_list
from lexiframe.core.pairwise import PairsLike, grouping, measured, parse_measures
from lexiframe.core.significance import check_inference
from lexiframe.core.significance import compare as compare_runs
from lexiframe.core.views import shown

PANEL = "Compare runs"
EXAMPLES = (
    "compare qrels.txt runs/ -m AP,RPP --baseline bm25 -o pairs.csv",
    "compare qrels.txt runs/ -m AP --hsd randomized --trials 2000",
)


def compare(
    *,
    inputs: RunsOrScores,
    measure: list[str] | None = None,
    tests: InferenceOptions,
    intervals: Literal["auto", "t", "bca"] = "auto",
    hsd: Literal["randomized", "parametric"] | None = None,
    out: OutFile = None,
    wide: bool = False,
    format: Format = "table",
) -> None:
    """Test which runs differ, pair by pair.

    Text, latex and markdown have the columns that one reads; --wide and other formats have all.
    """
    if hsd is not None and (tests.baseline is not None or tests.alternative != "two-sided"):
        raise LexiframeError(
            "--hsd: compares all pairs of runs, on both sides; leave --baseline and --alternative "
            "out, or --hsd"
        )
    # All options are checked before any run is read: reading may take minutes.
    of_groups = {"baseline", "requests", "by", "replicates", "seeds"}
    of_groups |= {"weights", "strata", "shares"}
    inference = {name: value for name, value in vars(tests).items() if name not in of_groups}
    check_inference(**inference)
    if hsd is not None and tests.replicates is not None:
        raise LexiframeError(
            "--hsd: takes runs without replicates; leave --replicates out, or --hsd"
        )
    weighed = tests.weighed
    grouping.names_of(tests.requests if tests.by or not weighed else None, tests.by)
    groups = tests.groups()
    if out is not None:
        refuse_other_ending(out)
        output_files.refuse_outputs([out])
    files = [out] if out is not None else []
    if inputs.has_scores:
        pairs, facts = _score_pairs(inputs, measure, tests, files)
    else:
        pairs, facts = _run_pairs(inputs, measure, tests, files)
    if hsd is None:
        how = {**inference, "baseline": tests.baseline, "intervals": intervals}
        if tests.replicates is not None:
            how |= {"replicates": tests.replicates, "seeds": tests.seeds}
        c = compare_runs(pairs, **how, **weighed, **groups)
    else:
        from lexiframe.core.significance import tukey_hsd

        how = {name: inference[name] for name in ("trials", "seed", "alpha")}
        c = tukey_hsd(pairs, hsd, **how, **weighed, **groups)
    how |= weighed
    if out is not None:
        write_table(out, c, {"table": "comparisons", **facts, "inference": how})
        typer.echo(f"wrote {out}", err=True)
    if wide or format not in ("table", "latex", "markdown"):
        print_table(c, format, tests.alpha, wide=True)
        return
    if format == "table":
        typer.echo(shown.comparisons_text(c, _asked_names(measure), tests.alpha))
        return
    said, shortly = shown.comparisons_in_short(c, _asked_names(measure), tests.alpha)
    paper = replace(shown.ShownTable.whole(shortly), notes=(f"{said}.",))
    typer.echo(shown.paper_latex(paper) if format == "latex" else shown.paper_markdown(paper))


def _asked_names(measure: list[str] | None) -> list[str]:
    """Return the names of the measures in the order of the command line."""
    asked = as_list(measure or MEASURES)
    try:
        return [str(one) for one in parse_measures(asked)]
    except LexiframeError:  # scores of other tools may have names of their own
        return [str(one) for one in asked]


def _run_pairs(
    inputs: RunsOrScores,
    measure: list[str] | None,
    tests: InferenceOptions,
    outputs: list[Path],
) -> tuple[PairsLike, dict[str, Any]]:
    """Return the preferences of runs with their scores, and the facts that a file states."""
    policies = inputs.policies
    scan, baseline = inputs.found(outputs, tests.requests), tests.baseline
    if tests.replicates is not None:
        from lexiframe.core.evaluation import Asked, Inference, evaluate_asked

        inference = Inference(**{f.name: getattr(tests, f.name) for f in fields(Inference)})
        of = inputs.measures(measure), policies, inference, None, None
        return evaluate_asked(scan, inputs.judgments(), Asked.checked(*of)), {
            "policies": asdict(policies)
        }
    asked = inputs.measures(measure) or parse_measures(MEASURES)
    projected = measured.project_runs(scan, inputs.judgments(), asked, policies, baseline=baseline)
    return projected.part(asked, baseline), {"policies": asdict(policies)}


def _score_pairs(
    inputs: RunsOrScores, measure: list[str] | None, tests: InferenceOptions, outputs: list[Path]
) -> tuple[PairsLike, dict[str, Any]]:
    """Return the scores of other tools, and the facts that a file states."""
    from lexiframe.core.evaluation import evaluate_scores, load_chosen
    from lexiframe.core.orderings import missing_requests

    scores, how_read = inputs.given_scores(outputs, tests.requests, measure)
    if inputs.answers.nuggets:
        e = evaluate_scores(scores, **how_read)
        return e.part(), {name: e.provenance[name] for name in ("scores", "missing")}
    missing = how_read.pop("missing")
    chosen = load_chosen(scores, warns=missing is None, **how_read)
    table, _ = missing_requests.settle(chosen.table, missing)
    return table, {"scores": chosen.files, "missing": missing}
