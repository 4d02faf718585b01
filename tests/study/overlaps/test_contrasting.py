"""Where two runs differ most: the requests by overlap, and both tops side by side."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import judgments, rankings
from tests.strategies import collections

pytestmark = pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")

RUNS = {
    "X": {"same": {"a": 3, "b": 2}, "other": {"a": 3, "b": 2, "c": 1}, "some": {"a": 2, "b": 1}},
    "Y": {"same": {"a": 3, "b": 2}, "other": {"d": 3, "c": 2}, "some": {"b": 2, "d": 1}},
    "Z": {"same": {"a": 1}},
}


def test_requests_by_overlap_and_both_tops():
    table = lf.contrasting(RUNS, "X", "Y", n=2, depth=2, qrels={"other": {"b": 2, "d": 0}})
    shown = table.select("query_id", "place", "doc_a", "position_in_b", "in_top_b", "relevance_a")
    assert shown.rows() == [
        ("other", 1, "a", None, False, None),
        ("other", 2, "b", None, False, 2.0),
        ("some", 1, "a", None, False, None),
        ("some", 2, "b", 1, True, None),
    ]
    shown = table.select("doc_b", "position_in_a", "in_top_a", "relevance_b")
    assert shown.rows() == [
        ("d", None, False, 0.0),
        ("c", 3, False, None),
        ("b", 2, True, None),
        ("d", None, False, None),
    ]
    assert table.select("run_a", "run_b", "measure").unique().rows() == [("X", "Y", "RBO(p=0.9)")]


def test_a_shorter_ranking_and_an_empty_one():
    table = lf.contrasting({"X": {"q": {}, "r": {"a": 1}}, "Y": {"q": {"b": 1}, "r": {}}}, "X", "Y")
    assert table.select("query_id", "value", "doc_a", "in_top_b", "doc_b", "in_top_a").rows() == [
        ("q", 0, None, None, "b", False),
        ("r", 0, "a", False, None, None),
    ]


@given(collections(min_runs=3, max_runs=3), st.integers(1, 3), st.integers(1, 4))
def test_it_is_that_of_plain_loops(collection, n, depth):
    answers = rankings(collection.runs)
    a, b, *_ = sorted({*answers, "a", "b"})
    queries = [{*answers.get(run, {})} for run in (a, b)]
    if not queries[0] & queries[1]:
        with pytest.raises(lf.LexiframeError):
            lf.contrasting(collection.runs, a, b)
        return
    lists = {
        q: [oracle.order(answers[run].get(q, [])) for run in (a, b)]
        for q in queries[0] | queries[1]
    }
    value = {q: oracle.jaccard(x[:3], y[:3]) for q, (x, y) in lists.items()}
    grades = judgments(collection.qrels)
    expected = []
    for q in sorted(lists, key=lambda q: (value[q], q))[:n]:
        x, y = lists[q]
        for place in range(min(depth, max(len(x), len(y)))):
            row = [q, place + 1, pytest.approx(value[q])]
            for mine, other in ((x, y), (y, x)):
                doc = mine[place] if place < len(mine) else None
                at = oracle.position(other, doc)
                in_top = None if doc is None else at is not None and at <= depth
                row += [doc, at, in_top, grades.get(q, {}).get(doc)]
            expected.append(tuple(row))
    table = lf.contrasting(
        collection.runs, a, b, "Jaccard@3", n=n, depth=depth, qrels=collection.qrels
    )
    assert table.drop("run_a", "run_b", "measure").rows() == expected


def test_requests_of_each_group():
    kinds = pl.DataFrame({"query_id": ["same", "other", "some"], "kind": ["x", "y", "y"]})
    table = lf.contrasting(RUNS, "X", "Y", n=1, depth=1, requests=kinds, by="kind")
    assert table.select("kind", "query_id", "place").rows() == [("x", "same", 1), ("y", "other", 1)]


def test_only_the_files_of_the_two_runs_are_read(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("q Q0 d 1 1 x\n")
    (tmp_path / "broken.run").write_text("q Q0\n")
    assert lf.contrasting(tmp_path, "a", "b").height == 1


def test_what_is_no_pair_of_runs_is_an_error():
    with pytest.raises(lf.UnknownNameError, match="unknown run 'x'; did you mean X"):
        lf.contrasting(RUNS, "x", "Y")
    with pytest.raises(lf.LexiframeError, match="expected the names of two runs, found 'X' twice"):
        lf.contrasting(RUNS, "X", "X")
    with pytest.raises(lf.LexiframeError, match="expected one measure, found Jaccard, RBO"):
        lf.contrasting(RUNS, "X", "Y", "RBO Jaccard")
    with pytest.raises(lf.LexiframeError, match="contrasting: expected n to be a whole number fro"):
        lf.contrasting(RUNS, "X", "Y", n=0)
    with pytest.raises(lf.LexiframeError, match="depth: expected a whole number from 1, found 0"):
        lf.contrasting(RUNS, "X", "Y", depth=0)


@pytest.mark.filterwarnings("default::lexiframe.LexiframeWarning")
def test_repeated_judgments_are_counted():
    qrels = pl.DataFrame({"query_id": "some", "doc_id": ["b", "b"], "relevance": [1.0, 2.0]})
    with pytest.warns(lf.LexiframeWarning, match="repeated a document, removed: 1"):
        table = lf.contrasting(RUNS, "X", "Y", qrels=qrels, duplicates="best")
    assert {*table["relevance_a"].drop_nulls()} == {2.0}
