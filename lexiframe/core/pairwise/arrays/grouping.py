"""Tables within groups of requests: the arguments ``requests=`` and ``by=``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import polars as pl

from lexiframe.core.base import (
    LexiframeError,
    SchemaError,
    schemas,
    to_polars,
    unknown_name,
)
from lexiframe.core.io import logs
from lexiframe.core.pairwise.arrays.arrays import PairCube
from lexiframe.core.pairwise.arrays.reduced_pairs import Reduced
from lexiframe.core.pairwise.arrays.requests_frame import frame_of

By = str | Sequence[str] | None
WEIGHTS = ("weights", "strata", "shares")
"""The arguments that give requests weights."""
F = TypeVar("F", bound=Callable[..., pl.DataFrame])


def takes_groups(function: F) -> F:
    """Decorate a function of a table so that it computes within groups of requests.

    The function declares ``requests`` and ``by``, or ``by`` alone, so that users see them. This
    decorator handles them as `group_tables` does; the function's body always finds None in them.
    Of a function with ``weights``, ``strata`` and ``shares`` the table has these when it is called.

    Examples
    --------
    >>> @takes_groups
    ... def means(s, *, by=None):
    ...     return s.select(pl.col("value").mean())
    >>> s = pl.DataFrame({"length": ["short", "long", "long"], "value": [1.0, 3.0, 5.0]})
    >>> means(s).rows(), means(s, by="length").rows()
    ([(3.0,)], [('long', 4.0), ('short', 1.0)])
    """
    declared = signature(function)

    @wraps(function)
    def in_each_group(table: Any, /, *arguments: Any, **options: Any) -> pl.DataFrame:
        declared.bind(table, *arguments, **options)  # a wrong call fails before any group is made
        groups = {name: options.pop(name) for name in ("requests", "by") if name in options}
        given = {name: options.pop(name) for name in WEIGHTS if name in options}
        if any(of is not None for of in given.values()):
            from lexiframe.core.pairwise.arrays.weights import weigh

            table = weigh(table, groups.get("requests"), **given)
            groups["requests"] = groups.get("requests") if groups.get("by") else None
        return group_tables(lambda part: function(part, *arguments, **options), table, **groups)

    return cast(F, in_each_group)


def group_tables(
    compute: Callable[[Any], pl.DataFrame], table: Any, requests: Any = None, by: By = None
) -> pl.DataFrame:
    """Compute a table in each group of requests, with the group's attributes as its first columns.

    ``requests`` is a frame with the column ``query_id`` (``qid``, ``topic``, ``user_id`` ...) and
    the attributes of each request, or the path of such a file (see `read_log`); None says that
    ``table`` has these columns. ``by`` names one or several attributes; None makes one group.
    """
    parts = groups_of(table, requests, by)
    found = [_group_table(compute, group, part) for group, part in parts]
    return pl.concat(found, how="diagonal")  # matrices of two groups may have different runs


def _group_table(
    compute: Callable[[Any], pl.DataFrame], group: pl.DataFrame, part: Any
) -> pl.DataFrame:
    """Put a group's attributes in front of its table; errors name the group."""
    if not group.width:
        return compute(part)
    try:
        found = compute(part)
    except LexiframeError as error:
        named = ", ".join(f"{name} = {value}" for name, value in group.row(0, named=True).items())
        raise type(error)(f"{named}: {error}") from None
    refuse_taken(group.columns, found.columns)
    if not group.height:  # a table without rows
        return group.join(found, how="cross")
    return pl.DataFrame([*(one.new_from_index(0, found.height) for one in group), *found])


def refuse_taken(names: Iterable[str], columns: Iterable[str]) -> None:
    """Raise when an attribute has the name of a column."""
    taken = [name for name in names if name in columns]
    if taken:
        raise LexiframeError(
            f"by: {taken[0]} is a column of the table already; rename the attribute"
        )


def groups_of(table: Any, requests: Any, by: By) -> Iterator[tuple[pl.DataFrame, Any]]:
    """Return each group's attributes as one row, and its part of the table; groups are sorted."""
    names = names_of(requests, by)
    if not names:
        yield pl.DataFrame(), table
        return
    refuse_taken(names, _TAKEN)
    if isinstance(table, Reduced):
        yield from table.group_parts(names)
        return
    table = table if isinstance(table, PairCube) else to_polars(table)
    if requests is None:
        if isinstance(table, PairCube):  # an array has no attributes
            raise unknown_name(
                "attribute", names[0], schemas.PREFERENCES.columns, advice=_SAY_REQUESTS
            )
        yield from _column_groups(table, names)
        return
    yield from parts_of(table, attributes_of(table, requests, names), names)


