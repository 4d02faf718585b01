"""Evaluations with a catalogue of items, beside relevance: `evaluate` with ``items``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import LexiframeError, typed
from lexiframe.core.base.feature import Engines
from lexiframe.core.evaluation.buckets import sizes
from lexiframe.core.evaluation.buckets.held import Held
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.evaluation.buckets.results import BucketResult, sums_of
from lexiframe.core.evaluation.buckets.sizes import memory_allowed
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.from_parts import Engine, assembled, tables_to_keep
from lexiframe.core.evaluation.from_runs import evaluate_asked
from lexiframe.core.evaluation.of_scores import evaluated
from lexiframe.core.evaluation.options import Asked
from lexiframe.core.io import batches, column_forms, qrel_files
from lexiframe.core.metrics import coverage, needed
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import arrays, composition, facts, grouping, measured
from lexiframe.core.projection import several
from lexiframe.core.significance import corrections, own_tests
from lexiframe.decide import beyond


@typed
def evaluate_with_items(
    runs: Any,
    qrels: Any,
    how: Asked,
    *,
    items: beyond.Items,
    memory: Any = None,
    keep: Any = (),
    resume: bool = False,
    reuse: Any = None,
    out: Any = None,
) -> Evaluation:
    """Evaluate runs also by measures of lists and of all lists, over the catalogue of ``items``."""
    if how.inference.replicates is not None or several.are_pairs(runs):
        raise LexiframeError(
            "evaluate: items are for runs of one collection without replicates; evaluate the "
            "collections one by one, or ask lexiframe.list_scores and lexiframe.catalogue"
        )
    beside = measured_beside(items, how)
    of_lists, asked = beside.of_lists, beside.how.measures
    rest = [m for m in composition.computed_first(asked) if m not in of_lists]
    if qrels is None and rest and not how.by_default:
        raise LexiframeError(f"evaluate: expected judgments for {rest[0]}, found none as qrels")
    tables, allowed = tables_to_keep(keep, out, resume=resume), memory_allowed(memory)
    judged = pl.DataFrame() if qrels is None else column_forms.held(qrels, "qrels")
    sources = batches.Sources.find(runs, judged)
    is_small = sizes.is_small(sources, allowed, was_told=memory is not None)
    if tables or resume or not is_small:
        if reuse is not None or qrels is None:
            what = "with reuse" if qrels is not None else "without judgments"
            raise LexiframeError(
                f"evaluate: {what}, lists are looked at all at once, and these would be evaluated "
                "in parts; "
                + ("give qrels" if qrels is None else "leave reuse out")
                + ", or allow more memory, without keep and resume"
            )
        in_parts = features.needed(Engines, "evaluate").evaluate_in_parts
        large = {"out": out, "keep": tables, "resume": resume, "around": beside.around}
        return beside.completed(in_parts(sources, beside.how, allowed, **large))
    sources = sources.held()
    scan, qrels = sources.scan, None if qrels is None else sources.judgments
    lists = beyond.lists_of(
        scan, items, how.policies, qrels, cutoff=beside.deepest, is_reported=bool(rest)
    )
    s: Any = beyond.values_table(lists, of_lists).drop_nulls("value") if of_lists else None
    for measure in of_lists:
        if str(measure) not in s["measure"]:
            raise needed.no_item_of_grade(measure)
    if rest:
        e = evaluate_asked(
            scan, qrels, replace(how, measures=rest), reuse=reuse, memory=memory, out=out
        )
        e = e if s is None else _joined_lists(e, s, asked, of_lists, how)
    else:
        told = {"runs": scan.provenance(), "policies": vars(how.policies)}
        told["qrels"] = [] if qrels is None else qrel_files.sources_of_qrels(qrels)
        named, grouped = [str(m) for m in of_lists], (how.requests, how.groups)
        of_facts: Any = {"known": facts.facts_of(of_lists), "missing": "own"}
        if qrels is not None:
            of_facts["coverage"] = coverage(scan, qrels, **vars(how.policies))
        e = evaluated(s, named, how.inference, grouped, told, **of_facts)
        e = e if asked == of_lists else _joined_lists(e, s, asked, of_lists, how)
    if not beside.of_all:
        return e
    grouped_by = (how.requests, how.groups) if how.groups else (None, None)
    found = beyond.catalogue_of(lists, beside.test, *beside.corrected, grouped_by)
    return add_catalogue(e, found.values, found.comparisons, found.units)


@typed
def measured_beside(items: beyond.Items, how: Asked) -> Beside:
    """Return the measures over a catalogue beside relevance; raise for any other ``items``."""
    return Beside(items, how)


@dataclass
class Beside:
    """The measures beside relevance, over a catalogue of ``items``.

    ``given`` says how all is evaluated, ``how`` the same without the measures of all lists.
    """

    items: beyond.Items
    given: Asked
    found: Any = None

    def __post_init__(self) -> None:
        if self.given.weighed:
            raise LexiframeError(
                "evaluate: items= has no weights; give lexiframe.evaluate_scores the table of "
                "lexiframe.list_scores with weights="
            )
        measures = self.given.measures
        every = composition.computed_first(measures)
        self.of_lists = [m for m in every if isinstance(m, beyond.ListMetric)]
        for one in every:
            if isinstance(one, beyond.CatalogueMetric) and one not in measures:
                raise LexiframeError(
                    f"evaluate: expected compositions of measures of single requests, found {one} "
                    "in one, which is of all lists of a run; ask for it beside the composition"
                )
        self.of_all = [m for m in measures if isinstance(m, beyond.CatalogueMetric)]
        self.how = replace(self.given, measures=[m for m in measures if m not in self.of_all])
        if not self.how.measures:
            raise LexiframeError(
                f"evaluate: {self.of_all[0]} is of all lists, and no measure of requests was asked "
                "for; ask lexiframe.catalogue for it (gate takes what it returns), or name another"
            )

    @property
    def deepest(self) -> int | None:
        """The greatest rank that is looked at."""
        measures, depth = [*self.of_lists, *self.of_all], self.given.policies.depth
        found = beyond.deepest(measures) if measures else 1
        return found if depth is None else min(depth, found or depth)

    @property
    def test(self) -> beyond.How:
        """How measures of all lists are compared."""
        told = self.given.inference
        is_swapped = own_tests.several(told.test) == ["randomization"]
        test: Any = "randomization" if is_swapped else "t"
        return beyond.How(
            self.of_all, None, test, told.alpha, told.trials, told.seed, told.baseline
        )

    @property
    def corrected(self) -> tuple[Any, Any]:
        """The corrections and the family of their tests, which have no joint sign flips."""
        told = self.given.inference
        named = (corrections.usual(one) for one in own_tests.several(told.correction))
        return [*dict.fromkeys(named)], told.family

    def around(self, engine: Engine, judged: Callable[[], pl.Series]) -> Engine:
        """Return an engine that evaluates the lists of buckets too; ``judged`` has all requests."""
        if self.of_all and self.test.test == "randomization":
            raise LexiframeError(
                f"{self.of_all[0]}: the test 'randomization' swaps lists, and these are evaluated "
                "in parts, of which sums are left; take test='t'"
            )

        def with_lists(plan: Plan, held: Held | None) -> BucketResult:
            queries, by = judged(), self.given.groups
            parts = beyond.parts_of(queries, self.given.requests if by else None, by or None)
            measures = [*self.of_lists, *self.of_all]
            lists = beyond.ListsInParts.plan(self.items, measures, plan.runs, queries, parts)
            total = engine(replace(plan, lists=lists if measures else None), held)
            if summed := total["lists"].matrices():
                lists.warn(summed)
                self.found = lists.summed(summed)
            return total

        return with_lists

    def completed(self, e: Evaluation) -> Evaluation:
        """Return the evaluation of all parts with the measures of all lists."""
        if not self.of_all:
            return e
        found = beyond.catalogue_of_parts(self.found, self.test, *self.corrected)
        return add_catalogue(e, found.values, found.comparisons, found.units)


def add_catalogue(
    e: Evaluation,
    values: pl.DataFrame,
    comparisons: pl.DataFrame,
    units: pl.DataFrame | None = None,
) -> Evaluation:
    """Return an evaluation with the numbers that all lists reach."""
    alpha = e.provenance["inference"]["alpha"]
    return replace(e, catalogue=beyond.Catalogue(values, comparisons, alpha, units=units))


def _joined_lists(
    e: Evaluation, s: pl.DataFrame, asked: Sequence[Any], of_lists: Sequence[Any], how: Asked
) -> Evaluation:
    """Return an evaluation with scores of lists added; null scores have no row."""
    part, new = e.part(), arrays.pair_cube(s)
    queries = pl.concat([part.queries, part.scores.queries, new.queries]).unique().sort()
    how.measures_of(part.scores.runs.to_list())  # raises where one run has nothing to compose with
    whole = measured.unknown(composition.computed_first(asked), part.scores.runs, queries)
    whole.fill(part)
    whole.fill(new)
    whole = composition.composed(whole, asked)
    by = how.groups
    attributes = grouping.attributes_of(whole, how.requests, by) if by else None
    lacking = missing_requests.lacking_requests(s)
    known = facts.facts_of(asked) | facts.known_facts(e.provenance) | facts.facts_of(of_lists)
    said = {
        **{name: fact for name, fact in e.provenance.items() if name not in _TOLD},
        "measures": [str(measure) for measure in asked],
        "facts": facts.as_provenance({str(measure): known[str(measure)] for measure in asked}),
        **({"missing": "own", "lacking": lacking} if lacking else {}),
    }
    return assembled(
        sums_of(whole, attributes, by),
        said,
        how.order,
        how.inference,
        (attributes, by, how.requests),
        missing="own" if lacking else None,
        tested=whole,
        coverage=e.coverage,
        parts=e.parts,
        _origin=e._origin,
        _part=whole,
        _unanswered=e._unanswered,
    )


_TOLD = ("inference", "groups", "requests")
"""What `assembled` adds to the provenance itself."""
