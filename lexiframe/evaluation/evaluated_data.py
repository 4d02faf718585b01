"""What an evaluation was computed from, to be looked at again: `Origin`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from lexiframe.base import Problem, ReadError, memory_use
from lexiframe.evaluation.options import Asked
from lexiframe.io import qrel_files, run_scan, to_parquet
from lexiframe.metrics import needed
from lexiframe.pairwise import Measure, PairCube, arrays, fingerprints, measured, one_pair
from lexiframe.projection import Policies, RankedRuns, project

SHARE = 10
"""Positions are kept when they take at most 1 / SHARE of the memory that is available."""


@dataclass(frozen=True)
class Origin:
    """The runs and judgments of an evaluation, and the positions if there is memory for them.

    Attributes
    ----------
    runs, qrels
        As they were given: files are read again when they are needed, frames are kept.
    measures
        Those of the measures asked for that had something to count.
    asked
        All arguments of the evaluation other than the data.
    sources
        The files of runs and judgments with their sha256, as the provenance has them.
    marks
        The fingerprints; None while they are not asked for and follow from ``ranked``.
    kept
        The positions; None when they have to be computed again.
    ranked
        The ranks of the judged items in all runs; None when they have to be found again.
    whole
        The scores and preferences of all requests; None when they have to be computed again.
    """

    runs: Any
    qrels: Any
    measures: tuple[Measure, ...]
    asked: Asked
    sources: dict[str, list[dict[str, Any]]]
    marks: pl.DataFrame | None
    kept: pl.DataFrame | None = None
    ranked: RankedRuns | None = None
    whole: PairCube | None = None

    @classmethod
    def of(
        cls,
        projected: measured.Projected,
        runs: Any,
        qrels: Any,
        asked: Asked,
        sources: dict[str, list[dict[str, Any]]],
        whole: PairCube | None = None,
    ) -> Origin:
        """Keep what an evaluation needs to answer questions later, and to be added to."""
        measures, ranked = projected.measures, projected.ranked
        items, p, policies = ranked.judged, projected.positions, asked.policies
        needs_judged, ranks_kept = _needs(measures, needed.JUDGED), are_kept(projected)
        judged_each = items.items.height / max(int(items.is_relevant.sum()), 1)
        size = p.estimated_size() * (judged_each if needs_judged else 1)
        kept = None
        # Rows of all judged items take many times as much memory as the ranks that they are made
        # from: where these are kept, the rows are made when they are asked for.
        if not (needs_judged and ranks_kept) and _fits(size):
            if needs_judged:  # positions for the other measures have relevant items
                p = _positions(ranked, measures, policies)
            kept = _with_rel(p, policies)
        found = ranked if ranks_kept else None
        marks = None if ranks_kept else fingerprints.fingerprints(ranked, measures)
        return cls(runs, qrels, measures, asked, sources, marks, kept, found, whole)

    @cached_property
    def fingerprints(self) -> pl.DataFrame:
        """The table of measures, runs and judged requests, by which one knows what has changed."""
        if self.marks is not None:
            return self.marks
        return fingerprints.fingerprints(self.rank_again(), self.measures)

    @property
    def policies(self) -> Policies:
        """How positions were found."""
        return self.asked.policies

    def positions(self) -> pl.DataFrame:
        """Return the positions, computed again from the sources unless they were kept.

        Raises
        ------
        ReadError
            When a file has changed since the evaluation, or cannot be read.
        """
        if self.kept is not None:
            return self.kept
        return _with_rel(_positions(self.rank_again(), self.measures, self.policies), self.policies)

    @cached_property
    def part(self) -> PairCube:
        """The scores and preferences of all requests; they are computed only once.

        Raises
        ------
        ReadError
            As `positions`.
        LexiframeError
            For more preferences than fit in memory.
        """
        if self.whole is not None:
            return self.whole
        projected, measures = self._projected()
        return projected.whole(measures)

    def part_of_runs(self, names: Sequence[str]) -> PairCube:
        """Return the scores and preferences of some of the runs, or of all if these are known.

        Raises
        ------
        ReadError
            As `positions`.
        """
        if self._is_part_known:
            return self.part
        projected, measures = self._projected()
        return projected.restricted(measures, None, names).whole(measures)

    def in_blocks(self) -> tuple[arrays.ScoreCube, Iterable[PairCube]]:
        """Return the scores, and the preferences of some requests after the other.

        They are in the order of the requests' names, and are not kept: those of a thousand runs
        fill the memory of a computer. Raises as `positions`.
        """
        if self._is_part_known:
            return self.part.scores, [self.part]
        projected, measures = self._projected()
        scores = projected.scores(measures)
        return scores, projected.parts(measures, scores, in_order=True, label="preferences")

    @property
    def _is_part_known(self) -> bool:
        return self.whole is not None or "part" in vars(self)

    def _projected(self) -> tuple[measured.Projected, list[Measure]]:
        """Return the positions with what else the evaluation's measures need, and the measures."""
        ranked = self.rank_again()
        projected = measured.projected_of(ranked, self.measures, self.policies.no_relevant)
        return projected, self.asked.measures_of(projected.runs.to_list())

    def rank_again(self) -> RankedRuns:
        """Return the ranks of the judged items, found again in the sources unless they were kept.

        Raises
        ------
        ReadError
            As `positions`.
        """
        if self.ranked is not None:
            return self.ranked
        asked = self.measures, self.policies
        ranked = measured.rank(self.runs, self.qrels, *asked, hashed=True)
        self._refuse_changed("runs", to_parquet.sources_of_origin(self.runs, ranked.read))
        self._refuse_changed(
            "qrels", qrel_files.sources_of_qrels(self.qrels, sha256=ranked.judged.sha256)
        )
        return ranked

    def levels(self, pair: tuple[str, str], measures: Sequence[str]) -> pl.DataFrame:
        """Return the levels that decide the lexicographic ones among some measures: `levels_of`.

        Positions are computed only if there are such measures.
        """
        some = one_pair.lexicographic(
            [measure for measure in self.measures if str(measure) in measures]
        )
        return (
            one_pair.levels_of(self.positions(), pair, some, self.policies.no_relevant)
            if some
            else one_pair.NO_LEVELS
        )

    def collection(self) -> tuple[Any, Any]:
        """Return the runs and judgments as they were given.

        Raises
        ------
        ReadError
            When a file has changed since the evaluation, or cannot be read.
        """
        # a fresh scan: the times of files matter to the old one, here only their bytes do
        scan = self.runs
        scan = replace(scan, stamps={}) if isinstance(scan, run_scan.RunScan) else scan
        self._refuse_changed("runs", to_parquet.sources_of_origin(scan))
        self._refuse_changed("qrels", qrel_files.sources_of_qrels(self.qrels))
        return scan, self.qrels

    def _refuse_changed(self, which: str, now: Sequence[Mapping[str, Any]]) -> None:
        """Raise when a file has other bytes than it had; frames have no sha256 to compare."""
        before = {fact["path"]: fact["sha256"] for fact in self.sources[which]}
        changed = {fact["path"]: fact["sha256"] for fact in now}
        changed = {path: hash for path, hash in changed.items() if before.get(path) != hash}
        if changed:
            path, found = next(iter(sorted(changed.items())))
            others = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            expected = f"the bytes that were evaluated (sha256 {_short(before.get(path))})"
            advice = "evaluate again, or put the file back"
            raise ReadError(
                Problem(path, expected, f"others (sha256 {_short(found)}){others}", advice)
            )


