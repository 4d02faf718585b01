"""Requests that hang together: against statsmodels, and whether the tests keep their level."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from scipy import stats

import lexiframe as lf

RNG = np.random.default_rng(0)
USERS = np.repeat(np.arange(12), [3, 7, 5, 4, 6, 5, 2, 8, 5, 5, 4, 6])
X = RNG.normal(size=12)[USERS] + RNG.normal(size=60) / 2


def preferences(x, measure="mine"):
    queries = [f"q{n:03d}" for n in range(len(x))]
    return pl.DataFrame(
        {"query_id": queries, "run_a": "a", "run_b": "b", "measure": measure, "preference": x}
    )


def requests(users):
    queries = [f"q{n:03d}" for n in range(len(users))]
    return pl.DataFrame({"query_id": queries, "user": [f"u{user}" for user in users]})


D, BY_USER = preferences(X), {"cluster": "user", "requests": requests(USERS)}


def statsmodels_says(x, users):
    """Its error has (n − 1) / (n − k) as well, which is 1 for a mean."""
    cov = {"groups": users, "use_correction": True}
    return sm.OLS(x, np.ones(len(x))).fit(cov_type="cluster", cov_kwds=cov, use_t=True)


def test_t_is_that_of_statsmodels():
    c = lf.compare(D, "t", "none", **BY_USER).row(0, named=True)
    of = statsmodels_says(X, USERS)
    assert c["test"] == "t(clusters=12)"
    assert c["statistic"] == pytest.approx(of.tvalues[0])
    assert c["p_value"] == pytest.approx(of.pvalues[0])
    assert (c["ci_low"], c["ci_high"]) == pytest.approx(tuple(of.conf_int()[0]))
    assert c["effect_size"] == pytest.approx(X.mean() / X.std(ddof=1))
    e = lf.equivalence(D, 0.3, "t", "none", **BY_USER).row(0, named=True)
    error = of.bse[0]
    assert e["p_not_worse_a"] == pytest.approx(stats.t.sf((X.mean() + 0.3) / error, 11))
    assert e["ci_low"] == pytest.approx(X.mean() - stats.t.ppf(0.95, 11) * error)
    g = lf.gate(D, 0.3, baseline="b", candidate="a", **BY_USER).row(0, named=True)
    assert (g["p_value"], g["ci_low"]) == (e["p_not_worse_a"], e["ci_low"])


def test_clusters_of_one_request_change_nothing():
    alone = {"cluster": "user", "requests": requests(range(60))}
    clustered, usual = lf.compare(D, "t", **alone), lf.compare(D, "t")
    names = ["statistic", "p_value", "ci_low", "ci_high"]
    assert clustered.select(names).row(0) == pytest.approx(usual.select(names).row(0))


def test_the_bootstrap_draws_clusters():
    """Against a plain loop over the same counts."""
    from lexiframe.core.base.resampling import drawn_requests

    c = lf.compare(D, "bootstrap", "none", trials=300, **BY_USER)
    counts, centred, found = drawn_requests(12, 300, 0), X - X.mean(), 0
    t = abs(c["statistic"].item())
    names = sorted(range(12), key=str)  # clusters are numbered in the order of their names
    for count in counts:
        groups = [g for g, times in zip(names, count, strict=True) for _ in range(int(times))]
        parts = [centred[g == USERS] for g in groups]
        n = sum(map(len, parts))
        mean = sum(part.sum() for part in parts) / n
        squares = sum((part - mean).sum() ** 2 for part in parts)
        found += abs(mean) / (squares * 12 / 11) ** 0.5 * n >= t - 1e-9
    assert c["p_value"].item() == pytest.approx((1 + found) / 301)
    e = lf.equivalence(D, 0.3, "bootstrap", "none", trials=300, **BY_USER)
    assert e["ci_low"].item() < X.mean() < e["ci_high"].item()


@pytest.mark.slow
def test_rejections_are_as_rare_as_promised_where_requests_hang_together():
    rng, trials, rejected, blind = np.random.default_rng(1), 600, 0, 0
    users = np.repeat(np.arange(25), 8)
    for _ in range(trials // 100):
        x = rng.normal(size=(25, 100))[users] + rng.normal(size=(200, 100))
        d = pl.concat([preferences(column, f"m{n}") for n, column in enumerate(x.T)])
        c = lf.compare(d, "t", "none", cluster="user", requests=requests(users))
        rejected += c["reject"].sum()
        blind += lf.compare(d, "t", "none")["reject"].sum()
    assert abs(rejected / trials - 0.05) < 3 * (0.05 * 0.95 / trials) ** 0.5
    assert blind / trials > 0.2


def test_nothing_is_known_from_one_cluster_or_equal_differences():
    one = {"cluster": "user", "requests": requests([0] * 60)}
    for d, how in ((D, one), (preferences(np.full(60, 0.5)), BY_USER)):
        for test in ("t", "bootstrap"):
            row = lf.compare(d, test, "none", trials=99, **how).row(0, named=True)
            assert (row["p_value"], row["ci_low"]) == (1.0, None)
            assert (
                lf.equivalence(d, 1.0, test, "none", trials=99, **how)["p_equivalent"].item() == 1
            )


def test_errors():
    with pytest.raises(lf.LexiframeError, match="'t' or 'bootstrap' with cluster, found 'sign'"):
        lf.compare(D, "sign", **BY_USER)
    with (
        pytest.raises(
            lf.LexiframeError, match="expected the user of each request, found none of 1"
        ),
        pytest.warns(lf.LexiframeWarning, match="q059"),
    ):
        lf.compare(D, cluster="user", requests=requests(USERS)[:59])
    with pytest.raises(lf.LexiframeError, match="expected attributes of requests, found none"):
        lf.compare(D, cluster="user")
    whole = D.with_columns(user=pl.Series(USERS))
    assert lf.compare(whole, cluster="user").equals(lf.compare(D, **BY_USER))
