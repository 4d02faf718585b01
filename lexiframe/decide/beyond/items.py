"""The catalogue of items, and the users' history: `read_items`, `Items`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from scipy import sparse

from lexiframe.connect import forms
from lexiframe.core.base import (
    LexiframeError,
    Problem,
    SchemaError,
    check_choice,
    coded,
    likely_cause,
    n_and_first,
    schemas,
    typed,
    warn,
)
from lexiframe.core.io import column_forms, logs
from lexiframe.typing import LogLike

Unknown = Literal["error", "cold"]
_COMPARED = 1000
"""So many ids are compared with those of the catalogue to find out why none is there."""


def _table_with(key: str) -> schemas.TableSchema:
    """Describe a table that is read: its columns of ids, among other columns."""
    names = tuple(key.split())
    return schemas.TableSchema(key, names, dict.fromkeys(names, pl.String()), (), ())


_OF_ITEMS, _OF_HISTORY = _table_with("doc_id"), _table_with("query_id doc_id")
_OF_CATEGORIES = _table_with("doc_id category")
_GIVES = {
    "users": "add a column users (how many users had the item), or give history=",
    "categories": "add a column of lists, or give categories= with doc_id and category",
    "vector": "add a column of lists of numbers, or give vectors= with doc_id and vector",
    "history": "give history= with query_id and doc_id of all interactions in training",
}
"""What the items may lack, and what would give it."""
_CATEGORIES = ("categories", "category", "genres", "genre")
_VECTORS = ("vector", "vectors", "embedding", "embeddings")
_LISTED, _LISTS = _CATEGORIES + _VECTORS, (pl.List, pl.Array)
_NO_CATEGORY = ("", "(no genres listed)")  # the latter in the films of MovieLens


@dataclass(frozen=True, eq=False)
class Items:
    """A checked catalogue of items: see `read_items`. Arrays have an element for each item.

    Attributes
    ----------
    ids
        The ids of the items, sorted.
    users
        How many users had each item in training, or None.
    n_users
        How many users there are.
    categories
        Items × categories: 1 where an item is of a category, or None.
    vectors
        Items × components, NaN throughout for an item without a vector, or None.
    history
        ``query_id``, the number of the ``item``, by which rows are sorted, and other columns of the
        interactions; or None.
    unknown
        What becomes of items of a run that the catalogue lacks.
    given
        Which items were given, and not added by ``unknown="cold"``; None stands for all.

    Examples
    --------
    >>> import polars as pl
    >>> import lexiframe as lf
    >>> items = lf.read_items(pl.DataFrame({"doc_id": ["b", "a"], "users": [1, 3]}), users=4)
    >>> items.ids.to_list(), items.users.tolist()
    (['a', 'b'], [3.0, 1.0])
    """

    ids: pl.Series
    users: np.ndarray | None = None
    n_users: int | None = None
    categories: sparse.csr_array | None = None
    vectors: np.ndarray | None = None
    history: pl.DataFrame | None = None
    unknown: Unknown = "error"
    given: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        kinds = {
            "users": self.users, "categories": self.categories, "vectors": self.vectors
        }  # fmt: skip
        known = [name for name, there in kinds.items() if there is not None]
        past = "" if self.history is None else f"; history: {self.history.height:,} interactions"
        users = "" if self.n_users is None else f" of {self.n_users:,} users"
        return f"{len(self):,} items; known: {', '.join(known) or 'ids alone'}{past}{users}"

    def needed(self, what: str, measure: object) -> Any:
        """Return what a measure needs of the items; raise with what would give it."""
        found = getattr(self, "vectors" if what == "vector" else what)
        if found is None:
            raise LexiframeError(f"{measure}: needs {what} of the items; {_GIVES[what]}")
        return found

    @cached_property
    def is_given(self) -> np.ndarray:
        """Which items are those of the catalogue, as an array."""
        return np.ones(len(self), bool) if self.given is None else self.given

    @cached_property
    def by_popularity(self) -> np.ndarray:
        """The place of each item: most users first, of equal ones the greatest id first."""
        users = self.needed("users", "Serendipity")
        order = np.lexsort((-np.arange(len(self)), -users))
        place = np.empty(len(self), np.int64)
        place[order] = np.arange(len(self))
        return place

    def tail(self, head: float) -> np.ndarray:
        """Return which items are in the long tail: not of those that hold the share ``head``.

        The head are the items with at least the users of the last item that is needed, most users
        first, so that ties are in it as a whole. An item that nobody had is in the tail.
        """
        users = self.needed("users", "APLT")
        falling = np.sort(users)[::-1]
        needed = np.searchsorted(falling.cumsum(), head * users.sum() * (1 - 1e-12))
        least = falling[min(needed, len(users) - 1)]
        return np.asarray((users < least) | (users == 0))

    def shares(self) -> sparse.csr_array:
        """Return items × categories, each item's weight spread evenly over its categories."""
        categories = self.needed("categories", "categories")
        n = categories.sum(axis=1)
        return sparse.csr_array(categories.multiply((1 / np.maximum(n, 1))[:, None]))

    def places_of(
        self, ids: pl.Series, where: str, *, may_be_cold: bool = True
    ) -> tuple[Items, np.ndarray]:
        """Return the number of each item, and the items with those that are new if unknown="cold".

        Raise for an item that is not in the catalogue otherwise. Where none is, ids are mostly
        written in two ways: this is said in both cases.
        """
        place = self._numbers(ids)
        if not place.null_count():
            return self, place.to_numpy()
        new = ids.filter(place.is_null()).unique().sort()
        said = f"{where}: expected items of the catalogue, found others: {n_and_first(new)}"
        is_none_known = place.null_count() == len(place)
        cause = likely_cause(new.head(_COMPARED), self.ids) if is_none_known else ""
        if is_none_known:
            said += f", and none of the catalogue's {n_and_first(self.ids)}"
        if cause:
            said += f"; likely cause: {cause}: write the ids alike"
        if self.unknown == "error" or not may_be_cold:
            cold = (
                ", or read_items(..., unknown='cold') takes them as items without users, "
                "categories and vector"
            )
            advice = f"add them to the table of items{cold * may_be_cold}"
            raise LexiframeError(said if cause else f"{said}; {advice}")
        if is_none_known:
            warn(f"{said}; they are taken as items without users, categories and vector")
        items = self._with_cold(new)
        return items, items._numbers(ids).to_numpy()

    def _numbers(self, ids: pl.Series) -> pl.Series:
        """Return the number of each item, null for one that is not here."""
        return ids.cast(pl.Enum(self.ids), strict=False).to_physical().cast(pl.Int64)

    def _with_cold(self, new: pl.Series) -> Items:
        ids = pl.concat([self.ids, new]).sort()
        place, n = ids.search_sorted(self.ids).to_numpy(), len(self)
        wider = sparse.csr_array((np.ones(n), (place, np.arange(n))), shape=(len(ids), n))
        users, categories = (one if one is None else wider @ one
                             for one in (self.users, self.categories))  # fmt: skip
        vectors, history = self.vectors, self.history
        if vectors is not None:
            vectors = np.full((len(ids), vectors.shape[1]), np.nan)
            vectors[place] = self.vectors
        if history is not None:
            history = history.with_columns(item=pl.Series(place[history["item"]], dtype=pl.Int64))
        given = np.zeros(len(ids), bool)
        given[place] = self.is_given
        return Items(ids, users, self.n_users, categories, vectors, history, self.unknown, given)


