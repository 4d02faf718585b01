"""Evaluations of more data than fit in memory: `evaluate_in_parts`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from lexiframe.connect.engines.parts.batches import divided, reduced_in_batches, work_folder
from lexiframe.core.evaluation.buckets.held import Held
from lexiframe.core.evaluation.buckets.plan import Kept, Plan
from lexiframe.core.evaluation.buckets.results import BucketResult
from lexiframe.core.evaluation.buckets.sizes import can_be_ranked_at_once
from lexiframe.core.evaluation.buckets.writing import earlier_parts
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.from_parts import Engine, evaluated_by
from lexiframe.core.evaluation.from_runs import evaluate_at_once
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.io import batches, kept_results, output_files
from lexiframe.core.metrics import needed


def evaluate_in_parts(
    sources: batches.Sources,
    how: Asked,
    memory: int,
    *,
    kept: kept_results.KeptResults | None = None,
    out: str | Path | None = None,
    keep: tuple[Kept, ...] = (),
    resume: bool = False,
    around: Callable[[Engine, Callable[[], pl.Series]], Engine] | None = None,
) -> Evaluation:
    """Evaluate runs in bounded memory, one part of the requests after the other.

    ``around`` wraps the engine for buckets, given a function that returns their requests.
    """
    needed.refuse_lower_rel(how.measures, how.policies.rel)
    folder = None if out is None else output_files.output_folder(out)
    earlier_parts(folder, keep)  # raises before the work
    # Tables that are kept are written bucket by bucket, so that a job resumed has the same files.
    is_at_once = not (keep or resume or around) and can_be_ranked_at_once(sources, memory)
    with work_folder(folder, memory, resume=resume) as work:
        if is_at_once:
            return evaluate_at_once(sources, how, kept=kept, work=work)
        buckets = divided(sources, work, rank=how.policies.ties == "rank")

        def in_batches(plan: Plan, held: Held | None) -> BucketResult:
            return reduced_in_batches(plan, buckets, work, held)

        return evaluated_by(
            in_batches if around is None else around(in_batches, buckets.judged),
            how,
            buckets.names,
            buckets.sources,
            buckets.some_queries,
            out=folder,
            keep=keep,
            work=work,
        )
