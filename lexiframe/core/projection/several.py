"""Signs of several collections in data: columns, pairs and evaluations, seen without reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

COLLECTION = "collection"


def may_be_several(value: Any) -> bool:
    """Return whether data have names of collections, as far as that is seen at once."""
    if isinstance(value, Mapping):
        return are_pairs(value) or any(map(_has_several, value.values()))
    return _has_several(value)


def _has_several(value: Any) -> bool:
    of_evaluation = getattr(value, "collections", None)
    is_evaluation = isinstance(of_evaluation, Mapping) and hasattr(value, "table_for")
    return is_evaluation or has_column(value)


def are_pairs(runs: Any) -> bool:
    """Return whether collections have names, runs and judgments: ``{name: (runs, qrels)}``."""
    return (
        isinstance(runs, Mapping)
        and bool(runs)
        and all(isinstance(one, tuple) and len(one) == 2 for one in runs.values())
    )


def has_column(table: Any) -> bool:
    """Look for the column without reading data that may be large, or can be read only once."""
    if isinstance(table, pl.LazyFrame):
        try:
            return COLLECTION in table.collect_schema()
        except (pl.exceptions.PolarsError, OSError):  # whoever computes it says what is wrong
            return False
    if not hasattr(table, "__arrow_c_stream__"):
        return False
    schema = getattr(getattr(table, "schema", None), "names", [])  # of a reader of batches
    names = getattr(table, "column_names", getattr(table, "columns", schema))
    return COLLECTION in [*names]
