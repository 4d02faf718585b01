"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import warnings

import numpy as np

from lexiframe.core.base import resampling, sums
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.other_intervals import rank_biserial_interval
from lexiframe.core.significance.paired_tests import Outcome

_FEW = 13
"""Up to this many ranks all 2^n signs are enumerated, as SciPy does since 1.15 where ranks tie."""

_EXACT = 50
"""Up to this many ranks SciPy's p is exact, if there are no ties."""


def wilcoxon_test(d: Differences, options: Options) -> Outcome:
    """Wilcoxon's signed-rank test; differences of 0 are left out."""
    ranks, repeated = _signed_ranks(d)
    n = (ranks != 0).sum(axis=0)
    up, down = (np.where(sign * ranks > 0, sign * ranks, 0.0).sum(axis=0) for sign in (1, -1))
    r = sums.ratio(up - down, up + down)
    by_signs = options.least_p(0.5**n)
    if d.n <= _FEW:
        p_value, least_p = _exact_p(ranks, options), by_signs
    else:
        p_value = _scipy_p(ranks, repeated, options)
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


def _exact_p(ranks: np.ndarray, options: Options) -> np.ndarray:
    """Return p of the sum of signed ranks among the sums for all choices of signs."""
    drawn = resampling.signs(
        len(ranks), 2 ** len(ranks), seed=0
    )  # all of them: the seed does not matter
    observed = ranks.sum(axis=0)
    below, above = np.ones(len(observed)), np.ones(len(observed))  # `signs` omits the observed
    for first in range(0, len(drawn), resampling.ROWS):
        sums = drawn[first : first + resampling.ROWS] @ ranks
        below += (sums <= observed + 0.25).sum(axis=0)  # sums of mid-ranks differ by 1/2 or more
        above += (sums >= observed - 0.25).sum(axis=0)
    return options.p_value(below / (1 + len(drawn)), above / (1 + len(drawn)))


def _scipy_p(ranks: np.ndarray, repeated: np.ndarray, options: Options) -> np.ndarray:
    """Return p by `scipy.stats.wilcoxon`, called separately for pairs with and without ties.

    SciPy chooses one distribution, exact or normal, for all pairs of a call.
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
