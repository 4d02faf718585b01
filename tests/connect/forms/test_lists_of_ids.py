"""Rankings and judgments as lists of ids: in memory, in columns, and in JSON."""

import json

import numpy as np
import polars as pl
import pytest

import lexiframe as lf

RANKED = [("1", "b", 1), ("1", "a", 2), ("2", "c", 1)]
JUDGED = [("1", "a", 1.0), ("2", "c", 1.0), ("2", "d", 1.0)]
SIDE_BY_SIDE = [
    {"query": "1", "retrieved_ids": ["b", "a"], "expected_ids": ["a"]},
    {"query": "2", "retrieved_ids": ["c"], "expected_ids": ["c", "d"]},
]


def ranks(table):
    return [(r["query_id"], r["doc_id"], r["rank"]) for r in table.to_pylist()]


def scores(table):
    return [(r["query_id"], r["doc_id"], r["score"]) for r in table.to_pylist()]


def grades(table):
    return sorted((r["query_id"], r["doc_id"], r["relevance"]) for r in table.to_pylist())


LISTS = {"1": ["b", "a"], "2": ["c"]}
RELEVANT = {"1": ["a"], "2": ["c", "d"]}


def test_lists_and_sets_in_memory(tmp_path):
    assert ranks(lf.read_runs(LISTS)) == RANKED
    assert ranks(lf.read_runs({"1": ("b", "a"), "2": ("c",)})) == RANKED
    several = lf.read_runs({"one": LISTS, "two": {"1": ["a"]}})
    assert several["run"].to_pylist() == ["one"] * 3 + ["two"]
    assert grades(lf.read_qrels(RELEVANT)) == JUDGED
    assert grades(lf.read_qrels({q: set(ids) for q, ids in RELEVANT.items()})) == JUDGED
    pairs = {"1": [("b", 2.5), ("a", 1.5)], "2": [("c", 0.5)]}
    assert scores(lf.read_runs(pairs)) == [("1", "b", 2.5), ("1", "a", 1.5), ("2", "c", 0.5)]
    assert grades(lf.read_qrels({7: [(10, 2), (11, 0)]})) == [("7", "10", 2), ("7", "11", 0)]
    path = tmp_path / "lists.json"
    for text in (json.dumps(LISTS), json.dumps(LISTS, indent=1)):
        path.write_text(text)
        assert ranks(lf.read_runs(path)) == RANKED
        assert lf.check_run(path).height == 0
    path.write_text(json.dumps(RELEVANT))
    assert grades(lf.read_qrels(path)) == JUDGED
    assert lf.scores(lf.positions(LISTS, RELEVANT), "RR")["value"].to_list() == [0.5, 1.0]


def test_tables_by_columns_and_by_rows(tmp_path):
    columns = {"Query_ID": ["1", "1", "2"], "docID": ["b", "a", "c"], "Score": [3.0, 2.0, 1.0]}
    expected = [("1", "b", 3.0), ("1", "a", 2.0), ("2", "c", 1.0)]
    assert scores(lf.read_runs(columns)) == expected
    rows = pl.DataFrame(columns).to_dicts()
    assert scores(lf.read_runs(rows)) == expected
    for indent in (None, 1):
        (tmp_path / "a.json").write_text(json.dumps(columns, indent=indent))
        assert scores(lf.read_runs(tmp_path / "a.json")) == expected
    with pytest.raises(lf.SchemaError, match=r"columns of one length, found .* Score of 2"):
        lf.read_runs(columns | {"Score": [3.0, 2.0]})
    assert ranks(lf.read_runs(SIDE_BY_SIDE)) == RANKED
    assert grades(lf.read_qrels(SIDE_BY_SIDE)) == JUDGED


