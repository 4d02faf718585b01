"""Evaluations with a catalogue of items, beside relevance: `evaluate` with ``items``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any

import polars as pl

from lexiframe.base import LexiframeError, printed, typed
from lexiframe.collection import beyond
from lexiframe.evaluation.buckets.results import sums_of
from lexiframe.evaluation.evaluation import CATALOGUES, Evaluation
from lexiframe.evaluation.from_parts import assembled
from lexiframe.evaluation.from_runs import evaluate_asked
from lexiframe.evaluation.of_scores import evaluated
from lexiframe.evaluation.options import Asked
from lexiframe.io import column_forms, qrel_files, scan_runs
from lexiframe.metrics import as_list
from lexiframe.orderings import missing_requests
from lexiframe.pairwise import arrays, facts, grouping, measured
from lexiframe.projection import by_collection
from lexiframe.significance import own_tests
from lexiframe.views import shown


@dataclass(frozen=True, repr=False, eq=False)
class EvaluationWithItems(Evaluation):
    """An evaluation with measures of a catalogue; `evaluate` with ``items`` makes it.

    Attributes
    ----------
    catalogue
        What all lists of a run reach together, a `lexiframe.Catalogue`: Coverage, Gini, Entropy.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["a", "b"]}))
    >>> runs, qrels = {"r": {"u": {"a": 1}}, "s": {"u": {"b": 1}}}, {"u": {"a": 1}}
    >>> e = lf.evaluate(runs, qrels, ["RR", "Coverage@1"], items=items)
    >>> e.catalogue.values.select("run", "value").rows()
    [('r', 0.5), ('s', 0.5)]
    """

    catalogue: Any = None

    def tables(self, *, of_requests: bool = True) -> dict[str, pl.DataFrame]:
        """Return the tables by name, those of the catalogue too; see `Evaluation.tables`."""
        both = self.catalogue.values, self.catalogue.comparisons
        return super().tables(of_requests=of_requests) | dict(zip(CATALOGUES, both, strict=True))

    @cached_property
    def _catalogue_measures(self) -> list[str]:
        names: list[str] = self.catalogue.values["measure"].unique(maintain_order=True).to_list()
        return names

    def _paper(self, measures: Any, runs: Any, **how: Any) -> shown.ShownTable:
        given = None if measures is None else list(map(str, as_list(measures)))
        columns = (
            self._catalogue_measures
            if given is None
            else [m for m in given if m in self._catalogue_measures]
        )
        others = None if given is None else [m for m in given if m not in columns]
        table = super()._paper(others, runs, **how)
        if not columns:
            return table
        n = table.columns.index(shown.Column("run"))
        digits = 4 if how["decimals"] is None else how["decimals"]
        by, names = self.provenance["groups"], {v: k for k, v in (how["rename"] or {}).items()}
        values = (
            self.catalogue.values.sort(by, maintain_order=True) if by else self.catalogue.values
        )
        groups = values.partition_by(by, maintain_order=True) if by else [values]

        def written(*numbers: float | None) -> tuple[str, str]:
            value, *ends = (printed.cell("mean", number, digits) for number in numbers)
            return value, "–".join(ends)

        def wider(row: Sequence[shown.Cell], known: Mapping[Any, Any]) -> tuple[shown.Cell, ...]:
            run = names.get(row[n].text, row[n].text)
            found = (known[run, measure][: 1 + how["intervals"]] for measure in columns)
            return (*row, *map(shown.Cell, chain.from_iterable(found)))

        panels = []
        for panel, group in zip(table.panels, groups, strict=True):
            ends = group.select("run", "measure", "value", "ci_low", "ci_high").iter_rows()
            known = {(run, name): written(*numbers) for run, name, *numbers in ends}
            panels.append(replace(panel, rows=tuple(wider(row, known) for row in panel.rows)))
        note = f"{printed.and_joined(columns)}: of all lists of a run together."
        headings = chain.from_iterable((name, *["interval"] * how["intervals"]) for name in columns)
        numbers = (shown.Column(name, is_number=True) for name in headings)
        return replace(
            table,
            columns=(*table.columns, *numbers),
            panels=tuple(panels),
            notes=(*table.notes, note),
        )


@typed
def evaluate_with_items(
    runs: Any, qrels: Any, how: Asked, *, items: beyond.Items, **large: Any
) -> Evaluation:
    """Evaluate runs also by measures of lists, and of all lists, over the catalogue of ``items``.

    ``large`` has other arguments of `evaluate_asked`.
    """
    if how.inference.replicates is not None or by_collection.are_pairs(runs):
        raise LexiframeError(
            "evaluate: items are for runs of one collection without replicates; evaluate the "
            "collections one by one, or ask lexiframe.list_scores and lexiframe.catalogue"
        )
    of_lists = [m for m in how.measures if isinstance(m, beyond.ListMetric)]
    of_all = [m for m in how.measures if isinstance(m, beyond.CatalogueMetric)]
    asked = [m for m in how.measures if m not in of_all]
    rest = [m for m in asked if m not in of_lists]
    if qrels is None and rest and not how.by_default:
        raise LexiframeError(f"evaluate: expected judgments for {rest[0]}, found none as qrels")
    if not asked:
        raise LexiframeError(
            f"evaluate: {of_all[0]} is of all lists, and no measure of requests was asked for; "
            "ask lexiframe.catalogue for it, which a gate takes too, or name another measure"
        )
    scan, qrels = scan_runs(runs), None if qrels is None else column_forms.held(qrels, "qrels")
    deepest = beyond.deepest([*of_lists, *of_all]) if of_lists or of_all else 1
    if how.policies.depth is not None:
        deepest = min(how.policies.depth, deepest or how.policies.depth)
    lists = beyond.lists_of(scan, items, how.policies, qrels, cutoff=deepest)
    s: Any = beyond.values_table(lists, of_lists).drop_nulls("value") if of_lists else None
    if rest:
        e = evaluate_asked(scan, qrels, replace(how, measures=rest), **large)
        e = e if s is None else _joined_lists(e, s, asked, of_lists, how)
    else:
        sources = {"runs": scan.provenance(), "policies": vars(how.policies)}
        sources["qrels"] = [] if qrels is None else qrel_files.sources_of_qrels(qrels)
        named, grouped = [str(m) for m in asked], (how.requests, how.groups)
        of_facts: Any = {"known": facts.facts_of(of_lists), "missing": "own"}
        e = evaluated(s, named, how.inference, grouped, sources, **of_facts)
    if not of_all:
        return e
    test: Any = (
        "randomization" if own_tests.several(how.inference.test) == ["randomization"] else "t"
    )
    told = how.inference
    plan = beyond.How(of_all, None, test, told.alpha, told.trials, told.seed, told.baseline)
    corrections = own_tests.several(told.correction)
    grouped_by = (how.requests, how.groups) if how.groups else (None, None)
    found = beyond.catalogue_of(lists, plan, corrections, told.family, grouped_by)
    return add_catalogue(e, found.values, found.comparisons)


def add_catalogue(
    e: Evaluation, values: pl.DataFrame, comparisons: pl.DataFrame
) -> EvaluationWithItems:
    """Return an evaluation with what all lists reach."""
    tables = {field.name: getattr(e, field.name) for field in fields(e)}
    alpha = e.provenance["inference"]["alpha"]
    return EvaluationWithItems(**tables, catalogue=beyond.Catalogue(values, comparisons, alpha))


def _joined_lists(
    e: Evaluation, s: pl.DataFrame, asked: Sequence[Any], of_lists: Sequence[Any], how: Asked
) -> Evaluation:
    """Return an evaluation with scores of lists among the others; null scores have no row."""
    if not e.has_requests:
        raise LexiframeError(
            "evaluate: measures of lists are computed in memory, and these runs were evaluated in "
            "parts; evaluate fewer of them, or leave memory, keep and resume out"
        )
    part, new = e.part(), arrays.pair_cube(s)
    if without := [name for name in map(str, of_lists) if name not in new.scores.measures]:
        raise LexiframeError(f"{without[0]}: says nothing of any list, see lexiframe.list_scores")
    queries = pl.concat([part.queries, part.scores.queries, new.queries]).unique().sort()
    whole = measured.unknown(asked, part.scores.runs, queries)
    whole.fill(part)
    whole.fill(new)
    by = how.groups
    attributes = grouping.attributes_of(whole, how.requests, by) if by else None
    lacking = missing_requests.lacking_requests(s)
    known = facts.known_facts(e.provenance) | facts.facts_of(of_lists)
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
    )


_TOLD = ("inference", "groups", "requests")
"""What `assembled` adds to the provenance itself."""
