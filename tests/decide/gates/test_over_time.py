"""Gates that are looked at again and again, their curves, and gates of algorithms over seeds."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.decide.gates.curve_in_words import curve_sentence, curve_table
from tests.study.replicates.test_algorithms import scores as seeded

so_far, curve = lf.significance.gate_so_far, lf.significance.gate_curve
TWO = {"baseline": "old", "candidate": "new"}
RNG = np.random.default_rng(3)
X = RNG.choice([-0.2, 0.0, 0.0, 0.0, 0.25], 300)


def preferences(x, first=0):
    queries = [f"q{n:04d}" for n in range(first, first + len(x))]
    return pl.DataFrame({"query_id": queries, "run_a": "new", "run_b": "old", "measure": "AP",
                         "preference": [float(value) for value in x]})  # fmt: skip


def by_another(x, measure):
    d = preferences(x)
    return pl.concat([d, d.with_columns(measure=pl.lit(measure))])


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state.json"


def test_a_job_goes_on_where_it_was_and_stops_when_decided(state):
    how = {"state": state, "n_planned": 300, **TWO}
    tables = [so_far(preferences(X[:n]), 0.1, **how) for n in (20, 60, 60, 150, 300)]
    assert tables[0]["outcome"].item() == "undecided"
    assert tables[1].equals(tables[2])
    decided = [table for table in tables if table["outcome"].item() != "undecided"]
    assert decided[0]["outcome"].item() == "pass"
    kept = json.loads(state.read_text())
    assert kept["decided_at"] == decided[0]["n"].item() == decided[-1]["n"].item()
    assert kept["differences"]["AP"] == [X[int(name[1:])] for name in kept["requests"]]
    whole = lf.gate(preferences(X), 0.1, **TWO, order=kept["requests"], n_planned=300)
    assert decided[0]["outcome"].item() == whole["outcome"].item()


def test_requests_come_in_the_order_of_their_looks(state):
    """New ones of one look are in an order drawn by the seed, behind those that were seen."""
    late, early = preferences(X[:30], first=100), preferences(X[30:60])
    so_far(late, 0.1, state=state, n_planned=90, seed=4, **TWO)
    table = so_far(pl.concat([early, late]), 0.1, state=state, n_planned=90, seed=4, **TWO)
    drawn = [np.random.default_rng([4, before]).permutation(30) for before in (0, 30)]
    ids = zip((late, early), drawn, strict=True)
    order = [name for look, places in ids for name in look["query_id"].gather(places)]
    assert json.loads(state.read_text())["requests"] == order
    same = lf.gate(pl.concat([early, late]), 0.1, **TWO, order=order, n_planned=90)
    assert table.drop("seed").equals(same.drop("seed"))
    assert table["seed"].to_list() == [4]
    with pytest.raises(lf.LexiframeError, match="with seed = 4, found 5; ask the same"):
        so_far(late, 0.1, state=state, n_planned=90, seed=5, **TWO)
    with pytest.raises(lf.LexiframeError, match="gate_so_far: expected seed to be a whole number"):
        so_far(late, 0.1, state=state.with_name("other"), n_planned=90, seed=-1, **TWO)


def topics(seed=0):
    """Three topics of 60 requests, a large gain first; the mean is worse than −0.02."""
    noise = np.random.default_rng(seed).normal(0, 0.02, 180)
    return np.repeat([0.3, -0.04, -0.338], 60) + noise


@pytest.mark.slow
def test_topics_in_the_order_of_their_ids_do_not_let_a_worse_candidate_pass(tmp_path):
    """In the order of ids all of them pass; a share of them that is more than alpha does not."""
    how = {"n_planned": 180, **TWO}
    found = [
        so_far(preferences(topics(n)), 0.02, state=tmp_path / str(n), **how, seed=n)
        for n in range(12)
    ]
    assert all(topics(n).mean() < -0.02 for n in range(12))
    outcomes = [table["outcome"].item() for table in found]
    assert outcomes.count("pass") <= stats.binom.isf(1e-3, 12, 0.05)
    assert all((table["ci_low"] < table["ci_high"]).all() for table in found)


def test_requests_that_are_in_no_random_order_are_refused():
    """There the ends of an interval were the wrong way round, and the candidate passed."""
    d, how = preferences(topics()), {**TWO, "n_planned": 180}
    message = "betting: expected requests in random order, found that no mean fits the first 180"
    with pytest.raises(lf.LexiframeError, match=message):
        lf.gate(d, 0.02, **how, order="given")
    with pytest.raises(lf.LexiframeError, match="expected requests in random order, found that no"):
        lf.significance.confidence_sequence(d, **how)


def test_an_evaluation_does_not_tell_in_which_order_the_requests_came():
    runs = {name: {f"q{n}": {"a": 1, "b": n % k} for n in range(9)}
            for name, k in (("old", 2), ("new", 3))}  # fmt: skip
    e = lf.evaluate(runs, {f"q{n}": {"b": 1} for n in range(9)}, "RR")
    with pytest.raises(lf.LexiframeError, match=r"sorted by their ids; give the ids in their ord"):
        lf.gate(e, 0.1, **TWO, order="given", n_planned=9)
    order = [f"q{n}" for n in range(9)]
    assert lf.gate(e, 0.1, **TWO, order=order, n_planned=9)["n"].item() == 9


def test_what_changed_is_refused(state):
    how = {"state": state, "n_planned": 300, **TWO}
    so_far(preferences(X[:50]), 0.02, **how)
    before = state.read_text()
    changed = preferences(X[:60]).with_columns(
        preference=pl.when(query_id="q0003").then(0.5).otherwise("preference")
    )
    for d, options, message in (
        (preferences(X[1:60], first=1), {}, r"found 1 \('q0000'\) missing; give them too"),
        (changed, {}, r"found others in 1 \('q0003'\)"),
        (preferences(X[:60]), {"n_planned": 400}, "with n_planned = 300, found 400"),
        (preferences(X[:60]), {"alpha": 0.1}, "with alpha = 0.05, found 0.1"),
        (preferences(X[:60]), {"test": "t"}, "gate_so_far: expected no test"),
        (
            preferences(X[:60]),
            {"candidate": "x"},
            "the gate that was begun, with candidate = 'new', found 'x'; ask the same",
        ),
        (preferences(X[:60]), {"require": "better"}, "with require = 'not-worse', found 'better'"),
        (by_another(X[:60], "RR"), {}, r"that was begun, by AP, found AP, RR; give the same"),
    ):
        with pytest.raises(lf.LexiframeError, match=message):
            so_far(d, 0.02, **{**how, **options})
    assert state.read_text() == before
    assert [*state.parent.iterdir()] == [state]
    assert so_far(preferences(X[:60]), 0.02, alpha=0.05, **how).height == 1  # which is the usual


def test_scores_are_taken_too(state):
    old = np.full(200, 0.5)
    s = pl.concat([
        pl.DataFrame({"run": run, "query_id": [f"q{n:04d}" for n in range(200)], "measure": "AP",
                      "value": old + more})
        for run, more in (("old", 0.0), ("new", X[:200]))
    ])  # fmt: skip
    table = so_far(s, "10%", state=state, n_planned=200, **TWO)
    assert table["margin"].item() == pytest.approx(0.05)
    assert table["test"].item() == "betting"


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "betting"])
def test_a_curve_counts_what_the_gate_does(test):
    d = preferences(X)
    c = curve(d, 0.05, **TWO, test=test, sizes=[50, 400], trials=300)
    assert c["case"].unique(maintain_order=True).to_list()[0] == "better by the margin"
    assert c.height == 10
    rates = {
        (case, n): rate for case, n, rate in c.select("case", "n_requests", "pass_rate").rows()
    }
    assert rates["worse by the margin", 400] <= 0.1
    assert rates["unchanged", 400] > rates["unchanged", 50]
    assert rates["worse by twice the margin", 400] == 0
    assert ((c["disagree"] >= 0) & (c["disagree"] <= 1)).all()
    again = curve(d, 0.05, **TWO, test=test, sizes=[50, 400], trials=300)
    assert c.equals(again)
    wide = curve_table(c)
    assert wide.columns == ["measure", "case", "n = 50", "n = 400"]
    assert curve_sentence(c, 0.05).startswith("AP: ")


def test_the_trials_are_those_of_a_plain_loop():
    d = preferences(X)
    c = curve(d, 0.05, **TWO, test="t", sizes=40, trials=200)
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(40, 0, 0)))
    drawn = X[rng.integers(0, 300, (40, 200))] - X.mean()
    passed = [stats.ttest_1samp(x, -0.05, alternative="greater").pvalue < 0.05 for x in drawn.T]
    assert c.filter(case="unchanged")["pass_rate"].item() == np.mean(passed)


def test_a_poor_gate_says_so():
    rare = np.full(1000, 0.02)
    rare[:39] = -1.0
    c = curve(preferences(rare), 0.02, **TWO, test="t", sizes=[200], trials=1000)
    assert "more than α = 0.05: take test='betting', or more requests" in curve_sentence(c, 0.05)
    c = curve(preferences(X), 0.001, **TWO, test="t", sizes=[50], trials=100)
    assert "the gate has little power: with 50 requests" in curve_sentence(c, 0.05)


def test_a_gate_of_algorithms():
    rng = np.random.default_rng(0)
    runs = {name: rng.random((30, 1)) / 9 + rng.random((30, 4)) / 9 for name in ("old", "new")}
    s = seeded(runs)
    e = lf.equivalence(s, 0.05, replicates="run", baseline="old").row(0, named=True)
    g = lf.gate(s, 0.05, **TWO, replicates="run").row(0, named=True)
    assert e["test"] == g["test"] == "t(replicates='run')"
    assert (g["p_value"], g["ci_low"]) == (e["p_not_worse_a"], e["ci_low"])
    c = lf.compare(s, "t", "none", replicates="run", baseline="old").row(0, named=True)
    assert e["p_better"] == pytest.approx(c["p_value"])
    means = s.group_by("run", "query_id", "measure").agg(pl.col("value").mean())
    of_means = lf.gate(means.sort("run", "query_id"), 0.05, **TWO, test="t")
    cells = lf.gate(s, 0.05, **TWO, replicates="cell", test="t")
    assert cells["p_value"].item() == pytest.approx(of_means["p_value"].item())
    with pytest.raises(lf.LexiframeError, match="the table has replicates, and what they are is"):
        lf.gate(s, 0.05, **TWO)
