"""Each paired test: against SciPy and all permutations, one-sided, and where it is not defined."""

import math
from itertools import combinations
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import lexiframe as lf
from lexiframe.core.base.resampling import drawn_requests
from lexiframe.core.significance.differences import Differences, Options
from lexiframe.core.significance.tests import SHIFTED, ShiftedTest, Test
from lexiframe.core.significance.tests import TESTS as TEST_OF
from tests import oracle
from tests.small_tables import preferences, scores

TESTS = [name for name in TEST_OF if name != "betting"]  # it has bounds, and a file of its own
SIDES = ["two-sided", "greater", "less"]
RNG = np.random.default_rng(7)
SMOOTH = {f"{a}{b}": RNG.normal(0.1 * k, 1, 30) for k, (a, b) in enumerate(["ab", "ac", "bc"])}
COARSE = {pair: np.round(values, 0) for pair, values in SMOOTH.items()}
SHORT = {pair: values[:9] for pair, values in COARSE.items()}
LONG = {"ab": RNG.normal(0.1, 1, 80), "ac": np.round(RNG.normal(0, 1, 80), 1)}


def column(table, name):
    return table[name].to_list()


def p_values(values, test, **options):
    return column(lf.compare(preferences(values), test, "none", **options), "p_value")


def wilcoxon(differences, side):
    """SciPy's test; of few requests by all signs, which older versions have to be told."""
    method = stats.PermutationMethod() if len(differences) <= 13 else "auto"
    return stats.wilcoxon(differences, alternative=side, method=method)


def test_types_name_the_tests_that_there_are():
    assert [*get_args(Test)] == ["auto", *TEST_OF]
    assert get_args(ShiftedTest) == tuple(SHIFTED)


# --- Against SciPy --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "values", [SMOOTH, COARSE, SHORT, LONG], ids=["smooth", "ties", "few", "many"]
)
def test_t_sign_and_wilcoxon_are_scipys_one_sided_too(values, side):
    one_sided = {"alternative": side}
    signs = [((d > 0).sum(), (d != 0).sum()) for d in values.values()]
    expected = {
        "t": [stats.ttest_1samp(d, 0, **one_sided).pvalue for d in values.values()],
        "sign": [stats.binomtest(int(w), int(n), **one_sided).pvalue for w, n in signs],
        "wilcoxon": [wilcoxon(d, side).pvalue for d in values.values()],
    }
    for test, theirs in expected.items():
        c = lf.compare(preferences(values), test, alternative=side)
        assert column(c, "p_value") == pytest.approx(theirs, rel=1e-9), test
        name = test if side == "two-sided" else f"{test}(alternative={side!r})"
        assert c["test"].unique().to_list() == [name]
    statistic = lf.compare(preferences(values), "wilcoxon", alternative=side)["statistic"]
    theirs = [wilcoxon(d, side).statistic for d in values.values()]
    assert statistic.to_list() == pytest.approx(theirs)


def test_rounding_does_not_break_ties_of_wilcoxon():
    """0.1 + 0.2 and 0.3 are one size; SciPy sees two, unless told."""
    values = [0.1 + 0.2, -0.3, 0.5, 0.7, -0.1, 0.9, 1.1, 1.3]
    theirs = wilcoxon(np.round(values, 12), "two-sided").pvalue
    assert p_values({"ab": values}, "wilcoxon") == [pytest.approx(theirs)]
    assert wilcoxon(values, "two-sided").pvalue != pytest.approx(theirs)


@pytest.mark.parametrize("side", SIDES)
def test_intervals_of_the_mean(side):
    by_t = lf.compare(preferences(SMOOTH), alternative=side, alpha=0.1)
    by_bca = lf.compare(
        preferences(SMOOTH), alternative=side, alpha=0.1, intervals="bca", trials=999, seed=3
    )
    in_order = np.argsort([f"q{n}" for n in range(1, 31)])  # requests are drawn as they are sorted
    for n, d in enumerate(values[in_order] for values in SMOOTH.values()):
        t = stats.ttest_1samp(d, 0, alternative=side).confidence_interval(0.9)
        assert by_t.select("ci_low", "ci_high").row(n) == pytest.approx(tuple(map(float, t)))
        theirs = stats.bootstrap(
            (d,), np.mean, n_resamples=999, confidence_level=0.9, alternative=side, method="BCa",
            batch=1000, random_state=np.random.default_rng(3),
        ).confidence_interval  # fmt: skip
        assert by_bca.select("ci_low", "ci_high").row(n) == pytest.approx(tuple(map(float, theirs)))


