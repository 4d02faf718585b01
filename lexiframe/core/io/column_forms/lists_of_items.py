"""Frames with lists of items, as recommenders keep them: each item becomes a row of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from lexiframe.core.base import Problem, SchemaError, n_and_first, schemas
from lexiframe.core.io.column_forms.column_names import columns_of, words_for
from lexiframe.core.io.rare_forms import forms_of_table


def rename_columns(
    frame: pl.DataFrame,
    schema: schemas.TableSchema,
    where: str,
    columns: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Return a table's columns under lexiframe's names, with one row for each item of a list."""
    if lists := forms_of_table(frame, schema):
        frame = lists.rows_of_ids(frame, schema, where, columns or {})
    frame = unnest_lists(frame, where, columns or {})
    found = columns_of(frame.columns, schema, where, columns or {})
    # by Series, since Polars takes the names * and ^...$ for patterns
    return frame.select(frame[theirs].alias(ours) for ours, theirs in found.items())


def unnest_lists(frame: pl.DataFrame, where: str, columns: Mapping[str, str]) -> pl.DataFrame:
    """Make one row of each item in the column of lists, if any; an empty list is a row of nulls.

    Items that are null are left out: they fill up lists that have to be equally long.
    """
    fields = {
        name: [field.name for field in dtype.inner.fields]
        for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.List | pl.Array) and isinstance(dtype.inner, pl.Struct)
    }
    name = column_of_items(fields, frame.columns, where, columns)
    if name is None:
        return frame
    is_array = isinstance(frame[name].dtype, pl.Array)  # arrays have no drop_nulls
    lists = frame[name].arr.to_list() if is_array else frame[name]
    filled = frame.with_columns(lists.list.drop_nulls())
    return filled.explode(name, empty_as_null=True).unnest(name)


def column_of_items(
    fields: Mapping[str, Sequence[str]],
    names: Sequence[str],
    where: str,
    columns: Mapping[str, str],
) -> str | None:
    """Return the column whose lists hold the documents; None if another column holds them.

    ``fields`` are the fields of items, ``{column of lists: names}``, and ``names`` all columns.
    Raise SchemaError for two columns of lists, and for a field that has the name of a column.
    """
    others = [name for name in names if name not in fields]
    if not fields or not {*words_for("doc_id", columns)}.isdisjoint(others):
        return None
    if len(fields) > 1:
        found = n_and_first(fields)
        raise SchemaError(Problem(where, "one column of lists of items", found))
    ((name, inner),) = fields.items()
    twice = [field for field in inner if field in others]
    if twice:
        found = f"{twice[0]} is a column and a field of {name}"
        raise SchemaError(Problem(where, "", found, "rename one"))
    return name
