"""Evaluations by weights of requests: each value is that of a loop, also read back."""

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

DATA = lf.bundled("example") / "runs", lf.bundled("example") / "qrels.txt"
MEASURES = ["RPP", "AP"]
IDS = ["q0066", "q0078", "q0113", "q0175", "q0206"]
TRAFFIC = dict(zip(IDS, [6, 4, 0, 2, 1], strict=True))
KINDS = pl.DataFrame({"query_id": IDS, "kind": ["x", "y", "x", "x", "y"]})
STRATA = {"strata": "kind", "shares": {"x": 3, "y": 1}, "requests": KINDS}

pytestmark = [
    pytest.mark.filterwarnings("ignore:strata. '.*' has n = 2"),
    pytest.mark.filterwarnings("ignore:.*no p-value of the test"),
]


def by_loop(values):
    """The mean by traffic, its standard error, and n*."""
    w, x = (np.array(of, float) for of in zip(*values, strict=True))
    mean = (w * x).sum() / w.sum()
    squares = (w * (x - mean) / (w.sum() - w)) ** 2
    n = w.sum() ** 2 / (w**2).sum()
    return mean, np.sqrt((len(w) - 1) / len(w) * squares.sum()), n


def test_means_and_differences_are_those_of_loops():
    """A request of weight 0 is left out."""
    plain = lf.evaluate(*DATA, MEASURES)
    e = lf.evaluate(*DATA, MEASURES, test="t", weights=TRAFFIC)
    for run, measure, mean, n in e.means.select("run", "measure", "mean", "n_effective").rows():
        if measure != "AP":
            continue
        s = plain.scores.filter(run=run, measure=measure)
        each = [(TRAFFIC[q], x) for q, x in s.select("query_id", "value").rows() if TRAFFIC[q]]
        expected, _, n_expected = by_loop(each)
        assert (mean, n) == pytest.approx((expected, n_expected), rel=1e-14)
    columns = "measure", "run_a", "run_b", "mean_difference", "statistic"
    for measure, a, b, mean, t in e.comparisons.select(columns).rows():
        d = plain.preferences.filter(measure=measure, run_a=a, run_b=b)
        each = [(TRAFFIC[q], x) for q, x in d.select("query_id", "preference").rows() if TRAFFIC[q]]
        expected, error, _ = by_loop(each)
        assert mean == pytest.approx(expected, rel=1e-13)
        assert t == pytest.approx(expected / error, rel=1e-12)
    assert e.scores["query_id"].n_unique() == 4


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"weights": TRAFFIC}, STRATA], ids=["weights", "strata"])
def test_an_evaluation_read_back_has_its_weights(tmp_path, how):
    e = lf.evaluate(*DATA, MEASURES, **how)
    e.write(tmp_path)
    again = lf.read_results(tmp_path)
    assert again.scores.equals(e.scores)
    assert again.preferences.equals(e.preferences)
    for function in (lf.compare, lf.win_rates, lf.order_runs):
        assert function(again).equals(function(e))
    assert lf.compare(again).equals(e.comparisons)
    again = lf.evaluate_scores(tmp_path / "scores.parquet")
    assert again.means.filter(measure="AP")["n_effective"].is_not_null().all()
    told = (one.provenance["weights"]["n_effective"] for one in (again, e))
    assert next(told) == pytest.approx(next(told))


def test_tests_of_single_requests_are_by_weight():
    e = lf.evaluate(
        *DATA, MEASURES, test=["t", "randomization"], correction="holm", weights=TRAFFIC
    )
    plain = lf.evaluate(*DATA, MEASURES).preferences
    how = {"test": ["t", "randomization"], "correction": "holm"}
    assert e.comparisons.equals(lf.compare(plain, **how, weights=TRAFFIC))


@pytest.mark.slow
def test_several_collections_have_their_own_weights():
    other = dict(zip(IDS, [1, 2, 3, 4, 5], strict=True))
    of_each = {"a": TRAFFIC, "b": other}
    table = [
        pl.DataFrame({"collection": name, "query_id": [*of], "traffic": [*of.values()]})
        for name, of in of_each.items()
    ]
    alone = {name: lf.evaluate(*DATA, MEASURES, weights=of) for name, of in of_each.items()}
    for how in ({"weights": of_each}, {"weights": "traffic", "requests": pl.concat(table)}):
        e = lf.evaluate({"a": DATA, "b": DATA}, None, MEASURES, **how)
        for name, expected in alone.items():
            assert e.collections[name].comparisons.equals(expected.comparisons)
            told = [one.provenance["weights"] for one in (e.collections[name], expected)]
            assert told[0]["heaviest"] == told[1]["heaviest"]
            assert told[0]["n_effective"] == told[1]["n_effective"]
        s = e.scores.drop("request_weight")
        found = lf.compare(s, **how).filter(collection="b").drop("collection")
        assert found.equals(lf.compare(alone["b"].scores))
    with pytest.raises(lf.LexiframeError, match="expected them for each collection, found none fo"):
        lf.evaluate({"a": DATA, "b": DATA}, None, MEASURES, weights={"a": TRAFFIC})


@pytest.mark.slow
@pytest.mark.parametrize("design", ["request", "cell"])
def test_means_of_replicates_are_compared_by_weight(design):
    s = lf.evaluate(*DATA, "AP").scores
    half = pl.col("value") / 2
    replicated = pl.concat(
        [s.with_columns(half, replicate=pl.lit("1")), s.with_columns(replicate=pl.lit("2"))]
    )
    e = lf.evaluate_scores(replicated, replicates=design, weights=TRAFFIC)
    expected = lf.compare(s.with_columns(half * 1.5), "t", "holm", weights=TRAFFIC)
    columns = ["mean_difference", "p_value", "n_effective"]
    assert np.allclose(e.comparisons.select(columns), expected.select(columns), rtol=1e-12)
    assert lf.compare(e.replicated, replicates=design).equals(e.comparisons)
    with pytest.raises(lf.LexiframeError, match="replicates='both' has no weights"):
        lf.evaluate_scores(replicated, replicates="both", test="t", weights=TRAFFIC)


