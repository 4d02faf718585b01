"""Gates of several measures, any of which may pass, of several candidates, and by bets."""

import re
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.core.significance.bets import Bets
from lexiframe.core.significance.betting_on_means import p_above
from lexiframe.decide.gates.gate_in_words import gate_sentences
from lexiframe.decide.gates.gate_rules import Rule
from lexiframe.decide.gates.gate_tests import adjusted, doubt_of_t, fewest_ties
from lexiframe.decide.gates.shown_gates import gate_text
from tests.small_tables import preferences, scores

OLD = np.linspace(0.2, 0.8, 60)
TWO = {"baseline": "old", "candidate": "new"}


def around(mean, spread=0.05, n=60):
    drawn = np.random.default_rng(3).normal(size=n)
    return mean + spread * (drawn - drawn.mean()) / drawn.std(ddof=1)


def scores_of(runs, measure="AP"):
    return scores({"old": OLD, **{name: OLD + x for name, x in runs.items()}}, measure)


def test_any_measure_may_pass_with_holms_correction():
    s = pl.concat([
        scores_of({"new": around(mean)}, name)
        for name, mean in (("AP", 0.02), ("RR", -0.02), ("nDCG", 0.0))
    ])  # fmt: skip
    every = lf.gate(s, 0.03, **TWO, require="better")
    some = lf.gate(s, 0.03, **TWO, require=["better", "any"])
    assert some["require"].unique().to_list() == ["any better"]
    assert some["correction"].unique().to_list() == ["holm"]
    p = every["p_value"].to_list()
    assert some["p_value"].to_list() == p
    assert some["p_adjusted"][0] == pytest.approx(3 * min(p))
    assert some["outcome"].to_list()[0] == "pass"
    found = gate_sentences(some)
    assert found["outcome"].item() == "pass"
    assert "Holm's correction over the 3 rows" in found["sentence"].item()
    assert gate_sentences(every)["outcome"].item() != "pass"
    assert lf.gate(s, 0.03, **TWO, require="any")["require"].unique().to_list() == ["any not-worse"]
    assert lf.gate(s, 0.03, **TWO, require=["all"]).equals(lf.gate(s, 0.03, **TWO))


def test_several_candidates_share_the_level():
    """Holm over candidates, of which each has the largest p of its measures."""
    runs = {"a": around(0.0), "b": around(-0.012), "c": around(-0.025)}
    s = pl.concat([scores_of(runs, "AP"), scores_of({k: x / 2 for k, x in runs.items()}, "RR")])
    g = lf.gate(s, 0.03, baseline="old", candidate=["a", "b", "c"])
    assert g.select("measure", "candidate").rows() == [(m, c) for m in ("AP", "RR") for c in "abc"]
    assert g["correction"].unique().to_list() == ["holm"]
    alone = pl.concat([lf.gate(s, 0.03, baseline="old", candidate=one) for one in "abc"])
    largest = dict(alone.group_by("candidate").agg(pl.col("p_value").max()).rows())
    order = sorted(largest, key=largest.get)
    holm = np.maximum.accumulate([largest[c] * (3 - k) for k, c in enumerate(order)])
    of = dict(zip(order, np.minimum(holm, 1), strict=True))
    by_candidate = dict(g.group_by("candidate").agg(pl.col("p_adjusted").max()).rows())
    assert by_candidate == pytest.approx(of)
    said = gate_sentences(g)
    assert said["candidate"].to_list() == ["a", "b", "c"]
    assert "Holm's correction over the 3 candidates" in said["sentence"][0]
    assert {name: all(p < 0.05 for p in g.filter(candidate=name)["p_adjusted"]) for name in "abc"} \
        == dict(said.select("candidate", pl.col("outcome") == "pass").rows())  # fmt: skip
    text = gate_text(g)
    assert all(f"{name} " in text for name in "abc")


@pytest.mark.slow
def test_any_of_several_candidates_passes_wrongly_at_most_alpha_often():
    """All candidates are worse by the margin, in two measures each."""
    trials = 300
    drawn = np.random.default_rng(0).normal(-0.02, 0.1, (trials, 4, 80))
    wrong, rule = 0, Rule("not-worse", False)
    for x in drawn:
        d = preferences({(f"{c}", "old"): of for c, of in enumerate(x)})
        p = lf.equivalence(d, 0.02).select(candidate="run_a", p="p_not_worse_a")
        wrong += bool((adjusted(p, "p", "holm", rule) < 0.05).any())
    assert wrong <= 0.05 * trials + 3 * (0.05 * 0.95 * trials) ** 0.5


