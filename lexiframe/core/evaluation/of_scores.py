"""Evaluations of scores, whoever computed them, with replicates or without: `evaluated`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe import features
from lexiframe.core.base import schemas
from lexiframe.core.base.feature import Replication
from lexiframe.core.evaluation.buckets.results import sums_of
from lexiframe.core.evaluation.evaluation import Evaluation
from lexiframe.core.evaluation.from_parts import assembled
from lexiframe.core.evaluation.options import Inference, check_baseline
from lexiframe.core.metrics import coverages
from lexiframe.core.orderings import missing_requests
from lexiframe.core.pairwise import arrays, grouping, measured, pairs
from lexiframe.core.pairwise import facts as of_measures
from lexiframe.core.projection import answers
from lexiframe.core.significance import replicates as replication

_NO_COVERAGE = pl.DataFrame(
    schema={
        name: schemas.COVERAGE.columns[name] for name in coverages.columns_of([], is_expected=False)
    }
)
"""The coverage where rankings are not known."""


def evaluated(
    table: pl.DataFrame,
    names: Sequence[str],
    inference: Inference,
    grouped_by: tuple[Any, list[str]],
    sources: Mapping[str, Any],
    *,
    missing: missing_requests.Missing | None = None,
    coverage: pl.DataFrame | None = None,
    known: of_measures.Known | None = None,
    preferences: pl.DataFrame | None = None,
    weighed: Sequence[Any] = (),
) -> Evaluation:
    """Make the tables of an evaluation from scores, which may have replicates.

    ``grouped_by`` has the attributes of requests and the names of those that form groups,
    ``sources`` the provenance of the data. ``known`` are the facts of the measures (None: from the
    scores). ``preferences`` are by further measures.
    """
    of_replicates = table if "replicate" in table.columns else None
    if of_replicates is not None:
        if inference.replicates is None:
            replication.refuse_unstated("evaluate", table.columns)
        table = features.needed(Replication, "evaluate").mean_of_replicates("evaluate", table)
    (s, _), (requests, by) = missing_requests.settle(table, missing), grouped_by
    if inference.baseline is not None:
        check_baseline("evaluate_scores", inference.baseline, s["run"].unique().sort().to_list())
    if unknown := of_measures.unknown_directions(s):
        of_measures.warn_of_directions(unknown)
    if known is None:  # the values are not ours
        of_measures.refuse_mixed_units(s)
    there: Any = table  # its runs may lack requests; the cube, if it is at hand, tells it faster
    if preferences is None or preferences.is_empty():
        part = arrays.pair_cube(s)
        there = part.scores if s is table else table
    else:
        differences = [pairs.tables_of(arrays.pair_cube(s))[1]] if s.height else []
        d = pl.concat([*differences, preferences], how="diagonal")
        part = measured.cube_of_tables(s, d)
    told = dict[str, Any]()
    if weighed:
        part = arrays.weigh(part, requests, *weighed)
    if weighed or part.weights is not None:
        told["weights"] = arrays.weights_facts(part.weights, *(weighed or (schemas.WEIGHT,)))
        if of_replicates is not None and part.weights is not None:
            of_replicates = part.weights.columns(of_replicates)
    attributes = grouping.attributes_of(part, requests, by) if by else None
    if coverage is None and "answered" in s.columns:  # the coverage would say what is missing
        there = s.filter(pl.col("answered").fill_null(value=True))
        missing = missing or "zero"
    facts = {**sources, "measures": [*names], "missing": missing, **told}
    known_facts = of_measures.as_provenance(known or of_measures.facts_of_scores(s))
    return assembled(
        sums_of(part, attributes, by),
        facts | {"facts": known_facts, "lacking": missing_requests.lacking_requests(there)},
        "mean" if preferences is None else "win_rate",
        inference,
        (attributes, by, requests),
        missing=missing,
        tested=part if of_replicates is None else of_replicates.drop("answered", strict=False),
        coverage=_NO_COVERAGE if coverage is None else coverage,
        replicated=of_replicates,
        _part=part,
        _weights=part.weights,
        _unanswered=answers.unanswered_in(s),
    )
