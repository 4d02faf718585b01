"""How often intervals hold and tests err, in part: see `tests/benchmarks/worst.py`."""

import numpy as np
import pytest

from tests.benchmarks import worst

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("n, share, zeros", [(50, 0.1, 0.0), (50, 0.25, 0.06), (200, 0.1, 0.02)])
def test_intervals_hold_values_and_differences(n, share, zeros):
    of_values, of_differences = worst.coverage(n, share, zeros, trials=1000)
    assert 0.91 < of_values <= 1
    assert 0.925 < of_differences <= 1


def test_equal_runs_differ_rarely():
    of_pair, of_any = worst.errors(50, 0.25, 0.06, trials=400)
    assert of_pair < 0.06 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert of_any < 0.06 + 3 * np.sqrt(0.05 * 0.95 / 400)
