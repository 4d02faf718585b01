"""The chances of the ranks of relevant items in every run: `RankChances`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lexiframe.core.projection import tied_orders
from lexiframe.core.projection.tied_spans import NEVER, TiedItems

_CELLS = 2**22
"""Chances in memory at once, 32 MB, unless one level of all runs has more."""


@dataclass(frozen=True)
class RankChances:
    """The relevant items of one request in every run.

    Attributes
    ----------
    first, last
        levels × runs, see `TiedItems`: the items in the order of their groups.
    limit
        The last rank that counts in each run.
    ranks
        The ranks that any item can have, ascending.
    """

    first: np.ndarray
    last: np.ndarray
    limit: np.ndarray
    ranks: np.ndarray

    @classmethod
    def of(cls, items: TiedItems, request: int) -> RankChances:
        """Return the chances of one request, given its items (see `TiedItems.counted`)."""
        first, last = items.first[:, :, request], items.last[:, :, request]
        limit = items.limit[:, request]
        return cls(first, last, limit, possible_ranks(first, last, limit))

    def blocks(self, levels: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield some levels, P(p_i = x) and P(p_i > x): levels × runs × ranks.

        An item that is not found down to the limit is behind all ranks.
        """
        n_runs = self.first.shape[1]
        step = max(_CELLS // max(n_runs * len(self.ranks), 1), 1)
        for start in range(0, len(levels), step):
            some = levels[start : start + step]
            chances = np.zeros((len(some), n_runs, len(self.ranks)))
            self._fill(chances, some)
            chances *= self.ranks <= self.limit[:, None]
            later = 1 - chances.cumsum(axis=2)
            yield some, chances, later

    def _fill(self, chances: np.ndarray, levels: np.ndarray) -> None:
        first, last = self.first[levels], self.last[levels]
        level, run = np.nonzero(first == last) if len(levels) else (np.zeros(0, int),) * 2
        found = first[level, run] < NEVER
        level, run = level[found], run[found]
        chances[level, run, np.searchsorted(self.ranks, first[level, run])] = 1
        is_start = np.diff(self.first, axis=0, prepend=-1) != 0
        for start, run in np.argwhere(is_start & (self.first < self.last)):  # groups of documents
            t = int(self.last[start, run] - self.first[start, run]) + 1
            n = int((self.first[:, run] == self.first[start, run]).sum())
            nth = np.flatnonzero((levels >= start) & (levels < start + n))
            if len(nth):
                place = np.searchsorted(self.ranks, self.first[start, run])
                of = tied_orders.level_chances(t, n)[levels[nth] - start]
                here = chances[nth, run, place : place + t]
                chances[nth, run, place : place + t] = of[:, : here.shape[1]]


def possible_ranks(first: np.ndarray, last: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Return the ranks that any item can have down to its limit, ascending."""
    found = first < NEVER
    starts, ends = first[found], np.minimum(last, limit)[found]
    spans = np.unique(np.stack([starts, ends]), axis=1).T
    spans = spans[spans[:, 0] <= spans[:, 1]]
    if not len(spans):
        return np.zeros(0, np.int64)
    begin = np.maximum(spans[:, 0], np.append(0, np.maximum.accumulate(spans[:, 1])[:-1]) + 1)
    sizes = np.maximum(spans[:, 1] - begin + 1, 0)
    shift = np.repeat(begin - np.cumsum(sizes) + sizes, sizes)
    return np.asarray(np.arange(len(shift)) + shift)