def test_the_interval_of_d_z_is_that_of_the_noncentral_t():
    c = lf.compare(preferences(SMOOTH), "t", alpha=0.1)
    for t, low, high in c.select("statistic", "effect_low", "effect_high").iter_rows():
        assert stats.nct.cdf(t, 29, low * math.sqrt(30)) == pytest.approx(0.95, abs=1e-6)
        assert stats.nct.cdf(t, 29, high * math.sqrt(30)) == pytest.approx(0.05, abs=1e-6)
    greater = lf.compare(preferences(SMOOTH), "t", alpha=0.05, alternative="greater")
    assert column(greater, "effect_low") == pytest.approx(column(c, "effect_low"))
    assert column(greater, "effect_high") == [math.inf] * 3


@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_of_a_very_large_d_z(sign):
    """Almost constant differences: the uncertainty is that of the deviation."""
    d = preferences({"ab": [sign * (1 + 1e-8 * n) for n in (1, 2, 3, 5)]})
    row = lf.compare(d).row(0, named=True)
    spread = np.sqrt(stats.chi2.ppf([0.025, 0.975], 3) / 3) * row["effect_size"]
    assert sorted(spread) == pytest.approx([row["effect_low"], row["effect_high"]], rel=1e-7)


def test_effects_of_the_sign_test_and_of_wilcoxon_by_hand():
    """Six wins, two losses, two ties: θ = 0.7, odds 7/3. Ranks 1 to 8: up 26, down 10."""
    d = preferences({"ab": [1, 2, -3, 4, 5, 6, -7, 8, 0, 0]})
    sign, wilcoxon = (lf.compare(d, test).row(0, named=True) for test in ("sign", "wilcoxon"))
    assert sign["effect_size"] == pytest.approx(7 / 3)
    variance = (6 * 0.3**2 + 2 * 0.2**2 + 2 * 0.7**2) / 9 / 10
    half = stats.norm.ppf(0.975) * math.sqrt(variance) / 0.21
    expected = [7 / 3 * math.exp(-half), 7 / 3 * math.exp(half)]
    assert [sign["effect_low"], sign["effect_high"]] == pytest.approx(expected)
    assert wilcoxon["effect_size"] == pytest.approx((26 - 10) / 36)
    error = math.sqrt(8 * 9 * 17 / 6) / 36  # of the signed-rank sum, over the sum of ranks
    ends = [math.atanh(16 / 36) + z * error for z in stats.norm.ppf([0.025, 0.975])]
    assert [wilcoxon["effect_low"], wilcoxon["effect_high"]] == pytest.approx(np.tanh(ends))


def test_ties_of_the_sign_test_can_be_split():
    """Five wins, one loss, three ties: one tie each, the third left out."""
    values = {"ab": [1, 1, 1, 1, 1, -1, 0, 0, 0]}
    c = lf.compare(preferences(values), "sign", sign_ties="split")
    assert c["p_value"].item() == pytest.approx(stats.binomtest(6, 8).pvalue)
    assert (c["test"].item(), c["statistic"].item()) == ("sign(ties='split')", 6)


def test_benjamini_and_hochberg_is_statsmodels():
    c = lf.compare(preferences(SMOOTH), "t", "bh")
    assert column(c, "p_adjusted") == pytest.approx(multipletests(c["p_value"], method="fdr_bh")[1])


# --- Against loops --------------------------------------------------------------------------------

SMALL = st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, 0.1, 0.2, -0.3]), min_size=1, max_size=6)


@given(SMALL, st.sampled_from(SIDES))
def test_randomization_goes_through_all_signs_of_few_requests(values, side):
    found = p_values({"ab": values}, "randomization", alternative=side, trials=100)
    assert found == [pytest.approx(oracle.randomization(values, side))]


