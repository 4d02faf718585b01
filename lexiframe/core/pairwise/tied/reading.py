"""Lexicographic preferences over tied orders: two rankings are read rank by rank.

While both have shown the same, they have found the same number c of relevant items. The next rank
of either holds one with a chance that depends on c alone, so the chances of "the same so far, with
c found" are carried from rank to rank. All terms are positive, so that no digits cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lexiframe.core.pairwise.tied.rank_chances import possible_ranks
from lexiframe.core.projection import tied_orders

Size = Callable[[np.ndarray], np.ndarray]
"""The size of ranks, in decreasing preference."""
_NOTHING = 1e-17
"""Chances below this are dropped: they do not change the last bit of a sum near 1."""
_OFTEN = 16
"""Pairs that are decided are dropped each time after so many ranks."""
CELLS = 2**21
"""Ranks × runs × requests, and with sizes also levels, that are read together."""


@dataclass(frozen=True)
class Decided:
    """The chances that run a is better, that b is, and none; the expected size of the difference.

    All but ``equal`` are recall levels × pairs, or 1 × pairs, of all levels together.
    """

    better: np.ndarray
    worse: np.ndarray
    equal: np.ndarray
    size: np.ndarray


@dataclass(frozen=True)
class Reading:
    """Relevant items by rank: arrays of ranks × rankings, which are runs × requests, flattened.

    Attributes
    ----------
    ranks
        The ranks at which any ranking may have an item, ascending.
    begun, ended
        How many items are in groups that have begun at a rank, and that have ended before it.
    left, seen
        The ranks from this one to the end of its group, and from its beginning to this one;
        infinite where a rank is in no group, or behind the limit.
    found
        P(c items are found down to the limit): c × rankings, from 0.
    """

    ranks: np.ndarray
    begun: np.ndarray
    ended: np.ndarray
    left: np.ndarray
    seen: np.ndarray
    found: np.ndarray

    @classmethod
    def lay_out(cls, items: tied_orders.TiedItems) -> Reading:
        """Lay out the items of some requests; see `TiedItems.counted`."""
        m = len(items.first)
        first, last = (of.reshape(m, -1) for of in (items.first, items.last))
        limit = items.limit.reshape(-1)
        ranks = possible_ranks(first, last, limit)
        shape = (len(ranks) + 1, len(limit))
        ranking = np.broadcast_to(np.arange(len(limit)), first.shape)
        starts, ends = np.searchsorted(ranks, first), np.searchsorted(ranks, last, side="right")
        counts, spans = np.zeros((2, *shape)), np.zeros((2, *shape), np.int64)
        for n, (place, rank) in enumerate(((starts, first), (ends, last))):
            np.add.at(counts[n], (place, ranking), 1)
            spans[n, starts, ranking] = rank
        begun, ended = counts.cumsum(axis=1)[:, :-1]
        x, (of_first, of_last) = ranks[:, None], np.maximum.accumulate(spans[:, :-1], axis=1)
        is_in = (x <= of_last) & (x <= limit)
        left, seen = (np.where(is_in, n, np.inf) for n in (of_last - x + 1, x - of_first + 1))
        return cls(ranks, begun, ended, left, seen, tied_orders.found_chances(first, last, limit))

    def next_chances(self, n: int, c: np.ndarray) -> np.ndarray:
        """Return P(the n-th rank has an item | c are above it): c × rankings.

        Of a number c that the ranking cannot have it is not a chance, but then c has none.
        """
        return np.asarray((self.begun[n] - c[:, None]) / self.left[n])

    def last_chances(self, n: int, c: np.ndarray) -> np.ndarray:
        """Return P(the n-th rank has an item | c are found down to it): c × rankings."""
        return np.asarray((c[:, None] - self.ended[n]) / self.seen[n])

    def next_sizes(self, sizes: np.ndarray) -> np.ndarray:
        """Return the expected size of the next item behind each rank, given c down to it.

        It is ranks × c × rankings; ``sizes`` are those of the ranks.
        """
        c = np.arange(len(self.found))
        expected = np.zeros((len(self.ranks) + 1, *self.found.shape))
        for n in range(len(self.ranks) - 1, 0, -1):
            chance = np.clip(self.next_chances(n, c), 0, 1)
            expected[n - 1] = chance * sizes[n] + (1 - chance) * expected[n]
        return expected

    def last_sizes(self, sizes: np.ndarray) -> np.ndarray:
        """Return the expected size of the last item before each rank, given c before it.

        It is (ranks + 1) × c × rankings: the last one is that of all ranks down to the limit.
        """
        c = np.arange(len(self.found))
        expected = np.zeros((len(self.ranks) + 1, *self.found.shape))
        for n in range(len(self.ranks)):
            chance = np.clip(self.last_chances(n, c), 0, 1)
            expected[n + 1] = chance * sizes[n] + (1 - chance) * expected[n]
        return expected


class _Undecided:
    """The pairs of rankings that may still be decided, and all results so far.

    ``state`` is c × pairs: the chance that both have shown the same, and found c items. ``sums`` of
    the pairs that are left are added to the results when pairs are dropped.
    """

    def __init__(self, state: np.ndarray, a: np.ndarray, b: np.ndarray, n_levels: int) -> None:
        self.state, self.a, self.b = state, a, b
        self.pair = np.arange(len(a))
        self.results, self.sums = np.zeros((2, 3 * n_levels, len(a)))
        self.low, self.high, self.n_levels = 0, len(state) - 1, n_levels

    def count(self, place: int, chances: np.ndarray, first_level: int) -> None:
        """Add chances, c × pairs, to one of the results: of each level, or of all together."""
        place *= self.n_levels
        if self.n_levels == 1:
            self.sums[place] += np.add.reduce(chances, axis=0)
        else:
            lacking = max(1 - first_level, 0)
            chances = chances[lacking : self.n_levels + 1 - first_level]
            start = place + first_level + lacking - 1
            self.sums[start : start + len(chances)] += chances

    def decided(self) -> Decided:
        """Return the results; where no rank was left to read, both showed the same."""
        equal = np.zeros(self.results.shape[1])
        equal[self.pair] = self.state.sum(axis=0)
        self.results[:, self.pair] += self.sums
        n = self.n_levels
        return Decided(self.results[:n], self.results[n : 2 * n], equal, self.results[2 * n :])

    def drop(self) -> None:
        """Drop pairs that are decided, and numbers c that no pair can have any longer."""
        here = self.state[self.low : self.high + 1]
        there = np.flatnonzero(here.max(axis=1, initial=0) > _NOTHING)
        if len(there):
            self.low, self.high = self.low + int(there[0]), self.low + int(there[-1])
        are_open = here.max(axis=0) > _NOTHING
        if np.count_nonzero(are_open) < 0.8 * len(are_open):
            self.results[:, self.pair] += self.sums
            self.sums = np.zeros((len(self.sums), np.count_nonzero(are_open)))
            self.state = np.ascontiguousarray(self.state[:, are_open])
            self.a, self.b, self.pair = (of[are_open] for of in (self.a, self.b, self.pair))

    def read(self, chance: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Read a rank that has an item with a ``chance`` in each ranking: c × rankings.

        Return the chances that a alone has one, b alone, and both; where neither has one, the state
        stays. Each difference is exactly 0 where one of the chances is 0 or 1.
        """
        of_a, of_b = (chance.take(of, axis=1) for of in (self.a, self.b))
        same = self.state[self.low : self.high + 1]
        of_a *= same
        both = of_a * of_b
        of_b *= same
        same -= of_a
        of_a -= both
        of_b -= both
        same -= of_b
        return of_a, of_b, both


