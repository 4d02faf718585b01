"""Confidence intervals of mean differences and of effect sizes, for all pairs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from lexiframe.core.base import in_threads, sums
from lexiframe.core.significance.differences import Differences, Options

Interval = tuple[np.ndarray, np.ndarray]


def interval_by_t(e: sums.Estimates, options: Options) -> Interval:
    """Return mean ± quantile of Student's t · error."""
    return one_sided(*e.ends(options.tail), options)


def t_interval(d: Differences | sums.Moments, options: Options) -> Interval:
    """Return mean ± quantile of Student's t · sd/√n; NaN where all values are equal."""
    return interval_by_t(sums.Estimates.of_values(d), options)


def interval_of_kind(
    d: Differences | sums.Moments, options: Options, bound: float, *, are_signs: bool
) -> Interval:
    """Return the interval that holds its level for the possible values of a measure.

    For values −1, 0 and 1 it is Bonett and Price's. For other values it is Student's, over the
    differences and −``bound`` and ``bound``, which are infinite if they are unknown.
    """
    x = d.moments if isinstance(d, Differences) else d
    if are_signs:
        low, high = sums.bounded_means.signs_ends(x.won, x.lost, x.n_effective, options.tail)
    elif np.isfinite(bound):
        low, high = x.add_bounds(-bound, bound).ends(options.tail)
        low, high = np.maximum(low, -bound), np.minimum(high, bound)
    else:
        low, high = sums.Estimates.of_values(x).ends(options.tail)
    low, high = (np.where(x.has_spread, end, np.nan) for end in (low, high))
    return one_sided(*sums.bounded_means.hold_mean(low, high, x.mean), options)


def one_sided(low: np.ndarray, high: np.ndarray, options: Options) -> Interval:
    """Make the end infinite about which a one-sided test says nothing; NaN remains NaN."""
    if options.alternative == "greater":
        high = np.where(np.isnan(high), high, np.inf)
    elif options.alternative == "less":
        low = np.where(np.isnan(low), low, -np.inf)
    return low, high


def d_z_interval(t: np.ndarray, n: np.ndarray, df: np.ndarray, options: Options) -> Interval:
    """Return the d_z for which the observed t is the α/2 or 1 − α/2 quantile, by noncentral t."""
    known = np.isfinite(t) & (df > 0)
    t, df = np.where(known, t, 0.0), np.maximum(df, 1)
    # The lower end is the upper one of −t with the other sign.
    low, high = -noncentrality(-t, df, options.tail), noncentrality(t, df, options.tail)
    low, high = (np.where(known, end / np.sqrt(n), np.nan) for end in (low, high))
    return one_sided(low, high, options)


_NODES = 10
"""Values of t at which a panel, of width 1 in asinh(t / √(2 df)), is solved from scratch."""
_AT_ONCE = 2**14
_STEPS = 4
_FAR, _FARTHEST = 300, 3e4
"""Beyond |t| S = 300 √(2 df), or |t| = 30,000, the normal part of t·S + Z hardly matters."""


def noncentrality(t: np.ndarray, df: np.ndarray, tail: float) -> np.ndarray:
    """Return δ for which noncentral t variables are below ``t`` with a probability of ``tail``.

    A noncentral t variable is below t where Z + δ < t·S: Z is normal, and S = √(χ²/df). So δ is the
    quantile of t·S + Z that is exceeded with a probability of ``tail``, and a smooth function of t.
    Newton's method finds it from SciPy's `nctdtr`, at a few values of t in each of a few panels. It
    starts from the quantiles of Z and t·S, which are the limits for small and for large t. A
    polynomial through these gives all values in the panel nearly, and one more Newton step as
    exactly as `nctdtr` does. For very large |t| it is the quantile of t·S, with the first
    correction for Z. As panels are fixed, no δ depends on the other values of t. The relative error
    is below 10⁻¹⁰ for |t| up to 1000 and ``tail`` from 0.001 to 0.999, and below 10⁻⁸ beyond, but
    for the smallest tails of two or three requests; before SciPy 1.15 it is larger. SciPy's own
    inverse, `nctdtrinc`, takes several times as long, is less exact for large |t|, and fails for
    very small tails.

    Examples
    --------
    >>> from scipy.special import nctdtr
    >>> delta = noncentrality(np.array([1.5, -3.0]), np.array([9, 9]), 0.025)
    >>> nctdtr(9, delta, [1.5, -3.0]).round(12).tolist()
    [0.025, 0.025]
    """
    # Once for pairs with the same t and df, of which a measure of few values has many.
    pairs, place = np.unique(df + 1j * t, return_inverse=True)
    df, t = pairs.real, pairs.imag
    found, size = _far(t, df, tail), np.abs(t)
    near = (size * _s_quantile(t, df, tail) <= _FAR * np.sqrt(2 * df)) & (size <= _FARTHEST)
    # Degrees of strata are mostly those of one pair alone, for which panels would take longer.
    _, alike, n = np.unique(df, return_inverse=True, return_counts=True)
    alone = near & (df != np.rint(df)) & (n[alike] < _NODES)
    near &= ~alone
    found[near], found[alone] = (f(t[x], df[x], tail) for f, x in ((_near, near), (_alone, alone)))
    return np.asarray(found[place])


