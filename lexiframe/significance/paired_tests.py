"""The paired tests: each computes effect sizes and p-values from the differences of all pairs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lexiframe.base.progress_bars import progress
from lexiframe.base.resampling import drawn_requests, signs
from lexiframe.base.sums.moments import Moments
from lexiframe.base.sums.ranking import ratio
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.intervals import (
    d_z_interval,
    rank_biserial_interval,
    win_odds_interval,
)


class Outcome(NamedTuple):
    """The results of a test for each pair.

    ``least_p`` is the least p-value that the pair could have had: that of one run winning every
    request that is not a tie, with the same sizes of differences.
    """

    effect_size: np.ndarray
    effect_low: np.ndarray
    effect_high: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    least_p: np.ndarray


_ROWS = 200
"""The number of trials at once: as many rows of means stay in the processor's cache."""

_FEW = 13
"""Up to this many ranks all 2^n signs are enumerated, as SciPy does since 1.15 where ranks tie."""

_EXACT = 50
"""Up to this many ranks SciPy's p is exact, if there are no ties."""


def t_test(d: Differences | Moments, options: Options) -> Outcome:
    """t = mean / (sd / √n), d_z = mean / sd."""
    d_z, t = _standardised(d)
    p_value = _p_of_t(t, d.n, options)
    return Outcome(*_with_interval(d_z, t, d.n, options), t, p_value, np.zeros(len(t)))


def p_of_t_test(d: Differences | Moments, options: Options) -> np.ndarray:
    """Return p of `t_test` alone: the interval of the effect size takes far longer."""
    return _p_of_t(_standardised(d)[1], d.n, options)


def _p_of_t(t: np.ndarray, n: np.ndarray | int, options: Options) -> np.ndarray:
    """Return p of t with n − 1 degrees of freedom; 1 where all differences are 0, or n is 1."""
    from scipy.special import stdtr

    df = np.maximum(n - 1, 1)
    return np.where(np.isnan(t), 1.0, options.p_value(stdtr(df, t), stdtr(df, -t)))


def sign_test(d: Differences | Moments, options: Options) -> Outcome:
    """Sign test: wins ~ Binomial(wins + losses, 1/2)."""
    wins, losses, ties = d.wins, d.losses, d.n - d.wins - d.losses
    with np.errstate(divide="ignore"):
        odds = (wins + ties / 2) / (losses + ties / 2)
    shared = ties // 2 if options.sign_ties == "split" else 0
    won, lost = wins + shared, losses + shared
    p_value = options.p_value(_at_most(won, won + lost), _at_most(lost, won + lost))
    least_p = options.least_p(_at_most(np.broadcast_to(shared, won.shape), won + lost))
    interval = win_odds_interval(wins, losses, np.asarray(d.n), options)
    return Outcome(odds, *interval, won.astype(np.float64), p_value, least_p)


def _at_most(k: np.ndarray, n: np.ndarray) -> np.ndarray:
    """P(Binomial(n, 1/2) ≤ k), by the incomplete beta function, as scipy.stats imports slowly."""
    from scipy.special import betainc

    return np.where(k < n, betainc(np.maximum(n - k, 1), k + 1, 0.5), 1.0)


def wilcoxon_test(d: Differences, options: Options) -> Outcome:
    """Wilcoxon's signed-rank test; differences of 0 are left out."""
    ranks, repeated = _signed_ranks(d)
    n = (ranks != 0).sum(axis=0)
    up, down = (np.where(sign * ranks > 0, sign * ranks, 0.0).sum(axis=0) for sign in (1, -1))
    r = ratio(up - down, up + down)
    by_signs = options.least_p(0.5**n)
    if d.n <= _FEW:
        p_value, least_p = _by_all_signs(ranks, options), by_signs
    else:
        p_value = _by_scipy(ranks, repeated, options)
        least_p = np.where(repeated | (n > _EXACT), _least_p_of_normal(ranks, options), by_signs)
    statistic = np.minimum(up, down) if options.alternative == "two-sided" else up
    low, high = rank_biserial_interval(np.nan_to_num(r), n, options)
    return Outcome(r, low, high, statistic, p_value, least_p)


