"""Tables in text: names that are there twice, lines as they are counted, quotes, blanks, JSON."""

import re

import polars as pl
import pytest

import lexiframe as lf
from lexiframe.core.io.column_forms.records import column_of
from lexiframe.core.io.text.csv_rows import blocks_of_table, text_table

RUN = [("q1", "d1", 2.0), ("q1", "d2", 1.0)]


def rows(table):
    return [
        tuple(row[name] for name in ("query_id", "doc_id", "score")) for row in table.to_pylist()
    ]


def refused(path, message, error=lf.ReadError):
    return pytest.raises(error, match=f"^{re.escape(str(path))}{re.escape(message)}")


# --- Names --------------------------------------------------------------------------------------

TWINS = ": expected columns of different names, found two that are named {!r}; rename one"


@pytest.mark.slow
@pytest.mark.parametrize("options, separator", [({}, ","), ({}, "\t"), ({"header": True}, " ")])
@pytest.mark.parametrize("lines_above", [0, 2])
def test_two_columns_of_one_name(write, options, separator, lines_above):
    for read, name in ((lf.read_runs, "score"), (lf.read_qrels, "rel")):
        text = f"qid,docno,{name},{name}\nq1,d1,1,2\n".replace(",", separator)
        path = write("\n" * lines_above + text)
        with refused(path, f", line {lines_above + 1}" + TWINS.format(name)):
            read(path, **options)
    found = lf.check_qrels(path, **options)
    assert found.select("line", "problem").rows() == [(lines_above + 1, "fields")]
    assert found["found"].item() == "two that are named 'rel'"


def test_columns_without_a_name(write):
    """pandas' index and a comma at the end of every line."""
    path = write(",qid,docno,score,\n0,q1,d1,2,\n1,q1,d2,1,\n")
    assert rows(lf.read_runs(path)) == RUN
    table, _ = text_table(b",a,,\n1,2,3,\n", "x.csv", ",")
    assert table.to_dict(as_series=False) == {"": ["1"], "a": ["2"], "column_3": ["3"]}


@pytest.mark.parametrize(
    "text",
    [
        "qid, docno, score\nq1, d1, 2\nq1, d2, 1\n",
        "qid ;docno ;score\n q1;d1 ;2\nq1\t; d2; 1 \n",
        'qid, docno, score\nq1, "d1", 2\n"q1" ,d2, "1"\n',
        "qid,docno,score\nq1, d1,2\nq1,d2 ,1\n",
        "qid\tdocno \tscore\nq1\t d1\t2\nq1\td2\t1 \n",
    ],
)
def test_blanks_around_names_and_cells(write, text):
    assert rows(lf.read_runs(write(text))) == RUN


def test_blanks_inside_quotes_are_part_of_the_id(write):
    path = write('qid,docno,score\n"q1"," d1 ",2\n')
    assert rows(lf.read_runs(path)) == [("q1", " d1 ", 2.0)]


def test_blanks_around_the_names_of_measures(write):
    path = write("qid, AP, RR\nq1, 0.5, 1\n", "bm25.csv")
    scores = lf.read_scores({"bm25": path})
    assert scores.rows() == [("bm25", "q1", "AP", 0.5), ("bm25", "q1", "RR", 1.0)]


# --- Lines --------------------------------------------------------------------------------------

BEFORE = {
    "nothing": ("qid,docno,score\n", {}),
    "blank lines on top": ("\n\nqid,docno,score\n", {}),
    "blank lines of Windows": ("\r\n \r\nqid,docno,score\r\n", {}),
    "a blank line inside": ("qid,docno,score\nq0,d0,1\n\n \nq0,d1,1\n", {}),
    "a quoted line feed": ('qid,docno,score\n"q\n0",d0,1\n', {}),
    "a quoted name": ('qid,"doc\nno",score\n', {"columns": {"doc_id": "doc\nno"}}),
    "comments": ("# one\n# two, of, three\n\nqid docno score\n# three\n", {"header": True}),
    "comments above names": ("# one; two\n\n # three\nqid;docno;score\n", {}),
    "comments above names of Windows": ("# one\r\n#\r\nqid;docno;score\r\n", {"header": True}),
    "tabs": ("\n\nqid\tdocno\tscore\n", {}),
    "decimal commas": ("\nqid;docno;score\n\nq0;d0;0,5\n", {"decimal": ","}),
}


def on_lines(kind, *lines):
    before, options = BEFORE[kind]
    separator = next(
        s for s in (";", "\t", ",", " ") if s in before and (s != "," or "#" not in before)
    )
    below = "".join(f"{line}\n" for line in lines).replace(",", separator)
    return before + below, options, before.count("\n") + 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", BEFORE)
