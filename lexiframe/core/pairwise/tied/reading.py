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
from lexiframe.core.projection.tied_spans import TiedItems

Size = Callable[[np.ndarray], np.ndarray]
"""The size of ranks, in decreasing preference."""
_NOTHING = 1e-19
"""Chances below this are dropped: they do not change the last bit of a sum."""
_OFTEN = 8
"""Pairs that are decided are dropped each time after so many ranks."""
CELLS = 2**21
"""Ranks × runs × requests, and with sizes also levels, that are read together."""


@dataclass(frozen=True)
class Decided:
    """The chances that run a is better, that b is, and none; the expected size of the difference.

    ``better`` and ``worse`` are recall levels × pairs, or 1 × pairs, of all levels together.
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
    def lay_out(cls, items: TiedItems) -> Reading:
        """Lay out the items of some requests; see `TiedItems.counted`."""
        m = len(items.first)
        first, last = (of.reshape(m, -1) for of in (items.first, items.last))
        limit = items.limit.reshape(-1)
        ranks = possible_ranks(first, last, limit)
        shape = (len(ranks) + 1, len(limit))
        ranking = np.broadcast_to(np.arange(len(limit)), first.shape)
        starts, ends = np.searchsorted(ranks, first), np.searchsorted(ranks, last, side="right")
        counts = np.zeros((2, *shape))
        for of, place in zip(counts, (starts, ends), strict=True):
            np.add.at(of, (place, ranking), 1)
        spans = np.zeros((2, *shape), np.int64)
        for of, rank in zip(spans, (first, last), strict=True):
            of[starts, ranking] = rank
            np.maximum.accumulate(of[:-1], axis=0, out=of[:-1])
        begun, ended = counts.cumsum(axis=1)[:, :-1]
        x, (of_first, of_last) = ranks[:, None], spans[:, :-1]
        is_in = (x <= of_last) & (x <= limit)
        left, seen = (
            np.where(is_in, n, np.inf) for n in (of_last - x + 1, x - of_first + 1)
        )
        return cls(ranks, begun, ended, left, seen, tied_orders.found_chances(first, last, limit))

    def next_chances(self, n: int, c: np.ndarray) -> np.ndarray:
        """Return P(the n-th rank has an item | c are above it): c × rankings."""
        return np.asarray(np.clip((self.begun[n] - c[:, None]) / self.left[n], 0, 1))

    def last_chances(self, n: int, c: np.ndarray) -> np.ndarray:
        """Return P(the n-th rank has an item | c are found down to it): c × rankings."""
        return np.asarray(np.clip((c[:, None] - self.ended[n]) / self.seen[n], 0, 1))

    def next_sizes(self, sizes: np.ndarray) -> np.ndarray:
        """Return the expected size of the next item behind each rank, given c down to it.

        It is ranks × c × rankings; ``sizes`` are those of the ranks.
        """
        c = np.arange(len(self.found))
        expected = np.zeros((len(self.ranks) + 1, *self.found.shape))
        for n in range(len(self.ranks) - 1, 0, -1):
            chance = self.next_chances(n, c)
            expected[n - 1] = chance * sizes[n] + (1 - chance) * expected[n]
        return expected

    def last_sizes(self, sizes: np.ndarray) -> np.ndarray:
        """Return the expected size of the last item before each rank, given c before it.

        It is (ranks + 1) × c × rankings: the last one is that of all ranks down to the limit.
        """
        c = np.arange(len(self.found))
        expected = np.zeros((len(self.ranks) + 1, *self.found.shape))
        for n in range(len(self.ranks)):
            chance = self.last_chances(n, c)
            expected[n + 1] = chance * sizes[n] + (1 - chance) * expected[n]
        return expected


class _Undecided:
    """The pairs of rankings that may still be decided, and all results so far.

    ``state`` is c × pairs: the chance that both have shown the same, and found c items.
    """

    def __init__(self, state: np.ndarray, a: np.ndarray, b: np.ndarray, n_levels: int) -> None:
        self.state, self.a, self.b = state, a, b
        self.pair = np.arange(len(a))
        self.results = np.zeros((2, n_levels, len(a))), np.zeros(len(a))
        self.low, self.high = 0, len(state) - 1

    def count(self, chances: np.ndarray, place: int, levels: np.ndarray) -> None:
        """Add chances, c × pairs, to one of the results: of each level, or of all together."""
        of = self.results[0][place]
        if len(of) == 1:
            of[0, self.pair] += chances.sum(axis=0)
        else:
            there = (levels > 0) & (levels <= len(of))
            of[levels[there, None] - 1, self.pair] += chances[there]

    def decided(self) -> Decided:
        """Return the results; where no rank was left to read, both showed the same."""
        equal = np.zeros_like(self.results[1])
        equal[self.pair] = self.state.sum(axis=0)
        return Decided(*self.results[0], equal, self.results[1])

    def drop(self) -> None:
        """Drop pairs that are decided, and numbers c that no pair can have any longer."""
        largest = self.state[self.low : self.high + 1].max(axis=1)
        there = np.flatnonzero(largest > _NOTHING)
        if not len(there):
            self.pair, self.state = self.pair[:0], self.state[:, :0]
            return
        self.low, self.high = self.low + int(there[0]), self.low + int(there[-1])
        open_ = self.state[self.low : self.high + 1].max(axis=0) > _NOTHING
        if np.count_nonzero(open_) < 0.8 * len(open_):
            self.state = np.ascontiguousarray(self.state[:, open_])
            self.a, self.b, self.pair = self.a[open_], self.b[open_], self.pair[open_]


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
        low, high = left.low, left.high
        c = np.arange(low, high + 1)
        chance = reading.next_chances(n, c)
        of_a, of_b = chance[:, left.a], chance[:, left.b]
        same = left.state[low : high + 1]
        better, worse = same * of_a * (1 - of_b), same * (1 - of_a) * of_b
        left.count(better, 0, c + 1)
        left.count(worse, 1, c + 1)
        if size is not None:
            others = sizes[n] - expected[n, low : high + 1]
            gained = better * others[:, left.b] - worse * others[:, left.a]
            left.results[1][left.pair] += gained.sum(axis=0)
        both = same * of_a * of_b
        left.state[low : high + 1] = same * (1 - of_a) * (1 - of_b)
        last = min(high + 1, m)
        left.state[low + 1 : last + 1] += both[: last - low]
        left.high = last
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
    more_a, more_b, c = of_a * fewer[:, b], of_b * fewer[:, a], np.arange(m + 1)
    for place, chances in enumerate((more_a, more_b)):
        left.count(chances, place, c)
    if size is not None:
        last = expected[-1]
        left.results[1][:] = (more_a * last[:, a] - more_b * last[:, b]).sum(axis=0)
    left.drop()
    for n in range(len(reading.ranks) - 1, -1, -1):
        if not len(left.pair):
            break
        low, high = left.low, left.high
        c = np.arange(low, high + 1)
        chance = reading.last_chances(n, c)
        of_a, of_b = chance[:, left.a], chance[:, left.b]
        same = left.state[low : high + 1]
        better, worse = same * (1 - of_a) * of_b, same * of_a * (1 - of_b)
        left.count(better, 0, c)
        left.count(worse, 1, c)
        if size is not None:
            others = expected[n, low : high + 1] - sizes[n]
            gained = better * others[:, left.a] - worse * others[:, left.b]
            left.results[1][left.pair] += gained.sum(axis=0)
        both = same * of_a * of_b
        left.state[low : high + 1] = same * (1 - of_a) * (1 - of_b)
        first = max(low - 1, 0)
        left.state[first:high] += both if low else both[1:]
        left.low = first
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
