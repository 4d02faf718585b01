"""Weights of recall levels are recovered from simulated judges; the likelihood by loops."""

from math import exp, log, log2

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from lexiframe.theory import fit_users

WEIGHTS = {
    "uniform": lambda i: 1,
    "dcg": lambda i: 1 / log2(i + 1),
    "inverse": lambda i: 1 / i,
}


def random_positions(requests, m, runs=4, n=60, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(requests):
        for run in range(runs):
            ranks = np.sort(rng.choice(n, m, replace=False)) + 1
            rows += [
                (f"r{run}", f"q{query:04}", str(i), 1.0, int(r), i + 1, m, n)
                for i, r in enumerate(ranks)
            ]
    names = "run query_id doc_id relevance position level n_relevant n_retrieved".split()
    return pl.DataFrame(rows, names, orient="row")


def judged(p, users, scale, seed=1):
    """A label of each pair, drawn with the probability that the users give it."""
    d = lf.preferences(p, users)
    draw = np.random.default_rng(seed).random(d.height)
    first = draw < 1 / (1 + np.exp(-scale * d["preference"].to_numpy()))
    return d.with_columns(preference=pl.Series(np.where(first, 1.0, -1.0)))


def log_likelihood(p, labels, weight, scale, levels):
    ranks = {}
    for run, query, level, rank in p.select("run", "query_id", "level", "position").rows():
        ranks.setdefault((query, run), {})[level] = rank
    total = 0.0
    for query, a, b, preference in labels.select("query_id", "run_a", "run_b", "preference").rows():
        x, y = ranks[query, a], ranks[query, b]
        w = {i: weight(min(i, levels)) for i in x}
        delta = sum(w[i] * ((y[i] > x[i]) - (y[i] < x[i])) for i in x) / sum(w.values())
        total += -log(1 + exp(-scale * delta * preference))
    return total


@pytest.mark.parametrize("kind", WEIGHTS)
def test_known_weights_have_the_likelihood_of_loops_and_its_maximum(kind):
    p = random_positions(40, 5)
    labels = judged(p, lf.dcgRPP, 3)
    row = fit_users(p, labels, kind, levels=4).row(0, named=True)
    at = [log_likelihood(p, labels, WEIGHTS[kind], row["scale"] + e, 4) for e in (-0.01, 0, 0.01)]
    assert row["log_likelihood"] == pytest.approx(at[1], abs=1e-8)
    assert at[1] > max(at[0], at[2])
    assert row["aic"] == pytest.approx(2 - 2 * at[1])
    assert row["n"] == labels.height
    assert (row["ci_low"], row["ci_high"]) == (None, None)
    assert row["scale_low"] < row["scale"] < row["scale_high"]


def test_free_weights_have_the_likelihood_of_loops():
    p = random_positions(60, 6)
    labels = judged(p, lf.invRPP, 4)
    found = fit_users(p, labels, "free", levels=4, smoothness=0)
    weights = dict(found.select("level", "weight").rows())
    row = found.row(0, named=True)

    def at(changed=0, factor=1.0):
        w = weights | ({changed: weights[changed] * factor} if changed else {})
        return log_likelihood(p, labels, w.__getitem__, row["scale"], 4)

    assert row["log_likelihood"] == pytest.approx(at(), abs=1e-8)
    assert all(at() > at(level, factor) for level in weights for factor in (0.95, 1.05))
    assert sum(weights.values()) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_users_that_made_the_labels_are_found(kind):
    """Among the known ones by likelihood; and free weights within their intervals."""
    p = random_positions(700, 6)
    users = {"uniform": lf.RPP, "dcg": lf.dcgRPP, "inverse": lf.invRPP}[kind]
    found = fit_users(p, judged(p, users, 4), levels=6, smoothness=0.1)
    known = found.filter(pl.col("users") != "free")
    assert known.sort("log_likelihood")["users"].last() == kind
    truth = np.array([WEIGHTS[kind](i) for i in range(1, 7)])
    truth = truth / truth.sum()
    free = found.filter(users="free")
    inside = (free["ci_low"].to_numpy() < truth) & (truth < free["ci_high"].to_numpy())
    assert inside.sum() >= 5
    assert np.abs(free["weight"].to_numpy() - truth).max() < 0.05
    row = known.filter(users=kind).row(0, named=True)
    assert row["scale_low"] < 4 < row["scale_high"]


@pytest.mark.slow
def test_intervals_hold_what_they_promise():
    truth = 1 / np.log2(np.arange(1, 5) + 1)
    truth = truth / truth.sum()
    inside = []
    for seed in range(60):
        p = random_positions(150, 4, seed=seed)
        free = fit_users(p, judged(p, lf.dcgRPP, 4, seed), "free", levels=4, smoothness=0)
        inside.append(free["ci_low"].to_numpy() < truth)
        inside[-1] &= truth < free["ci_high"].to_numpy()
    assert 0.9 < np.mean(inside) < 0.985


def test_smoothness_makes_neighbours_alike():
    p = random_positions(60, 6)
    labels = judged(p, lf.invRPP, 4)

    def bends(smoothness):
        found = fit_users(p, labels, "free", levels=6, smoothness=smoothness)
        return np.abs(np.diff(np.log(found["weight"].to_numpy()), 2)).max()

    assert bends(1000) < 0.01 < bends(0)


def test_what_is_refused():
    p = random_positions(20, 3)
    labels = judged(p, lf.RPP, 2)
    other = labels.with_columns(run_a=pl.lit("x"))
    for wrong, message in (
        (other, "labels of what the positions have, found run_a 'x'"),
        (labels.drop("preference"), "labels lack the columns preference"),
        (pl.concat([labels, labels.with_columns(measure=pl.lit("b"))]), "labels of one measure"),
        (labels.head(0), "labels of rankings that differ, found none"),
    ):
        with pytest.raises(lf.LexiframeError, match=message):
            fit_users(p, wrong)
    with pytest.raises(lf.LexiframeError, match="at most 100 levels, smoothness from 0 to"):
        fit_users(p, labels, smoothness=-1.0)
    with pytest.raises(lf.LexiframeError, match="at least one kind of users, found none"):
        fit_users(p, labels, ())
    certain = lf.preferences(p, lf.LevelPreference("first", weight=lambda i, m: i == 1))
    with pytest.raises(lf.LexiframeError, match="has no maximum"):
        fit_users(p, certain, "free", smoothness=0.0)


@pytest.mark.parametrize("alpha", [0.05, 0.4])
def test_the_interval_of_the_scale_takes_labels_of_a_request_together(alpha):
    """The variance by numerical derivatives of the likelihood of each request, as a loop."""
    p, step = random_positions(12, 4, runs=3), 1e-3
    labels = judged(p, lf.dcgRPP, 3)
    row = fit_users(p, labels, "uniform", levels=4, alpha=alpha).row(0, named=True)
    low, here, high = (
        [
            log_likelihood(p, part, WEIGHTS["uniform"], row["scale"] + e, 4)
            for part in labels.partition_by("query_id")
        ]
        for e in (-step, 0, step)
    )
    slopes = [(b - a) / (2 * step) for a, b in zip(low, high, strict=True)]
    bend = (sum(high) - 2 * sum(here) + sum(low)) / step**2
    variance = sum(s**2 for s in slopes) * 12 / 11 / bend**2
    half = stats.norm.ppf(1 - alpha / 2) * variance**0.5
    assert row["scale_high"] - row["scale"] == pytest.approx(half, rel=1e-4)
    assert row["scale"] - row["scale_low"] == pytest.approx(half, rel=1e-4)
