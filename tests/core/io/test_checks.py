"""All problems of a file at once: what reading refuses, line by line, and nothing else."""

import gzip
import time
from functools import partial

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.base.schemas import PROBLEMS, RUNS
from lexiframe.core.io.checks import kind_of
from lexiframe.core.io.files.data_sources import only_file
from lexiframe.core.io.reading_options import TextOptions
from lexiframe.core.io.rows_of_files import rows_of
from lexiframe.core.io.text import json_rows

packed = partial(gzip.compress, mtime=0)  # with the time of now, tests had new names each time

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


def kind_in(path):
    return kind_of(only_file(path), TextOptions())


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
        lf.ReadError, match=r"line 4: expected 6 fields .*\(2 more: lexiframe.check_run lists"
    ):
        lf.read_runs(path)


def test_any_blanks_stand_between_fields_of_good_lines(write):
    problems = lf.check_run(write("q1\vQ0\fd1\t1 2.5\v x\nq1 Q0 d2\n\fq1 Q0 d1 2 1 x\n"))
    assert problems.select("line", "problem").rows() == [(2, "fields"), (3, "duplicate")]


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


FIRST = '{"query_id": "q1", "doc_id": "d0", "score": 9}'
NEITHER = "expected a document and a number in each row of a query, found neither"
LOST = {  # the record below the first one, and the number of the record that is refused
    "other names": (FIRST, '{"query_id": "q1", "document": "e0", "points": 99}', 2),
    "above the others": ('{"query_id": "q1"}', FIRST, 1),
    "twice": (FIRST, '{"query_id": "q2"}', '{"query_id": "q2", "points": 1}', 2),
    "in a list": ('{"query_id": "q1", "items": [{"doc_id": "d0", "score": 9}, {"file": "e0"}]}', 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["lines", "list", "Parquet", "frame"])
@pytest.mark.parametrize("kind", LOST)
def test_rows_that_would_be_lost(write, tmp_path, small_blocks, kind, form):
    """A row without document and score stands for an empty list only if it is alone."""
    *records, number = LOST[kind]
    table, path = pl.read_ndjson("\n".join(records).encode()), tmp_path / "lost.parquet"
    if form == "frame":
        with pytest.raises(lf.SchemaError, match=rf"{NEITHER} in [12] \(row .*\); give it both"):
            lf.read_runs(table)
        return
    if form == "Parquet":
        table.write_parquet(path)
    else:
        path = write("\n".join(records) if form == "lines" else f"[{','.join(records)}]")
    small_blocks(50)
    place = {"lines": "line", "list": "record", "Parquet": "row"}[form]
    with pytest.raises(lf.ReadError, match=rf", {place} {number}: {NEITHER} \(query .*; give it"):
        lf.read_runs(path)
    problems = lf.check_run(path)
    assert problems["problem"].unique().to_list() == ["id"]
    assert problems.height == 1 + (kind == "twice")


def test_a_rank_without_a_document_is_lost(write):
    ranked = '{"query_id": "q1", "doc_id": "d0", "score": 9, "rank": 1}'
    path = write(ranked + '\n{"query_id": "q2", "rank": 2}\n')
    with pytest.raises(lf.ReadError, match="line 2: expected an id as doc_id, found none"):
        lf.read_runs(path)
    assert said(lf.check_run(path)) == [(2, "id", "none"), (2, "number", "none")]
    with pytest.raises(lf.SchemaError, match="found none in 1 rows that have a score or rank"):
        lf.read_runs(pl.read_ndjson(path))


def test_a_column_that_is_wrong_as_a_whole(write):
    (problem,) = lf.check_run(write("qid,docno,title\n1,a,x\n")).rows(named=True)
    assert "score is missing" in problem["found"]
    problems = lf.check_run(write("qid,docno,title\n1,a,x\n1,b\n"))
    assert problems["problem"].to_list() == ["fields", "file"]


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
        (packed(GOOD.encode())[:-4], "the gzip data is broken or cut short"),
        (b"PAR1", "cannot be read as Parquet"),
    ],
)
def test_a_file_that_is_none(write, data, found):
    (problem,) = lf.check_run(write(data)).rows(named=True)
    assert (problem["line"], problem["problem"]) == (None, "file")
    assert problem["found"].startswith(found)


