"""`tukey_hsd` on cases worked by hand, and the ways in which its trials are computed."""

import math

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.pairwise.arrays.handed import pair_cube
from lexiframe.core.significance import hsd_trials
from tests.frames import assert_identical
from tests.small_tables import preferences, scores

NUMBERS = ["mean_difference", "ci_low", "ci_high", "effect_size", "statistic", "p_value"]


def numbers(*args, **options):
    return lf.tukey_hsd(*args, **options).select(*NUMBERS).rows()


def random_values(n_queries, n_runs, seed=0, digits=2):
    values = np.random.default_rng(seed).random((n_queries, n_runs)).round(digits)
    return {f"r{run:03}": values[:, run].tolist() for run in range(n_runs)}


def random_signs(n_queries, n_runs, seed=0):
    """With cycles."""
    names = [f"r{run}" for run in range(n_runs)]
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in names for b in names if a < b]
    return preferences({pair: rng.choice([-1.0, 0, 1], n_queries).tolist() for pair in pairs})


# --- By hand ------------------------------------------------------------------------------------


def test_two_runs_by_hand():
    """Of the 2^3 sign flips of 3, 2 and −1, four reach |Σ| = 4: ±(3 + 2 − 1) and ±(3 + 2 + 1)."""
    row = lf.tukey_hsd(preferences({"ab": [3, 2, -1]}), alpha=0.6).row(0, named=True)
    sd = math.sqrt(((3 - 4 / 3) ** 2 + (2 - 4 / 3) ** 2 + (-1 - 4 / 3) ** 2) / 2)
    assert row == {
        "measure": "mine",
        "test": "hsd_randomized",
        "correction": "tukey",
        "run_a": "a",
        "run_b": "b",
        "n": 3,
        "mean_difference": pytest.approx(4 / 3),
        "ci_low": pytest.approx(4 / 3 - 2 / 3),
        "ci_high": pytest.approx(4 / 3 + 2 / 3),
        "effect_size": pytest.approx(4 / 3 / sd),
        "statistic": pytest.approx(4 / 3),
        "p_value": 0.5,
        "p_adjusted": 0.5,
        "reject": True,
        "effect_low": row["effect_low"],
        "effect_high": row["effect_high"],
        "least_p": None,
    }


def test_three_runs_and_one_request():
    """The range of a request does not change when runs are permuted: every trial reaches 2."""
    c = lf.tukey_hsd(scores({"a": [3.0], "b": [2.0], "c": [1.0]}), alpha=0.9)
    assert c["mean_difference"].to_list() == [1, 2, 1]
    assert c["p_value"].to_list() == [1.0] * 3
    assert c.select("ci_low", "ci_high").rows() == [(-1, 3), (0, 4), (-1, 3)]
    assert c["effect_size"].null_count() == 3


def test_parametric_by_hand():
    """With two runs the residuals are ±(d_q − d̄)/2, and q is √2 times Student's t."""
    s = scores({"a": [0.5, 0.9, 0.4, 0.7], "b": [0.2, 0.1, 0.3, 0.35]})
    row, t = (c.row(0, named=True) for c in (lf.tukey_hsd(s, "parametric"), lf.compare(s, "t")))
    assert row["statistic"] == pytest.approx(math.sqrt(2) * t["statistic"])
    for name in ("p_value", "ci_low", "ci_high", "mean_difference", "effect_size"):
        assert row[name] == pytest.approx(t[name], rel=1e-9)
    assert (row["test"], row["correction"], row["n"]) == ("hsd_parametric", "tukey", 4)
    assert row["p_adjusted"] == row["p_value"]
    assert row["reject"] == (row["p_value"] < 0.05)


def test_of_search_lengths_less_is_better():
    s = scores({"a": [1.0, 2, 3, 4], "b": [5.0, 7, 9, 11]}, "TSL")
    for method in ("randomized", "parametric"):
        row = lf.tukey_hsd(s, method).row(0, named=True)
        assert row["mean_difference"] == 5.5
        assert row["ci_high"] is None or row["ci_low"] < 5.5 < row["ci_high"]


