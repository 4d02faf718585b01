"""The sums of one order of equal scores, beside the expectations over all: `one_order_sums`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import polars as pl

from lexiframe.core.base import errors
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.metrics import Metric
from lexiframe.core.orderings import Method, order_runs, run_means
from lexiframe.core.pairwise import PairCube, arrays, facts, measured

_SPANS = ("tied_from", "tied_to")


def one_order_sums(plan: Plan, bucket: measured.Projected | None = None) -> arrays.Reduced:
    """Sum up the scores and preferences of a bucket, its equal scores ordered by descending id.

    Without a bucket they are the sums of no requests. Preferences that are differences of scores
    are left out.
    """
    metrics = [measure for measure in plan.of_positions if isinstance(measure, Metric)]
    others = [measure for measure in plan.of_positions if not isinstance(measure, Metric)]
    of_pairs = arrays.reduced(measured.no_requests(others, _names(plan.runs)))
    if bucket is None:
        scores = measured.no_requests(metrics, _names(plan.runs)).scores
    else:
        p, by_subtopic = bucket.positions.drop(_SPANS), bucket.by_subtopic
        by_subtopic = None if by_subtopic is None else by_subtopic.drop(_SPANS)
        of_order = replace(bucket, positions=p, by_subtopic=by_subtopic, values=None, known=None)
        scores = of_order.scores(metrics)
        if others:
            of_pairs = reduce(add, of_order.parts(others, then=arrays.reduced), of_pairs)
    return replace(of_pairs, scores=arrays.reduced(PairCube.unknown(_names([]), scores)).scores)


def _names(several: Sequence[str]) -> pl.Series:
    return pl.Series([*several], dtype=pl.String)


def other_first_runs(
    expected: arrays.Reduced, of_order: arrays.Reduced, order: Method, known: facts.Known
) -> dict[str, list[str]]:
    """Return the first runs of one order, by measures where they differ from the expected ones.

    ``order`` is the method by which preferences order runs.
    """
    with warnings.catch_warnings():  # the evaluation itself warns of circles
        warnings.simplefilter("ignore", errors.LexiframeWarning)
        both = [_first_runs(found, order, known) for found in (expected, of_order)]
    return {name: runs for name, runs in both[1].items() if both[0].get(name) != runs}


def _first_runs(found: arrays.Reduced, order: Method, known: facts.Known) -> dict[str, list[str]]:
    names = [name for name in found.preferences if name not in found.scores]
    tables = [run_means(found.scores_only, known=known)] if found.scores else []
    if names and any(found.preferences[name].differences.n.any() for name in names):
        tables.append(order_runs(found.select_measures(names), order))
    if not tables:
        return {}
    ranks = pl.concat(table.select("measure", "run", "rank") for table in tables)
    first = ranks.filter(pl.col("rank") == pl.col("rank").min().over("measure"))
    runs = first.group_by("measure", maintain_order=True).agg(pl.col("run").sort())
    return dict(runs.iter_rows())
