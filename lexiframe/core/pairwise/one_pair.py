"""Two runs, request by request: where which of them is better, behind `Evaluation.pair`."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import schemas
from lexiframe.core.pairwise.lexicographic import LexicographicPreference
from lexiframe.core.pairwise.pairs import Measure, preferences
from lexiframe.core.projection import NoRelevant

_CELL = ["measure", "query_id"]


def pair_table(
    s: pl.DataFrame,
    d: pl.DataFrame,
    levels: pl.DataFrame,
    pair: tuple[str, str],
    measures: Sequence[str],
) -> pl.DataFrame:
    """Put the scores and preferences of two runs side by side, run_a's greatest gain first.

    Rows of other runs in ``s`` and ``d`` are ignored; ``levels`` is made by `levels_of`. A positive
    preference is one for the first run of ``pair``. `Evaluation.pair` describes the columns.
    """
    run_a, run_b = pair
    first, second = sorted(pair)
    turned = pl.when(preference=0).then(0.0).otherwise(-pl.col("preference"))  # a tie is no −0.0
    preference = turned if first == run_b else pl.col("preference")
    rows = d.filter(run_a=first, run_b=second).filter(pl.col("measure").is_in(measures))
    rows = rows.select(*_CELL, run_a=pl.lit(run_a), run_b=pl.lit(run_b), preference=preference)
    for side, run in (("a", run_a), ("b", run_b)):
        of_run = s.filter(run=run).select(*_CELL, pl.col("value").alias(f"value_{side}"))
        rows = rows.join(of_run, on=_CELL, how="left")
    rows = rows.join(levels, on=_CELL, how="left")
    place = pl.col("measure").cast(pl.Enum(list(measures)))
    return rows.sort(place, -pl.col("preference"), "query_id").select(
        *schemas.PAIR_REQUESTS.columns
    )


NO_LEVELS = pl.DataFrame(
    schema={"measure": pl.String(), "query_id": pl.String(), "deciding_level": schemas.INT}
)
"""The table of `levels_of` without lexicographic measures."""


def levels_of(
    p: pl.DataFrame,
    pair: tuple[str, str],
    measures: Sequence[LexicographicPreference],
    no_relevant: NoRelevant,
) -> pl.DataFrame:
    """Return the recall level that decides each lexicographic preference between two runs.

    Key ``measure, query_id``; ``deciding_level`` is null for a tie.
    """
    both = p.filter(pl.col("run").is_in(pair))
    d = preferences(both, measures, no_relevant=no_relevant, deciding_level=True)
    return d.select(*_CELL, "deciding_level")


def lexicographic(measures: Sequence[Measure]) -> list[LexicographicPreference]:
    """Return the measures that a single recall level decides."""
    return [measure for measure in measures if isinstance(measure, LexicographicPreference)]
