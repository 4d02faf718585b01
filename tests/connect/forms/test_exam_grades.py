"""The grades of RUBRIC and EXAM++ as judgments by question, and grades off a judge's scale."""

import json
import re

import polars as pl
import pytest

import lexiframe as lf


def rated(query, document, **grades):
    ratings = [{"nugget_id": name, "self_rating": grade} for name, grade in grades.items()]
    passage = {"paragraph_id": document, "exam_grades": [{"self_ratings": ratings}]}
    return [query, [passage, {"paragraph_id": "not graded"}]]


@pytest.fixture
def write(tmp_path):
    def written(*lines, name="graded.jsonl"):
        file = tmp_path / name
        texts = (one if isinstance(one, str) else json.dumps(one) for one in lines)
        file.write_text("".join(f"{text}\n" for text in texts))
        return file

    return written


@pytest.mark.conformance
def test_the_cover_of_exam_is_subtopic_recall(shared):
    folder = shared / "conformance" / "nuggets" / "rubric"
    qrels = lf.read_qrels(folder / "graded.jsonl.gz", max_grade=5)
    wanted = pl.read_parquet(folder / "qrels.parquet")
    found = pl.DataFrame(qrels).sort("query_id", "iteration", "doc_id")
    wanted = wanted.sort("query_id", "subtopic", "doc_id")
    assert found.rows() == wanted.select("query_id", "subtopic", "doc_id", "grade").rows()


def test_questions_are_subtopics(write):
    file = write(rated("q", "d", who=4, when=1), rated("p", "e", who=0))
    qrels = lf.read_qrels(file)
    assert [tuple(row.values()) for row in qrels.to_pylist()] == [
        ("q", "who", "d", 4), ("q", "when", "d", 1), ("p", "who", "e", 0),
    ]  # fmt: skip
    both = rated("q", "d", who=4, when=1), rated("q", "e", when=4)
    p = lf.positions({"a": {"q": {"d": 1}}}, write(*both), subtopics=True)
    assert lf.scores(p, "strec(rel=4)@1")["value"].to_list() == [0.5]
    assert lf.check_qrels(file).is_empty()


WRONG = {
    "no passages": (
        [["q"], rated("p", "d", who=1)],
        "line 1: expected a list of the query's id and its passages",
    ),
    "cut": ([rated("q", "d", who=1), '["p", [{"exam_grades'], "line 2: expected JSON, found '[\"p"),
    "no document": (
        [["q", [{"exam_grades": []}]]],
        "line 1: expected the key paragraph_id, found exam_grades at [1][0]",
    ),
    "no number": (
        [rated("q", "d", who="high")],
        "line 1: expected a number, found 'high' at [1][0].exam_grades[0].self_ratings[0].self_rat",
    ),
    "no grades": (
        [["q", [{"paragraph_id": "d", "exam_grades": []}]]],
        "expected self_ratings of passages, found none",
    ),
    "a grade twice": (
        [rated("q", "d", who=1), rated("q", "d", who=2)],
        "the document 'd' is judged more than once for query 'q', with the grades 1 and 2",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_line_and_key(write, case):
    lines, message = WRONG[case]
    with pytest.raises(lf.LexiframeError, match=re.escape(message)):
        lf.read_qrels(write(*lines))


def test_they_are_no_runs(write):
    with pytest.raises(lf.LexiframeError, match="found grades of RUBRIC or EXAM"):
        lf.read_runs(write(rated("q", "d", who=1)))


def test_grades_off_the_scale_are_refused_with_their_line(write):
    file = write("q 0 a 3", "q 0 b 0", "q 0 c 5", "p 0 a 10", name="umbrela.qrels")
    assert lf.read_qrels(file, max_grade=10).num_rows == 4
    message = (
        "umbrela.qrels, line 3: expected grades from 0 to 3, found 2 (5.0, 10.0), the first of"
    )
    with pytest.raises(lf.ReadError, match=re.escape(message)):
        lf.read_qrels(file, max_grade=3)
    with pytest.raises(lf.LexiframeError, match="read_qrels: expected max_grade above 0, found 0"):
        lf.read_qrels(file, max_grade=0)
    with pytest.raises(lf.ReadError, match="row 2: expected grades from 0 to 3, found 1"):
        lf.read_qrels({"q": {"a": 1, "b": -1}}, max_grade=3)
