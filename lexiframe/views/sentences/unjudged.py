"""The table of `unjudged` in words."""

from __future__ import annotations

import polars as pl

from lexiframe.base import schemas
from lexiframe.views.sentences.rows import sentence_of_each


def unjudged_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say (for each group) how many documents are to be judged, and how many have most weight."""
    return sentence_of_each(table, schemas.UNJUDGED, [], _sentence)


def _sentence(part: pl.DataFrame, of_group: str) -> str:
    if part.is_empty():
        return "All documents in the tops of the runs are judged."
    documents, are = ("document", "is") if part.height == 1 else ("documents", "are")
    # the documents above those that complete the share, and the one that does
    half, most = ((part["cumulated_share"] < share).sum() + 1 for share in (0.5, 0.9))
    return (
        f"{part.height:,} {documents} in the tops of the runs {are} not judged{of_group}; the "
        f"first {half:,} of the table have half of the weight of all, the first {most:,} nine "
        "tenths."
    )