def _least_p_of_normal(ranks: np.ndarray, options: Options) -> np.ndarray:
    """Return p by the normal approximation for ranks that all have the same sign."""
    from scipy.special import ndtr

    deviation = np.sqrt((ranks**2).sum(axis=0))
    return options.least_p(ndtr(-np.abs(ranks).sum(axis=0) / np.maximum(deviation, 1)))


def _signed_ranks(d: Differences) -> tuple[np.ndarray, np.ndarray]:
    """Return the signed ranks of each pair's differences, and which pairs have ties or zeros.

    Ranks of sizes count from 1. Neighbouring sizes that differ by no more than rounding tie and
    share the mean of their ranks. Sizes no greater than rounding are zeros and get the rank 0.
    """
    sizes = np.ascontiguousarray(np.abs(d.values).T)  # pairs × requests: sorted in place
    order = np.argsort(sizes, axis=1)
    rising, rough = np.take_along_axis(sizes, order, axis=1), d.rounding.T
    if rough.size > 1:
        rough = np.take_along_axis(rough, order, axis=1)
        rough[:, 1:] = np.maximum(rough[:, 1:], rough[:, :-1])
    begins = np.diff(rising, axis=1, prepend=0.0) > rough
    place = np.arange(1.0, d.n + 1)
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)  # 0: before all sizes
    ends = np.append(begins[:, 1:], np.ones((len(begins), 1), bool), axis=1)
    last = np.minimum.accumulate(np.where(ends, place, np.inf)[:, ::-1], axis=1)[:, ::-1]
    n_zeros = (first == 0).sum(axis=1, keepdims=True)
    ranks = np.empty_like(sizes)
    np.put_along_axis(ranks, order, np.where(first > 0, (first + last) / 2 - n_zeros, 0), axis=1)
    return np.copysign(ranks.T, d.values), np.asarray(~begins.all(axis=1))


def _by_all_signs(ranks: np.ndarray, options: Options) -> np.ndarray:
    """Return p of the sum of signed ranks among the sums for all choices of signs."""
    drawn = signs(len(ranks), 2 ** len(ranks), seed=0)  # all of them: the seed does not matter
    observed = ranks.sum(axis=0)
    below, above = np.ones(len(observed)), np.ones(len(observed))  # `signs` omits the observed
    for first in range(0, len(drawn), _ROWS):
        sums = drawn[first : first + _ROWS] @ ranks
        below += (sums <= observed + 0.25).sum(axis=0)  # sums of mid-ranks differ by 1/2 or more
        above += (sums >= observed - 0.25).sum(axis=0)
    return options.p_value(below / (1 + len(drawn)), above / (1 + len(drawn)))


def _by_scipy(ranks: np.ndarray, repeated: np.ndarray, options: Options) -> np.ndarray:
    """Return p by `scipy.stats.wilcoxon`, called for pairs with ties and for those without.

    It chooses one distribution, exact or normal, for all pairs of a call.
    """
    from scipy.stats import wilcoxon

    p_value = np.ones(len(repeated))
    for kind in (False, True):
        pairs = np.flatnonzero(ranks.any(axis=0) & (repeated == kind))
        with warnings.catch_warnings(action="ignore"):  # of few ranks; the table has n
            if len(pairs):
                found = wilcoxon(ranks[:, pairs], axis=0, alternative=options.alternative)
                p_value[pairs] = found.pvalue
    return p_value