def read_down(
    reading: Reading, a: np.ndarray, b: np.ndarray, size: Size | None, *, by_level: bool = False
) -> Decided:
    """Read pairs of rankings from the top: the first rank that differs decides, as in LP."""
    m = len(reading.found) - 1
    state = np.zeros((m + 1, len(a)))
    state[0] = 1
    left = _Undecided(state, a, b, m if by_level else 1)
    left.high = 0
    sizes, expected = _sizes(reading, size, reading.next_sizes)
    for n in range(len(reading.ranks)):
        if not len(left.pair):
            break
        c = np.arange(left.low, left.high + 1)
        better, worse, both = left.read(reading.next_chances(n, c))
        left.count(0, better, left.low + 1)
        left.count(1, worse, left.low + 1)
        if size is not None:
            others = sizes[n] - expected[n, c]
            gained = better * others[:, left.b] - worse * others[:, left.a]
            left.count(2, gained, left.low + 1)
        left.state[c[1:]] += both[:-1]
        if left.high < m and both[-1].max() > _NOTHING:
            left.high += 1
            left.state[left.high] += both[-1]
        if n % _OFTEN == 0:
            left.drop()
    return left.decided()


def read_up(
    reading: Reading, a: np.ndarray, b: np.ndarray, size: Size | None, *, by_level: bool = False
) -> Decided:
    """Read pairs of rankings from the end: more found wins, then the last rank that differs."""
    m, found = len(reading.found) - 1, reading.found
    fewer = np.cumsum(found, axis=0) - found
    of_a, of_b = found[:, a], found[:, b]
    left = _Undecided(of_a * of_b, a, b, m if by_level else 1)
    sizes, expected = _sizes(reading, size, reading.last_sizes)
    more_a, more_b = of_a * fewer[:, b], of_b * fewer[:, a]
    for place, chances in enumerate((more_a, more_b)):
        left.count(place, chances, 0)
    if size is not None:
        last = expected[-1]
        left.count(2, more_a * last[:, a] - more_b * last[:, b], 0)
    left.drop()
    for n in range(len(reading.ranks) - 1, -1, -1):
        if not len(left.pair):
            break
        c = np.arange(left.low, left.high + 1)
        worse, better, both = left.read(reading.last_chances(n, c))
        left.count(0, better, left.low)
        left.count(1, worse, left.low)
        if size is not None:
            others = expected[n, c] - sizes[n]
            gained = better * others[:, left.a] - worse * others[:, left.b]
            left.count(2, gained, left.low)
        left.state[c[:-1]] += both[1:]
        if left.low and both[0].max() > _NOTHING:
            left.low -= 1
            left.state[left.low] += both[0]
        if n % _OFTEN == 0:
            left.drop()
    return left.decided()


def _sizes(
    reading: Reading, size: Size | None, expected: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of the ranks, and the expected sizes of the items before or behind them."""
    if size is None:
        return np.zeros(0), np.zeros((0, 0, 0))
    of_ranks = size(reading.ranks)
    return of_ranks, expected(of_ranks)