@pytest.mark.slow
def test_what_is_tested():
    """Win rates of two of three runs: (Δ_ab + Δ_ac)/2 and (−Δ_ab + Δ_bc)/2."""
    d = preferences({"ab": [1, 1, 0.5], "ac": [1, -1, 0], "bc": [1, 0, -1]})
    means = {on: lf.tukey_hsd(d, on=on)["mean_difference"][0] for on in ("preference", "win_rate")}
    assert means["preference"] == pytest.approx(2.5 / 3)
    a, b = (2 + 0 + 0.5) / 2, (0 - 1 - 1.5) / 2
    assert means["win_rate"] == pytest.approx((a - b) / 3)
    assert lf.tukey_hsd(d).equals(lf.tukey_hsd(d, on="preference"))
    assert lf.tukey_hsd(d, "parametric").equals(lf.tukey_hsd(d, "parametric", on="win_rate"))
    s = scores(random_values(6, 3))
    assert lf.tukey_hsd(s).equals(lf.tukey_hsd(s, on="values"))
    assert lf.tukey_hsd(s, "parametric").equals(lf.tukey_hsd(s, "parametric", on="values"))


def test_win_rates_of_scores_are_values_but_for_their_unit():
    """Each is S/(S − 1) times the value less the request's mean."""
    s = scores(random_values(8, 4))
    for method in ("randomized", "parametric"):
        values, rates = lf.tukey_hsd(s, method), lf.tukey_hsd(s, method, on="win_rate")
        np.testing.assert_allclose(values["p_value"], rates["p_value"], rtol=1e-9)
        np.testing.assert_allclose(values["ci_low"] * 4 / 3, rates["ci_low"], rtol=1e-9)


# --- Without spread -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["randomized", "parametric"])
def test_all_ties(method):
    c = lf.tukey_hsd(preferences(dict.fromkeys(["ab", "ac", "bc"], (0, 0, 0, 0))), method)
    assert c["p_value"].to_list() == [1.0] * 3
    assert c["mean_difference"].to_list() == [0.0] * 3
    assert c["effect_size"].null_count() == 3
    assert not c["reject"].any()


def test_identical_runs_and_a_constant_difference():
    s = scores({"a": [0.1, 0.4, 0.7], "b": [0.1, 0.4, 0.7], "c": [0.2, 0.5, 0.8]})
    assert numbers(s, "parametric") == [
        (0.0, None, None, None, None, 1.0),
        *[(pytest.approx(-0.1), None, None, -math.inf, math.inf, 0.25)] * 2,
    ]
    p_values = lf.tukey_hsd(s)["p_value"].to_list()
    # c comes apart from both in all three requests by one of the three runs: 3 of 3^3.
    assert p_values == [1.0, pytest.approx(3 / 27), pytest.approx(3 / 27)]


@pytest.mark.parametrize("method", ["randomized", "parametric"])
@pytest.mark.parametrize("value", [0.5, 0.0])
def test_one_request_proves_nothing(method, value):
    s = scores({"a": [0.5], "b": [0.5 - value]})
    assert numbers(s, method) == [
        (value, None, None, None, value if method == "randomized" else None, 1.0)
    ]


def test_differences_that_are_rounding():
    s = scores({"a": [0.1 + 0.2, 0.6], "b": [0.3, 0.6 + 1e-13], "c": [0.1, 0.2]})
    for method in ("randomized", "parametric"):
        c = lf.tukey_hsd(s, method)
        assert (c["mean_difference"][0], c["p_value"][0]) == (0.0, 1.0)


# --- Trials -------------------------------------------------------------------------------------


def test_when_all_permutations_are_taken():
    """6^3 = 216 are all when 215 trials are asked for; the seed does not matter then."""
    s = scores(random_values(3, 3))
    exact = [lf.tukey_hsd(s, trials=n, seed=seed) for n, seed in ((215, 0), (216, 1), (9999, 2))]
    assert exact[0].equals(exact[1])
    assert exact[0].equals(exact[2])
    assert all((p * 216).is_integer() for p in exact[0]["p_value"])
    drawn = lf.tukey_hsd(s, trials=214)["p_value"]
    assert all(math.isclose(p * 215, round(p * 215)) for p in drawn)


