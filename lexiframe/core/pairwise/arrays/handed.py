"""The arguments of functions of pairs: tables, which become arrays, or arrays and sums already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from lexiframe.core.base import schemas, to_polars
from lexiframe.core.pairwise.arrays.arrays import PairCube, PairsByMeasure, ScoreCube
from lexiframe.core.pairwise.arrays.reduced_pairs import Reduced
from lexiframe.typing import Frame, HasTables

PairsLike = Annotated[Frame | HasTables | PairCube | PairsByMeasure | Reduced, "pairs"]
"""A table of preferences or scores, or an evaluation; in the package also arrays, or sums."""
PairsOrReplicates = Annotated[
    Frame | HasTables | PairCube | PairsByMeasure | Reduced, "replicated_pairs"
]
"""As `PairsLike`; but of an evaluation of runs with replicates the scores of each."""


def is_scores(table: Any) -> bool:
    """Return whether a table has scores, not preferences."""
    if isinstance(table, PairCube | Reduced):
        return isinstance(table, Reduced) and table.are_scores
    return "value" in to_polars(table).columns


def has_weights(d: Any, given: Iterable[Any] = ()) -> bool:
    """Return whether requests have weights, or are ``given`` some: weights, strata, shares."""
    if any(of is not None for of in given):
        return True
    if isinstance(d, PairCube | Reduced | ScoreCube):
        return d.weights is not None
    return not isinstance(d, PairsByMeasure) and schemas.WEIGHT in to_polars(d).columns


def pair_cube(table: Any, baseline: str | None = None) -> PairCube:
    """Convert a preferences table, or the differences of a scores table, to an array.

    A difference favours the run with the greater score, or with the smaller one where smaller is
    better. With a baseline only its pairs are kept. A cube is returned unchanged, whatever the
    baseline: callers make one cube and compute several tables from it. Two rows with one key
    (query_id, run_a, run_b, measure) are an error. Rows whose run_a comes after their run_b in the
    order of bytes are turned round.
    """
    if isinstance(table, PairCube):
        return table
    from lexiframe.core.pairwise.arrays.cube import cube_of_table

    return cube_of_table(table, baseline)


def cube_or_sums(table: Any, baseline: str | None = None) -> PairCube | Reduced:
    """Return sums of preferences unchanged, and convert any other table by `pair_cube`."""
    are_sums = isinstance(table, Reduced) and not table.are_scores
    return table if are_sums else pair_cube(table, baseline)
