"""What is known of some requests after their evaluation, and adds up: `BucketResult`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from lexiframe.base import sums
from lexiframe.evaluation.buckets.codec import decoded, encoded
from lexiframe.evaluation.buckets.plan import Plan
from lexiframe.metrics import coverages
from lexiframe.pairwise import PairCube, arrays


@dataclass(frozen=True)
class Attributed:
    """How many requests have attributes, how many have none, and the first three of these."""

    n: int = 0
    lacking: int = 0
    first: tuple[str, ...] = ()

    @classmethod
    def of(cls, queries: pl.Series, known: pl.Series) -> Attributed:
        """Count the requests that are ``known`` to have attributes, and the others."""
        others = queries.filter(~queries.is_in(known.implode())).sort()
        return cls(len(queries) - len(others), len(others), tuple(others.head(3)))

    def __add__(self, other: Attributed) -> Attributed:
        """Return the counts of the requests of both."""
        first = tuple(sorted(self.first + other.first)[:3])
        return Attributed(self.n + other.n, self.lacking + other.lacking, first)


_PARTS = (
    Attributed,
    coverages.CoverageSums,
    sums.ExactSums,
    sums.Moments,
    arrays.PairSums,
    arrays.Reduced,
    arrays.RunSums,
)
"""What a result consists of."""


@dataclass(frozen=True)
class BucketResult:
    """The sums of some requests.

    Attributes
    ----------
    reduced, coverage
        The sums from which all tables are made.
    attributed
        Which requests have the attributes that form groups.
    repairs
        Counts of what was left out, by their descriptions.
    greatest
        The greatest grade; None without judgments.
    found, answered
        Whether any run retrieved a judged item, and answered a judged request.
    strangers
        A warning that no retrieved document is judged, which holds if that is so in all buckets.
    warnings
        Other warnings, each with the number of buckets that it came from.
    """

    reduced: arrays.Reduced
    coverage: coverages.CoverageSums
    attributed: Attributed = field(default_factory=Attributed)
    repairs: Mapping[str, int] = field(default_factory=dict)
    greatest: float | None = None
    found: bool = False
    answered: bool = False
    strangers: str = ""
    warnings: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: BucketResult) -> BucketResult:
        """Return the sums of the requests of both."""
        return BucketResult(
            self.reduced + other.reduced,
            self.coverage + other.coverage,
            self.attributed + other.attributed,
            _added(self.repairs, other.repairs),
            max((g for g in (self.greatest, other.greatest) if g is not None), default=None),
            self.found or other.found,
            self.answered or other.answered,
            min(filter(None, (self.strangers, other.strangers)), default=""),
            _added(self.warnings, other.warnings),
        )

    def with_warnings(self, said: Sequence[str]) -> BucketResult:
        """Return the result with the warnings of one bucket."""
        return replace(self, warnings=dict.fromkeys(said, 1))

    def with_extra(self, extra: Sequence[int]) -> BucketResult:
        """Return the result with the number of unjudged requests that each run answered."""
        counts = self.coverage.counts.with_columns(extra=pl.Series(extra, dtype=pl.Int64))
        return replace(self, coverage=replace(self.coverage, counts=counts))

    def to_bytes(self) -> bytes:
        """Return the result as bytes, for `from_bytes` of the same version of the library."""
        return encoded(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> BucketResult:
        """Return the result from what `to_bytes` made; raise for other bytes, and run nothing."""
        found: BucketResult = decoded(data, (*_PARTS, cls))
        return found


def nothing(plan: Plan) -> BucketResult:
    """Return the result of no requests, to which those of buckets are added."""
    runs = pl.Series([*plan.runs], dtype=pl.String)
    queries = pl.Series([], dtype=pl.String)
    cube, scores = None, None
    if plan.compared:
        a, b = np.triu_indices(len(runs), k=1)
        names = pl.Series([str(measure) for measure in plan.compared])
        cube = PairCube(names, queries, runs, a, b, np.empty((len(names), 0, len(a))))
    if plan.metrics:
        names = pl.Series([str(metric) for metric in plan.metrics])
        smaller = np.array([metric.smaller_is_better for metric in plan.metrics])
        values = np.empty((len(names), 0, len(runs)))
        scores = arrays.ScoreCube(names, queries, runs, values, smaller, np.zeros(len(names), bool))
    return BucketResult(arrays.reduced(cube, scores, runs), coverages.no_coverage(plan.runs))


def _added(some: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return {name: some.get(name, 0) + others.get(name, 0) for name in {**some, **others}}
