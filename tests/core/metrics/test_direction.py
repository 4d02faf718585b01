"""Which way a measure is better is known by the object, and tables say it where names do not."""

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import RULES

pytestmark = pytest.mark.slow  # its room has quicker tests

RUNS = {
    "near": {"q1": {"a": 9, "x": 8, "b": 7}, "q2": {"a": 9, "b": 8}, "q3": {"b": 9, "x": 8}},
    "far": {"q1": {"x": 9, "y": 8, "a": 7}, "q2": {"x": 9, "a": 8}, "q3": {"x": 9, "b": 8}},
}
QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"b": 1}}
SCREENS = lf.SearchLength("screens", exposure=lambda p: p / 2, weight=lambda i, m: i == m)
"""Of less is better, and no name of ours."""
REWARD = lf.RecallLevelMetric("RE", exposure=lambda p: 1 / p, weight=lambda i, m: 1 / m)
"""Of more is better, by the name of a search length."""


@pytest.fixture(params=[SCREENS(n=100), REWARD, lf.ISL(n=100), lf.AP], ids=str)
def measure(request):
    return request.param


def test_the_near_run_is_first_whatever_the_table(measure):
    p = lf.positions(RUNS, QRELS)
    for table in (lf.scores(p, measure), lf.preferences(p, measure)):
        for method in RULES:
            assert lf.order_runs(table, method)["run"].to_list() == ["near", "far"]
        rows = lf.compare(table, "sign").select("run_a", "mean_difference", "statistic").row(0)
        assert (rows[0], rows[1] < 0, rows[2]) == ("far", True, 0)
        assert lf.win_rates(table)["losses"].to_list() == [3]
        assert lf.rank_distributions(table, samples=20)["run"].to_list()[0] == "far"
        assert lf.tukey_hsd(table)["mean_difference"][0] < 0


def test_one_measure_has_one_direction():
    s = lf.scores(lf.positions(RUNS, QRELS), SCREENS(n=100))
    mixed = s.with_columns(smaller_is_better=pl.Series([True, False, True] * 2))
    with pytest.raises(lf.LexiframeError, match="screens"):
        lf.order_runs(mixed, "mean")
