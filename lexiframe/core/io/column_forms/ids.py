"""The check that ids of runs, queries and documents are text, and that none is empty."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from lexiframe.core.base import SchemaError, schemas
from lexiframe.core.base import coded as categories


def checked_ids(
    table: pl.DataFrame, schema: schemas.TableSchema, where: str, *, coded: Collection[str] = ()
) -> pl.DataFrame:
    """Check a table as `check` does, and raise for an id that is the empty string."""
    table = schemas.check(table, schema, where, coded=coded)
    for name in schema.key:
        if name not in table.columns or not categories.are_strings(table[name]):
            continue
        is_empty = table[name] == ""
        if is_empty.any():
            raise SchemaError(
                f"{where}, row {is_empty.arg_true()[0] + 1}: expected an id as {name}, found an "
                f"empty one ({is_empty.sum()} such rows); give it an id, or leave the row out"
            )
    return table
