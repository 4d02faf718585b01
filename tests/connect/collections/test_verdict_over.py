"""The verdict over all collections, counted by hand."""

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.filterwarnings("ignore:.*rankings for requests without judgments")


@pytest.fixture(scope="module")
def e():
    docs = {"good": {"d1": 3.0, "d2": 1.0}, "bad": {"d2": 3.0, "d1": 1.0}}

    def runs(better, n):
        order = {"x": "good", "y": "bad"} if better == "x" else {"x": "bad", "y": "good"}
        return {run: {f"q{q}": docs[kind] for q in range(n)} for run, kind in order.items()}

    qrels = {f"q{q}": {"d1": 1} for q in range(20)}
    some = dict([*qrels.items()][:2])
    given = {"a": (runs("x", 20), qrels), "b": (runs("x", 20), qrels), "c": (runs("y", 2), some)}
    return lf.evaluate(given, measures=["RR"])


@pytest.mark.slow
def test_it_counts_first_places_and_those_that_are_significant(e):
    over = lf.verdict(e).filter(pl.col("collection").is_null())
    assert over.select("measure", "best").rows() == [("RR", ["x"])]
    (said,) = over["sentence"]
    assert said.startswith(
        "By RR, x is first in 2 of 3 collections (significantly in 2) and y in 1 (significantly "
        "in 0). 1 of them has too few requests to conclude from. Orders of 2 runs in two "
        "collections agree by τ = -0.33 on average, least in a and c (-1.00)."
    )
    # means of x: 1, 1, 1/2; of y: 1/2, 1/2, 1; without a or b both have 3/4
    assert "By the mean over collections x is first, whichever of them is left out." in said
    assert said.endswith("lf.leaderboard(e, measure='RR').")


@pytest.mark.slow
def test_of_equal_means_neither_decides_and_a_baseline_is_counted(e):
    parts = {name: one for name, one in e.collections.items() if name != "b"}
    given = {name: one.collection for name, one in parts.items()}
    given["d"] = given["c"]
    said = lf.verdict(lf.evaluate(given, measures=["RR"]))["sentence"][0]
    assert "y is first in 2 of 3 collections" in said
    assert "By the mean over collections y is first, whichever of them is left out." in said
    beside = lf.verdict(lf.evaluate(given, measures=["RR"], baseline="y"))["sentence"][0]
    assert "against the baseline in 3 collections, significantly better: x in 1" in (beside)


@pytest.mark.slow
def test_within_groups_each_has_its_own_row(e):
    given = {name: one.collection for name, one in e.collections.items()}
    requests = pl.DataFrame({"query_id": [f"q{q}" for q in range(20)], "kind": ["u", "v"] * 10})
    grouped = lf.evaluate(given, measures=["RR"], requests=requests, by="kind")
    over = lf.verdict(grouped).filter(pl.col("collection").is_null())
    assert over["kind"].to_list() == ["u", "v"]
    assert "By RR, kind = v, x is first in 2 of 3 collections" in over["sentence"][1]


@pytest.mark.slow
def test_each_test_has_its_own_row(e):
    given = {name: one.collection for name, one in e.collections.items()}
    both = lf.verdict(lf.evaluate(given, measures=["RR"], test=["sign", "t"]))
    over = both.filter(pl.col("collection").is_null())
    assert over["test"].to_list() == ["sign", "t"]
    assert over["sentence"][0].startswith("By RR (sign, holm), x is first in 2 of 3")


@pytest.mark.slow
def test_a_collection_of_one_run_is_counted_and_the_mean_says_whose_it_is(e):
    given = {name: one.collection for name, one in e.collections.items()}
    one = {"x": {f"q{q}": {"d1": 3.0, "d2": 1.0} for q in range(20)}}
    given["d"] = (one, given["a"][1])
    said = lf.verdict(lf.evaluate(given, measures=["RR"]))["sentence"][0]
    assert "x is first in 2 of 4 collections" in said
    assert "In 1 of them no two runs are compared by it." in said
    assert "The collections have 1 run in common" in said


@pytest.mark.slow
def test_a_family_of_all_pairs_ends_at_the_collection(e):
    given = {name: one.collection for name, one in e.collections.items()}
    both = lf.evaluate(given, measures=["RR", "AP"], family="all", test="t")
    alone = lf.evaluate(*given["a"], ["RR", "AP"], family="all", test="t")
    of_a = both.comparisons.filter(collection="a").drop("collection")
    assert of_a.equals(alone.comparisons)
    said = lf.verdict(both).filter(collection="a")["sentence"][0]
    assert "over the 2 pairs of all measures of the collection" in said
    assert "over the 2 pairs of all measures" in lf.verdict(alone)["sentence"][0]
    assert "over the 2 pairs of all measures of each collection" in both.latex(blocks=True)


def test_of_a_measure_whose_smaller_values_are_better_the_least_mean_is_first(e):
    given = {name: one.collection for name, one in e.collections.items()}
    said = lf.verdict(lf.evaluate(given, measures=["ASL"]))["sentence"][0]
    assert "By ASL, x is first in 2 of 3 collections" in said
    assert "By the mean over collections x is first, whichever of them is left out." in said


def test_comparisons_are_of_all_collections_of_the_evaluation(e):
    c = lf.compare(e, test="t")
    assert lf.verdict(e, c)["test"].unique().to_list() == ["t"]
    asked = {
        r"found none of 2 \('a', 'b'\); compare all": c.filter(collection="c"),
        "unknown collection of comparisons 'x'": c.with_columns(collection=pl.lit("x")),
        "comparisons of 3 collections, and the column collection, found none of": c.drop(
            "collection"
        ),
    }
    for message, comparisons in asked.items():
        with pytest.raises(lf.LexiframeError, match=message):
            lf.verdict(e, comparisons)
