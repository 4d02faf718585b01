"""The scores of one order of equal scores, beside the expectations over all: `one_order_sums`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.metrics import Metric
from lexiframe.core.orderings import run_means
from lexiframe.core.pairwise import PairCube, arrays, facts, measured

_SPANS = ("tied_from", "tied_to")


def one_order_sums(plan: Plan, bucket: measured.Projected | None = None) -> arrays.Reduced:
    """Sum up the metrics of a bucket, its equal scores ordered by descending id.

    Without a bucket they are the sums of no requests.
    """
    metrics = [measure for measure in plan.of_positions if isinstance(measure, Metric)]
    if bucket is None:
        scores = measured.no_requests(metrics, pl.Series([*plan.runs], dtype=pl.String)).scores
    else:
        p, by_subtopic = bucket.positions.drop(_SPANS), bucket.by_subtopic
        by_subtopic = None if by_subtopic is None else by_subtopic.drop(_SPANS)
        of_order = replace(bucket, positions=p, by_subtopic=by_subtopic, values=None, known=None)
        scores = of_order.scores(metrics)
    return arrays.reduced(PairCube.unknown(pl.Series([], dtype=pl.String), scores))


def other_first_runs(
    expected: arrays.Reduced, of_order: arrays.Reduced, known: facts.Known
) -> dict[str, list[str]]:
    """Return the first runs of one order, by measures where they differ from the expected ones."""
    both = [_first_runs(found, known) for found in (expected, of_order)]
    return {name: runs for name, runs in both[1].items() if both[0].get(name) != runs}


def _first_runs(found: arrays.Reduced, known: facts.Known) -> Mapping[str, list[str]]:
    means = run_means(found.scores_only, known=known)
    first = means.filter(pl.col("rank") == pl.col("rank").min().over("measure"))
    runs = first.group_by("measure", maintain_order=True).agg(pl.col("run").sort())
    return dict(runs.iter_rows())
