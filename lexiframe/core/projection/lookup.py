"""Finding the judged queries and items among the rows of a run, without a join.

A run may have a million rows, and the judgments some ten thousand items. Items are found by hash:
hashing the documents of the run once serves to find repeated documents as well as judged ones, and
is several times faster than a join on strings. Equal hashes are only candidates: the caller
compares the strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from lexiframe.core.base import coded

# 2^64 over the golden ratio: multiples of it spread evenly over 64 bits (Fibonacci hashing)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 1 << 13
"""Rows that are sorted at once: so few that halves of different hashes are seldom equal."""
_AT_ONCE = 1 << 16
"""So many rows are hashed, or looked up, at a time."""
_FEW = 1 << 16
"""The items for each of which eight slots are kept, and not four, which saves time."""
_IN_CACHE = 1 << 12
"""The queries that a dictionary finds fastest: one of more is not in the processor's cache."""


@dataclass(frozen=True)
class QueryIndex(Mapping[str, int]):
    """The number of each of some queries, which are sorted and distinct.

    Examples
    --------
    >>> queries = QueryIndex(pl.Series(["q1", "q3"]))
    >>> queries["q3"], queries.find(pl.Series(["q3", "q2"])).tolist()
    (1, [1, -1])
    """

    queries: pl.Series

    def find(self, names: pl.Series) -> np.ndarray:
        """Return the number of each name, -1 for one that is not there."""
        if len(self) <= _IN_CACHE:
            return np.array([self._numbers.get(name, -1) for name in names.to_list()], np.int64)
        place = self.queries.search_sorted(names).to_numpy().astype(np.int64)
        np.minimum(place, len(self) - 1, out=place)
        return np.where(self.queries.gather(place) == names, place, -1)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.queries.to_list(), range(len(self)), strict=True))

    def __getitem__(self, query: str) -> int:
        return self._numbers[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self.queries)


def hash_keys(doc_id: pl.Series, query: np.ndarray) -> np.ndarray:
    """Hash each row's document and query index to 64 bits."""
    hashes: np.ndarray = query.view(np.uint64) * _MIX
    strings, number = coded.apart(doc_id)
    of_strings = strings.hash()
    if number is None:
        hashes ^= of_strings.to_numpy()
        return hashes
    for start in range(0, len(hashes), _AT_ONCE):  # new memory for all hashes would take longer
        rows = slice(start, start + _AT_ONCE)
        hashes[rows] ^= of_strings[number[rows]].to_numpy()
    return hashes


def has_repeated(hashes: np.ndarray, edges: np.ndarray) -> bool:
    """Return whether two of the hashes between two edges are equal.

    The first edge is 0 and the last one the number of hashes. Equal hashes with an edge between
    them do not count, but they may be found: several stretches are searched at once.
    """
    blocks = edges[np.searchsorted(edges, np.arange(0, len(hashes), _BLOCK))]
    cuts = np.unique([*blocks, len(hashes)]).tolist()
    return any(_has_repeated(hashes[start:end]) for start, end in pairwise(cuts))


def _has_repeated(hashes: np.ndarray) -> bool:
    """Return whether two hashes are equal: their halves are sorted first, which is faster."""
    return _has_twins(hashes.view(np.uint32)[1::2]) and _has_twins(hashes)


def _has_twins(numbers: np.ndarray) -> bool:
    ordered = np.sort(numbers)
    return bool((ordered[1:] == ordered[:-1]).any())


@dataclass(frozen=True)
class HashIndex:
    """Tables from a query and the low bits of a hash to an item; items that collide go to the next.

    The items of a query lie within a window of the table, and those of the next query a little
    further on. Runs mostly have the rows of a query together, so what is looked up next is in the
    processor's cache, even where the table is much larger than it.

    If two items had the same 64-bit hash, only one of them could be found. With a million items
    this happens once in 40 million collections, which is accepted.
    """

    hashes: np.ndarray
    tables: tuple[Slots, ...]

    @classmethod
    def build(cls, hashes: np.ndarray, query: np.ndarray) -> HashIndex:
        """Index the items' hashes; ``query`` has the number of the query of each."""
        tables = []
        left, of_left, hashes_left = np.arange(len(hashes), dtype=np.int32), query, hashes
        while len(left):
            table, slot = Slots.fill(hashes_left, of_left, left)
            tables.append(table)
            found = table.entry[slot] >> 1
            other = np.flatnonzero(found != left)
            other = other[hashes[found[other]] != hashes_left[other]]
            table.entry[slot[other]] |= 1
            left, of_left, hashes_left = left[other], of_left[other], hashes_left[other]
        return cls(hashes, tuple(tables))

    def find(self, hashes: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows whose hash equals an item's, ascending, and the index of each item."""
        rows: list[np.ndarray] = []
        items: list[np.ndarray] = []
        left: np.ndarray | None = None
        for table in self.tables:
            is_left = (hashes, query) if left is None else (hashes[left], query[left])
            taken, entry = table.taken(*is_left)
            candidate = entry >> 1
            left = taken if left is None else left[taken]
            same = self.hashes.take(candidate) == hashes.take(left)
            rows.append(left[same])
            items.append(candidate[same])
            left = left[~same & (entry & 1).astype(bool)]
        found = np.concatenate(rows)
        order = np.argsort(found, kind="stable")
        return found[order], np.concatenate(items)[order]


@dataclass(frozen=True)
class Slots:
    """A table of items, with a window of slots for each query.

    An entry is -1 where there is no item. Else it is twice the item, and 1 more if the next table
    has other items with the same slot in this one.

    The window of query q begins at slot ``step`` · q, and the hash's low bits, those in ``mask``,
    say where in it an item lies.
    """

    entry: np.ndarray
    step: int
    mask: np.uint64

    @classmethod
    def fill(
        cls, hashes: np.ndarray, query: np.ndarray, item: np.ndarray
    ) -> tuple[Slots, np.ndarray]:
        """Return a table of items, and the slot of each; of items in one slot it has the last."""
        of_query = np.bincount(query)
        # more slots than items, in the whole table and in the window of each query
        room = 8 if len(item) <= _FEW else 4
        step = -(-room * len(item) // len(of_query))
        width = 1 << max(10, int(room * of_query.max()).bit_length())
        nothing = np.full(step * (len(of_query) - 1) + width, -1, np.int32)
        table = cls(nothing, step, np.uint64(width - 1))
        slot = table.slot(hashes, query)
        table.entry[slot] = item << 1
        return table, slot

    def taken(self, hashes: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows whose slot has an entry, and these entries.

        Some rows are looked up at a time, so that what is computed for them stays in the
        processor's cache.
        """
        rows, entries = [np.empty(0, np.int64)], [self.entry[:0]]
        for start in range(0, len(hashes), _AT_ONCE):
            end = start + _AT_ONCE
            # a slot beyond the end is the last one, whose item has another hash
            entry = self.entry.take(self.slot(hashes[start:end], query[start:end]), mode="clip")
            taken = np.flatnonzero(entry >= 0)
            rows.append(taken + start)
            entries.append(entry[taken])
        return np.concatenate(rows), np.concatenate(entries)

    def slot(self, hashes: np.ndarray, query: np.ndarray) -> np.ndarray:
        """Return the slot of each hash; behind the last query with an item there may be none."""
        slot = (hashes & self.mask).view(np.int64)
        slot += query * self.step
        return slot
