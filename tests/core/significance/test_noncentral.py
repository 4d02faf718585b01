"""The noncentrality behind an observed t, against integrals made without noncentral t."""

import numpy as np
import pytest
import scipy
from scipy import special, stats

from lexiframe.core.significance import Options
from lexiframe.core.significance.intervals import _solved, d_z_interval, noncentrality

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
needs_exact_nctdtr = pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15), reason="its nctdtr errs by more"
)
T = [0.0, 1e-3, 0.3, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1000.0]


def integral(values, low, high):
    """Add up 60 panels of Gauss and Legendre's rule."""
    edges = np.linspace(low, high, 61)
    half = np.diff(edges)[:, None] / 2
    points = edges[:-1, None] + half * (NODES + 1)
    return (half * WEIGHTS * values(points)).sum()


def probability(t, df, delta):
    """P(t·S + Z > δ), S = √(χ²/df), by an integral over S, or over Z where S varies t·S more."""
    if abs(t) < 20 * np.sqrt(2 * df):
        low, high = np.sqrt(special.gammaincinv(df / 2, [0, 1 - 1e-16]) * 2 / df)
        if df > 40:
            low = 1 - 9.5 / np.sqrt(2 * df)

        def density(s):
            log = np.log(2) + df / 2 * np.log(df / 2) - special.gammaln(df / 2)
            return np.exp(log + (df - 1) * np.log(s) - df * s**2 / 2)

        total = integral(lambda s: density(s) * special.ndtr(t * s - delta), low, high)
        return total / integral(density, low, high)

    def of_s(z):
        s = (delta - z) / t
        above = np.where(s > 0, special.gammaincc(df / 2, df * np.maximum(s, 0) ** 2 / 2), 1.0)
        return stats.norm.pdf(z) * (above if t > 0 else 1 - above)

    kink = np.clip(delta, -9, 9)
    return integral(of_s, -9, kink) + integral(of_s, kink, 9)


def exactly(t, df, tail, near):
    """Return δ by the secant method, from ``near``."""
    width = np.sqrt(1 + t**2 / (2 * df))
    a, b = near - 1e-5 * width, near + 1e-5 * width
    of_a, of_b = (probability(t, df, x) - tail for x in (a, b))
    assert of_a > 0 > of_b  # falls with δ: the solution is between them
    for _ in range(4):
        c = b - of_b * (b - a) / (of_b - of_a)
        a, of_a, b, of_b = b, of_b, c, probability(t, df, c) - tail
        if of_a == of_b or abs(b - a) < 1e-14 * max(abs(b), 1):
            break
    return b


@pytest.mark.slow
@needs_exact_nctdtr
@pytest.mark.parametrize("df", [1, 2, 9, 49, 249])
@pytest.mark.parametrize("tail", [0.025, 0.05, 0.005, 0.975])
def test_it_is_that_of_the_integral(df, tail):
    for t in [*T, *(-x for x in T)]:
        found = noncentrality(np.array([t]), np.array([df]), tail)[0]
        assert found == pytest.approx(exactly(t, df, tail, found), rel=1e-10, abs=1e-10), t


@pytest.mark.parametrize("df, t", [(2, 2e4), (49, 3500.0), (49, 1e5), (9999, 4e4), (1, 1e9)])
def test_large_t_have_the_limit(df, t):
    for x in (t, -t):
        found = noncentrality(np.array([x]), np.array([df]), 0.025)[0]
        assert found == pytest.approx(exactly(x, df, 0.025, found), rel=1e-10), x


@pytest.mark.slow
@needs_exact_nctdtr
@pytest.mark.parametrize("df", [1, 4, 49, 9999])
@pytest.mark.parametrize("tail", [0.025, 0.001, 0.5, 0.95])
@pytest.mark.parametrize("largest", [3.0, 40.0, 900.0])
def test_polynomials_are_as_exact_as_a_solution_from_scratch(df, tail, largest):
    """Those between the nodes of the polynomials, too; the order in which they come is kept."""
    t = np.sinh(np.linspace(-1, 1, 400) * np.arcsinh(largest))
    t = np.random.default_rng(1).permutation(np.append(t, [largest, largest]))
    found = noncentrality(t, np.full(len(t), df), tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact, _ = _solved(t, np.full(len(t), float(df)), tail)
    near = np.abs(t) < 30 * np.sqrt(2 * df)
    np.testing.assert_allclose(found[near], exact[near], rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_no_noncentrality_depends_on_the_others():
    """To the bit: what is said of a pair must not change when another run is added."""
    rng = np.random.default_rng(2)
    t = np.concatenate([rng.normal(0, scale, 400) for scale in (1e-9, 1, 30, 1e4)])
    df = rng.choice([1, 2, 9, 49, 1e5], len(t))
    together = noncentrality(t, df, 0.025)
    for i in rng.choice(len(t), 60, replace=False):
        assert noncentrality(t[i : i + 1], df[i : i + 1], 0.025)[0] == together[i], (t[i], df[i])
    some = rng.random(len(t)) < 0.3
    assert (noncentrality(t[some], df[some], 0.025) == together[some]).all()


def test_very_small_tails_have_their_own_ends():
    tails = [1e-4, 1e-6, 1e-8, 1e-10]
    found = [noncentrality(np.array([3.0]), np.array([49]), tail)[0] for tail in tails]
    assert np.diff(found).min() > 0.5
    np.testing.assert_allclose(special.nctdtr(49, found, 3.0), tails, rtol=1e-3)


def test_an_interval_is_that_of_its_t_and_n_alone():
    t = np.array([1.5, -0.25, 1.5, 0.0, -0.0, np.nan, np.inf, 1.5, 2.0])
    n = np.array([10, 10, 10, 10, 10, 10, 10, 4, 1])
    low, high = d_z_interval(t, n, n - 1, Options("two-sided", 0.05, 1, 0))
    assert np.isnan(low[[5, 6, 8]]).all()
    assert np.isnan(high[[5, 6, 8]]).all()
    for i in (0, 1, 2, 3, 4, 7):
        ends = low[i] * np.sqrt(n[i]), high[i] * np.sqrt(n[i])
        assert stats.nct.cdf(t[i], n[i] - 1, ends) == pytest.approx([0.975, 0.025], abs=1e-7)
    assert low[0] == low[2]
    assert low[3] == low[4] == -high[3]