@typed
def read_items(
    items: LogLike,
    *,
    history: LogLike | None = None,
    categories: LogLike | None = None,
    vectors: LogLike | None = None,
    users: int | None = None,
    unknown: Unknown = "error",
) -> Items:
    """Read the catalogue of items that lists are recommended from, and what users had before.

    Parameters
    ----------
    items
        A frame or file with one row for each item: ``doc_id`` (or another name that `read_runs`
        knows), and optionally ``users`` (how many different users had it in training; 0 if null),
        ``categories`` (a column of lists, or text: ``crime|war``) and ``vector`` (a
        column of lists of numbers, all of one width).
    history
        The interactions in training of all users, not of those alone who are evaluated:
        ``query_id`` (or ``user_id`` ...), ``doc_id``, and columns of numbers that
        ``Miscalibration(weight=...)`` may name. A pair that occurs twice counts once.
    categories, vectors
        In place of the columns: a long table ``doc_id, category``, and a table ``doc_id, vector``.
    users
        How many users there are; by default those of the history, or without one as many as the
        most popular item has.
    unknown : {"error", "cold"}
        What becomes of items of a run or of the history that are not in the catalogue: an error, or
        items without users, categories and vector. They do not make the catalogue larger, of which
        `catalogue` says what lists reach.

    Returns
    -------
    Items
        The checked catalogue, for `list_scores`, `catalogue` and `evaluate`.

    Raises
    ------
    SchemaError
        For a column that is missing, an item that occurs twice, numbers of users that are below 0,
        above the number of all users or not whole, and vectors with NaN, infinite or of unequal
        widths.
    LexiframeError
        For items of the history that the catalogue lacks, and where there are no users at all.

    Examples
    --------
    >>> import lexiframe as lf, polars as pl
    >>> films = pl.DataFrame({"item_id": ["a", "b"], "categories": [["crime"], ["crime", "war"]]})
    >>> seen = pl.DataFrame({"user_id": ["u1", "u2", "u2"], "item_id": ["a", "a", "b"]})
    >>> lf.read_items(films, history=seen)
    2 items; known: users, categories; history: 3 interactions of 2 users
    """
    check_choice("read_items", unknown, get_args(Unknown), "unknown")
    frame = _table(items, "items", _OF_ITEMS).sort("doc_id")
    _refuse_twice(frame, "items")
    found, past, n_past = Items(frame["doc_id"], unknown=unknown), None, None
    if history is not None:
        table = _table(history, "history", _OF_HISTORY)
        (queries, query), (there, code) = (coded.encode(table[name]) for name in _OF_HISTORY.key)
        found, place = found.places_of(coded.strings_of(there), "history")
        item, n_past = place[code], len(queries)
        order = coded.order_of(query, item)
        request, item = query[order], item[order]
        first = coded.begins(request) | coded.begins(item)
        past = table.drop("doc_id")[order[first]].with_columns(
            query_id=coded.strings_of(queries).gather(request[first]), item=item[first]
        )
        if (again := table.height - past.height) and table.width > len(_OF_HISTORY.key):
            warn(f"history: pairs that are there again, of which the first counts: {again:,}")
    ids = pl.DataFrame({"doc_id": found.ids})
    frame = ids.join(frame, on="doc_id", how="left", maintain_order="left")
    of_each = _users_of(frame, past)
    if users is not None and n_past is not None and users < n_past:
        raise LexiframeError(
            f"users: expected {n_past:,} or more, as many as the history has, found {users:,}"
        )
    users = n_past if users is None else users
    if of_each is not None:
        users = int(np.nan_to_num(of_each).max(initial=0)) if users is None else users
        _refuse_wrong_users(frame, of_each, users)
    if users is not None and users < 1:
        raise LexiframeError(
            f"users: expected 1 or more, found {users:,}; say with users= how many there are"
        )
    long = None if categories is None else _table(categories, "categories", _OF_CATEGORIES)
    apart = None if vectors is None else _table(vectors, "vectors", _OF_ITEMS)
    matrix = _categories_of(found, frame, long)
    return replace(found, users=of_each, n_users=users, history=past, categories=matrix,
        vectors=_vectors_of(found, frame, apart))  # fmt: skip


