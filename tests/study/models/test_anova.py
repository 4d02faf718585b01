"""`anova`: against statsmodels, formulas by hand, and SciPy's noncentral F; and what it refuses."""

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

import lexiframe as lf
from lexiframe.study.models.variance_analysis import terms_of

RUNS = [f"{stemmer}-{model}" for stemmer in ("none", "porter", "krovetz") for model in ("a", "b")]
LOG = pl.DataFrame(
    {"run": RUNS, "stemmer": [run.split("-")[0] for run in RUNS],
     "model": [run[-1] for run in RUNS], "k": [1, 2, 1, 2, 1, 2], "one": "x"}
)  # fmt: skip
anova = lf.significance.anova


def scores(runs=RUNS, requests=9, replicates=1, seed=0):
    """Scores with effects of all kinds, in an order without meaning."""
    rng = np.random.default_rng(seed)
    cells = [
        (run, f"q{q}", f"{r}") for run in runs for q in range(requests) for r in range(replicates)
    ]
    table = pl.DataFrame(cells, ["run", "query_id", "replicate"], orient="row")
    values = 0.3 * rng.random(requests)[[int(q[1:]) for q in table["query_id"]]]
    values += 0.1 * table["run"].str.starts_with("p").to_numpy() + rng.random(table.height) / 3
    table = table.with_columns(measure=pl.lit("AP"), value=pl.Series(values))
    table = table.sample(fraction=1, shuffle=True, seed=1)
    return table if replicates > 1 else table.drop("replicate")


def of_statsmodels(s, formula):
    data = s.join(LOG, on="run", how="left").to_pandas()
    return anova_lm(ols(f"value ~ {formula}", data).fit(), typ=2)


FORMULAS = {
    "run + query_id": "C(run) + C(query_id)",
    "stemmer * model + query_id": "C(stemmer) * C(model) + C(query_id)",
    "stemmer*model*query_id": "C(stemmer) * C(model) * C(query_id)",
    "k + stemmer": "C(k) + C(stemmer)",
}


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("more", [[], ["again"]], ids=["balanced", "unbalanced"])
def test_values_are_those_of_statsmodels(formula, more):
    s = scores(RUNS + more, replicates=2)
    nth = pl.int_range(pl.len()).over("run", "query_id").cast(pl.String)
    s = s.with_columns(run=pl.col("run").replace("again", "porter-b")).with_columns(replicate=nth)
    theirs = FORMULAS[formula]
    found, expected = anova(s, formula, LOG), of_statsmodels(s, theirs)
    order = [":".join(f"C({name})" for name in term) for term in terms_of(formula)] + ["Residual"]
    expected = expected.loc[order]
    for column, name in {
        "sum_of_squares": "sum_sq",
        "df": "df",
        "F": "F",
        "p_value": "PR(>F)",
    }.items():
        np.testing.assert_allclose(
            found[column].cast(pl.Float64).to_numpy(), expected[name], rtol=1e-9, err_msg=column
        )
    assert found["source"].to_list() == [*map(":".join, terms_of(formula)), "residual"]


def test_a_large_layout_has_the_sums_of_squares_by_hand():
    s = scores([f"r{n}" for n in range(11)], requests=10_000)
    assert s.height > 10**5
    x = s.sort("run", "query_id")["value"].to_numpy().reshape(11, -1)
    run, request, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    rest = x - run[:, None] - request + mean
    squares = [len(request) * ((run - mean) ** 2).sum(), 11 * ((request - mean) ** 2).sum()]
    found = anova(s, "run + query_id")
    np.testing.assert_allclose(found["sum_of_squares"], [*squares, (rest**2).sum()], rtol=1e-10)
    assert found["df"].to_list() == [10, 9_999, 99_990]


def test_omega_squared_and_its_interval_are_those_of_the_noncentral_f():
    found = anova(scores(), "run + query_id", alpha=0.1)
    n = 6 * 9
    for row in found.head(2).iter_rows(named=True):
        f, df, left = row["F"], row["df"], found["df"][2]
        assert row["omega_squared"] == pytest.approx(df * (f - 1) / (df * (f - 1) + n))
        for end, share in {"ci_low": 0.95, "ci_high": 0.05}.items():
            signal = n * row[end] / (1 - row[end])
            drawn = np.linspace(0, 200, 20_001)  # the last λ for which F is no smaller quantile
            brute = drawn[stats.ncf.cdf(f, df, left, drawn) >= share].max(initial=0)
            assert signal == pytest.approx(brute, abs=0.01)
    small = anova(
        scores(seed=5).with_columns(run=pl.col("run").str.slice(-1)).unique(["run", "query_id"])
    )
    assert (small.filter(pl.col("F") < 1)["omega_squared"] < 0).all()
    clear = pl.col("value") * 1e-8 + pl.col("run").str.starts_with("none")
    assert anova(scores().with_columns(clear))["ci_low"][0] is None  # no value of SciPy
    drawn = np.random.default_rng(1).noncentral_f(4, 40, signal, 100_000)
    assert (drawn <= stats.ncf.ppf(0.05, 4, 40, signal)).mean() == pytest.approx(0.05, abs=0.005)


