"""`over_collections`: keys, classes and values of tables; wrong ones are refused."""

import polars as pl
import pytest
from scipy import stats

import lexiframe as lf

T = pl.DataFrame(
    {"collection": ["a", "b", "c"], "measure": "LP", "n": [100, 20, 30], "ties": [90, 10, 15],
     "tie_rate": [0.9, 0.5, 0.5]}
)  # fmt: skip


def test_the_worked_example_of_a_mean_and_of_a_pooled_share():
    t = pl.DataFrame({"collection": ["a", "b", "c"], "correlation": [0.9, 0.7, 0.5]})
    t = t.with_columns(method=pl.lit("kendall"), ordering_a=pl.lit("AP"), ordering_b=pl.lit("LP"))
    one = lf.over_collections(t).row(0, named=True)
    low, high = stats.t.interval(0.95, 2, 0.7, 0.2 / 3**0.5)
    assert (one["mean"], one["sd"]) == pytest.approx((0.7, 0.2))
    assert (one["ci_low"], one["ci_high"]) == pytest.approx((low, high))
    assert one["ci_low"] == pytest.approx(0.2032, abs=1e-4)
    assert one["pooled"] is None
    pooled = lf.over_collections(T.head(2))
    assert pooled.select("mean", "pooled").row(0) == pytest.approx((0.7, 100 / 120))


def test_one_collection_and_equal_values_have_no_limits():
    for rows in (T.head(1), T.tail(2)):
        assert lf.over_collections(rows).select("ci_low", "ci_high").row(0) == (None, None)
    assert lf.over_collections(T.head(1))["sd"].to_list() == [None]


def test_a_level_that_a_collection_lacks_has_the_share_0_and_other_keys_are_not_counted():
    levels = pl.DataFrame(
        [("a", "LP", 1, 6, 0.6), ("a", "LP", 2, 4, 0.4), ("b", "LP", 1, 5, 1.0)],
        ["collection", "measure", "deciding_level", "pairs", "share"], orient="row",
    )  # fmt: skip
    found = lf.over_collections(levels).select("mean", "n_collections", "pooled")
    assert found.rows() == [(0.8, 2, 11 / 15), (0.2, 2, 4 / 15)]
    gaps = T.with_columns(tie_rate=pl.Series([0.9, None, 0.5]))
    assert lf.over_collections(gaps).select("mean", "n_collections").row(0) == (0.7, 2)


def test_scores_count_once_a_collection_and_groups_are_keys():
    s = pl.DataFrame({"collection": ["a", "a", "b"], "run": "r", "query_id": ["1", "2", "1"],
                      "measure": "AP", "value": [0.0, 1.0, 1.0]})  # fmt: skip
    assert lf.over_collections(s).select("run", "measure", "mean").rows() == [("r", "AP", 0.75)]
    by = T.with_columns(length=pl.Series(["long", "short", "long"]))
    assert lf.over_collections(by)["length"].to_list() == ["long", "short"]


@pytest.mark.parametrize(
    "classes",
    [
        {"a": "deep", "b": "x", "c": "x"},
        pl.DataFrame({"collection": ["a", "b", "c"], "kind": ["deep", "x", "x"]}),
        pl.DataFrame({"collection": ["a", "b", "c"], "run": "r", "requests": 2,
                      "retrieved": [2002, 4, 200]}),
        "kind",
    ],
)  # fmt: skip
def test_classes(classes):
    t = T.with_columns(kind=pl.Series(["deep", "x", "x"])) if isinstance(classes, str) else T
    found = lf.over_collections(t, classes=classes)
    assert found.columns[:2] == ["class", "measure"]
    assert found.select("n_collections", "mean").rows() == [(1, 0.9), (2, 0.5)]


