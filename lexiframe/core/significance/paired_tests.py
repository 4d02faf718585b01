"""`PairedTest`, and helpers that several modules of the folder ``tests`` share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lexiframe.core.base import sums
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.intervals import d_z_interval


class Outcome(NamedTuple):
    """The results of a test for each pair.

    ``least_p`` is the least p-value that the pair could have had: that of one run winning every
    request that is not a tie, with the same sizes of differences. Joint sign flips have corrected
    p-values, too.
    """

    effect_size: np.ndarray
    effect_low: np.ndarray
    effect_high: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    least_p: np.ndarray
    p_adjusted: np.ndarray | None = None
    least_p_adjusted: np.ndarray | None = None


class Answers(NamedTuple):
    """The interval of each pair's mean difference, and p of the questions about it.

    The interval has level 1 − 2α, so that a one-sided test at α rejects what is outside of it.
    ``least_p`` is the least p that a one-sided test of the pair could have had.
    """

    ci_low: np.ndarray
    ci_high: np.ndarray
    p_not_worse_a: np.ndarray
    p_not_worse_b: np.ndarray
    p_better: np.ndarray
    p_better_by_margin_a: np.ndarray
    p_better_by_margin_b: np.ndarray
    least_p: np.ndarray


@dataclass(frozen=True)
class Compared:
    """The quantity that a test compares: in words, and the column that tells the leading run.

    Run a is ahead where the column is above ``neither``.
    """

    words: str
    column: str
    neither: float = 0.0


MEANS = Compared("mean differences", "mean_difference")
WINS = Compared("requests won and lost", "effect_size", neither=1.0)
"""The effect size is win odds, which are 1 when neither run is ahead."""
RANKS = Compared("ranks of differences", "effect_size")


@dataclass(frozen=True)
class PairedTest:
    """A paired test of whether runs differ; all that the package knows of it.

    Attributes
    ----------
    name, words
        Its name, and what sentences call it.
    compute
        From the differences of all pairs to effect sizes and p-values.
    compares
        What decides which run the test favours.
    of_sums
        Whether it needs no more than sums over the requests: ``compute`` and ``shifted`` then take
        `Moments` as well.
    draws
        Whether p = (1 + count) / (1 + trials), so that too few trials cannot reject.
    needs_bounds
        Whether the least and the greatest value of a measure have to be known.
    splits_ties
        Whether the option ``sign_ties`` is for it.
    shifted
        The same test of whether the mean is beyond a margin, from the differences and each pair's
        margin; None if it is not offered.
    interval
        The interval of the mean difference that belongs to the test; None: that of `compare`.
    why_not_shifted
        Why it is not, for those who ask for it.
    """

    name: str
    words: str
    compute: Callable[[Any, Options], Outcome]
    compares: Compared = MEANS
    of_sums: bool = False
    draws: bool = False
    needs_bounds: bool = False
    splits_ties: bool = False
    shifted: Callable[[Any, np.ndarray, Options], Answers] | None = None
    interval: Callable[[Any, Options], tuple[np.ndarray, np.ndarray]] | None = None
    why_not_shifted: str = ""


OneSided = Callable[[np.ndarray], np.ndarray]
"""From a limit for each pair to p of the hypothesis that the mean does not pass it."""


def answers(
    margin: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    above: OneSided,
    below: OneSided,
    better: np.ndarray,
    least_p: np.ndarray,
) -> Answers:
    """Ask whether the mean is above −δ, below δ, above δ and below −δ."""
    return Answers(*ends, above(-margin), below(margin), better, above(margin), below(-margin),
                   least_p)  # fmt: skip


def standardised(d: Differences | sums.Moments) -> tuple[np.ndarray, np.ndarray]:
    """Return d_z and t: infinite where all differences are equal, NaN where they are all 0."""
    x = d.moments if isinstance(d, Differences) else d
    with np.errstate(divide="ignore", invalid="ignore"):
        d_z = np.where(x.has_spread, d.mean / d.deviation, np.nan)
    d_z[(np.abs(d.mean) <= d.mean_rounding) & (d.deviation == 0)] = np.nan
    return d_z, d_z * np.sqrt(d.n_effective)


def p_of_t(
    t: np.ndarray, n: np.ndarray | int, options: Options, df: np.ndarray | None = None
) -> np.ndarray:
    """Return p of t, by default with n − 1 degrees of freedom; 1 where all are 0, or n is 1.

    If t is infinite, as all differences are equal, p is the least of sign flips: 2^−n for n
    differences on one side of 0.
    """
    df, flips = np.maximum(n - 1 if df is None else df, 1), 0.5 ** np.asarray(n, np.float64)
    below, above = sums.t_above(-t, df), sums.t_above(t, df)
    below, above = np.where(t == -np.inf, flips, below), np.where(t == np.inf, flips, above)
    return np.where(np.isnan(t), 1.0, options.p_value(below, above))


def d_z_outcome(
    d: Differences | sums.Moments,
    options: Options,
    statistic: np.ndarray,
    p_value: np.ndarray,
    least_p: np.ndarray | float = 0.0,
) -> Outcome:
    """Return the outcome of a test whose effect size is d_z, or that has none of its own."""
    d_z, t = standardised(d)
    unknown = np.full(len(t), np.nan)
    interval = unknown, unknown
    if options.effect_intervals:
        interval = d_z_interval(t, d.n_effective, d.df, options)
    return Outcome(d_z, *interval, statistic, p_value, np.full(len(t), least_p))
