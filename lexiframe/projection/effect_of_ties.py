"""The ranks that relevant items can have when equal scores are put in another order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiframe.projection.coded_rows import Blocks
from lexiframe.projection.judgments import JudgedItems

NOWHERE = 1 << 40
"""Stands for the rank of an item that was not retrieved; no rank is as large."""


@dataclass(frozen=True)
class TiedItems:
    """The relevant items of a run that share their score with another document of the query.

    Attributes
    ----------
    item
        Their indices among the judged items.
    best
        Their ranks when relevant items come first among equal scores, high grades first. Items of
        one grade keep their order, so that sums do not depend on the order of the input.
    worst
        Their ranks in the reverse of that order.
    """

    item: np.ndarray
    best: np.ndarray
    worst: np.ndarray

    @classmethod
    def of(
        cls, groups: Blocks, first: np.ndarray, item: np.ndarray, judged: JudgedItems
    ) -> TiedItems:
        """Find the tied items among the judged ones, given their groups of equal scores.

        ``first`` is the first row of the query of each judged item.
        """
        tied = np.flatnonzero(judged.is_relevant[item] & (groups.last > groups.first))
        grade = judged.items["relevance"].to_numpy()[item[tied]]
        tied = tied[np.lexsort((item[tied], -grade, groups.block[tied]))]
        block = groups.block[tied]
        nth = np.arange(len(tied)) - np.searchsorted(block, block)  # from 0 within each block
        best = groups.first[tied] + nth - first[tied] + 1
        worst = groups.last[tied] - nth - first[tied] + 1
        return cls(item[tied], best, worst)

    def within(self, depth: int | None) -> TiedItems:
        """Return the ranks when every ranking is cut at a depth; items that no order has go."""
        if depth is None:
            return self
        some = self.best <= depth
        worst = self.worst[some]
        return TiedItems(self.item[some], self.best[some], np.where(worst > depth, NOWHERE, worst))