def test_a_share_of_0_needs_no_requests():
    kinds = KINDS.with_columns(kind=pl.col("kind").replace("x", "z"))
    shares = {"z": 2, "y": 1, "nobody": 0}
    e = lf.evaluate(*DATA, "AP", strata="kind", shares=shares, requests=kinds)
    same = lf.evaluate(*DATA, "AP", strata="kind", shares={"z": 2, "y": 1}, requests=kinds)
    assert e.means.equals(same.means)


def test_pandas_frames_come_back():
    how = {**STRATA, "requests": KINDS.to_pandas()}
    e = lf.evaluate(*DATA, MEASURES, **how, frames="pandas")
    assert [*e.scores.columns][-2:] == ["request_weight", "request_stratum"]
    assert pl.from_pandas(e.means).equals(lf.evaluate(*DATA, MEASURES, **STRATA).means)


def test_one_run_has_means_by_weight():
    every = lf.evaluate(*DATA, "AP", weights=TRAFFIC).means.filter(run="random")
    one = lf.evaluate(DATA[0] / "random.run", DATA[1], "AP", weights=TRAFFIC)
    assert one.means["mean"].to_list() == every["mean"].to_list()


def test_order_of_equal_scores_is_not_told_where_requests_of_weight_0_are_left_out():
    """Coverage has all requests, which other runs may lead than those with a weight."""
    only = {query: int(query == "q0066") for query in IDS}
    e = lf.evaluate(*DATA, "AP", weights=only)
    assert "order of equal scores" not in str(e.verdict)
    e = lf.evaluate(*DATA, "AP", weights=only, ties="expected")
    assert "first_by_document_id" not in e.provenance


@pytest.mark.parametrize(
    "column, names",
    [
        (pl.Series(["x", "y"], dtype=pl.Enum(["y", "x"])), ["x", "y"]),
        (pl.Series(["x", "y"], dtype=pl.Categorical), ["x", "y"]),
        (pl.Series([1.0, 2.0]), [1, 2]),
        (pl.Series([True, False]), [True, False]),
    ],
    ids=["enum", "categorical", "numbers", "booleans"],
)
def test_strata_have_names_of_any_type(column, names):
    """Shares may be numbers of NumPy."""
    kinds = KINDS.with_columns(kind=column.gather([0, 1, 0, 0, 1]))
    shares = dict(zip(names, np.array([3, 1]), strict=True))
    e = lf.evaluate(*DATA, "AP", strata="kind", shares=shares, requests=kinds)
    assert e.means["mean"].to_list() == lf.evaluate(*DATA, "AP", **STRATA).means["mean"].to_list()


def test_functions_leave_requests_of_weight_0_out_where_all_others_count_alike(tmp_path):
    weights = {query: int(query != "q0066") for query in IDS}
    e = lf.evaluate(*DATA, MEASURES, weights=weights)
    assert e.scores["query_id"].n_unique() == e.means["n"].max() == 4
    assert "n_effective" not in e.means.columns
    assert "tell as much" not in str(e)
    e.write(tmp_path)
    for one in (e, e.preferences, lf.read_results(tmp_path)):
        assert lf.compare(one).equals(e.comparisons)
    s = lf.evaluate_scores(lf.evaluate(*DATA, "AP").scores, weights=weights)
    assert "tell as much" not in str(s)


def test_a_column_of_weights_has_one_above_0_for_each_request():
    s = lf.evaluate(*DATA, "AP", weights=TRAFFIC).scores
    first = pl.col("query_id") == "q0066"
    for weight, found in ((pl.lit(0.0), "0"), (1.0 + (pl.col("run") == "random"), "1 and 2")):
        wrong = s.with_columns(request_weight=pl.when(first).then(weight).otherwise(1.0))
        words = f"weights: request 'q0066' has {found} in the column request_weight"
        with pytest.raises(lf.LexiframeError, match=words):
            lf.compare(wrong)
    plain = lf.evaluate(*DATA, "AP", weights=TRAFFIC)
    assert lf.compare(s).equals(plain.comparisons)


@pytest.mark.parametrize("factor", [1e-300, 2.5e307])
def test_only_the_ratios_of_weights_count(factor):
    s = lf.evaluate(*DATA, "AP").scores
    large = {query: weight * factor for query, weight in TRAFFIC.items()}
    found, expected = (lf.compare(s, weights=of)["mean_difference"] for of in (large, TRAFFIC))
    assert np.allclose(found, expected, rtol=1e-13)


def test_a_column_of_dates_lists_or_ids_has_no_weights():
    day = pl.date(2026, 1, 1)
    requests = KINDS.with_columns(day=day, several=pl.concat_list("kind"))
    for name, found in (("day", "Date"), ("several", "List"), ("query_id", "the ids of requests")):
        words = f"weights: expected numbers in the column '{name}', found {found}"
        with pytest.raises(lf.LexiframeError, match=words):
            lf.evaluate(*DATA, "AP", weights=name, requests=requests)
    with pytest.raises(lf.LexiframeError, match="strata: expected names in the column 'several'"):
        lf.evaluate(*DATA, "AP", strata="several", shares={"x": 1}, requests=requests)
