"""Strings as integer codes: long tables have strings as keys, arrays have integers.

Ids that come as integers stay codes until a table is shown: a column of categories, each of which
is the string of an integer. What is done with ids is done with strings and categories alike, by
`of_each`, which looks at each category once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

_SEEN = 1000  # rows that tell whether equal strings stand together
_SHORT = 1 << 16  # a table of that many integers costs next to nothing


def categories_of(column: pl.Series) -> pl.Series:
    """Give integers as categories: each different one becomes a string once, as a cast writes it.

    Integers from a range that is longer than the column become strings row by row.

    Examples
    --------
    >>> categories_of(pl.Series([12, 7, None, 12])).to_list()
    ['12', '7', None, '12']
    """
    least, greatest = column.min(), column.max()
    if not isinstance(least, int) or not isinstance(greatest, int):  # null throughout
        return column.cast(pl.String)
    is_long = greatest - least >= max(len(column), _SHORT)
    if is_long or least < -(1 << 63) or greatest >= 1 << 63:
        return column.cast(pl.String)
    place = column.cast(pl.Int64) - least
    is_there = np.zeros(greatest - least + 1, np.bool_)
    is_there[place.drop_nulls().to_numpy()] = True
    there = np.flatnonzero(is_there)
    strings = pl.Series(there + least).cast(pl.String)
    number = np.zeros(len(is_there), np.uint32)
    number[there] = np.arange(len(there))
    by_place = strings.cast(pl.Enum(strings)).gather(number)
    return by_place.gather(place).alias(column.name)


def of_each(ids: pl.Series, function: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Apply a function of strings, row by row, to strings or categories: to each category once.

    Examples
    --------
    >>> of_each(categories_of(pl.Series([12, 7, 12])), lambda ids: ids.str.len_bytes()).to_list()
    [2, 1, 2]
    """
    if not isinstance(ids.dtype, pl.Enum):
        return function(ids)
    categories = ids.dtype.categories
    if len(categories) > len(ids):
        return function(ids.cast(pl.String))
    return function(categories).gather(ids.to_physical()).alias(ids.name)


def strings_of(ids: pl.Series) -> pl.Series:
    """Give strings or categories as plain strings."""
    return of_each(ids, lambda strings: strings)


def as_strings(frame: pl.DataFrame) -> pl.DataFrame:
    """Give the columns of categories of a frame as plain strings."""
    return frame.with_columns(
        strings_of(frame[name]) for name in frame.columns if isinstance(frame.schema[name], pl.Enum)
    )


def encode(column: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Give a column's distinct strings, sorted, and each row's index among them.

    Examples
    --------
    >>> names, codes = encode(pl.Series(["b", "a", "b"]))
    >>> names.to_list(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if column.head(_SEEN).rle_id().max() == min(len(column), _SEEN) - 1:
        return _encode(column)
    stretches = column.rle().struct.unnest()
    names, codes = _encode(stretches["value"])
    return names, np.repeat(codes, stretches["len"].to_numpy())


def _encode(ids: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Number the ids, so that only the distinct ones become strings and are sorted."""
    is_numbered = isinstance(ids.dtype, pl.Enum)
    numbered = ids if is_numbered else ids.cast(pl.Categorical(pl.Categories.random()))
    code = numbered.to_physical().to_numpy().astype(np.int64)
    some_row = np.full(int(code.max(initial=-1)) + 1, -1)
    some_row[code] = np.arange(len(code))
    there = np.flatnonzero(some_row >= 0)
    names = strings_of(ids.gather(some_row[there]))
    order = names.arg_sort().to_numpy()
    place = np.empty(len(some_row), np.int64)
    place[there[order]] = np.arange(len(order))
    return names.gather(order), place[code]


def decode(names: pl.Series, codes: np.ndarray) -> pl.Series:
    """Give the string of each code."""
    return names.gather(codes)


def order_of(*keys: np.ndarray) -> np.ndarray:
    """Give the order of rows by whole numbers from 0, the first key first; what ties stays.

    Sorting the numbers themselves, with the row's behind them, is several times faster than
    sorting rows by them; where they do not fit into 64 bits it is done so nevertheless.

    Examples
    --------
    >>> order_of(np.array([1, 0, 1]), np.array([2, 9, 1])).tolist()
    [1, 2, 0]
    """
    row = np.arange(len(keys[0]))
    numbers = [*keys, row]
    widths = [int(number.max(initial=0)).bit_length() for number in numbers]
    if sum(widths) > 63:
        return np.lexsort(keys[::-1])
    packed = np.zeros(len(row), np.int64)
    for number, width in zip(numbers, widths, strict=True):
        packed = (packed << width) | number
    packed.sort()
    return packed & ((1 << widths[-1]) - 1)