# --- One defect, one problem ----------------------------------------------------------------------

RECORD = '{{"qid": "q1", "docno": "{}", "score": {}}}'


def records(*scores):
    return [RECORD.format(f"d{n}", score) for n, score in enumerate(scores)]


def told(problems):
    return problems.select("line", "expected", "found").rows()


def test_documents_of_queries_in_json(write):
    text = '{"q1": {"d1": "x", "d2": NaN, "": 1, "d3": null}, "q2": {"d1": true}, "": {"d1": 2}}'
    assert told(lf.check_run(write(text))) == [
        (None, "a number as score", "'x' (query 'q1', document 'd1')"),
        (None, "a number as score", "NaN (query 'q1', document 'd2')"),
        (None, "an id as doc_id", "an empty one (query 'q1', document '')"),
        (None, "a number as score", "none (query 'q1', document 'd3')"),
        (None, "a number as score", "true (query 'q2', document 'd1')"),
        (None, "an id as query_id", "an empty one (query '', document 'd1')"),
    ]
    assert told(lf.check_run(write('{"q1": {"d1": 1.0}, "q2": 3, "q3": [1]}'))) == [
        (None, "{query: {document: number}}", "int as the documents of query 'q2'"),
        (None, "{query: {document: number}}", "list as the documents of query 'q3'"),
    ]
    (empty,) = lf.check_qrels(write('{"q1": {"d1": 1}, "q2": {}}')).rows(named=True)
    assert (empty["found"], empty["advice"]) == (
        "an empty list (query 'q2')",
        "leave this query out",
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            '{\n "q1": {\n  "d1": 1,\n  "d2":\n },\n "q2": {"d1": "x"},\n "q3": {"d": 1, "d": 2}}',
            [(5, "fields")],
        ),
        (
            '{"q1": {"d1": 1},\n "q2": {"d1": 1,},\n "q3": {"d1": "x"}}',
            [(2, "fields")],
        ),
        ('{"q1": {"d1": 1}\n, "q2" {"d1": 1}}', [(2, "fields")]),
        ('{"q1": {"d1": 1},\nq2: {"d1": 1}}', [(2, "fields")]),
        ('{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}', [(2, "fields")]),
        (
            '{"q1": {"d1": 1}, "q1": {"d1": "x"}}',
            [(None, "fields"), (None, "number")],
        ),
    ],
)
def test_broken_documents_of_queries(write, text, expected):
    problems = lf.check_run(write(text))
    assert problems.select("line", "problem").rows() == expected
    with pytest.raises(lf.ReadError, match=r"JSON|repeated names|nothing behind the first"):
        lf.read_runs(write(text))


def test_broken_lists_in_json(write):
    one, two, bad, last = records(1, 1, '"x"', 1)
    cases = {
        b"[\n%s,\n%s,\n%s,\n\xff]"
        % (bad.encode(), two.encode().replace(b"d1", b"\xff"), bad.encode()): [
            (None, "number", "'x' in record 1 (query 'q1', document 'd2')"),
            (3, "encoding", r"""the bytes b'\xff", '"""),  # records behind it are not listed
            (5, "encoding", r"""the bytes b'\xff]'"""),
        ],
        b"[\n%s\n%s,\n\xff]" % (one.encode(), two.encode()): [
            (3, "fields", None),
            (4, "encoding", r"""the bytes b'\xff]'"""),
        ],
        f"[{one}, {two.replace('docno', 'qid')}, {bad}]": [
            (None, "fields", "two fields are named 'qid' in record 2"),
            (None, "number", "'x' in record 3 (query 'q1', document 'd2')"),
        ],
        f"[{one}, {two.replace('d1', chr(92) + 'ud800')}, {bad}]": [
            (None, "fields", r"'\ud800': surrogates not allowed in record 2"),
            (None, "number", "'x' in record 3 (query 'q1', document 'd2')"),
        ],
        f"[\n{bad},\n{two[:-1]},\n{bad}\n{last}\n]": [
            (None, "number", "'x' in record 1 (query 'q1', document 'd2')"),
            (4, "fields", None),  # where the parser stops: nothing behind it is listed
        ],
        f"[{one}] {two}": [(1, "fields", None)],
        b"[\n%s,\n\xff,\n%s\n]" % (one.encode(), bad.encode()): [
            (3, "encoding", r"the bytes b'\xff,'"),
        ],
    }
    for text, expected in cases.items():
        listed = said(lf.check_run(write(text if isinstance(text, bytes) else text.encode())))
        assert [row[:2] for row in listed] == [row[:2] for row in expected]
        assert all(e[2] in (None, row[2]) for row, e in zip(listed, expected, strict=True)), listed


