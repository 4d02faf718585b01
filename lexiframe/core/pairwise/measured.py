"""From runs and judgments to arrays of scores and preferences: the steps that all flows share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from lexiframe.core.metrics import Metric, Values, coverages, needed, values_of
from lexiframe.core.pairwise.arrays.arrays import PairCube, ScoreCube
from lexiframe.core.pairwise.compared_runs import refuse_one_run
from lexiframe.core.pairwise.composition import Composition, composed
from lexiframe.core.pairwise.fingerprints import fingerprint_of
from lexiframe.core.pairwise.preference import Measure
from lexiframe.core.pairwise.preference_arrays import itself, preference_cubes
from lexiframe.core.projection import (
    NoRelevant,
    Policies,
    RankedRuns,
    answers,
    judgments,
    project,
    rank_runs,
)

M = TypeVar("M", bound=Measure)
_ALL = 2**62


@dataclass(frozen=True)
class Projected:
    """Ranked runs, and their positions for the measures that have something to count.

    ``positions`` are for all measures that need no subtopics, and ``by_subtopic``, which is None
    when no measure needs it, for the others.

    What follows from them may be known already: the ``values`` of metrics that need no subtopics,
    the scores and preferences of all requests (``known``), and rows of the coverage (``covered``).
    """

    ranked: RankedRuns
    measures: tuple[Measure, ...]
    positions: pl.DataFrame
    by_subtopic: pl.DataFrame | None
    no_relevant: NoRelevant
    values: Values | None = None
    known: PairCube | None = None
    covered: pl.DataFrame | None = None

    def valued(self, measures: Sequence[Measure]) -> Projected:
        """Compute the values of the metrics among some measures, and of metrics for the coverage.

        Where all scores are known there is nothing to compute.
        """
        if self.known is not None:
            return self
        base = [m for m in self._components(measures) if isinstance(m, Metric)]
        metrics = dict.fromkeys([*coverages.MEASURES, *base])
        some = [metric for metric in metrics if metric.needs != needed.SUBTOPICS]
        return replace(self, values=self._values(self.positions, some))

    def restricted(
        self, measures: Sequence[Measure], queries: pl.Series | None, runs: Sequence[str] | None
    ) -> Projected:
        """Return some measures of some requests in some runs; None stands for all of them."""
        wanted = [("query_id", queries), ("run", None if runs is None else pl.Series(runs))]
        kept = [pl.col(name).is_in(some.implode()) for name, some in wanted if some is not None]
        ranked, by_subtopic = self.ranked, self.by_subtopic
        if runs is not None:
            ranked = replace(ranked, runs=[run for run in ranked.runs if run.name in {*runs}])
        positions = self.positions.filter(*kept)
        return Projected(
            ranked,
            _counting_measures(measures, positions["relevance"].drop_nulls(), self.no_relevant),
            positions,
            None if by_subtopic is None else by_subtopic.filter(*kept),
            self.no_relevant,
        )

    @property
    def queries(self) -> pl.Series:
        """The requests that have positions, sorted."""
        tables = [p for p in (self.positions, self.by_subtopic) if p is not None]
        of_a_run = [p["query_id"].head(p.height // len(self.ranked.runs)) for p in tables]
        stretches = [ids.rle().struct.field("value") for ids in of_a_run]  # rows are in order
        return pl.concat(stretches).cast(pl.String).unique().sort()

    @property
    def runs(self) -> pl.Series:
        """The names of the runs, sorted."""
        return pl.Series([run.name for run in self.ranked.runs], dtype=pl.String)

    def parts(
        self,
        measures: Sequence[Measure],
        scores: ScoreCube | None = None,
        *,
        compared: str | Collection[str] | None = None,
        most: int | None = None,
        in_order: bool = False,
        label: str = "",
        then: Callable[[PairCube], Any] = itself,
    ) -> Iterator[Any]:
        """Yield scores and preferences by some measures, of some requests after the other.

        Cells of measures that have nothing to count here are NaN. A single run is compared with
        none. Where ``scores`` are known they are not computed. Only the pairs that contain one of
        the runs ``compared`` are compared, if there are some. Measures by subtopic may have other
        requests than the others, and are compared with them: then there is one part. Requests come
        ``in_order`` of their names if they are asked to. With a ``label`` there is a progress bar.
        ``then`` is done with each part, in several threads, and what it returns is yielded instead.
        What is known of all requests is one part.
        """
        if self.known is not None:
            yield then(self.known)
            return
        if any(isinstance(m, Composition) and m in self.measures for m in measures):
            base = self._components(measures)  # whose preferences tell those of compositions
            alone = replace(self, measures=tuple(base))
            how: Any = {"compared": compared, "most": most, "in_order": in_order, "label": label}
            yield from alone.parts(base, then=lambda cube: then(composed(cube, measures)), **how)
            return
        if scores is None:
            scores = self.scores(measures)
        if len(self.ranked.runs) == 1:
            yield then(PairCube.unknown(_sorted_names([]), scores))
            return
        ordered = sorted(measures, key=str)
        several = [*self._split_by_subtopics([m for m in ordered if m in self.measures])]
        how = {"most": most if len(several) == 1 else _ALL, "in_order": in_order}
        how["label"] = label
        there, names = [(p, some) for p, some in several if p.height], _sorted_names(ordered)

        def whole(cubes: list[PairCube]) -> Any:
            return then(PairCube.together(cubes, names).with_scores(scores))

        if len(there) == 1:
            how["then"] = lambda cube: whole([cube])
        cubes = [
            preference_cubes(p, some, scores, self.no_relevant, baseline=compared, **how)
            for p, some in there
        ]
        if len(cubes) > 1:
            yield whole([cube for of in cubes for cube in of])
        elif cubes:
            yield from cubes[0]

    def whole(self, measures: Sequence[Measure], baseline: str | None = None) -> PairCube:
        """Return scores and preferences by some measures, of all requests: see `parts`.

        With a ``baseline`` only the pairs that contain it.

        Raises
        ------
        LexiframeError
            For more preferences than fit in memory.
        """
        from lexiframe.core.pairwise.arrays.size import IN_ARRAYS, refuse_too_many

        n_measures = len({*measures, *needed.parts_of(measures)})
        shape = (len(self.runs), len(self.queries), n_measures)
        refuse_too_many("preferences", *shape, IN_ARRAYS, baseline=baseline)
        found = [*self.parts(measures, compared=baseline, most=_ALL, label="preferences")]
        return found[0] if found else no_requests(measures, self.runs)

    def part(self, measures: Sequence[Measure], baseline: str | None = None) -> PairCube:
        """Return scores and preferences by some measures, of all requests, as `whole` does.

        Raises
        ------
        LexiframeError
            As `whole`; for one run alone; and for a measure with a ``rel`` that no item reaches.
        """
        refuse_one_run("preferences", self.runs.to_list())
        for measure in needed.parts_of(measures):
            if measure not in self._components(measures):
                raise needed.no_item_of_grade(measure)
        return self.whole(measures, baseline)

    def scores(self, measures: Sequence[Measure]) -> ScoreCube:
        """Return the scores of the metrics among some measures."""
        by_subtopic = self._split_by_subtopics(self._metrics(measures))
        found = [self._values(p, some) for p, some in by_subtopic]
        metrics = [measure for measure in measures if isinstance(measure, Metric)]
        return ScoreCube.assemble(found, metrics, self.runs)

    def _components(self, measures: Sequence[Measure]) -> list[Measure]:
        """Return the measures that have something to count, compositions by their components."""
        there = [measure for measure in measures if measure in self.measures]
        parts = needed.parts_of(there)
        if {*parts} <= {*there}:
            return parts
        grades = self.positions["relevance"].drop_nulls()
        return [*_counting_measures(parts, grades, self.no_relevant)]

    def _metrics(self, measures: Sequence[Measure]) -> list[Metric]:
        """Return the metrics among some measures that have something to count."""
        return [m for m in measures if isinstance(m, Metric) and m in self.measures]

    def _values(self, p: pl.DataFrame, metrics: Sequence[Metric]) -> Values:
        if self.values is not None and {*metrics} <= {*self.values.metrics}:
            return self.values.part(metrics)
        ranked = self.ranked if self.ranked.judged.complete else None
        return values_of(p, metrics, self.no_relevant, ranked)

    def _split_by_subtopics(self, measures: Sequence[M]) -> Iterator[tuple[pl.DataFrame, list[M]]]:
        """Yield the positions without and with subtopics, with the measures that need them."""
        for p, of_subtopics in ((self.positions, False), (self.by_subtopic, True)):
            some = [m for m in measures if (m.needs == needed.SUBTOPICS) == of_subtopics]
            if p is not None and some:
                yield p, some


def _sorted_names(measures: Sequence[Measure]) -> pl.Series:
    return pl.Series(sorted(map(str, measures)), dtype=pl.String)


def unknown(measures: Sequence[Measure], runs: pl.Series, queries: pl.Series) -> PairCube:
    """Return arrays of some requests and runs without any value."""
    scores = ScoreCube.assemble([], [m for m in measures if isinstance(m, Metric)], runs, queries)
    return PairCube.unknown(_sorted_names(measures if len(runs) > 1 else []), scores)


def no_requests(measures: Sequence[Measure], runs: pl.Series) -> PairCube:
    """Return the arrays of no requests."""
    return unknown(measures, runs, pl.Series([], dtype=pl.String))


def measure_positions(
    p: pl.DataFrame, measures: Sequence[Measure], no_relevant: NoRelevant = "drop"
) -> PairCube:
    """Return the scores and preferences by some measures, of all requests of checked positions.

    One run alone is an error, and so is a measure with a ``rel`` that no item of any request
    reaches.
    """
    base = needed.parts_of(measures)
    metrics = [measure for measure in base if isinstance(measure, Metric)]
    values = [values_of(p, metrics, no_relevant)] if metrics else []
    runs = p["run"].unique().sort()
    scores = ScoreCube.assemble(values, metrics, runs)
    pairs: PairCube
    (pairs,) = preference_cubes(p, base, scores, no_relevant, most=_ALL)
    for measure, of_measure in zip(sorted(base, key=str), pairs.values, strict=True):
        if of_measure.size and np.isnan(of_measure).all():
            raise needed.no_item_of_grade(measure)
    pairs = pairs.with_scores(scores)
    return composed(pairs, measures)


def cube_of_tables(s: pl.DataFrame, d: pl.DataFrame) -> PairCube:
    """Return tables of scores and of preferences as one cube; either table may be empty."""
    from lexiframe.core.pairwise.arrays.cube import cube_of_table, score_cube

    none = pl.Series([], dtype=pl.String)
    scores = score_cube(s) if s.height else ScoreCube.none(none, none)
    pairs = cube_of_table(d) if d.height else PairCube.unknown(none, scores)
    both = (scores.queries, pairs.queries), (scores.runs, pairs.runs)
    axes = (pl.concat(names).unique().sort() for names in both)
    found = PairCube.unknown(pairs.measures, scores.arranged(*axes))
    found.fill(pairs)
    weights = pairs.weights if scores.weights is None else scores.weights
    return replace(found, weights=weights, scores=replace(found.scores, weights=weights))


def project_runs(
    runs: Any,
    qrels: Any,
    measures: Sequence[Measure],
    policies: Policies,
    baseline: str | None = None,
    **how: Any,
) -> Projected:
    """Rank runs (see `rank`) and find the positions for the measures; warn of dropped data.

    ``how`` has further arguments of `rank`. It raises LexiframeError, before runs are read, for
    more preferences than fit in memory.
    """

    def foresee(n_runs: int, judged: judgments.JudgedItems) -> None:
        refuse_many_pairs(n_runs, judged, measures, policies, baseline)

    ranked = rank(runs, qrels, measures, policies, **{"foresee": foresee, **how})
    answers.warn_of_gaps(ranked)
    needed.warn_of_lower_grades(measures, policies.rel, ranked.judged.items["relevance"])
    grades, count_any = ranked.judged.judgments["relevance"], needed.count_any_grade(measures)
    answers.warn_of_grades(grades, policies.rel, count_any=count_any)
    return projected_of(ranked, measures, policies.no_relevant)


def no_limit(n_runs: int, judged: judgments.JudgedItems) -> None:
    """Foresee that there is memory for all runs."""


def rank(
    runs: Any,
    qrels: Any,
    measures: Sequence[Measure],
    policies: Policies,
    *,
    hashed: bool = False,
    are_part: bool = False,
    replicates: bool = False,
    foresee: Callable[[int, judgments.JudgedItems], None] = no_limit,
) -> RankedRuns:
    """Rank the judged items in all runs, with the pool if a measure needs it.

    ``hashed`` asks for the sha256 of files and for fingerprints of the runs. A measure's ``rel``
    below the ``rel`` of the policies is an error, because positions do not contain lower grades.
    Where ties are expected, so is a measure without a closed form.
    ``foresee`` may raise before runs are read, and again when all are known, as one source may have
    several. ``are_part``: these are some of the requests.
    """
    needed.refuse_lower_rel(measures, policies.rel)
    needed.refuse_of_items(measures)
    if policies.ties == "expected":
        from lexiframe.core.metrics import refuse_without_form

        refuse_without_form(measures)
    has_pool = any(measure.needs == needed.POOL for measure in needed.parts_of(measures))
    marks = fingerprint_of(runs, policies) if hashed else None
    asked: dict[str, Any] = {"nonrelevant": True, "pool": has_pool, "hashed": hashed}
    asked |= {"foresee": foresee, "fingerprint": marks, "are_part": are_part}
    ranked = rank_runs(runs, qrels, policies, replicates=replicates, **asked)
    foresee(len(ranked.runs), ranked.judged)
    return ranked


def refuse_many_pairs(
    n_runs: int,
    judged: judgments.JudgedItems,
    measures: Sequence[Measure],
    policies: Policies,
    baseline: str | None = None,
    limit: int | None = None,
) -> None:
    """Raise when the preferences between all runs, or with a baseline, do not fit in memory.

    ``limit`` is the most memory in bytes.
    """
    from lexiframe.core.pairwise.arrays.size import IN_EVALUATION, refuse_too_many

    kept = judged.n_relevant > 0 if policies.no_relevant == "drop" else judged.n_relevant >= 0
    shape = (n_runs, int(kept.sum()), len({*measures, *needed.parts_of(measures)}))
    refuse_too_many("comparing runs", *shape, IN_EVALUATION, baseline=baseline, limit=limit)


def projected_of(
    ranked: RankedRuns, measures: Sequence[Measure], no_relevant: NoRelevant
) -> Projected:
    """Find the positions of ranked runs for the measures with a relevant item to count."""
    items = ranked.judged.items
    relevant = items["relevance"].filter(items["is_relevant"])
    # Positions have the same columns where nothing counts: those of other requests are added.
    pool = any(measure.needs == needed.POOL for measure in needed.parts_of(measures))
    measures = _counting_measures(measures, relevant, no_relevant)
    needs = {measure.needs for measure in needed.parts_of(measures)}
    by_subtopic = None
    if needed.SUBTOPICS in needs:
        by_subtopic = project(ranked, no_relevant=no_relevant, subtopics=True)
    positions = project(ranked, no_relevant=no_relevant, pool=pool)
    return Projected(ranked, measures, positions, by_subtopic, no_relevant)


def _counting_measures(
    measures: Sequence[Measure], relevant: pl.Series, no_relevant: NoRelevant
) -> tuple[Measure, ...]:
    """Return the measures that count some relevant item, by its grade; all, if none is dropped."""
    if no_relevant == "zero":
        return tuple(measures)
    greatest = float(relevant.max()) if len(relevant) else -np.inf  # type: ignore[arg-type]

    def counts(measure: Measure) -> bool:
        return any(m.rel is None or m.rel <= greatest for m in needed.parts_of([measure]))

    return tuple(measure for measure in measures if len(relevant) and counts(measure))
