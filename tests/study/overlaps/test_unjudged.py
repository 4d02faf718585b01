"""Which documents to judge next: their weights, and that judging by weight pays."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import lexiframe as lf
from tests import oracle
from tests.frames import judgments, rankings
from tests.strategies import collections

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

RUNS = {"X": {"q": {"a": 3, "b": 2, "c": 1}}, "Y": {"q": {"c": 3, "a": 2, "d": 1}}}


@given(
    collections(ranks=True, duplicates=True),
    st.integers(1, 12),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from(["doc_id_desc", "doc_id_asc", "input"]),
)
def test_it_is_that_of_plain_loops(collection, depth, gamma, ties):
    """Negative grades are no judgments; requests without judgments are ignored."""
    expected = {}
    answers = rankings(collection.runs)
    for query, grades in judgments(collection.qrels).items():
        lists = {run: oracle.order(of_run.get(query, []), ties) for run, of_run in answers.items()}
        judged = {d for d, grade in grades.items() if grade >= 0}
        for d, found in oracle.holes(lists, judged, depth, gamma).items():
            expected[query, d] = found
    policies = {"ties": ties, "duplicates": "best"}
    table = lf.unjudged(*collection, depth, gamma, **policies)
    found = {(q, d): rest for q, d, *rest in table.rows()}
    assert found.keys() == expected.keys()
    for key, (n_runs, best, weight) in expected.items():
        assert found[key][:3] == [n_runs, best, pytest.approx(weight, abs=1e-14)]
    weights = table["weight"].to_numpy()
    # weights that are equal in 14 digits tie, whatever is behind these
    assert (np.diff(weights) <= 1e-13 * weights[1:]).all()
    np.testing.assert_allclose(table["share"], weights / max(weights.sum(), 1e-300), atol=1e-14)
    np.testing.assert_allclose(table["cumulated_share"], np.cumsum(table["share"]), atol=1e-12)
    assert not table.height or table["cumulated_share"][-1] == 1


def test_a_small_difference_of_weights_counts():
    """A document that one more run has far down comes first, though its id is the last."""
    runs = {
        "one": {"q": {"z": 9.0, "a": 8.0}},
        "two": {"q": {"a": 9.0, "z": 8.0}},
        "three": {"q": {**{f"j{n:02}": 99.0 - n for n in range(41)}, "z": 1.0}},
    }
    judged = {"q": {f"j{n:02}": 1 for n in range(41)}}
    assert lf.unjudged(runs, judged, 10, 0.5)["doc_id"].to_list() == ["z", "a"]


def test_the_weight_is_that_of_all_ranks_and_the_number_of_runs_that_of_tops():
    table = lf.unjudged(RUNS, {"q": {"a": 1}}, depth=1, gamma=0.5)
    assert table.rows() == [("q", "c", 1, 1, 0.625, 1.0, 1.0)]


def test_the_order_of_runs_and_rows_changes_no_bit():
    folder = lf.bundled("example")
    runs, qrels = pl.DataFrame(lf.read_runs(folder / "runs")), lf.read_qrels(folder / "qrels.txt")
    table = lf.unjudged(runs, qrels.slice(0, 9))
    assert lf.unjudged(runs.sample(fraction=1, shuffle=True, seed=1), qrels.slice(0, 9)).equals(
        table
    )


def test_groups_have_shares_of_their_own():
    runs = {"X": {"q": {"a": 2, "b": 1}, "r": {"c": 1}}}
    kinds = pl.DataFrame({"query_id": ["q", "r"], "kind": ["x", "y"]})
    negative = {"q": {"z": -1}, "r": {"z": -1}}
    table = lf.unjudged(runs, negative, requests=kinds, by="kind")
    assert table.columns[0] == "kind"
    assert table.select("kind", "doc_id", "cumulated_share").rows() == [
        ("x", "a", pytest.approx(1 / 1.8)),
        ("x", "b", 1),
        ("y", "c", 1),
    ]


def test_what_is_not_looked_at_is_counted():
    with pytest.warns(lf.LexiframeWarning) as caught:
        lf.unjudged({"X": {"q": {"a": 1}, "r": {"a": 1}}, "Y": {"r": {"a": 1}}}, {"q": {"b": 0}})
    assert str(caught[0].message) == (
        "rankings missing, counted as empty: 1; rankings for requests without judgments, ignored: 2"
    )
    qrels = pl.DataFrame({"query_id": "q", "doc_id": ["b", "b"], "relevance": [0, 1]})
    with pytest.warns(lf.LexiframeWarning, match="repeated judgments, removed: 1"):
        lf.unjudged({"X": {"q": {"a": 1}}}, qrels, duplicates="best")


def test_all_documents_judged():
    table = lf.unjudged(RUNS, {"q": dict.fromkeys("abcd", 0)})
    assert table.is_empty()
    assert table.columns == lf.unjudged(RUNS, {"q": {"a": 1}}).columns


def test_wrong_arguments_are_errors():
    with pytest.raises(
        lf.LexiframeError, match="unjudged: expected gamma between 0 and 1, found 1"
    ):
        lf.unjudged(RUNS, {"q": {"a": 1}}, gamma=1)
    with pytest.raises(lf.LexiframeError, match="depth: expected a whole number from 1"):
        lf.unjudged(RUNS, {"q": {"a": 1}}, depth=0)
    with pytest.raises(lf.LexiframeError, match="runs and qrels have no query in common"):
        lf.unjudged(RUNS, {"1": {"a": 1}})


def settled(runs, qrels, order):
    """τ of the order of runs by RBP with the final order, while judgments become known in turn."""
    p = lf.positions(runs, qrels).filter(pl.col("position").is_not_null())
    p = p.select("run", "query_id", "doc_id", rbp=0.2 * 0.8 ** (pl.col("position") - 1.0))

    def means(known):
        found = p.join(known, on=["query_id", "doc_id"], how="semi")
        means = found.group_by("run").agg(pl.col("rbp").sum())
        every = runs.select("run").unique().sort("run").join(means, on="run", how="left")
        return every.sort("run")["rbp"].fill_null(0).to_numpy()

    final = means(p)
    shares = [0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, *np.arange(0.2, 1.05, 0.1)]
    known = (means(order.head(round(share * order.height))) for share in shares)
    return [kendalltau(final, values).statistic for values in known]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, sooner",
    [
        ("trec_web_2012", "weight"),
        ("clef_ehealth_2014", "weight"),
        ("trec_robust_2003", "depth"),
    ],
)
def test_which_of_weight_and_depth_settles_the_order_of_runs_sooner(shared, name, sooner):
    """From no judgments on, the same documents by falling weight and by rising depth.

    The one whose τ is greater on average, over shares of the judgments, is sooner. Documents of
    the same depth are in random order, three times. By weight is not always sooner: a document that
    all runs return has much weight, and does not tell them apart.
    """
    folder = shared / "data" / name
    runs = pl.DataFrame(lf.read_runs(folder / "runs"))
    qrels = pl.DataFrame(lf.read_qrels(folder / "qrels.trec", duplicates="best"))
    queries = qrels["query_id"].unique()
    nothing = pl.DataFrame({"query_id": queries, "doc_id": "-", "relevance": -1.0})
    judged = qrels.filter(pl.col("relevance") >= 0)
    by_weight = lf.unjudged(runs, nothing).join(
        judged, on=["query_id", "doc_id"], how="semi", maintain_order="left"
    )
    weight = np.mean(settled(runs, qrels, by_weight))
    for seed in range(3):
        shuffled = by_weight.sample(fraction=1, shuffle=True, seed=seed)
        depth = np.mean(settled(runs, qrels, shuffled.sort("best_position", maintain_order=True)))
        assert (weight > depth) == (sooner == "weight")
