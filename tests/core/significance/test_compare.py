"""`compare` on cases worked by hand; SciPy and statsmodels are asked in parity/test_peers.py."""

import math

import polars as pl
import pytest

import lexiframe as lf
from tests.small_tables import preferences, scores


def only_row(*args, **options):
    return lf.compare(*args, **options).row(0, named=True)


def test_t_test_by_hand():
    """Mean 1/2, sd √(1/24), t = 1/2 / (sd/2) = √24; the quantile of t with 3 d.f. is 3.1824."""
    row = only_row(preferences({"ab": [0.5, 0.25, 0.75, 0.5]}), "t")
    assert row == {
        "measure": "mine",
        "test": "t",
        "correction": "holm",
        "run_a": "a",
        "run_b": "b",
        "n": 4,
        "mean_difference": 0.5,
        "ci_low": pytest.approx(0.5 - 3.182446 * math.sqrt(1 / 96), abs=1e-6),
        "ci_high": pytest.approx(0.5 + 3.182446 * math.sqrt(1 / 96), abs=1e-6),
        "effect_size": pytest.approx(math.sqrt(6)),
        "statistic": pytest.approx(math.sqrt(24)),
        "p_value": pytest.approx(0.016277, abs=1e-6),
        "p_adjusted": row["p_value"],
        "reject": True,
        "effect_low": row["effect_low"],
        "effect_high": row["effect_high"],
        "least_p": row["least_p"],
    }
    assert 0 < row["least_p"] < row["p_value"]
    assert row["effect_low"] < row["effect_size"] < row["effect_high"]
    mirrored = only_row(preferences({"ab": [-0.5, -0.25, -0.75, -0.5]}), "t")
    assert (mirrored["statistic"], mirrored["ci_low"]) == (-row["statistic"], -row["ci_high"])
    assert (mirrored["effect_size"], mirrored["p_value"]) == (-row["effect_size"], row["p_value"])


@pytest.mark.parametrize(
    "values, p_value, wins, odds",
    [
        ([1, 1, 1, 1, 1, -1, 0, 0], 2 * 7 / 64, 5, 3.0),
        ([-1, -1, -1, -1, -1, 1, 0, 0], 2 * 7 / 64, 1, 1 / 3),
        ([0.1, 9, 0.1, 9], 2 / 16, 4, math.inf),
        ([-1, -1, -1, -1], 2 / 16, 0, 0.0),
        ([1, -1, 0], 1.0, 1, 1.0),
        ([0, 0, 0], 1.0, 0, 1.0),
        ([0, 0, 1], 1.0, 1, 2.0),
        ([1], 1.0, 1, math.inf),
    ],
)
def test_sign_test_by_hand(values, p_value, wins, odds):
    row = only_row(preferences({"ab": values}), "sign")
    assert row["p_value"] == pytest.approx(p_value)
    assert (row["statistic"], row["n"]) == (wins, len(values))
    assert row["effect_size"] == pytest.approx(odds)


@pytest.mark.parametrize(
    "values, p_value, statistic, effect_size",
    [
        ([0.25, 0.25, 0.25], 0.25, math.inf, math.inf),
        ([-0.25, -0.25, -0.25], 0.25, -math.inf, -math.inf),
        ([0.1 + 0.2, 0.3, 0.3], 0.25, math.inf, math.inf),
        ([0.0, 0.0, 0.0], 1.0, None, None),
    ],
    ids=["better", "worse", "the same but for rounding", "all ties"],
)
def test_differences_without_spread(values, p_value, statistic, effect_size):
    """p is what sign flips allow, and the interval that of bets, which need bounds."""
    row = only_row(preferences({"ab": values}), "t")
    assert row["ci_low"] is row["ci_high"] is None
    row = only_row(preferences({"ab": values}), "t", bounds={"mine": (-1, 1)})
    assert (row["p_value"], row["reject"]) == (p_value, False)
    assert (row["statistic"], row["effect_size"]) == (statistic, effect_size)
    assert row["ci_low"] < row["mean_difference"] < row["ci_high"]
    assert row["mean_difference"] == pytest.approx(values[0])


