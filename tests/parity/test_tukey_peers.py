"""Tukey's HSD with requests as blocks, by statsmodels' additive layout and SciPy's distribution."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.formula.api import ols

import lexiframe as lf
from lexiframe.core.significance.studentized_range import quantile, survival
from tests.parity.test_peers import matrix_scores

pytestmark = pytest.mark.slow


@pytest.fixture(
    scope="module",
    params=[
        "example",
        pytest.param("adhoc5_ap", marks=pytest.mark.conformance),
        pytest.param("web2010_ndcg20", marks=pytest.mark.conformance),
    ],
)
def some_scores(request):
    """A scores table of one measure, and at most 12 runs."""
    if request.param == "example":
        folder = lf.bundled("example")
        scores = lf.scores(lf.positions(folder / "runs", folder / "qrels.txt"), "AP")
    else:
        scores = matrix_scores(request.getfixturevalue("shared"), request.param, "AP")
    return scores.filter(pl.col("run").is_in(scores["run"].unique().sort().head(12)))


def test_the_error_is_that_of_the_additive_layout(some_scores):
    fit = ols("value ~ C(query_id) + C(run)", some_scores.to_pandas()).fit()
    n, k = some_scores["query_id"].n_unique(), some_scores["run"].n_unique()
    assert fit.df_resid == (n - 1) * (k - 1)
    error = np.sqrt(fit.mse_resid / n)
    c = lf.tukey_hsd(some_scores, "parametric", alpha=0.1)
    q = c["mean_difference"].abs().to_numpy() / error
    np.testing.assert_allclose(c["statistic"], q, rtol=1e-9, atol=1e-9)
    with warnings.catch_warnings(action="ignore"):
        p_values = stats.studentized_range.sf(q, k, fit.df_resid)
        half = stats.studentized_range.ppf(0.9, k, fit.df_resid) * error
    np.testing.assert_allclose(c["p_value"], p_values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(c["ci_high"] - c["mean_difference"], half, rtol=1e-8)
    np.testing.assert_allclose(c["mean_difference"] - c["ci_low"], half, rtol=1e-8)


def test_an_hsd_of_independent_samples_is_another_one(some_scores):
    """SciPy's and statsmodels' take differences between requests for noise: they see less."""
    wide = some_scores.pivot("run", index="query_id", values="value").drop("query_id")
    unpaired = stats.tukey_hsd(*[column.to_numpy() for column in wide]).pvalue
    of_pairs = unpaired[np.triu_indices(len(unpaired), k=1)]
    of_blocks = lf.tukey_hsd(some_scores, "parametric")["p_value"].to_numpy()
    assert (of_pairs < 0.05).sum() <= (of_blocks < 0.05).sum()
    assert np.log(of_pairs).mean() > np.log(of_blocks).mean() + 0.1


def test_randomized_and_parametric_agree_roughly(some_scores):
    """Neither is the other's approximation, but on values they tell about the same runs apart."""
    randomized = lf.tukey_hsd(some_scores, trials=2000)["p_value"].to_numpy()
    parametric = lf.tukey_hsd(some_scores, "parametric")["p_value"].to_numpy()
    assert np.corrcoef(randomized, parametric)[0, 1] > 0.97
    assert ((randomized < 0.05) == (parametric < 0.05)).mean() > 0.85


Q = np.array([0.0, 0.01, 0.3, 1.0, 2.0, 3.0, 3.6, 4.2, 5.0, 6.0, 8.0, 12.0, 40.0, 300.0])


@pytest.mark.parametrize("k", [2, 3, 5, 12, 110])
@pytest.mark.parametrize("df", [1, 2, 3, 4, 10, 60, 500, 27032])
def test_the_studentised_range_is_scipys(k, df):
    """110 runs and 249 requests have 109 · 248 = 27032 degrees of freedom."""
    with warnings.catch_warnings(action="ignore"):  # of its integrals
        theirs = stats.studentized_range.sf(Q[1:], k, df)
    ours = survival(Q, k, df)
    np.testing.assert_allclose(ours[1:], theirs, rtol=0, atol=1e-10)
    assert ours[0] == 1.0
    assert (np.diff(ours) <= 1e-14).all()


@pytest.mark.parametrize("k, df", [(2, 1), (3, 4), (12, 60), (110, 27032)])
@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.05, 0.5, 0.999])
def test_the_quantile_is_where_the_tail_is(k, df, alpha):
    q = quantile(alpha, k, df)
    assert survival(np.array([q]), k, df)[0] == pytest.approx(alpha, rel=1e-9)


def test_many_values_at_once_are_each_value_by_itself():
    q = np.random.default_rng(0).uniform(0, 12, 500)
    each = [survival(q[n : n + 1], 8, 200)[0] for n in range(500)]
    np.testing.assert_allclose(survival(q, 8, 200), each, rtol=1e-10, atol=1e-16)


def test_two_means_with_the_studentised_range_are_students_t():
    """Also for tails that SciPy's complement rounds away: q = √2 t."""
    t = np.array([1.0, 3.0, 8.0])
    for df in (1, 5, 40):
        expected = 2 * stats.t.sf(t, df)
        np.testing.assert_allclose(survival(np.sqrt(2) * t, 2, df), expected, rtol=1e-9)