@pytest.mark.parametrize(
    "message",
    ["Expecting ',' delimiter", "Expecting ':' delimiter", "Extra data", "property name in"],
)
def test_what_is_said_of_broken_json(write, message):
    texts = ['{"a": {}\n"b": {}}', '{"a": {},\n"b" {}}', '{"a": {}}\n{}', '{"a": {},\nb: {}}']
    found = [str(lf.check_run(write(text))["found"][0]) for text in texts]
    assert any(message in text for text in found), found


def test_numbers_that_are_text_in_json(write):
    path = write("\n".join(records("1", '"2.5"', '"1_0"', '" 1 "', '"١"', "true", "1e400")))
    assert told(lf.check_run(path)) == [
        (3, "a number as score", "'1_0'"),
        (4, "a number as score", "' 1 '"),
        (5, "a number as score", "'١'"),
        (6, "a number as score", "true"),
        (7, "a number up to 1.8e308 as score", "'1e400'"),
    ]


def test_unused_columns_do_not_matter(write):
    values = ["1", "[1]", '[{"a": 1}, {"a": 2}]', '{"a": 1}', '"x"', "null"]
    pairs = zip(values, records(*"123456"), strict=True)
    lines = [line[:-1] + f', "query": {value}, "u": {value}}}' for value, line in pairs]
    for text in ("\n".join(lines), f"[{', '.join(lines)}]"):
        assert lf.read_runs(write(text))["doc_id"].to_pylist() == [f"d{n}" for n in range(6)]
    lines[2] = lines[2].replace('"score": 3', '"score": "x"')
    assert told(lf.check_run(write("\n".join(lines)))) == [(3, "a number as score", "'x'")]


def test_lists_that_are_none(write):
    text = """\
{"user": "q1", "docs": [{"docno": "d", "score": 1}]}
{"user": "q2", "docs": 3}
{"user": "q3", "docs": [{"docno": "d", "score": "y"}, 7, {"docno": "e", "score": "z"}]}
"""
    assert told(lf.check_run(write(text))) == [
        (2, "a list of items as docs", "'3'"),
        (3, "a record in braces in docs", "'7'"),
        (3, "a number as score", "'y'"),
        (3, "a number as score", "'z'"),
    ]


def test_iterations_that_are_no_ids(write):
    line = '{{"qid": "q1", "docno": "d1", "rel": 1, "iteration": {}}}'
    path = write("\n".join(line.format(value) for value in ('"a"', "1", "true", "1.5", '""')))
    assert told(lf.check_qrels(path)) == [
        (3, "text or a whole number as iteration", "true"),
        (4, "text or a whole number as iteration", "1.5"),
        (5, "an id as iteration", "an empty one"),
    ]


def test_ids_in_columns_that_were_named(write):
    line = '{{"a": {}, "docno": "d", "score": 1}}'
    path = write("\n".join(line.format(value) for value in ('"q"', "true", "1.5")))
    columns = {"columns": {"query_id": "a"}}
    assert lf.check_run(path, **columns)["line"].to_list() == [2, 3]
    with pytest.raises(
        lf.ReadError, match="line 2: expected text or a whole number as a, found true"
    ):
        lf.read_runs(path, **columns)


def test_several_problems_of_a_row(write):
    assert said(lf.check_run(write("qid,docno,score\n,d1,x\nq,e,y\nq,e,1\n"))) == [
        (2, "id", "an empty one"),
        (2, "number", "'x'"),
        (3, "number", "'y'"),
        (4, "duplicate", "'e' of query 'q' again, after line 3"),
    ]
    assert said(lf.check_run(write('{"qid": true, "docno": 1.5, "score": "x"}'))) == [
        (1, "id", "true"),
        (1, "id", "1.5"),
        (1, "number", "'x'"),
    ]


