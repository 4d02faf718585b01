"""The evaluation of one bucket of requests: `evaluate_bucket`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import errors, to_polars
from lexiframe.evaluation.buckets.plan import Plan
from lexiframe.evaluation.buckets.results import Attributed, BucketResult, nothing
from lexiframe.evaluation.buckets.writing import part_writer
from lexiframe.io import run_parts, scan_runs
from lexiframe.metrics import Values, coverages, needed
from lexiframe.pairwise import (
    Measure,
    PairCube,
    arrays,
    measured,
    preference_arrays,
    preferences_table,
)
from lexiframe.projection import RankedRuns, answers, project, rank_runs


def evaluate_bucket(plan: Plan, runs: Any, qrels: Any, bucket: int = 0) -> BucketResult:
    """Evaluate the requests of a bucket, and reduce their scores and preferences to sums.

    Parameters
    ----------
    plan
        What is computed, and what is written.
    runs
        The rows of these requests: a frame for each name of a run, or a frame with the column
        ``run``. Runs of the plan may be missing.
    qrels
        The judgments of these requests: ``query_id, doc_id, relevance``, perhaps ``iteration``.
    bucket
        The bucket's number, which names the files that are written.

    Returns
    -------
    BucketResult
        Sums that add up with those of the other buckets, in any order to the same bits.

    Raises
    ------
    LexiframeError
        As `evaluate`, for bad data.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", errors.LexiframeWarning)
        found = _evaluated(plan, _by_name(runs, plan), to_polars(qrels), bucket)
    said = [str(w.message) for w in caught if issubclass(w.category, errors.LexiframeWarning)]
    return found.with_warnings(said)


def _by_name(runs: Any, plan: Plan) -> dict[str, pl.DataFrame]:
    """Return a frame for each run of the plan, also for those that are not there."""
    if not isinstance(runs, Mapping):
        runs = dict(run_parts.split_runs(to_polars(runs)))
    none = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
    like = next((frame.clear() for frame in runs.values()), none)
    return {name: runs.get(name, like) for name in plan.runs}


def _evaluated(
    plan: Plan, runs: dict[str, pl.DataFrame], qrels: pl.DataFrame, bucket: int
) -> BucketResult:
    if not qrels.height:
        extra = [frame["query_id"].n_unique() for frame in runs.values()]
        return nothing(plan).with_extra(extra)
    asked: dict[str, Any] = {"nonrelevant": True, "pool": has_pool(plan.measures)}
    ranked = rank_runs(scan_runs(runs), qrels, plan.policies, **asked, are_part=True)
    return _of_ranked(plan, ranked, bucket)


def has_pool(measures: Iterable[Measure]) -> bool:
    """Return whether a measure needs the number of documents that any run retrieved."""
    return any(measure.needs == needed.POOL for measure in measures)


