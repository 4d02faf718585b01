"""`audit` against plain loops with SciPy, on real matrices, and where a test is not defined."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.base import memory_use as memory
from lexiframe.study.audits.schemas import AUDITS
from tests.small_tables import preferences, scores

TESTS = ["t", "sign", "wilcoxon", "randomization", "bootstrap"]
RNG = np.random.default_rng(3)
VALUES = {run: np.round(RNG.beta(0.5 + 0.1 * n, 2, 40), 2) for n, run in enumerate("abcd")}
S = scores({run: values.tolist() for run, values in VALUES.items()})
LACKING = scores(
    {
        run: [None if (n + 3 * k) % 7 == 0 else v for n, v in enumerate(values.tolist())]
        for k, (run, values) in enumerate(VALUES.items())
    }
)
SOME = {"trials": 520, "seed": 7}  # more than are tested at once


def audited(s, tests="t", sizes=30, **options):
    return lf.audit(s, tests, sizes, **(SOME | options))


# --- Against plain loops --------------------------------------------------------------------------


def drawn(s, null, size, trials, seed):
    """Draw what `audit` draws: for each trial the pair, its requests, and which are swapped."""
    wide = s.pivot("run", index="query_id", values="value", sort_columns=True).sort("query_id")
    runs = wide.drop("query_id").to_numpy().T
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    have = [np.flatnonzero(~np.isnan(runs[a] - runs[b])) for a, b in pairs]
    for block, start in enumerate(range(0, trials, 500)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size, block)))
        inner, number = int(rng.integers(2**32)), min(500, trials - start)
        pair = rng.integers(0, len(pairs), number)
        place = rng.integers(0, [len(have[k]) for k in pair], (size, number))
        swapped = rng.integers(0, 2, (size, number)) == 1 if null == "exchanged" else place < 0
        for n, k in enumerate(pair):
            request = have[k][place[:, n]]
            a, b = (runs[one][request] for one in pairs[k])
            mean = (runs[pairs[k][0]] - runs[pairs[k][1]])[have[k]].mean()
            equal = (a - mean, b)
            if null == "exchanged":
                equal = (np.where(swapped[:, n], b, a), np.where(swapped[:, n], a, b))
            yield inner, mean, equal, (a, b)


def by_scipy(test, a, b):
    """Return p, and what the test compares: positive if it puts the first run ahead."""
    d = np.round(a - b, 10)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    if test == "t":
        return stats.ttest_rel(a, b).pvalue, d.mean()
    if test == "sign":
        return stats.binomtest(wins, wins + losses).pvalue, wins - losses
    ranks = stats.rankdata(np.abs(d[d != 0]))
    return stats.wilcoxon(d).pvalue, (ranks * np.sign(d[d != 0])).sum()


@pytest.mark.slow
@pytest.mark.parametrize("null, s", [("exchanged", S), ("centred", LACKING)])
def test_rates_are_those_of_a_loop_over_trials(null, s):
    names = TESTS[:3]
    found = audited(s, names, null=null)
    counts = dict.fromkeys(names, np.zeros(3))
    for _, mean, equal, kept in drawn(s, null, 30, **SOME):
        for test in names:
            (p_equal, _), (p, ahead) = by_scipy(test, *equal), by_scipy(test, *kept)
            counts[test] = counts[test] + [p_equal < 0.05, p < 0.05, p < 0.05 and ahead * mean < 0]
    for test, (errors, significant, wrong) in counts.items():
        row = found.row(by_predicate=pl.col("test") == test, named=True)
        assert row["error_rate"] == pytest.approx(errors / 520)
        assert row["n_significant"] == significant
        assert row["power"] == pytest.approx(significant / 520)
        assert row["type_iii"] == pytest.approx(wrong / significant)
    assert sum(wrong for *_, wrong in counts.values()) > 0
    assert found.select("n_pairs", "n", "trials", "n_differ").unique().row(0) == (6, 40, 520, 520)


def test_a_test_is_what_compare_does_with_the_drawn_requests():
    """Also those that draw at random themselves: with the seed of their block of trials."""
    found = audited(S, TESTS, trials=60, inner_trials=99)
    trials = [*drawn(S, "centred", 30, 60, SOME["seed"])]
    samples = np.round([a - b for _, _, (a, b), _ in trials], 10)
    in_order = np.argsort(np.argsort([f"q{n}" for n in range(1, 31)]))  # of the names of requests
    options = {"trials": 99, "seed": trials[0][0]}
    c = lf.compare(
        pl.concat(
            preferences({(f"a{n}", f"b{n}"): d[in_order].tolist()}) for n, d in enumerate(samples)
        ),
        TESTS, "none", **options,
    )  # fmt: skip
    theirs = c.group_by("test").agg(pl.col("reject").mean()).sort("test")
    assert c.height == 5 * 60
    rates = zip(*found.select("test", "error_rate"), theirs["reject"], strict=True)
    for test, ours, other in rates:  # signs hang on the ids of requests, which samples lack
        assert ours == pytest.approx(other, abs=0.1 if test == "randomization" else 1e-9)
    assert found["error_rate"].max() > 0


def test_intervals_are_those_of_clopper_and_pearson():
    row = audited(S, "sign", trials=200).row(0, named=True)
    parts = {
        "error": (row["error_rate"], 200),
        "power": (row["power"], 200),
        "type_iii": (row["type_iii"], row["n_significant"]),
    }
    for stem, (rate, n) in parts.items():
        theirs = stats.binomtest(round(rate * n), n).proportion_ci(0.95, method="exact")
        assert (row[f"{stem}_low"], row[f"{stem}_high"]) == pytest.approx(tuple(theirs))


# --- On real data ---------------------------------------------------------------------------------

MATRICES = "adhoc5_ap adhoc6_ap adhoc7_ap adhoc7_rr web2010_ndcg20 web2011_ndcg20".split()


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.parametrize("name", MATRICES)
def test_on_tracks_the_t_test_keeps_its_promise_about_means_and_others_do_not(shared, name):
    """With exchangeable runs all of them do."""
    s = lf.read_scores(shared / "data" / "trec_score_matrices" / f"{name}.csv", measure="AP")
    low, rate = (
        dict(lf.audit(s, TESTS[:3], 50).select("test", column).iter_rows())
        for column in ("error_low", "error_rate")
    )
    assert 0.04 < rate["t"] < 0.07
    assert low["wilcoxon"] > 0.08
    assert low["sign"] > max(0.15, rate["wilcoxon"])
    exchanged = lf.audit(s, TESTS[:3], 50, null="exchanged")
    assert exchanged["error_rate"].max() < stats.binom.isf(1e-4, 10_000, 0.05) / 10_000


@pytest.mark.slow
@pytest.mark.conformance
def test_on_a_track_randomization_and_bootstrap_keep_their_promise_too(shared):
    s = lf.read_scores(shared / "data" / "trec_score_matrices" / "adhoc6_ap.csv", measure="AP")
    rates = lf.audit(s, TESTS[3:], 50, trials=4000)["error_rate"].to_list()
    assert all(0.04 < rate < 0.07 for rate in rates)


# --- What the table does not depend on ------------------------------------------------------------


def test_it_does_not_depend_on_what_else_is_asked_for():
    whole = audited(S, TESTS, [10, 30], trials=60, inner_trials=50)
    alone = [
        audited(S.sample(fraction=1, shuffle=True, seed=1), test, size, trials=60, inner_trials=50)
        for test in reversed(TESTS)
        for size in (30, 10)
    ]
    assert whole.equals(pl.concat(alone).sort("measure", "test", "null", "n_requests"))
    both = pl.concat([S, S.with_columns(measure=pl.lit("other"))])
    assert audited(both).drop("measure").unique().height == 1
    assert not audited(S, seed=8).equals(audited(S))


def test_it_does_not_depend_on_the_number_of_threads():
    limits = pytest.importorskip("threadpoolctl").threadpool_limits
    tables = []
    for n in (1, 2):
        with limits(n):
            tables.append(audited(S, TESTS[3:], inner_trials=300))
    assert tables[0].equals(tables[1])


def test_groups_of_requests():
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 41)], "kind": ["x", "y"] * 20})
    found = audited(S, requests=kinds, by="kind")
    odd = S.filter(pl.col("query_id").str.slice(1).cast(pl.Int64) % 2 == 1)
    assert found.columns[:2] == ["kind", "measure"]
    assert found.filter(kind="x").drop("kind").equals(audited(odd))
    assert found["n"].to_list() == [20, 20]


# --- Tests of one's own ---------------------------------------------------------------------------


def test_functions_are_given_requests_by_trials():
    shapes = []

    def my_t(d):
        shapes.append(d.shape)
        return stats.ttest_1samp(d, 0)

    def never(d):
        return np.ones(d.shape[1])

    found = audited(S, ["t", my_t, never], 30)
    t, mine, none = (found.filter(test=name).drop("test") for name in ("t", "my_t", "never"))
    assert mine.equals(t)
    assert shapes == [(30, 1000), (30, 40)]  # equal means, and beside them as they are
    assert none.select("error_rate", "error_low", "power", "type_iii", "type_iii_high").row(0) == (
        0, 0, 0, None, None
    )  # fmt: skip


def test_functions_that_return_no_p_values():
    def wrong(d):
        return np.full(d.shape[1], 2.0)

    with pytest.raises(lf.LexiframeError, match="expected p-values from 0 to 1, found 2 for '"):
        audited(S, wrong)


# --- Where there is little to test ----------------------------------------------------------------


def test_runs_that_are_the_same_or_differ_by_a_constant():
    """Copies are never significant; without a spread any mean but 0 is."""
    runs = {"a": [0.1, 0.25, 0.7], "b": [0.1, 0.25, 0.7], "c": [0.4, 0.55, 1.0]}
    copies = audited(scores({run: runs[run] for run in "ab"}), TESTS[:3], 20)
    assert copies["error_rate"].to_list() == [0, 0, 0]
    assert copies.select("n_differ", "power", "power_low", "type_iii").unique().row(0) == (
        0, None, None, None
    )  # fmt: skip
    shifted = audited(scores({run: runs[run] for run in "ac"}), TESTS[:3], 20)
    assert shifted.select("error_rate", "power", "type_iii").unique().row(0) == (0, 1, 0)
    both = audited(scores(runs), "t", 20)  # of three pairs one has no difference
    assert both["n_differ"].item() == both["n_significant"].item() == pytest.approx(347, abs=45)


def test_a_mean_of_rounding_alone_is_no_difference():
    """0.1 + 0.2 − 0.3 is not 0 as float64; what is significant is an error, not power."""
    found = audited(preferences({"ab": [0.1, 0.2, -0.3]}), "t", 5).row(0, named=True)
    assert (found["n_differ"], found["n_significant"], found["power"]) == (0, 0, None)
    assert found["error_rate"] > 0.05


def test_a_mean_in_the_other_direction_than_wins():
    """Four wins and a greater loss: tests of wins and of ranks take the wrong direction."""
    d = preferences({"ab": [1.0, 1.0, 1.0, 1.0, -6.0]})
    rows = audited(d, TESTS[:3], 60).rows_by_key("test", named=True, unique=True)
    assert rows["sign"]["type_iii"] > 0.99
    assert rows["wilcoxon"]["type_iii"] > 0.9
    assert rows["t"]["type_iii"] < 0.05


def test_pairs_with_one_request_are_left_out():
    d = {"ab": [0.5, 0.25, -0.5], "ac": [None] * 3 + [0.5], "bc": [0.25, -0.25, 1.0]}
    d = preferences(d)
    with pytest.warns(lf.LexiframeWarning, match="audit: 1 of 3 pairs of runs share one request o"):
        found = audited(d)
    assert found.select("n_pairs", "n").row(0) == (2, 3)
    without = d.filter(pl.struct("run_a", "run_b") != {"run_a": "a", "run_b": "c"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert audited(without).equals(found)
    with pytest.raises(
        lf.LexiframeError, match="audit: expected two runs that share two requests or more, found n"
    ):
        audited(preferences({"ab": [0.5]}))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tests": "z"}, "expected test to be one of 'auto', 't', 'sign'"),
        ({"tests": []}, "audit: expected a test, found none"),
        ({"sizes": [25, 1]}, "audit: expected sizes to be whole numbers from 2 to"),
        ({"sizes": 2.5}, "audit: expected sizes to be a whole number or a list of which each is"),
        ({"sizes": []}, "audit: expected sizes to be whole numbers from 2 to"),
        ({"alpha": 1.0}, "audit: expected alpha between 0 and 1"),
        ({"null": "equal"}, "expected null to be one of 'centred', 'exchanged'"),
        ({"trials": 0}, "audit: expected trials to be a whole number from 1"),
        (
            {"inner_trials": 2.5},
            "expected inner_trials to be a whole number, found a float: 2.5",
        ),
        ({"seed": -1}, "audit: expected seed to be a whole number from 0"),
        (
            {"tests": "bootstrap", "inner_trials": 19},
            "audit: no p-value of 19 inner trials can be below 0.05; take inner_trials=20 or more",
        ),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        audited(S, **options)


def test_more_requests_than_memory_holds(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**9)
    with pytest.raises(
        lf.LexiframeError, match=r"trials of 1,000,000,000 requests need .* fewer r"
    ):
        audited(S, sizes=10**9)


# --- In words -------------------------------------------------------------------------------------


def row(
    n, rates, test="t", null="centred", wrong=(0.002, 0.001, 0.004), power=(0.5, 0.4, 0.6), runs=2
):
    """A row of the table: the error rate and its interval, then power and type III rate."""
    correction = "none" if runs == 2 else "holm"
    error, power, wrong = ((rate, 0.01, *interval) for rate, *interval in (rates, power, wrong))
    key = ("AP", test, correction, null, runs, n)
    return (*key, 0.05, *error, 1000, *power, 990, *wrong, 495, 3, 60)


def said(*rows):
    return lf.verdict(pl.DataFrame(rows, schema=AUDITS.columns, orient="row"))


def test_sentences():
    above, on, below = (0.1, 0.08, 0.12), (0.051, 0.04, 0.06), (0.02, 0.01, 0.03)
    found = said(row(50, above), row(25, on), row(25, below, "wilcoxon", "exchanged"))
    key = ["measure", "test", "correction", "null", "n_runs", "alpha"]
    assert found.columns == [*key, "sentence"]
    assert found["sentence"].to_list() == [
        (
            "By AP, equal means are rejected in 5.1 % of samples of 25 requests and 10.0 % of 50 "
            "(paired t-test, α = 0.05): more often than α with 50 requests. Differences are "
            "found in 50.0 % and 50.0 %; 0.2 % and 0.2 % of these have the wrong direction. "
            "There were 1,000 trials of each size, drawn from 3 pairs of runs and 60 requests."
        ),
        (
            "By AP, exchangeable runs differ significantly in 2.0 % of samples of 25 requests "
            "(Wilcoxon's signed-rank test, α = 0.05): less often than α. Differences are "
            "found in 50.0 %; 0.2 % of these have the wrong direction. There were 1,000 "
            "trials of each size, drawn from 3 pairs of runs and 60 requests."
        ),
    ]
    assert "α = 0.05): as often as α. Diff" in said(row(25, on))["sentence"][0]
    both = said(row(25, above), row(50, below))["sentence"][0]
    assert "more often than α with 25 requests; less often than α with 50 r" in both


def test_sentences_about_evaluations_of_several_runs():
    above, on = (0.8, 0.78, 0.82), (0.051, 0.04, 0.06)
    found = said(row(5, above, null="exchanged", runs=10), row(5, on, "sign", runs=10))
    assert found["sentence"].to_list() == [
        (
            "By AP, some of 10 runs with equal means differ significantly in 5.1 % of samples of 5 "
            "requests (sign test, Holm's correction over the 45 pairs, α = 0.05): as often as "
            "α. A difference between two of them is found in 50.0 %; 0.2 % of these have the "
            "wrong direction. There were 1,000 trials of each size, drawn from 3 pairs of "
            "runs and 60 requests."
        ),
        (
            "By AP, some of 10 exchangeable runs differ significantly in 80.0 % of samples of 5 "
            "requests (paired t-test, Holm's correction over the 45 pairs, α = 0.05): more often "
            "than α. A difference between two of them is found in 50.0 %; 0.2 % of these have the "
            "wrong direction. There were 1,000 trials of each size, drawn from 3 pairs of "
            "runs and 60 requests."
        ),
    ]


def test_sentences_where_nothing_differs_or_is_significant():
    on, none = (0.051, 0.04, 0.06), (None, None, None)
    text = said(row(25, on, power=none, wrong=none))["sentence"][0]
    assert "as α. No pair that was drawn differs in the mean. There were" in text
    text = said(row(25, on, power=none), row(50, on, wrong=none))["sentence"][0]
    assert "as α. Differences are found in 50.0 % of samples of 50 requests. There" in text


def test_a_sentence_for_each_group_and_level():
    kinds = pl.DataFrame({"query_id": [f"q{n}" for n in range(1, 41)], "kind": ["x", None] * 20})
    levels = [audited(S, requests=kinds, by="kind", trials=50, alpha=a) for a in (0.05, 0.1)]
    found = lf.verdict(pl.concat(levels))
    assert found["kind"].to_list() == [None, None, "x", "x"]
    starts = [text.partition(", equal means")[0] for text in found["sentence"]]
    assert starts == ["By mine for no kind"] * 2 + ["By mine for kind = x"] * 2
    assert ["α = 0.1)" in text for text in found["sentence"]] == [False, True] * 2