def test_the_line_of_what_is_no_number_and_of_a_short_row(write, kind):
    text, options, line = on_lines(kind, "q1,d1,2", "q1,d2,high", "q1,d3", "q1,d4,x")
    path = write(text)
    with refused(
        path,
        f", line {line + 1}: expected a number as score, found 'high'; mend it (-inf puts "
        "a document last) (2 more",
    ):
        lf.read_runs(path, **options)
    found = lf.check_run(path, **options).select("line", "problem").rows()
    assert found == [(line + 1, "number"), (line + 2, "fields"), (line + 3, "number")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", BEFORE)
def test_the_lines_of_documents_that_are_twice(write, kind):
    text, options, line = on_lines(kind, "q1,d1,2", "q1,d2,1", "", "q1,d1,0")
    path = write(text)
    judged = {"q1": {"d1": 1}}
    message = (
        f": the document 'd1' occurs more than once in the ranking for query 'q1' (lines {line}"
    )
    with refused(path, message + f" and {line + 3};", lf.SchemaError):
        lf.positions(lf.scan_runs(path, **options), judged)
    found = lf.check_run(path, **options)
    assert found.select("line", "problem").rows() == [(line + 3, "duplicate")]


@pytest.mark.parametrize("read", [lf.read_scores, lf.read_log])
def test_a_short_row_is_no_missing_value(write, read):
    path = write("\nqid,AP,RR\nq1,0.5,1\nq2,0.5\n", "bm25.csv")
    with refused(path, ", line 4: expected 3 fields as in the header, found 2: 'q2,0.5'"):
        read(path)


# --- Quotes and bytes ---------------------------------------------------------------------------


def test_all_problems_of_a_table_at_once():
    data = b'a,b\n1,2\n\xff,1\n1,"2\n1,2,3\n\n"x\ny",2\n'
    ((table, lines, problems),) = blocks_of_table(data, "x.csv", ",")
    assert table["a"].to_list() == ["1", r"\xff", "x\ny"]
    assert lines.to_list() == [2, 3, 7]
    expected = [(3, "encoding"), (4, "fields"), (5, "fields")]
    assert problems.select("line", "problem").rows() == expected


def test_a_header_of_comments_only(write):
    path = write("# one\n\n# two\n")
    with refused(path, ": expected a line of names, and lines below it, found none"):
        lf.read_runs(path, header=True)


@pytest.mark.parametrize("read", [lf.read_scores, lf.read_log])
def test_bytes_that_are_no_text(write, read):
    path = write(b"name,qid,measure,value\r\na,1,AP,1\r\na,\xe9,AP,1\r\n", "bm25.csv")
    with refused(path, r", line 3: expected UTF-8 text, found the bytes b'\xe9,AP'; save it as"):
        read(path)


# --- JSON ---------------------------------------------------------------------------------------

TWICE = {
    '{"q1": {"d1": 1, "d1": 2}}': ("", "'d1' (query 'q1')"),
    '{"q1": {"d1": 1}, "q1": {"d2": 2}}': ("", "'q1'"),
    '[{"qid": "q1", "docno": "d1", "score": 1, "score": 2}]': (", record 1", "'score'"),
}


@pytest.mark.parametrize("text", TWICE)
def test_names_that_are_twice_in_json(write, text):
    path = write(text)
    place, found = TWICE[text]
    expected = "expected JSON without repeated names"
    with refused(path, f"{place}: {expected}, found two fields are named {found}; rename one"):
        lf.read_runs(path)
    (problem,) = lf.check_run(path).rows(named=True)
    assert (problem["line"], problem["problem"]) == (None, "fields")
    assert f"expected {problem['expected']}" == expected


@pytest.mark.parametrize("number", [1, 2, 3])
def test_names_that_are_twice_in_a_line_of_json(write, number):
    lines = [f'{{"qid": "q:1", "docno": "d{n}", "score": {n}}}' for n in (1, 2, 3)]
    path = write("\n".join(lines))
    assert lf.read_runs(path).num_rows == 3
    lines[number - 1] = lines[number - 1].replace("}", ', "score": 9}')
    path = write("\n".join(lines))
    message = "expected JSON without repeated names, found two fields are named 'score'"
    with refused(path, f", line {number}: {message}"):
        lf.read_runs(path)
    assert lf.check_run(path)["line"].to_list() == [number]


# --- Records ------------------------------------------------------------------------------------


def test_large_whole_numbers_beside_fractions_stay_exact(write):
    run = "# ir_metadata.start\n# k: {}\n# ir_metadata.end\nq1 Q0 d1 1 1 x\n"
    paths = [write(run.format(k), f"{n}.run") for n, k in enumerate((2**53 + 1, 0.5))]
    assert lf.run_metadata(paths)["k"].to_list() == ["9007199254740993", "0.5"]
    assert column_of("k", [2**53, None, 0.5], str).to_list() == [2.0**53, None, 0.5]


def test_columns_of_a_log_that_get_one_name(tmp_path, write):
    """Nested ones of Arrow, and one without a name."""
    nested = pl.DataFrame({"a": [{"b": 1}], "a.b": [2]})
    nested.write_parquet(tmp_path / "log.parquet")
    paths = {"a.b": tmp_path / "log.parquet", "column_1": write(",column_1\n1,2\n")}
    for name, path in paths.items():
        with refused(path, f": two columns are called {name}; rename one"):
            lf.read_log(path)