def evaluate_ranked(plan: Plan, ranked: RankedRuns) -> BucketResult:
    """Evaluate all requests of runs whose judged items are ranked, as `evaluate_bucket` does."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", errors.LexiframeWarning)
        found = _of_ranked(plan, ranked, 0)
    return found.with_warnings([str(w.message) for w in caught])


def _of_ranked(plan: Plan, ranked: RankedRuns, bucket: int) -> BucketResult:
    needed.warn_of_lower_grades(plan.measures, plan.policies.rel, ranked.judged.items["relevance"])
    projected = _projected(plan, ranked)
    strangers = answers.strangers_of(ranked)
    total, attributed = sums_of(plan, projected, bucket)
    return BucketResult(
        total,
        coverages.coverage_sums(ranked, projected.positions),
        attributed,
        answers.repairs_of(ranked),
        greatest=float(ranked.judged.judgments["relevance"].max()),  # type: ignore[arg-type]
        found=any(bool(run.rank.any()) for run in ranked.runs),
        answered=any(bool(run.answered.any()) for run in ranked.runs),
        strangers=_said(strangers, ranked),
    )


def _said(strangers: list[str], ranked: RankedRuns) -> str:
    """Return the warning that no retrieved document is judged, if there is reason for it."""
    if not strangers:
        return ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", errors.LexiframeWarning)
        answers.warn_of_strangers(strangers, ranked)
    return str(caught[0].message)


def _projected(plan: Plan, ranked: RankedRuns) -> measured.Projected:
    """Find the positions for those of the measures that have something to count here."""
    kept, judged = plan.policies.no_relevant, ranked.judged
    relevant = judged.items.filter("is_relevant")["relevance"]
    greatest = float(relevant.max()) if len(relevant) else -np.inf  # type: ignore[arg-type]
    is_counted = kept == "zero" or len(relevant) > 0
    measures = tuple(
        m
        for m in plan.measures
        if is_counted and (kept == "zero" or m.rel is None or m.rel <= greatest)
    )
    by_subtopic = None
    if any(measure.needs == needed.SUBTOPICS for measure in measures):
        by_subtopic = project(ranked, no_relevant=kept, subtopics=True)
    positions = project(ranked, no_relevant=kept, pool=has_pool(plan.measures))
    return measured.Projected(None, None, ranked, measures, positions, by_subtopic, kept)


def sums_of(
    plan: Plan, projected: measured.Projected, bucket: int = 0
) -> tuple[arrays.Reduced, Attributed]:
    """Reduce the scores and preferences; write them, where the plan asks for it."""
    metrics = [m for m in plan.metrics if m in projected.measures]
    if "scores" in plan.keep:
        with part_writer(plan, "scores", bucket) as write:
            write(projected.scores(metrics))
    scores = _scores(plan, projected.values)
    total, attributed = nothing(plan).reduced, Attributed()
    if not plan.compared:
        return total + _of_groups(plan, None, scores), _attributed(plan, scores)
    with part_writer(plan, "preferences", bucket) as write:
        for cube in _cubes(plan, projected):
            if "preferences" in plan.keep:
                write(_table(cube))
            total = total + _of_groups(plan, cube, _of_queries(scores, cube.queries))
            attributed = attributed + _attributed(plan, cube)
    return total, attributed


def _attributed(plan: Plan, cube: PairCube | arrays.ScoreCube | None) -> Attributed:
    if plan.requests is None or cube is None:
        return Attributed()
    return Attributed.of(cube.queries, plan.requests["query_id"])


def _cubes(plan: Plan, projected: measured.Projected) -> Iterator[PairCube]:
    """Yield cubes of some requests each, with all measures that compare runs.

    Measures by subtopic may have other requests than the others, and are compared with them: then
    there is one cube of all requests.
    """
    parts = [*projected.valued_parts([m for m in plan.compared if m in projected.measures])]
    most = preference_arrays.CELLS if len(parts) == 1 else 2**62
    cubes = [
        preference_arrays.preference_cubes(p, measures, values, projected.no_relevant, most=most)
        for p, measures, values in parts
        if p.height
    ]
    if len(cubes) == 1:
        yield from (_with_measures(cube, plan.compared) for cube in cubes[0])
    elif cubes:
        yield _side_by_side([cube for of_part in cubes for cube in of_part], plan.compared)


def _with_measures(cube: PairCube, measures: list[Measure]) -> PairCube:
    """Return the cube with all measures, those that it lacks without values."""
    return cube if len(cube.measures) == len(measures) else _side_by_side([cube], measures)


def _side_by_side(cubes: list[PairCube], measures: list[Measure]) -> PairCube:
    """Join cubes of different measures, which may have different requests, but the same runs."""
    queries = pl.concat([cube.queries for cube in cubes]).unique().sort()
    names = pl.Series([str(measure) for measure in measures])
    first = cubes[0]
    values = np.full((len(names), len(queries), len(first.a)), np.nan)
    for cube in cubes:
        place = np.ix_(*(known.search_sorted(some).to_numpy() for known, some in (
            (names, cube.measures), (queries, cube.queries))))  # fmt: skip
        values[place] = cube.values
    return PairCube(names, queries, first.runs, first.a, first.b, values)


def _scores(plan: Plan, parts: list[Values]) -> arrays.ScoreCube | None:
    """Return the scores of all metrics, of measures × requests × runs."""
    if not parts or not plan.metrics:
        return None
    queries = pl.concat([part.keys["query_id"] for part in parts]).unique().sort()
    names, runs = pl.Series([str(metric) for metric in plan.metrics]), pl.Series([*plan.runs])
    values = np.full((len(names), len(queries), len(runs)), np.nan)
    for part in parts:
        known = part.keys["query_id"].head(part.keys.height // len(runs))
        place = queries.search_sorted(known).to_numpy()
        for metric in part.metrics:
            row = plan.metrics.index(metric)
            values[row, place] = part.by_request(metric, len(runs)).T
    smaller = np.array([metric.smaller_is_better for metric in plan.metrics], bool)
    is_exact = np.array([metric.is_exact for metric in plan.metrics], bool)
    return arrays.ScoreCube(names, queries, runs, values, smaller, is_exact)


def _of_queries(s: arrays.ScoreCube | None, queries: pl.Series) -> arrays.ScoreCube | None:
    """Return the scores of some requests; those that have none are left out."""
    return None if s is None else s.of_queries(s.queries.is_in(queries.implode()).to_numpy())


def _of_groups(plan: Plan, cube: PairCube | None, s: arrays.ScoreCube | None) -> arrays.Reduced:
    """Reduce requests, as a whole or as the sum of the groups that they form."""
    queries = cube.queries if cube is not None else s.queries if s is not None else pl.Series([])
    if not plan.by or not len(queries):
        return _of_requests(plan, cube, s)
    attributes = plan.attributes(queries.to_list())
    total, groups = nothing(plan).reduced, list[tuple[pl.DataFrame, arrays.Reduced]]()
    for group in attributes.select(plan.by).unique().sort(plan.by).iter_slices(1):
        members = attributes.join(group, on=plan.by, how="semi", nulls_equal=True)["query_id"]
        chosen = queries.is_in(members.implode()).to_numpy()
        of_group = None if cube is None else cube.of_queries(chosen)
        part = _of_requests(plan, of_group, _of_queries(s, queries.filter(pl.Series(chosen))))
        total, groups = total + part, [*groups, (group, part)]
    return total.with_groups(tuple(groups))


def _of_requests(plan: Plan, cube: PairCube | None, s: arrays.ScoreCube | None) -> arrays.Reduced:
    if cube is not None and s is not None:
        cube = cube.with_scores(s)
    return arrays.reduced(cube, s, pl.Series([*plan.runs]))


def _table(cube: PairCube) -> pl.DataFrame:
    values = np.moveaxis(cube.values, 0, 2)
    return preferences_table(cube.queries, cube.runs, cube.measures.to_list(), values)
