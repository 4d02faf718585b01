"""Functions of data that may have several collections: each of them is computed alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import polars as pl

P = ParamSpec("P")
T = TypeVar("T")
COLLECTION = "collection"


def each_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Call a function of tables with each collection alone, and put the tables found together.

    Collections are rows of tables with the column ``collection``, an evaluation of several, or
    ``{name: (runs, qrels)}``. Of a result of several tables each gets the column.
    """
    is_of_runs = [*inspect.signature(function).parameters][1:2] == ["qrels"]

    @wraps(function)
    def of_each(*args: P.args, **kwargs: P.kwargs) -> T:
        qrels = args[1] if len(args) > 1 else kwargs.get("qrels")
        needs_judgments = is_of_runs and qrels is None  # they are at the place of the runs
        if not (needs_judgments or any(map(may_be_several, (*args, *kwargs.values())))):
            return function(*args, **kwargs)
        from lexiframe.core.projection.by_collection import called_with_each

        return called_with_each(function, args, kwargs)

    return of_each


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
