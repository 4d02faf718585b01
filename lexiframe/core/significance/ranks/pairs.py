"""Differences of all pairs of runs that are tested, and the ranks that they leave possible.

What is averaged (scores, z-scores, points) is an array units × runs; a unit is a collection, a
group of them, or a request of one. Runs × runs everywhere: the row's run minus the column's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lexiframe.core.base import sums

_CANCELLED = 1e-9
"""Below this share of its terms a sum of squares is computed again, from differences."""


@dataclass(frozen=True)
class Design:
    """A design of averages: the points, their weights, and the errors of their means.

    Attributes
    ----------
    points
        Units × runs.
    weights
        Of the units, with the sum 1.
    stratum
        The number of each unit's stratum: units vary about the means of their strata.
    has_own_variance
        Whether each stratum has a variance of its own (requests of collections), or all share one.

    Examples
    --------
    >>> design = Design.equal(np.array([[0.5, 0.25], [0.75, 0.5], [0.5, 0.0]]))
    >>> design.differences[0, 1].round(6), design.se[0, 1].round(6), design.df[0, 1]
    (np.float64(0.333333), np.float64(0.083333), np.float64(2.0))
    """

    points: np.ndarray
    weights: np.ndarray
    stratum: np.ndarray
    has_own_variance: bool = False

    @classmethod
    def equal(cls, points: np.ndarray) -> Design:
        """Return the design of units with equal weights and one variance."""
        n = len(points)
        return cls(points, np.full(n, 1 / n), np.zeros(n, np.int64))

    @property
    def sizes(self) -> np.ndarray:
        """The number of units of each stratum."""
        return np.bincount(self.stratum)

    @cached_property
    def factors(self) -> np.ndarray:
        """The factor of a stratum's sum of squares in se²; empty without degrees of freedom.

        One variance: Σ w²/(n − strata). Variances of their own: Σ w²/(n − 1) of each stratum.
        """
        n = self.sizes
        squares = np.bincount(self.stratum, self.weights**2)
        free = n - 1 if self.has_own_variance else np.full(len(n), n.sum() - len(n))
        squares = squares if self.has_own_variance else np.full(len(n), squares.sum())
        return np.asarray(squares / free) if free.min(initial=1) > 0 else np.empty(0)

    @property
    def is_free(self) -> bool:
        """Whether units are left to estimate how they vary."""
        return len(self.factors) > 0

    @cached_property
    def size(self) -> float:
        """The size of the largest point; rounding errors are shares of it."""
        return sums.largest(self.points)

    @cached_property
    def values(self) -> np.ndarray:
        """The mean of each run."""
        return np.asarray((self.weights[:, None] * self.points).sum(axis=0))

    @cached_property
    def centred(self) -> np.ndarray:
        """The points minus their mean over all runs: smaller numbers with the same differences."""
        return np.asarray(self.points - self.points.mean(axis=1, keepdims=True))

    @cached_property
    def differences(self) -> np.ndarray:
        """The differences of means; 0 where rounding alone may have caused them."""
        mean = (self.weights[:, None] * self.centred).sum(axis=0)
        error = sums.TIE * self.size
        delta = mean[:, None] - mean
        return np.where(np.abs(delta) <= error, 0.0, delta)

    @cached_property
    def se(self) -> np.ndarray:
        """The standard errors of the differences; 0 where differences do not vary."""
        return np.asarray(np.sqrt(self._se_and_df[0]))

    @cached_property
    def df(self) -> np.ndarray:
        """Degrees of freedom: n − strata, or Welch's and Satterthwaite's."""
        return self._se_and_df[1]

    @cached_property
    def _se_and_df(self) -> tuple[np.ndarray, np.ndarray]:
        n_runs = self.points.shape[1]
        total, spread = np.zeros((n_runs, n_runs)), np.zeros((n_runs, n_runs))
        for s, factor in enumerate(self.factors):
            part = factor * _squares(self.centred[self.stratum == s], self.size)
            total += part
            if self.has_own_variance:
                spread += part**2 / (self.sizes[s] - 1)
        if not self.has_own_variance:
            return total, np.full(total.shape, float(len(self.points) - len(self.sizes)))
        return total, np.where(spread > 0, total**2 / np.where(spread > 0, spread, 1.0), np.inf)

    @property
    def estimates(self) -> sums.Estimates:
        """The differences with their standard errors, which are 0 without freedom."""
        return sums.Estimates(self.differences, self.se, self.df)

    @cached_property
    def statistics(self) -> np.ndarray:
        """T = |d|/se; 0 where differences do not vary, as these decide nothing."""
        varies = self.se > 0
        return np.where(varies, np.abs(self.differences) / np.where(varies, self.se, 1.0), 0.0)

    @cached_property
    def p_values(self) -> np.ndarray:
        """Student's t, two-sided; 1 where differences do not vary."""
        return self.estimates.apart() if self.is_free else np.full(self.se.shape, np.nan)

    def half_widths(self, alpha: float) -> np.ndarray:
        """Half of the interval of each difference, at the level 1 − alpha.

        It is NaN without freedom, and where differences do not vary: a sample has no certainty.
        """
        return self.estimates.half(alpha / 2)

    def intervals(self, alpha: float) -> np.ndarray:
        """Half of the interval of each run's own mean, at the level 1 − alpha.

        It is NaN without freedom, and where the run has the same value everywhere. It does not show
        whether two runs differ.
        """
        n_runs = self.points.shape[1]
        parts = np.zeros((len(self.sizes), n_runs))
        for s, factor in enumerate(self.factors):
            of_stratum = self.points[self.stratum == s]
            parts[s] = factor * ((of_stratum - of_stratum.mean(axis=0)) ** 2).sum(axis=0)
        total = parts.sum(axis=0)
        df = np.full(n_runs, float(len(self.points) - len(self.sizes)))
        if self.has_own_variance and self.is_free:
            spread = (parts**2 / (self.sizes - 1)[:, None]).sum(axis=0)
            df = np.where(spread > 0, total**2 / np.where(spread > 0, spread, 1.0), 1.0)
        return sums.Estimates(self.values, np.sqrt(total), df).half(alpha / 2)