def test_bets_decide_where_differences_are_rare_or_discrete():
    x = np.zeros(200)
    x[:3] = -0.02
    s = scores({"old": np.full(200, 0.5), "new": 0.5 + x}, "AP")
    row = lf.gate(s, 0.05, **TWO).row(0, named=True)
    assert (row["test"], row["outcome"]) == ("betting", "pass")
    assert row["why"].endswith(
        "tested by betting, a sequential test, because 3 of 200 differences are not 0, and they "
        "have 2 values, where t may err more often than α."
    )
    assert (row["level"], row["order"], row["seed"], row["n_planned"]) == (0.05, "random", 0, None)
    by_t = lf.gate(s, 0.05, **TWO, test="t")
    assert "level" not in by_t.columns
    own = s.with_columns(measure=pl.lit("mine"))
    row = lf.gate(own, 0.05, **TWO, larger_is_better=["mine"]).row(0, named=True)
    assert row["test"] == "t"
    assert "needs the measure's bounds (bounds=)" in row["why"]
    named = lf.gate(own, 0.05, **TWO, larger_is_better=["mine"], bounds={"mine": (0, 1)})
    assert named["test"].item() == "betting"


def few_losses(n=60, losses=(-0.8, -0.5), noise=0.02):
    """Small differences, and a few requests that lose much."""
    return np.array([*losses, *np.random.default_rng(n).normal(0.01, noise, n - len(losses))])


def test_bets_decide_where_losses_are_rare_and_large():
    x = few_losses()
    s = scores({"old": np.full(60, 0.9), "new": 0.9 + x}, "AP")
    row = lf.gate(s, 0.05, **TWO).row(0, named=True)
    squares = [(value - sum(x) / 60) ** 2 for value in x]
    share = 100 * (squares[0] + squares[1]) / sum(squares)
    assert row["test"] == "betting"
    assert row["why"].endswith(
        "tested by betting, a sequential test, because large losses in at most 2 of 60 requests "
        f"have {share:.0f} % of the variance of the differences, where t may err more often than α."
    )
    assert doubt_of_t(x, -0.05)
    for other in (-x, few_losses(24), few_losses(losses=(-0.05, -0.05)), around(0)):
        assert not doubt_of_t(other, -0.05)


def test_a_candidate_that_is_worse_or_clearly_above_the_limit_is_tested_by_t():
    """Few losses make t pass too often, but only near the limit, and not fail."""
    x = few_losses()
    error = x.std() / 60**0.5  # of n, so that an end is hit but for a thousandth
    for far, is_doubted in ((-0.01, False), (0.01, True), (3.99, True), (4.01, False)):
        assert bool(doubt_of_t(x, x.mean() - far * error)) == is_doubted
    s = scores({"old": np.full(60, 0.9), "new": 0.9 + x}, "AP")
    tests = {margin: lf.gate(s, margin, **TWO)["test"].item() for margin in (0.05, 0.06, 0.2)}
    assert tests == {0.05: "betting", 0.06: "betting", 0.2: "t"}
    better = lf.gate(s, 0.2, **TWO, require="better")  # its mean is below 0
    assert better["test"].item() == "t"


@pytest.mark.slow
def test_the_gate_keeps_its_level_where_losses_are_rare_and_large():
    """Where as many requests as three times the bound over the margin show them; and its power."""
    trials, n, bets = 2000, 200, Bets(bound=1.0, level=0.05)

    def passes(x, limit):
        t = stats.ttest_1samp(x, limit, alternative="greater").pvalue < 0.05
        doubted = np.array([bool(doubt_of_t(one, limit)) for one in x.T])
        by_bets = p_above(x[:, doubted], np.full(doubted.sum(), limit), bets) < 0.05
        t[doubted] = by_bets
        return t.mean(), doubted.mean()

    rng = np.random.default_rng(1)
    for rate, loss in ((0.02, 0.8), (0.02, 0.5), (0.04, 0.5), (0.04, 0.8)):
        for noise in (0.01, 0.05):
            usual = rng.normal((rate * loss - 0.02) / (1 - rate), noise, (n, trials))
            x = np.where(rng.random((n, trials)) < rate, -loss, usual)
            assert passes(x, -0.02)[0] <= 0.06, (rate, loss, noise)
    for n in (25, 34, 50, 200):
        assert passes(rng.normal(0, 0.1, (n, trials)), -0.02)[1] < 0.02, n


