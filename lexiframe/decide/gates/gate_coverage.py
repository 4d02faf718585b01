"""The evidence of a gate's two runs: the answered requests, and the judged documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, ReadError, schemas, warn
from lexiframe.core.io import run_scan
from lexiframe.core.pairwise import Measure, PairCube, arrays, measured
from lexiframe.core.projection import Policies, RankedRuns, answers
from lexiframe.decide.gates.gate_evidence import (
    GateMissing,
    is_answered,
    refuse_missing_rankings,
    refuse_other_collection,
)

COVERAGE_OF_BOTH = (
    "requests",
    "baseline_answered",
    "candidate_answered",
    "baseline_judged_at_10",
    "candidate_judged_at_10",
)
"""The columns that are added to a gate."""


@dataclass(frozen=True)
class RankedPairs:
    """The differences of runs, and the facts of the rankings that they come from.

    Attributes
    ----------
    pairs
        The differences, or their sums over the requests; or scores with replicates.
    counts
        For each run, how many judged requests there are, how many it answers and how many are
        missing, and how many of its documents are judged: of `counts_of`, or `coverage`.
    ranked
        The ranks of all judged items; None where the rankings are gone.
    policies
        How the runs were ranked.
    found
        A function that returns the runs, to be read again as they were; None where they are gone.
    catalogue
        The differences by measures of all lists, if there are some.
    """

    pairs: PairCube | arrays.Reduced | pl.DataFrame
    counts: pl.DataFrame
    ranked: RankedRuns | None
    policies: Policies = field(default_factory=Policies)
    found: Callable[[], run_scan.RunScan] | None = None
    catalogue: pl.DataFrame | None = None

    @classmethod
    def of_projected(
        cls,
        projected: measured.Projected,
        measures: Sequence[Measure],
        scan: run_scan.RunScan,
        policies: Policies,
    ) -> RankedPairs:
        """Return the differences by some measures of runs that were found in a scan and ranked."""
        ranked = projected.ranked
        counts = answers.counts_of(ranked)
        return cls(projected.part(measures), counts, ranked, policies, lambda: scan)

    @classmethod
    def of_evaluation(cls, e: Any) -> RankedPairs | pl.DataFrame:
        """Return a gate's input from an evaluation: differences, or scores without rankings.

        The rankings of runs are found again where their files are there. A `Catalogue` has no
        values of requests.
        """
        if not hasattr(e, "provenance"):
            pairs = measured.no_requests([], e.values["run"].unique().sort())
            counts = pl.DataFrame(schema=schemas.COVERAGE.columns)
            return cls(pairs, counts, None, catalogue=e.pair_differences())
        if "policies" not in e.provenance:
            scores: pl.DataFrame = e.scores
            return scores
        if e.replicated is not None:
            return cls.of_replicates(e.replicated, e.coverage)
        pairs, _ = e.table_for("pairs")
        of_all = None if e.catalogue is None else e.catalogue.pair_differences()
        if not e.has_rankings:
            return cls(pairs, e.coverage, None, catalogue=of_all)
        origin = e.origin("gate")
        try:
            ranked = origin.rank_again()
        except ReadError as error:
            warn(f"gate: without the coverage of rankings, which cannot be read again: {error}")
            ranked = None
        return cls(
            pairs, e.coverage, ranked, origin.policies, lambda: origin.collection()[0], of_all
        )

    @classmethod
    def of_replicates(cls, s: pl.DataFrame, counts: pl.DataFrame) -> RankedPairs:
        """Return scores with replicates, and the counts of all rankings of each run together."""
        together = counts.group_by("run", maintain_order=True).agg(
            pl.col("requests", "answered", "missing", "judged").sum()
        )
        return cls(s, together, None)

    def lacks(self, runs: Sequence[str]) -> bool:
        """Return whether some of the runs lack rankings of judged requests."""
        return bool(self.counts.filter(pl.col("run").is_in([*runs]))["missing"].sum())

    def answers(
        self, baseline: str, candidates: Sequence[str], missing: GateMissing
    ) -> dict[str, pl.DataFrame]:
        """Return the answers of baseline and candidate, by candidate, if the rankings are known.

        Raise where there is no evidence.
        """
        asked = self.counts.filter(pl.col("run").is_in([baseline, *candidates]))
        refuse_other_collection(asked)
        refuse_missing_rankings(asked, missing)
        if self.ranked is not None:
            return {name: answers_of(self.ranked, baseline, name) for name in candidates}
        if missing == "drop" and self.lacks([baseline, *candidates]):
            raise LexiframeError(
                "gate: missing='drop' needs the rankings, to know the requests that both runs "
                "answer, and they are not known here; evaluate the runs again in memory"
            )
        return {}


def answers_of(ranked: RankedRuns, baseline: str, candidate: str) -> pl.DataFrame:
    """Return for each judged request the answers of two runs; all judged items are ranked.

    For each of them there are ``_answered``, ``_first`` (the number of documents among the first
    ten) and ``_judged`` of them.
    """
    is_judged, query, n = ranked.judged.is_judged, ranked.judged.query, len(ranked.judged.queries)
    columns: dict[str, Any] = {"query_id": ranked.judged.queries}
    for role, name in (("baseline", baseline), ("candidate", candidate)):
        run = next(run for run in ranked.runs if run.name == name)
        judged = is_judged & (run.rank != 0) & (run.rank <= answers.FIRST)
        columns |= {
            f"{role}_answered": run.answered,
            f"{role}_first": np.minimum(run.retrieved, answers.FIRST),
            f"{role}_judged": np.bincount(query[judged], minlength=n),
        }
    return pl.DataFrame(columns)


def both_answered(pairs: PairCube, answers: pl.DataFrame) -> PairCube:
    """Return the differences in the requests that both runs answer."""
    both = answers.filter("baseline_answered", "candidate_answered")["query_id"]
    return pairs.select_queries(pairs.queries.is_in(both.implode()).to_numpy())


def add_coverage(
    tested: pl.DataFrame, part: Any, answers: pl.DataFrame | None, baseline: str, candidate: str
) -> pl.DataFrame:
    """Add to the rows of a group the answers of both runs; null where the table lacks them.

    Preferences have no row for a request that one of the runs lacks, so they lack them.
    """
    if answers is not None:
        there = answers.filter(pl.col("query_id").is_in(part.queries.implode()))
        return tested.join(_coverage_columns(there), how="cross")
    if isinstance(part, pl.DataFrame) and arrays.is_scores(part):
        return tested.join(_answered_counts(part, baseline, candidate), on="measure", how="left")
    unknown = {name: pl.Float64() if "_at_" in name else pl.Int64() for name in COVERAGE_OF_BOTH}
    return tested.with_columns(pl.lit(None, kind).alias(name) for name, kind in unknown.items())


def _coverage_columns(answers: pl.DataFrame) -> pl.DataFrame:
    counts = [pl.len().cast(pl.Int64).alias("requests")]
    for role in ("baseline", "candidate"):
        first, judged = (pl.col(f"{role}_{name}").sum() for name in ("first", "judged"))
        counts += [
            pl.col(f"{role}_answered").sum().cast(pl.Int64),
            pl.when(first > 0).then(judged / first).alias(f"{role}_judged_at_10"),
        ]
    return answers.select(counts).select(COVERAGE_OF_BOTH)


def _answered_counts(s: pl.DataFrame, baseline: str, candidate: str) -> pl.DataFrame:
    run, query = pl.col("run").cast(pl.String), pl.col("query_id")
    return (
        s.group_by(pl.col("measure").cast(pl.String))
        .agg(
            requests=query.n_unique().cast(pl.Int64),
            baseline_answered=query.filter(is_answered(s), run == baseline)
            .n_unique()
            .cast(pl.Int64),
            candidate_answered=query.filter(is_answered(s), run == candidate)
            .n_unique()
            .cast(pl.Int64),
        )
        .with_columns(
            baseline_judged_at_10=pl.lit(None, pl.Float64),
            candidate_judged_at_10=pl.lit(None, pl.Float64),
        )
    )
