"""Tables as plain Python data: a dictionary of columns; and arrays, which name no runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import polars as pl

from lexiframe.core.base import SchemaError, schemas, shown
from lexiframe.core.io.column_forms.objects import is_frame
from lexiframe.core.io.column_forms.records import table_of_records
from lexiframe.core.io.columns import SCORES
from lexiframe.core.io.text.json_values import load_json

_METRICS = ("metrics_data", "metricsData")  # of a test case of deepeval, in Python and in its files
_LISTS = ("testRunData", "testResults", "test_results", "testCases", "results")
"""Fields of a tool's file that lead to its records: of deepeval, RAGChecker, promptfoo."""
_EXPECTED = (
    "expected a file, a frame, a dictionary of columns ({'query_id': [...], 'bm25': [...]}) or "
    "{run: file or frame}"
)


def as_table(scores: Any) -> Any:
    """Make a frame of a dictionary of columns, or a list of records; return other data."""
    if is_frame(scores) or isinstance(scores, str):
        return scores
    if are_records(scores):
        return frame_of_records(scores)
    if isinstance(scores, Mapping):
        return _frame_of_columns(scores) if scores and _are_columns(scores) else scores
    is_array = isinstance(scores, np.ndarray)
    if is_array or (isinstance(scores, Sequence) and len(scores) and _is_data(scores[0])):
        raise TypeError(
            f"scores: {_EXPECTED}, found {_data_words(scores)}, which does not name its runs; give "
            "pandas.DataFrame(array, columns=[...]) with a column for each run"
        )
    return scores


def are_records(scores: Any) -> bool:
    """Return whether data is a list of dictionaries, of values and not of files or frames."""
    is_list = isinstance(scores, list | tuple) and len(scores) > 0
    return is_list and all(
        isinstance(one, Mapping)
        and (
            _metrics_of(one) is not None
            or any(isinstance(value, Number | None) for value in one.values())
        )
        for one in scores
    )


def _metrics_of(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the scores in a tool's record by the names of the metrics; None for other records."""
    lists = [record[name] for name in _METRICS if name in record]
    if lists and isinstance(lists[0], list | tuple | None):
        return {
            str(m.get("name")): m.get("score") for m in lists[0] or () if isinstance(m, Mapping)
        }
    if isinstance(provider := record.get("provider"), Mapping) and "testIdx" in record:
        prompt = f", prompt {record['promptIdx']}" if record.get("promptIdx") else ""
        return {"run": f"{provider.get('id')}{prompt}", "query_id": record["testIdx"]}
    return {**found} if isinstance(found := record.get("metrics"), Mapping) else None


def records_of_tool(data: bytes) -> pl.DataFrame | None:
    """Return the rows of a tool's records in a file of JSON; None for any other file."""
    if not any(b'"%s"' % name.encode() in data for name in (*_METRICS, "metrics", "testIdx")):
        return None
    is_lines = data.strip().partition(b"\n")[0].rstrip().endswith(b"}")
    try:
        texts = data.decode().split("\n" if is_lines else "\0")  # JSON has no such character
        records: Any = [load_json(text) for text in texts if text.strip()]
    except (ValueError, RecursionError):  # the reader of JSON says where it is broken
        return None
    records = records[0] if len(records) == 1 else records
    while isinstance(records, Mapping) and (inside := [n for n in _LISTS if n in records]):
        records = records[inside[0]]
    records = [records] if isinstance(records, Mapping) else records
    is_of_tool = are_records(records) and all(_metrics_of(one) is not None for one in records)
    return frame_of_records(records) if is_of_tool else None


def frame_of_records(records: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Make a row of each record: of ragas' scores, or of deepeval's results with their metrics."""
    flat = []
    for one in records:
        named = one if {*_METRICS}.isdisjoint(one) else {"query_id": one.get("name")}
        every = {**named, **(_metrics_of(one) or {})}
        flat.append({name: x for name, x in every.items() if not isinstance(x, list | Mapping)})
    return pl.DataFrame(table_of_records(flat, str, "scores"))


def _data_words(data: Any) -> str:
    return f"an array of the shape {data.shape}" if isinstance(data, np.ndarray) else shown(data)


def _is_data(value: Any) -> bool:
    """Return whether a value is a number, or an array or list of numbers."""
    is_list = isinstance(value, list | tuple) and len(value) > 0
    return isinstance(value[0] if is_list else value, Number | np.ndarray)


def _are_columns(scores: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary is a table: of columns, with numbers or a known name each."""
    known = {name for words in SCORES.values() for name in words}
    columns = [*scores.items()]
    return any(_is_data(column) for _, column in columns) and all(
        _is_data(column) or (name in known and isinstance(column, list | tuple | np.ndarray))
        for name, column in columns
    )


def _frame_of_columns(scores: Mapping[Any, Any]) -> pl.DataFrame:
    schemas.refuse_twins_among([*map(str, scores)], "scores")
    scores = {str(name): column for name, column in scores.items()}
    shapes = {name: np.shape(column) for name, column in scores.items()}
    odd = [name for name, shape in shapes.items() if len(shape) != 1]
    if odd:
        found = next(_data_words(column) for name, column in scores.items() if str(name) == odd[0])
        raise TypeError(
            f"scores: {_EXPECTED}, found {found} as {odd[0]!r}; a column is a "
            "list of numbers, and a frame of several columns names them"
        )
    lengths = {name: length for name, (length,) in shapes.items()}
    first, last = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
    if lengths[first] < lengths[last]:
        raise SchemaError(
            f"scores: expected columns of one length, found {lengths[first]} values as {first!r} "
            f"and {lengths[last]} as {last!r}; give a value for each request"
        )
    return pl.DataFrame([_value_column(name, values) for name, values in scores.items()])


def _value_column(name: str, values: Any) -> pl.Series:
    try:
        return pl.Series(name, values)
    except (TypeError, pl.exceptions.PolarsError):
        raise SchemaError(
            f"scores: expected only numbers, or only texts, as {name}, found {shown(values)}"
        ) from None
