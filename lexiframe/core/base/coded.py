"""Strings as integer codes: the keys of long tables are strings, arrays need integers.

Ids that are read as integers stay codes until a table is shown: they become a column of categories
(`categories_of`), each of which is an integer written as a string. Other code need not know the
difference: `map_distinct` applies a function of strings to either kind of column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

_SEEN = 1000
"""The number of rows from which `encode` judges whether equal strings follow each other."""
_BLOCK = 1 << 18
"""The number of rows of which `_distinct` notes the numbers before it looks whether it has all."""
_SHORT = 1 << 16
"""A lookup table of up to this many integers costs next to nothing, however short the column."""
_NO_STRINGS = pl.Series([], dtype=pl.String)


def categories_of(column: pl.Series) -> pl.Series:
    """Turn integers into categories: each distinct integer is written as a string only once.

    Integers whose range is wider than the column is long become plain strings: the lookup table,
    with an entry for each integer of the range, would cost more than it saves.
    """
    stretches = _stretches(column)
    values = column if stretches is None else stretches["value"]
    least, greatest = values.min(), values.max()
    if not isinstance(least, int) or not isinstance(greatest, int):  # all values are null
        return column.cast(pl.String)
    is_long = greatest - least >= max(len(column), _SHORT)
    if is_long or least < -(1 << 63) or greatest >= 1 << 63:
        return column.cast(pl.String)
    place = _places(values, least)
    size = greatest - least + 1
    there = _distinct(place.drop_nulls().to_numpy(), size)
    strings = pl.Series(there + least).cast(pl.String)
    ids = pl.int_range(len(there), dtype=pl.UInt32, eager=True).cat.to(pl.Enum(strings))
    if len(there) < size:
        number = np.zeros(size, np.uint32)
        number[there] = np.arange(len(there))
        ids = ids[pl.Series(number)]
    if stretches is not None:
        length = stretches["len"].to_numpy()
        if place.has_nulls():
            ids, place = ids[place], pl.int_range(len(length), dtype=pl.UInt32, eager=True)
        place = pl.Series(np.repeat(place.to_numpy(), length))
    return ids[place].alias(column.name)  # not `gather`, which looks at each index: see `gathered`


def _places(integers: pl.Series, least: int) -> pl.Series:
    """Return by how much each integer is greater than the least one: less than 2^32."""
    if integers.has_nulls():
        return (integers.cast(pl.Int64) - least).cast(pl.UInt32)
    place = np.empty(len(integers), np.uint32)
    start = 0
    for chunk in integers.get_chunks():  # a copy of all would take longer than the rest
        end = start + len(chunk)
        whole = chunk.cast(pl.Int64).to_numpy()
        np.subtract(whole, least, out=place[start:end], casting="unsafe")
        start = end
    return pl.Series(place)


def _distinct(numbers: np.ndarray, size: int) -> np.ndarray:
    """Return the distinct ones of some whole numbers from 0 to less than a size, sorted."""
    is_there = np.zeros(size, np.bool_)
    for start in range(0, len(numbers), _BLOCK):
        is_there[numbers[start : start + _BLOCK]] = True
        if is_there.all():  # as mostly after a few blocks, where things are numbered one by one
            break
    return np.flatnonzero(is_there)


def map_distinct(ids: pl.Series, function: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Apply a row-wise function of strings to a column; only once to each category."""
    strings, number = apart(ids)
    return function(strings) if number is None else function(strings)[number].alias(ids.name)


