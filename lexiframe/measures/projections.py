"""Measures of all kinds at once: each is computed from the positions that it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from lexiframe.measures.needs import ALL_JUDGED, JUDGED, PROJECTIONS, RELEVANT
from lexiframe.positions.collection import RankedRuns
from lexiframe.positions.policies import NoRelevant
from lexiframe.positions.projection import project


def needs_of(measures: Sequence[Any]) -> set[str]:
    """Give what measures need of the positions; relevant items always."""
    return {RELEVANT, *(measure.needs for measure in measures)}


def projections_for(
    ranked: RankedRuns, measures: Sequence[Any], no_relevant: NoRelevant
) -> dict[str, pl.DataFrame]:
    """Project runs whose judged items are ranked: positions by what they are needed for."""
    tables = {
        needs: project(ranked, no_relevant=no_relevant, **PROJECTIONS[needs])
        for needs in sorted(needs_of(measures))
    }
    if JUDGED in tables:
        tables[JUDGED] = tables[JUDGED].with_columns(pl.lit(value=True).alias(ALL_JUDGED))
    return tables


def from_projections(
    function: Callable[..., pl.DataFrame],
    projections: dict[str, pl.DataFrame],
    measures: Sequence[Any],
    no_relevant: NoRelevant,
) -> pl.DataFrame:
    """Compute `scores` or `preferences`, each measure from the positions that it needs.

    There has to be a measure.
    """
    tables = []
    for needs, p in projections.items():
        chosen = [measure for measure in measures if measure.needs == needs]
        if chosen:
            tables.append(function(p, chosen, no_relevant=no_relevant))
    return tables[0] if len(tables) == 1 else pl.concat(tables).sort(tables[0].columns[:-1])
