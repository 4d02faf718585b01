"""The verdict on a table of decisions: which table it is, and who puts it into words."""

from __future__ import annotations

import polars as pl

from lexiframe.base import schemas
from lexiframe.base.face import FEATURES, listed
from lexiframe.views import sentences


def sentences_of(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return the verdict on a table of decisions, or None for any other table.

    The stub of this folder has a function for each table, under the name of its schema. A table is
    recognised by its columns; attributes of groups may stand in front of them. The
    verdict is a frame with a row for each sentence, whose last column is ``sentence``.
    """
    columns = {*table.columns}
    for name in listed(sentences, FEATURES):
        if {*getattr(schemas, name).required} <= columns:
            found: pl.DataFrame = getattr(sentences, name)(table)
            return found
    return None
