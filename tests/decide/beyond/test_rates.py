"""How often intervals hold and tests err, in part: see `tests/benchmarks/beyond.py`."""

import numpy as np
import pytest

from tests.benchmarks import beyond

pytestmark = pytest.mark.slow  # draws, or reads real collections

DRAWS = 150


@pytest.mark.parametrize("n, groups", [(60, None), (120, 30)])
def test_intervals_hold_and_tests_err_as_promised(n, groups):
    """The bounds are four standard errors of so many draws from 95 % and 5 %."""
    first, second = beyond.simulated(0.8, seed=1), beyond.simulated(1.6, seed=2)
    found = beyond.held(first, second, n, beyond.ITEMS, DRAWS, groups)
    error = 4 * np.sqrt(0.05 * 0.95 / DRAWS)
    assert found.height == 4
    assert (found["interval"] >= 0.95 - error).all()
    assert (found["difference"] >= 0.95 - error).all()
    assert (found["rejected"] <= 0.05 + error).all()


def test_leaderboards_over_requests_hold_and_err_as_promised():
    found = beyond.over_requests(DRAWS, (0.8, 0.8, 0.8), (0.8, 0.8, 0.8), sizes=(40, 60, 80))
    error = 4 * np.sqrt(0.05 * 0.95 / DRAWS)
    assert (found["interval"] >= 0.95 - error).all()
    assert (found["rejected"] <= 0.05 + error).all()