def apart(ids: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Return strings, and for each row the number of its string; None if each row has its own."""
    dtype = None if are_strings(ids) else ids.dtype
    if not isinstance(dtype, pl.Enum):
        return ids, None
    if len(dtype.categories) > len(ids):
        return ids.cast(pl.String), None
    return dtype.categories, ids.to_physical()


def are_strings(ids: pl.Series) -> bool:
    """Return whether a column has plain strings.

    Strings can be appended to no other column. Polars is not asked for the type of the column, for
    it builds and checks all categories anew each time, which takes milliseconds where there are
    many.
    """
    try:
        ids.head(0).append(_NO_STRINGS)
    except pl.exceptions.SchemaError:
        return False
    return True


def physical(ids: pl.Series) -> pl.Series:
    """Return the numbers of a column of categories, or the same column of strings."""
    return ids if are_strings(ids) else ids.to_physical()


def gathered(ids: pl.Series, rows: np.ndarray) -> pl.Series:
    """Return some rows of a column.

    Polars takes row indices of its own type unchecked, and looks at each index of any other type.
    """
    return ids[pl.Series(rows.astype(np.uint32))]


def strings_of(ids: pl.Series) -> pl.Series:
    """Turn a column of strings or categories into plain strings."""
    return map_distinct(ids, lambda strings: strings)


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
    stretches = _stretches(column)
    if stretches is None:
        cycle = _cycle_of(column)
        if cycle is None:
            return _encode(column)
        names, codes = _encode(column.head(cycle))
        return names, np.tile(codes, len(column) // cycle)
    names, codes = _encode(stretches["value"])
    return names, np.repeat(codes, stretches["len"].to_numpy())


def _stretches(column: pl.Series) -> pl.DataFrame | None:
    """Return value and len of each stretch of equal ids; None where most stretches are short.

    A run is mostly sorted by query, so that each query is looked at only once.
    """
    if 2 * column.head(_SEEN).rle_id().n_unique() > min(len(column), _SEEN):
        return None
    return column.rle().struct.unnest()


def _cycle_of(column: pl.Series) -> int | None:
    """Return the period of a column that repeats its first rows; None if it does not.

    The measures of a table of scores do, so that only the first ones have to be looked at.
    """
    first = column.head(_SEEN)
    again = (first == first[0]).arg_true()
    cycle = again[1] if len(again) > 1 else 0
    if not cycle or len(column) % cycle or column.has_nulls():
        return None
    for some in (first, column):  # the first rows mostly suffice to tell
        if not (some.slice(cycle) == some.slice(0, len(some) - cycle)).all():
            return None
    return cycle


def _encode(ids: pl.Series) -> tuple[pl.Series, np.ndarray]:
    """Encode ids by way of Polars' own codes, so that only distinct ids are sorted as strings."""
    dtype = None if are_strings(ids) else ids.dtype
    if isinstance(dtype, pl.Enum):
        code = ids.to_physical().to_numpy()
        there = _distinct(code, len(dtype.categories))
        names = dtype.categories.gather(there).alias(ids.name)
    else:
        # New categories number the ids from 0. In categories shared with other columns, codes would
        # go on from theirs, and the arrays below would be longer.
        numbered = ids.cast(pl.Categorical(pl.Categories.random()))
        code = numbered.to_physical().to_numpy()
        some_row = np.full(int(code.max(initial=0)) + 1, -1)
        some_row[code] = np.arange(len(code))
        there = np.flatnonzero(some_row >= 0)
        names = strings_of(ids.gather(some_row[there]))
    order = names.arg_sort().to_numpy()
    place = np.empty(there.max(initial=-1) + 1, np.int64)
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
    return names[codes]  # in half the time of gather for a few


def may_repeat(keys: pl.DataFrame) -> bool:
    """Return whether two rows have one hash: different rows seldom do, and it is seen fast."""
    hashes = keys.hash_rows().sort()
    return bool((hashes == hashes.shift()).any())


def begins(codes: np.ndarray) -> np.ndarray:
    """Return which rows differ from the row before them; the first one does."""
    is_first = np.ones(len(codes), bool)
    np.not_equal(codes[1:], codes[:-1], out=is_first[1:])
    return is_first


def order_of(*keys: np.ndarray) -> np.ndarray:
    """Return the row indices in ascending order of non-negative integer keys, the first key first.

    Rows of equal keys keep their order. All keys of a row and its index are packed into one 64-bit
    integer, whose sorting is several times faster than `numpy.lexsort`, which is used only when
    they do not fit.

    Examples
    --------
    >>> order_of(np.array([1, 0, 1]), np.array([2, 9, 1])).tolist()
    [1, 2, 0]
    """
    row = np.arange(len(keys[0]))
    others = [*keys[1:], row]
    widths = [int(number.max(initial=0)).bit_length() for number in [keys[0], *others]]
    if sum(widths) > 63:
        return np.lexsort(keys[::-1])
    packed = keys[0].astype(np.int64)
    for number, width in zip(others, widths[1:], strict=True):
        packed <<= width
        packed |= number
    packed.sort()
    packed &= (1 << widths[-1]) - 1
    return packed


def sorted_by(table: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return a table in the order of columns of text without null: Polars takes thrice as long."""
    return table[pl.Series(order_of(*(encode(table[key])[1] for key in keys)).astype(np.uint32))]


_BETWEEN = "\x1f"
"""What stands between a run and its replicate in a name of both: the separator of units in ASCII.

It sorts before all characters that are printed, so that the replicates of a run stay together."""


def join_replicate(run: str, replicate: str | None) -> str:
    """Return the name of one replicate of a run, which is a run of its own until it is shown."""
    return run if replicate is None else f"{run}{_BETWEEN}{replicate}"


def split_replicate(name: str) -> tuple[str, str | None]:
    """Return the run, and the replicate if the name stands for one; see `join_replicate`."""
    run, between, replicate = name.partition(_BETWEEN)
    return run, replicate if between else None


def said(name: str) -> str:
    """Return a name of `join_replicate` for messages."""
    run, replicate = split_replicate(name)
    return repr(run) if replicate is None else f"{run!r}, replicate {replicate!r}"


def replicates_joined(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose runs and replicates, if there are any, are names of both."""
    if "replicate" not in table.columns:
        return table
    run, replicate = (pl.col(name).cast(pl.String) for name in ("run", "replicate"))
    both = pl.concat_str(run, replicate, separator=_BETWEEN)
    return table.with_columns(run=pl.coalesce(both, run)).drop("replicate")


def replicates_apart(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table of `replicates_joined` with the column ``replicate`` behind ``run``."""
    names, code = encode(table["run"])
    both = [split_replicate(name) for name in names]
    if all(replicate is None for _, replicate in both):
        return table
    run, replicate = (
        decode(pl.Series(name, column, pl.String), code)
        for name, column in zip(("run", "replicate"), zip(*both, strict=True), strict=True)
    )
    return table.with_columns(run).insert_column(table.columns.index("run") + 1, replicate)