def _squares(points: np.ndarray, size: float) -> np.ndarray:
    """Σ (d − d̄)² for the differences d of all pairs; exactly 0 where they are equal.

    ``size`` is the size of the numbers whose rounding errors the points have. The sums come from
    one product of matrices, Σ a² + Σ b² − 2 Σ ab. Where that cancels, for two runs that are nearly
    equal, they are computed from the differences themselves.
    """
    centred = points - points.mean(axis=0)
    gram = centred.T @ centred
    own = np.diag(gram)
    whole = own[:, None] + own
    squares = np.maximum(whole - 2 * gram, 0.0)
    # Where no run varies, the whole is nothing but rounding, of which no share means anything.
    rounding = len(points) * (sums.TIE * size) ** 2
    a, b = np.nonzero(np.triu(squares <= np.maximum(_CANCELLED * whole, rounding), k=1))
    for start in range(0, len(a), 2**14):
        i, j = a[start : start + 2**14], b[start : start + 2**14]
        d = points[:, i] - points[:, j]
        varies = np.ptp(d, axis=0) > sums.TIE * np.maximum(size, np.abs(d).max(axis=0))
        squares[i, j] = np.where(varies, ((d - d.mean(axis=0)) ** 2).sum(axis=0), 0.0)
        squares[j, i] = squares[i, j]
    np.fill_diagonal(squares, 0.0)
    return np.asarray(squares)


# --- Holm's correction ----------------------------------------------------------------------------


def holm_all(p_values: np.ndarray) -> np.ndarray:
    """Adjust the p-values of all pairs together; runs × runs, with 1 on the diagonal."""
    a, b = np.triu_indices(len(p_values), k=1)
    adjusted = np.ones_like(p_values)
    adjusted[a, b] = adjusted[b, a] = sums.holm(p_values[a, b])
    return adjusted


def holm_each(p_values: np.ndarray) -> np.ndarray:
    """Adjust the p-values of each row, the comparisons of one run, by themselves."""
    n = len(p_values)
    off = ~np.eye(n, dtype=bool)
    adjusted = np.ones_like(p_values)
    adjusted[off] = sums.holm(p_values[off].reshape(n, n - 1)).ravel()
    return adjusted


# --- Ranks ----------------------------------------------------------------------------------------


def possible_ranks(differences: np.ndarray, reject: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and greatest rank that a run may have: 1 + #better, S − #worse."""
    better, worse = reject & (differences < 0), reject & (differences > 0)
    return 1 + better.sum(axis=1), len(differences) - worse.sum(axis=1)
