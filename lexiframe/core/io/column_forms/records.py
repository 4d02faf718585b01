"""Tables of nested records: dotted names of columns, and text where values have several types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, ReadError
from lexiframe.core.io.column_forms.numbers import EXACT

_CELLS, _SPARSE = 1_000_000, 100
"""How many cells a table of records may have, and how many for each value in them."""


def flatten(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Flatten nested fields to fields with dotted names; raise if two get the same name.

    Examples
    --------
    >>> flatten({"run": "bm25", "params": {"k1": 0.9, "fb": {"docs": 10}}}, "log.jsonl")
    {'run': 'bm25', 'params.k1': 0.9, 'params.fb.docs': 10}
    """
    flat: dict[str, Any] = {}
    for name, value in record.items():
        inner = {name: value}
        if isinstance(value, Mapping):
            inner = {f"{name}.{k}": v for k, v in flatten(value, where).items()}
        if both := flat.keys() & inner.keys():
            raise ReadError(
                f"{where}: two fields are both called {', '.join(sorted(both))}; rename one"
            )
        flat |= inner
    return flat


def table_of_records(
    records: Sequence[Mapping[str, Any]], as_text: Callable[[Any], str], where: str = "records"
) -> list[pl.Series]:
    """Make one column of each field, in order of appearance; null where a record lacks it."""
    return [column_of(name, values, as_text) for name, values in fields_of(records, where)]


def fields_of(records: Sequence[Mapping[str, Any]], where: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the values of each field, None where a record lacks it; raise if nearly all lack it."""
    names = dict.fromkeys(name for record in records for name in record)
    n_cells, n_values = len(names) * len(records), sum(map(len, records))
    if n_cells > max(_CELLS, _SPARSE * n_values):
        found = f"{len(records):,} records with {n_values:,} values of {len(names):,} fields"
        advice = (
            "give settings one field of text, or write records of a kind to a file of their own"
        )
        raise ReadError(Problem(where, "records with fields in common", found, advice))
    yield from ((name, [record.get(name) for record in records]) for name in names)


def column_of(name: str, values: Sequence[Any], as_text: Callable[[Any], str]) -> pl.Series:
    """Make a column of booleans, int64 or float64 if no value loses digits, otherwise of text."""
    # By type, not by isinstance, since True is an int too.
    kinds = {type(value) for value in values if value is not None}
    whole = [value for value in values if type(value) is int]
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in whole):
        return pl.Series(name, values, pl.Int64)
    if float in kinds <= {int, float} and all(abs(value) <= EXACT for value in whole):
        return pl.Series(name, values, pl.Float64, strict=False)
    texts = [value if isinstance(value, str | None) else as_text(value) for value in values]
    return pl.Series(name, texts, pl.String)
