"""The table of `unjudged` in words."""

from __future__ import annotations

from typing import Any

import polars as pl

from lexiframe.base import escaped, schemas
from lexiframe.views.sentences.rows import attributes_of
from lexiframe.views.sentences.words import for_group

_NONE = "All documents in the tops of the runs are judged."


def unjudged_sentences(table: pl.DataFrame) -> pl.DataFrame:
    """Say (for each group) how many documents are to be judged, and how many have most weight."""
    names = attributes_of(table, schemas.UNJUDGED)
    by = [f"by {name}" for name in names]  # an attribute may have the name of a column below
    table = table.rename(dict(zip(names, by, strict=True)))
    # the documents above those that complete the share, and the one that does
    until = {
        f"n_{share}": (pl.col("cumulated_share") < share / 100).sum() + 1 for share in (50, 90)
    }
    numbers = [pl.len().alias("n"), *(n.alias(name) for name, n in until.items())]
    rows = table.group_by(by, maintain_order=True).agg(numbers) if by else table.select(numbers)
    said = [_sentence(row, names) for row in rows.iter_rows(named=True)]
    sentences = rows.with_columns(sentence=pl.Series(said, dtype=pl.String))
    return sentences.select(*by, "sentence").rename(dict(zip(by, names, strict=True)))


def _sentence(row: dict[str, Any], names: list[str]) -> str:
    if row["n"] == 0:
        return _NONE
    verb = (
        "document in the tops of the runs is"
        if row["n"] == 1
        else ("documents in the tops of the runs are")
    )
    return escaped(
        f"{row['n']:,} {verb} not judged{for_group(row, names, 'by ')}; the first "
        f"{row['n_50']:,} of the table have half of the weight of all, "
        f"the first {row['n_90']:,} nine tenths."
    )
