"""All problems of a file at once: what reading refuses, line by line, and nothing else."""

import gzip

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.schemas import PROBLEMS

GOOD = "q1 Q0 d1 1 2.5 x\n"
BAD = """\
# a comment
q1 Q0 d1 1 2.5 x

q1 Q0 d2
q1 Q0 d3 3 high x
q1 Q0 d1 4 0.5 x
q1 Q0 d4 4 NaN x
q2 Q0 d1 1 1 x
q2  Q0\td1 1 1 x
"""


def said(problems):
    return problems.select("line", "problem", "found").rows()


def test_all_problems_of_a_run(write):
    path = write(BAD)
    problems = lf.check_run(path)
    assert dict(problems.schema) == PROBLEMS.columns
    assert said(problems) == [
        (4, "fields", "3: 'q1 Q0 d2'"),
        (5, "number", "'high': 'q1 Q0 d3 3 high x'"),
        (6, "duplicate", "'d1' of query 'q1' again, after line 2"),
        (7, "number", "'NaN': 'q1 Q0 d4 4 NaN x'"),
        (9, "duplicate", "'d1' of query 'q2' again, after line 8"),
    ]
    assert problems["file"].unique().to_list() == [str(path)]
    with pytest.raises(
        lf.ReadError, match=r"line 4: expected 6 fields .*\(4 more: lexiframe.check_run lists"
    ):
        lf.read_runs(path)


def test_a_file_in_order_has_no_problems(write):
    for data in (
        GOOD,
        GOOD.replace(" ", "\t"),
        gzip.compress(GOOD.encode()),
        "qid,docno,score\n1,2,3",
    ):
        assert lf.check_run(write(data)).is_empty()
    assert lf.check_qrels(write("q1 0 d1 1\nq1 1 d1 1")).is_empty()


def test_all_problems_of_qrels(write):
    text = "q1 0 d1 1\nq1 0 d1 2\nq1 1 d1 2\nq1 0 d2 yes\nq1 0 d3 1 5\n"
    assert said(lf.check_qrels(write(text))) == [
        (2, "duplicate", "'d1' of query 'q1' again, after line 1"),
        (4, "number", "'yes': 'q1 0 d2 yes'"),
        (5, "fields", "5: 'q1 0 d3 1 5'"),
    ]


def test_bytes_that_are_no_text(write):
    problems = lf.check_run(write(GOOD.encode() + b"q1 Q0 d\xe9 2 1 x\nq1 Q0 d3 3 1 x\n"))
    assert said(problems) == [(2, "encoding", r"the bytes b'\xe9 2 '")]


def test_a_table_of_text(write):
    text = "qid,docno,score\n1,a,0.5\n1,b,high\n1,a,0.1\n1,c,\n"
    assert said(lf.check_run(write(text))) == [
        (3, "number", "'high'"),
        (4, "duplicate", "'a' of query '1' again, after line 2"),
        (5, "number", "''"),
    ]
    assert said(lf.check_run(write("qid,docno,score\n1,a,0.5\n1,b\n1,c,1,2\n"))) == [
        (3, "fields", "2: '1,b'"),
        (4, "fields", "4: '1,c,1,2'"),
    ]
    text = "qid,docno,score\n1,a,0.5\n1,b,0.4\n1,a,0.1\n"
    assert said(lf.check_run(write(text))) == [
        (4, "duplicate", "'a' of query '1' again, after line 2")
    ]


