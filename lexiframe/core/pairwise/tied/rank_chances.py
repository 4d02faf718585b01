"""The chances of the ranks of relevant items in every run: `RankChances`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lexiframe.core.projection import tied_orders

_CELLS = 2**17
"""Chances that are looked at together, unless one level of all runs has more: 1 MB, for caches."""


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
    def lay_out(cls, items: tied_orders.TiedItems, request: int) -> RankChances:
        """Return the chances of one request, given its items (see `TiedItems.counted`)."""
        first, last = items.first[:, :, request], items.last[:, :, request]
        limit = items.limit[:, request]
        return cls(first, last, limit, possible_ranks(first, last, limit))

    def blocks(self, n_levels: int) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield some of the first levels, P(p_i = x) and P(p_i > x): levels × runs × ranks.

        An item that is not found down to the limit is behind all ranks. The ranks are those that
        items of these levels can have.
        """
        groups, n_runs = self._groups(), self.first.shape[1]
        step = max(_CELLS // max(n_runs * len(self.ranks), 1), 1)
        for start in range(0, n_levels if len(self.ranks) else 0, step):
            end = min(start + step, n_levels)
            of_some = (groups[:, 0] < end) & (groups[:, 0] + groups[:, 3] > start)
            yield (slice(start, end), *self._chances_of(start, end, groups[of_some]))

    def level_ranks(self, level: int) -> np.ndarray:
        """Return P(p_i = x) of one level: runs × all ranks."""
        chances = np.zeros((self.first.shape[1], len(self.ranks)))
        groups = self._groups()
        has_it = (groups[:, 0] <= level) & (level < groups[:, 0] + groups[:, 3])
        for start, run, t, r, place, seen in groups[has_it].tolist():
            of = tied_orders.level_chances(t, r, np.array([level - start + 1]))
            chances[run, place : place + seen] = of[0, :seen]
        return chances

    def _groups(self) -> np.ndarray:
        """Return first level, run, t, r, place of the first rank and seen ranks: groups × 6."""
        is_start = (self.first < tied_orders.NEVER) & (np.diff(self.first, axis=0, prepend=-1) != 0)
        run, level = np.nonzero(is_start.T)
        first, last = self.first[level, run], self.last[level, run]
        n = (self.first[:, run] == first).sum(axis=0)
        place = np.searchsorted(self.ranks, first)
        seen = np.minimum(last, self.limit[run]) - first + 1
        return np.stack([level, run, last - first + 1, n, place, seen], axis=1)

    def _chances_of(self, low: int, high: int, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the chances of levels, given the groups that have them."""
        begin = groups[:, 4].min(initial=len(self.ranks))
        end = (groups[:, 4] + groups[:, 5]).max(initial=begin)
        chances = np.zeros((high - low, self.first.shape[1], end - begin))
        later = np.ones(chances.shape)
        for start, run, t, r, place, seen in groups.tolist():
            first, last = max(start, low), min(start + r, high)
            of, behind = tied_orders.kept_chances(t, r, first - start, last - start)
            here, first, last = slice(first - low, last - low), place - begin, place - begin + seen
            chances[here, run, first:last] = of[:, :seen]
            later[here, run, first:last] = behind[:, :seen]
            later[here, run, last:] = behind[:, seen - 1 : seen]
        return chances, later


_BLAS = 2**18
"""Products of matrices up to this size are made in the calling thread: larger ones begin threads of
their own, which wait for each other inside those of the requests."""


def share_ahead(chances: np.ndarray, later: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return Σ_i w_i Σ_x P(p_i = x) P(p′_i > x) of each run against each: runs × runs."""
    n_runs, n_ranks = chances.shape[1:]
    won, step = np.zeros((n_runs, n_runs)), max(_BLAS // n_runs**2, 16)
    for first in range(0, n_ranks, step):
        some = slice(first, first + step)
        of_levels = chances[:, :, some] @ later[:, :, some].swapaxes(1, 2)
        won += (weight[:, None, None] * of_levels).sum(axis=0)
    return won


def possible_ranks(first: np.ndarray, last: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Return the ranks that any item can have down to its limit, ascending."""
    ends = np.minimum(last, limit)
    found = first <= ends
    edges, change = np.unique(np.concatenate([first[found], ends[found] + 1]), return_inverse=True)
    begun = np.repeat([1, -1], np.count_nonzero(found))
    is_open = np.bincount(change, begun, len(edges)).cumsum() > 0
    sizes = np.diff(edges, append=edges[-1:])[is_open]
    shift = np.repeat(edges[is_open] - np.cumsum(sizes) + sizes, sizes)
    return np.asarray(np.arange(len(shift)) + shift)
