"""Polars frames from the frames and objects in which other libraries keep runs and judgments.

These are: anything that exports Arrow, PyArrow's datasets, pytrec_eval's dictionaries of
dictionaries, ranx' objects, and the named tuples of ir_measures and ir_datasets. Columns keep the
names that they have there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import IOBase
from itertools import chain, repeat
from numbers import Integral, Real
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from lexiframe import features
from lexiframe.core.base import Problem, SchemaError, errors, n_and_first, schemas, shown, to_polars
from lexiframe.core.base.feature import Forms
from lexiframe.core.io.column_forms.numbers import IN_RANGE, NUMBER, TOO_GREAT, has_large
from lexiframe.core.io.columns import KNOWN_NAMES, MODEL_OF_MTEB

_ATTRIBUTES = ("query_id", "doc_id", "score", "relevance", "iteration", "subtopic_id")


def is_frame(data: Any) -> bool:
    """Return whether data is a frame: Polars', PyArrow's, or another that exports Arrow."""
    return (
        hasattr(data, "__arrow_c_stream__") or isinstance(data, pl.LazyFrame) or _is_dataset(data)
    )


def held(data: Any, where: str) -> Any:
    """Return data that can be read repeatedly: iterators become lists, Arrow readers tables."""
    refuse_open_file(data)
    if isinstance(data, pa.RecordBatchReader):
        return _read_table(data.read_all, where)
    return list(data) if isinstance(data, Iterator) and not is_frame(data) else data


def is_one_run(data: Any) -> bool:
    """Return whether a Python object holds a single run (or judgments), not several runs."""
    if isinstance(data, Mapping):
        if MODEL_OF_MTEB in data or form_of_tool(data):
            return True
        data = _drop_lists(data)
        inner = [documents for documents in data.values() if isinstance(documents, Mapping)]
        others = [run for run in data.values() if not isinstance(run, Mapping)]
        filled: Mapping[Any, Any] = next((documents for documents in inner if documents), {})
        # {run: {query: {document: score}}} holds several runs, {query: {document: score}} is one.
        # They differ in the values of the inner dictionaries, so empty ones do not count.
        if form_of_tool(filled):
            return False
        if not inner or (not filled and others):  # empty runs beside a path or a frame
            return False
        kinds = {type(value): value for value in [*others, *filled.values()]}
        if kinds.keys() <= {int, float}:  # a thousand numbers are known by their type at once
            return True
        return not any(may_be_run(value) for value in [*others, *filled.values()])
    if isinstance(data, Sequence) and not isinstance(data, str):
        first = data[0] if len(data) > 0 else None
        return _is_row(first) or (isinstance(first, Mapping) and bool(form_of_tool(data)))
    return _is_ranx(data)


def are_several_runs(data: Any) -> bool:
    """Return whether a dictionary or list holds whole runs, or paths to them."""
    if is_one_run(data) or is_frame(data) or not isinstance(data, Mapping | list | tuple):
        return False
    held = [*data.values()] if isinstance(data, Mapping) else data
    return len(held) > 0 and all(isinstance(one, str) or may_be_run(one) for one in held)


def refuse_open_file(data: Any) -> None:
    """Raise for an open file: it is an iterator, so each of its lines would be taken for a path."""
    if isinstance(data, IOBase):
        raise TypeError("expected a path or a frame, found an open file; give its path")


def may_be_run(value: Any) -> bool:
    """Return whether a value is a whole run or a `Path` to one; text is an id or a number."""
    is_data = isinstance(value, Path | Mapping) or is_frame(value)
    return is_data or _is_empty(value) or is_one_run(value)


def _is_empty(value: Any) -> bool:
    return isinstance(value, list | tuple) and not value


def _drop_lists(data: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return the documents by query, with an empty object in place of an empty list."""
    if not any(map(_is_empty, data.values())):
        return data
    return {query: {} if _is_empty(of) else of for query, of in data.items()}


