"""Boundaries of positions, by hand: least grade, repeated and missing rows, parts, imputation."""

import polars as pl
import pytest

import lexiframe as lf

RUNS = {"x": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"d": 1.0}}}
QRELS = {"q1": {"a": 1, "c": 2, "e": 1, "f": 3, "g": 0}, "q2": {"d": 2}}


def placed(p, *columns):
    return p.sort("query_id", "doc_id").select("doc_id", *columns).rows()


def test_any_grade_above_0_may_be_the_least_relevant_one():
    p = lf.positions(RUNS, QRELS, rel=0.5)
    assert placed(p, "position") == [("a", 1), ("c", 3), ("e", None), ("f", None), ("d", 1)]
    assert placed(lf.positions(RUNS, QRELS, rel=2), "position")[:2] == [("c", 3), ("f", None)]
    with pytest.raises(lf.LexiframeError, match="expected a positive grade, found 0"):
        lf.positions(RUNS, QRELS, rel=0)


def test_a_repeated_document_is_refused_or_counts_where_it_is_best():
    rows = {"run": "x", "query_id": "q2", "doc_id": ["z", "d", "d"], "score": [2.0, 3.0, 1.0]}
    twice = pl.DataFrame(rows)
    with pytest.raises(lf.LexiframeError, match="'d' occurs more than once"):
        lf.positions(twice, {"q2": QRELS["q2"]})
    with pytest.warns(lf.LexiframeWarning, match="^rows that repeated a document, removed: 1 .see"):
        p = lf.positions(twice, {"q2": QRELS["q2"]}, duplicates="best")
    assert p.select("position", "n_retrieved").rows() == [(1, 2)]


def test_rankings_that_are_missing_are_counted_and_no_others():
    few = {"x": {"q2": {"d": 1.0}}}
    with pytest.warns(lf.LexiframeWarning, match="^rankings missing, counted as empty: 1 .see"):
        p = lf.positions(few, QRELS)
    assert p.filter(query_id="q1")["position"].null_count() == 4


def test_runs_called_alike_are_parts_where_no_request_is_answered_by_two():
    of = {"q1": {"a": 1.0}, "q2": {"d": 1.0}}
    assert lf.positions({"x1": of, "x2": of}, QRELS)["run"].n_unique() == 2
    parts = {"x1": {"q1": of["q1"]}, "x2": {"q2": of["q2"]}}
    with pytest.warns(lf.LexiframeWarning) as caught:
        lf.positions(parts, QRELS)
    assert "x1" in str(caught[0].message) + str(caught[-1].message)


@pytest.mark.parametrize(
    "how, expected",
    [("pessimistic", {"e": (9, 3), "f": (10, 4)}), ("optimistic", {"f": (4, 3), "e": (5, 4)})],
)
def test_omitted_items_get_the_last_ranks_or_the_next_by_grade(how, expected):
    p = lf.positions(RUNS, QRELS, judged=True).filter(query_id="q1")
    found = lf.impute(p, corpus_size=10, how=how)
    rows = {doc: (position, level) for doc, position, level in placed(found, "position", "level")}
    assert rows.items() >= expected.items()
    assert rows["a"] == (1, 1)
    assert rows["g"] == (None, None)  # it is judged and not relevant


def test_an_option_by_collection_names_collections_that_are_there():
    both = {"A": (RUNS, QRELS), "B": (RUNS, QRELS)}
    p = lf.positions(both, rel={"A": 2, "B": 1})
    assert p.group_by("collection").len().sort("collection")["len"].to_list() == [3, 5]
    with pytest.raises(lf.UnknownNameError, match="'C'"):
        lf.positions(both, rel={"A": 2, "C": 1})
