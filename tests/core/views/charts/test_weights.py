"""Means over the heaviest requests, by hand."""

import polars as pl
import pytest

import lexiframe as lf

pytest.importorskip("altair")
from lexiframe.charts import mean_chart, weight_chart, win_rate_chart
from tests.core.views.charts.made_tables import SCORES_OF_THREE, WEIGHED_SCORES


def lines(chart):
    rows = pl.DataFrame(chart.data.values)
    return {run: part.select("share", "mean").rows() for (run,), part in rows.group_by("run")}


def test_lines_end_at_the_mean():
    """Weights 4 2 1 1 of values .5 .25 .75 1 (a)."""
    found = lines(weight_chart(WEIGHED_SCORES, runs=["a", "c"]))
    assert [share for share, _ in found["a"]] == [0.5, 0.75, 0.875, 1]
    assert [mean for _, mean in found["a"]] == pytest.approx([0.5, 2.5 / 6, 3.25 / 7, 4.25 / 8])
    assert found["c"][-1][1] == pytest.approx(3 / 8)
    scrambled = WEIGHED_SCORES.sample(fraction=1, shuffle=True, seed=1)
    assert lines(weight_chart(scrambled, runs=["a", "c"])) == found


def test_a_stratum_divides_its_share_among_its_requests():
    """Request 1 alone has the share .4; 2, 3 and 4 have .6 together, so .2 each."""
    s = SCORES_OF_THREE.with_columns(
        request_weight=pl.when(query_id="1").then(0.4).otherwise(0.6),
        request_stratum=pl.when(query_id="1").then(pl.lit("head")).otherwise(pl.lit("tail")),
    )
    found = lines(weight_chart(s))["a"]
    assert [share for share, _ in found] == pytest.approx([0.4, 0.6, 0.8, 1])
    assert found[-1][1] == pytest.approx(0.4 * 0.5 + 0.2 * 2)


def test_scores_without_weights_are_refused():
    with pytest.raises(lf.LexiframeError, match="expected scores whose requests have weights"):
        weight_chart(SCORES_OF_THREE)


def test_other_charts_say_that_they_are_by_weight():
    means = lf.evaluate_scores(SCORES_OF_THREE, weights={"1": 4, "2": 2, "3": 1, "4": 1}).means
    assert mean_chart(means).title.text == "Mean AP over 4 requests by weight, best first"
    wins = lf.win_rates(SCORES_OF_THREE, weights={"1": 4, "2": 2, "3": 1, "4": 1})
    assert win_rate_chart(wins, "AP").title.text == "Share of weight won by AP"