def to_frame(
    data: Any, value: str, where: str = "the frame", *, keep_twins: bool = False
) -> pl.DataFrame:
    """Convert a frame, or an object of another library, to a Polars frame.

    ``value`` names the column for the numbers in dictionaries: ``"score"`` or ``"relevance"``.
    Raise TypeError for an object for which neither `is_frame` nor `is_one_run` holds.

    Examples
    --------
    >>> to_frame({"q1": {"d1": 2, "d2": 0}}, "relevance").rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 0.0)]
    """
    refuse_open_file(data)
    if _is_ranx(data):
        named = "relevance" if type(data).__name__ == "Qrels" else "score"
        return _frame_of_dictionaries(data.to_dict(), named, where)
    is_empty = isinstance(data, Mapping | list | tuple) and not data
    if is_empty or (isinstance(data, Mapping) and is_one_run(data)) or form_of_tool(data):
        return _frame_of_dictionaries(data or {}, value, where)
    is_one = isinstance(data, Mapping | str) or getattr(data, "ndim", 1) == 0
    if isinstance(data, Iterable) and not is_frame(data) and not is_one:
        return _frame_of_tuples(list(data), where)
    if _is_dataset(data):
        schema = data.schema if hasattr(data, "schema") else data.projected_schema
        schemas.refuse_twins_among(schema.names, where)  # to_table fails on two columns of one name
        data = _read_table(data.to_table, where)
    if isinstance(data, Mapping):
        # Lists of ids by query are no table, if nothing here can read them.
        features.needed(Forms, where)
    return to_polars(data, where, keep_twins=keep_twins)


def _read_table(give: Callable[[], pa.Table], where: str) -> pa.Table:
    """Read the table of a reader or dataset; raise SchemaError if its files are broken or gone."""
    try:
        return give()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise SchemaError(f"{where} cannot be read ({errors.one_line(error):.200})") from None


def _frame_of_dictionaries(data: Mapping[Any, Any], value: str, where: str) -> pl.DataFrame:
    """Make rows of ``{query: {document: number}}``; a query without documents is a row of nulls."""
    if MODEL_OF_MTEB in data:
        data = features.needed(Forms, where).only_split(data, where, is_run=value == "score")
    elif form := form_of_tool(data):
        columns_of = features.needed(Forms, where).columns_of_document
        return _frame_of_columns(columns_of(form, data, where, is_run=value == "score"), where)
    data = _drop_lists(data)
    flat = [query for query, inner in data.items() if not isinstance(inner, Mapping)]
    if flat:
        raise SchemaError(
            f"{where}: expected {{query: {{document: number}}}}, found "
            f"{type(data[flat[0]]).__name__} as the documents of query {flat[0]!r}"
        )
    refuse_tables(data, where)
    lengths = [max(len(inner), 1) for inner in data.values()]
    documents = [*chain.from_iterable(inner or [None] for inner in data.values())]
    numbers = [*chain.from_iterable(inner.values() or [None] for inner in data.values())]
    kinds = [*map(type, numbers)]
    if value == "relevance" and {*kinds} <= {str, bool} and not any(map(_is_number, numbers)):
        numbers = [*map(str, numbers)]  # words, whose numbers the reader of grades knows
    elif kinds.count(float) + kinds.count(int) < len(kinds):
        queries = chain.from_iterable(map(repeat, data, lengths))
        _refuse_others([*zip(queries, documents, numbers, strict=True)], value, where)
    query_id = _column_of_values("query_id", [*data], where).gather(
        np.repeat(np.arange(len(data)), lengths)
    )
    others = _frame_of_columns({"doc_id": documents, value: numbers}, where)
    return others.insert_column(0, query_id)


def _is_number(text: object) -> bool:
    return isinstance(text, str) and bool(re.match(NUMBER, text))


def _refuse_others(rows: Iterable[tuple[Any, Any, Any]], value: str, where: str) -> None:
    """Raise for a row of query, document and value whose value is no number (True is none)."""
    for query, document, x in rows:
        if document is not None and (isinstance(x, bool) or not isinstance(x, Real)):
            advice = "; a file of a replicate is a pathlib.Path" * (value == "score")
            raise SchemaError(
                f"{where}: expected a number as {value} of document {document!r} for query "
                f"{query!r}, found {x!r}{advice * isinstance(x, str)}"
            )


