"""Sums by the weights of requests, which need all single requests of a measure: `weighed_sums`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.evaluation.buckets.held import Held
from lexiframe.core.evaluation.buckets.plan import Kept, Plan
from lexiframe.core.evaluation.buckets.results import sums_of
from lexiframe.core.evaluation.buckets.writing import WRITTEN
from lexiframe.core.io import output_files
from lexiframe.core.pairwise import arrays


def weighed_sums(
    plan: Plan, held: Held, counted: arrays.Reduced, requests: Any, given: Sequence[Any]
) -> tuple[arrays.Reduced, Any, dict[str, Any]]:
    """Return the sums over all requests by the weights ``given``, these weights, and their facts.

    ``counted`` has the counts of the same requests that have no weights: the agreement of measures.
    Weights that are all equal are None, and the sums are those of an evaluation without weights; if
    requests of weight 0 are left out, equal weights name the requests that count.
    """
    found, weights, is_first = counted, None, True
    for cube, attributes in held:
        if is_first:
            if len(cube.queries):  # else an error says why
                weights = arrays.weights_of(cube.queries, requests, *given)
                if weights is None and plan.without_weight is not None:  # they say who counts
                    weights = arrays.equal_weights(cube.queries)
            is_first = False
            held.weights = weights
        of_measure = sums_of(arrays.attach(cube, weights), attributes, plan.by, plan.few)
        found = _add_measure(found, of_measure)
        found = replace(found, groups=_groups(found.groups, of_measure.groups), weights=weights)
    if weights is not None and plan.keep:
        _weigh_parts(plan.out, plan.keep, weights)
    said = arrays.weights_facts(weights, *given)
    if plan.without_weight is not None:  # the coverage and one order of ties have all requests
        said["has_zeros"] = True
    return found, weights, said


def _add_measure(found: arrays.Reduced, one: arrays.Reduced) -> arrays.Reduced:
    """Return sums, and the sums of one more measure."""
    preferences, scores = {**found.preferences, **one.preferences}, {**found.scores, **one.scores}
    return replace(found, preferences=preferences, scores=scores, weights=one.weights)


def _groups(
    found: tuple[tuple[pl.DataFrame, arrays.Reduced], ...],
    one: tuple[tuple[pl.DataFrame, arrays.Reduced], ...],
) -> tuple[tuple[pl.DataFrame, arrays.Reduced], ...]:
    """Return the sums of groups, and of one more measure in them."""
    of_group = {group.row(0): part for group, part in one}
    return tuple((group, _add_measure(part, of_group[group.row(0)])) for group, part in found)


def _weigh_parts(out: str | Path | None, keep: Iterable[Kept], weights: Any) -> None:
    """Put the weights of requests, known when all are evaluated, into the parts of the tables."""
    from pyarrow import parquet

    for path in (path for table in keep for path in Path(str(out), table).glob("part-*.parquet")):
        rows = parquet.ParquetFile(path)
        groups = (rows.read_row_group(n) for n in range(rows.num_row_groups))
        weighed = (schemas.to_arrow(weights.columns(pl.from_arrow(group))) for group in groups)
        first = next(weighed)
        with (
            output_files.replacing(path) as temporary,
            parquet.ParquetWriter(temporary, first.schema, **WRITTEN) as writer,
        ):
            for group in chain([first], weighed):
                writer.write_table(group)
