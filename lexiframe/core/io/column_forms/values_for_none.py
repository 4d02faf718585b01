"""Numbers that stand for none: -1 of a judge that failed, or where there is no neighbour."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from lexiframe.core.base import Problem, SchemaError, n_and_first, printed, warn

NaValues = float | Sequence[float] | None
"""What stands for none: a number or several; none of them where the list is empty."""
_NONE = -1
_WHOLE = re.compile("-?[0-9]+").fullmatch
_HEAD = 8
"""The ids by which a column is known to have others than whole numbers."""
_USUAL = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""What people write for none; any other negative value may be one."""
_TERNARY = (-1.0, 0.0, 1.0)
"""Losses, ties and wins, of which -1 is no value apart."""


def values_in(na_values: NaValues) -> list[float]:
    """Return the numbers that stand for none, as a list."""
    given = na_values if isinstance(na_values, Sequence) else [na_values]
    return [float(x) for x in given if x is not None]


def drop_values(rows: pl.DataFrame, column: str, na_values: NaValues) -> pl.DataFrame:
    """Return rows with null in place of the numbers that stand for none."""
    values = values_in(na_values)
    is_none = pl.col(column).is_in(values)
    return rows.with_columns(pl.when(~is_none).then(column)) if values else rows


def warn_of_values(rows: pl.DataFrame, by: Sequence[str], where: str) -> None:
    """Warn how often a usual number for none is the one value below 0 of a group."""
    x = pl.col("value")
    found = rows.group_by(by).agg(
        least=x.min(), n=(x == x.min()).sum(), next=x.filter(x > x.min()).min(), greatest=x.max(),
        is_ternary=x.is_in(_TERNARY).all(),
    )  # fmt: skip
    is_apart = pl.col("least").is_in(_USUAL) & (pl.col("next") >= 0)
    found = found.filter(is_apart & ~pl.col("is_ternary")).sort("least", *by)
    if found.height:
        one = found.filter(least=found["least"][0])
        of = pl.col("n").sum(), pl.col("next").min(), pl.col("greatest").max()
        (n, low, high), least = one.select(of).row(0), f"{one['least'][0]:g}"
        names = n_and_first(one[by[0]].unique(maintain_order=True))
        warn(
            f"{where}: found {least} as {printed.counted(n, 'value')} of {names}, all others from "
            f"{low:g} to {high:g}; if {least} stands for no value, na_values={least} reads it as "
            "none"
        )


def may_have_none(ids: pl.Series) -> bool:
    """Return whether -1 is among ids that begin as whole numbers, beside which it is doubted."""
    if ids.dtype.is_signed_integer():
        return bool((ids == _NONE).any())
    is_number = ids.dtype == pl.String and all(map(_WHOLE, ids.head(_HEAD).drop_nulls()))
    return is_number and bool((ids == str(_NONE)).any())


def drop_none(rows: pl.DataFrame, where: str, na_values: NaValues) -> pl.DataFrame:
    """Return rows without documents that stand for none; raise for -1 beside whole numbers.

    A query of a run that has no other document keeps one row without any, as an empty list has.
    """
    ids = rows["doc_id"]
    is_whole, is_said = ids.dtype.is_signed_integer(), na_values is not None
    if is_said and not values_in(na_values):
        return rows
    if not (may_have_none(ids) or (is_said and (is_whole or ids.dtype == pl.String))):
        return rows
    values = [f"{x:.15g}" for x in (values_in(na_values) if is_said else [_NONE])]
    text = ids.cast(pl.String)
    is_none = (text == values[0] if len(values) == 1 else text.is_in(values)).fill_null(value=False)
    if not is_none.any():
        return rows
    others = text.filter(~is_none)
    are_numbers = others.str.contains(r"^[0-9]+$").all() and (is_whole or len(others) > 0)
    if not is_said and are_numbers:
        n = printed.counted(int(is_none.sum()), "row")
        found = f"{_NONE} in {n}, beside whole numbers: no neighbour, as in faiss"
        advice = "na_values=-1 leaves these rows out, na_values=[] keeps them"
        raise SchemaError(Problem(where, "ids of documents", found, advice))
    if not is_said:
        return rows
    kept = rows.filter(~is_none)
    if "relevance" in rows.columns:
        return kept
    key = [name for name in ("run", "replicate", "query_id") if name in rows.columns]
    alone = rows.filter(is_none).unique(key, maintain_order=True).join(kept, on=key, how="anti")
    return pl.concat([kept, alone.select(*key)], how="diagonal")
