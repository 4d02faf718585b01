"""`required_requests` and `power_curve` on known cases; statsmodels is asked in parity/."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import optimize, stats

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests
from lexiframe.core.significance import margin_power, simulated_power
from lexiframe.core.significance.differences import Options
from lexiframe.core.significance.joint_flips import max_t
from tests.small_tables import preferences, scores

HOW = ["auto", "t", "simulation"]


def only_row(*args, **options):
    return lf.required_requests(*args, **options).row(0, named=True)


def with_effect(effect, n=10):
    """Half of the differences one standard deviation above the mean, half below."""
    step = math.sqrt((n - 1) / n)
    return preferences({"ab": [effect + step, effect - step] * (n // 2)})


@pytest.mark.parametrize(
    "effect, power, required",
    [(0.2, 0.8, 199), (0.5, 0.8, 34), (0.8, 0.8, 15), (0.5, 0.95, 54)],
    ids=["small", "medium", "large", "power 0.95"],
)
def test_numbers_of_the_literature(effect, power, required):
    """What G*Power gives for two-sided paired t-tests with α = 0.05."""
    row = only_row(with_effect(effect), power=power, how="t")
    assert row["effect_size"] == pytest.approx(effect)
    assert (row["n"], row["required"], row["how"]) == (10, required, "t")
    curve = lf.power_curve(with_effect(effect), [required, required - 1], how="t")
    assert curve["n_requests"].to_list() == [required - 1, required]
    below, there = curve["power"]
    assert below < power <= there


@pytest.mark.slow
def test_the_simulation_agrees_where_differences_are_nearly_normal():
    values = np.linspace(-1, 1, 40) + 0.25
    d = preferences({"ab": values.tolist()})
    by_t, simulated = only_row(d), only_row(d, how="simulation", samples=2000)
    assert simulated["how"] == "simulation"
    assert simulated["required"] == pytest.approx(by_t["required"], rel=0.1)
    assert simulated["power_at_n"] == pytest.approx(by_t["power_at_n"], abs=0.04)
    sizes = [10, 40, 80]
    exact, drawn = (lf.power_curve(d, sizes, how=how)["power"].to_list() for how in HOW[1:])
    assert drawn == pytest.approx(exact, abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("value", [0.25, -0.25, 0.1 + 0.2, 1 / 7, -1e9 / 7])
def test_a_constant_difference_needs_as_many_requests_as_its_sign(how, value):
    """2^(1−n) is below .05 from six requests on, and below .01 from eight on."""
    row = only_row(preferences({"ab": [value] * 7}), how=how)
    assert (row["required"], row["power_at_n"]) == (6, 1.0)
    strict = only_row(preferences({"ab": [value] * 7}), how=how, alpha=0.01)
    assert (strict["required"], strict["power_at_n"]) == (8, 0.0)
    assert row["effect_size"] == math.copysign(math.inf, value)


def test_six_requests_by_hand():
    """Of six requests all must go one way: a sample rejects if it lacks the loss.

    p is 2/64, unless the request with 0 is drawn too: five signs have a p of 2/32.
    """
    d = preferences({"ab": [1.0, 0.5, -0.25, 0.0]})
    row = only_row(d, how="simulation", samples=500, seed=3)
    curve = lf.power_curve(d, [6], how="simulation", samples=500, seed=3)
    counts = drawn_requests(4, 500, 3, size=6)
    assert row["power_at_n"] == 0.0
    assert curve["power"].item() == ((counts[:, 2] == 0) & (counts[:, 3] == 0)).mean() > 0


def sign_power(wins, losses, ties, n, alpha):
    """The power of SciPy's sign test with n requests, of which each is like one of the observed."""
    chances, power = np.array([wins, losses, ties]) / (wins + losses + ties), 0.0
    for w in range(n + 1):
        for m in range(n + 1 - w):
            if w + m and stats.binomtest(w, w + m).pvalue < alpha:
                power += stats.multinomial.pmf([w, m, n - w - m], n, chances)
    return power


@pytest.mark.slow
@pytest.mark.parametrize(
    "wins, losses, ties, power, alpha",
    [(18, 1, 1, 0.8, 0.05), (6, 2, 4, 0.3, 0.1), (5, 0, 3, 0.9, 0.0625), (1, 6, 0, 0.5, 0.02)],
)
def test_signs_have_the_power_of_the_sign_test(wins, losses, ties, power, alpha):
    """Wins in 90 % and losses in 5 % of the requests need nine of them, where t says five."""
    d = preferences({"ab": [0.5] * wins + [-0.5] * losses + [0.0] * ties})
    row, n = only_row(d, power=power, alpha=alpha), wins + losses + ties
    expected = [sign_power(wins, losses, ties, k, alpha) for k in range(2, row["required"] + 1)]
    curve = lf.power_curve(d, range(2, row["required"] + 1), alpha=alpha)
    assert curve["power"].to_list() == pytest.approx(expected, abs=1e-9)
    assert expected[-1] >= power > max(expected[:-1])
    assert row["power_at_n"] == pytest.approx(sign_power(wins, losses, ties, n, alpha), abs=1e-9)
    if alpha == 0.05:
        assert (row["how"], row["required"]) == ("flips", 9)
        assert only_row(d, how="t")["required"] == 5


