"""Positions of requests that have the same number of relevant items: `Block`, `Population`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import polars as pl


def missing(positions: np.ndarray) -> int:
    """Return the number that stands for the rank of an item that was not retrieved.

    It is greater than every rank, and the same for all such items.
    """
    return int(np.iinfo(positions.dtype).max)


@dataclass(frozen=True)
class Block:
    """Some requests with the same number m of relevant items, in every run.

    Attributes
    ----------
    positions
        m × runs × requests, integer, ascending along the first axis: the rank of the i-th relevant
        item, or `missing`. The requests come last, so that comparing two runs compares rows that
        lie together in memory.
    relevance
        m × runs × requests, the grade of that item.
    compared
        Which runs the pairs contain at least one of; None: all pairs are compared.
    tied
        The ranks that the items can have, `tied_orders.TiedItems`, where ties are expected.
    """

    positions: np.ndarray
    relevance: np.ndarray
    compared: np.ndarray | None = field(default=None, kw_only=True)
    tied: Any = field(default=None, kw_only=True)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return int(self.positions.shape[1])

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The runs a and b of each pair, a < b, in the order of (run_a, run_b)."""
        a, b = np.triu_indices(self.n_runs, k=1)
        if self.compared is None:
            return a, b
        kept = self.compared[a] | self.compared[b]
        return a[kept], b[kept]

    @property
    def lists(self) -> tuple[Block, ...]:
        """The blocks whose items a preference looks at: this one, and one of each subtopic."""
        return (self,)

    def __len__(self) -> int:
        """Return the number of requests."""
        return int(self.positions.shape[2])

    def within(self, cutoff: int | None) -> Self:
        """Return the block without retrieved items beyond a rank."""
        if cutoff is None:
            return self
        positions = np.where(self.positions > cutoff, missing(self.positions), self.positions)
        return replace(self, positions=positions.astype(self.positions.dtype, copy=False))

    def at_least(self, grade: float | None) -> Population:
        """Return the items of a grade or above; of all grades for None."""
        if grade is None:
            return Population(self, None, np.full(len(self), len(self.positions)))
        return self._graded_items(np.full(len(self), grade))

    def populations(self, rel: float | None) -> list[Population]:
        """Return the items of each distinct grade or above, or of ``rel`` alone.

        The n-th population has the items of the n-th distinct grade of each request, from below. It
        has no item of a request with fewer grades.
        """
        if rel is not None:
            return [self.at_least(rel)]
        grades = np.sort(self.relevance[:, 0], axis=0)
        is_new = np.ones(grades.shape, bool)
        np.not_equal(grades[1:], grades[:-1], out=is_new[1:])
        n_distinct = is_new.sum(axis=0)
        if n_distinct.max(initial=0) <= 1:
            return [self.at_least(None)]
        distinct = np.full((int(n_distinct.max()), len(self)), np.inf)
        level, request = np.nonzero(is_new)
        distinct[is_new.cumsum(axis=0)[level, request] - 1, request] = grades[level, request]
        return [self._graded_items(least) for least in distinct]

    def thresholds(self, populations: Sequence[Population]) -> pl.DataFrame:
        """Return the least grade of each population in each request, in the column ``of``.

        It is null where the request has fewer grades.
        """
        least = self.relevance[:, 0].min(axis=0, initial=np.inf)
        grades = [least if one.least is None else one.least for one in populations]
        of = pl.Series(np.concatenate(grades))
        return pl.DataFrame({"of": of.set(of.is_infinite(), None)})

    def only(self, requests: np.ndarray) -> Block:
        """Return the block of some of the requests."""
        positions, relevance = self.positions[:, :, requests], self.relevance[:, :, requests]
        return Block(positions, relevance, compared=self.compared)

    def _graded_items(self, least: np.ndarray) -> Population:
        """Return the items of a least grade for each request."""
        return Population(self, least, (self.relevance[:, 0] >= least).sum(axis=0))


@dataclass(frozen=True)
class Population:
    """The items that count as relevant at one threshold, of the requests of a block.

    Attributes
    ----------
    block
        All items.
    least
        The least grade that counts, for each request; None: every grade.
    m
        The number of items of each request.
    """

    block: Block
    least: np.ndarray | None
    m: np.ndarray

    @property
    def positions(self) -> np.ndarray:
        """The positions: levels × runs × requests, ascending along the first axis.

        A request with fewer items than another has, at its missing levels, the same number in all
        runs. The array is made anew at each call, because those of many thresholds together would
        take much memory.
        """
        positions = self.block.positions
        if self.least is None or (self.m == len(positions)).all():
            return positions
        counts = self.block.relevance >= self.least
        if self.m.size and (self.m == self.m[0]).all():
            which = counts.transpose(1, 2, 0)
            chosen = positions.transpose(1, 2, 0)[which].reshape(*which.shape[:2], -1)
            return np.ascontiguousarray(chosen.transpose(2, 0, 1))
        level, run, request = np.nonzero(counts)
        place = (counts.cumsum(axis=0) - 1)[level, run, request]
        found = np.zeros((int(self.m.max(initial=0)), *counts.shape[1:]), positions.dtype)
        found[place, run, request] = positions[level, run, request]
        return found
