"""Five real collections in one call against each of them alone, and means over them by loops."""

import json
import warnings

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import lexiframe as lf

NAMES = ("trec_dl_2019_passage", "clef_ehealth_2014", "movielens_100k", "trec_web_2012",
         "trec_robust_2003")  # fmt: skip
REL = {"trec_dl_2019_passage": 2, "movielens_100k": 4}
METRICS = ["AP", "nDCG@10", "RR", "R@1000"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.conformance,
    pytest.mark.filterwarnings("ignore:collection .*"),
]


@pytest.fixture(scope="module")
def expected(shared):
    return lambda name: pl.read_parquet(shared / f"conformance/collections/{name}.parquet")


@pytest.fixture(scope="module")
def given(shared):
    folders = {name: shared / "data" / name for name in NAMES}
    return {name: (at / "runs", at / "qrels.trec") for name, at in folders.items()}


@pytest.fixture(scope="module")
def p(given):
    with warnings.catch_warnings(action="ignore"):
        return lf.positions(given, rel=REL)


def same(found, expected):
    keys = [name for name, dtype in expected.schema.items() if dtype != pl.Float64]
    found = found.select(expected.columns).sort(keys)
    assert_frame_equal(found, expected.sort(keys), rel_tol=1e-9, abs_tol=1e-9, check_dtypes=False)


@pytest.mark.parametrize(
    "function, options",
    [
        (lf.predict_first_level, {}),
        (lf.tie_profile, {"levels": 6}),
        (lf.level_correlations, {"levels": 4}),
        (lf.level_regression, {"levels": 2, "following": 3}),
        (lf.deciding_levels, {}),
    ],
)
def test_statistics_of_recall_levels(p, expected, function, options):
    same(function(p, **options), expected(function.__name__))


def test_scores_preferences_and_agreement(p, expected):
    s, d = lf.scores(p, METRICS), lf.preferences(p, [*METRICS, "RPP", "LR", "LP"])
    means = s.group_by("collection", "run", "measure").agg(mean=pl.col("value").mean())
    same(means.filter(pl.col("measure").is_in(METRICS[:2])), expected("means"))
    same(lf.sign_agreement(d), expected("sign_agreement"))
    same(lf.tie_rates(d), expected("tie_rates"))
    ends = pl.col("ordering_a", "ordering_b").str.strip_suffix(" win_rate")
    tau = lf.rank_correlations(lf.order_runs(d)).filter(method="kendall").with_columns(ends)
    told = expected("rank_correlations")
    same(tau.drop("p_value"), told.drop("p_value"))
    # The reference has SciPy's approximation where runs tie; of few runs all orders are counted.
    both = tau.join(told, on=["collection", "ordering_a", "ordering_b"], suffix="_told")
    differ = both.filter((pl.col("p_value") - pl.col("p_value_told")).abs() > 1e-9)
    assert {*differ["collection"]} == {"trec_web_2012"}
    assert {"RPP"} == {name for row in differ.select(ends).rows() for name in row} & {"RPP"}
    same(lf.agreement_matrix(tau), expected("agreement_matrix"))


def test_degradation(given, expected):
    told = expected("degradation")
    two = {name: given[name] for name in told["collection"].unique()}
    rel = {name: REL[name] for name in two if name in REL}
    how = {"fractions": [0.3, 0.6], "samples": 3, "seed": 0, "rel": rel}
    same(lf.degradation(two, None, ["LR", "AP"], **how), told)


@pytest.mark.parametrize("classes", ["all", "depth", "kind"])
def test_means_over_collections(shared, expected, classes):
    facts = json.loads((shared / "conformance/collections/facts.json").read_text())
    of_depth = expected("facts").select("collection", retrieved="n_retrieved", requests="rankings")
    asked = {"all": None, "depth": of_depth, "kind": facts["kind"]}[classes]
    told = expected("over_collections").filter(classes=classes)
    for (table,), rows in told.partition_by("table", as_dict=True).items():
        found = lf.over_collections(expected(table), classes=asked)
        keys = pl.DataFrame([json.loads(key) for key in rows["key"]])
        of_class = [] if classes == "all" else [rows["group"].alias("class")]
        numbers = rows.select(*of_class, "mean", "sd", "n_collections", "ci_low", "ci_high",
                              "least", "most", "pooled")  # fmt: skip
        numbers = pl.concat([keys, numbers], how="horizontal")
        on = [*keys.columns, *numbers.columns[keys.width :][: len(of_class)]]
        assert_frame_equal(found.select(numbers.columns).sort(on), numbers.sort(on),
                           rel_tol=1e-12, abs_tol=1e-12, check_dtypes=False)  # fmt: skip


def test_matrix_of_means(expected):
    of_means = lf.agreement_matrix(lf.over_collections(expected("rank_correlations")))
    same(of_means, expected("agreement_matrix_mean"))


def test_classes_by_depth_need_the_coverage_alone(given, shared):
    some = {name: given[name] for name in ("trec_web_2012", "trec_robust_2003")}
    covered = lf.coverage(some, None)
    t = covered.select("collection", "run", measure=pl.lit("m"), mean=1.0)
    assert lf.over_collections(t, classes=covered)["class"].unique().to_list() == ["standard"]
