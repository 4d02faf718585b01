"""The input of paired tests: differences of pairs of runs over requests, and options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lexiframe.layouts.arrays import Pairs

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Options:
    """The options of tests and intervals, see `compare`."""

    alternative: Alternative
    alpha: float
    trials: int
    seed: int
    sign_ties: Literal["drop", "split"]

    @property
    def tail(self) -> float:
        """The probability of lying beyond one end of an interval."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def extreme(self, drawn: np.ndarray, observed: np.ndarray, rounding: np.ndarray) -> np.ndarray:
        """Return which drawn values are at least as extreme as the observed one, up to rounding."""
        if self.alternative == "greater":
            return np.asarray(drawn >= observed - rounding)
        if self.alternative == "less":
            return np.asarray(drawn <= observed + rounding)
        return np.asarray(np.abs(drawn) >= np.abs(observed) - rounding)

    def least_p(self, tail: np.ndarray) -> np.ndarray:
        """Return the least p-value possible, from the probability of the most extreme value."""
        return np.minimum(1.0, 2 * tail) if self.alternative == "two-sided" else tail

    def p_value(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """Return p from the probabilities of a value at most, and at least, the observed one."""
        if self.alternative == "two-sided":
            return np.asarray(np.minimum(1.0, 2 * np.minimum(below, above)))
        return np.asarray(above if self.alternative == "greater" else below)


@dataclass(frozen=True)
class Differences:
    """The differences of pairs over the same requests: requests × pairs, none missing.

    ``rounding`` (requests × pairs or 1 × 1) bounds the rounding error of each difference. ``mean``
    and ``deviation`` (the standard deviation with n − 1) are those of each pair; the deviation is
    exactly 0 where all differences are equal up to rounding.
    """

    values: np.ndarray
    rounding: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, rounding: np.ndarray) -> Differences:
        """Compute mean and deviation of differences, requests × pairs."""
        mean = values.mean(axis=0)
        squares = ((values - mean) ** 2).sum(axis=0)
        deviation = np.sqrt(squares / max(len(values) - 1, 1))
        # Equal differences get the deviation 0. Else t would divide by rounding alone: copies of a
        # run, or a constant shift, would have an enormous t or a random one.
        near = np.flatnonzero(values.max(axis=0) - values.min(axis=0) <= rounding.max(axis=0))
        # They are equal when one number is within half the rounding of each of them.
        some, rough = values[:, near], _cells(rounding, np.arange(len(values)), near) / 2
        same = (some - rough).max(axis=0) <= (some + rough).min(axis=0)
        deviation[near[same]] = 0.0
        return cls(values, rounding, mean, deviation)

    @property
    def mean_rounding(self) -> np.ndarray:
        """The bound of the rounding error of each mean."""
        return np.broadcast_to(self.rounding.mean(axis=0), len(self.mean))

    @property
    def n(self) -> int:
        """The number of requests."""
        return len(self.values)


def by_requests(pairs: Pairs, chosen: np.ndarray) -> Iterator[tuple[np.ndarray, Differences]]:
    """Yield the chosen pairs, those with the same requests together, and their differences."""
    values, rounding = pairs.values[:, chosen], pairs.rounding
    known = ~np.isnan(values)
    if known.all():  # the usual case: all pairs come at once
        every = np.arange(len(values))
        yield chosen, Differences.of(values, _cells(rounding, every, chosen))
        return
    for pair, requests in alike(known):
        rough = _cells(rounding, requests, chosen[pair])
        yield chosen[pair], Differences.of(values[np.ix_(requests, pair)], rough)


def alike(known: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the pairs that have the same requests, and these requests, as indices.

    ``known``, requests × pairs, says which requests each pair has.
    """
    patterns, pattern = np.unique(known, axis=1, return_inverse=True)
    for number, requests in enumerate(patterns.T):
        yield np.flatnonzero(pattern.ravel() == number), np.flatnonzero(requests)


def _cells(rounding: np.ndarray, requests: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the rounding of some requests and pairs; it may be one number for all."""
    return rounding if rounding.size == 1 else np.asarray(rounding[np.ix_(requests, pairs)])