def test_texts_of_lists_in_a_column_of_one_document(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("""query_id,doc_id\n1,"['b', 'a']"\n2,['c']\n""")
    assert ranks(lf.read_runs(path)) == RANKED
    path.write_text("""query_id,doc_id,score\n1,"['b', 'a']","[2.5, 1]"\n2,['c'],[3]\n""")
    assert scores(lf.read_runs(path)) == [("1", "b", 2.5), ("1", "a", 1.0), ("2", "c", 3.0)]
    path.write_text("""query_id,doc_id,relevance\n1,"['a']",1\n2,"[""c"", ""d""]",1\n""")
    assert grades(lf.read_qrels(path)) == JUDGED
    bracketed = pl.DataFrame({"query_id": ["1"], "doc_id": ["[7]"], "score": [1.0]})
    assert lf.read_runs(bracketed)["doc_id"].to_pylist() == ["[7]"]
    commas = pl.DataFrame({"query_id": ["1"], "doc_ids": ["""["a, b", 'c', d]"""]})
    assert lf.read_runs(commas)["doc_id"].to_pylist() == ["a, b", "c", "d"]


def test_objects_with_a_document_by_their_queries(tmp_path):
    path = tmp_path / "a.json"
    given = {"1": [{"docid": "b", "score": 2.5, "text": "x"}, {"docid": "a", "score": 1}], "2": []}
    expected = [("1", "b", 2.5), ("1", "a", 1.0), ("2", None, None)]
    for indent in (None, 1):
        path.write_text(json.dumps(given, indent=indent))
        assert scores(lf.read_runs(path)) == scores(lf.read_runs(given)) == expected
    path.write_text(json.dumps({"bm25": given}))
    assert lf.read_runs(path).to_pylist() == lf.read_runs({"bm25": given}).to_pylist()
    judged = {"1": [{"doc_id": "a", "relevance": 2}]}
    assert grades(lf.read_qrels(judged)) == [("1", "a", 2.0)]
    with pytest.raises(lf.SchemaError, match="this looks like qrels, given as a run"):
        lf.read_runs(judged)
    named = {"results": [{"qid": "1", "docid": "b", "score": 1.5}]}
    path.write_text(json.dumps(named))
    assert scores(lf.read_runs(path)) == [("1", "b", 1.5)]


@pytest.mark.parametrize("odd", [None, [2.5, "b"], ["b", "2.5"], True])
def test_lists_of_something_else_name_it(odd, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"1": ["a"], "2": [odd]}))
    with pytest.raises(lf.ReadError, match=r"expected ids, or pairs .* of query '2'"):
        lf.read_runs(path)


def test_one_id_in_each_cell_of_a_column_of_ids(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("query_id,retrieved_ids\n1,b\n2,c\n")
    assert ranks(lf.read_runs(path)) == [("1", "b", 1), ("2", "c", 1)]
    path.write_text("query_id,retrieved_ids,score\n1,b,2.5\n1,a,1.5\n2,c,0.5\n")
    assert scores(lf.read_runs(path)) == [("1", "b", 2.5), ("1", "a", 1.5), ("2", "c", 0.5)]


def test_arrays_in_memory():
    arrays = {query: np.array(ids) for query, ids in LISTS.items()}
    assert ranks(lf.read_runs(arrays)) == RANKED
    assert lf.read_runs({"one": arrays})["run"].to_pylist() == ["one"] * 3
    assert grades(lf.read_qrels({q: np.array(ids) for q, ids in RELEVANT.items()})) == JUDGED
    numbers = lf.read_runs({7: [np.int64(10), np.int64(11)]})
    assert ranks(numbers) == [("7", "10", 1), ("7", "11", 2)]


def test_two_columns_of_ids_are_refused():
    frame = pl.DataFrame({"query": ["1"], "retrieved": [["a"]], "ranked_ids": [["b"]]})
    with pytest.raises(lf.SchemaError, match="expected one column of documents, found 2"):
        lf.read_runs(frame)
    assert ranks(lf.read_runs(frame, columns={"doc_id": "retrieved"})) == [("1", "a", 1)]


def test_names_in_any_case_and_style(tmp_path):
    for names in (
        ("Query_ID", "DocID", "Score"), ("QUERY_ID", "documentId", "SCORE"),
        ("userId", "itemId", "Prediction"), ("query id", "corpus_id", "score"),
    ):  # fmt: skip
        path = tmp_path / "a.csv"
        path.write_text(",".join(names) + "\n1,b,2.5\n1,a,1.5\n")
        assert scores(lf.read_runs(path)) == [("1", "b", 2.5), ("1", "a", 1.5)]
        row = dict(zip(names, ("1", "b", 2.5), strict=True))
        path = tmp_path / "a.jsonl"
        path.write_text(json.dumps(row) + "\n")
        assert scores(lf.read_runs(path)) == [("1", "b", 2.5)]
    for user, item in (("qid", "pid"), ("userId", "movieId")):  # of MS MARCO, and of MovieLens
        one = pl.DataFrame({user: ["1"], item: ["a"], "rank": [1]})
        assert ranks(lf.read_runs(one)) == [("1", "a", 1)]
    both = pl.DataFrame({"query_id": ["1"], "Query_ID": ["2"], "doc_id": ["a"], "score": [1.0]})
    assert lf.read_runs(both)["query_id"].to_pylist() == ["1"]
    two = both.rename({"query_id": "QUERY_ID"})
    with pytest.raises(lf.SchemaError, match="could each be query_id"):
        lf.read_runs(two)


def test_two_lists_of_one_query_are_refused():
    frame = pl.DataFrame({"query_id": ["1", "1"], "retrieved": [["a"], ["b"]]})
    with pytest.raises(lf.SchemaError, match="one list of documents for each query, found 1"):
        lf.read_runs(frame)
    assert lf.read_runs(frame.with_columns(run=pl.Series(["x", "y"]))).num_rows == 2
    judged = frame.rename({"retrieved": "relevant"})
    assert lf.read_qrels(judged)["doc_id"].to_pylist() == ["a", "b"]
