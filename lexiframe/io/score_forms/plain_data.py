"""Tables as plain Python data: a dictionary of columns; and arrays, which name no runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import polars as pl

from lexiframe.base import SchemaError, schemas, shown
from lexiframe.io.column_forms.objects import is_frame
from lexiframe.io.column_forms.records import table_of_records
from lexiframe.io.score_forms.layouts import WORDS
from lexiframe.io.text.json_values import load_json

_METRICS = ("metrics_data", "metricsData")  # of a test case of deepeval, in Python and in its files
_LISTS = ("testRunData", "testResults", "test_results", "testCases", "results")
"""Fields of a tool's file that lead to its records: of deepeval, RAGChecker, promptfoo."""
_EXPECTED = (
    "expected a file, a frame, a dictionary of columns ({'query_id': [...], 'bm25': [...]}) or "
    "{run: file or frame}"
)


def as_table(scores: Any) -> Any:
    """Make a frame of a dictionary of columns, or a list of records; return other data.

    Raise TypeError for arrays and numbers.

    Examples
    --------
    >>> as_table({"qid": ["q1", "q2"], "bm25": [0.25, 0.5]}).rows()
    [('q1', 0.25), ('q2', 0.5)]
    >>> as_table({"bm25": "bm25.eval"})
    {'bm25': 'bm25.eval'}
    """
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
        and any(isinstance(value, Number | None) for value in one.values())
        or _is_of_tool(one)
        for one in scores
    )


def _is_of_tool(record: Any) -> bool:
    """Return whether a record is a tool's, with several metrics or a provider inside."""
    if not isinstance(record, Mapping):
        return False
    has_metrics = isinstance(record.get("metrics"), Mapping) or not record.keys().isdisjoint(
        _METRICS
    )
    return has_metrics or {"testIdx", "provider"} <= record.keys()


def records_of_tool(data: bytes) -> pl.DataFrame | None:
    """Return the rows of a tool's records in a file of JSON; None for any other file.

    Examples
    --------
    >>> of = b'{"results": [{"query_id": "1", "metrics": {"f1": 0.5}}]}'
    >>> records_of_tool(of).rows()
    [('1', 0.5)]
    """
    if not any(b'"%s"' % name.encode() in data for name in (*_METRICS, "metrics", "testIdx")):
        return None
    try:
        documents = [load_json(data.decode())]
    except (ValueError, RecursionError):
        try:
            documents = [load_json(line) for line in data.decode().split("\n") if line.strip()]
        except (ValueError, RecursionError):  # the reader of JSON says where it is broken
            return None
    records: Any = documents[0] if len(documents) == 1 else documents
    while isinstance(records, Mapping) and (inside := [n for n in _LISTS if n in records]):
        records = records[inside[0]]
    records = [records] if isinstance(records, Mapping) else records
    is_of_tool = isinstance(records, list) and len(records) > 0 and all(map(_is_of_tool, records))
    return frame_of_records(records) if is_of_tool else None


def frame_of_records(records: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Make a row of each record: of ragas' scores, or of deepeval's results with their metrics.

    Examples
    --------
    >>> metrics = [{"name": "Faithfulness", "score": 0.5, "threshold": 0.7}]
    >>> frame_of_records([{"name": "test_case_0", "metrics_data": metrics}]).rows()
    [('test_case_0', 0.5)]
    """
    return pl.DataFrame(table_of_records([*map(_flat_record, records)], str))


def _flat_record(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a record, and those of its metrics; promptfoo's with run and request."""
    if key := next((name for name in _METRICS if name in one), ""):
        return {"query_id": one.get("name"), **{m["name"]: m.get("score") for m in one[key] or ()}}
    if "testIdx" in one and isinstance(one.get("provider"), Mapping):
        run, prompt = one["provider"].get("id"), one.get("promptIdx")
        run = f"{run}, prompt {prompt}" if prompt else run
        return {"run": run, "query_id": str(one["testIdx"]), "score": one.get("score")}
    metrics = one.get("metrics")
    flat = {**one, **(metrics if isinstance(metrics, Mapping) else {})}
    return {name: x for name, x in flat.items() if not isinstance(x, list | Mapping)}


def _data_words(data: Any) -> str:
    return f"an array of the shape {data.shape}" if isinstance(data, np.ndarray) else shown(data)


def _is_data(value: Any) -> bool:
    """Return whether a value is a number, or an array or list of numbers."""
    is_list = isinstance(value, list | tuple) and len(value) > 0
    return isinstance(value[0] if is_list else value, Number | np.ndarray)


def _are_columns(scores: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary is a table: of columns, with numbers or a known name each."""
    known = {name for words in WORDS.values() for name in words}
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
