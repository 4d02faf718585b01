"""Evaluations from the sums over parts of the requests: in batches, or on a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, check_choice, schemas
from lexiframe.evaluation.buckets.batches import (
    divided,
    reduced_in_batches,
    report,
    some_queries,
    work_folder,
)
from lexiframe.evaluation.buckets.bucket import evaluate_ranked, has_pool
from lexiframe.evaluation.buckets.plan import KEPT, Kept, Plan
from lexiframe.evaluation.buckets.results import BucketResult
from lexiframe.evaluation.buckets.sizes import can_be_ranked_at_once
from lexiframe.evaluation.buckets.writing import earlier_parts
from lexiframe.evaluation.evaluation import Evaluation
from lexiframe.evaluation.options import Asked, Groups
from lexiframe.evaluation.tables import pair_tables
from lexiframe.io import output_files, qrel_files, scan_runs, to_parquet
from lexiframe.metrics import needed
from lexiframe.orderings import best_first
from lexiframe.pairwise import Measure, arrays, grouping
from lexiframe.projection import rank_runs
from lexiframe.significance import own_tests, tests


def tables_to_keep(
    keep: str | Sequence[str], out: str | Path | None, *, resume: bool
) -> tuple[Kept, ...]:
    """Return the names of the tables to write in parts; raise for others, and without a folder."""
    if resume and out is None:
        raise LexiframeError(
            "evaluate: resume needs the folder of the interrupted evaluation; give out='FOLDER'"
        )
    names = [keep] if isinstance(keep, str) else [*keep]
    for name in names:
        check_choice("evaluate", name, KEPT, "keep")
    if names and out is None:
        raise LexiframeError("evaluate: keep needs a folder to write to; give out='FOLDER'")
    return tuple(name for name in KEPT if name in names)


def refuse_reuse_in_parts(*, are_asked: bool, is_reused: bool) -> None:
    """Raise when results are to be reused and parts to be written, or to be gone on with."""
    if are_asked and is_reused:
        raise LexiframeError(
            "evaluate: reuse holds all preferences in memory, keep and resume are for an "
            "evaluation in parts; leave one of them out"
        )


def evaluate_in_batches(
    runs: Any,
    qrels: Any,
    how: Asked,
    memory: int,
    *,
    out: str | Path | None = None,
    keep: tuple[Kept, ...] = (),
    resume: bool = False,
) -> Evaluation:
    """Evaluate runs in bounded memory, one part of the requests after the other; see `evaluate`."""
    refuse_what_needs_requests(how)
    needed.refuse_lower_rel(how.measures, how.policies.rel)
    folder = None if out is None else output_files.output_folder(out)
    earlier_parts(folder, keep)  # raises before the work
    # Tables that are kept are written bucket by bucket, so that a job resumed has the same files.
    at_once = not keep and not resume and can_be_ranked_at_once(runs, qrels, memory)
    with work_folder(folder, memory, resume=resume) as work:
        if at_once:
            return _of_ranked_runs(runs, qrels, how)
        buckets = divided(runs, qrels, work, rank=how.policies.ties == "rank")
        plan = plan_of(how, buckets.names, folder, keep)
        total = reduced_in_batches(plan, buckets, work)
        report(plan, total, partial(some_queries, buckets))
        sources = {"runs": buckets.sources, "qrels": buckets.qrels_sources}
    return evaluation_of(total, plan, how, sources)


def _of_ranked_runs(runs: Any, qrels: Any, how: Asked) -> Evaluation:
    """Evaluate runs of which the judged items' ranks fit in memory, but not the preferences.

    The runs are read one file at a time, so that no bucket has to be written.
    """
    scan, judged = scan_runs(runs), qrel_files.file_or_data(qrels)
    asked: dict[str, Any] = {"nonrelevant": True, "hashed": True, "pool": has_pool(how.measures)}
    ranked = rank_runs(scan, judged, how.policies, **asked)
    plan = plan_of(how, [run.name for run in ranked.runs])
    total = evaluate_ranked(plan, ranked)
    report(plan, total, lambda: ([], ranked.judged.queries))  # `rank_runs` has raised already
    sources = {
        "runs": to_parquet.sources_of_origin(scan, ranked.read),
        "qrels": qrel_files.sources_of_qrels(judged, sha256=ranked.judged.sha256),
    }
    return evaluation_of(total, plan, how, sources)


def plan_of(
    how: Asked, runs: Sequence[str], out: Path | None = None, keep: tuple[Kept, ...] = ()
) -> Plan:
    """Return what is to be computed of each part of the requests, for these runs."""
    measures = tuple(how.measures_of([*runs]))
    grouping.refuse_taken(
        how.groups, {**schemas.VERDICT.columns, **schemas.AGAINST_BASELINE.columns}
    )
    groups = tuple(how.groups)
    requests = grouping.all_attributes(how.requests, [*groups]) if groups else None
    folder = None if out is None else str(out)
    return Plan(measures, how.policies, tuple(runs), requests, groups, folder, keep)


def are_of_sums(test: Any) -> bool:
    """Return whether tests need sums over the requests alone."""
    return all(one in tests.OF_SUMS for one in own_tests.several(test))


def refuse_what_needs_requests(how: Asked) -> None:
    """Raise before the work for a report, and for a test that sums over the requests do not do."""
    if how.is_reported:
        raise LexiframeError(
            "report: the page shows single requests, and these runs are evaluated in parts, of "
            "which sums over the requests remain; leave the report out, allow more memory, or "
            "evaluate a sample of the requests for it"
        )
    for test in own_tests.several(how.inference.test):
        if test not in tests.OF_SUMS:
            raise LexiframeError(
                f"evaluate: the test {own_tests.name_of_test(test)!r} needs the preferences of "
                "each request, "
                f"and an evaluation in parts has their sums; take {' or '.join(tests.OF_SUMS)}, "
                "or keep "
                "the preferences (out='FOLDER', keep='preferences') and compare one measure, or a "
                "sample of the requests: sample_requests(polars.scan_parquet('FOLDER/preferences'))"
            )


def evaluation_of(
    total: BucketResult, plan: Plan, how: Asked, sources: Mapping[str, Any]
) -> Evaluation:
    """Make the tables of an evaluation from sums over all requests."""
    return Evaluation(
        total.coverage.table(),
        **tables_of_sums(total.reduced, plan, how),
        provenance={**sources, **facts_of(plan.measures, how)},
        parts={name: str(Path(str(plan.out), name)) for name in plan.keep},
        attributes=plan.requests,
        sums=total.reduced,
    )


def tables_of_sums(sums: arrays.Reduced, plan: Plan, how: Asked) -> dict[str, Any]:
    """Make the tables about runs and pairs from sums over all requests."""
    asked = list(plan.measures)
    cube = sums if any(True for _ in sums) else None
    scores = sums.of_scores if plan.metrics else None
    tables = pair_tables(scores, cube, asked, how.order, how.inference, _groups(sums, how))
    tables["means"] = best_first(tables["means"], [str(m) for m in asked], how.groups)
    return tables


def facts_of(measures: Sequence[Measure], how: Asked) -> dict[str, Any]:
    """Return what a provenance says besides the sources of runs and judgments."""
    return {
        "measures": [str(measure) for measure in measures],
        "policies": asdict(how.policies),
        "inference": {"ordering": how.order, **how.inference.facts()},
        "groups": how.groups,
        "requests": qrel_files.sources_of_qrels(how.requests),
    }


def _groups(reduced: arrays.Reduced, how: Asked) -> Groups:
    if not how.groups:
        return Groups(None, [])
    rows = [group for group, _ in reduced.groups]
    return Groups(pl.concat(rows), how.groups)
