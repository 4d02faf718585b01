"""Risk against a baseline: worked examples, sentences, and what is refused."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.decide.worst.test_worst_share import table

RUNS = {"run": [0.5, 0.5, 0.2, 0.9], "base": [0.4, 0.6, 0.5, 0.9]}
CASES = [(0, -0.075, -0.8783100656536799), (1, -0.175, -1.1306019943221475), (5, -0.575, -1.316976)]


@pytest.mark.parametrize("a, urisk, trisk", CASES)
def test_the_worked_example(a, urisk, trisk):
    found = lf.risk(table(RUNS), "base", risk_alpha=a, margin=0.2)
    (row,) = found.filter(run="run").rows(named=True)
    assert (row["wins"], row["ties"], row["losses"], row["large_losses"]) == (1, 1, 2, 1)
    assert (row["urisk"], row["trisk"]) == pytest.approx((urisk, trisk))
    limits = (0.006309463209709866, 0.8058795503167565)
    assert (row["large_low"], row["large_high"]) == pytest.approx(limits)
    assert row["worst_change"] is None  # a tenth of four requests is less than one
    (own,) = found.filter(run="base").rows(named=True)
    assert {name for name, value in own.items() if value is not None} == {
        "measure", "run", "georisk", "georisk_low", "georisk_high",
    }  # fmt: skip


def test_georisk_weighs_the_mean_against_the_risk_beside_all_runs():
    two = table({"a": [0.5, 0.2], "b": [0.3, 0.4]})
    for a, wanted in ((0, [0.41628398, 0.42036609]), (1, [0.40071396, 0.40703308])):
        found = lf.risk(two, "a", risk_alpha=a)
        assert found["georisk"].to_list() == pytest.approx(wanted)
    x = np.random.default_rng(3).random((6, 3))
    without = [lf.risk(table(dict(zip("abc", np.delete(x, q, axis=0).T, strict=True))), "a")
               for q in range(6)]  # fmt: skip
    left = np.stack([one["georisk"] for one in without])
    error = np.sqrt(5 / 6 * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    whole = lf.risk(table(dict(zip("abc", x.T, strict=True))), "a")
    low = whole["georisk"] - stats.t.ppf(0.975, 5) * error
    assert whole["georisk_low"].to_list() == pytest.approx(low.to_list())
    below = two.with_columns(value=pl.col("value") - 0.3)
    assert lf.risk(below, "a")["georisk"].null_count() == 2


def test_the_verdict_says_who_gains_and_who_loses():
    (said,) = lf.verdict(lf.risk(table(RUNS), "base", margin=0.2))["sentence"]
    assert said == (
        "By AP, run gains on base in 1 of 4 requests and loses in 2, by more than the margin in 1 "
        "(0.6 % to 80.6 % of requests like these). URisk is -0.175 (-0.668 to 0.318), which is not "
        "significant."
    )
    x = np.random.default_rng(0).random(40)
    several = lf.risk(table({"base": x, "up": x + 0.1, "down": x - 0.2, "same": x}), "base")
    assert lf.verdict(several)["sentence"][0] == (
        "By AP, of 3 runs 0 gain and 0 lose significantly against base, by URisk. Most often down "
        "loses more than the margin: in 40 of 40 requests."
    )  # nothing varies
    (said,) = lf.verdict(lf.risk(table({"base": x, "a": x, "b": x}), "base"))["sentence"]
    assert said.endswith(". No run loses more than the margin in any request.")
    (said,) = lf.verdict(lf.risk(table({"base": x}), "base"))["sentence"]
    assert said == "By AP, no other run shares a request with base."
    y = x + np.linspace(0.05, 0.15, 40)
    (said,) = lf.verdict(lf.risk(table({"base": x, "up": y, "down": x - y}), "base"))["sentence"]
    assert said.startswith("By AP, of 2 runs 1 gain (up) and 1 lose (down) significantly against")


def test_runs_are_compared_by_the_requests_that_they_share_with_the_baseline():
    s = table(RUNS | {"other": [0.5, 0.5, 0.2, 0.9]})
    s = s.filter(~((pl.col("run") == "other") & (pl.col("query_id") < "q4")))
    found = lf.risk(s, "base")
    assert found.select("run", "n").rows() == [("base", None), ("other", 1), ("run", 4)]
    alone = s.filter(~((pl.col("run") == "base") & (pl.col("query_id") == "q4")))
    assert lf.risk(alone, "base").filter(run="other").select("n", "urisk").row(0) == (0, None)


@pytest.mark.parametrize(
    "how, said",
    [
        ({"baseline": "nobody"}, "run 'nobody'"),
        ({"risk_alpha": np.inf}, "risk: expected risk_alpha from 0, found inf"),
        ({"risk_alpha": -1.0}, "risk: expected risk_alpha from 0, found -1.0"),
        ({"margin": {"RR": 0.1}}, "risk: expected a margin from 0 for AP, found None"),
        ({"alpha": 1.0}, "risk: expected alpha between 0 and 1"),
    ],
)
def test_what_is_refused(how, said):
    with pytest.raises(lf.LexiframeError, match=said):
        lf.risk(table(RUNS), **{"baseline": "base", **how})
    with pytest.raises(lf.LexiframeError, match="risk: expected scores of runs, found none"):
        lf.risk(table(RUNS).clear(), "base")