def test_advice(write):
    few, many = "give it the missing fields, or leave it out", "ids cannot hold {}: replace them"
    cases = {
        GOOD + "q1 Q0 d1\nq1 Q0 my doc 1 2 t\n": [few, many.format("blanks")],
        "qid\tdocno\tscore\nq\td\nq\td\te\t1\n": [few, many.format("tabs")],
        "qid,docno,score\nq,d\nq,d,e,1\n": [few, "put text that holds commas into double quotes"],
        "qid;docno;score\nq;d;e;1\n": ["put text that holds semicolons into double quotes"],
        "q1 0 d1 1\nq1 0 d2 2\n": [
            "this looks like a qrels file, given as a run; qrels and runs may have changed places"
        ]
        * 2,
        "q1 Q0 d1 1 0,5 t\nq1 Q0 d2 1 0,6 t\n": [
            "this has a decimal comma: say so with decimal=','"
        ]
        * 2,
        GOOD * 2: [
            "mend the file, or let positions keep the best-ranked one with duplicates='best'"
        ],
    }
    for text, advice in cases.items():
        assert lf.check_run(write(text))["advice"].to_list() == advice
    qrels = "user_id:token\titem_id:token\trating:float\nq\td\tx\nq\td\tinf\n"
    assert lf.check_qrels(write(qrels)).select("expected", "advice").rows() == [
        ("a number as rating:float", "mend it, or leave the judgment out"),
        ("a finite number as rating:float", "mend it, or leave the judgment out"),
        (
            "each document once",
            "mend the file, or let read_qrels keep the highest grade with duplicates='best'",
        ),
    ]


LOOKS = {
    "q1,d1,2.5\n": "a table without names of columns: put them on top (query_id,doc_id,{0})",
    "q1;d1;1\n": "a table without names of columns: put them on top (query_id,doc_id,{0})",
    "qid|docno|x\nq|d|1": "a table: put commas between its columns, and names on top (query_id,do",
    '"topic_no","doc","x"\n1,2,3\n': "call them query_id,doc_id,{0}, or say what they are called: "
    "columns={{'query_id': 'topic_no', '{0}': 'x'}}",
    "topic,document,x\n1,2,3\n": "are called: columns={{'doc_id': 'document', '{0}': 'x'}}",
    "qid,qid\n1,2\n": "what they are called: columns={{'doc_id': '...', '{0}': '...'}}",
    "a b x\nq d 1\n": "say so with header=True, and what they are called: "
    "columns={{'query_id': 'a', ...}}",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LOOKS)
def test_advice_for_columns_without_known_names(write, text):
    path = write(text)
    for check, number in ((lf.check_run, "score"), (lf.check_qrels, "relevance")):
        for advice in check(path)["advice"]:
            assert LOOKS[text].format(number) in advice


@pytest.mark.parametrize(
    "text, header",
    [("topic,doc,x\nq,d,1\n", {}), ("topic\tdoc\tx\nq\td\t1\n", {}), ("topic doc x\nq d 1\n", 1)],
)
def test_the_advice_about_names_works(write, text, header):
    columns = {"query_id": "topic", "doc_id": "doc"}
    options = {"header": True} if header else {}
    for said in (options, {"header": True}):
        runs = lf.read_runs(write(text), columns=columns | {"score": "x"}, **said)
        qrels = lf.read_qrels(write(text), columns=columns | {"relevance": "x"}, **said)
        assert runs.num_rows == qrels.num_rows == 1


RANKED = "".join(
    f"q{q}\t{q * 7 + rank}\t{rank}\t{3 - rank / 2}\n" for q in (1, 2) for rank in (1, 2)
)


def test_lines_of_query_document_rank_and_score(write):
    path = write(RANKED)
    with pytest.raises(lf.ReadError, match=r"query, document, rank, score\): put a line"):
        lf.read_runs(path)
    assert kind_in(path) == "run"
    named = write("query_id doc_id rank score\n" + RANKED)
    assert lf.read_runs(named, header=True)["rank"].to_pylist() == [1, 2, 1, 2]


def test_parts_of_what_is_wrong_as_a_whole(write):
    (problem,) = lf.check_run(write(packed(GOOD.encode())[:-4])).rows(named=True)
    assert problem["expected"] == "runs or judgments"
    assert problem["advice"] == "fetch or pack it again"
    (problem,) = lf.check_run(write(b"# only\n")).rows(named=True)
    assert (problem["expected"][:10], problem["found"]) == ("lines of 6", "only comments")
    with pytest.raises(lf.ReadError, match="found lines of TREC text; leave columns out, or say"):
        lf.read_runs(write(GOOD), columns={"query_id": "a"})


