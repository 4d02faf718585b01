"""The cells in which the tables of two results differ, as rows of one long table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from lexiframe.core.base import to_polars

_STR = pl.String()
_TEXT = (pl.String, pl.Categorical, pl.Enum)
_LONG = dict.fromkeys(("table", "row", "column", "value", "other"), _STR)
NONE = pl.DataFrame(schema={**_LONG, "difference": pl.Float64()})
_ROW, _NTH, _OTHER = "\0row", "\0nth", "\0"
"""Columns that no table has: the names in a row, which of its like it is; and an ending."""


def by_table(a: Any, b: Any, tolerance: float) -> Iterator[pl.DataFrame]:
    """Yield the differing cells of each table that has some; tables are made one by one.

    ``a`` and ``b`` are results as their method ``_compared`` returns them.
    """
    (asked, tables), (asked_b, tables_b) = a, b
    tables = {"asked": lambda: _options(asked), **tables}
    tables_b = {"asked": lambda: _options(asked_b), **tables_b}
    cells: Iterable[pl.DataFrame]
    for name in {**tables, **tables_b}:
        if name in tables and name in tables_b:
            table, other = to_polars(tables[name]()), to_polars(tables_b[name]())
            cells = () if table.equals(other) else _cells(table, other, tolerance)
        else:
            cells = _lacking(NONE.clear(1), "a table", is_here=name in tables)
        found = pl.concat([NONE, *cells], how="diagonal_relaxed")
        if found.height:
            yield found.with_columns(table=pl.lit(name))


def _options(asked: Mapping[str, Any]) -> pl.DataFrame:
    """Return options and their values as text; options of options have both names."""
    flat = dict(_flat(asked))
    # lists of one text each, because a text would be a name of the row
    said = [[it if isinstance(it, str) else json.dumps(it, default=str)] for it in flat.values()]
    return pl.DataFrame(
        {"option": [*flat], "value": said}, {"option": _STR, "value": pl.List(_STR)}
    )


def _flat(asked: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in asked.items():
        is_inner = isinstance(value, Mapping) and value
        yield from _flat(value, f"{before}{name}.") if is_inner else [(f"{before}{name}", value)]


def _rows_named(a: pl.DataFrame, b: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Return tables with the names in each row as one text; null for NaN, and text for lists."""
    lists, floats = pl.selectors.list().list.join(", "), pl.selectors.float().fill_nan(None)
    tables = [one.with_columns(floats) for one in (a, b)]
    texts = [{n for n, dtype in of.schema.items() if dtype in _TEXT} for of in tables]
    keys = [n for n in tables[0].columns if n in texts[0] & texts[1]]
    said = [pl.format(f"{n}={{}}", pl.col(n).cast(_STR)) for n in keys]
    number = pl.format("no. {}", pl.int_range(1, pl.len() + 1))
    row = pl.concat_str(said, separator=", ", ignore_nulls=True) if keys else number
    nth = pl.int_range(pl.len()).over(_ROW).alias(_NTH)
    for of in tables:
        yield of.with_columns(row.alias(_ROW), lists).drop(keys).with_columns(nth)


def _cells(a: pl.DataFrame, b: pl.DataFrame, tolerance: float) -> Iterator[pl.DataFrame]:
    """Yield the rows and columns of only one table, and the cells that differ, by column."""
    a, b = _rows_named(a, b)
    both = a.join(b, on=[_ROW, _NTH], how="full", suffix=_OTHER, maintain_order="left_right")
    for one, is_here in ((_ROW + _OTHER, True), (_ROW, False)):
        rows = both.filter(pl.col(one).is_null())
        yield from _lacking(rows.select(row=_ROW if is_here else _ROW + _OTHER), "a row", is_here)
    both = both.drop_nulls([_ROW, _ROW + _OTHER])
    for name in dict.fromkeys([*a.columns, *b.columns]):
        if name in (_ROW, _NTH):
            continue
        if not (name in a.columns and name in b.columns):
            here = pl.DataFrame({"column": [name]})
            yield from _lacking(here, "a column", is_here=name in a.columns)
            continue
        x, y = pl.col(name), pl.col(name + _OTHER)
        types = a.schema[name], b.schema[name]
        are_numbers = all(of.is_numeric() for of in types)
        if not are_numbers and types[0] != types[1]:
            x, y = x.cast(_STR), y.cast(_STR)
        apart = y.cast(pl.Float64) - x.cast(pl.Float64) if are_numbers else pl.lit(None, pl.Float64)
        is_other = x.ne_missing(y)
        if tolerance:
            is_other &= ~(apart.abs() <= tolerance).fill_null(value=False)
        said = {"value": x.cast(_STR), "other": y.cast(_STR), "difference": apart}
        yield both.filter(is_other).select(row=_ROW, column=pl.lit(name), **said)


def _lacking(rows: pl.DataFrame, what: str, is_here: bool) -> Iterable[pl.DataFrame]:
    """Yield the rows of a thing that only one of the two results has."""
    yield rows.with_columns(pl.lit(what).alias("value" if is_here else "other"))