def test_all_problems_of_a_table_of_text(write):
    text = """\
qid,docno,score

q1,d1,1
q1,d1,2
q1,,3
"q1",d4,x
q1,d5,nan
"q
1",d6,1
,d7,1
q1,"d1",0
q1,d8
"""
    path = write(text)
    assert said(lf.check_run(path)) == [
        (4, "duplicate", "'d1' of query 'q1' again, after line 3"),
        (5, "id", "an empty one"),
        (6, "number", "'x'"),
        (7, "number", "'nan'"),
        (10, "id", "an empty one"),
        (11, "duplicate", "'d1' of query 'q1' again, after line 3"),
        (12, "fields", "2: 'q1,d8'"),
    ]
    for row, name in ("q1,,3", "docno"), (",d7,1", "qid"):
        path = write(f"qid,docno,score\n\nq1,d1,1\n{row}\n")
        with pytest.raises(lf.ReadError, match=f"line 4: .* as {name}, .*; give it an id, or"):
            lf.read_runs(path)
    text = "qid\tdocno\tlabel\nq\td\t1\nq\td\t2\nq\te\tinf\nq\t\t1\n"
    assert said(lf.check_qrels(write(text))) == [
        (3, "duplicate", "'d' of query 'q' again, after line 2"),
        (4, "number", "'inf'"),
        (5, "id", "an empty one"),
    ]
    text = "qid,docno,rank\nq,d,1\nq,e,two\nq,d,3\n"
    assert said(lf.check_run(write(text))) == [
        (3, "number", "'two'"),
        (4, "duplicate", "'d' of query 'q' again, after line 2"),
    ]


LINES = [
    '{"qid": "q1", "docno": "d1", "score": 1}',
    "",
    '{"qid": "q1", "docno": "d1", "score": 0.5}',
    '{"qid": "q1", "docno": "d2", "score": "high"}',
    '{"qid": "q1", "docno": 1.5, "score": 1}',
    '{"qid": "q1", "docno": "d3", "score": 1',
    '{"qid": "q1", "docno": "d3", "score": NaN}',
    "[1]",
    '{"qid": "q1", "docno": "", "score": 1}',
    '{"qid": "q1", "docno": "d4", "score": null}',
    '{"qid": null, "docno": "d4", "score": 1}',
    '{"qid": "q2", "docno": null, "score": null}',
    '{"qid": "q1", "qid": "q2", "docno": "d4", "score": null}',
]


def test_all_problems_of_json_lines(write):
    problems = lf.check_run(write("\n".join(LINES).encode() + b'\n{"qid": "\xff"}'))
    assert problems.select("line", "problem").rows() == [
        (3, "duplicate"),
        (4, "number"),
        (5, "id"),
        (6, "fields"),
        (7, "number"),
        (8, "fields"),
        (9, "id"),
        (10, "number"),
        (11, "id"),
        (13, "fields"),
        (14, "encoding"),
    ]
    found = dict(problems.select("line", "found").rows())
    assert (found[3], found[4], found[5]) == (
        "'d1' of query 'q1' again, after line 1",
        "'high'",
        "1.5",
    )
    assert found[13] == "two fields are named 'qid'"


def test_all_problems_of_a_list_in_json(write):
    records = [LINES[n] for n in (0, 2, 3, 4, 6, 8)]
    assert said(lf.check_run(write(f"[{','.join(records)}, 7]"))) == [
        (None, "duplicate", "'d1' of query 'q1' in record 2 again, after record 1"),
        (None, "number", "'high' in record 3 (query 'q1', document 'd2')"),
        (None, "id", "1.5 in record 4 (query 'q1', document '')"),
        (None, "number", "NaN in record 5 (query 'q1', document 'd3')"),
        (None, "id", "an empty one in record 6 (query 'q1', document '')"),
        (None, "fields", "'7' in record 7"),
    ]
    (broken, missing) = lf.check_run(write('[{"qid": 1}, {"qid": ]')).rows(named=True)
    assert (broken["line"], broken["problem"], broken["expected"]) == (1, "fields", "JSON")
    assert "doc_id, score are missing" in missing["found"]


def test_records_with_lists_of_items(write):
    text = """\
{"qid": "q1", "items": [{"docno": "a", "score": 2}, {"docno": "b", "score": 1}]}
{"qid": "q2", "items": [{"docno": "a", "score": 2}, {"docno": "a", "score": 1}]}
{"qid": "q3", "items": [{"docno": "a", "score": 2}, {"docno": "b", "score": "x"}]}
{"qid": "q4", "items": []}
"""
    assert said(lf.check_run(write(text))) == [
        (2, "duplicate", "'a' of query 'q2' again, after line 2"),
        (3, "number", "'x'"),
    ]


