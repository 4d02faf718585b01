"""The verdict on a table of decisions: which table it is, and who puts it into words."""

from __future__ import annotations

import polars as pl

from lexiframe.base import schemas
from lexiframe.base.face import read_stub
from lexiframe.views import sentences

_TITLE = "Verdicts on tables"
"""The group in the stub of this folder; each function has the name of its table's schema."""


def sentences_of(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return the verdict on a table of decisions, or None for any other table.

    A table is recognised by its columns; attributes of groups may stand in front of them. The
    verdict is a frame with a row for each sentence, whose last column is ``sentence``.
    """
    columns = {*table.columns}
    for title, _, places in read_stub(sentences.__name__, sentences.__file__)[1]:
        for name in places if title == _TITLE else ():
            if {*getattr(schemas, name).required} <= columns:
                found: pl.DataFrame = getattr(sentences, name)(table)
                return found
    return None
