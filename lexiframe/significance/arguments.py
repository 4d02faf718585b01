"""Checks of tables that several functions on significance share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from lexiframe.errors import LexiframeError, SchemaError
from lexiframe.layouts.arrays import Pairs, check_finite
from lexiframe.layouts.cube import pair_cube
from lexiframe.schemas import COMPARISONS, check


def checked_comparisons(c: Any) -> pl.DataFrame:
    """Check a table of `compare`, or several concatenated; raise when a row occurs twice."""
    comparisons = check(c, COMPARISONS)
    if comparisons.select(COMPARISONS.key).is_duplicated().any():
        raise SchemaError(
            f"comparisons: expected one row for each {', '.join(COMPARISONS.key)}, found several; "
            "give tables of other families, baselines or levels one by one, and name groups of "
            "requests with by="
        )
    return comparisons


def pairs_by_measure(called: str, d: Any) -> list[tuple[str, Pairs]]:
    """Return each measure's pairs of runs that share requests; raise if a value is infinite."""
    cube = pair_cube(d)
    check_finite(called, cube.values)
    measured = [(measure, _known(pairs)) for measure, pairs in cube]
    if not measured:
        raise LexiframeError(
            f"{called}: expected preferences between runs, or scores of two runs, found none"
        )
    return measured


def _known(pairs: Pairs) -> Pairs:
    known = pairs.n > 0
    return replace(pairs, a=pairs.a[known], b=pairs.b[known], values=pairs.values[:, known])