def test_of_more_than_a_thousand_requests_the_means_are_tested():
    d = preferences({"ab": [1.0] * 21 + [-1.0] * 19})
    row, by_t = only_row(d), only_row(d, how="t")
    assert row["required"] == by_t["required"] > 1000
    sizes = [1000, 1001]
    exact, of_t = (lf.power_curve(d, sizes, how=how)["power"] for how in ("auto", "t"))
    assert exact[1] == of_t[1]
    assert 0 < abs(exact[0] - of_t[0]) < 0.02


def test_fewer_requests_than_sign_flips_can_reject_with_have_no_power():
    """Of normal differences t would do with five."""
    d = with_effect(2.0)
    assert only_row(d, how="t")["required"] == 5
    assert only_row(d)["required"] == 6
    assert only_row(d, alpha=0.01)["required"] == only_row(d, comparisons=5)["required"] == 8
    assert lf.power_curve(d, [5, 6])["power"].to_list() == [0.0, pytest.approx(0.97, abs=0.03)]


def correlated(seed):
    """Three runs that differ by .8 standard deviations or not, over 40 requests."""
    x = np.random.default_rng(seed).normal(size=(3, 40)) * 0.5 + [[0.5], [0.0], [0.5]]
    return scores({name: row.tolist() for name, row in zip("abc", x, strict=True)})


@pytest.mark.slow
def test_joint_flips_of_samples_are_those_of_compare():
    """Of the samples that are drawn the same is asked as of a table."""
    s = correlated(5)
    options = dict(how="simulation", samples=20, seed=4, comparisons=3)
    curve = lf.power_curve(s, [9], **options)
    rejected = np.zeros(3)
    wide = s.pivot("run", index="query_id", values="value").sort("query_id")
    for counts in drawn_requests(40, 20, 4, size=9):
        sample = wide[np.repeat(np.arange(40), counts.astype(int))].drop("query_id")
        c = lf.compare(
            scores({run: sample[run].to_list() for run in "abc"}), "randomization", "max_t"
        )
        rejected += c["reject"].to_numpy()
    assert curve["power"].to_list() == (rejected / 20).tolist()
    assert 0 < rejected.sum() < 60
    alone = lf.power_curve(s, [9], **options | {"comparisons": 1})["power"]
    many = lf.power_curve(s, [9], **options | {"comparisons": 4})["power"]
    assert many.sum() < curve["power"].sum() < alone.sum()


@pytest.mark.slow
@pytest.mark.parametrize("effect", [0.6, 1.0, 1.5])
def test_the_formula_holds_for_sign_flips_of_normal_differences(effect):
    """At most one request is missing, in 2,000 tests of drawn differences by all sign flips."""
    n = only_row(with_effect(effect))["required"] + 1
    values = np.random.default_rng(1).normal(effect, 1, (n, 2000))
    options = Options("two-sided", 0.05, 2000)
    queries = pl.Series([str(q) for q in range(n)])
    found = max_t(queries, values, np.zeros((1, 1)), options, size=1)
    assert 0.775 < (found.p_value < 0.05).mean() < 0.91


@pytest.mark.parametrize("how", HOW)
def test_runs_that_are_the_same_need_more_than_there_can_be(how):
    s = scores({"a": [0.5, 0.25, 1.0], "b": [0.5, 0.25, 1.0]})
    row = only_row(s, how=how)
    assert (row["required"], row["power_at_n"], row["effect_size"]) == (None, 0.0, None)
    assert lf.power_curve(s, [2, 50], how=how)["power"].to_list() == [0.0, 0.0]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("values", [[1e-13] * 3, [1e-13, -1e-13, 0.0]])
def test_differences_of_rounding_alone_are_none(how, values):
    row = only_row(preferences({"ab": values}), how=how, power=0.01)
    assert row["required"] is None
    if values[0] == values[1]:
        assert row["power_at_n"] == 0.0


