"""A sample of the requests, which shows single requests of an evaluation in parts: `Sample`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lexiframe.core.base import hashing
from lexiframe.core.evaluation.buckets.plan import Plan
from lexiframe.core.pairwise import PairCube

_REQUESTS, _CELLS = 100, 2**21
"""The greatest number of requests, and of their preferences (16 MB), in a sample."""


def size_of(plan: Plan) -> int:
    """Return how many requests a sample has: none where few would be much."""
    n_pairs = len(plan.runs) * (len(plan.runs) - 1) // 2
    return min(_REQUESTS, _CELLS // max(n_pairs * len(plan.measures), 1))


def _draw_requests(queries: pl.Series, n: int) -> pl.Series:
    """Return the n requests whose ids have the least hashes, sorted by id."""
    if len(queries) <= n:
        return queries
    return queries.gather(np.sort(np.argsort(hashing.hashes_of(queries), kind="stable")[:n]))


@dataclass(frozen=True)
class Sample:
    """The scores and preferences of at most ``n`` requests, and their positions if known.

    The requests are those whose ids have the least hashes, whatever the parts are and their order.
    """

    n: int
    part: PairCube
    positions: pl.DataFrame | None = None

    @classmethod
    def draw(cls, plan: Plan, part: PairCube) -> Sample:
        """Draw requests from a part."""
        n = size_of(plan)
        return cls(n, part.select_ids(_draw_requests(part.queries, n)))

    def with_positions(self, p: pl.DataFrame) -> Sample:
        """Return the sample with the positions of its requests, chosen from ``p``."""
        chosen = self.part.queries.implode()
        # Only some buckets have the column of missing rankings, which the page does not need.
        p = p.drop("answered", strict=False)
        return replace(self, positions=p.filter(pl.col("query_id").is_in(chosen)))

    def __add__(self, other: Sample) -> Sample:
        """Return the sample of the requests of both."""
        both = pl.concat([self.part.queries, other.part.queries]).sort()
        drawn = _draw_requests(both, self.n)
        kept = [one.part.select_ids(drawn) for one in (self, other)]
        kept = [part for part in kept if len(part.queries)]
        total = Sample(self.n, PairCube.together(kept or [self.part], self.part.measures))
        known = [one.positions for one in (self, other) if one.positions is not None]
        if not known:
            return total
        return total.with_positions(pl.concat(known).sort("run", "query_id", maintain_order=True))
