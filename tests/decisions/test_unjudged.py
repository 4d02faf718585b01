"""Which documents to judge next: their weights, and that judging by weight pays."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert (np.diff(weights) <= 1e-14).all()
    np.testing.assert_allclose(table["share"], weights / max(weights.sum(), 1e-300), atol=1e-14)
    np.testing.assert_allclose(table["cumulated_share"], np.cumsum(table["share"]), atol=1e-12)
    assert not table.height or table["cumulated_share"][-1] == 1


def test_the_weight_is_that_of_all_ranks_and_the_number_of_runs_that_of_tops():
    table = lf.unjudged(RUNS, {"q": {"a": 1}}, depth=1, gamma=0.5)
    assert table.rows() == [("q", "c", 1, 1, 0.625, 1.0, 1.0)]


def test_documents_of_equal_weight_are_in_the_order_of_positions_and_names():
    runs = {"X": {"r": {"b": 2, "x": 1}, "q": {"b": 2, "x": 1}}, "Y": {"q": {"a": 2, "x": 1}}}
    table = lf.unjudged(runs, {"q": {"x": 1}, "r": {"x": 1}})
    assert table.select("query_id", "doc_id").rows() == [("q", "a"), ("q", "b"), ("r", "b")]


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