@pytest.mark.parametrize(
    "require, n, said",
    [
        ("not-worse", 60, "a loss of up to 1 in one of 20 requests could have gone unseen in 60"),
        ("better", 60, "a loss of up to 1 in one of 20 requests could have gone unseen in 60"),
        (
            "equivalent",
            100,
            "a loss of up to 1 in one of 34 requests could have gone unseen in 100",
        ),
        ("not-worse", 150, ""),
    ],
)
def test_losses_that_could_have_gone_unseen_are_said(require, n, said):
    """Where three times the bound over n is more than the margin of 0.02."""
    mean = 0.01 if require == "better" else 0.0
    s = scores({"old": [0.5] * n, "new": [0.5 + x for x in around(mean, 0.01, n)]}, "AP")
    g = lf.gate(s, 0.02, **TWO, require=require)
    assert (g["outcome"].item(), g["test"].item()) == ("pass", "t")
    assert ("unseen" in g["why"].item()) == bool(said)
    assert said in g["why"].item()
    assert said in gate_sentences(g)["sentence"].item()
    if said:  # with a probability of about 5 %
        one_in = int(re.search(r"one of (\d+)", said)[1])
        assert (1 - 1 / one_in) ** n == pytest.approx(0.05, abs=0.01)


def test_each_measure_has_its_own_test_and_one_sentence():
    x = np.zeros(60)
    x[:3] = -0.02
    s = pl.concat([scores_of({"new": x}, "P@10"), scores_of({"new": around(0.01)}, "AP")])
    g = lf.gate(s, 0.1, **TWO)
    assert g["test"].to_list() == ["t", "betting"]
    said = gate_sentences(g)
    assert said.height == 1
    assert "paired t-test and sequential test by betting" in said["sentence"].item()


def test_an_undecided_gate_says_how_many_requests_bets_would_need():
    """n of a t-test, and those that it takes to pass where nothing differs."""
    s = scores({"old": np.full(40, 0.5), "new": np.full(40, 0.5)}, "AP")
    other = scores({"old": np.full(40, 0.5), "new": np.linspace(0, 1, 40)}, "RR")
    row = lf.gate(pl.concat([s, other]), {"AP": 0.02}, **TWO).row(0, named=True)
    assert (row["outcome"], row["required"]) == ("undecided", 172)
    assert [fewest_ties(d, Bets(bound=1.0, level=0.05)) for d in (0.01, 0.02, 0.05, 0.1)] == [
        346, 172, 68, 33,
    ]  # fmt: skip


@pytest.mark.slow
def test_looking_at_any_time_needs_bets_and_a_plan():
    rng = np.random.default_rng(5)
    x = np.clip(rng.normal(0.0, 0.1, 400), -1, 1)
    d = preferences({("new", "old"): x}, "AP")
    how = {"order": "given", "n_planned": 400}
    p = [lf.gate(d.head(n), 0.1, **TWO, **how)["p_value"].item() for n in range(50, 401, 50)]
    assert all(later <= before for before, later in pairwise(p))
    row = lf.gate(d, 0.1, **TWO, **how).row(0, named=True)
    assert (row["test"], row["order"], row["seed"], row["n_planned"]) == (
        "betting",
        "given",
        None,
        400,
    )
    with pytest.raises(lf.LexiframeError, match="expected test='betting' with order='given'"):
        lf.gate(d, 0.1, **TWO, **how, test="t")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"candidate": []}, "expected a candidate, found none"),
        ({"candidate": ["new", "old"]}, "baseline and candidate are both called 'old'"),
        (
            {"candidate": "new", "require": ["better", "equivalent"]},
            "expected require to be one of",
        ),
        ({"candidate": "new", "require": "most"}, "expected require to be one of"),
    ],
)
def test_errors(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.gate(scores_of({"new": around(0)}), 0.1, baseline="old", **options)


def poor_row(test=None, n=60, spread=0.1, margin=0.02, **options):
    s = scores({"old": [0.5] * n, "new": [0.5 + x for x in around(-0.005, spread, n)]}, "AP")
    return lf.gate(s, margin, **TWO, test=test, **options).row(0, named=True)


@pytest.mark.slow
@pytest.mark.parametrize("require", ["not-worse", "equivalent"])
@pytest.mark.parametrize("test", ["t", "bootstrap", "betting"])
def test_a_poor_gate_says_how_rarely_it_passes_what_is_unchanged(test, require):
    """About what its curve says, which draws the requests again and again."""
    row = poor_row(test, require=require)
    said = re.search(r"vary as much, would pass in (less than 1|about \d+) % of", row["why"])
    rate = int(said[1].split()[-1]) / 100
    s = scores({"old": [0.5] * 60, "new": [0.5 + x for x in around(-0.005, 0.1, 60)]}, "AP")
    asked = {"sizes": 60, "require": require, "trials": 400, "inner_trials": 400}
    curve = lf.significance.gate_curve(s, 0.02, **TWO, test=test, **asked)
    assert rate == pytest.approx(curve.filter(case="unchanged")["pass_rate"].item(), abs=0.07)


def test_a_gate_of_few_requests_is_not_called_poor_where_it_is_not():
    row = poor_row("t", spread=0.05)
    assert row["outcome"] == "pass"
    assert "unchanged" not in poor_row("t", require="better")["why"]
    assert poor_row("t", spread=0.3)["why"].endswith("as observed.")
