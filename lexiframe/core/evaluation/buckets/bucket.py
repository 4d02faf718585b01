"""The evaluation of one bucket of requests: `evaluate_bucket`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import wraps
from itertools import chain
from typing import Any, TypeVar, cast

import polars as pl

from lexiframe.core.base import errors, memory_use, to_polars
from lexiframe.core.evaluation.buckets.held import Held
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.evaluation.buckets.results import (
    BucketResult,
    Said,
    Totals,
    bucket_facts,
    nothing,
    part_facts,
)
from lexiframe.core.evaluation.buckets.writing import part_writer
from lexiframe.core.io import one_run, scan_runs
from lexiframe.core.metrics import needed
from lexiframe.core.pairwise import PairCube, measured
from lexiframe.core.projection import answers

_MANY = 2**22
"""Preferences of a part after which memory is given back to the system; that takes milliseconds."""

F = TypeVar("F", bound=Callable[..., BucketResult])


def noting(function: F) -> F:
    """Decorate a function so that the library's warnings are part of the result, and not shown."""

    @wraps(function)
    def noted(*arguments: Any, **options: Any) -> BucketResult:
        with warnings.catch_warnings(record=True) as caught:  # in any thread
            warnings.simplefilter("always", errors.LexiframeWarning)
            found = function(*arguments, **options)
        ours = [str(w.message) for w in caught if issubclass(w.category, errors.LexiframeWarning)]
        return BucketResult({**found.kept, "said": found["said"] + Said(warnings=tuple(ours))})

    return cast(F, noted)


@noting
def evaluate_bucket(
    plan: Plan, runs: Any, qrels: Any, bucket: int = 0, held: Held | None = None
) -> BucketResult:
    """Evaluate the requests of a bucket, and reduce their scores and preferences to sums.

    ``runs`` is a frame for each name of a run, or a frame with the column ``run``; runs of the plan
    may be missing. The number ``bucket`` names the files that are written; ``held`` takes the
    preferences of single requests for tests that need them. The sums of all buckets add up, in any
    order to the same bits.
    """
    frames, judged = _frames_of_runs(runs, plan), to_polars(qrels)
    if not judged.height:
        none = nothing(plan)
        extra = pl.Series(
            [frame["query_id"].n_unique() for frame in frames.values()], dtype=pl.Int64
        )
        counts = none["coverage"].counts.with_columns(extra=extra)
        return BucketResult({**none.kept, "coverage": replace(none["coverage"], counts=counts)})
    # A run that has no name may be judgments.
    only = frames.get(one_run.UNNAMED) if len(frames) == 1 else None
    scan, policies = scan_runs(frames if only is None else only), plan.policies
    ranked = measured.rank(scan, judged, plan.of_positions, policies, are_part=True)
    projected = measured.projected_of(ranked, plan.of_positions, policies.no_relevant)
    lists = None if plan.lists is None else plan.lists.of_bucket(scan, judged, policies)
    return evaluate_projected(plan, projected, bucket=bucket, held=held, lists=lists)


def _frames_of_runs(runs: Any, plan: Plan) -> dict[str, pl.DataFrame]:
    """Return a frame for each run of the plan, an empty one for a missing run."""
    if not isinstance(runs, Mapping):
        from lexiframe.core.io import run_tables

        runs = dict(run_tables.split_runs(to_polars(runs)))
    none = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
    like = next((frame.clear() for frame in runs.values()), none)
    return {name: runs.get(name, like) for name in plan.runs}


@noting
def evaluate_projected(
    plan: Plan,
    projected: measured.Projected,
    *,
    bucket: int = 0,
    held: Held | None = None,
    label: str = "",
    lists: Any = None,
) -> BucketResult:
    """Reduce the arrays of a bucket's requests to sums, and write the tables to keep.

    With a ``label`` there is a progress bar. ``lists`` has the measured lists of the requests.
    """
    grades = projected.ranked.judged.items["relevance"]
    needed.warn_of_lower_grades(plan.measures, plan.policies.rel, grades)
    projected = projected.valued(plan.of_positions)
    total = BucketResult(part_facts(plan, plan.no_requests()))
    missing = answers.unanswered(projected.ranked)
    if lists is None:  # which count requests without a relevant item, too
        missing = missing.filter(pl.col("query_id").is_in(projected.queries.implode()))
    with (
        ThreadPoolExecutor(1) as aside,
        part_writer(plan, "scores", bucket) as write_s,
        part_writer(plan, "preferences", bucket) as write_d,
    ):
        whole = aside.submit(bucket_facts, plan, projected)  # while parts are evaluated
        is_stored = bool(plan.keep) or held is not None

        def reduced(part: PairCube) -> tuple[int, dict[str, Any], PairCube | None]:
            part = part if lists is None else lists.joined(plan.measures, part)
            if plan.without_weight is not None:
                is_in = part.queries.is_in(plan.without_weight.implode())
                part = part.select_queries(~is_in.to_numpy())
            return part.values.size, part_facts(plan, part), part if is_stored else None

        found = projected.parts(plan.of_positions, label=label, then=reduced)
        if lists is not None:
            found = chain(found, map(reduced, lists.others(projected.runs)))
        for size, sums, part in found:
            total.add(sums)
            if part is not None and plan.keep:
                from lexiframe.core.pairwise import pairs

                s, d = pairs.tables_of(part)
                write_s(answers.say_answered(s, missing, is_part=True))
                if plan.policies.ties == "expected" and "preferences" in plan.keep:
                    from lexiframe.core.evaluation.tied_chances import add_chances

                    of = projected.positions.filter(
                        pl.col("query_id").is_in(part.queries.implode())
                    )
                    d = add_chances(d, of, projected.measures, projected.no_relevant)
                write_d(d)
            if part is not None and held is not None:
                held.add(bucket, part)
            del sums, part  # those of many runs are large: they are freed before the next are made
            if size > _MANY:
                memory_use.give_back()
    sample = total["sample"].with_positions(projected.positions)
    added = {"sample": sample, "lists": Totals() if lists is None else Totals.of(lists.sums)}
    return BucketResult({**whole.result(), **total.kept, **added})
