"""Measures of both kinds at once: those by subtopic need other positions than the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from lexiframe.measures.subtopics import goes_by_subtopic
from lexiframe.positions.collection import RankedRuns
from lexiframe.positions.policies import NoRelevant
from lexiframe.positions.projection import project

Projections = dict[bool, pl.DataFrame]
"""Positions without subtopics, and, where a measure needs them, by subtopic."""


def projections_for(
    ranked: RankedRuns, measures: Sequence[Any], no_relevant: NoRelevant
) -> Projections:
    """Project runs whose judged items are ranked, in the ways that measures need."""
    ways = {False, *map(goes_by_subtopic, measures)}
    return {way: project(ranked, no_relevant=no_relevant, subtopics=way) for way in ways}


def from_projections(
    function: Callable[..., pl.DataFrame],
    projections: Projections,
    measures: Sequence[Any],
    no_relevant: NoRelevant,
) -> pl.DataFrame:
    """Compute `scores` or `preferences`, each measure from the positions that it needs.

    There has to be a measure.
    """
    tables = []
    for way, p in projections.items():
        chosen = [measure for measure in measures if goes_by_subtopic(measure) == way]
        if chosen:
            tables.append(function(p, chosen, no_relevant=no_relevant))
    return tables[0] if len(tables) == 1 else pl.concat(tables).sort(tables[0].columns[:-1])