def test_carriage_returns_end_lines_of_json(write):
    path = write("\r".join(records("1", '"x"')))
    assert told(lf.check_run(path)) == [(2, "a number as score", "'x'")]
    assert lf.read_runs(write("\r".join(records("1", "2")))).num_rows == 2


# --- In blocks ------------------------------------------------------------------------------------

BLOCKS = {
    "lines": "\r\n".join(
        [
            *(f"q{n} Q0 d{n} 1 {n} tag" for n in range(9)),
            *("# more", "", "q1 Q0 d9 1 high tag", "q1 Q0 d1 1 1 tag", "q3", "q4 Q0 d1 1 2"),
            *(f"q{n}\tQ0 d{n % 12} 1 {n} tag" for n in range(10, 19)),
            "q4 Q0 d4 1 2 7",
            "q99 Q0 d1 1 2",
        ]
    ),
    "a table": "\n".join(
        [
            "# made by",
            "qid,docno,score,",
            *(f"q{n},d{n},{n}," for n in range(9)),
            *('"q1","a\n""b"" ",1,', "", "q1,d1,1,", 'q1,"d9,1,', "q1,é,high,", ",d,1,", "q,d"),
            *(f'"q{n}" ,"d,{n}",{n % 12},' for n in range(10, 19)),
            '"q1","a\n""b"" ",1,',
        ]
    ),
    "records": "\n".join(
        [
            *(f'{{"qid": "q{n}", "docno": {n}, "score": {n}}}' for n in range(9)),
            *('{"qid": 1', "", '{"qid": true, "docno": "é", "score": "high"}', "[1]"),
            *(f'{{"qid": {n}, "docno": {n % 12}, "rank": {n}, "score": 1}}' for n in range(19)),
            '{"qid": "q1", "docno": "1", "score": 3, "iteration": null}',
            '{"qid": "q1", "docno": "1", "score": 3, "sc\\u006fre": null}',
        ]
    ),
    "lists": "\n".join(
        [
            *(f'{{"user": "q{n}", "docs": []}}' for n in range(5)),
            *(f'{{"user": {n % 7}, "docs": [{{"docno": 1, "score": {n}}}, 7]}}' for n in range(9)),
            '{"user": "q", "docs": [{"docno": 1, "score": true}, {"docno": 1, "score": 2}]}',
        ]
    ),
}


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of so many bytes."""

    def patch(size):
        for name in ("text.trec_rows", "text.csv_rows", "text.json_rows"):
            monkeypatch.setattr(f"lexiframe.core.io.{name}.BLOCK_OF_ROWS", size)

    return patch


def outcome(path):
    with pytest.raises(lf.LexiframeError) as refused:
        lf.read_runs(path)
    return str(refused.value), lf.check_run(path).rows()


@pytest.mark.slow
@pytest.mark.parametrize("text", BLOCKS.values(), ids=BLOCKS)
def test_problems_are_the_same_in_blocks_of_any_size(write, small_blocks, text):
    path = write(text.encode())
    expected = outcome(path)
    assert len(expected[1]) > 4
    for size in (30, 150):
        small_blocks(max(size, 50 * (text is BLOCKS["a table"])))
        assert outcome(path) == expected


MANY = [f'{{"qid": "q{n}", "docno": "d{n}", "score": {n}.5}}\n' for n in range(60_000)]
BAD_LINES = {
    30_000: '{"qid": "q", "docno": "d", "score": x}\n',
    30_001: '{"qid": "q", "docno": "d", "score": 1, "score": 2}\n',
    45_000: '{"qid": "q0", "docno": "d0", "score": "high"}\n',
    59_999: '{"qid": "q0", "docno": "d0", "score": 1, "note": null}\n',
}


@pytest.mark.slow
def test_only_what_is_near_a_bad_line_is_parsed_in_python(write, monkeypatch):
    """The problems and repeated documents are those that Python alone finds."""
    path = write("".join(BAD_LINES.get(n, line) for n, line in enumerate(MANY)).encode())
    parsed, members_in = [], json_rows.members_in
    monkeypatch.setattr(json_rows, "BLOCK_OF_ROWS", 1 << 19)
    monkeypatch.setattr(json_rows, "_SMALL_BLOCK", 1 << 14)
    monkeypatch.setattr(
        json_rows,
        "members_in",
        lambda data, *more, **options: parsed.append(data) or members_in(data, *more, **options),
    )
    with pytest.raises(lf.ReadError, match=r"line 30001: .*score\\?\": x"):
        lf.read_runs(path)
    assert sum(map(len, parsed)) < path.stat().st_size
    found = lf.check_run(path)
    monkeypatch.setattr(json_rows, "has_clean_blocks", lambda *_: False)
    assert found.equals(lf.check_run(path))
    assert found["line"].to_list() == [30_001, 30_002, 45_001, 45_001, 60_000]


@pytest.mark.slow
@pytest.mark.parametrize("text", BLOCKS.values(), ids=BLOCKS)
def test_a_file_is_looked_through_in_blocks(write, small_blocks, text):
    """So that memory does not grow with it."""
    small_blocks(100)
    content = only_file(write((text + "\n") * 50)).content()
    blocks = [*rows_of(content, "bm25.run", TextOptions(), RUNS)]
    assert len(blocks) > 10
    assert max(rows.table.height for rows in blocks) < 20


def test_records_of_several_types_in_blocks(write, small_blocks):
    """What Polars cannot parse is parsed in blocks: types and names are those of all of them."""
    rows = [("q1", "7", "1", "null"), ("2", "d1", '"2.5"', "1"), ("7", "3", "3", '"x"')]
    line = '{{"qid": {}, "docno": {}, "score": {}, "u": {}}}'.format
    quoted = [(q if q.isdigit() else f'"{q}"', f'"{d}"', s, u) for q, d, s, u in rows]
    path = write("\n".join(line(*row) for row in quoted) + '\n{"score": 4, "docno": 9, "qid": "q"}')
    small_blocks(1)
    table = lf.read_runs(path)
    assert table["query_id"].to_pylist() == ["q1", "2", "7", "q"]
    assert table["doc_id"].to_pylist() == ["7", "d1", "3", "9"]
    assert table["score"].to_pylist() == [1, 2.5, 3, 4]


@pytest.mark.parametrize("before", ["", '{"qid": "q1", "docno": "d0", "score": 1}\n'])
@pytest.mark.parametrize("text", ["{}", "[{}]"])
def test_a_truth_value_is_no_number_in_json(write, small_blocks, before, text):
    record = '{"qid": "q1", "docno": "d1", "score": true}'
    path = write(text.format((before if text == "{}" else "") + record))
    for size in (1, 1000):
        small_blocks(size)
        with pytest.raises(lf.ReadError, match="expected a number as score, found true"):
            lf.read_runs(path)
    assert lf.check_run(path)["problem"].to_list() == ["number"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "qid,docno,score\nq1,{0},1\nq1,{0},2\n",
        "q1 Q0 {0} 1 1 t\nq1 Q0 {0} 2 1 t\n",
        '{{"q1": {{"{0}": "x"}}}}',
        '{{"{0}": 1, "docno": "x"}}\n',
        '{{"docno": 1, "{0}": 1, "{0}": 2}}\n',
        "run,qid,docno,score\n{0},,1,1\n",
    ],
)
def test_messages_about_long_ids_are_short(write, text):
    path = write(text.format("x" * 500_000))
    with pytest.raises(lf.LexiframeError) as refused:
        lf.positions(path, {"q1": {"d1": 1}})
    messages = [str(refused.value), *lf.check_run(path).select("found", "advice").row(0)]
    assert all(len(message) < 5000 for message in messages)


@pytest.mark.slow
def test_a_short_row_in_a_table_of_many_columns(write):
    """It took minutes when each column was taken apart by itself."""
    started = time.process_time()
    names, row = ",".join(f"c{n}" for n in range(50_000)), ",1" * 50_000
    path = write(f"qid,docno,score,{names}\nq1,d1,1{row}\nq1,d2\n")
    with pytest.raises(lf.ReadError, match=r"line 3: expected 50003 fields .*, found 2: 'q1,d2'"):
        lf.read_runs(path)
    assert time.process_time() - started < 15
