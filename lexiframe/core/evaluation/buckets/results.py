"""The sums of evaluated requests, which add up: `BucketResult`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import polars as pl

from lexiframe.core.base import sums
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.evaluation.buckets.sample import Sample
from lexiframe.core.io import doubts
from lexiframe.core.metrics import coverages
from lexiframe.core.pairwise import PairCube, arrays, grouping, measured
from lexiframe.core.projection import answers


@dataclass(frozen=True)
class Attributed:
    """How many requests have attributes, how many have none, and the first three of these."""

    n: int = 0
    lacking: int = 0
    first: tuple[str, ...] = ()

    @classmethod
    def count(cls, plan: Plan, part: PairCube) -> Attributed:
        """Count the requests of a part, if requests have attributes."""
        if plan.requests is None:
            return cls()
        queries, known = part.queries, plan.requests["query_id"]
        others = queries.filter(~queries.is_in(known.implode())).sort()
        return cls(len(queries) - len(others), len(others), tuple(others.head(3)))

    def __add__(self, other: Attributed) -> Attributed:
        """Return the counts of the requests of both."""
        first = tuple(sorted(self.first + other.first)[:3])
        return Attributed(self.n + other.n, self.lacking + other.lacking, first)


@dataclass(frozen=True)
class Said:
    """The facts for warnings about a bucket, given once all buckets are evaluated.

    Attributes
    ----------
    repairs
        Counts of what was left out, by their descriptions.
    least, greatest
        The least and the greatest grade; None without judgments.
    against
        For each run that has ranks, how many of its rows have scores that contradict them.
    found, answered
        Whether any run retrieved a judged item, and answered a judged request.
    strangers
        A warning that no retrieved document is judged, which holds if that is so in all buckets.
    unmatched
        Runs that have other ids than the judgments.
    doubts
        What grades may be instead, as the bucket's grades show it.
    warnings
        Other warnings.
    """

    repairs: Mapping[str, int] = field(default_factory=dict)
    least: float | None = None
    greatest: float | None = None
    against: Mapping[str, doubts.Against] = field(default_factory=dict)
    found: bool = False
    answered: bool = False
    strangers: str = ""
    unmatched: answers.Unmatched = field(default_factory=answers.Unmatched)
    doubts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def note(cls, plan: Plan, bucket: measured.Projected) -> Said:
        """Note the facts for warnings about a bucket that has judgments."""
        ranked, grades = bucket.ranked, bucket.ranked.judged.judgments["relevance"]
        return cls(
            answers.repairs_of(ranked),
            least=float(grades.min()),  # type: ignore[arg-type]
            greatest=float(grades.max()),  # type: ignore[arg-type]
            against=ranked.against,
            found=any(bool(run.rank.any()) for run in ranked.runs),
            answered=any(bool(run.answered.any()) for run in ranked.runs),
            strangers=answers.strangers_in_words(ranked),
            unmatched=answers.Unmatched.look(ranked),
            doubts=tuple(doubts.doubts_of_grades(grades)),
        )

    def __add__(self, other: Said) -> Said:
        """Join the facts for warnings of two parts."""
        against = dict(self.against)
        for run, of_run in other.against.items():
            against[run] = against[run] + of_run if run in against else of_run
        names = dict.fromkeys([*self.repairs, *other.repairs])
        return Said(
            {name: self.repairs.get(name, 0) + other.repairs.get(name, 0) for name in names},
            min((g for g in (self.least, other.least) if g is not None), default=None),
            max((g for g in (self.greatest, other.greatest) if g is not None), default=None),
            against,
            self.found or other.found,
            self.answered or other.answered,
            min(filter(None, (self.strangers, other.strangers)), default=""),
            self.unmatched + other.unmatched,
            min(filter(None, (self.doubts, other.doubts)), default=()),
            tuple(dict.fromkeys(self.warnings + other.warnings)),
        )


@dataclass(frozen=True)
class Totals:
    """Matrices, most of whose cells are 0, that a feature sums up over requests, by name.

    Each has its values, their columns, where rows begin, and its shape, as `scipy.sparse` has them.
    """

    parts: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, matrices: Mapping[str, Any]) -> Totals:
        """Return the parts of matrices."""
        return cls({n: (m.data, m.indices, m.indptr, m.shape) for n, m in matrices.items()})

    def matrices(self) -> dict[str, Any]:
        """Return the matrices."""
        from scipy import sparse  # it takes its time, and few evaluations need it

        return {n: sparse.csr_array(p[:3], shape=p[3]) for n, p in self.parts.items()}

    def __add__(self, other: Totals) -> Totals:
        """Return the sums of both."""
        if not (self.parts and other.parts):
            return self if self.parts else other
        both = other.matrices()
        return Totals.of({n: one + both[n] for n, one in self.matrices().items()})


def sums_of(
    part: PairCube,
    attributes: pl.DataFrame | None,
    by: Sequence[str],
    few: int = 0,
    reduced: Callable[..., arrays.Reduced] = arrays.reduced,
) -> arrays.Reduced:
    """Sum up requests, as a whole or as the sum of their groups by attributes.

    Up to ``few`` requests, in all or in a group, single preferences are kept.
    """
    if attributes is None or not len(part.queries):
        return reduced(part, few)
    parts = grouping.parts_of(part, attributes, by)
    groups = tuple((group, reduced(some, few)) for group, some in parts)
    if part.weights is not None:  # sums by weights do not add up
        return replace(reduced(part, few), groups=groups)
    return replace(reduce(add, (found for _, found in groups)), groups=groups)


def _sums_of(plan: Plan, part: PairCube) -> arrays.Reduced:
    attributes = plan.attributes(part.queries.to_list()) if plan.by else None
    reduced = _agreement_alone if plan.weighs else arrays.reduced
    return sums_of(part, attributes, plan.by, plan.few, reduced)


def _agreement_alone(part: PairCube, _few: int) -> arrays.Reduced:
    """Return the counts that have no weights: sums by weights need all requests."""
    return replace(arrays.reduced(part.select_measures([])), agreement=part.agreement)


def _coverage_of(plan: Plan, bucket: measured.Projected) -> coverages.CoverageSums:
    """Count and score the runs whose coverage is unknown."""
    metrics, known = coverages.bounded(plan.measures), bucket.covered
    wanted = coverages.columns_of(coverages.columns_of_bounds(metrics), **_is_expected(plan))
    if known is None or not {*wanted} <= {*known.columns}:
        new, values, known = bucket, bucket.values, None
    else:
        others = [name for name in bucket.runs if name not in known["run"]]
        new, values, known = bucket.restricted([], None, others), None, known.select(wanted)
    given = new.ranked, new.positions, metrics, values, bucket.no_relevant
    return replace(coverages.coverage_sums(*given), known=known)


def _one_order(plan: Plan, bucket: measured.Projected | None = None) -> Any:
    """Sum up the scores of one order of equal scores where ties are expected; else nothing."""
    if plan.policies.ties != "expected":
        return Totals()
    from lexiframe.core.evaluation.buckets.one_order import one_order_sums

    return one_order_sums(plan, bucket)


OF_BUCKET: Mapping[str, Callable[[Plan, measured.Projected], Any]] = {
    "coverage": _coverage_of,
    "said": Said.note,
    "one_order": _one_order,
}
"""What is kept of a bucket as a whole, from its positions.

