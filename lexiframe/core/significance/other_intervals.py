"""Intervals that few tests have: by bootstrap, of win odds, and of rank correlations."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

from lexiframe.core.base import progress, resampling
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.intervals import Interval, one_sided

_PAIRS_AT_ONCE = 500


def bca_interval(d: Differences, options: Options) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval of `scipy.stats.bootstrap`.

    All pairs share the drawn requests. If all differences are equal, both ends are their mean. If
    no trial lies on one side of the mean (too few trials), the interval is NaN.
    """
    from scipy.stats import bootstrap

    low, high = d.mean.copy(), d.mean.copy()
    varied, at_once = np.flatnonzero(d.deviation > 0), resampling.rows_at_once(d.n, 1000)
    parts = np.array_split(varied, -(-len(varied) // _PAIRS_AT_ONCE)) if len(varied) else []
    for pairs in progress(parts, len(parts), "BCa intervals"):
        means = partial(
            _sample_means,
            values=d.weighed[0][:, pairs],
            mean=d.mean[pairs],
            rounding=d.mean_rounding[pairs],
            weight=None if d.weighing is None else d.weighing.factors,
        )
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            found = bootstrap(
                (np.arange(d.n),), means, n_resamples=options.trials, batch=at_once,
                vectorized=True, confidence_level=1 - options.alpha,
                alternative=options.alternative, method="BCa",
                random_state=np.random.default_rng(options.seed),
            ).confidence_interval  # fmt: skip
        low[pairs], high[pairs] = found.low, found.high
    # One request shows no spread, nor do weights that leave one nearly alone.
    low, high = (np.where(d.moments.has_spread, end, np.nan) for end in (low, high))
    return one_sided(low, high, options)


def _sample_means(
    drawn: np.ndarray,
    axis: int,
    values: np.ndarray,
    mean: np.ndarray,
    rounding: np.ndarray,
    weight: np.ndarray | None,
) -> np.ndarray:
    """Return the means, pairs × samples, as a product of counts with values.

    BCa counts the samples whose mean is below the observed one, so means that equal it up to
    rounding are replaced by it.
    """
    counts = np.apply_along_axis(np.bincount, axis, drawn, minlength=len(values))
    n = drawn.shape[axis] if weight is None else counts @ weight[:, None]
    means = counts @ values / n
    return np.asarray(np.where(np.abs(means - mean) <= rounding, mean, means).T)


def win_odds_interval(
    wins: np.ndarray, losses: np.ndarray, n: np.ndarray, options: Options
) -> Interval:
    """Return the interval of the win odds θ/(1 − θ), θ = (wins + ties/2)/n, normal on the logit.

    Brunner, Vandemeulebroecke & Mütze, "Win odds: an adaptation of the win ratio to include ties",
    Statistics in Medicine 2021, doi:10.1002/sim.8967. NaN where all requests are won, all lost, or
    all tied: they show no spread.
    """
    from scipy.special import ndtri

    ties = n - wins - losses
    theta = (wins + ties / 2) / n
    inside = (theta > 0) & (theta < 1) & (wins + losses > 0) & (n > 1)
    theta = np.where(inside, theta, 0.5)
    squares = wins * (1 - theta) ** 2 + ties * (0.5 - theta) ** 2 + losses * theta**2
    error = np.sqrt(squares / np.maximum(n - 1, 1) / n) / (theta * (1 - theta))
    logit, half = np.log(theta / (1 - theta)), -ndtri(options.tail) * error
    low, high = (np.where(inside, np.exp(end), np.nan) for end in (logit - half, logit + half))
    low, high = one_sided(low, high, options)
    return np.maximum(low, 0.0), high  # odds are never below 0


def rank_biserial_interval(r: np.ndarray, n: np.ndarray, options: Options) -> Interval:
    """Return the interval of the matched rank-biserial correlation of n ranks, by Fisher's z.

    The standard error is that of the signed-rank statistic, scaled. It is NaN for r = −1 and 1.
    """
    from scipy.special import ndtri

    inside = (np.abs(r) < 1) & (n > 1)
    size = np.where(inside, n, 2)
    error = np.sqrt((2 * size + 1) * 2 / (3 * size * (size + 1)))
    z, half = np.arctanh(np.where(inside, r, 0.0)), -ndtri(options.tail) * error
    low, high = (np.where(inside, np.tanh(end), np.nan) for end in (z - half, z + half))
    low, high = one_sided(low, high, options)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)
