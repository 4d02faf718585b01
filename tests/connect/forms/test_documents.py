"""JSON in which tools keep the rankings and judgments of all queries."""

import json

import pytest

import lexiframe as lf


def _hit(doc_id, score, rating):
    return {"hit": {"_index": "shop", "_id": doc_id, "_score": score}, "rating": rating}


RATED = [("q1", "d1", 3.0), ("q1", "d2", 0.0), ("q2", "d3", 1.0)]
JUDGMENT_LIST = {
    "name": "imported",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": "q1", "ratings": [{"docId": "d1", "rating": "3.000"},
                                    {"docId": "d2", "rating": "0.000"}]},
        {"query": "q2", "ratings": [{"rating": "1.000", "docId": "d3"}]},
    ],
}  # fmt: skip
REQUEST = {
    "requests": [
        {"id": "q1", "request": {"query": {"match": {"name": "a"}}},
         "ratings": [{"_index": "shop", "_id": "d1", "rating": 3},
                     {"_index": "shop", "_id": "d2", "rating": 0}]},
        {"id": "q2", "request": {}, "ratings": [{"_index": "shop", "_id": "d3", "rating": 1}]},
    ],
    "metric": {"precision": {"k": 10}},
}  # fmt: skip
RESPONSE = {
    "metric_score": 0.5,
    "details": {
        "q1": {"metric_score": 0.5, "unrated_docs": [{"_index": "shop", "_id": "d9"}],
               "hits": [_hit("d2", 1.5, 0), _hit("d9", 1.25, None), _hit("d1", 1.0, 3)],
               "metric_details": {"precision": {}}},
        "q2": {"metric_score": 1.0, "unrated_docs": [], "hits": [_hit("d3", 2.0, 1)],
               "metric_details": {}},
        "q3": {"metric_score": 0.0, "unrated_docs": [], "hits": [], "metric_details": {}},
    },
    "failures": {},
}  # fmt: skip
SNAPSHOT = {
    "id": 7,
    "name": "bm25",
    "docs": {"11": [{"id": "d2", "explain": "", "rated_only": False},
                    {"id": "d1", "explain": "", "rated_only": False},
                    {"id": "d8", "explain": "", "rated_only": True}],
             "12": [{"id": "d3", "explain": "", "rated_only": False}]},
    "queries": [{"query_id": 11, "query_text": "q1", "ratings": {"d1": 3, "d2": 0.0}},
                {"query_id": 12, "query_text": "q2", "ratings": {"d3": 1}}],
    "scores": [],
}  # fmt: skip
CASE = {"case_name": "shop", "queries": [
    {"query_text": "q1", "notes": None, "ratings": {"d1": 3, "d2": 0}},
    {"query_text": "q2", "notes": None, "ratings": {"d3": 1}},
]}  # fmt: skip
RATINGS = {"queries": [{"query": "q1", "ratings": {"d1": 3, "d2": 0}},
                       {"query": "q2", "ratings": {"d3": 1}}]}  # fmt: skip
QUESTIONS = {"questions": [{"id": "q1", "body": "Which?", "documents": ["d2", "d1"]},
                           {"id": "q2", "body": "Who?", "documents": ["d3"]}]}  # fmt: skip

JUDGED = {"list": JUDGMENT_LIST, "request": REQUEST, "snapshot": SNAPSHOT, "case": CASE,
          "ratings": RATINGS}  # fmt: skip
ALL = {**JUDGED, "response": RESPONSE, "questions": QUESTIONS}


def _given(document, how, path):
    """Return a document as it is, or a file of it."""
    if how == "in memory":
        return document
    path.write_text(json.dumps(document, indent=2 if how == "indented" else None))
    return path


def _judged(found):
    return [(row["query_id"], row["doc_id"], row["relevance"]) for row in found.to_pylist()]


@pytest.mark.parametrize("how", ["in memory", "one line"])
def test_response_of_rank_eval(how, tmp_path):
    given = _given(RESPONSE, how, tmp_path / "a.json")
    runs = lf.read_runs({"a": given}).to_pylist()
    assert [(row["doc_id"], row["score"]) for row in runs] == [
        ("d2", 1.5), ("d9", 1.25), ("d1", 1.0), ("d3", 2.0), (None, None)
    ]  # fmt: skip
    with pytest.warns(lf.LexiframeWarning, match="judgments of documents that were found"):
        judged = lf.read_qrels(given)
    assert sorted(_judged(judged)) == RATED  # d9 is not rated


def test_hits_without_scores_are_ranked_as_they_stand():
    hits = [_hit("d2", None, 0), _hit("d1", None, 3)]
    found = lf.read_runs({"a": {"details": {"q1": {"hits": hits}}}})
    assert found.select(["doc_id", "score", "rank"]).to_pylist() == [
        {"doc_id": "d2", "score": -1.0, "rank": 1}, {"doc_id": "d1", "score": -2.0, "rank": 2}
    ]  # fmt: skip


