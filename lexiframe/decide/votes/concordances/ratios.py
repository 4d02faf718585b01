"""Shares over pairs of rankings whose requests vary: ratios of sums over requests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lexiframe.core.base import resampling, sums

ENOUGH = 30
"""From so many requests the bootstrap is taken; below, its 95 % intervals hold less than 92 %."""


@dataclass(frozen=True)
class Ratios:
    """Σ_q total / Σ_q size for each column: both are requests × columns.

    The error is that of the linearised ratio, u_q = total_q − ratio · size_q. Below `ENOUGH`
    requests intervals and p-values are Student's, from there those of the bootstrap over requests.
    A column that is the same in all requests, or known in one request alone, has neither.
    """

    size: np.ndarray
    total: np.ndarray
    alpha: float
    samples: int
    seed: int

    @cached_property
    def _drawn(self) -> np.ndarray:
        """The ratios in samples of requests: samples × columns."""
        blocks = resampling.drawn_blocks(len(self.size), self.samples, self.seed)
        return np.concatenate(
            [sums.ratio(drawn @ self.total, drawn @ self.size) for drawn in blocks]
        )

    @cached_property
    def value(self) -> np.ndarray:
        """The ratio of each column; NaN where its size is 0."""
        return np.asarray(sums.ratio(self.total.sum(axis=0), self.size.sum(axis=0)))

    @cached_property
    def n_requests(self) -> np.ndarray:
        """How many requests each column counts."""
        return np.asarray((self.size > 0).sum(axis=0))

    def interval_and_p(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the ends of intervals, and the p-values of the ratio 0."""
        found = sums.Estimates.of_ratios(self.size, self.total)
        low, high = found.ends(self.alpha / 2)
        p = 2 * np.minimum(found.above(np.array(0.0)), found.below(np.array(0.0)))
        drawn = (self.n_requests >= ENOUGH) & (found.error > 0)
        if drawn.any():
            values, centre = self._drawn[:, drawn], self.value[drawn]
            low[drawn], high[drawn] = np.nanquantile(values, [self.alpha / 2, 1 - self.alpha / 2],
                                                     axis=0)  # fmt: skip
            beyond = np.abs(values - centre) >= np.abs(centre) - sums.TIE
            p[drawn] = (1 + beyond.sum(axis=0)) / (1 + self.samples)
        return low, high, np.minimum(p, 1.0)