@given(
    SMALL.filter(lambda values: len(values) > 1 and len(set(values)) > 1), st.sampled_from(SIDES)
)
@example([0.5, 0.1, -0.3], "two-sided")  # 0.1 is the mean: drawn alone, it has no t but 0
def test_bootstrap_is_that_of_the_drawn_requests(values, side):
    counts = drawn_requests(len(values), 50, seed=4)
    found = p_values({"ab": values}, "bootstrap", alternative=side, trials=50, seed=4)
    assert found == [pytest.approx(oracle.bootstrap(values, counts, side))]


@pytest.mark.parametrize("side", SIDES)
def test_randomization_by_trials_is_near_that_of_all_signs(side):
    values = list(SMOOTH["ac"][:12])
    exact = oracle.randomization(values, side)
    near = p_values({"ab": values}, "randomization", alternative=side, trials=4000)[0]
    assert abs(near - exact) < 4 * math.sqrt(exact * (1 - exact) / 4000) + 1 / 4000


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_resampling_is_near_t_for_many_smooth_differences(test):
    found = p_values({"ab": LONG["ab"]}, test, trials=5000)[0]
    assert found == pytest.approx(stats.ttest_1samp(LONG["ab"], 0).pvalue, abs=0.03)


# --- What is not defined, or barely ---------------------------------------------------------------

EDGES = {
    "identical": [0.0] * 8,
    "one request": [0.5],
    "one tie": [0.0],
    "constant": [0.25] * 8,
    "constant but for rounding": [0.1 + 0.2, 0.3, 0.3, 0.3],
    "two requests": [0.5, -0.25],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("intervals", ["auto", "t", "bca"])
def test_edges_have_a_p_value_and_no_warning(test, side, name, intervals):
    values = EDGES[name]
    c = lf.compare(
        preferences({"ab": values}), test, alternative=side, trials=200, intervals=intervals,
        bounds=None if test == "betting" else {"mine": (-1.0, 1.0)},
    )  # fmt: skip
    row = c.row(0, named=True)
    assert 0 < row["p_value"] <= 1
    assert row["n"] == len(values)
    if not any(values):
        assert row["p_value"] == 1.0
    if intervals == "auto" and len(values) > 1 and len(set(np.round(values, 9))) == 1:
        is_known = test != "betting" and any(values)  # bounds are
        assert row["ci_low"] is row["ci_high"] is None or row["ci_low"] < values[0] < row["ci_high"]
        assert (row["ci_low"] is not None) >= is_known
    if len(values) == 1:
        assert row["ci_low"] is row["ci_high"] is None
        assert (row["p_value"] < 1) <= (side != "two-sided")


@pytest.mark.parametrize("test", TESTS)
def test_pairs_without_some_requests_are_as_if_alone(test):
    gaps = {"ab": SMOOTH["ab"][:9], "ac": [*SMOOTH["ac"][:6], None, None, 1.0], "bc": [None] * 9}
    together = lf.compare(preferences(gaps), test, "none", trials=400)
    alone = lf.compare(preferences({"ac": gaps["ac"]}), test, "none", trials=400)
    assert together["n"].to_list() == [9, 7]
    assert together.filter(run_b="c").equals(alone)


# --- Baselines, families, groups ------------------------------------------------------------------


@pytest.mark.slow
def test_several_tests_and_corrections_make_one_table():
    d = pl.concat([preferences(SMOOTH), preferences(COARSE, "other")])
    c = lf.compare(d, TESTS, ["none", "holm"], trials=300)
    parts = [
        lf.compare(d, test, correction, trials=300)
        for test in TESTS
        for correction in ("none", "holm")
    ]
    key = ["measure", "test", "correction", "run_a", "run_b"]
    assert c.equals(pl.concat(parts).sort(key))
    assert lf.discriminative_power(c).height == 2 * len(TESTS) * 2


REQUESTS = pl.DataFrame(
    {"qid": [f"q{n}" for n in range(1, 31)], "long": [n % 3 == 0 for n in range(30)]}
)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["measure", "all"])
def test_groups_of_requests(family):
    d = preferences(SMOOTH)
    c = lf.compare(d, "t", family=family, requests=REQUESTS, by="long")
    assert c.columns[0] == "long"
    ids = {value: REQUESTS.filter(long=value)["qid"].implode() for value in (False, True)}
    parts = [
        lf.compare(d.filter(pl.col("query_id").is_in(ids[value])), "t", "none").with_columns(
            long=pl.lit(value)
        )
        for value in (False, True)
    ]
    assert column(c, "p_value") == pytest.approx(column(pl.concat(parts), "p_value"))
    families = [c] if family == "all" else c.partition_by("long", maintain_order=True)
    for rows in families:
        adjusted = multipletests(rows["p_value"], method="holm")[1]
        assert column(rows, "p_adjusted") == pytest.approx(adjusted)
    assert lf.discriminative_power(c, by="long")["n_pairs"].to_list() == [3, 3]
    with pytest.raises(lf.SchemaError, match="groups of requests with by="):
        lf.discriminative_power(c)


