"""What the page knows of pairs of runs whose places are changed: by hand, and quickly."""

import polars as pl

from lexiframe.core.views.report.data import _add_half_wins


def test_a_tie_is_half_a_win_of_the_run_that_won_more():
    wins = pl.DataFrame({"n": [8, 4], "wins": [5, 0], "losses": [2, 1], "ties": [1, 3]})
    found = _add_half_wins(wins).select("half_wins", "half_losses").rows()
    assert found == [(5.5 / 8, 2.5 / 8), (1.5 / 4, 2.5 / 4)]