def parts_of(
    table: Any, attributes: pl.DataFrame, names: Sequence[str]
) -> Iterator[tuple[pl.DataFrame, Any]]:
    """Return the groups that requests form by some of their known attributes: see `groups_of`."""
    for group, members in _groups_and_members(attributes, names):
        if isinstance(table, PairCube):
            yield group, table.select_ids(members["query_id"])
        else:
            yield group, table.filter(pl.col("query_id").is_in(members["query_id"].implode()))


_TAKEN = {
    *schemas.SCORES.key,
    *schemas.PREFERENCES.key,
    *schemas.COMPARISONS.key,
    *schemas.ORDERINGS.key,
} - {"query_id"}


def names_of(requests: Any, by: By) -> list[str]:
    """Return the names of the attributes that make groups."""
    names = [] if by is None else [by] if isinstance(by, str) else list(by)
    if requests is not None and not names:
        raise LexiframeError("requests: which attribute makes the groups? Name it: by='category'")
    return list(dict.fromkeys(names))


def _column_groups(table: pl.DataFrame, names: list[str]) -> Iterator[tuple[pl.DataFrame, Any]]:
    for name in names:
        if name not in table.columns:
            raise unknown_name("attribute", name, table.columns, advice=_SAY_REQUESTS)
    from lexiframe.core.pairwise.arrays.group_values import name_group_values

    table = name_group_values(table, names)
    for group, members in _groups_and_members(table, names):
        yield group, members.drop(names)


_SAY_REQUESTS = "; attributes of requests come from a frame or a file: requests='requests.csv'"


def attributes_of(table: Any, requests: Any, names: list[str]) -> pl.DataFrame:
    """Return the attributes of each request of a table: query_id and ``names``.

    A request that the frame lacks has nulls, and a warning says so. The column of requests may have
    any name that the readers know. `name_group_values` makes the values.
    """
    requests = frame_of(requests)
    for name in names:
        if name not in requests.columns:
            raise unknown_name("attribute", name, requests.columns)
    if not isinstance(table, PairCube) and "query_id" not in table.columns:
        raise SchemaError(
            "by: expected a table with the column query_id to join requests with, found "
            f"{', '.join(table.columns) or 'none'}; give scores or preferences, or a table by "
            "groups alone"
        )
    queries = table.queries if isinstance(table, PairCube) else table["query_id"].unique().sort()
    joined = logs.join_entries(
        pl.DataFrame({"query_id": queries}), requests, "query_id", "requests", "requests"
    )
    for name in names:
        if name == "query_id" or name not in joined.columns:
            raise LexiframeError(
                f"by: {name} names the requests, and each would be a group of its own; expected an "
                "attribute that several requests share"
            )
    from lexiframe.core.pairwise.arrays.group_values import name_group_values

    return name_group_values(joined.select("query_id", *names), names)


def all_attributes(requests: Any, names: list[str]) -> pl.DataFrame:
    """Return ``query_id`` and the attributes ``names`` of all requests that have some."""
    requests = frame_of(requests)
    queries = logs.entries_of(requests, "query_id", "requests").select(
        pl.col("query_id").cast(pl.String)
    )
    found = attributes_of(queries, requests, names)
    return queries.join(found, on="query_id", how="left", maintain_order="left")


def _groups_and_members(
    table: pl.DataFrame, names: Sequence[str]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield each group as one row, sorted, and its rows; all groups are divided in one pass."""
    groups = table.select(names).unique().sort(names)
    if not groups.height:  # without rows, the columns are still needed
        yield groups, table
        return
    numbers = groups.with_row_index(_NUMBER)
    numbered = table.join(numbers, on=names, how="left", nulls_equal=True, maintain_order="left")
    members = numbered.partition_by(_NUMBER, as_dict=True, include_key=False)
    for n, group in enumerate(groups.iter_slices(1)):
        yield group, members[n,]


_NUMBER = "number of the group"
