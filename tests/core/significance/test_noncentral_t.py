"""The power of the t-test by numerical integration, and the least size by the power below it."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from lexiframe.core.significance.margin_power import least_n, question_size, t_power


def by_integration(effect, n, alpha):
    """Given s, t passes its limits as a normal variable does; s² (n − 1) / σ² is χ² with n − 1."""
    limit, shift = stats.t.isf(alpha / 2, n - 1), effect * math.sqrt(n)

    def given_deviation(x):
        edge = limit * math.sqrt(x / (n - 1))
        beyond = stats.norm.sf(edge - shift) + stats.norm.cdf(-edge - shift)
        return beyond * stats.chi2.pdf(x, n - 1)

    return integrate.quad(given_deviation, 0, n * 10 + 100, points=[n - 1], limit=500)[0]


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("n", [3, 4, 6, 12, 34])
@pytest.mark.parametrize("effect", [0.0, 0.2, -0.5, 1.5])
def test_power_by_integration(effect, n, alpha):
    found = t_power(np.array([effect]), np.array([n]), alpha)[0]
    assert found == pytest.approx(by_integration(abs(effect), n, alpha), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("effect", [0.4, 0.8, -1.3, 3.0])
def test_the_least_size_is_the_first_that_is_enough(effect):
    (n,) = question_size("better", np.array([effect]), np.ones(1), 0.0, 0.8, 0.05)
    assert by_integration(abs(effect), n, 0.05) >= 0.8
    assert n == 2 or by_integration(abs(effect), n - 1, 0.05) < 0.8


def test_power_that_is_just_enough_is_enough():
    steps = np.array([0.0, 0.0, 0.3, 0.5, 0.8, 0.9, 1.0])  # by n, and 1 from there on

    def power_of(n):
        return steps[np.minimum(n, len(steps) - 1)]

    for power, expected in [(0.3, 2), (0.31, 3), (0.5, 3), (0.8, 4), (0.9, 5), (0.91, 6)]:
        assert least_n(power_of, 1, power).tolist() == [expected]
