"""Text that judges write among scores: words for numbers, and means that disagree with the rows.

Both functions return what to warn of, because files are read in threads.
"""

from __future__ import annotations

from typing import TypeVar

import polars as pl

from lexiframe.core.base import n_and_first
from lexiframe.core.io.column_forms.measure_names import SUMMARIES, are_measures

_WORDS = ({"true": "1", "false": "0"}, {"c": "1", "p": "0.5", "i": "0", "n": "0"})
"""Words for numbers, of which each column has those of one kind; letters are inspect_ai's."""
_SPREAD = r"^([+-]?[0-9.,]+)\s*(?:±|\+/?-)\s*[0-9.,]+$"
_NEAR = 1e-6
"""The share by which a mean may differ from that of its rows."""


Text = TypeVar("Text", pl.Series, pl.Expr)


def plain_value(text: Text) -> Text:
    """Return the value of a cell in small letters: 50.1 of 50.1 ± 1.2."""
    return text.str.strip_chars().str.to_lowercase().str.replace(_SPREAD, "${1}")


def text_as_numbers(text: pl.Series) -> pl.Series:
    """Replace words by numbers if all words are of one kind (true, false); else change nothing."""
    values = text.drop_nulls()
    words = next((one for one in _WORDS if len(values) and values[0] in one), {})
    return text.replace(words) if values.is_in([*words]).all() else text


def words_as_numbers(
    table: pl.DataFrame, measure: str, value: str, empty: list[str]
) -> tuple[pl.DataFrame, str]:
    """Return the rows with true and false as 1 and 0, without measures that have no number."""
    if table[value].dtype != pl.String:
        return table, ""
    text = plain_value(pl.col(value))
    truth, letters = _WORDS
    are_letters = text.is_in([*letters, *empty]).all().over(measure)  # without regard to nulls
    words = pl.when(are_letters).then(text.replace(letters)).otherwise(text.replace(truth))
    is_word = text.is_in([*truth]) | are_letters
    table = table.with_columns(pl.when(is_word).then(words).otherwise(value).alias(value))
    is_number = text.cast(pl.Float64, strict=False).is_not_null() | text.is_in(empty)
    has_number = is_number.any().over(measure)
    left_out = table.filter(~has_number)[measure].unique().sort()
    if not len(left_out) or len(left_out) == table[measure].n_unique():
        return table, ""
    return table.filter(has_number), (
        f"measures whose values are no numbers, left out: {n_and_first(left_out)}"
    )


def other_means(table: pl.DataFrame, run: str, query: str, measure: str, value: str) -> str:
    """Describe the means over all requests that differ from the means of the rows; "" if none.

    Known measures are left out: for numbers, say, tools write other summaries than means.
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
