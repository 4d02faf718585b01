"""What scores vary by: against values of independent loops, and against plain formulas."""

import json
from itertools import product

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.significance.replicates.designs import DESIGNS
from tests.conftest import SHARED

DECISIONS = SHARED / "conformance" / "decisions"
SHORT = {
    "run": "r",
    "request": "q",
    "run × request": "rq",
    "replicate": "k",
    "run × replicate": "rk",
    "request × replicate": "qk",
    "residual": "e",
}
THERE = {"run": "crossed", "request": "request", "cell": "nested", "both": "shared"}
"""The names of the designs in the files of other loops."""


def read(name):
    return json.loads((DECISIONS / f"{name}.json").read_text())


def table(x):
    """Scores of runs × requests × replicates."""
    x = np.asarray(x)
    places = list(product(*(range(n) for n in x.shape)))
    run, request, replicate = (list(axis) for axis in zip(*places, strict=True))
    columns = {"run": run, "query_id": request, "replicate": replicate}
    return pl.DataFrame(columns).with_columns(measure=pl.lit("AP"), value=pl.Series(x.ravel()))


def experiments():
    """The experiments behind the tasks of a real leaderboard."""
    path = SHARED / "data" / "mteb_eng_v2" / "experiments.parquet"
    s = pl.read_parquet(path).rename(
        {"model": "run", "task": "query_id", "experiment": "replicate", "score": "value"}
    )
    return s.with_columns(measure=pl.lit("main score"))


@pytest.mark.conformance
@pytest.mark.parametrize("replicates", DESIGNS)
def test_components_are_those_of_independent_loops(replicates):
    worked = read("replicates_worked")["ems"]
    c = lf.significance.variance_components(table(worked["x"]), replicates)
    wanted = worked[THERE[replicates]]
    assert c["source"].to_list() == [s for s in SHORT if SHORT[s] in wanted["v"]]
    for source, raw, variance in c.select("source", "raw", "variance").rows():
        assert raw == pytest.approx(wanted["v"][SHORT[source]], abs=1e-12)
        assert variance == max(raw, 0)
    g = lf.significance.generalisability(c, replicates, n_requests=5, n_replicates=3)
    assert g.row(0)[3:] == pytest.approx(wanted["g"], abs=1e-9)


@pytest.mark.conformance
@pytest.mark.parametrize("replicates", DESIGNS)
def test_components_of_a_real_leaderboard(replicates):
    s, wanted = experiments(), read("replicates")[THERE[replicates]]
    n = s.group_by("run").agg(pl.struct("query_id", "replicate").n_unique().alias("n"))
    s = s.join(n.filter(n=140), on="run", how="semi")
    assert s["run"].n_unique() == 123
    c = lf.significance.variance_components(s, replicates)
    assert dict(c.select("source", "raw").rows()) == pytest.approx(
        {source: wanted["components"][SHORT[source]] for source in c["source"]}, abs=1e-9
    )
    sizes = {"q14k10": (14, 10), "q14k1": (14, 1), "q5k1": (5, 1), "q5k10": (5, 10)}
    for name, (requests, seeds) in sizes.items():
        g = lf.significance.generalisability(c, replicates, n_requests=requests, n_replicates=seeds)
        assert g.row(0)[3:] == pytest.approx(wanted["g"][name], abs=1e-6)  # raw below 0 counts as 0
    if replicates == "request":
        assert c["variance"].round(6).to_list() == [
            0.012428,
            0.034297,
            0.003541,
            0.000261,
            0.000361,
        ]


@pytest.mark.conformance
@pytest.mark.parametrize("replicates", ["run", "request", "cell"])
def test_unbalanced_components_are_those_of_greatest_likelihood(replicates):
    wanted = read("reml")
    some = pl.col("run").is_in(wanted["models"]) & pl.col("query_id").is_in(wanted["tasks"])
    s = experiments().filter(some, pl.col("replicate") < wanted["experiments"])
    s = s.sort("run", "query_id", "replicate")
    numbers = [(pl.col(name).rank("dense") - 1).cast(pl.Int64) for name in ("run", "query_id")]
    r, q = numbers
    kept = s.filter((35 * r + 5 * q + pl.col("replicate")) % 7 != 3)
    assert kept.height < s.height == 210
    c = lf.significance.variance_components(kept, replicates)
    of = wanted[
        f"unbalanced: rows with (35r+5q+k)%7==3 left out {THERE[replicates]}"
    ]["reml"]  # fmt: skip
    assert dict(c.select("source", "variance").rows()) == pytest.approx(
        {source: of[SHORT[source]] for source in c["source"]}, abs=1e-6
    )
    assert c["raw"].null_count() == c["df"].null_count() == c.height


