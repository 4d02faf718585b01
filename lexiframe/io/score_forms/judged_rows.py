"""What judges write among scores: words for numbers, and means that may not be those of the rows.

Both functions return what to warn of, because files are read in threads.
"""

from __future__ import annotations

import polars as pl

from lexiframe.base import n_and_first
from lexiframe.io.column_forms.measure_names import SUMMARIES, are_measures

_WORDS = {"true": "1", "false": "0"}
_NEAR = 1e-6
"""The share by which a mean may differ from that of its rows."""


def words_as_numbers(
    table: pl.DataFrame, measure: str, value: str, empty: list[str]
) -> tuple[pl.DataFrame, str]:
    """Return the rows with true and false as 1 and 0, without measures that have no number.

    Examples
    --------
    >>> rows = {"measure": ["FAIR", "WHY"], "value": ["True", "too long"]}
    >>> table, doubt = words_as_numbers(pl.DataFrame(rows), "measure", "value", [])
    >>> table.rows(), doubt
    ([('FAIR', '1')], "measures whose values are no numbers, left out: 1 ('WHY')")
    """
    if table[value].dtype != pl.String:
        return table, ""
    text = pl.col(value).str.strip_chars().str.to_lowercase()
    table = table.with_columns(
        pl.when(text.is_in([*_WORDS])).then(text.replace(_WORDS)).otherwise(value).alias(value)
    )
    is_number = text.cast(pl.Float64, strict=False).is_not_null() | text.is_in(empty)
    has_number = is_number.any().over(measure)
    left_out = table.filter(~has_number)[measure].unique().sort()
    if not len(left_out) or len(left_out) == table[measure].n_unique():
        return table, ""
    return table.filter(has_number), (
        f"measures whose values are no numbers, left out: {n_and_first(left_out)}"
    )


def other_means(table: pl.DataFrame, run: str, query: str, measure: str, value: str) -> str:
    """Return which means over all requests are not those of the rows.

    Tools make other summaries than means by measures that they all know, such as numbers.
    """
    if table[query].dtype != pl.String:
        return ""
    own = ~pl.col(measure).is_in(are_measures(table[measure].unique()))
    rows = table.filter(own).with_columns(pl.col(value).cast(pl.Float64, strict=False))
    is_mean = pl.col(query).is_in(SUMMARIES)
    of_rows = rows.filter(~is_mean).group_by(run, measure).agg(mean=pl.col(value).mean())
    both = rows.filter(is_mean).join(of_rows, on=[run, measure])
    apart = (pl.col(value) - pl.col("mean")).abs() > _NEAR * pl.col("mean").abs()
    found = both.filter(apart).sort(run, measure)
    if found.is_empty():
        return ""
    first = found.select(run, measure, value, "mean").row(0)
    return (
        f"means over all requests that are not those of the rows, which count: {found.height}, the "
        f"first of {first[0]!r} and {first[1]!r}: {first[2]:g}, not {first[3]:g}"
    )