@pytest.mark.parametrize("test", ["t", "sign"])
@pytest.mark.parametrize("value", [0.5, 0.0])
def test_one_request_proves_nothing(test, value):
    row = only_row(preferences({"ab": [value]}), test)
    assert (row["n"], row["mean_difference"]) == (1, value)
    assert (row["p_value"], row["reject"]) == (1.0, False)
    assert row["ci_low"] is row["ci_high"] is None
    if test == "t":
        assert row["statistic"] is row["effect_size"] is None


@pytest.mark.parametrize("test", ["t", "sign"])
def test_runs_that_are_the_same(test):
    values = [0.25, 0.5, 1.0, 0.0]
    c = lf.compare(scores({"a": values, "b": values, "c": values[::-1]}), test)
    row = c.row(0, named=True)
    assert (row["run_a"], row["run_b"], row["p_value"], row["reject"]) == ("a", "b", 1.0, False)
    assert c["mean_difference"].to_list() == [0.0] * 3


def test_alpha_is_the_level_of_the_tests_and_of_the_intervals():
    d = preferences({"ab": [0.5, 0.25, 0.75, 0.5]})
    low, strict = (only_row(d, "t", alpha=alpha) for alpha in (0.05, 0.01))
    assert (low["reject"], strict["reject"]) == (True, False)
    width = (strict["ci_high"] - strict["ci_low"]) / (low["ci_high"] - low["ci_low"])
    assert width == pytest.approx(5.840909 / 3.182446, rel=1e-6)  # quantiles of t with 3 d.f.


# Of ten requests a wins 10 against b, 9 against c; b wins 8 against c.
TEN = {"ab": [1] * 10, "ac": [1] * 9 + [-1], "bc": [1] * 8 + [-1] * 2}
P = [2 / 1024, 2 * 11 / 1024, 2 * 56 / 1024]


def adjusted(*args, **options):
    return lf.compare(*args, **options)["p_adjusted"].to_list()


@pytest.mark.parametrize(
    "correction, factors", [("none", [1, 1, 1]), ("bonferroni", [3, 3, 3]), ("holm", [3, 2, 1])]
)
def test_corrections_by_hand(correction, factors):
    c = lf.compare(preferences(TEN), "sign", correction)
    assert c["p_value"].to_list() == pytest.approx(P)
    expected = [p * factor for p, factor in zip(P, factors, strict=True)]
    assert c["p_adjusted"].to_list() == pytest.approx(expected)
    assert c["reject"].to_list() == [p < 0.05 for p in expected]
    assert c["correction"].unique().to_list() == [correction]


def test_adjusted_p_values_do_not_exceed_one():
    ties = preferences({"ab": [0, 1, -1], "ac": [0, 0, 0], "bc": [1, -1, 0]})
    for correction in ("none", "bonferroni", "holm"):
        assert adjusted(ties, "sign", correction) == [1.0] * 3


def test_the_family_is_the_pairs_of_one_measure_or_of_all():
    two = pl.concat([preferences(TEN), preferences(TEN, "other")])
    per_measure = [3 * P[0], 2 * P[1], P[2]]
    assert adjusted(two, "sign", family="measure") == pytest.approx(per_measure * 2)
    of_all = [6 * P[0], 4 * P[1], 2 * P[2]]  # each twice: the second of them may not be smaller
    assert adjusted(two, "sign", family="all") == pytest.approx(of_all * 2)
    assert adjusted(two, "sign", "bonferroni", family="all") == pytest.approx(
        [6 * p for p in P] * 2
    )


@pytest.mark.parametrize(
    "baseline, pairs, expected",
    [
        ("a", ["ba", "ca"], [2 * P[0], P[1]]),
        ("b", ["ab", "cb"], [2 * P[0], P[2]]),
        ("c", ["ac", "bc"], [2 * P[1], P[2]]),
    ],
)
def test_a_baseline_makes_the_family_smaller(baseline, pairs, expected):
    c = lf.compare(preferences(TEN), "sign", baseline=baseline)
    assert (c["run_a"] + c["run_b"]).to_list() == pairs
    assert c["p_adjusted"].to_list() == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "randomization", "bootstrap"])
