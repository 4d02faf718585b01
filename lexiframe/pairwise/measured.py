"""From files to scores and preferences: the steps that `evaluate` and the command line share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import polars as pl

from lexiframe.base import schemas
from lexiframe.io import data_sources, qrel_files, run_scan, scan_runs
from lexiframe.metrics import Metric, Values, needed, values_of
from lexiframe.pairwise.arrays.size import IN_EVALUATION, refuse_too_many
from lexiframe.pairwise.fingerprints import fingerprint_of
from lexiframe.pairwise.pairs import Measure, compare_pairs
from lexiframe.projection import (
    NoRelevant,
    Policies,
    RankedRuns,
    answers,
    joined,
    judgments,
    project,
    rank_runs,
)

M = TypeVar("M", bound=Measure)


@dataclass(frozen=True)
class Projected:
    """Ranked runs, and their positions for some measures.

    ``runs`` and ``qrels`` are the sources: a scan or a table of runs, and a file or data of
    judgments. ``positions`` are for all measures that need no subtopics, and ``by_subtopic``, which
    is None when no measure needs it, for the others.
    """

    runs: Any
    qrels: Any
    ranked: RankedRuns
    measures: tuple[Measure, ...]
    positions: pl.DataFrame
    by_subtopic: pl.DataFrame | None
    no_relevant: NoRelevant

    def restricted(self, queries: pl.Series | None, runs: Sequence[str] | None) -> Projected:
        """Return the positions of some requests in some runs; None stands for all of them."""
        wanted = [("query_id", queries), ("run", None if runs is None else pl.Series(runs))]
        kept = [pl.col(name).is_in(some.implode()) for name, some in wanted if some is not None]
        ranked, by_subtopic = self.ranked, self.by_subtopic
        if runs is not None:
            some_runs = [run for run in ranked.runs if run.name in {*runs}]
            ranked = replace(ranked, runs=some_runs)
        return replace(
            self,
            ranked=ranked,
            positions=self.positions.filter(*kept),
            by_subtopic=None if by_subtopic is None else by_subtopic.filter(*kept),
        )

    def scores(self, metrics: Sequence[Metric]) -> pl.DataFrame:
        """Return the scores of some of the metrics; the table is empty if there are none."""
        tables = [
            values.of(some).table()
            for values in self.values
            if (some := [metric for metric in metrics if metric in values.metrics])
        ]
        return _together(tables, schemas.SCORES)

    def preferences(
        self, measures: Sequence[Measure], baseline: str | Collection[str] | None = None
    ) -> pl.DataFrame:
        """Return the preferences of some of the measures; the table is empty if there are none.

        With a ``baseline``, one run or several, only the pairs that contain one of them.
        """
        tables = []
        for p, some, values in self.valued_parts(measures):
            tables.append(compare_pairs(p, some, values, self.no_relevant, baseline=baseline))
        return _together(tables, schemas.PREFERENCES)

    @cached_property
    def values(self) -> list[Values]:
        """The values of all metrics, computed once for both scores and preferences."""
        metrics = [measure for measure in self.measures if isinstance(measure, Metric)]
        return [
            values_of(p, some, self.no_relevant, self.ranked) for p, some in self.parts(metrics)
        ]

    def valued_parts(
        self, measures: Sequence[Measure]
    ) -> Iterator[tuple[pl.DataFrame, list[Measure], Values | None]]:
        """Yield the positions without and with subtopics, with their measures and their values."""
        for p, some in self.parts(measures):
            metrics = [measure for measure in some if isinstance(measure, Metric)]
            values = next((v for v in self.values if {*metrics} <= {*v.metrics}), None)
            yield p, some, values

    def parts(self, measures: Sequence[M]) -> Iterator[tuple[pl.DataFrame, list[M]]]:
        """Yield the positions without and with subtopics, with the measures that need them."""
        for p, of_subtopics in ((self.positions, False), (self.by_subtopic, True)):
            some = [m for m in measures if (m.needs == needed.SUBTOPICS) == of_subtopics]
            if p is not None and some:
                yield p, some


def project_runs(
    runs: Any,
    qrels: Any,
    measures: Sequence[Measure],
    policies: Policies,
    *,
    hashed: bool = False,
    baseline: str | None = None,
    limit: int | None = None,
    ranked_before: RankedBefore | None = None,
) -> Projected:
    """Rank runs and find the positions that measures need; warn of what was dropped or filled.

    ``hashed`` asks for the sha256 of files and for fingerprints of the runs; ``baseline`` is the
    run that the others will be compared with, instead of all pairs. A measure's ``rel`` below that
    of the policies is an error, because positions do not contain lower grades; so are, before runs
    are read, more preferences than fit in memory, or in ``limit`` bytes of it. ``ranked_before``
    returns the ranks in some of the files, with the indices of these files, which are then not
    read.
    """
    needed.refuse_lower_rel(measures, policies.rel)
    if not (isinstance(runs, run_scan.RunScan) or hasattr(runs, "__arrow_c_stream__")):
        runs = scan_runs(runs)
    qrels = qrel_files.file_or_data(
        qrels
    )  # once: standard input cannot be read again for its sha256
    needs = {measure.needs for measure in measures}
    has_pool = needed.POOL in needs

    def foresee(n_runs: int, judged: judgments.JudgedItems) -> None:
        refuse_many_pairs(n_runs, judged, measures, policies, baseline, limit)

    asked: dict[str, Any] = {"nonrelevant": True, "pool": has_pool, "hashed": hashed}
    marks = fingerprint_of(runs, policies) if hashed else None
    asked |= {"foresee": foresee, "fingerprint": marks}
    if ranked_before is None or has_pool:  # the pool has the documents of all runs
        ranked = rank_runs(runs, qrels, policies, **asked)
    else:
        scan = runs if isinstance(runs, run_scan.RunScan) else scan_runs(runs)
        ranked = _rank_others(scan, qrels, policies, ranked_before, asked)
    foresee(len(ranked.runs), ranked.judged)  # again, as one source may have had several runs
    return projected_of(runs, qrels, ranked, measures, policies)


RankedBefore = Callable[[run_scan.RunScan, judgments.JudgedItems], tuple[RankedRuns, list[int]]]


def _rank_others(
    scan: run_scan.RunScan,
    qrels: Any,
    policies: Policies,
    before: RankedBefore,
    asked: dict[str, Any],
) -> RankedRuns:
    """Rank the runs that are not known from before, and join them with those that are."""
    judged = judgments.judged_items(qrels, policies, nonrelevant=True, hashed=True)
    known, same = before(scan, judged)
    others = [index for index in range(len(scan)) if index not in {*same}]
    if not others:
        return known
    asked["are_part"] = bool(same)
    found = rank_runs(scan.only(others) if same else scan, judged, policies, **asked)
    ranked = joined(known, found)
    read = dict(zip([*same, *others], ranked.read, strict=True))
    data_sources.refuse_twins((run.name, run.name) for run in ranked.runs)
    return replace(ranked, read=[read[index] for index in range(len(scan))])


def refuse_many_pairs(
    n_runs: int,
    judged: judgments.JudgedItems,
    measures: Sequence[Measure],
    policies: Policies,
    baseline: str | None = None,
    limit: int | None = None,
) -> None:
    """Raise when the preferences between all runs, or with a baseline, do not fit in memory."""
    kept = judged.n_relevant > 0 if policies.no_relevant == "drop" else judged.n_relevant >= 0
    shape = (n_runs, int(kept.sum()), len(measures))
    refuse_too_many("comparing runs", *shape, IN_EVALUATION, baseline=baseline, limit=limit)


def projected_of(
    runs: Any, qrels: Any, ranked: RankedRuns, measures: Sequence[Measure], policies: Policies
) -> Projected:
    """Find the positions that measures need in ranked runs; warn of what was dropped or filled."""
    answers.warn_of_gaps(ranked)
    needed.warn_of_lower_grades(measures, policies.rel, ranked.judged.items["relevance"])
    return projected_again(runs, qrels, ranked, measures, policies)


def projected_again(
    runs: Any, qrels: Any, ranked: RankedRuns, measures: Sequence[Measure], policies: Policies
) -> Projected:
    """Find the positions that measures need in ranked runs, of which all has been said."""
    kept, needs = policies.no_relevant, {measure.needs for measure in measures}
    by_subtopic = (
        project(ranked, no_relevant=kept, subtopics=True) if needed.SUBTOPICS in needs else None
    )
    positions = project(ranked, no_relevant=kept, pool=needed.POOL in needs)
    return Projected(runs, qrels, ranked, tuple(measures), positions, by_subtopic, kept)


def _together(tables: list[pl.DataFrame], schema: schemas.TableSchema) -> pl.DataFrame:
    """Join tables of the same schema; the table is empty if there are none."""
    if len(tables) == 1:
        return tables[0]
    if not tables:
        return pl.DataFrame(schema=schema.required)
    return pl.concat(tables, how="diagonal").sort(schema.key)
