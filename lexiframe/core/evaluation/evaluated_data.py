"""The data behind an evaluation, to be read again: `Origin`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, ReadError, memory_use
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.io import data_sources, qrel_files, run_scan
from lexiframe.core.metrics import needed
from lexiframe.core.pairwise import Measure, fingerprints, measured
from lexiframe.core.projection import Policies, RankedRuns, project

SHARE = 10
"""Ranks and positions are kept when they take at most 1 / SHARE of the memory available."""


@dataclass(frozen=True)
class Origin:
    """The runs and judgments of an evaluation, and the ranks if there is memory for them.

    Attributes
    ----------
    runs, qrels
        As they were found: files are read again when they are needed, frames are kept.
    measures
        Those of the measures asked for that had something to count.
    asked
        All arguments of the evaluation other than the data.
    sources
        The files of runs and judgments with their sha256, as the provenance has them.
    marks
        The fingerprints; None while they are not asked for and follow from ``ranked``.
    ranked
        The ranks of the judged items in all runs; None when they have to be found again.
    """

    runs: run_scan.RunScan
    qrels: Any
    measures: tuple[Measure, ...]
    asked: Asked
    sources: dict[str, list[dict[str, Any]]]
    marks: pl.DataFrame | None
    ranked: RankedRuns | None = None
    _kept: list[pl.DataFrame] = field(default_factory=list, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"qrels": data_sources.kept_apart(self.qrels)}

    @cached_property
    def fingerprints(self) -> pl.DataFrame:
        """The fingerprints of measures, runs and judged requests, which show changes."""
        if self.marks is not None:
            return self.marks
        return fingerprints.fingerprints(self.rank_again(), self.measures)

    @property
    def policies(self) -> Policies:
        """How positions were found."""
        return self.asked.policies

    def positions(self) -> pl.DataFrame:
        """Return the positions that the measures can be computed from; none are by subtopic.

        They are kept for the next time if there is memory for them.

        Raises
        ------
        ReadError
            When a file has changed since the evaluation, or cannot be read.
        """
        if self._kept:
            return self._kept[0]
        needs, policies = {m.needs for m in needed.parts_of(self.measures)}, self.policies
        asked = {"judged": needed.JUDGED in needs, "pool": needed.POOL in needs}
        p = project(self.rank_again(), no_relevant=policies.no_relevant, **asked)
        if policies.rel is not None:  # by which `scores` knows which grades are there
            p = p.with_columns(rel=pl.lit(float(policies.rel)))
        if _fits(p.estimated_size()):
            self._kept.append(p)
        return p

    def add_chances(self, d: pl.DataFrame) -> pl.DataFrame:
        """Return preferences with the chances over tied orders that either run is better."""
        from lexiframe.core.evaluation import tied_chances

        p, how = self.positions(), self.policies.no_relevant
        return tied_chances.add_chances(d, p, self.measures, how)

    def projected(self) -> tuple[measured.Projected, list[Measure]]:
        """Return the positions with all that the evaluation's measures need, and the measures.

        Raises
        ------
        ReadError
            As `positions`.
        """
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
        self.collection()  # first: errors and warnings of a reader quote what they read
        asked = self.measures, self.policies
        ranked = measured.rank(self.runs, self.qrels, *asked, hashed=True)
        self._refuse_changed("runs", self.runs.provenance(ranked.read))
        self._refuse_changed(
            "qrels", qrel_files.sources_of_qrels(self.qrels, sha256=ranked.judged.sha256)
        )
        return ranked

    def levels(self, pair: tuple[str, str], measures: Sequence[str]) -> pl.DataFrame:
        """Return the levels that decide the lexicographic ones among some measures: `levels_of`.

        Positions are computed only if there are such measures.
        """
        from lexiframe.core.pairwise import one_pair

        known = [] if self.policies.ties == "expected" else self.measures  # by chance, each level
        some = one_pair.lexicographic([measure for measure in known if str(measure) in measures])
        return (
            one_pair.levels_of(self.positions(), pair, some, self.policies.no_relevant)
            if some
            else one_pair.NO_LEVELS
        )

    def collection(self) -> tuple[Any, Any]:
        """Return the runs and judgments in the user's form.

        Raises
        ------
        ReadError
            When a file has changed since the evaluation, or cannot be read.
        """
        # a fresh scan: the times of files matter to the old one, here only their bytes do
        scan = replace(self.runs, stamps={})
        self._refuse_changed("runs", scan.provenance())
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


def are_kept(ranked: RankedRuns) -> bool:
    """Return whether there is memory for the ranks, and the documents if there is a pool."""
    pools = [run.pool for run in ranked.runs if run.pool is not None]
    tables = [ranked.judged.items, *pools]
    size = sum(table.estimated_size() for table in tables)
    return _fits(size + sum(run.rank.nbytes for run in ranked.runs))


def _fits(size: float) -> bool:
    """Return whether this many bytes are a small share of the memory that is available."""
    there = memory_use.available()
    return there is None or size * SHARE <= there


def _short(sha256: str | None) -> str:
    return f"{sha256[:12]}…" if sha256 else "not known"
