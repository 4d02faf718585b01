"""The rows of a file before any value is converted, and their places."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from lexiframe.core.base import Problem, SchemaError, schemas
from lexiframe.core.io.column_forms.column_names import columns_of, items_of_implicit_feedback
from lexiframe.core.io.column_forms.numbers import NumberAsWritten
from lexiframe.core.io.problems.problem_tables import problem_of, short, table_of


@dataclass(frozen=True)
class Hint:
    """The advice from a malformed first line; it applies to all lines with as many fields."""

    line: int
    width: int
    advice: str


@dataclass(frozen=True)
class Rows:
    """Rows of a file, or of a block of it, and their places.

    Attributes
    ----------
    table
        The columns of the file: text, Arrow's types, or Python objects for values of JSON.
    places
        The number of each row's line, row or record.
    unit
        What ``places`` counts: ``"line"``, ``"row"`` or ``"record"``; ``""`` if they only sort.
    problems
        The problems of lines and records that could not be read as rows.
    order
        The order of the rows among the problems, if it is not that of ``places``.
    behind
        The text that follows the problems of each row in messages.
    called
        How messages call columns without names: ``"in field 5 (score)"``.
    decimal
        The decimal separator of text; empty for files that are not text.
    has_numbers
        Whether numbers have to be numbers of JSON, not text.
    hint
        What a malformed first line suggests about the whole file.
    """

    table: pl.DataFrame
    places: pl.Series
    unit: str = "line"
    problems: pl.DataFrame = field(default_factory=lambda: table_of([]))
    order: pl.Series | None = None
    behind: pl.Series | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    decimal: str = ""
    has_numbers: bool = False
    hint: Hint | None = None


@dataclass(frozen=True)
class Column:
    """A column of a file that holds one of our columns: our name, and its name in messages.

    ``values`` are the cells as they are in the file, ``texts`` the same as text; a cell that is
    neither text nor a number is null there.
    """

    ours: str
    called: str
    values: pl.Series
    texts: pl.Series

    def filter(self, mask: pl.Series) -> Column:
        """Return the column with the rows where the mask is true."""
        return replace(self, values=self.values.filter(mask), texts=self.texts.filter(mask))


def columns_in(
    rows: Rows, where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> tuple[dict[str, Column], list[Problem]]:
    """Return our columns that the file has, and the problems of columns as a whole."""
    names, problems = _map_names(rows, where, schema, columns)
    found = {}
    for ours in (name for name in schema.columns if name in names):
        values = rows.table[names[ours]]
        try:
            if values.dtype != pl.Object:  # check the type alone, on a column without rows
                alone = replace(schema, key=(), columns={values.name: schema.columns[ours]})
                schemas.check(values.clear().to_frame(), alone, where)
        except SchemaError as error:
            problems.append(problem_of(error, where))
            continue
        texts = _texts(values, rows, is_id=ours in schema.key)
        found[ours] = Column(ours, rows.called.get(ours, f"as {values.name}"), values, texts)
    return found, problems


def _map_names(
    rows: Rows, where: str, schema: schemas.TableSchema, columns: Mapping[str, str]
) -> tuple[dict[str, str], list[Problem]]:
    """Map our names to the file's; report missing columns and map the remaining ones."""
    problems: list[Problem] = []
    is_implicit = items_of_implicit_feedback(rows.table.columns, columns) is not None
    if schema.name == "qrels" and is_implicit:  # grades may then be missing
        schema = replace(schema, optional=(*schema.optional, "relevance"))
    for wanted in (schema, replace(schema, optional=tuple(schema.columns))):
        try:
            return columns_of(rows.table.columns, wanted, where, columns), problems
        except SchemaError as error:
            problems = problems or [problem_of(error, where)]
    return {}, problems


def _texts(values: pl.Series, rows: Rows, *, is_id: bool) -> pl.Series:
    if values.dtype == pl.Object:
        text = _id if is_id else _written_number if rows.has_numbers else _number_or_text
        return pl.Series(map(text, values), dtype=schemas.STR)
    texts = values.cast(schemas.STR)
    if is_id or not rows.decimal:
        return texts
    texts = texts.str.strip_chars()
    return texts.str.replace(",", ".", literal=True) if rows.decimal == "," else texts


def may_be_id(value: Any) -> bool:
    """Return whether a value can be an id: text, or a whole number, which is read as text."""
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _id(value: Any) -> str | None:
    return None if value is None or not may_be_id(value) else str(value)


def _written_number(value: Any) -> str | None:
    is_text = isinstance(value, str) and not isinstance(value, NumberAsWritten)
    return None if is_text else _number_or_text(value)


def _number_or_text(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def shown(values: pl.Series) -> pl.Series:
    """Return cells for error messages: text in quotes, other values as JSON writes them."""
    if values.dtype == pl.Object:
        texts = [f"'{v}'" if isinstance(v, str) else json.dumps(v) for v in values]
        given = pl.Series(texts, dtype=schemas.STR).set(values.is_null(), None)
    else:
        quote = "'" if values.dtype == schemas.STR else ""
        given = quote + values.cast(schemas.STR) + quote
    return short(given.fill_null("none"))
