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
    def found(self) -> Found:
        """Those that were retrieved."""
        is_found = self.table["position"].is_not_null().to_numpy()
        row = np.flatnonzero(is_found)
        stretch = np.repeat(self.of_stretch, np.diff(np.append(self.begins, len(is_found))))
        position = self.table["position"].drop_nulls().to_numpy()
        bits = int(position.max(initial=0)).bit_length()
        return Found(
            bits,
            stretch[row] << bits | position,
            position,
            _grades(self.table)[row],
            self.table["level"].is_not_null().to_numpy()[row],
        )

    def n_nonrelevant(self, rel: float | None) -> np.ndarray:
        """Count the items of each ranking's request that are judged not relevant.

        Every run has the same items of a request, so the first run that has it is enough.
        """
        first = self.keys["query_id"].is_first_distinct().to_numpy()[self.of_stretch]
        ends = np.append(self.begins, self.table.height)[1:]
        rows = [np.arange(*of) for of in zip(self.begins[first], ends[first], strict=True)]
        items = self.table[np.concatenate([np.empty(0, np.int64), *rows])]
        grade, has_level = _grades(items), items["level"].is_not_null().to_numpy()
        is_relevant = has_level if rel is None else has_level & (grade >= rel)
        of_request = items.filter(pl.Series(~is_relevant & (grade >= 0))).group_by("query_id").len()
        joined = self.keys.join(of_request, on="query_id", how="left", maintain_order="left")
        return np.asarray(joined["len"].fill_null(0).to_numpy().astype(np.int64))


def _grades(items: pl.DataFrame) -> np.ndarray:
    """Give the grades; negative where there is none: in rows of requests without relevant items."""
    grades = items["relevance"]
    return np.asarray((grades.fill_null(-1.0) if grades.null_count() else grades).to_numpy())


@dataclass(frozen=True)
class Found:
    """Judged items that were retrieved: their rank and grade, and the key that sorts them.

    The key has the rank in its low ``bits``, and the index of the ranking above. ``has_level`` says
    which are relevant by the table; a negative grade that it was not judged.
    """

    bits: int
    key: np.ndarray
    position: np.ndarray
    grade: np.ndarray
    has_level: np.ndarray


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
        found = items.found
        is_relevant = found.has_level if rel is None else found.has_level & (found.grade >= rel)
        is_judged = found.grade >= 0
        relevant = (ranking << found.bits | rank)[rank > 0]
        return cls(
            _above(relevant, found.key[~is_relevant & is_judged], found.bits),
            _above(relevant, found.key[~is_relevant & ~is_judged], found.bits),
            items.n_nonrelevant(rel),
        )


def _above(keys: np.ndarray, others: np.ndarray, bits: int) -> np.ndarray:
    """Count the others above each key in its ranking."""
    others = np.sort(others)
    begin = keys >> bits << bits
    return np.searchsorted(others, keys) - np.searchsorted(others, begin)
