"""Central intervals of draws, and how far they must be widened to reach their level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.metrics import Metric
from lexiframe.core.pairwise import Measure

_RISING = ("P", "RBP", "RR", "Success", "gRBP")
"""Metrics of which no request loses when one more document is relevant."""


@dataclass(frozen=True)
class Interval:
    """The central part of draws; ``below`` and ``above`` are the units in which it is widened."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    below: np.ndarray
    above: np.ndarray

    @classmethod
    def around_draws(cls, draws: np.ndarray, alpha: float) -> Interval:
        """Return the central 1 − alpha of the draws, which are the first axis.

        The unit of each side is its distance from the mean, and at least the standard deviation:
        of rare draws on one side alone, the interval may not contain the mean.
        """
        least, greatest = draws.min(axis=0), draws.max(axis=0)
        mean = np.clip(draws.mean(axis=0), least, greatest)  # that of equal numbers is rounded, too
        low, high = np.quantile(draws, [alpha / 2, 1 - alpha / 2], axis=0)
        sd = np.where(greatest > least, draws.std(axis=0), 0.0)
        return cls(mean, low, high, np.maximum(mean - low, sd), np.maximum(high - mean, sd))

    def needed(self, value: np.ndarray) -> np.ndarray:
        """Return the least factor, from 1, by which the interval must be widened to hold a value.

        It is infinite when all draws are equal and the value is another one.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.where(value < self.low - sums.TIE, (self.low - value) / self.below, 0.0)
            high = np.where(value > self.high + sums.TIE, (value - self.high) / self.above, 0.0)
        return np.asarray(1 + np.maximum(low, high))

    def widened(self, factor: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends after each side has become ``factor`` times as wide, by its unit."""
        further = np.asarray(factor) - 1
        return self.low - further * self.below, self.high + further * self.above

    def widened_within(
        self, factor: np.ndarray | float, least: np.ndarray | float, most: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends after widening, none of them moved out of a range of possible values."""
        low, high = self.widened(factor)
        return np.fmin(np.fmax(low, least), self.low), np.fmax(np.fmin(high, most), self.high)


def range_of_values(
    metric: Metric, ends: np.ndarray, n: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest mean that a metric can have, whatever the holes are.

    ``ends`` are the means with no hole relevant and with all of them relevant, over ``n`` requests.
    A metric that only rises stays between them, unless a hole adds a request to the mean, as the
    first relevant document does.
    """
    limits = metric.limits
    least = 0.0 if limits.low == 0 else -np.inf
    most = limits.high if limits.high in (0, 1) else np.inf
    between = (n[0] == n[1]) & (metric.name in _RISING)
    return np.where(between, ends[0], least), np.where(between, ends[1], most)


def range_of_preferences(measure: Measure) -> tuple[float, float]:
    """Return the least and the greatest preference, or difference of a metric."""
    limits = measure.limits
    is_bounded = limits.high == 1 and limits.low in (-1, 0)
    return (-1.0, 1.0) if is_bounded else (-np.inf, np.inf)


def least_factor(needed: np.ndarray, share: float) -> float:
    """Return the least finite factor that is enough for a share of the needed ones; 1 for none."""
    finite = np.sort(needed[np.isfinite(needed)])
    if not len(finite):
        return 1.0
    enough = int(np.ceil(share * len(needed) - sums.TIE)) - 1
    return float(finite[min(enough, len(finite) - 1)])