def test_drawn_trials_estimate_the_exact_p_value():
    for d in (scores(random_values(5, 3)), random_signs(5, 3, seed=3)):
        exact = lf.tukey_hsd(d, trials=6**5)["p_value"].to_numpy()
        trials = 6**5 - 2
        drawn = lf.tukey_hsd(d, trials=trials, seed=1)["p_value"].to_numpy()
        assert not np.array_equal(drawn, exact)
        tolerance = 4 * np.sqrt(exact * (1 - exact) / trials) + 2 / trials
        assert (np.abs(drawn - exact) <= tolerance).all()


def signs_of(s):
    """As lexicographic preferences are: the signs of differences."""
    cube = pair_cube(s)
    ((_, pairs),) = cube
    names = pairs.runs.to_list()
    return preferences(
        {
            (names[a], names[b]): np.sign(pairs.values[:, n]).tolist()
            for n, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True))
        }
    )


@pytest.mark.parametrize("n_queries, n_runs", [(1, 3), (4, 2), (6, 5), (20, 9), (300, 4)])
def test_three_ways_to_the_same_trials(n_queries, n_runs):
    """Preferences as whole matrices, as differences of values and as signs of ranks."""
    s = scores(random_values(n_queries, n_runs, digits=1))
    for d, quick in ((s, hsd_trials._greatest_range), (signs_of(s), hsd_trials._greatest_count)):
        ((_, pairs),) = pair_cube(d)
        statistic = hsd_trials._statistic(pairs)
        if n_runs > 2 and n_queries > 1:
            assert statistic.func is quick
        matrices = np.stack([hsd_trials.canonical(pairs.square(one)) for one in pairs.values])
        rng = np.random.default_rng(0)
        places = [rng.permuted(np.tile(np.arange(n_runs), (21, 1)), axis=1)] * n_queries
        places = [np.roll(one, q, axis=0) for q, one in enumerate(places)]
        np.testing.assert_allclose(
            statistic(places), hsd_trials._greatest_cell_sum(matrices, places), rtol=0, atol=1e-12
        )


@pytest.mark.slow
def test_more_runs_than_a_byte_numbers():
    ranks = scores({f"r{run:03}": [run, 300.0 - run] for run in range(300)})
    d = signs_of(ranks)
    c = lf.tukey_hsd(d, trials=20)
    assert c.height == 300 * 299 // 2
    assert c["mean_difference"].to_list() == [0.0] * c.height
    ((_, pairs),) = pair_cube(d)
    assert hsd_trials._statistic(pairs).args[0].dtype == np.uint16


@pytest.mark.slow
def test_family_wise_errors_are_not_above_alpha():
    """Runs that differ by chance only: any rejection is an error, in a share alpha of the tables.

    Expected are 40 of 200 with a deviation of 5.7; more than 57 happen in a thousandth.
    """
    tables = [scores(random_values(5, 4, seed, digits=9), f"{seed:03}") for seed in range(200)]
    for method in ("randomized", "parametric"):
        c = lf.tukey_hsd(pl.concat(tables), method, alpha=0.2, trials=199, seed=1)
        errors = c.group_by("measure").agg(pl.col("reject").any())["reject"].sum()
        assert 23 <= errors <= 57, method


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3, 0.9])
@pytest.mark.parametrize("method", ["randomized", "parametric"])
def test_rejected_are_the_pairs_whose_interval_excludes_0(alpha, method):
    values = random_values(7, 6)
    values["r000"] = [x + 0.6 for x in values["r000"]]
    c = lf.tukey_hsd(scores(values), method, trials=500, alpha=alpha)
    excluded = (c["ci_low"] > 0) | (c["ci_high"] < 0)
    assert excluded.to_list() == c["reject"].to_list()
    assert 0 < c["reject"].sum() < 15
    assert c["reject"].to_list() == [p < alpha for p in c["p_value"]]


@pytest.mark.parametrize("n_runs, n_queries", [(2, 8), (3, 3)])
def test_intervals_where_alpha_is_one_of_the_p_values(n_runs, n_queries):
    """Then the pair is not rejected, and with a little more it is."""
    s = scores(random_values(n_queries, n_runs))
    for p in lf.tukey_hsd(s)["p_value"].unique():
        for alpha in (p, p + 1e-9):
            if alpha < 1:
                c = lf.tukey_hsd(s, alpha=alpha)
                low, high = (c[name].fill_null(0.0) for name in ("ci_low", "ci_high"))
                excluded = (low > 1e-12) | (high < -1e-12)
                assert (
                    excluded.to_list() == c["reject"].to_list() == (c["p_value"] < alpha).to_list()
                )


