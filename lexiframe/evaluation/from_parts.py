"""Evaluations from what is kept of the requests: `plan_of`, and `evaluation_of`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, check_choice, schemas
from lexiframe.evaluation.buckets.batches import HELD, Work
from lexiframe.evaluation.buckets.held import Held
from lexiframe.evaluation.buckets.plan import KEPT, Kept, Plan
from lexiframe.evaluation.buckets.results import BucketResult
from lexiframe.evaluation.buckets.sizes import room_in
from lexiframe.evaluation.evaluated_data import Origin
from lexiframe.evaluation.evaluation import Evaluation
from lexiframe.evaluation.options import Asked, Groups
from lexiframe.evaluation.tables import pair_tables
from lexiframe.io import qrel_files
from lexiframe.orderings import best_first
from lexiframe.pairwise import Measure, grouping
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


def are_of_sums(how: Asked) -> bool:
    """Return whether all tests need sums over the requests alone."""
    return all(one in tests.OF_SUMS for one in own_tests.several(how.inference.test))


def held_for(plan: Plan, how: Asked, work: Work | None) -> Held | None:
    """Return where the preferences of single requests are held, if there are tests that need them.

    They are in memory, unless there is a folder to ``work`` in.
    """
    if are_of_sums(how) or not plan.compared:
        return None
    baseline = how.inference.baseline
    if work is None:
        return Held(plan, baseline)
    folder = work.folder / HELD
    folder.mkdir(parents=True, exist_ok=True)
    return Held(plan, baseline, folder, room_in(work.memory))


def evaluation_of(
    total: BucketResult,
    plan: Plan,
    how: Asked,
    facts: Mapping[str, Any],
    held: Held | None = None,
    origin: Origin | None = None,
    *,
    in_parts: bool = True,
) -> Evaluation:
    """Make the tables of an evaluation from what was kept of all requests.

    ``facts`` are the sources and others that the provenance has. ``held`` are the preferences of
    single requests, for tests that need them. An evaluation ``in_parts`` has sums over the
    requests, and a sample of them; another makes all from its ``origin`` when asked.
    """
    sums, asked = total["sums"], list(plan.measures)
    groups = Groups(None, [])
    if how.groups:
        groups = Groups(pl.concat([group for group, _ in sums.groups]), how.groups)
    scores, pairs = sums.of_scores if plan.metrics else None, sums if plan.compared else None
    tested = None if held is None else held.by_measure()
    tables = pair_tables(scores, pairs, asked, how.order, how.inference, groups, tested=tested)
    tables["means"] = best_first(tables["means"], [str(m) for m in asked], how.groups)
    return Evaluation(
        total["coverage"].table(),
        **tables,
        provenance={"runs": [], "qrels": [], **facts_of(asked, how), **facts},
        parts={name: str(Path(str(plan.out), name)) for name in plan.keep},
        attributes=plan.requests,
        sums=sums if in_parts else None,
        _origin=origin,
        _sample=(total["sample"], total["positions"], plan) if in_parts else None,
        _in_parts=in_parts,
    )


def facts_of(measures: Sequence[Measure], how: Asked) -> dict[str, Any]:
    """Return what a provenance says besides the sources of runs and judgments."""
    return {
        "measures": [str(measure) for measure in measures],
        "policies": asdict(how.policies),
        "inference": {"ordering": how.order, **how.inference.facts()},
        "groups": how.groups,
        "requests": qrel_files.sources_of_qrels(how.requests),
    }
