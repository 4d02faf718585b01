"""Simultaneous rank intervals hold all true ranks as often as they promise."""

import pytest

from tests.benchmarks.coverage_of_ranks import covered

pytestmark = pytest.mark.slow

REPETITIONS = 400
LEAST = 0.95 - 3 * (0.95 * 0.05 / REPETITIONS) ** 0.5
"""What a share of .95 may fall to in so many repetitions: three standard errors below."""


@pytest.mark.parametrize("setting", ["equal", "0.01 se apart", "1 se apart", "three groups"])
@pytest.mark.parametrize("test", ["holm", "flip"])
def test_all_true_ranks_are_held_at_once(setting, test):
    found = covered(setting, 10, 10, test, REPETITIONS)
    assert found["at once"] >= LEAST
    assert found["each"] >= LEAST


@pytest.mark.parametrize("rule", ["win_rate", "mean_z"])
@pytest.mark.parametrize("setting", ["hits", "tied"])
def test_ranks_by_votes_of_few_collections_with_ties(rule, setting):
    """Ties make many statistics equal, of which rounding decided: .85 at once, .88 each."""
    found = covered(setting, 10, 6, "flip", REPETITIONS, rule)
    assert min(found["at once"], found["each"]) >= LEAST


def test_differences_are_found():
    assert covered("three groups", 10, 41, "holm", 20)["width"] < 10
