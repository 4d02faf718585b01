"""Finding the judged items among the rows of a run by hash, without a join.

A run may have a million rows, and the judgments some ten thousand items. Hashing the documents of
the run once serves to find repeated documents as well as judged ones, and is several times faster
than a join on strings. Equal hashes are only candidates: the caller compares the strings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.codes import of_each

# 2^64 over the golden ratio: multiples of it spread evenly over 64 bits (Fibonacci hashing)
_MIX = np.uint64(0x9E3779B97F4A7C15)


def hash_keys(doc_id: pl.Series, query: np.ndarray) -> np.ndarray:
    """Hash each row's document and query index to 64 bits."""
    hashes: np.ndarray = of_each(doc_id, pl.Series.hash).to_numpy() ^ (query.view(np.uint64) * _MIX)
    return hashes


@dataclass(frozen=True)
class HashIndex:
    """Tables from the low bits of a hash to an item; items that collide go to the next table.

    If two items had the same 64-bit hash, only one of them could be found. With a million items
    this happens once in 40 million collections, which is accepted.
    """

    hashes: np.ndarray
    tables: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, hashes: np.ndarray) -> HashIndex:
        """Index the items' hashes."""
        tables = []
        left = np.arange(len(hashes))
        while len(left):
            # more than four slots for each item, so that few items collide
            size = 1 << max(10, int(4 * len(left)).bit_length())
            table = np.full(size, -1, np.int32)
            slot = _slot(hashes[left], size)
            table[slot] = left
            tables.append(table)
            left = left[(table[slot] != left) & (hashes[table[slot]] != hashes[left])]
        return cls(hashes, tuple(tables))

    def find(self, hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows whose hash is that of an item, ascending, and the index of each item."""
        rows: list[np.ndarray] = []
        items: list[np.ndarray] = []
        left: np.ndarray | None = None
        for table in self.tables:
            candidate = table[_slot(hashes if left is None else hashes[left], len(table))]
            taken = np.flatnonzero(candidate >= 0)
            candidate = candidate[taken]
            left = taken if left is None else left[taken]
            same = self.hashes[candidate] == hashes[left]
            rows.append(left[same])
            items.append(candidate[same])
            left = left[~same]
        found = np.concatenate(rows)
        order = np.argsort(found)
        return found[order], np.concatenate(items)[order]


def _slot(hashes: np.ndarray, size: int) -> np.ndarray:
    return (hashes & np.uint64(size - 1)).view(np.int64)