def randomization_test(d: Differences, options: Options) -> Outcome:
    """Randomisation test: signs of the differences at random, p = (1 + count) / (1 + trials).

    If there are at most ``trials`` choices of signs, all of them are enumerated.
    """
    drawn = signs(d.n, options.trials, options.seed)
    rounding = d.mean_rounding
    count = np.zeros(len(d.mean), np.int64)
    for first in progress(range(0, len(drawn), _ROWS), -(-len(drawn) // _ROWS), "randomization"):
        means = drawn[first : first + _ROWS] @ d.values / d.n
        count += options.extreme(means, d.mean, rounding).sum(axis=0)
    d_z, t = _standardised(d)
    p_value = (1 + count) / (1 + len(drawn))
    n_not_zero = (np.abs(d.values) > d.rounding).sum(axis=0)
    # An enumeration lacks the observed signs, so it has 2^n − 1 rows.
    are_all = len(drawn) < options.trials or 2**d.n == options.trials + 1
    by_signs = options.least_p(0.5**n_not_zero)
    least_p = by_signs if are_all else np.full(len(t), 1 / (1 + len(drawn)))
    return Outcome(*_with_interval(d_z, t, d.n, options), d.mean, p_value, least_p)


def bootstrap_test(d: Differences, options: Options) -> Outcome:
    """Bootstrap test: t of samples of the centred differences, p = (1 + count) / (1 + trials)."""
    d_z, t = _standardised(d)
    centred = d.values - d.mean
    squares, rounding = centred**2, d.mean_rounding
    spread = np.where(d.deviation > 0, d.deviation, np.inf)
    rounding_of_t = (
        (np.sqrt(d.n) + np.abs(np.nan_to_num(t, posinf=0, neginf=0))) * rounding / spread
    )
    drawn = drawn_requests(d.n, options.trials, options.seed)
    count = np.zeros(len(d.mean), np.int64)
    for first in progress(range(0, len(drawn), _ROWS), -(-len(drawn) // _ROWS), "bootstrap"):
        counts = drawn[first : first + _ROWS]
        drawn_t = t_of_samples(counts @ centred / d.n, counts @ squares / d.n, rounding, d.n)
        count += options.extreme(drawn_t, t, rounding_of_t).sum(axis=0)
    p_value = np.where(d.deviation > 0, (1 + count) / (1 + len(drawn)), _p_of_t(t, d.n, options))
    least_p = np.where(d.deviation > 0, 1 / (1 + len(drawn)), 0.0)
    return Outcome(*_with_interval(d_z, t, d.n, options), t, p_value, least_p)


def t_of_samples(
    means: np.ndarray, squares: np.ndarray, rounding: np.ndarray, n: int
) -> np.ndarray:
    """Return t of samples of n requests, from their means and their means of squares.

    ``means`` no greater than ``rounding`` become 0.
    """
    means[np.abs(means) <= rounding] = 0.0
    # The squared standard error, from the variance · n/(n − 1) / n of the sample.
    variance = np.maximum(squares - means**2, 0.0) / max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means / np.sqrt(variance)
    # A sample without variance has an infinite t, or 0 if its mean is 0.
    return np.asarray(np.nan_to_num(t, posinf=np.inf, neginf=-np.inf))


TESTS: dict[str, Callable[[Differences, Options], Outcome]] = {
    "t": t_test,
    "sign": sign_test,
    "wilcoxon": wilcoxon_test,
    "randomization": randomization_test,
    "bootstrap": bootstrap_test,
}


OF_SUMS: dict[str, Callable[[Differences | Moments, Options], Outcome]] = {
    "t": t_test,
    "sign": sign_test,
}
"""The tests that need no more than sums over the requests."""


def _standardised(d: Differences | Moments) -> tuple[np.ndarray, np.ndarray]:
    """Return d_z and t: infinite where all differences are equal, NaN where they are all 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        d_z = np.where(np.asarray(d.n) > 1, d.mean / d.deviation, np.nan)
    d_z[(np.abs(d.mean) <= d.mean_rounding) & (d.deviation == 0)] = np.nan
    return d_z, d_z * np.sqrt(d.n)


def outcome_of_own(
    d: Differences, options: Options, statistic: np.ndarray, p_value: np.ndarray
) -> Outcome:
    """Return the outcome of a test of one's own; the effect size is d_z."""
    d_z, t = _standardised(d)
    interval = _with_interval(d_z, t, d.n, options)
    return Outcome(*interval, statistic, p_value, np.zeros(len(t)))


def _with_interval(
    d_z: np.ndarray, t: np.ndarray, n: np.ndarray | int, options: Options
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return d_z, *d_z_interval(t, n, options)
