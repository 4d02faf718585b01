"""Confidence intervals of mean differences and of effect sizes, for all pairs at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from lexiframe.base import progress, resampling, sums
from lexiframe.significance.differences import Differences, Options
from lexiframe.significance.noncentral import noncentrality

Interval = tuple[np.ndarray, np.ndarray]

_PAIRS_AT_ONCE = 500


def interval_by_t(e: sums.Estimates, options: Options) -> Interval:
    """Return mean ± quantile of Student's t · error."""
    return one_sided(*e.ends(options.tail), options)


def t_interval(d: Differences | sums.Moments, options: Options) -> Interval:
    """Return mean ± quantile of Student's t · sd/√n; NaN where all values are equal."""
    return interval_by_t(sums.Estimates.of_values(d), options)


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
            values=d.values[:, pairs],
            mean=d.mean[pairs],
            rounding=d.mean_rounding[pairs],
        )
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            found = bootstrap(
                (np.arange(d.n),), means, n_resamples=options.trials, batch=at_once,
                vectorized=True, confidence_level=1 - options.alpha,
                alternative=options.alternative, method="BCa",
                random_state=np.random.default_rng(options.seed),
            ).confidence_interval  # fmt: skip
        low[pairs], high[pairs] = found.low, found.high
    if d.n < 2:  # one request shows no spread
        low, high = low * np.nan, high * np.nan
    return one_sided(low, high, options)


def _sample_means(
    drawn: np.ndarray, axis: int, values: np.ndarray, mean: np.ndarray, rounding: np.ndarray
) -> np.ndarray:
    """Return the means, pairs × samples, as a product of counts with values.

    BCa counts the samples whose mean is below the observed one, so means that equal it up to
    rounding are replaced by it.
    """
    counts = np.apply_along_axis(np.bincount, axis, drawn, minlength=len(values))
    means = counts @ values / drawn.shape[axis]
    return np.asarray(np.where(np.abs(means - mean) <= rounding, mean, means).T)


def widen_equal_intervals(
    ends: Interval, d: Differences | sums.Moments, options: Options, bound: float
) -> Interval:
    """Replace the intervals of equal differences, which would have no width, by those of bets.

    They keep their level for any distribution of differences from −``bound`` to ``bound``; where
    that is infinite nothing is known, and the ends are NaN.
    """
    low, high = (np.array(end, np.float64) for end in ends)
    n = np.broadcast_to(d.n, low.shape)
    equal = np.flatnonzero((d.deviation == 0) & (n > 1))
    low[equal], high[equal] = np.nan, np.nan
    if np.isfinite(bound) and len(equal):
        share = np.clip((d.mean[equal] / bound + 1) / 2, 0, 1)
        ends = sums.capital.interval_of_equal(share, n[equal], options.tail)
        low[equal], high[equal] = (bound * (2 * end - 1) for end in ends)
        low, high = one_sided(low, high, options)
    return low, high


def bets_interval(d: Differences, options: Options, bound: float) -> Interval:
    """Return the intervals that bets in the order of the requests leave; NaN of one request."""
    shares = np.clip((d.values / bound + 1) / 2, 0, 1)
    low, high = (bound * (2 * x - 1) for x in sums.capital.interval(shares, options.tail))
    known = np.full(len(low), d.n > 1 and np.isfinite(bound))
    low, high = (np.where(known, end, np.nan) for end in (low, high))
    return one_sided(low, high, options)


INTERVALS: dict[str, Callable[[Differences, Options], Interval]] = {
    "t": t_interval,
    "bca": bca_interval,
}


def one_sided(low: np.ndarray, high: np.ndarray, options: Options) -> Interval:
    """Make the end infinite about which a one-sided test says nothing; NaN remains NaN."""
    if options.alternative == "greater":
        high = np.where(np.isnan(high), high, np.inf)
    elif options.alternative == "less":
        low = np.where(np.isnan(low), low, -np.inf)
    return low, high


def d_z_interval(t: np.ndarray, n: np.ndarray | int, options: Options) -> Interval:
    """Return the d_z of which the observed t is the α/2 or 1 − α/2 quantile, by noncentral t."""
    n = np.broadcast_to(n, t.shape)
    known = np.isfinite(t) & (n > 1)
    t, df = np.where(known, t, 0.0), np.maximum(n - 1, 1)
    # The lower end is the upper one of −t with the other sign.
    low, high = -noncentrality(-t, df, options.tail), noncentrality(t, df, options.tail)
    low, high = (np.where(known, end / np.sqrt(n), np.nan) for end in (low, high))
    return one_sided(low, high, options)


def win_odds_interval(
    wins: np.ndarray, losses: np.ndarray, n: np.ndarray, options: Options
) -> Interval:
    """Return the interval of the win odds θ/(1 − θ), θ = (wins + ties/2)/n, normal on the logit.

    Brunner, Vandemeulebroecke & Mütze, "Win odds: an adaptation of the win ratio to include ties",
    Statistics in Medicine 2021, doi:10.1002/sim.8967. NaN where all requests are won, all
    lost, or all tied: they show no spread.
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