@pytest.mark.parametrize("intervals", ["t", "bca"])
def test_positive_is_better_than_the_baseline_whatever_it_is_called(test, intervals):
    """As if the baseline had the last of all names; a tie stays 0, and is no −0."""
    base, better, same = [0.5, 0.25, 0.5, 0.75, 0.25], [0.75, 0.5, 0.5, 1.0, 0.75], [0.5] * 5
    said = {"alternative": "greater", "intervals": intervals, "trials": 500}
    first, last = (
        lf.compare(
            scores({name: base, "m": better, "n": same, "o": base}), test, baseline=name, **said
        )
        for name in ("a", "z")
    )
    assert first["run_b"].unique().to_list() == ["a"]
    assert first.drop("run_b").equals(last.drop("run_b"))
    assert first["run_a"].to_list() == ["m", "n", "o"]
    assert first["mean_difference"].to_list() == pytest.approx([0.25, 0.05, 0.0])
    tie = lf.compare(scores({"a": [0.5], "b": [0.5]}), test, baseline="a")
    assert math.copysign(1, tie["mean_difference"].item()) == 1
    assert first["p_value"][0] < first["p_value"][1] < first["p_value"][2]
    assert first["ci_low"][0] > -0.01
    less = lf.compare(
        scores({"a": base, "m": better}), test, baseline="a", **said | {"alternative": "less"}
    )
    assert less["p_value"].item() > 0.9


def test_requests_without_a_value_do_not_count():
    """As of a measure whose `rel` some requests have no item of, or of a log with gaps."""
    whole = preferences({"ab": [1.0, 0.5, 0.0, 0.75]})
    gap = preferences({"ab": [1.0, None, 0.0, 0.75]}, "partial")
    c = lf.compare(pl.concat([whole, gap]))
    assert c.select("measure", "n").rows() == [("mine", 4), ("partial", 3)]
    assert c[0].equals(lf.compare(whole))
    without = lf.compare(preferences({"ab": [1.0, 0.0, 0.75]}, "partial"))
    assert c[1].drop("p_adjusted").equals(without.drop("p_adjusted"))


@pytest.mark.parametrize("test", ["t", "sign"])
def test_requests_without_a_value_for_one_pair(test):
    d = preferences({"ab": [1, 1, 0.5], "ac": [None, 1, 0.5], "bc": [None, None, -1]})
    c = lf.compare(d, test)
    assert c["n"].to_list() == [3, 2, 1]
    assert c["mean_difference"].to_list() == pytest.approx([2.5 / 3, 0.75, -1])


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "sign"])
@pytest.mark.parametrize("pairs", [["ab"], ["ab", "bc"], ["ac", "bc"]])
def test_a_measure_that_only_some_pairs_have(test, pairs):
    d = pl.concat([preferences(TEN), preferences(dict.fromkeys(pairs, (1, 0, 1)), "other")])
    c = lf.compare(d, test).filter(measure="other")
    assert (c["run_a"] + c["run_b"]).to_list() == pairs
    assert c["n"].to_list() == [3] * len(pairs)
    of_c = lf.compare(d, test, baseline="c").filter(measure="other")
    assert (of_c["run_a"] + of_c["run_b"]).to_list() == [pair for pair in pairs if "c" in pair]
    assert (of_c["run_b"] == "c").all()


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"test": "wilcox"},
            "test to be one of 'auto', 't', 'sign', 'wilcoxon', 'randomization', 'bootstr",
        ),
        (
            {"correction": "by"},
            "expected correction to be one of 'auto', 'max_t', 'none', 'bonferroni', 'holm', 'bh'",
        ),
        (
            {"family": "each"},
            "compare: expected family to be one of 'measure', 'all', found 'each'",
        ),
        (
            {"test": ["auto", "t"]},
            "compare: test='auto' stands for one test, found 2 tests; give it alone",
        ),
        ({"alpha": 0}, "compare: expected alpha between 0 and 1, found 0"),
        ({"alpha": 1.0}, "compare: expected alpha between 0 and 1, found 1.0"),
        ({"alpha": math.nan}, "compare: expected alpha between 0 and 1, found nan"),
        ({"baseline": "d"}, r"unknown run 'd'\. Known: a, b, c"),
    ],
)
def test_arguments_that_do_not_exist(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(preferences(TEN), **options)