def test_answer_of_opensearch_to_a_request_for_a_list():
    def answer(*lists):
        return {"took": 3, "hits": {"total": {}, "hits": [{"_source": one} for one in lists]}}

    assert sorted(_judged(lf.read_qrels(answer(JUDGMENT_LIST)))) == RATED
    other = {**JUDGMENT_LIST, "name": "clicks"}
    with pytest.raises(lf.SchemaError, match=r"one judgment list .* found 2 \('imported'"):
        lf.read_qrels(answer(JUDGMENT_LIST, other))


def test_nothing_rated_is_refused():
    unrated = {"details": {"q1": {"hits": [_hit("d1", 1.0, None)]}}}
    with pytest.raises(lf.SchemaError, match="found a response of _rank_eval without any"):
        lf.read_qrels(unrated)


def test_empty_rating_and_other_text_are_refused(tmp_path):
    for bad, said in ((None, "found none"), ("high", "found 'high'|found int and str")):
        document = {"queries": [{"query": "q1", "ratings": {"d1": 3, "d2": bad}}]}
        for given in (document, _given(document, "one line", tmp_path / "a.json")):
            with pytest.raises(lf.LexiframeError, match=said):
                lf.read_qrels(given)


def test_broken_document_says_where_it_is_broken(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{\n"questions": [\n{"id": "q1", "documents": ["d1",]}\n]}')
    with pytest.raises(lf.ReadError, match="line 3"):
        lf.read_qrels(path)


def test_documents_and_predictions_on_the_command_line(tmp_path, lexiframe):
    for name, document in ALL.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    (tmp_path / "test.svm").write_text("2 qid:1 1:0.5 # d1\n0 qid:1 1:0.5 # d2\n")
    (tmp_path / "ltr.txt").write_text("0.5\n1.5\n")
    place = str(tmp_path)
    given = [
        (f"{place}/ratings.json", f"{place}/snapshot.json"),
        (f"{place}/request.json", f"{place}/response.json"),
        (f"{place}/questions.json", f"{place}/questions.json"),
        (f"{place}/test.svm", f"{place}/ltr.txt", "--rows", f"{place}/test.svm"),
    ]
    for arguments in given:
        found = lexiframe("evaluate", *arguments, "-m", "RR", "--format", "csv")
        assert (found.status, found.out.count("\n")) == (0, 2), found.err
    assert lexiframe("check", *given[3]).status == 0
    for name in JUDGED:
        assert lexiframe("check", f"{place}/{name}.json").status == 0


def test_list_of_null_and_an_object_is_no_judgment(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(JUDGMENT_LIST | {"judgmentRatings": [None, {"query": "q"}]}))
    with pytest.raises(lf.SchemaError, match="expected the columns query_id, doc_id, relevance"):
        lf.read_qrels(path)


SCORED = {"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q1": {"d2": 0.5}, "q2": {"d3": 0.5}}}


@pytest.mark.parametrize("runs", [{"q1": ["d1", "d2", "d1"]}, {"a": {"q1": ["d1", "d2", "d1"]}}])
def test_a_document_that_occurs_twice_in_a_list_is_listed(runs, tmp_path):
    found = lf.check_run(_given(runs, "one line", tmp_path / "a.json"))
    assert found["found"].to_list() == ["'d1' of query 'q1' in row 3 again, after row 1"]


def test_a_broken_run_in_a_file_of_several_is_named(tmp_path):
    runs = SCORED | {"c": {"q1": {"d1": "high"}}}
    with pytest.raises(lf.SchemaError, match=r"a\.json, run c: .* found 'high'"):
        lf.read_runs(_given(runs, "one line", tmp_path / "a.json"))


LISTS = {
    "names of columns": (
        {"expected_ids": ["d1"], "retrieved_ids": ["d2", "d3"]},
        "expected the query of each list of documents, found names of columns: expected_ids, ret",
    ),
    "numbers of some": (
        {"q1": ["d1", ["d2", 0.5]]},
        "expected a number with each document, or with none, found documents with a number and w",
    ),
}


@pytest.mark.parametrize("case", LISTS)
@pytest.mark.parametrize("read", [lf.read_runs, lf.read_qrels])
def test_lists_that_are_not_by_query_or_have_some_numbers_are_refused(case, read, tmp_path):
    lists, message = LISTS[case]
    file = tmp_path / "a.json"
    file.write_text(json.dumps(lists))
    for given, where in ((lists, ""), (file, "a.json")):
        with pytest.raises(lf.SchemaError, match=f"{where}.*{message}"):
            read(given)