def refuse_tables(data: Mapping[Any, Any], where: str) -> None:
    """Raise for the dictionaries and JSON that pandas makes of a table, by columns or by rows.

    Otherwise names of columns, or numbers of rows, would be taken for queries; and so would kinds
    of measures, in the means that BEIR saves.
    """
    inner = [names for names in data.values() if isinstance(names, Mapping) and names]
    if "ndcg" in data and all(re.fullmatch(r"\w+@\d+", str(n)) for names in inner for n in names):
        found = f"means of measures, {n_and_first(data)}: this looks like what BEIR's "
        advice = "leaderboard and read_scores read it; give the rankings to evaluate the run"
        found += "util.save_results writes"
        raise SchemaError(Problem(where, "{query: {document: number}}", found, advice))
    columns = [data[name] for name in _names_of_ids(data) if isinstance(data[name], Mapping)]
    if len(columns) > 1 and all(column.keys() == columns[0].keys() for column in columns):
        names = _names_of_ids(data)
    else:
        names = _names_of_ids(inner[0]) if inner and all(map(_names_of_ids, inner)) else []
    if names:
        found = f"names of columns, {n_and_first(names)}: this looks like a table of pandas"
        advice = "give the frame, or write it with to_json(orient='records', lines=True)"
        raise SchemaError(Problem(where, "{query: {document: number}}", found, advice))


def _names_of_ids(names: Mapping[Any, Any]) -> list[str]:
    """Return the known names of columns of queries and documents, if both are among the names."""
    known = [[n for n in KNOWN_NAMES[ours] if n in names] for ours in ("query_id", "doc_id")]
    return [name for names_of_one in known for name in names_of_one] if all(known) else []


def _is_row(row: Any) -> bool:
    """Return whether an object is a row such as ScoredDoc, and not a frame with such columns."""
    return hasattr(row, "query_id") and hasattr(row, "doc_id") and not is_frame(row)


def _frame_of_tuples(rows: list[Any], where: str) -> pl.DataFrame:
    """Make rows of objects with the attributes query_id, doc_id, and score or relevance."""
    if not rows or not _is_row(rows[0]):
        found = f"a list of {type(rows[0]).__name__}" if rows else "nothing"
        raise TypeError(
            "expected a frame that exports Arrow, or rows with query_id and doc_id (ScoredDoc, "
            f"Qrel), found {found}"
        )
    columns = {n: [*map(attrgetter(n), rows)] for n in _ATTRIBUTES if hasattr(rows[0], n)}
    return _frame_of_columns(columns, where)


def _frame_of_columns(columns: Mapping[str, list[Any]], where: str) -> pl.DataFrame:
    return pl.DataFrame([_column_of_values(name, cells, where) for name, cells in columns.items()])


def _column_of_values(name: str, values: list[Any], where: str) -> pl.Series:
    is_number = name in ("score", "relevance") and not isinstance(next(iter(values), 0), str)
    try:
        column = pl.Series(name, values, dtype=pl.Float64() if is_number else None)
        if is_number and has_large(column):
            return pl.Series(name, map(_exactly, values), dtype=pl.String())
        return column.cast(pl.String) if column.dtype == pl.Null else column
    except OverflowError:
        found = next((x for x in values if isinstance(x, int) and abs(x) >= 2**1024), "")
        raise SchemaError(
            Problem(where, f"{IN_RANGE} as {name}", shown(found), TOO_GREAT)
        ) from None
    except (TypeError, UnicodeEncodeError, pl.exceptions.PolarsError):
        kinds = sorted({type(value).__name__ for value in values if value is not None})
        raise SchemaError(
            f"{where}: expected values of one type as {name}, found {' and '.join(kinds)}"
        ) from None


def _exactly(value: Any) -> str | None:
    """Write a number with all its digits: a large integer has more than float64 can hold."""
    if value is None:
        return None
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))


def form_of_tool(data: Any) -> Any:
    """Return a tool's form for runs or judgments of all queries; None for any other data."""
    are_values = isinstance(data, Mapping) and not any(map(_may_hold_items, data.values()))
    if are_values or not isinstance(data, Mapping | list | tuple):
        return None  # paths or numbers by their names; a frame
    documents = features.found(Forms)
    return documents and documents.form_of_document(data)


def _may_hold_items(value: Any) -> bool:
    """Return whether a value is a collection of further ones, as lists, dictionaries, frames."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _is_ranx(data: Any) -> bool:
    is_of_ranx = type(data).__module__.partition(".")[0] == "ranx"
    return is_of_ranx and type(data).__name__ in ("Run", "Qrels")


def _is_dataset(data: Any) -> bool:
    is_of_arrow = type(data).__module__.partition(".")[0] == "pyarrow"
    return is_of_arrow and hasattr(data, "to_table") and not hasattr(data, "__arrow_c_stream__")