@pytest.mark.parametrize("how", HOW)
def test_differences_that_cancel_have_the_level_as_power(how):
    row = only_row(preferences({"ab": [0.1, 0.2, -0.3, 0.4, -0.4]}), how=how, alpha=0.2)
    assert row["required"] is None
    assert row["power_at_n"] == pytest.approx(0.2, abs=1e-9 if how == "t" else 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW)
def test_one_request_says_nothing(how):
    d = preferences({"ab": [0.5, None, None], "ac": [0.5, 0.25, 0.5]})
    rows = lf.required_requests(d, how=how).rows(named=True)
    assert [row["n"] for row in rows] == [1, 3]
    assert rows[0]["required"] is rows[0]["power_at_n"] is None
    assert rows[1]["required"] > 1
    curve = lf.power_curve(d, [5], how=how)
    assert curve["power"].is_null().to_list() == [True, False]
    alone = preferences({"ab": [0.5]})
    assert only_row(alone, how=how)["required"] is None


def test_more_than_the_largest_is_null(monkeypatch):
    d = with_effect(0.2)
    monkeypatch.setattr(margin_power, "LARGEST", 199)
    assert only_row(d)["required"] == 199
    monkeypatch.setattr(margin_power, "LARGEST", 198)
    assert only_row(d)["required"] is None
    monkeypatch.setattr(simulated_power, "SIZES", (2, 3, 50))
    assert only_row(d, how="simulation")["required"] is None


def test_a_tiny_effect_needs_more_than_is_looked_for():
    """By the normal distribution, both of its tails; with t it is z²/2, about two, more."""
    limit = stats.norm.isf(0.025)

    def lack(shift):
        return stats.norm.sf(limit - shift) + stats.norm.sf(limit + shift) - 0.8

    expected = (optimize.brentq(lack, 1, 5, xtol=1e-12) / 1e-3) ** 2
    assert only_row(with_effect(1e-3))["required"] == pytest.approx(expected, rel=5e-7)
    assert only_row(with_effect(1e-5))["required"] is None


def test_steps_of_the_simulation_are_seven_percent_at_most():
    sizes = np.array(simulated_power.SIZES)
    steps = np.diff(sizes)
    assert (sizes[0], sizes[-1]) == (2, 100_000)
    assert (steps > 0).all()
    assert ((steps == 1) | (steps / sizes[:-1] <= 0.07)).all()


def test_blocks_change_nothing(monkeypatch):
    d = preferences({"ab": [1.0, -0.5, 0.25, 0.5], "ac": [0.1, 0.2, -0.1, 0.3], "bc": [0.5] * 4})
    expected = lf.power_curve(d, [4, 8], how="simulation", samples=10)
    monkeypatch.setattr(simulated_power, "AT_ONCE", 1)
    assert lf.power_curve(d, [4, 8], how="simulation", samples=10).equals(expected)


def test_several_measures():
    d = pl.concat([with_effect(0.5), with_effect(0.8).with_columns(measure=pl.lit("AP"))])
    found = lf.required_requests(d.sample(fraction=1, shuffle=True, seed=1))
    assert found.select("measure", "required").rows() == [("AP", 15), ("mine", 34)]
    curve = lf.power_curve(d, (20, 10, 20))
    assert curve.select("measure", "n_requests").rows() == [
        (measure, n) for measure in ("AP", "mine") for n in (10, 20)
    ]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"power": 1}, "required_requests: expected power between 0 and 1, found 1"),
        ({"alpha": 0}, "required_requests: expected alpha between 0 and 1, found 0"),
        ({"how": "z"}, "required_requests: expected how to be one of 'auto', 't', 'simulation', f"),
        ({"comparisons": 0}, "required_requests: expected comparisons to be a whole number from 1"),
        ({"samples": 0}, "required_requests: expected samples to be a whole number from 1"),
        ({"seed": -1}, "required_requests: expected seed to be a whole number from 0"),
    ],
)
def test_arguments_that_cannot_be(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.required_requests(with_effect(0.5), **options)
    if "power" not in options:
        message = message.replace("required_requests", "power_curve")
        with pytest.raises(lf.LexiframeError, match=message):
            lf.power_curve(with_effect(0.5), [2], **options)


@pytest.mark.parametrize("sizes", [[], [1], [2.5], [True], [2, 10**10], ["3"]])
def test_sizes_that_cannot_be(sizes):
    message = "power_curve: expected sizes to be (whole numbers from 2 to 10000|a list of which)"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.power_curve(with_effect(0.5), sizes)


def test_without_two_runs_there_is_no_pair():
    for function in (lf.required_requests, lambda s: lf.power_curve(s, [2])):
        with pytest.raises(lf.LexiframeError, match="expected preferences between runs, or scores"):
            function(scores({"a": [0.5, 1.0]}))