def are_kept(projected: measured.Projected) -> bool:
    """Return whether there is memory for the ranks, and all that is computed follows from them."""
    ranked = projected.ranked
    size = ranked.judged.items.estimated_size() + sum(run.rank.nbytes for run in ranked.runs)
    return _fits(size) and not _needs(projected.measures, needed.POOL)


def _fits(size: float) -> bool:
    """Return whether this many bytes are a small share of the memory that is available."""
    there = memory_use.available()
    return there is None or size * SHARE <= there


def _short(sha256: str | None) -> str:
    return f"{sha256[:12]}…" if sha256 else "not known"


def _needs(measures: Sequence[Measure], what: str) -> bool:
    return any(measure.needs == what for measure in measures)


def _positions(ranked: RankedRuns, measures: Sequence[Measure], policies: Policies) -> pl.DataFrame:
    """Make the positions that the measures can be computed from; none are by subtopic."""
    is_judged, has_pool = _needs(measures, needed.JUDGED), _needs(measures, needed.POOL)
    return project(ranked, no_relevant=policies.no_relevant, judged=is_judged, pool=has_pool)


def _with_rel(p: pl.DataFrame, policies: Policies) -> pl.DataFrame:
    """Add the least relevant grade, by which `scores` knows which grades are there."""
    return p if policies.rel is None else p.with_columns(rel=pl.lit(float(policies.rel)))
