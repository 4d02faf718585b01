"""Strings as integer codes: the keys of long tables are strings, arrays need integers.

Ids that are read as integers stay codes until a table is shown: they become a column of categories
(`categories_of`), each of which is an integer written as a string. Other code need not know the
difference: `of_each` applies a function of strings to either kind of column.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

_SEEN = 1000
"""The number of rows from which `encode` judges whether equal strings follow each other."""
_SHORT = 1 << 16
"""A lookup table of up to this many integers costs next to nothing, however short the column."""


def categories_of(column: pl.Series) -> pl.Series:
    """Turn integers into categories: each distinct integer is written as a string only once.

    Integers whose range is wider than the column is long become plain strings instead: the lookup
    table, which has an entry for each integer of the range, would cost more than it saves.

    Examples
    --------
    >>> categories_of(pl.Series([12, 7, None, 12])).to_list()
    ['12', '7', None, '12']
    """
    least, greatest = column.min(), column.max()
    if not isinstance(least, int) or not isinstance(greatest, int):  # all values are null
        return column.cast(pl.String)
    is_long = greatest - least >= max(len(column), _SHORT)
    if is_long or least < -(1 << 63) or greatest >= 1 << 63:
        return column.cast(pl.String)
    stretches = _in_stretches(column)
    place = (column if stretches is None else stretches["value"]).cast(pl.Int64) - least
    is_there = np.zeros(greatest - least + 1, np.bool_)
    for chunk in place.drop_nulls().get_chunks():  # a copy of all would take longer than the rest
        is_there[chunk.to_numpy()] = True
    there = np.flatnonzero(is_there)
    strings = pl.Series(there + least).cast(pl.String)
    number = np.zeros(len(is_there), np.uint32)
    number[there] = np.arange(len(there))
    ids = strings.cast(pl.Enum(strings)).gather(number).gather(place)
    if stretches is not None:
        length = stretches["len"].to_numpy()
        ids = ids.gather(pl.Series(np.repeat(np.arange(len(length), dtype=np.uint32), length)))
    return ids.alias(column.name)


def of_each(ids: pl.Series, function: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Apply a row-wise function of strings to a column; of categories, to each category only once.

    Examples
    --------
    >>> of_each(categories_of(pl.Series([12, 7, 12])), lambda ids: ids.str.len_bytes()).to_list()
    [2, 1, 2]
    """
    dtype = None if _are_strings(ids) else ids.dtype
    if not isinstance(dtype, pl.Enum):
        return function(ids)
    categories = dtype.categories
    if len(categories) > len(ids):
        return function(ids.cast(pl.String))
    return function(categories).gather(ids.to_physical()).alias(ids.name)


def _are_strings(ids: pl.Series) -> bool:
    """Return whether a column has plain strings.

    Polars builds and checks all categories anew each time that it is asked for the type of their
    column, which takes milliseconds where there are many.
    """
    return ids.to_physical().dtype == pl.String


def strings_of(ids: pl.Series) -> pl.Series:
    """Turn a column of strings or categories into plain strings."""
    return of_each(ids, lambda strings: strings)


