"""A part of what `tests.benchmarks.whole_evaluations` simulates, with fixed seeds."""

import numpy as np
import pytest

from tests.benchmarks.whole_evaluations import (
    PREFERENCES,
    Intervals,
    Job,
    counted,
    held,
    limit,
    shape_errors,
)

TIMES = 300


@pytest.mark.slow
@pytest.mark.parametrize("m", [1, 3, 20])
def test_evaluations_of_equal_runs_find_no_more_than_promised(m):
    """By preferences of few requests, where the t-test finds far more."""
    cells = tuple((measure, 10, n) for measure in sorted(PREFERENCES) for n in (3, 5, 12))
    found = dict(zip(cells, counted(Job("random", m, 1, TIMES, cells)) / TIMES, strict=True))
    assert max(errors for errors, _, _ in found.values()) <= limit(TIMES)
    assert min(found[measure, 10, 12][1] for measure in ("LR", "LP")) > 0.15
    assert all(found["LP", 10, n][2] < found["LP", 10, 12][2] for n in (3, 5))


def test_runs_that_find_the_one_item_first_or_late_are_not_found_to_differ():
    """By t any two that agree in the few requests differ, as their differences hardly vary."""
    cells = ("RR", 10, 3), ("AP", 10, 3), ("nDCG@10", 10, 3)
    errors, of_t, _ = counted(Job("top", 1, 1, TIMES, cells)).T / TIMES
    assert errors.max() <= limit(TIMES)
    assert of_t[:2].min() > 0.3


@pytest.mark.slow
def test_equal_means_of_other_shape_are_found_to_differ():
    """It is runs that can be exchanged that the test does not find to differ."""
    assert 0.15 < shape_errors(10, TIMES)[0] < 0.3
    assert 0.03 < shape_errors(50, TIMES)[0] < 0.13


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "found"])
def test_intervals_have_a_width_and_hold_true_means(kind):
    found = held(Intervals(kind, 1, 200))
    assert min(width for _, width in found.values()) > 0
    assert np.mean([share for share, _ in found.values()]) > 0.95
    sizes = {n for _, _, n, _ in found}
    few = [share for (_, _, n, _), (share, _) in found.items() if n < max(sizes)]
    assert min(few) > 0.93 - 2 * (0.93 * 0.07 / 200) ** 0.5
