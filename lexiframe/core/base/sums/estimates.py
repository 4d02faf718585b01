"""Means that Student's t says how sure we are of: the only module that computes t."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lexiframe.core.base.sums.tolerance import TIE, above_zero


@dataclass(frozen=True)
class Estimates:
    """The mean of each column, its standard error, and the degrees of freedom of their t.

    A deviation that is not above 0, or no degree of freedom, says that nothing is known of how much
    the mean would vary: then there is no interval, and p is 1.

    Attributes
    ----------
    mean
        What is estimated.
    deviation
        The standard deviation of the n independent values that are averaged; the standard error
        itself where n is 1.
    df
        Degrees of freedom.
    n
        The number of values.
    rounding
        A bound of the rounding error of the mean, which a difference from a limit has to exceed.

    Examples
    --------
    >>> e = Estimates(np.array([0.5, 0.1]), np.array([0.2, 0.0]), np.array([9, 9]))
    >>> e.beyond(0.1).round(6).tolist(), e.half(0.025).round(3).tolist()
    ([2.0, nan], [0.452, nan])
    """

    mean: np.ndarray
    deviation: np.ndarray
    df: np.ndarray | float
    n: np.ndarray | int = 1
    rounding: np.ndarray | float = 0.0

    @classmethod
    def of_values(cls, d: Any) -> Estimates:
        """Return the means of values from `Moments`, or from an object with its fields."""
        return cls(d.mean, d.deviation, d.df, d.n_effective, d.mean_rounding)

    @classmethod
    def of_ratios(cls, size: np.ndarray, total: np.ndarray, rounding: Any = TIE) -> Estimates:
        """Return Σ total/Σ size of each column, with the error of the linearised ratio.

        Both are units × columns; a unit of size 0 does not count, and an error up to ``rounding``
        is 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            units, n = (size > 0).sum(axis=0), size.sum(axis=0)
            mean = total.sum(axis=0) / n
            squares = ((total - mean * size) ** 2).sum(axis=0)
            error = np.sqrt(squares * units / (units - 1)) / n
        # Equal differences, and units whose differences cancel, leave rounding alone.
        error = np.where((units > 1) & (error > rounding), error, 0.0)
        return cls(mean, error, np.broadcast_to(units - 1, error.shape))

    @cached_property
    def varies(self) -> np.ndarray:
        """Whether it is known how much the mean would vary."""
        return np.asarray((self.deviation > 0) & (np.asarray(self.df) > 0))

    @property
    def error(self) -> np.ndarray:
        """The standard error of each mean."""
        return np.asarray(self.deviation / np.sqrt(self.n))

    @property
    def _freedom(self) -> np.ndarray:
        """The degrees of freedom; 1 in place of none, whose t is not looked at."""
        return np.where(np.asarray(self.df) > 0, self.df, 1)

    def beyond(self, limit: np.ndarray | float) -> np.ndarray:
        """Return t of the mean minus a limit; NaN where nothing is known."""
        above = self.mean - limit
        above = np.where(np.abs(above) <= self.rounding, 0.0, above)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(self.varies, above / self.deviation, np.nan)
        return np.asarray(t * np.sqrt(self.n))

    def above(self, limit: np.ndarray | float) -> np.ndarray:
        """Return p of the hypothesis that the mean is at most a limit."""
        return self._p_of(self.beyond(limit))

    def below(self, limit: np.ndarray | float) -> np.ndarray:
        """Return p of the hypothesis that the mean is at least a limit."""
        return self._p_of(-self.beyond(limit))

    def apart(self) -> np.ndarray:
        """Return p of the hypothesis that the mean is 0, two-sided."""
        return self._p_of(np.abs(self.beyond(0.0)), sides=2)

    def _p_of(self, t: np.ndarray, sides: int = 1) -> np.ndarray:
        p = above_zero(sides * t_above(t, self._freedom))
        return np.asarray(np.where(np.isnan(t), 1.0, p))

    def half(self, tail: float) -> np.ndarray:
        """Return half the width of the interval beyond whose ends there is ``tail`` each."""
        half = t_reach(self._freedom, tail) * self.deviation / np.sqrt(self.n)
        return np.asarray(np.where(self.varies, half, np.nan))

    def ends(self, tail: float) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of that interval; NaN where nothing is known."""
        half = self.half(tail)
        return self.mean - half, self.mean + half


def t_above(t: np.ndarray, df: np.ndarray | float) -> np.ndarray:
    """Return P(T ≥ t) of Student's t.

    Examples
    --------
    >>> t_above(np.array([0.0, 2.0]), 10).round(4).tolist()
    [0.5, 0.0367]
    """
    from scipy.special import stdtr

    return np.asarray(stdtr(df, -t))


def t_reach(df: np.ndarray | float, tail: np.ndarray | float) -> np.ndarray:
    """Return the t with P(T > t) = ``tail``, in standard errors.

    Examples
    --------
    >>> t_reach(np.array([1, 10, 1000]), 0.025).round(2).tolist()
    [12.71, 2.23, 1.96]
    """
    from scipy.special import stdtrit

    return np.asarray(stdtrit(df, 1 - tail))