def _table(given: Any, where: str, schema: schemas.TableSchema) -> pl.DataFrame:
    """Read a frame or file, with our names for its key; no row may lack it."""
    if isinstance(given, str | Path):
        given, where = logs.read_log(given), str(given)
    frame = column_forms.to_frame(given, "value", where)
    try:
        found = column_forms.columns_of(frame.columns, schema, where, {})
    except SchemaError as error:
        if error.problem is None:
            raise
        advice = re.split("(?:, or )?say which", error.problem.advice)[0]  # no columns= is here
        advice = f"{advice}; rename it".removeprefix("; ")
        raise SchemaError(replace(error.problem, advice=advice)) from None
    frame = frame.rename({theirs: ours for ours, theirs in found.items()})
    for name, dtype in frame.schema.items():
        inner = dtype.inner if name in _LISTED and isinstance(dtype, _LISTS) else dtype
        if name in ("users", *_LISTED) and isinstance(inner, _LISTS):
            expected = "a list for each item, without lists in it" if name in _LISTED else "numbers"
            raise SchemaError(Problem(f"{where}, {name}", expected, str(dtype), "flatten it"))
    many = schema.key if schema is _OF_HISTORY else ()  # are coded before they become text
    return frame.with_columns(*schemas.check(frame.select(schema.key), schema, where, coded=many))


def _refuse_twice(frame: pl.DataFrame, where: str) -> None:
    twice = frame.filter(frame["doc_id"].is_duplicated())["doc_id"].unique().sort()
    if len(twice):
        raise SchemaError(
            Problem(where, "each item once", f"several rows of {n_and_first(twice)}", "keep one")
        )


