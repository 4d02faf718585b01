"""What the page knows of pairs of runs whose places are changed: by hand, and quickly."""

import polars as pl
import pytest

from lexiframe.core.orderings.means import best_first
from lexiframe.core.views.report.data import _add_half_wins, _turned_comparisons


def test_a_tie_is_half_a_win_of_the_run_that_won_more():
    wins = pl.DataFrame({"n": [8, 4], "wins": [5, 0], "losses": [2, 1], "ties": [1, 3]})
    found = _add_half_wins(wins).select("half_wins", "half_losses").rows()
    assert found == [(5.5 / 8, 2.5 / 8), (1.5 / 4, 2.5 / 4)]


@pytest.mark.parametrize(
    "test, effect, turned, gain",
    [
        ("t", 0.5, -0.5, 0.1),  # d_z changes its sign; the test compares means
        ("wilcoxon", -0.25, 0.25, -0.25),
        ("sign", 4.0, 0.25, 3.0),  # win odds, of which 1 favours no run
        ("sign(alternative='greater')", 0.5, 2.0, -0.5),
    ],
)
def test_the_effect_of_a_pair_whose_runs_change_places(test, effect, turned, gain):
    row = pl.DataFrame({"test": [test], "effect_size": [effect], "mean_difference": [0.1]})
    assert _turned_comparisons(row).select("effect_turned", "gain").row(0) == (turned, gain)


def test_the_rows_of_means_begin_with_the_best_rank():
    ranks = {"a": 3.0, "b": 1.0, "c": 2.0, "d": None}
    means = pl.DataFrame({"run": [*ranks], "measure": "AP", "rank": [*ranks.values()]})
    assert best_first(means, ["AP"])["run"].to_list() == ["b", "c", "a", "d"]