def _alone(t: np.ndarray, df: np.ndarray, tail: float) -> np.ndarray:
    """Return the noncentralities of values whose degrees of freedom few values have."""
    from scipy.special import nctdtr

    delta, slope = _solved(t, df, tail)
    return np.asarray(delta - (nctdtr(df, delta, t) - tail) / slope)


def _near(t: np.ndarray, df: np.ndarray, tail: float) -> np.ndarray:
    """Return the noncentralities by polynomials in u = asinh(t / √(2 df)).

    There δ, divided by the standard deviation cosh(u) of t·S + Z, is smooth everywhere.
    """
    from scipy.special import nctdtr

    u = np.arcsinh(t / np.sqrt(2 * df))
    middle = np.rint(u)
    panels, panel = np.unique(df + 1j * middle, return_inverse=True)
    x = chebyshev.chebpts1(_NODES)
    at_node = panels.imag[:, None] + x / 2
    df_of_node = np.repeat(panels.real[:, None], _NODES, axis=1)
    delta, slope = _solved(np.sinh(at_node) * np.sqrt(2 * df_of_node), df_of_node, tail)
    of_node = np.stack([delta / np.cosh(at_node), slope * np.cosh(at_node)])
    coefficients = chebyshev.chebvander(x, _NODES - 1) * ([1] + [2] * (_NODES - 1)) / _NODES
    # Added up in one order for every panel, which a product of matrices does not promise.
    polynomials = (of_node[..., None] * coefficients).sum(2).transpose(2, 0, 1)

    x_in_panel = 2 * (u - middle)

    def newton(first: int) -> np.ndarray:
        some = slice(first, first + _AT_ONCE)
        width, of_panel = np.cosh(u[some]), polynomials[..., panel[some]]
        delta, slope = chebyshev.chebval(x_in_panel[some], of_panel, tensor=False)
        delta = delta * width
        return np.asarray(delta - (nctdtr(df[some], delta, t[some]) - tail) * width / slope)

    return np.concatenate([t[:0], *in_threads(newton, range(0, len(t), _AT_ONCE))])


def _solved(t: np.ndarray, df: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return nearly the noncentralities, and how fast the probability changes with them.

    The normal quantile of the probability is nearly a straight line, so Newton's steps on it do not
    go astray.
    """
    from scipy.special import nctdtr, ndtri

    z = ndtri(tail)
    delta = _start(t, df, tail)
    step = 1e-5 * np.sqrt(1 + t**2 / (2 * df))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_STEPS):
            slope = (nctdtr(df, delta + step, t) - nctdtr(df, delta - step, t)) / (2 * step)
            at = ndtri(nctdtr(df, delta, t))
            change = (at - z) * np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi) / slope
            delta = delta - np.where(np.isfinite(change), change, 0.0)
    return delta, slope


def _start(t: np.ndarray, df: Any, tail: float) -> np.ndarray:
    """Return about the noncentralities: the distances of Z and t·S from their medians, as legs."""
    from scipy.special import ndtri

    quantile, median = _s_quantile(t, df, tail), _s_quantile(t, df, 0.5)
    z = -ndtri(tail)
    return np.asarray(t * median + np.sign(z) * np.hypot(z, t * (quantile - median)))


def _far(t: np.ndarray, df: np.ndarray, tail: float) -> np.ndarray:
    """Return the noncentralities for large |t|: t·q − f'(q) / (2t f(q)), f the density of S."""
    q = _s_quantile(t, df, tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(t * q - ((df - 1) / q - df * q) / (2 * t))


def _s_quantile(t: np.ndarray, df: Any, tail: float) -> np.ndarray:
    """Return the quantile of S = √(χ²/df) at which t·S is exceeded with a probability of tail."""
    from scipy.special import chdtri

    return np.asarray(np.sqrt(chdtri(df, np.where(t > 0, tail, 1 - tail)) / df))
