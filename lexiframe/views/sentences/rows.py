"""What modules of sentences share: the attributes of groups, and a sentence for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

import polars as pl

from lexiframe.base import escaped, schemas


def attributes_of(table: pl.DataFrame, schema: schemas.TableSchema) -> list[str]:
    """Return the attributes of groups: the columns in front of those of the table."""
    return [*takewhile(lambda name: name not in schema.columns, table.columns)]


def sentence_of_each(
    rows: pl.DataFrame, key: Sequence[str], names: list[str], say: Callable[..., str]
) -> pl.DataFrame:
    """Return the key of each row, and what is said of it; ``names`` are attributes of groups."""
    said = [escaped(say(row, names)) for row in rows.iter_rows(named=True)]
    return rows.select(*names, *key).with_columns(sentence=pl.Series(said, dtype=pl.String))