What the functions here return adds up: that of some requests + that of others is that of both.
"""
OF_PART: Mapping[str, Callable[[Plan, PairCube], Any]] = {
    "sums": _sums_of,
    "attributed": Attributed.count,
    "sample": Sample.draw,
}
"""What is kept of the parts of a bucket, from their arrays."""


@dataclass(frozen=True)
class BucketResult:
    """The results of some requests, by name."""

    kept: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.kept[name]

    def __add__(self, other: BucketResult) -> BucketResult:
        """Add up the sums of two parts."""
        return BucketResult({name: one + other.kept[name] for name, one in self.kept.items()})

    def add(self, found: Mapping[str, Any]) -> None:
        """Add the sums of some more requests: see `part_facts`."""
        for name, of_some in found.items():
            self.kept[name] += of_some

    def to_bytes(self) -> bytes:
        """Return the result as bytes, for `from_bytes` of the same version of the library."""
        from lexiframe.core.evaluation.buckets.codec import encoded

        return encoded(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> BucketResult:
        """Return the result from the bytes of `to_bytes`; raise for other bytes, run no code."""
        from lexiframe.core.evaluation.buckets.codec import decoded

        found: BucketResult = decoded(data, CLASSES)
        return found


CLASSES = (
    BucketResult,
    Attributed,
    Said,
    answers.Unmatched,
    Sample,
    Totals,
    PairCube,
    arrays.ScoreCube,
    coverages.CoverageSums,
    doubts.Against,
    sums.ExactSums,
    sums.Moments,
    arrays.Few,
    arrays.PairSums,
    arrays.Reduced,
    arrays.RunSums,
)
"""What a result consists of."""


def _is_expected(plan: Plan) -> dict[str, bool]:
    return {"is_expected": plan.policies.ties == "expected"}


def nothing(plan: Plan) -> BucketResult:
    """Return the result of no requests, the start of the sum over buckets."""
    covered = coverages.no_coverage(
        plan.runs, coverages.bounded(plan.measures), **_is_expected(plan)
    )
    none = {"coverage": covered, "said": Said(), "lists": Totals(), "one_order": _one_order(plan)}
    return BucketResult(none | part_facts(plan, plan.no_requests()))


def bucket_facts(plan: Plan, bucket: measured.Projected) -> dict[str, Any]:
    """Return the results of a bucket as a whole, by name."""
    return {name: of(plan, bucket) for name, of in OF_BUCKET.items()}


def part_facts(plan: Plan, part: PairCube) -> dict[str, Any]:
    """Return the results of the arrays of some requests, by name."""
    return {name: of(plan, part) for name, of in OF_PART.items()}