def _users_of(frame: pl.DataFrame, past: pl.DataFrame | None) -> np.ndarray | None:
    """Return the number of users of each item: from the column, or else the history."""
    if "users" in frame.columns:
        number = pl.col("users").cast(pl.Float64, strict=False).fill_null(np.nan)  # of a word
        column = pl.when(pl.col("users").is_null()).then(0.0).otherwise(number)
        return frame.select(column).to_series().to_numpy().copy()
    if past is None:
        return None
    return np.bincount(past["item"].to_numpy(), minlength=frame.height).astype(np.float64)


def _refuse_wrong_users(frame: pl.DataFrame, users: np.ndarray, most: int) -> None:
    wrong = np.flatnonzero(~((users >= 0) & (users <= most) & (users == np.floor(users))))
    if len(wrong):
        first = int(wrong[0])
        raise SchemaError(
            Problem(
                "items",
                f"whole numbers of users from 0 to {most:,}, which is how many there are",
                f"{users[first]:g} of item {frame['doc_id'][first]!r} ({len(wrong):,} such rows)",
                "users= says how many there are",
            )
        )


def _column_called(frame: pl.DataFrame, names: Iterable[str]) -> str | None:
    return next((name for name in names if name in frame.columns), None)


def _categories_of(
    items: Items, frame: pl.DataFrame, long: pl.DataFrame | None
) -> sparse.csr_array | None:
    """Return items × categories, from a column of lists or text, or from a long table."""
    if long is None:
        name = _column_called(frame, _CATEGORIES)
        if name is None:
            return None
        long = frame.select("doc_id", category=pl.col(name))
        if long.schema["category"] == pl.String:
            long = long.with_columns(category=_split(long["category"]))
        if isinstance(long.schema["category"], _LISTS):
            long = long.explode("category", empty_as_null=True)
        long = long.drop_nulls().filter(~pl.col("category").cast(pl.String).is_in(_NO_CATEGORY))
    items, item = items.places_of(long["doc_id"], "categories", may_be_cold=False)
    category = long["category"].cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    shape = (len(items), int(category.max(initial=0)) + 1)  # one at least, that of nobody
    ones = sparse.csr_array((np.ones(len(item)), (item, category)), shape=shape)
    ones.data[:] = 1.0  # a category that an item has twice counts once
    return ones


def _split(texts: pl.Series) -> pl.Series:
    """Return the categories in texts: crime|war, as MovieLens has them, or between commas."""
    if texts.str.contains(r"^\[.*\]$").any():
        return forms.split_texts(texts, "items")
    mark = "|" if texts.str.contains("|", literal=True).any() else ","
    if mark == "," and len(several := texts.filter(texts.str.contains(mark)).unique()):
        warn(
            f"items: texts with commas are read as several categories each, "
            f"{n_and_first(several.sort())}; if a comma is part of a name, give lists"
        )
    return texts.str.split(mark).list.eval(pl.element().str.strip_chars())


def _vectors_of(items: Items, frame: pl.DataFrame, apart: pl.DataFrame | None) -> np.ndarray | None:
    """Return items × components; raise for vectors of unequal widths, or without numbers."""
    frame = frame if apart is None else apart
    name = _column_called(frame, _VECTORS)
    if name is None and apart is not None:
        raise SchemaError(Problem("vectors", "a column vector", ", ".join(apart.columns)))
    if name is None:
        return None
    _refuse_twice(frame, "vectors")
    rows = frame.select("doc_id", vector=pl.col(name)).drop_nulls()
    is_list = isinstance(rows.schema["vector"], _LISTS)
    column = rows["vector"].cast(pl.List(pl.Float64), strict=False) if is_list else rows["vector"]
    widths = column.list.len().unique().sort().to_list() if is_list else []
    if not is_list or len(widths) > 1:
        found = f"widths {', '.join(map(str, widths))}" if is_list else str(rows.schema["vector"])
        raise SchemaError(Problem(f"items, {name}", "lists of numbers of one width", found))
    width = widths[0] if widths else 1
    numbers = column.explode(empty_as_null=True).to_numpy().reshape(len(rows), max(width, 1))
    wrong = rows["doc_id"].filter(pl.Series(~np.isfinite(numbers).all(axis=1)))
    if len(wrong):
        raise SchemaError(
            Problem(f"items, {name}", "finite numbers", f"NaN or infinite for {n_and_first(wrong)}")
        )
    items, item = items.places_of(rows["doc_id"], "vectors", may_be_cold=False)
    vectors = np.full((len(items), numbers.shape[1]), np.nan)
    vectors[item] = numbers
    return vectors
