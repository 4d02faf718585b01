"""The ranks that relevant items can have when all orders of equal scores are equally likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

NEVER = 1 << 62
"""Stands for the ranks of an item that cannot be retrieved; no rank is as large."""


@dataclass(frozen=True)
class TiedItems:
    """The relevant items of some requests in every run, with their groups of equal scores.

    Attributes
    ----------
    first, last
        The first and the last rank of the group of each item, or `NEVER`: levels × runs × requests.
    limit
        The last rank that counts: runs × requests. A group may go on behind it.
    imputed
        Whether items that were not retrieved have imputed ranks.
    kept
        What was found of these requests, by measure, if it is kept for a second look.
    """

    first: np.ndarray
    last: np.ndarray
    limit: np.ndarray
    imputed: bool
    kept: dict[Any, Any] | None = None

    @property
    def are_tied(self) -> np.ndarray:
        """Whether a relevant item shares its score with another document: runs × requests."""
        return np.asarray((self.first < self.last).any(axis=0))

    def only(self, requests: np.ndarray) -> TiedItems:
        """Return the items of some of the requests."""
        first, last, limit = (of[..., requests] for of in (self.first, self.last, self.limit))
        return TiedItems(first, last, limit, self.imputed)

    def counted(self, are_counted: np.ndarray | None, cutoff: int | None) -> TiedItems:
        """Return some items in the order of their groups, and the last rank that counts.

        Items that do not count, or cannot be retrieved down to the cut-off, are `NEVER` found.
        """
        limit = self.limit if cutoff is None else np.minimum(self.limit, cutoff)
        found = self.first <= limit
        if are_counted is not None:
            found &= are_counted
        spans = (np.where(found, ranks, NEVER) for ranks in (self.first, self.last))
        first, last = (np.sort(ranks, axis=0) for ranks in spans)  # groups do not overlap
        return TiedItems(first, last, limit, self.imputed)


@dataclass(frozen=True)
class TiedSpans:
    """The same for all requests of a table, as `matrices.Requests` lays them out.

    ``spans`` is 2 × runs × recall levels; ``limit`` is runs × requests.
    """

    spans: np.ndarray
    limit: np.ndarray
    imputed: bool
    kept: dict[bytes, dict[Any, Any]] | None = None

    @classmethod
    def lay_out(
        cls, table: pl.DataFrame, cell: np.ndarray, ranking: np.ndarray, *shapes: tuple[int, int]
    ) -> TiedSpans:
        """Put rows of positions into cells: the one before the first level of each row's ranking.

        ``ranking`` is the number of the ranking of each row, ``shapes`` are those of the levels and
        of the rankings, runs × requests.
        """
        spans = np.full((2, shapes[0][0] * shapes[0][1]), NEVER)
        is_relevant = table["level"].is_not_null().to_numpy()
        rows = table.filter(is_relevant).select("level", "tied_from", "tied_to", "n_retrieved")
        level, *ends, depth = (rows[name].fill_null(NEVER).to_numpy() for name in rows.columns)
        spans[:, cell[is_relevant] + level] = np.stack(ends)
        limit = np.zeros(shapes[1][0] * shapes[1][1], np.int64)
        limit[ranking] = table["n_retrieved"].to_numpy()
        imputed = "corpus_size" in table.columns
        if imputed:  # imputed ranks count, unless those of a group that the depth divides do not
            is_divided = (ends[0] <= depth) & (depth < ends[1])
            whole = np.ones(len(limit), bool)
            whole[ranking[is_relevant][is_divided]] = False
            limit[whole] = NEVER - 1
        return cls(spans.reshape(2, *shapes[0]), limit.reshape(shapes[1]), imputed)

    def block(self, requests: np.ndarray, level: Any) -> TiedItems:
        """Return the items of some requests, given the levels that they have: see `Requests`."""
        of = (self.spans[0][:, level], self.spans[1][:, level])
        first, last = (np.ascontiguousarray(matrix.swapaxes(0, 1)) for matrix in of)
        kept = None if self.kept is None else self.kept.setdefault(requests.tobytes(), {})
        return TiedItems(first, last, self.limit[:, requests], self.imputed, kept)