def as_strings(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn all columns of categories of a frame into plain strings."""
    return frame.with_columns(
        strings_of(frame[name]) for name in frame.columns if isinstance(frame.schema[name], pl.Enum)
    )


def encode(column: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Return a column's distinct strings, sorted, and for each row the index of its string.

    Examples
    --------
    >>> names, codes = encode(pl.Series(["b", "a", "b"]))
    >>> names.to_list(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if len(column) <= _SEEN and not column.has_nulls():
        return _encode_few(column)
    stretches = _in_stretches(column)
    if stretches is None:
        return _encode(column)
    names, codes = _encode(stretches["value"])
    return names, np.repeat(codes, stretches["len"].to_numpy())


def _in_stretches(column: pl.Series) -> pl.DataFrame | None:
    """Return value and len of each stretch of equal ids; None where most stretches are short.

    A run is mostly sorted by query, and then each query has to be looked at once only.
    """
    if 2 * column.head(_SEEN).rle_id().n_unique() > min(len(column), _SEEN):
        return None
    return column.rle().struct.unnest()


def _encode(ids: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Encode ids by way of Polars' own codes, so that only distinct ids are sorted as strings."""
    is_numbered = not _are_strings(ids) and isinstance(ids.dtype, pl.Enum)
    # New categories number the ids from 0. In categories shared with other columns, codes would go
    # on from theirs, and the arrays below would be longer.
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


def _encode_few(ids: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Encode ids as `_encode` does: for a few, Polars takes longer to begin than this does."""
    strings = ids.to_list()
    names = sorted({*strings})  # by code points, which is the order of their bytes in UTF-8
    place = {name: n for n, name in enumerate(names)}
    codes = np.array([place[name] for name in strings], np.int64)
    return pl.Series(ids.name, names, pl.String), codes


def decode(names: pl.Series, codes: np.ndarray) -> pl.Series:
    """Return the string of each code."""
    return names.gather(codes)


def begins(codes: np.ndarray) -> np.ndarray:
    """Return which rows differ from the row before them; the first one does.

    Examples
    --------
    >>> begins(np.array([4, 4, 7])).tolist()
    [True, False, True]
    """
    is_first = np.ones(len(codes), bool)
    np.not_equal(codes[1:], codes[:-1], out=is_first[1:])
    return is_first


def order_of(*keys: np.ndarray) -> np.ndarray:
    """Return the row indices in ascending order of non-negative integer keys, the first key first.

    Rows whose keys are equal keep their order. All keys of a row and the row's index are packed
    into one 64-bit integer, because sorting such integers is several times faster than
    `numpy.lexsort`, which is used only when they do not fit.

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
        packed <<= width
        packed |= number
    packed.sort()
    packed &= (1 << widths[-1]) - 1
    return packed


_BETWEEN = "\x1f"
"""What stands between a run and its replicate in a name of both: the separator of units in ASCII.

It sorts before all characters that are printed, so that the replicates of a run stay together."""


def with_replicate(run: str, replicate: str | None) -> str:
    """Return the name of one replicate of a run, which is a run of its own until it is shown.

    Examples
    --------
    >>> without_replicate(with_replicate("bm25", "1")), without_replicate("bm25")
    (('bm25', '1'), ('bm25', None))
    """
    return run if replicate is None else f"{run}{_BETWEEN}{replicate}"


def without_replicate(name: str) -> tuple[str, str | None]:
    """Return the run, and the replicate if the name stands for one; see `with_replicate`."""
    run, between, replicate = name.partition(_BETWEEN)
    return run, replicate if between else None


def said(name: str) -> str:
    """Return a name of `with_replicate` as messages say it.

    Examples
    --------
    >>> said("bm25"), said(with_replicate("bm25", "1"))
    ("'bm25'", "'bm25', replicate '1'")
    """
    run, replicate = without_replicate(name)
    return repr(run) if replicate is None else f"{run!r}, replicate {replicate!r}"


def replicates_joined(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose runs and replicates, if there are any, are names of both.

    Examples
    --------
    >>> table = pl.DataFrame({"run": ["a", "a"], "replicate": ["1", None], "value": [0.5, 0.25]})
    >>> replicates_apart(replicates_joined(table)).equals(table)
    True
    """
    if "replicate" not in table.columns:
        return table
    run, replicate = (pl.col(name).cast(pl.String) for name in ("run", "replicate"))
    both = pl.concat_str(run, replicate, separator=_BETWEEN)
    return table.with_columns(run=pl.coalesce(both, run)).drop("replicate")


def replicates_apart(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of `replicates_joined` with the column ``replicate`` behind ``run``."""
    names, code = encode(table["run"])
    both = [without_replicate(name) for name in names]
    if all(replicate is None for _, replicate in both):
        return table
    run, replicate = (
        decode(pl.Series(name, column, pl.String), code)
        for name, column in zip(("run", "replicate"), zip(*both, strict=True), strict=True)
    )
    return table.with_columns(run).insert_column(table.columns.index("run") + 1, replicate)