TEN = {a + b: RNG.normal(0, 1, 10) for a, b in combinations("abcdefghijklmnopqrst", 2)}  # 190


@pytest.mark.slow
@pytest.mark.parametrize(
    "test, options, n, enough",
    [
        ("sign", {}, 10, 13),
        ("wilcoxon", {}, 10, 13),
        ("randomization", {}, 10, 13),
        ("sign", {"alternative": "greater"}, 10, 12),
        ("sign", {"correction": "bonferroni", "alpha": 0.5}, 9, 10),
        ("sign", {"correction": "bh"}, 5, 6),
    ],
)
def test_requests_that_are_too_few_for_the_correction_are_warned_of(test, options, n, enough):
    """2 · 2^−n · 190 < 0.05 from n = 13 on; half of that is one-sided p."""
    few, many = (
        preferences({pair: np.resize(np.abs(d), size) for pair, d in TEN.items()})
        for size in (n, enough)
    )
    alpha = options.get("alpha", 0.05)
    message = (
        f"^compare: no p-value of the test '{test}' over {n} requests can be below {alpha} after "
        f"the correction '.*' for 190 comparisons; it takes {enough} requests or more without ties"
    )
    with pytest.warns(lf.LexiframeWarning, match=message) as warned:
        found = lf.compare(few, test, **options)
    assert len(warned) == 1
    assert warned[0].filename == __file__
    assert not found["reject"].any()
    assert lf.compare(many, test, **options)["reject"].all()
    lf.compare(few, test, "none")
    with pytest.warns(lf.LexiframeWarning, match=message) as warned:
        lf.compare(few, [test, "t"], [options.get("correction", "holm"), "none"], alpha=alpha,
                   alternative=options.get("alternative", "two-sided"))  # fmt: skip
    assert len(warned) == 1


@pytest.mark.slow
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("values", [SMOOTH, COARSE, SHORT, LONG])
@pytest.mark.parametrize("test", TESTS)
def test_no_p_value_is_below_the_least(test, values, side):
    """The least p is that of the same sizes with one sign."""
    options = Options(side, 0.05, 600, 0, "drop")
    sign = -1 if side == "less" else 1
    for d in values.values():
        rounding = np.full((1, 1), 1e-12)
        found = TEST_OF[test].compute(Differences(d[:, None], rounding), options)
        extreme = TEST_OF[test].compute(Differences(sign * np.abs(d)[:, None], rounding), options)
        assert found.least_p == pytest.approx(extreme.least_p)
        assert found.least_p <= found.p_value + 1e-15
        if test in ("sign", "wilcoxon") or (test == "randomization" and len(d) == 9):
            assert found.least_p == pytest.approx(extreme.p_value)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_whichever_run_wins_no_p_value_is_below_the_least(test, n, side):
    """Of all signs of sizes that differ, and of equal ones; one request of each is a tie."""
    options = Options(side, 0.05, 500, 0, "drop")
    rising = np.arange(1.0, n + 1)  # with an odd n one difference is the mean
    equal = np.array([0.25] * n)
    sizes = rising, np.array([*SMOOTH["ab"][:n], 0.0]), equal, np.array([*equal, 0.0])
    for d in map(np.abs, sizes):
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(len(d))) & 1)
        found = TEST_OF[test].compute(Differences((signs * d).T, np.full((1, 1), 1e-12)), options)
        assert found.least_p.max() <= found.p_value.min() + 1e-15
        if test == "t" and n == 2:
            assert found.least_p.max() == pytest.approx(found.p_value.min())


