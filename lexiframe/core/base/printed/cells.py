"""The cells of tables as text: numbers, p-values, names and missing values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import polars as pl

from lexiframe.core.base.errors import escaped

MISSING = "—"
"""What stands where a table has no value."""
_LONGEST = 200
"""The number of characters of a cell that a text table shows."""
_LONGEST_NAME = 40
"""The number of characters of a name in a cell that lists several."""
_MOST_DECIMALS = 17
_WORDS = {None: MISSING, True: "true", False: "false"}
_P_VALUE = re.compile(r"p_(value|adjusted|not_worse|equivalent|better)")
_RANK = re.compile(r"(lowest_|highest_)?rank(_\w+)?|shift")
_NUMBER = re.compile(
    r"(<?-?([0-9]+(\.[0-9]+)?(e-[0-9]+)?|inf)[*~▲▼ ]{0,2}"
    r"( -?[0-9.]+–-?[0-9.]+|±[0-9.]+)?|—)?"
)
"""A number as text, perhaps with the marks of means, and an interval."""


def cell(name: str, value: Any, decimals: int = 3) -> str:
    """Return a value of a column as people read it; a number is never cut, a list has commas.

    Examples
    --------
    >>> cell("p_value", 1e-9), cell("p_value", 0.25), cell("mean", -0.0001), cell("n", None)
    ('<0.001', '0.250', '-1e-04', '—')
    >>> cell("rank", 2.0), cell("rank", 2.5), cell("rank", 2.25)
    ('2', '2.5', '2.250')
    >>> cell("best", ["a", "b"])
    'a, b'
    """
    if isinstance(value, float):
        return _number_text(name, value, decimals)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return shortened(_uncut_text(name, value), _LONGEST)


def column_cells(name: str, values: Iterable[Any], decimals: int = 3) -> list[str]:
    """Return the values of a column as people read them: see `cell`."""
    return [cell(name, value, decimals) for value in values]


def shortened(text: str, most: int = _LONGEST_NAME) -> str:
    """Take the middle out of a long text: names of runs differ at the beginning and at the end."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def _number_text(name: str, value: float, decimals: int) -> str:
    least = 10**-decimals
    if _RANK.fullmatch(name) and (2 * value).is_integer():  # runs that tie share a rank with .5
        return f"{value:g}"
    if _P_VALUE.match(name) and value < least:
        return f"<{least:.{decimals}f}"
    if 0 < abs(value) < least / 2:  # it would be written as zero
        return f"{value:.0e}"
    return f"{value:.{decimals}f}"


def p_text(value: float | None, alpha: float) -> str:
    """Return a p-value with as many digits as show on which side of alpha it is.

    Examples
    --------
    >>> p_text(0.0312, 0.05), p_text(0.04996, 0.05), p_text(0.0502, 0.05), p_text(0.05, 0.05)
    ('0.031', '0.04996', '0.0502', '0.050')
    """
    if value is None or value != value:
        return cell("p_value", value)
    written = (_number_text("p_value", value, decimals) for decimals in range(3, _MOST_DECIMALS))
    right = (text for text in written if _side(text, alpha) == (value > alpha) - (value < alpha))
    return next(right, repr(value))


def _side(text: str, alpha: float) -> int | None:
    """Return −1, 0 or 1 for a written p-value below, at or above alpha; None if unclear."""
    shown = float(text.removeprefix("<"))
    if text.startswith("<"):
        return -1 if shown <= alpha else None
    return (shown > alpha) - (shown < alpha)


def write_p_values(table: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """Return a table with its p-values as text, see `p_text`."""
    p_values = (column for column in table if _P_VALUE.match(column.name))
    return table.with_columns(texts_of(column, partial(p_text, alpha=alpha)) for column in p_values)


def texts_of(column: pl.Series, write: Callable[[Any], str]) -> pl.Series:
    """Return a column of texts: each value as ``write`` has it."""
    return pl.Series(column.name, [write(value) for value in column], pl.String)


def as_cells(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table with all cells as text."""
    return table.select(texts_of(column, partial(cell, column.name)) for column in table)


def are_numbers(column: pl.Series) -> bool:
    """Return whether a column has numbers, or text that is numbers, as means and ranks are here."""
    if column.dtype != pl.String:
        return column.dtype.is_numeric()
    return all(_NUMBER.fullmatch(text) for text in column.to_list() if text is not None)


def as_texts(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table with all cells as text that is never cut; lists are joined by commas."""
    return table.select(texts_of(column, partial(_uncut_text, column.name)) for column in table)


def _uncut_text(name: str, value: Any) -> str:
    if isinstance(value, pl.Series | list):
        return ", ".join(escaped(str(one)) for one in value)
    is_other = value is None or isinstance(value, bool | float)
    return cell(name, value) if is_other else escaped(str(value))
