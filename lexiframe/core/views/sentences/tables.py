"""The verdict on a table of decisions: which table it is, and who puts it into words."""

from __future__ import annotations

import polars as pl

from lexiframe import features
from lexiframe.core.base import schemas
from lexiframe.core.significance import concluded_in_words

_OF_THE_CORE = (
    (schemas.CONCLUSIONS, concluded_in_words.conclusion_sentences),
    (schemas.CONCLUSION_PAIRS, concluded_in_words.pair_sentences),
)


def sentences_of(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return the verdict on a table of decisions, or None for any other table.

    A table is recognised by its columns; attributes of groups may stand in front. The verdict is a
    frame with a row for each sentence, whose last column is ``sentence``.
    """
    columns = {*table.columns}
    for schema, in_words in (*_OF_THE_CORE, *features.verdicts()):
        if {*schema.required} <= columns:
            return in_words(table)
    return None
