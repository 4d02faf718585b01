"""Intervals while requests come in: against the test that they invert, and how often they hold."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.betting_on_means import interval

sequence = lf.significance.confidence_sequence
TWO = {"baseline": "old", "candidate": "new"}


def scores(x, measure="AP"):
    """Scores whose differences are x, in an order that is not that of the ids."""
    queries = [f"q{n:04d}" for n in range(len(x))][::-1]
    runs = {"old": 0.5 - np.array(x) / 2, "new": 0.5 + np.array(x) / 2}
    return pl.concat(
        pl.DataFrame({"query_id": queries, "run": run, "measure": measure, "value": value})
        for run, value in runs.items()
    )


def test_each_is_the_interval_of_the_first_requests():
    x = np.random.default_rng(1).uniform(-0.4, 0.6, 47)
    found = sequence(scores(x), **TWO, n_planned=80, every=15)
    assert found["n_requests"].to_list() == [15, 30, 45, 47]
    bets = Bets(order="given", n_planned=80, bound=1.0, level=0.025)
    for n, mean, low, high in found.select(pl.exclude("measure", "alpha", "n_planned")).rows():
        assert mean == pytest.approx(x[:n].mean())
        ends = interval(x[:n, None], bets, 0.025)
        assert (low, high) == pytest.approx((ends[0].item(), ends[1].item()))
    assert found["ci_low"].is_sorted()
    assert found["ci_high"].is_sorted(descending=True)
    assert found["ci_low"][-1] <= x.mean() <= found["ci_high"][-1]


def test_it_ends_where_a_gate_in_that_order_does():
    s = scores(np.random.default_rng(2).uniform(-0.4, 0.6, 60))
    g = lf.gate(s, 0.1, **TWO, order="given", n_planned=60, alpha=0.025)
    last = sequence(s, **TWO, n_planned=60)[-1]
    assert last.select("ci_low", "ci_high").row(0) == pytest.approx(
        g.select("ci_low", "ci_high").row(0)
    )


@pytest.mark.slow
def test_all_intervals_hold_together():
    """Rare losses of 1, with looks at every request."""
    missed, trials, rng = 0, 400, np.random.default_rng(0)
    for _ in range(trials):
        x = -(rng.random(100) < 0.1).astype(float)
        found = sequence(scores(x), **TWO, n_planned=100, every=1)
        missed += not found.select(pl.lit(-0.1).is_between("ci_low", "ci_high").all()).item()
    assert missed / trials <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


def test_what_is_refused():
    s = scores([0.1] * 20)
    for options, said in (
        ({"every": 0}, "expected every to be 1 or more, found 0"),
        ({"n_planned": 10}, "expected at most the 10 requests that were planned, found 20"),
        ({"candidate": "newer"}, "unknown run 'newer'"),
        ({"alpha": 1.5}, "alpha"),
    ):
        with pytest.raises(lf.LexiframeError, match=said):
            sequence(s, **({**TWO, "n_planned": 40} | options))
    with pytest.raises(lf.LexiframeError, match="found clicks, of which no"):
        sequence(s.with_columns(measure=pl.lit("clicks")), **TWO, n_planned=40)
    apart = s.filter((pl.col("run") == "old") == (pl.col("query_id") < "q0010"))
    with pytest.raises(
        lf.LexiframeError, match="confidence_sequence: expected requests of both runs for AP"
    ):
        sequence(apart, **TWO, n_planned=40)
