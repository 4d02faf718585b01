"""The values of attributes that name groups of requests, as numbers or text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import polars as pl

from lexiframe.core.base import LexiframeError, n_and_first


def name_group_values(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return a table whose columns ``names`` can name groups; raise if they cannot.

    NaN becomes null. Durations, bytes of text, and intervals and periods of pandas become text:
    ``(0, 4]``, ``2024-01``. Lists and other nested values are refused.

    Examples
    --------
    >>> table = pl.DataFrame({"query_id": ["q1", "q2"], "length": [3.0, float("nan")]})
    >>> name_group_values(table, ["length"])["length"].to_list()
    [3.0, None]
    """
    return table.with_columns(_group_values(table[name]) for name in names)


def _group_values(column: pl.Series) -> pl.Series:
    dtype = column.dtype
    if isinstance(dtype, pl.Extension):
        stored = column.ext.storage()
        if stored.dtype.is_float() or dtype.ext_name() not in _TEXTS:
            return _group_values(stored)
        return _stored_text(dtype.ext_name(), dtype.ext_metadata(), stored)
    if dtype == pl.Duration:
        return column.dt.to_string("polars")
    if dtype == pl.Binary:
        return _strings(column)
    if dtype.is_nested() or dtype == pl.Object:
        raise _refused(column)
    return column.fill_nan(None) if dtype.is_float() else column


def _strings(column: pl.Series) -> pl.Series:
    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise _refused(column) from None


_REFUSED = {pl.Struct: "records", pl.Object: "objects", pl.Binary: "bytes that are no text"}


def _refused(column: pl.Series) -> LexiframeError:
    kind = next((kind for dtype, kind in _REFUSED.items() if column.dtype == dtype), "lists")
    values = [str(value) for value in column.drop_nulls().head(3).to_list()]
    return LexiframeError(
        f"by: expected one value for each request in {column.name}, such as a number or a text, "
        f"found {kind}: {n_and_first(values, len(column.drop_nulls()))}; give a column with one "
        "value for each request"
    )


def _stored_text(kind: str, metadata: str | None, stored: pl.Series) -> pl.Series:
    """Return intervals or periods as text; raise where their metadata do not say how."""
    try:
        return _TEXTS[kind](stored, json.loads(metadata or ""))
    except (ValueError, TypeError, KeyError, pl.exceptions.PolarsError, RecursionError) as error:
        raise LexiframeError(
            f"by: {stored.name} is said to hold values of the kind {kind}, which its metadata do "
            f"not tell ({type(error).__name__}: {error!s:.80}); give these values as text"
        ) from None


def _intervals(stored: pl.Series, metadata: dict[str, Any]) -> pl.Series:
    """Return intervals as pandas writes them: whole bounds have no decimals."""
    left, right = (_bound(stored.struct.field(name)) for name in ("left", "right"))
    opening = "[" if metadata["closed"] in ("left", "both") else "("
    closing = "]" if metadata["closed"] in ("right", "both") else ")"
    text = pl.concat_str(pl.lit(opening), left, pl.lit(", "), right, pl.lit(closing))
    text = pl.when(stored.is_not_null()).then(text)
    return pl.select(text.alias(stored.name)).to_series()


def _bound(values: pl.Series) -> pl.Series:
    text = _group_values(values).cast(pl.String)
    return text.str.strip_suffix(".0") if values.dtype.is_float() else text


def _periods(stored: pl.Series, metadata: dict[str, Any]) -> pl.Series:
    """Return periods as pandas writes them, which alone knows their names."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise LexiframeError(
            f"by: {stored.name} holds periods of pandas, which is not installed; give them as "
            "text, or pip install 'lexiframe[interop]'"
        ) from None
    numbers = stored.drop_nulls().unique().to_list()
    names = [str(pandas.Period(ordinal=n, freq=metadata["freq"])) for n in numbers]
    return stored.replace_strict(numbers, names, default=None, return_dtype=pl.String)


_TEXTS = {"pandas.interval": _intervals, "pandas.period": _periods}
"""How values of the extension types that pandas makes become text."""
