"""Expressions that look at one row at a time, with the same bits however many rows there are."""

from __future__ import annotations

import polars as pl


def row_by_row(rows: pl.DataFrame, **terms: pl.Expr) -> pl.DataFrame:
    """Compute expressions that need nothing from the rows below their own.

    Polars raises to the power of a single number by another function than to the power of a column,
    and takes a column of one row, or of equal rows, for a number: the last bit can differ. The
    value of a request would then depend on the other requests. So a second row of nulls is added to
    one row.

    Examples
    --------
    >>> power = 0.8 ** pl.col("p")
    >>> one, two = (row_by_row(pl.DataFrame({"p": [4, 5][:n]}), power=power) for n in (1, 2))
    >>> one["power"][0] == two["power"][0]
    True
    """
    if rows.height != 1:
        return rows.select(**terms)
    return pl.concat([rows, rows.clear(1)]).select(**terms).head(1)
