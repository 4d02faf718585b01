"""The groups of equal scores in which rankings have items that count: `Groups`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from lexiframe.core.base import coded
from lexiframe.core.metrics.kinds.metric import Metric, n_required
from lexiframe.core.metrics.rankings import N_RELEVANT, RANK, Rankings
from lexiframe.core.metrics.row_by_row import row_by_row

_CELLS = 2**19
"""Ranks that are looked at together: their arrays of a few megabytes stay in the cache."""


@dataclass(frozen=True)
class Groups:
    """Groups of equal scores, by ranking and rank; an item of a score of its own is a group, too.

    Attributes
    ----------
    ranking
        The ranking of each group.
    before, size
        s and t: the documents before it, and in it.
    n, above
        r and c: the items that count in it, and in the groups before it.
    seen
        How many of its ranks count: the first ones, where a cut-off or the depth is in it.
    item
        The items, group by group, as numbers of the given ones.
    start
        The place of the first item of each group in ``item``.
    """

    ranking: np.ndarray
    before: np.ndarray
    size: np.ndarray
    n: np.ndarray
    above: np.ndarray
    seen: np.ndarray
    item: np.ndarray
    start: np.ndarray

    @classmethod
    def find(
        cls, ranking: np.ndarray, first: np.ndarray, last: np.ndarray, limit: np.ndarray
    ) -> Groups:
        """Group items by ranking and first rank, which is 0 for items that cannot be retrieved.

        ``limit`` is the last rank that counts in each ranking.
        """
        found = np.flatnonzero(first > 0)
        item = found[coded.order_of(ranking[found], first[found])]
        ranking, first, last = ranking[item], first[item], last[item]
        start = np.flatnonzero(coded.begins(ranking) | coded.begins(first))
        of, before = ranking[start], first[start] - 1
        size = last[start] - before
        seen = np.clip(limit[of] - before, 0, size)
        above = start - np.searchsorted(ranking, of)
        return cls(of, before, size, np.diff(start, append=len(item)), above, seen, item, start)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def levels(self) -> np.ndarray:
        """The recall levels of the items of ``item``, in this order."""
        first = np.repeat(self.start - self.above, self.n)
        return np.asarray(np.arange(len(self.item)) - first + 1)

    def batches(self, chosen: np.ndarray, *others: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
        """Yield chosen groups that have one number of seen ranks, and this number.

        With ``others``, numbers for each group, only those with the same ones are together.
        """
        chosen = chosen[self.seen[chosen] > 0]
        keys = [of[chosen] for of in (self.seen, *others)]
        chosen = chosen[coded.order_of(*keys)]
        is_new = np.any([coded.begins(of[chosen]) for of in (self.seen, *others)], axis=0)
        for some in np.split(chosen, np.flatnonzero(is_new)[1:]) if len(chosen) else ():
            width = int(self.seen[some[0]])
            step = max(_CELLS // width, 1)
            for first in range(0, len(some), step):
                yield some[first : first + step], width


class Exposures:
    """e(p) of a metric at the ranks of groups."""

    def __init__(self, metric: Metric, exposure: object, groups: Groups, m: np.ndarray) -> None:
        deepest = int((groups.before + groups.seen).max(initial=0))
        self._before, self._of_m = groups.before, np.zeros(len(groups), np.int64)
        sizes = np.zeros(1)
        if n_required(exposure) > 1:  # type: ignore[arg-type]
            sizes, self._of_m = np.unique(m[groups.ranking], return_inverse=True)
        ranks = np.arange(1, deepest + 1)
        frame = pl.DataFrame(
            {"position": np.tile(ranks, len(sizes)), "n_relevant": np.repeat(sizes, deepest)}
        )
        e = metric.evaluate(exposure, RANK, N_RELEVANT)  # type: ignore[arg-type]
        found = row_by_row(frame, e=e)["e"].to_numpy()
        self._table = found.reshape(len(sizes), deepest)

    def at(self, some: np.ndarray, width: int) -> np.ndarray:
        """Return e of the first ranks of some groups: groups × ranks."""
        rank = self._before[some, None] + np.arange(width)
        return np.asarray(self._table[self._of_m[some, None], rank])


def last_ranks(rankings: Rankings, cutoff: int | None) -> np.ndarray:
    """Return the last rank that counts in each ranking."""
    n = rankings.first_row("n_retrieved")
    return n if cutoff is None else np.minimum(n, cutoff)