def test_tables_of_others_have_their_texts_as_keys():
    t = pl.DataFrame({"collection": ["a", "b"], "system": "s", "k": 5, "f": [1.0, 2.0]})
    assert lf.over_collections(t, "f")["mean"].to_list() == [1.5]
    both = pl.concat([t, t.with_columns(k=10)])
    assert lf.over_collections(both, "f", keys=["k"]).select("k", "mean").rows() == [
        (5, 1.5),
        (10, 1.5),
    ]
    with pytest.raises(lf.LexiframeError, match="found several; name further keys"):
        lf.over_collections(both, "f")


@pytest.mark.parametrize(
    "given, options, message",
    [
        (T.drop("collection"), {}, "with the column collection, found the columns measure"),
        (T.rename({"tie_rate": "x"}), {}, "which column is averaged: value= one of n, ties, x"),
        (T, {"value": "tie_rat"}, "unknown column of numbers 'tie_rat'; did you mean tie_rate"),
        (T, {"keys": ["k"]}, "unknown column 'k'. Known: collection, measure, n, ties$"),
        (T, {"classes": "kind"}, "unknown column of classes 'kind'. Known: measure, n, ties"),
        (T, {"classes": "collection"}, "unknown column of classes 'collection'"),
        (T, {"classes": "tie_rate"}, "unknown column of classes 'tie_rate'. Known: measure"),
        (T, {"classes": {"a": "x", "b": None, "d": "y"}},
         "expected a class of each collection, found none of 2 .'b', 'c'., but of 1 .'d'."),
        (T.with_columns(kind=pl.Series(["x", None, "x"])), {"classes": "kind"}, "none of 1 .'b'."),
        (T.with_columns(pl.lit("x").alias("class")), {"classes": dict.fromkeys("abc", "x")},
         "the table has a column class already; take that"),
        (T, {"classes": T}, "classes with the columns collection and one other"),
        (T.with_columns(collection=pl.lit("a"), kind=pl.Series(["x", "y", "y"])),
         {"classes": "kind"}, "one class of each collection, found several of 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_averaged_is_refused(given, options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.over_collections(given, **options)


def test_an_attribute_of_requests_called_collection_is_refused_for_one_collection():
    d = pl.DataFrame({"query_id": ["q", "r"], "run_a": "a", "run_b": "b", "measure": "AP",
                      "preference": [1.0, -1.0]})  # fmt: skip
    requests = pl.DataFrame({"query_id": ["q", "r"], "collection": ["x", "y"]})
    with pytest.raises(lf.LexiframeError, match="an attribute of requests called 'collection'"):
        lf.win_rates(d, requests=requests, by="collection")


def test_two_tables_need_the_same_collections():
    c = pl.DataFrame({"run_a": "a", "run_b": ["b"], "query_id": "q", "measure": "AP",
                      "preference": 1.0})  # fmt: skip
    two = {
        "x": c.with_columns(collection=pl.lit("news")),
        "y": c.with_columns(collection=pl.lit("law")),
    }
    with pytest.raises(lf.UnknownNameError, match="unknown collection of c2 'news'"):
        lf.conclusions(two["x"], two["y"])


def test_a_column_of_one_side_and_a_name_of_a_column_are_refused():
    runs = pl.DataFrame({"collection": "a", "run": ["x", "y"], "query_id": "q", "doc_id": "d",
                         "score": 1.0})  # fmt: skip
    qrels = pl.DataFrame({"collection": "a", "query_id": "q", "doc_id": "d", "relevance": 1})
    for given in ((runs, qrels.drop("collection")), (runs.drop("collection"), qrels)):
        for function in (lf.positions, lambda *of: lf.evaluate(*of, ["AP"])):
            with pytest.raises(lf.LexiframeError, match="column collection in runs and in judgm"):
                function(*given)
    named = {"mean": (runs.drop("collection"), qrels.drop("collection"))}
    with pytest.raises(lf.LexiframeError, match="a column of tables of several collections"):
        lf.evaluate(named, measures=["AP"])