@pytest.mark.parametrize(
    "options, message",
    [
        (
            {"alternative": "more"},
            "alternative to be one of 'two-sided', 'greater', 'less', found 'more'",
        ),
        ({"intervals": "bc"}, "intervals to be one of 'auto', 't', 'bca', found 'bc'"),
        ({"sign_ties": "half"}, "sign_ties to be one of 'drop', 'split', found 'half'"),
        ({"trials": 0}, "compare: expected trials to be a whole number from 1, found 0"),
        ({"seed": -1}, "compare: expected seed to be a whole number from 0, found -1"),
        ({"trials": 1.5}, "expected trials to be a whole number, found a float: 1.5"),
        ({"requests": REQUESTS}, "requests: which attribute makes the groups"),
        ({"requests": REQUESTS, "by": "lang"}, "unknown attribute 'lang'"),
        ({"by": "long"}, "unknown attribute 'long'.*requests='requests.csv'"),
        (
            {"requests": REQUESTS.rename({"long": "run_a"}), "by": "run_a"},
            "run_a is a column of the table already; rename the attribute",
        ),
    ],
)
def test_arguments_that_do_not_exist(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(preferences(SMOOTH), **options)


# --- Names mean nothing ---------------------------------------------------------------------------


@given(st.permutations("abcd"), st.sampled_from(TESTS), st.integers(0, 5))
def test_renaming_the_runs_changes_nothing_else(names, test, seed):
    rng = np.random.default_rng(seed)
    values = {run: np.round(rng.normal(0, 1, 7), 1) for run in "abcd"}
    new = dict(zip("abcd", names, strict=True))
    c = lf.compare(scores(values), test, trials=200)
    renamed = lf.compare(scores({new[run]: x for run, x in values.items()}), test, trials=200)
    rows = {(r["run_a"], r["run_b"]): r for r in renamed.iter_rows(named=True)}
    for row in c.iter_rows(named=True):
        a, b = new[row["run_a"]], new[row["run_b"]]
        sign, other = (1, rows[a, b]) if a < b else (-1, rows[b, a])
        assert other["p_value"] == pytest.approx(row["p_value"])
        assert other["p_adjusted"] == pytest.approx(row["p_adjusted"])
        assert sign * other["mean_difference"] == pytest.approx(row["mean_difference"])
        if test not in ("sign", "wilcoxon"):
            ends = sorted([sign * other["ci_low"], sign * other["ci_high"]])
            assert ends == pytest.approx([row["ci_low"], row["ci_high"]])


# --- Under the null -------------------------------------------------------------------------------


def null_scores(replication, n_runs=5, n_requests=20):
    """Scores of which each request has the labels of its runs at random; one hard, one easy."""
    rng = np.random.default_rng([20261121, replication])
    ability, difficulty = rng.normal(0, 0.3, n_runs), rng.normal(0, 1, (n_requests, 1))
    values = rng.permuted(difficulty + ability + rng.normal(0, 0.2, (n_requests, n_runs)), axis=1)
    return {chr(97 + run): values[:, run] for run in range(n_runs)}


REPLICATIONS = 300


@pytest.fixture(scope="module")
def under_the_null():
    """The comparisons of many replications, each a measure of its own."""
    tables = [scores(null_scores(n), f"replication {n}") for n in range(REPLICATIONS)]
    return lf.compare(
        pl.concat(tables), TESTS, ["none", "holm", "bonferroni", "bh"], trials=399, seed=5
    )


def not_above(rejected, n, level):
    """Whether so many rejections can come from that level: within four standard deviations."""
    return rejected <= n * level + 4 * math.sqrt(n * level * (1 - level))


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_a_single_test_rejects_at_its_level_under_the_null(under_the_null, test):
    """One pair of each replication, so that tests are independent; t and randomization at 5 %."""
    one = under_the_null.filter(test=test, correction="none", run_a="a", run_b="b")
    rejected = int(one["reject"].sum())
    assert one.height == REPLICATIONS
    assert not_above(rejected, REPLICATIONS, 0.05)
    if test in ("t", "randomization", "wilcoxon"):
        assert not_above(REPLICATIONS - rejected, REPLICATIONS, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh"])
def test_families_reject_anything_at_most_at_their_level(under_the_null, test, correction):
    of = under_the_null.filter(test=test, correction=correction)
    any_rejected = of.group_by("measure").agg(pl.col("reject").any())["reject"].sum()
    assert not_above(any_rejected, REPLICATIONS, 0.05)
    uncorrected = under_the_null.filter(test=test, correction="none")
    false = uncorrected.group_by("measure").agg(pl.col("reject").any())["reject"].sum()
    assert not not_above(false, REPLICATIONS, 0.05)  # ten pairs: without correction far above


SWAPPED = [lf.swap_rates, lf.swap_curve]
OF_MEANS = [lf.compare, lf.tukey_hsd, lf.required_requests, *SWAPPED]


@pytest.mark.parametrize("function", OF_MEANS, ids=lambda function: function.__name__)
def test_infinite_values_are_refused(function):
    """One infinite score of a, and one of both a and b; and one infinite preference."""
    message = f"^{function.__name__}: expected finite values, found [0-9] that are infinite; a mean"
    one = {"a": [math.inf, 0.5, 0.25], "b": [0.5, 0.25, 0.5], "c": [0.1, 0.2, 0.3]}
    two = {**one, "b": [math.inf, 0.25, 0.5]}
    for d in (scores(one), scores(two), preferences({"ab": [math.inf, 0.5, 0.25]})):
        with pytest.raises(lf.LexiframeError, match=message):
            function(d)


def test_the_same_infinite_score_is_a_tie():
    row = lf.win_rates(scores({"a": [math.inf, 0.5], "b": [math.inf, 0.25]})).row(0, named=True)
    assert (row["n"], row["wins"], row["ties"]) == (2, 1, 1)


@pytest.mark.slow
def test_large_differences_are_as_extreme_as_themselves_but_for_rounding():
    """Of 2^8 ways to choose signs two are as extreme as what was observed: all wins, all losses."""
    won = np.random.default_rng(1).uniform(0, 1e5, (200, 8)).tolist()
    frames = [preferences({"ab": one}, measure=f"m{k}") for k, one in enumerate(won)]
    c = lf.compare(pl.concat(frames), "randomization", "none")
    assert c["p_value"].to_list() == pytest.approx([2 / 256] * 200)


def test_groups_of_an_evaluation_need_the_attributes():
    folder = lf.bundled("example")
    with pytest.raises(
        lf.LexiframeError, match=r"^by: expected attributes of requests, found none; give a frame"
    ):
        lf.evaluate(folder / "runs", folder / "qrels.txt", ["AP"], by="digit")


def test_bca_of_many_ties_is_the_same_the_other_way_round():
    """Means of samples that are the observed mean but for rounding are ties, whatever the order."""
    runs = np.random.default_rng(7).random((15, 5)).round(1).T.tolist()
    one = lf.compare(scores(dict(zip("abcde", runs, strict=True))), intervals="bca", trials=300)
    turned = lf.compare(scores(dict(zip("edcba", runs, strict=True))), intervals="bca", trials=300)
    for row in one.iter_rows(named=True):
        a, b = ("edcba"["abcde".index(row[run])] for run in ("run_b", "run_a"))
        other = turned.row(by_predicate=(pl.col("run_a") == a) & (pl.col("run_b") == b), named=True)
        assert other["ci_low"] == pytest.approx(-row["ci_high"], abs=1e-9)
        assert other["ci_high"] == pytest.approx(-row["ci_low"], abs=1e-9)


def test_one_sided_intervals_of_a_correlation_end_at_one():
    d = preferences({"ab": [0.5, -0.25, 0.75, 0.125, 0.3]})
    greater = lf.compare(d, "wilcoxon", alternative="greater").row(0, named=True)
    less = lf.compare(d, "wilcoxon", alternative="less").row(0, named=True)
    assert (greater["effect_high"], less["effect_low"]) == (1.0, -1.0)


def test_one_sided_intervals_of_win_odds_begin_at_zero():
    """Odds are from 0 to ∞: the open end is 0 below and ∞ above, and unknown stays unknown."""
    d = preferences({"ab": [0.5, -0.25, 0.75, 0.125, 0.3], "cd": [0.5, 0.25, 0.75, 0.125, 0.3]})
    ends = {
        side: lf.compare(d, "sign", alternative=side).select("effect_low", "effect_high").rows()
        for side in ("greater", "less")
    }
    assert ends["less"][0][0] == 0.0 < ends["greater"][0][0] < 4 < ends["less"][0][1]
    assert ends["greater"][0][1] == math.inf
    assert [rows[1] for rows in ends.values()] == [(None, None)] * 2
