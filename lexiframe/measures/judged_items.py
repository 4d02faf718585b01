"""All judged items of a positions table, as arrays: tens of millions of rows are handled so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl


@dataclass(frozen=True)
class Items:
    """All judged items of a positions table, in its order, as arrays; made when they are needed."""

    table: pl.DataFrame
    keys: pl.DataFrame

    @cached_property
    def begins(self) -> np.ndarray:
        """The first row of each stretch of rows of one ranking."""
        ends = (self.table[name].rle().struct.field("len") for name in ("run", "query_id"))
        stops = np.unique(np.concatenate([length.cast(pl.Int64).cum_sum() for length in ends]))
        return np.append(0, stops[:-1]).astype(np.int64)

    @cached_property
    def of_stretch(self) -> np.ndarray:
        """The index of each stretch's ranking."""
        own = self.table.select("run", "query_id")[self.begins]
        index = self.keys.with_row_index("ranking")
        joined = own.join(index, on=["run", "query_id"], how="left", maintain_order="left")
        return np.asarray(joined["ranking"].to_numpy().astype(np.int64))

    @cached_property
    def grade(self) -> np.ndarray:
        """Negative when it was not judged, and for the rows of requests without relevant items."""
        return np.asarray(self.table["relevance"].fill_null(-1.0).to_numpy())

    @cached_property
    def found(self) -> Found:
        """Those that were retrieved."""
        position = self.table["position"].fill_null(0).to_numpy()
        row = np.flatnonzero(position)
        stretch = np.repeat(self.of_stretch, np.diff(np.append(self.begins, len(position))))
        return Found(row, stretch[row], position[row], self.grade[row])

    def is_relevant(self, rel: float | None) -> np.ndarray:
        """Tell which are relevant, by a least grade of a measure's own."""
        by_table = self.table["level"].is_not_null().to_numpy()
        return np.asarray(by_table if rel is None else by_table & (self.grade >= rel))

    def counts(self, chosen: np.ndarray) -> np.ndarray:
        """Count the chosen items of each ranking."""
        n = np.zeros(self.keys.height, np.int64)
        np.add.at(n, self.of_stretch, np.add.reduceat(chosen, self.begins, dtype=np.int64))
        return n


@dataclass(frozen=True)
class Found:
    """Judged items that were retrieved: row, index of the ranking, rank, and grade of each."""

    row: np.ndarray
    ranking: np.ndarray
    position: np.ndarray
    grade: np.ndarray


@dataclass(frozen=True)
class Above:
    """The judged items above each relevant item that was retrieved.

    Attributes
    ----------
    nonrelevant, unjudged
        How many items above it are judged not relevant; how many are pooled, but not judged: their
        grade is negative.
    n_nonrelevant
        How many items are judged not relevant, of each ranking.
    """

    nonrelevant: np.ndarray
    unjudged: np.ndarray
    n_nonrelevant: np.ndarray

    @classmethod
    def of(cls, items: Items, rel: float | None, ranking: np.ndarray, rank: np.ndarray) -> Above:
        """Count them, for relevant items of such rankings and ranks, 0: not retrieved."""
        other, found = ~items.is_relevant(rel), items.found
        step = int(found.position.max(initial=0)) + 1
        key = found.ranking * step + found.position
        is_other, is_judged = other[found.row], found.grade >= 0
        relevant = (ranking * step + rank)[rank > 0]
        n = items.counts(other & (items.grade >= 0))
        return cls(
            _above(relevant, key[is_other & is_judged], step),
            _above(relevant, key[is_other & ~is_judged], step),
            n,
        )


def _above(keys: np.ndarray, others: np.ndarray, step: int) -> np.ndarray:
    """Count the others above each key in its ranking; a key is ``ranking * step + rank``."""
    others = np.sort(others)
    begin = keys // step * step
    return np.searchsorted(others, keys) - np.searchsorted(others, begin)