def test_measures_and_collections_are_computed_alone_unless_the_formula_names_them():
    a, b = scores(), scores(seed=1).with_columns(measure=pl.lit("RR"))
    both = pl.concat([b, a])
    assert anova(both, "run + query_id").equals(pl.concat([anova(a), anova(b)]))
    b = b.with_columns(measure=pl.lit("AP"))
    named = [
        one.with_columns(collection=pl.lit(name)) for name, one in zip("xy", (a, b), strict=True)
    ]
    table = pl.concat(named)
    alone = anova(table, "stemmer + query_id", LOG)
    assert (
        alone.filter(collection="y").drop("collection").equals(anova(b, "stemmer + query_id", LOG))
    )
    found = anova(table, "run * collection")
    data = table.to_pandas()
    expected = anova_lm(ols("value ~ C(run) * C(collection)", data).fit(), typ=2)
    np.testing.assert_allclose(found["sum_of_squares"], expected["sum_sq"], rtol=1e-9)
    assert found["source"].to_list() == ["run", "collection", "run:collection", "residual"]


S = scores()
REFUSED = {
    "run + query": "unknown factor 'query'; did you mean query_id",
    "run + query_id + stemmer": "cross, run and stemmer, found one stemmer for each run",
    "one + query_id": "several values of one, found x alone; leave it out",
    "run * query_id": "the residual, found 54 scores, which run [+] query_id [+] run:query_id",
    "value ~ run": "a formula such as .* found 'value ~ run' in 'value ~ run'",
    "run + run:query_id": "found run:query_id without query_id",
    "run + 1": "found '1' in 'run [+] 1'",
}


@pytest.mark.parametrize("formula", REFUSED)
def test_formulas_that_cannot_be_are_refused(formula):
    with pytest.raises(lf.LexiframeError, match=REFUSED[formula]):
        anova(S, formula, LOG)


REFUSED_SCORES = {
    "two or more runs, found none-a alone; add": S.filter(run="none-a"),
    "all 9 requests of each run, found fewer of 1 .'porter-a'.; leave": S.filter(
        (pl.col("run") != "porter-a") | (pl.col("query_id") != "q3")
    ),
    "finite scores, found inf of run none-b for request q4 .1 such": S.with_columns(
        value=pl.when(run="none-b", query_id="q4").then(np.inf).otherwise("value")
    ),
    "one score for each run, query_id, found several for": pl.concat([S, S]),
    "expected a table of scores, found no rows": S.clear(),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED_SCORES)
def test_scores_that_cannot_be_are_refused(message):
    with pytest.raises(lf.LexiframeError, match=message):
        anova(REFUSED_SCORES[message], "run + query_id")


def test_runs_without_a_factor_are_named():
    with pytest.raises(
        lf.LexiframeError, match=r"value of stemmer for each run, found none for 2 \(.no"
    ):
        anova(S, "stemmer + query_id", LOG.tail(4))


def test_an_interaction_without_scores_of_some_combination_is_refused():
    with pytest.raises(
        lf.LexiframeError, match="each stemmer:model, found none of stemmer=krovetz, m"
    ):
        anova(scores(RUNS[:-1]), "stemmer * model", LOG)


def test_effects_that_cannot_be_told_apart_are_refused(monkeypatch):
    runs = pl.DataFrame({"run": list("abcdef"), "x": list("112233"), "y": list("121212")})
    s = scores(runs["run"].to_list())
    log = runs.with_columns(z=pl.Series(list("xyyxxy")), w=pl.Series(list("xyyyxx")))
    assert anova(s, "x + w + query_id", log).height == 4
    with pytest.raises(
        lf.LexiframeError, match="effects that can be told apart, found 1 that follow"
    ):
        anova(s, "x * y + z", log.with_columns(z=pl.Series(list("xyxyyx"))))
    monkeypatch.setattr("lexiframe.core.base.memory_use.available", lambda: 1000)
    with pytest.raises(
        lf.LexiframeError, match="AP: 11 effects on 54 scores that are not balanced need"
    ):
        anova(s, "x + w + query_id", log)
