"""The ranks that relevant items can have when equal scores are put in another order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lexiframe.core.projection.judgments import JudgedItems

if TYPE_CHECKING:
    from lexiframe.core.projection.coded_rows import Blocks

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
    def find(
        cls,
        groups: Blocks,
        first: np.ndarray,
        item: np.ndarray,
        judged: JudgedItems,
        depth: int | None = None,
    ) -> TiedItems:
        """Find the tied items among the judged ones, given their groups of equal scores.

        ``first`` is the first row of the query of each judged item. Where rankings are cut at a
        depth, ranks beyond it are `NOWHERE`, and groups that begin beyond it are left out.
        """
        is_tied = judged.is_relevant[item] & (groups.block >= 0)
        if depth is not None:
            is_tied &= groups.first - first < depth
        tied = np.flatnonzero(is_tied)
        grade = judged.items["relevance"].to_numpy()[item[tied]]
        tied = tied[np.lexsort((item[tied], -grade, groups.block[tied]))]
        block = groups.block[tied]
        nth = np.arange(len(tied)) - np.searchsorted(block, block)  # from 0 within each block
        best = groups.first[tied] + nth - first[tied] + 1
        worst = groups.last[tied] - nth - first[tied] + 1
        if depth is not None:
            best, worst = (np.where(ranks > depth, NOWHERE, ranks) for ranks in (best, worst))
        return cls(item[tied], best, worst)