def test_too_few_permutations_for_the_level():
    """Of four permutations p is at least 1/2: nothing can be rejected, nothing bounds the mean."""
    assert numbers(scores({"a": [1.0, 0.5], "b": [0.5, 0.25]}))[0][:3] == (0.375, None, None)


def test_measures_are_families_of_their_own():
    s, t = scores(random_values(6, 3)), scores(random_values(5, 4, seed=1), "other")
    both = lf.tukey_hsd(pl.concat([t, s]), trials=500)
    assert_identical(both, pl.concat([lf.tukey_hsd(table, trials=500) for table in (s, t)]))
    power = lf.discriminative_power(both)
    assert power.select("measure", "test", "correction", "n_pairs").rows() == [
        ("mine", "hsd_randomized", "tukey", 3),
        ("other", "hsd_randomized", "tukey", 6),
    ]


# --- Errors -------------------------------------------------------------------------------------

D = preferences({"ab": [1, 0.5], "ac": [1, 1], "bc": [0.5, -1]})
S = scores({"a": [1.0, 0.5], "b": [0.5, 0.5]})


@pytest.mark.parametrize(
    "table, options, message",
    [
        (D, {"method": "exact"}, "method to be one of 'randomized', 'parametric', found 'exact'"),
        (
            D,
            {"on": "values"},
            "of preferences, .* expected on to be one of 'win_rate', 'preference', found",
        ),
        (
            D,
            {"method": "parametric", "on": "preference"},
            "preferences, method='parametric': expected on to be one of 'win_rate', found 'pref",
        ),
        (
            S,
            {"method": "parametric", "on": "preference"},
            "scores, method='parametric': expected on to be one of 'values', 'win_rate', found",
        ),
        (
            S,
            {"on": "mean"},
            "of scores, .* one of 'values', 'win_rate', 'preference', found 'mean'",
        ),
        (S, {"alpha": 1}, "tukey_hsd: expected alpha between 0 and 1, found 1"),
        (S, {"trials": 0}, "tukey_hsd: expected trials to be a whole number from 1, found 0"),
        (S, {"seed": -1}, "tukey_hsd: expected seed to be a whole number from 0, found -1"),
    ],
)
def test_arguments_that_do_not_exist(table, options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.tukey_hsd(table, **options)


def test_nothing_to_test():
    message = "tukey_hsd: expected preferences or scores of two runs, found no rows"
    for table in (preferences({}), scores({}), scores({"a": [1.0]})):
        with pytest.raises(lf.LexiframeError, match=message):
            lf.tukey_hsd(table)


MISSING = r"found 1 \('b'\) runs with gaps, of 3; 'b' lacks 1 \('q2'\) of 3 requests; leave out"


@pytest.mark.parametrize("on", ["win_rate", "preference", None])
def test_requests_missing_for_some_runs(on):
    s = scores({"a": [1.0, 0.5, 0.5], "b": [0.5, None, 0.1], "c": [0.5, 0.5, 0.1]})
    with pytest.raises(lf.LexiframeError, match=MISSING):
        lf.tukey_hsd(s, on=on)
    d = preferences({"ab": [1, None, 1], "ac": [1, 1, 1], "bc": [1, None, 1]})
    with pytest.raises(lf.LexiframeError, match=MISSING):
        lf.tukey_hsd(d, on=on)


def test_a_request_that_one_of_two_runs_lacks():
    s = scores({"a": [1.0, 0.5, 0.5], "b": [0.5, None, 0.1]})
    with pytest.raises(lf.LexiframeError, match=r"'b' lacks 1 \('q2'\) of 3 requests"):
        lf.tukey_hsd(s)


def test_a_missing_preference():
    d = preferences({"ab": [1, 1, 1], "ac": [1, 1, 1], "bc": [1, None, 1]})
    message = r"found no preference of mine between 'b' and 'c' for 1 \('q2'\)"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.tukey_hsd(d)
