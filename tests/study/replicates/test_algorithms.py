"""Comparing algorithms over seeds: against independent loops, and error rates by simulation."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import lexiframe as lf
from tests.conftest import SHARED


def wanted(name="replicates_worked"):
    path = SHARED / "conformance" / "decisions" / f"{name}.json"
    return json.loads(path.read_text())


def scores(runs, measure="AP"):
    """Scores of {run: requests × seeds}."""
    rows = [
        (run, f"q{q:03d}", f"s{k}", measure, float(value))
        for run, x in runs.items()
        for q, of_seeds in enumerate(np.asarray(x))
        for k, value in enumerate(of_seeds)
    ]
    columns = ["run", "query_id", "replicate", "measure", "value"]
    return pl.DataFrame(rows, columns, orient="row")


def check(c, of):
    row = c.row(0, named=True)
    assert row["mean_difference"] == pytest.approx(of["mean"], abs=1e-9)
    assert row["statistic"] == pytest.approx(of["t"], abs=1e-9)
    assert row["p_value"] == pytest.approx(of["p"], abs=1e-9)
    half = stats.t.ppf(0.975, of["df"]) * of["se"]
    assert row["ci_high"] == pytest.approx(of["mean"] + half, abs=1e-8)


@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore:compare. with two replicates")
def test_unrelated_seeds():
    of = wanted()["indep"]
    c = lf.compare(scores({"a": of["A"], "b": of["B"]}), "t", "none", replicates="run")
    assert c["test"].item() == "t(replicates='run')"
    check(c, of["out"])


@pytest.mark.conformance
@pytest.mark.parametrize("name", ["two_way", "two_way_seeds"])
def test_paired_seeds(name):
    of = wanted()[name]
    d = np.array(of["d"])
    s = scores({"a": d + 0.5, "b": np.full(d.shape, 0.5)})
    check(lf.compare(s, "t", "none", replicates="run", seeds="paired"), of["out"])
    both = lf.compare(s, "t", "none", replicates="both")
    assert both["p_value"].item() == pytest.approx(of["out"]["p"], abs=1e-9)
    naive = lf.compare(s, "t", "none", replicates="cell").row(0, named=True)
    assert naive["p_value"] == pytest.approx(of["naive"]["p"], abs=1e-9)
    assert naive["test"] == "t"


@pytest.mark.conformance
def test_a_pair_of_a_real_leaderboard():
    of = wanted("replicates")["pair"]
    path = SHARED / "data" / "mteb_eng_v2" / "experiments.parquet"
    names = {"model": "run", "task": "query_id", "experiment": "replicate", "score": "value"}
    s = pl.read_parquet(path).rename(names).filter(pl.col("run").is_in([of["a"], of["b"]]))
    s = s.with_columns(measure=pl.lit("main score"), smaller_is_better=False)
    sign = 1 if of["a"] < of["b"] else -1
    for how, name in (
        ({"replicates": "request"}, "naive"),
        ({"replicates": "run", "seeds": "paired"}, "two_way"),
        ({"replicates": "run"}, "two_indep"),
    ):
        row = lf.compare(s, "t", "none", **how).row(0, named=True)
        assert sign * row["mean_difference"] == pytest.approx(of[name]["mean"], abs=1e-9)
        assert row["p_value"] == pytest.approx(of[name]["p"], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_error_rates_where_seeds_vary(share):
    """The variance of seeds as a share of that of a difference over requests; equal algorithms."""
    rng, trials, n, seeds = np.random.default_rng(int(4 * share)), 200, 40, 3
    by_run = by_request = 0
    for _ in range(trials // 40):
        parts = []
        for m in range(40):
            request = rng.normal(size=(n, 1))
            runs = {
                run: request
                + rng.normal(size=(n, 1)) / 2**0.5
                + rng.normal(0, (share * seeds / n) ** 0.5, (1, seeds))
                + rng.normal(size=(n, seeds)) / 10
                for run in "ab"
            }
            parts.append(scores(runs, f"m{m}"))
        s = pl.concat(parts).with_columns(smaller_is_better=False)
        by_run += lf.compare(s, "t", "none", replicates="run")["reject"].sum()
        by_request += lf.compare(s, "t", "none", replicates="cell")["reject"].sum()
    assert by_run / trials <= 0.05 + 3.5 * (0.05 * 0.95 / trials) ** 0.5
    if share >= 1:
        assert by_request / trials > 0.1


def of_seeds(n_runs, rng, spread=1.0):
    """Scores of equal runs in 20 requests with two seeds, by whose choice they vary."""
    q, k = rng.normal(size=(20, 1)), rng.normal(0, spread, (n_runs, 1, 2))
    return q + rng.normal(size=(n_runs, 20, 1)) + k + rng.normal(0, 0.5, (n_runs, 20, 2))


@pytest.mark.filterwarnings("ignore:compare. with two replicates")
@pytest.mark.parametrize("seeds", ["unrelated", "paired"])
@pytest.mark.parametrize("baseline", [None, "b"])
def test_two_seeds_of_several_runs_have_one_variance(seeds, baseline):
    """In loops: mean squares of all runs (or, paired, of all pairs of runs) are averaged."""
    x = dict(zip("abcd", of_seeds(4, np.random.default_rng(6)), strict=True))
    c = lf.compare(scores(x), "t", "none", replicates="run", seeds=seeds, baseline=baseline)

    def squares(d):
        by_seed = d.mean(axis=0)
        rest = d - by_seed - d.mean(axis=1)[:, None] + d.mean()
        return 20 * by_seed.var(ddof=1) / 40, (rest**2).sum() / 19 / 40

    pairs = [(a, b) for a in "abcd" for b in "abcd" if a < b]
    every = x.values() if seeds == "unrelated" else [x[a] - x[b] for a, b in pairs]
    k, e = (
        np.mean(of) * (1 + (seeds == "unrelated")) for of in np.transpose([*map(squares, every)])
    )
    runs = 4 if seeds == "unrelated" else 3
    for row in c.iter_rows(named=True):
        d = x[row["run_a"]] - x[row["run_b"]]
        q = d.mean(axis=1).var(ddof=1) / 20
        variance, df = q + k - e, (q + k - e) ** 2 / (q**2 / 19 + k**2 / runs + e**2 / runs / 19)
        if variance < max(q, k):
            variance, df = max((q, 19), (k, runs))
        t = d.mean() / variance**0.5
        assert row["statistic"] == pytest.approx(t, abs=1e-9)
        assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), df), abs=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:compare. with two replicates")
@pytest.mark.parametrize("seeds", ["unrelated", "paired"])
@pytest.mark.parametrize("n_runs", [3, 10])
def test_any_error_with_two_seeds_and_many_runs(n_runs, seeds):
    """150 evaluations by Holm; each pair with its own variance of two seeds errs in .08 to .24."""
    rng, trials = np.random.default_rng(5), 150
    s = pl.concat(
        scores(dict(zip("abcdefghij", of_seeds(n_runs, rng), strict=False)), f"m{m}")
        for m in range(trials)
    ).with_columns(smaller_is_better=False)
    c = lf.compare(s, "t", replicates="run", seeds=seeds)
    wrong = c.filter("reject")["measure"].n_unique() / trials
    assert wrong <= 0.05 + 2.6 * (0.05 * 0.95 / trials) ** 0.5


def test_several_runs_a_baseline_and_the_direction():
    rng = np.random.default_rng(0)
    runs = {name: rng.random((8, 3)) for name in "abc"}
    s = scores(runs)
    c = lf.compare(s, replicates="run")
    assert c.select("run_a", "run_b").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    assert c["effect_size"].null_count() == 3
    of_b = lf.compare(s, replicates="run", baseline="b")
    assert of_b.select("run_a", "run_b").rows() == [("a", "b"), ("c", "b")]
    assert of_b["mean_difference"][1] == pytest.approx(-c["mean_difference"][2])
    smaller = lf.compare(s.with_columns(smaller_is_better=True), replicates="run")
    assert smaller["mean_difference"].to_list() == [-x for x in c["mean_difference"]]


S = scores({"a": np.random.default_rng(1).random((4, 3)), "b": np.zeros((4, 3))})
WRONG = [
    (S, {}, "the table has replicates, and what they are is unspecified"),
    (S, {"test": "sign", "replicates": "run"}, "expected test='t' with .*, found sign"),
    (S, {"replicates": "run", "seeds": "same"}, "expected seeds to be"),
    (S[1:], {"replicates": "run"}, "expected each replicate of a in all 4 requests"),
    (S.filter(replicate="s0"), {"replicates": "run"}, "of a, found one; how much it would vary"),
    (S.filter(query_id="q000"), {"replicates": "run"}, "expected two or more requests of AP"),
    (S.filter(~((pl.col("run") == "a") & (pl.col("replicate") == "s0"))),
     {"replicates": "run", "seeds": "paired"}, "expected the same replicates of all runs"),
    (S, {"replicates": "run", "baseline": "c"}, "unknown run 'c'"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:compare. with two replicates")
@pytest.mark.parametrize("s, options, message", WRONG)
def test_errors(s, options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.compare(s, **options)
