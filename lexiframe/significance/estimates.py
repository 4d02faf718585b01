"""Estimates of mean differences whose error is not sd / √n: of clusters, seeds, two judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiframe.base import sums
from lexiframe.significance.differences import Options
from lexiframe.significance.intervals import Interval, one_sided
from lexiframe.significance.paired_tests import Answers, Outcome, answers


@dataclass(frozen=True)
class Estimates:
    """The mean difference of each pair, its standard error, and the degrees of freedom of their t.

    An error that is not above 0, or no degree of freedom, says that nothing is known of how much
    the estimate would vary: no interval, and p = 1.
    """

    mean: np.ndarray
    error: np.ndarray
    df: np.ndarray

    @property
    def _varies(self) -> np.ndarray:
        return (self.error > 0) & (self.df > 0)

    def beyond(self, limit: np.ndarray | float) -> np.ndarray:
        """Return t of the mean minus a limit; NaN where nothing is known."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self._varies, (self.mean - limit) / self.error, np.nan))

    def above(self, limit: np.ndarray) -> np.ndarray:
        """Return p of the hypothesis that the mean is at most a limit."""
        return self._p_above(self.beyond(limit))

    def below(self, limit: np.ndarray) -> np.ndarray:
        """Return p of the hypothesis that the mean is at least a limit."""
        return self._p_above(-self.beyond(limit))

    def _p_above(self, t: np.ndarray) -> np.ndarray:
        from scipy.special import stdtr

        p = sums.above_zero(stdtr(np.maximum(self.df, 1e-9), -t))
        return np.asarray(np.where(np.isnan(t), 1.0, p))

    def outcome(self, effect_size: np.ndarray, options: Options) -> Outcome:
        """Return the outcome of Student's t, with an effect size that has no interval."""
        t = self.beyond(0.0)
        p = np.where(np.isnan(t), 1.0, options.p_value(self._p_above(-t), self._p_above(t)))
        unknown = np.full(len(t), np.nan)
        return Outcome(effect_size, unknown, unknown, t, p, np.zeros(len(t)))

    def interval(self, options: Options, tail: float | None = None) -> Interval:
        """Return mean ± quantile of Student's t · error."""
        from scipy.special import stdtrit

        tail = options.tail if tail is None else tail
        half = stdtrit(np.maximum(self.df, 1e-9), 1 - tail) * self.error
        half = np.where(self._varies, half, np.nan)
        return one_sided(self.mean - half, self.mean + half, options)

    def answers(self, margin: np.ndarray, options: Options) -> Answers:
        """Ask Student's t whether the mean is above −δ, below δ, above δ and below −δ."""
        from scipy.special import stdtrit

        half = stdtrit(np.maximum(self.df, 1e-9), 1 - options.alpha) * self.error
        half = np.where(self._varies, half, np.nan)
        either = np.minimum(1.0, 2 * self._p_above(np.abs(self.beyond(0.0))))
        ends = self.mean - half, self.mean + half
        return answers(margin, ends, self.above, self.below, either, np.zeros(len(margin)))


def satterthwaite(terms: np.ndarray, df: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of variances, some of them subtracted, and its degrees of freedom.

    ``terms`` and ``df`` are terms × columns. Where the sum is smaller than its largest term, that
    term and its degrees of freedom are taken (Satterthwaite, Biometrics Bulletin 1946,
    doi:10.2307/3002019).

    Examples
    --------
    >>> satterthwaite(np.array([[4.0], [1.0], [-2.0]]), np.array([[4], [2], [8]]))
    (array([4.]), array([4.]))
    """
    total, place = terms.sum(axis=0), terms.argmax(axis=0)
    largest, its_df = terms.max(axis=0), np.take_along_axis(df, place[None], axis=0)[0]
    freedom = sums.ratio(total**2, (terms**2 / df).sum(axis=0))
    is_smaller = total < largest
    return np.where(is_smaller, largest, total), np.where(is_smaller, its_df, freedom)