@pytest.mark.slow
@pytest.mark.parametrize("replicates", DESIGNS)
def test_likelihood_agrees_with_mean_squares_where_none_is_below_0(replicates):
    """Of balanced data, where the two ways have to meet."""
    rng = np.random.default_rng(4)
    run, request, both = rng.normal(size=6), rng.normal(size=(1, 9)), rng.normal(size=(6, 9))
    seed = {"run": (6, 1, 4), "request": (1, 9, 4), "cell": (6, 9, 4), "both": (1, 1, 4)}
    more = rng.normal(size=seed[replicates]) + rng.normal(size=(6, 1, 4)) * (replicates == "both")
    more = more + rng.normal(size=(1, 9, 4)) * (replicates == "both")
    x = run[:, None, None] + 2 * request[..., None] + both[..., None] + more
    x = x + rng.normal(size=(6, 9, 4)) / 2
    from lexiframe.study.replicates import variances
    from lexiframe.study.replicates.read import replicated

    (data,) = replicated("test", table(x))
    squares = lf.significance.variance_components(table(x), replicates)
    assert squares["raw"].min() > 0
    found = variances._unbalanced_components(data, replicates)
    for source, variance in squares.select("source", "variance").rows():
        assert found[source] == pytest.approx(variance, rel=1e-4)


def test_one_replicate_has_one_source_for_the_cells_and_the_residual():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(5, 8))
    c = lf.significance.variance_components(table(x[..., None]), "run")
    mean = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    residual = (mean**2).sum() / 28
    runs = 8 * x.mean(axis=1).var(ddof=1)
    assert c["source"].to_list() == ["run", "request", "residual"]
    assert c["raw"][0] == pytest.approx((runs - residual) / 8)
    assert c["raw"][2] == pytest.approx(residual)
    assert c["df"].to_list() == [4, 7, 28]
    g = lf.significance.generalisability(c, "run", n_requests=20, n_replicates=1)
    true = max(c["raw"][0], 0)
    assert g["generalisability"].item() == pytest.approx(true / (true + residual / 20))


def test_equal_scores_have_no_shares_and_no_coefficients():
    c = lf.significance.variance_components(table(np.zeros((2, 3, 2))), "cell")
    assert c["share"].null_count() == 4
    g = lf.significance.generalisability(c, "cell")
    assert g["generalisability"].null_count() == g.height == 25


def test_negative_estimates_count_as_0_and_are_shown():
    x = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
    c = lf.significance.variance_components(table(x), "cell")
    assert c["raw"].min() < 0
    assert c["variance"].min() == 0
    assert c["share"].sum() == pytest.approx(1)


WRONG = [
    (table(np.ones((2, 2, 2))).drop("replicate"), "cell", "expected the column replicate"),
    (table(np.ones((2, 2, 2))), "seed", "expected replicates to be one of 'run', 'request'"),
    (
        table(np.ones((1, 2, 2))),
        "run",
        "two or more runs of AP, found 1; the variance between runs",
    ),
    (table(np.ones((2, 1, 2))), "run", "expected two or more requests of AP, found 1"),
    (table(np.full((2, 2, 2), np.inf)), "run", "expected finite scores, found 8 others"),
    (table(np.ones((2, 2, 1)))[:3], "run", "found one of each and some cells without any"),
    (table(np.ones((2, 2, 2))).head(0), "run", "expected scores, found none"),
    (
        pl.concat([table(np.ones((2, 2, 2)))] * 2),
        "run",
        "expected one score for each run, replicate, query_id, measure, found 16 rows",
    ),
]


@pytest.mark.parametrize("s, replicates, message", WRONG)
def test_errors(s, replicates, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.significance.variance_components(s, replicates)


def test_numbers_of_requests_and_components_of_other_designs():
    c = lf.significance.variance_components(table(np.arange(8.0).reshape(2, 2, 2)), "run")
    with pytest.raises(
        lf.LexiframeError, match=r"expected n_requests to be whole numbers from 1, found \[0\]"
    ):
        lf.significance.generalisability(c, "run", n_requests=0)
    with pytest.raises(lf.LexiframeError, match="of replicates='cell', found replicate; name"):
        lf.significance.generalisability(c, "cell")
