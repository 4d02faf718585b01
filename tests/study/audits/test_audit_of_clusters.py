"""`audit` with clusters: trials draw whole clusters, and t and the bootstrap are those of them."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats

import lexiframe as lf

RNG = np.random.default_rng(5)
SIZES = RNG.integers(2, 7, 40)
USERS = np.repeat(np.arange(40), SIZES)
X = RNG.normal(0, 0.1, 40)[USERS] + RNG.normal(0, 0.05, len(USERS))
QUERIES = [f"q{n:03d}" for n in range(len(X))]
D = pl.DataFrame(
    {"query_id": QUERIES, "run_a": "a", "run_b": "b", "measure": "mine", "preference": X}
)
REQUESTS = pl.DataFrame({"query_id": QUERIES, "user": [f"u{n:02d}" for n in USERS]})
BY_USER = {"cluster": "user", "requests": REQUESTS}


def drawn(size, trials, seed):
    """What `audit` draws of one pair of runs, trial by trial: differences and clusters."""
    for block, start in enumerate(range(0, trials, 500)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size, block)))
        rng.integers(2**32)
        number = min(500, trials - start)
        rng.integers(0, 1, number)
        picked = rng.integers(0, 40, (size, number))
        for column in picked.T:
            x = np.concatenate([X[user == USERS] for user in column])
            yield x, np.repeat(np.arange(size), SIZES[column])


def p_by_statsmodels(x, groups):
    fit = sm.OLS(x, np.ones(len(x))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True}, use_t=True
    )
    return fit.pvalues[0]


@pytest.mark.slow
def test_t_is_that_of_statsmodels_in_each_trial():
    a = lf.audit(D, "t", 12, trials=520, seed=3, **BY_USER).row(0, named=True)
    assert (a["test"], a["n_requests"], a["n"]) == ("t(cluster='user')", 12, len(X))
    trials = [*drawn(12, 520, 3)]
    errors = sum(p_by_statsmodels(x - X.mean(), groups) < 0.05 for x, groups in trials)
    found = sum(p_by_statsmodels(x, groups) < 0.05 for x, groups in trials)
    assert a["error_rate"] == pytest.approx(errors / 520)
    assert a["power"] == pytest.approx(found / 520)


@pytest.mark.slow
def test_tests_by_clusters_keep_alpha_and_t_over_requests_does_not():
    a = lf.audit(D, ["t", "bootstrap"], 25, trials=2000, inner_trials=199, **BY_USER)
    assert ((a["error_low"] <= 0.05 + 0.01) & (a["error_high"] >= 0.05 - 0.015)).all()
    over_requests = [
        stats.ttest_1samp(x - X.mean(), 0).pvalue < 0.05 for x, _ in drawn(25, 1000, 0)
    ]
    assert np.mean(over_requests) > 0.15


def test_exchanged_runs_of_whole_clusters():
    a = lf.audit(D, "t", 12, null="exchanged", trials=500, **BY_USER).row(0, named=True)
    errors, rng = 0, np.random.default_rng(np.random.SeedSequence(0, spawn_key=(12, 0)))
    rng.integers(2**32)
    rng.integers(0, 1, 500)
    rng.integers(0, 40, (12, 500))
    signs = 1.0 - 2.0 * rng.integers(0, 2, (12, 500))
    for (x, groups), swapped in zip(drawn(12, 500, 0), signs.T, strict=True):
        errors += p_by_statsmodels(x * swapped[groups], groups) < 0.05
    assert a["error_rate"] == pytest.approx(errors / 500)


def test_clusters_beside_groups_and_gaps():
    kinds = REQUESTS.with_columns(kind=pl.Series(["x", "y"])[USERS % 2])
    both = lf.audit(D, "t", 10, trials=50, requests=kinds, cluster="user", by="kind")
    assert both["kind"].to_list() == ["x", "y"]
    few = pl.concat([D, D.head(30).with_columns(run_a=pl.lit("c"))])
    assert lf.audit(few, "t", 10, trials=50, **BY_USER)["n_pairs"].item() == 2


def test_other_tests_and_unknown_clusters_are_refused():
    with pytest.raises(lf.LexiframeError, match="audit: expected test to be 't' or 'bootstrap' wi"):
        lf.audit(D, ["t", "sign"], 10, **BY_USER)
    with pytest.raises(lf.LexiframeError, match="audit: expected the user of each request"):
        lf.audit(D, "t", 10, cluster="user", requests=REQUESTS.with_columns(
            user=pl.when(pl.col("query_id") > "q000").then("user")))  # fmt: skip