def test_all_problems_of_parquet(tmp_path):
    frame = pl.DataFrame(
        {
            "qid": ["q", "q", "q", None, "", "q", "r"],
            "docno": ["a", "b", "a", "d", "e", None, None],
            "score": [1.0, float("nan"), 0.5, 1.0, 1.0, 1.0, None],
        }
    )
    frame.write_parquet(tmp_path / "a.parquet")
    expected = [
        (None, "number", "NaN in row 2 (query 'q', document 'b')"),
        (None, "duplicate", "'a' of query 'q' in row 3 again, after row 1"),
        (None, "id", "none in row 4 (query '', document 'd')"),
        (None, "id", "an empty one in row 5 (query '', document 'e')"),
        (None, "id", "none in row 6 (query 'q', document '')"),
    ]
    assert said(lf.check_run(tmp_path / "a.parquet")) == expected
    frame.write_ipc(tmp_path / "a.arrow")
    assert said(lf.check_run(tmp_path / "a.arrow")) == expected
    nested = (
        frame.drop_nulls()
        .group_by("qid", maintain_order=True)
        .agg(items=pl.struct("docno", "score"))
    )
    nested.write_parquet(tmp_path / "nested.parquet")
    assert said(lf.check_run(tmp_path / "nested.parquet")) == [
        (None, "number", "NaN in row 1 (query 'q', document 'b')"),
        (None, "duplicate", "'a' of query 'q' in row 1 again, after row 1"),
        (None, "id", "an empty one in row 2 (query '', document 'e')"),
    ]


def test_a_column_that_is_wrong_as_a_whole(write):
    (problem,) = lf.check_run(write("qid,docno,title\n1,a,x\n")).rows(named=True)
    assert "score is missing" in problem["found"]
    problems = lf.check_run(write("qid,docno,title\n1,a,x\n1,b\n"))
    assert problems["problem"].to_list() == ["fields", "file"]


def test_duplicates_in_parquet_have_rows(tmp_path):
    frame = pl.DataFrame({"run": "x", "qid": 1, "docno": ["a", "b", "a"], "score": 1.0})
    frame.write_parquet(tmp_path / "a.parquet")
    assert said(lf.check_run(tmp_path / "a.parquet")) == [
        (None, "duplicate", "'a' of query '1' in row 3 again, after row 1")
    ]


def test_lines_of_a_table_of_two_runs(write):
    text = "run,qid,docno,score\na,1,d,2\nb,1,d,2\na,1,d,1\nb,1,e,1\nb,1,e,0\n"
    assert said(lf.check_run(write(text))) == [
        (4, "duplicate", "'d' of query '1' again, after line 2"),
        (6, "duplicate", "'e' of query '1' again, after line 5"),
    ]
    qrels = pl.DataFrame({"query_id": "1", "doc_id": ["d"], "relevance": 1.0})
    with pytest.raises(lf.SchemaError, match=r"bm25.run, run 'a': .* \(lines 2 and 4;"):
        lf.positions(write(text), qrels)


@pytest.mark.parametrize(
    "data, found",
    [
        (b"", "the file is empty"),
        (b"%PDF-1.7", "a PDF document"),
        (gzip.compress(GOOD.encode())[:-4], "the gzip data is broken or cut short"),
        (b"PAR1", "cannot be read as Parquet"),
    ],
)
def test_a_file_that_is_none(write, data, found):
    (problem,) = lf.check_run(write(data)).rows(named=True)
    assert (problem["line"], problem["problem"]) == (None, "file")
    assert problem["found"].startswith(found)


def test_what_was_said_of_the_text_holds(write):
    assert lf.check_run(write("q1 d1 0,5\n"), third="score", decimal=",").is_empty()
    advice = lf.check_run(write("q1 d1 0.5\nq1 d2 0.4\n"))["advice"].to_list()
    assert "third='score'" in advice[0]
    assert advice[1] == advice[0]


def test_no_file(tmp_path):
    with pytest.raises(lf.ReadError, match="no such file"):
        lf.check_run(tmp_path / "none.run")
