"""What paired tests are about: the differences of pairs of runs over requests, and the options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lexiframe.measures.ties import TIE

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Options:
    """How tests and intervals are made, see `compare`.

    ``asked`` is the alternative that was asked for: of a baseline that is run_a it is turned round.
    """

    alternative: Alternative
    alpha: float
    trials: int
    seed: int
    sign_ties: Literal["drop", "split"]
    asked: Alternative

    @property
    def tail(self) -> float:
        """The probability beyond one end of an interval."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def extreme(
        self, drawn: np.ndarray, observed: np.ndarray, rounding: np.ndarray | float = TIE
    ) -> np.ndarray:
        """Tell which drawn values are as far out as the observed one, but for rounding."""
        if self.alternative == "greater":
            return np.asarray(drawn >= observed - rounding)
        if self.alternative == "less":
            return np.asarray(drawn <= observed + rounding)
        return np.asarray(np.abs(drawn) >= np.abs(observed) - rounding)

    def p_value(self, below: np.ndarray, above: np.ndarray) -> np.ndarray:
        """Give p from the probabilities of what is as small or smaller, and as great or greater."""
        if self.alternative == "two-sided":
            return np.asarray(np.minimum(1.0, 2 * np.minimum(below, above)))
        return np.asarray(above if self.alternative == "greater" else below)


@dataclass(frozen=True)
class Differences:
    """The differences of pairs over the same requests: requests × pairs, none missing.

    ``deviation`` is 0 where all differences are the same but for rounding.
    """

    values: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> Differences:
        """Take requests × pairs."""
        mean = values.mean(axis=0)
        squares = ((values - mean) ** 2).sum(axis=0)
        deviation = np.sqrt(squares / max(len(values) - 1, 1))
        deviation[values.max(axis=0) - values.min(axis=0) <= TIE] = 0.0
        return cls(values, mean, deviation)

    @property
    def rounding(self) -> np.ndarray:
        """How much of each mean is rounding: `TIE`, of the largest difference if that is over 1."""
        return np.asarray(TIE * np.maximum(1.0, np.abs(self.values).max(axis=0)))

    @property
    def n(self) -> int:
        """The number of requests."""
        return len(self.values)


def by_requests(values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give the pairs that have the same requests, and their differences over these.

    Of requests × pairs, NaN where there is none; mostly no pair lacks a request.
    """
    known = ~np.isnan(values)
    if known.all():
        yield np.arange(values.shape[1]), values
        return
    patterns, pattern = np.unique(known, axis=1, return_inverse=True)
    for number, requests in enumerate(patterns.T):
        pairs = np.flatnonzero(pattern.ravel() == number)
        yield pairs, values[np.ix_(requests, pairs)]
