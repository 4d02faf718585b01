"""The chances over tied orders that either run of a pair is better, beside the preferences."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.metrics import Metric, needed, values_of
from lexiframe.core.pairwise import Measure, pairs
from lexiframe.core.projection import NoRelevant

_CHANCES = ("p_better", "p_equal", "p_worse")
_KINDS = ("lexicographic preference", "recall level")
"""The kinds of measures among which some have closed forms of the chances."""


def add_chances(
    d: pl.DataFrame, p: pl.DataFrame, measures: Sequence[Measure], no_relevant: NoRelevant
) -> pl.DataFrame:
    """Return preferences with the chances that positions tell, null where they are not known.

    They are computed where somebody asks for single preferences: sums over requests need none.
    """
    greatest = p["relevance"].drop_nulls().max() if p.height else None
    some = [
        m
        for m in measures
        if m.kind in _KINDS and m.needs != needed.SUBTOPICS
        if greatest is not None and (m.rel is None or m.rel <= greatest)  # type: ignore[operator]
    ]
    if not (some and d.height):
        return d.with_columns(pl.lit(None, pl.Float64).alias(name) for name in _CHANCES)
    metrics = [measure for measure in some if isinstance(measure, Metric)]
    values = values_of(p, metrics, no_relevant) if metrics else None
    found = pairs.compare_pairs(p, some, values, no_relevant)
    key = [*schemas.PREFERENCES.key]
    of_pairs = found.select(*(pl.col(name).cast(d.schema[name]) for name in key), *_CHANCES)
    weights = "^request_(weight|stratum)$"  # they come last
    told = d.join(of_pairs, on=key, how="left", maintain_order="left")
    return told.select(pl.exclude(weights), pl.col(weights))
