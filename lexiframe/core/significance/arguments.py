"""Checks of tables and numbers that several functions on significance share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import LexiframeError, SchemaError, n_and_first, schemas
from lexiframe.core.pairwise import Pairs, arrays

LARGEST = 10**9
"""The largest number of requests that is tried or asked about."""


def checked_comparisons(c: Any) -> pl.DataFrame:
    """Check a table of `compare`, or several concatenated; raise when a row occurs twice.

    Pairs of runs that share no request are left out: they were not compared.
    """
    comparisons = schemas.check(c, schemas.COMPARISONS)
    keys = comparisons.select(schemas.COMPARISONS.key)
    if not schemas.is_in_order(keys, keys.columns) and keys.is_duplicated().any():
        raise SchemaError(
            f"comparisons: expected one row for each {', '.join(schemas.COMPARISONS.key)}, found "
            "several; "
            "give tables of other families, baselines or levels one by one, and name groups of "
            "requests with by="
        )
    were_compared = (comparisons["n"] > 0).fill_null(value=False)
    return comparisons if were_compared.all() else comparisons.filter(were_compared)


def pairs_by_measure(called: str, d: Any, *, unshared: bool = False) -> list[tuple[str, Pairs]]:
    """Return each measure's pairs of runs that share requests; raise if a value is infinite.

    ``unshared`` asks for the pairs of `compare`: where runs have scores, also if they share none.
    """
    cube = arrays.pair_cube(d)
    arrays.check_finite(called, cube.values)
    measured = []
    for measure, pairs in cube:
        has_all = unshared and pairs.scores is not None
        measured.append((measure, pairs if has_all else some_pairs(pairs, pairs.n > 0)))
    if not measured:
        raise LexiframeError(
            f"{called}: expected preferences between runs, or scores of two runs, found none"
        )
    return measured


def some_pairs(pairs: Pairs, chosen: np.ndarray) -> Pairs:
    """Return some of the pairs of runs, over the same requests."""
    return replace(pairs, a=pairs.a[chosen], b=pairs.b[chosen], values=pairs.values[:, chosen])


def checked_sizes(called: str, sizes: Sequence[int], name: str = "sizes") -> np.ndarray:
    """Return numbers of requests (or runs) in ascending order; raise unless all are from 2."""
    if not sizes or min(sizes) < 2 or max(sizes) > LARGEST:
        raise LexiframeError(
            f"{called}: expected {name} to be whole numbers from 2 to {LARGEST}, found "
            f"{n_and_first(sizes)}"
        )
    return np.unique(np.array(sizes, np.int64))
