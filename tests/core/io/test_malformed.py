"""Malformed files: one error that names the file, the line, what was expected and what found."""

import bz2
import gzip
import io
import lzma
import re
from datetime import date
from functools import partial

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import lexiframe as lf

pytestmark = pytest.mark.slow

packed = partial(gzip.compress, mtime=0)  # with the time of now, tests had new names each time

GOOD = "q1 Q0 d1 1 3.5 tag\n"
JUDGED = "q1 0 d1 1\n"
SIX = r"expected 6 fields \(query_id q0 doc_id rank score tag\), "
FOUR = r"expected 4 fields \(query_id iteration doc_id relevance\), "
SCORE = r"expected a number in field 5 \(score\), "
GRADE = r"expected a number in field 4 \(relevance\), "

BAD_LINES_OF_RUNS = {
    "one field": ("q1", SIX + "found 1: 'q1'"),
    "three fields": ("5 Q0 broken", SIX + "found 3: '5 Q0 broken'"),
    "four fields": ("5 Q0 broken 3", SIX + "found 4: '5 Q0 broken 3'"),
    "blanks do not count": ("  5 \t Q0  broken\t 3 ", SIX + "found 4: '5 Q0 broken 3'"),
    "word": ("q1 Q0 d1 1 abc tag", SCORE + "found 'abc': 'q1 Q0 d1 1 abc tag'"),
    "NaN": ("q1 Q0 d1 1 NaN tag", SCORE + "found 'NaN'"),
    "minus nan": ("q1 Q0 d1 1 -nan", SCORE + "found '-nan'"),
    "null": ("q1 Q0 d1 1 NULL tag", SCORE + "found 'NULL'"),
    "decimal comma": ("q1 Q0 d1 1 0,5 tag", SCORE + "found '0,5'"),
    "hexadecimal": ("q1 Q0 d1 1 0x10 tag", SCORE + "found '0x10'"),
    "underscore": ("q1 Q0 d1 1 1_0 tag", SCORE + "found '1_0'"),
    "digits of another script": ("q1 Q0 d1 1 ١ tag", SCORE + "found '١'"),
    "score left out": ("q1 Q0 d1 1 tag", SCORE + "found 'tag'"),
    "header": ("query_id q0 doc_id rank score tag", SCORE + "found 'score'"),
    "long": (
        "q1 Q0 d1 1 abc " + "x" * 99,
        SCORE + "found 'abc': 'q1 Q0 d1 1 abc x+\\.\\.\\.'; mend it .-inf puts",
    ),
    "no UTF-8": (b"q1 Q0 d\xe9 1 1 t", r"expected UTF-8 text, found the bytes b'\\xe9 1 '"),
}
BEFORE = {
    "first": (b"", 1),
    "later": (GOOD.encode() * 3, 4),
    "after comments": (b"# header\n\n" + GOOD.encode() + b" # more\n", 5),
    "after CRLF": (GOOD.replace("\n", "\r\n").encode() * 2, 3),
    "after five fields": (b"q1 Q0 d1 1 3.5\n" + GOOD.encode(), 3),
    "after infinite scores": (b"q1 Q0 d1 1 inf tag\nq1 Q0 d2 2 -Infinity tag\n", 3),
    "after a byte order mark": (b"\xef\xbb\xbf#\n" + GOOD.encode(), 3),
    "after tabs": (GOOD.replace(" ", "\t").encode(), 2),
}


@pytest.mark.parametrize("kind, place", [
    (kind, place) for n, kind in enumerate(BAD_LINES_OF_RUNS) for place in [*BEFORE][n % 4 :: 4]
])  # fmt: skip
def test_lines_of_runs(write, kind, place):
    line, message = BAD_LINES_OF_RUNS[kind]
    before, number = BEFORE[place]
    line = line if isinstance(line, bytes) else line.encode()
    path = write(before + line + b"\n" + GOOD.encode())
    with pytest.raises(lf.ReadError, match=f"^{re.escape(str(path))}, line {number}: {message}"):
        lf.read_runs(path)


@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@pytest.mark.parametrize("text", [GOOD * 3, GOOD + "q1 Q0\n d2 1 2 tag\r\n" + GOOD + "\r\n"])
def test_lone_carriage_returns_are_blanks_or_line_ends_or_refused(write, text):
    """What they must not do is swallow lines."""
    path = write(text.replace("\n", "\r").replace("\r\r", "\r\n"))
    try:
        assert lf.read_runs(path).num_rows == 3
    except lf.ReadError as error:
        assert re.match(f"{path}(, line|: cannot be parsed as lines of)", str(error))  # noqa: PT017


@pytest.mark.parametrize(
    "line, message",
    [
        ("q1 0 d1", FOUR + "found 3: 'q1 0 d1'"),
        ("q1 0 d1 1 0.5 tag", FOUR + "found 6: 'q1 0 d1 1 0.5 tag'"),
        ("q1 0 d1 relevant", GRADE + "found 'relevant'"),
        ("q1 0 d1 nan", GRADE + "found 'nan'"),
        ("q1 0 d1 1,5", GRADE + "found '1,5'"),
    ],
)
@pytest.mark.parametrize("before, number", [("", 1), (JUDGED, 2), ("#\r\n\t\r\n" + JUDGED, 4)])
def test_lines_of_qrels(write, line, message, before, number):
    path = write(f"{before}{line}\n{JUDGED}")
    with pytest.raises(lf.ReadError, match=f"^{re.escape(str(path))}, line {number}: {message}"):
        lf.read_qrels(path)


def test_the_first_bad_line_is_named_in_long_files_and_in_gzip(write):
    lines = [f"q{n % 50} Q0 d{n} 1 {n}.5 tag" for n in range(200_000)]
    lines[150_000] = "q1 Q0 d1 1 abc tag"
    lines[180_000] = "q1 Q0"
    path = write(packed("\n".join(lines).encode(), 1))
    with pytest.raises(lf.ReadError, match=f"{path}, line 150001: .* found 'abc'"):
        lf.read_runs(path)


@pytest.mark.parametrize("read", [lf.read_runs, lf.read_qrels])
@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (packed(b""), "the file is empty"),
        (b"# one\n#two", "expected lines of . fields .*, found only comments"),
        (b"  # indented\n\n", "expected lines of . fields .*, found only comments"),
        (b"\x7fELF\r\n\x1a\n\0\0", r"found a binary file \(byte 0 at offset 8, in line 3\)"),
        (
            b"#\r\n\r\r\nq1 Q0 d\0 1 2 t",
            r"a binary file \(byte 0 at offset 13, in line 4\); fetch it again; if it is UTF-16",
        ),
        (b"\x89PNG\r\n\x1a\n\0\0", r"expected runs or judgments, found a picture \(PNG\)"),
        (b"%PDF-1.7\n%", "expected runs or judgments, found a PDF document"),
        (b"PK\x03\x04\x14\0", "found a ZIP archive .*; unpack it first"),
        (packed(b"\0" * 257 + b"ustar\x0000" + b"\0" * 248), "found a tar archive"),
        (b"\n<!DOCTYPE html>\n<html>", "found an HTML page; a link may lead to a page about the"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "found a Git LFS pointer"),
        (packed(b"\1\0"), r"found a binary file \(byte 0 at offset 1, in line 1\)"),
        (GOOD.encode("utf-16-le"), "found a binary file"),
        (b"\xff\xfe" + GOOD.encode("utf-16-le")[:-1], "expected UTF-16-LE text, as its byte order"),
        (
            bz2.compress(GOOD.encode() * 99)[:-1],
            "the bzip2 data is broken .*; fetch or pack it again",
        ),
        (lzma.compress(GOOD.encode() * 99)[:-1], "the xz data is broken or cut short"),
        (lzma.compress(GOOD.encode()) + b"more", "the xz data is broken or cut short"),
        (bz2.compress(GOOD.encode()) + b"more", "the bzip2 data is broken or cut short"),
        (
            bz2.compress(GOOD.encode()) * 2 + b"BZh",
            r"\(it ends before its end-of-stream marker",
        ),
        (b"\x1f\x9d\x90q1", r"found data packed by compress \(.Z\); unpack it first"),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 9, "the zstd data is broken or cut short"),
        (packed(GOOD.encode() * 99)[:-1], "the gzip data is broken or cut short"),
        (packed(GOOD.encode() * 99)[:20], "the gzip data is broken or cut short"),
        (packed(GOOD.encode())[:1] + b"\x8b", "the gzip data is broken or cut short"),
        (packed(GOOD.encode()) + b"more", "the gzip data is broken or cut short"),
        (packed(GOOD.encode())[:-6] + b"\0\0\0\0\0\0", "the gzip data is broken"),
        (packed(GOOD.encode())[:12] + b"\xff" * 40, "the gzip data is broken"),
        (b"PAR1 and no more", r"cannot be read as Parquet \(.*\); fetch or write it again"),
    ],
)
def test_files_that_are_no_text(write, read, data, message):
    path = write(data)
    with pytest.raises(lf.ReadError, match=f"^{re.escape(str(path))}: .*{message}"):
        read(path)


def test_a_file_that_may_not_be_opened(tmp_path, monkeypatch):
    path = tmp_path / "bm25.run"
    path.write_text(GOOD)

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", refuse)
    with pytest.raises(lf.ReadError, match=r"bm25.run: cannot be read \(Permission denied\)"):
        lf.read_runs(path)


FRAME = pl.DataFrame(
    {"run": ["a", "a"], "query_id": "q1", "doc_id": ["d1", "d2"], "score": [2.0, 1]}
)
QRELS = pl.DataFrame({"query_id": "q1", "doc_id": ["d1", "d2"], "relevance": [1.0, 0]})


@pytest.mark.parametrize(
    "frame, message",
    [
        (
            FRAME.drop("score"),
            "expected the columns run, query_id, doc_id, score; score is missing",
        ),
        (FRAME.drop("score"), r"score is missing \(found: run, query_id, doc_id\)"),
        (FRAME.drop("doc_id", "score"), "doc_id, score are missing"),
        (FRAME.rename({"doc_id": "document"}), "it is: columns={'doc_id': 'document'}"),
        (FRAME.rename({"score": "bm25_score"}), "it is: columns={'score': 'bm25_score'}"),
        (FRAME.with_columns(tag=pl.lit("a")), "run and tag could each be run; .*{'run': 'run'}"),
        (FRAME.with_columns(doc_id=pl.Series(["d1", ""])), "row 2: expected an id as doc_id"),
        (FRAME.with_columns(query_id=pl.lit("")), "row 1: .* as query_id, .* one .2 such rows"),
        (FRAME.with_columns(query_id=pl.lit(0.5)), "expected strings in query_id, found Float64"),
        (FRAME.with_columns(score=date(2024, 2, 29)), "expected Float64 in score, found Date"),
        (FRAME.with_columns(score=pl.lit([1.0])), "expected Float64 in score, found List"),
        (FRAME.with_columns(score=pl.lit("high")), r"Float64 in score, found 2 \('high', 'high'\)"),
        (
            FRAME.with_columns(doc_id=pl.Series(["d1", None])),
            "expected an id as doc_id, found none in 1 rows that have a score",
        ),
        (
            FRAME.with_columns(score=pl.Series([1.0, None])),
            r"of every row, found none in 1 \(row 2 first",
        ),
        (
            FRAME.with_columns(score=pl.Series([float("nan"), 1.0])),
            r"of every row, found none in 1 \(row 1 first, query .*, document ",
        ),
        (FRAME.with_columns(rank=pl.Series([1.5, 2.0])), "rank"),
    ],
)
def test_frames_of_runs(frame, message):
    with pytest.raises(lf.SchemaError, match=f"^runs(: .*|, ){message}"):
        lf.read_runs(frame)


def test_columns_that_polars_does_not_know():
    table = FRAME.to_arrow().append_column("x", pa.array([1, 2], pa.decimal256(60, 2)))
    assert lf.read_runs(table).to_pylist() == lf.read_runs(FRAME).to_pylist()


def test_metadata_of_others_may_be_anything():
    metadata = {"lexiframe": '{"sources": [1]}', b"\xff": b"\xff"}
    table = FRAME.to_arrow().replace_schema_metadata(metadata)
    assert lf.read_runs(table).num_rows == FRAME.height


def test_ranks_of_some_rows_are_none():
    frame = FRAME.with_columns(rank=pl.Series([1, None]))
    assert "rank" not in lf.read_runs(frame).column_names


@pytest.mark.parametrize("read", [lf.read_runs, lf.read_qrels])
@pytest.mark.parametrize(
    "text, options, message",
    [
        ('{"q1": {"d1": 1}, "q2": 5}', {}, "found int as the documents of query 'q2'"),
        (
            "qid,docno,score,score:float\n",
            {},
            "called 'score', apart from a type behind a colon",
        ),
        ('qid,docno,score,label,x\nq1,d1,1,1,\nq1,"d,2",0,5,1,y\n', {}, "5 fields .*, found 6: "),
        ('qid,docno,score,label,x\nq1,"d,1",1,1,\nq1,d2,0,1\n', {}, "5 fields .*, found 4: "),
        (
            f'{{"qid": "q1", "docno": "d1", "x": 1{"0" * 99}}}\n',
            {},
            r"(score|relevance) is missing \(found: qid, docno, x\)",
        ),
        (
            r'{"qid": "q1", "docno": "d\ud800", "score": 1}',
            {},
            "line 1: expected JSON, .*surrogates not a",
        ),
        ("# only\n# comments\n", {"header": True}, "expected a line of names, and lines below"),
        ("qid,docno,a\x1b[1m\n", {}, r"\(found: qid, docno, a\\x1b\[1m\)"),
        *(
            (text, {}, r"doc_id is missing \(found: qid, docnum, score\)\..*\{'doc_id': 'docnum'\}")
            for text in ("qid,docnum,score\nq1,d1,2\n", '{"qid": "q1", "docnum": "d1", "score": 2}')
        ),
        (packed(packed(GOOD.encode())), {}, "found gzip data inside packed data; un"),
    ],
)
def test_files_of_other_kinds(write, read, text, options, message):
    path = write(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(lf.LexiframeError, match=f"^{re.escape(str(path))}[:,] .*{message}"):
        read(path, **options)


@pytest.mark.parametrize("function", [lf.read_runs, lambda runs: lf.positions(runs, QRELS)])
def test_a_frame_of_runs_without_rows(function):
    with pytest.raises(lf.LexiframeError, match="no rows"):
        function(FRAME.clear())


@pytest.mark.parametrize("read", [lf.read_qrels, lambda qrels: lf.positions(FRAME, qrels)])
@pytest.mark.parametrize(
    "frame, message",
    [
        (QRELS.rename({"relevance": "judgement"}), "relevance is missing"),
        (QRELS.with_columns(relevance=pl.lit("high")), "expected Float64 in relevance, found 2"),
        (
            QRELS.with_columns(relevance=pl.Series([1.0, None])),
            r"of every row, found none in 1 \(row 2 first",
        ),
        (QRELS.with_columns(relevance=pl.Series([1.0, float("nan")])), "found none in 1"),
        (QRELS.with_columns(iteration=pl.Series(["0", None])), "iteration is part of the key"),
    ],
)
def test_frames_of_qrels(frame, message, read):
    with pytest.raises(lf.SchemaError, match=f"^qrels: .*{message}"):
        read(frame)


@pytest.mark.parametrize("value", ["[1]", "1.5", "1e3", "true", '{"a": 1}'])
@pytest.mark.parametrize("before", ["", '{"qid": "q1", "docno": "d", "score": 2}\n'])
def test_what_is_no_id_in_json(write, value, before):
    path = write(f'{before}{{"qid": "q1", "docno": {value}, "score": 1}}\n', "bm25.jsonl")
    message = f"line {1 + before.count(chr(10))}: expected text or a whole number as docno, found"
    with pytest.raises(lf.ReadError, match=f"^{re.escape(str(path))}, {message}"):
        lf.read_runs(path)


def _records(count, fields):
    line = '{{"qid": "q1", "docno": "d{}", {}}}\n'
    return "".join(line.format(n, fields) for n in range(count))


TWINS = {
    "score": '"score": 1, "score": 2',
    "an escape": r'"score": 1, "sc\u006fre": 2',
    "null behind": '"score": 1, "score": null',
    "null in front": r'"score": null, "sc\u006fre": 2',
    "in another one": '"score": 1, "a": {"score": 1, "score": 2}',
    "an escaped colon": r'"score": 1, "a": "\u003a", "score": 2',
}


@pytest.mark.parametrize("count", [3, 150])
@pytest.mark.parametrize("twins", TWINS.values(), ids=TWINS)
@pytest.mark.parametrize("other", ['"score": 1', '"score": 1, "b": null', '"score": 1, "b": ":"'])
def test_a_name_that_is_twice_in_a_record(write, count, twins, other):
    """Polars reads one of them without a word."""
    path = write(_records(count, other) + _records(1, twins).replace("d0", "new"), "bm25.jsonl")
    message = f"line {count + 1}: expected JSON without repeated names, found two .* named 'score'"
    with pytest.raises(lf.ReadError, match=message):
        lf.read_runs(path)
    assert lf.check_run(path)["line"].to_list() == [count + 1]


@pytest.mark.parametrize(
    "fields, late, expected",
    [
        ('"score": 1', '"score": 2, "run": "b"', "an id as run"),
        ('"rank": 1', '"rank": 1, "score": 2', "a number as score"),
        ('"score": 1', '"score": 1, "run": 1.5', "an id as run"),
    ],
)
@pytest.mark.parametrize("count", [3, 150])
def test_a_field_that_appears_late(write, fields, late, expected, count):
    """Polars looks for names in the first hundred records."""
    path = write(_records(count, fields) + _records(1, late).replace("d0", "new"), "bm25.jsonl")
    with pytest.raises(lf.ReadError, match=f"line 1: expected {expected}, found none"):
        lf.read_runs(path)
    assert lf.check_run(path)["line"].to_list()[:count] == [*range(1, count + 1)]


@pytest.mark.parametrize("count", [3, 150])
def test_fields_that_appear_late_in_qrels(write, count):
    for late in ('"score": 1, "relevance": 0', '"score": 1, "iteration": "3"'):
        text = _records(count, '"score": 1') + _records(1, late).replace("d0", "new")
        with pytest.raises(lf.ReadError, match=r"line 1: expected a[^,]+, found none"):
            lf.read_qrels(write(text, "qrels.jsonl"))


def test_a_record_that_begins_with_an_object_is_no_run(write):
    record = '{"meta": {"k1": 0.9}, "qid": "q1", "docno": "d1", "score": 2}\n'
    for text in (record, record + record.replace("d1", "d2")):
        assert lf.read_runs(write(text))["query_id"].to_pylist() == ["q1"] * text.count("\n")
    items = '{"meta": {"k1": 0.9}, "user": "q1", "items": [{"docno": "d1", "score": 2}]}'
    assert lf.read_runs(write(items))["doc_id"].to_pylist() == ["d1"]


def test_ids_in_brackets_are_no_json(write):
    for query in ("{1}", "[1]", "{q"):
        assert lf.read_runs(write(f"{query} Q0 d1 1 0.5 t\n"))["query_id"].to_pylist() == [query]


def test_qrels_with_an_empty_list():
    with pytest.raises(lf.SchemaError, match=r"found an empty list for 1 \('q2'\); leave these"):
        lf.read_qrels({"q1": {"d1": 1}, "q2": {}})


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("cut", ["q1 Q0 d2 2 0.", "q1 Q0\td2 2 0.5 ", "q1 Q0 d2 2", "q"])
@pytest.mark.parametrize("above", [GOOD, "# made by\n\n" + GOOD, GOOD + GOOD[:-1] + " and more\n"])
@pytest.mark.filterwarnings("ignore:.* more than 6 fields")
def test_a_file_that_is_cut_short_in_its_last_line(write, above, cut, ending):
    """A score that is cut would be another number."""
    path = write((above + cut).replace("\n", ending))
    message = f"line {above.count(chr(10)) + 1}: {SIX}found .*; the file ends in this line: if it"
    with pytest.raises(lf.ReadError, match=message):
        lf.read_runs(path)
    (problem,) = lf.check_run(path).filter(problem="fields").rows(named=True)
    assert problem["line"] == above.count("\n") + 1


def test_a_last_line_without_an_end_that_is_not_cut(write):
    for text in (GOOD + "q1 Q0 d2 2 0.5 t", GOOD + "q1 Q0 d2 2 0.5\n# end", "q1 Q0 d2 2 0.5"):
        assert lf.read_runs(write(text))["score"].to_pylist()[-1] == 0.5


NUMBERED = "q1 Q0 d1 1 3.5 7\n"


@pytest.mark.parametrize("lost", ["d2 6 10 7", "q1 Q0 d2 6 7", "q1 Q0 6 10 7", "q1 Q0 d2 6 10"])
@pytest.mark.parametrize("before", [NUMBERED, NUMBERED + GOOD, GOOD[:-1] + " 1\n" + NUMBERED, ""])
def test_a_lost_field_beside_tags_that_are_numbers(write, lost, before):
    """Read as five fields, the rank would be the document and the tag the score."""
    path = write(before + lost + "\n" + NUMBERED.replace("d1", "d3"))
    message = f"line {before.count(chr(10)) + 1}: {SIX}found {len(lost.split())}: '{lost}'"
    with pytest.raises(lf.ReadError, match=message):
        lf.read_runs(path)
    assert lf.check_run(path).filter(pl.col("problem") != "duplicate").height == 1


PAIRS = {
    "eleven fields": "q1 Q0 d2 2 1.5 tagq2 Q0 d1 1 0.5 tag",
    "twelve fields": "q1 Q0 d2 2 1.5 tag q2 Q0 d1 1 0.5 tag",
    "ten fields": "q1 Q0 d2 2 1.5 q2 Q0 d1 1 0.5",
    "another word": "q1 Q0 d2 2 1.5 tagq2 q0 d1 1.0 0.5 tag",
    "numbers": "1 0 2 2 1.5 72 0 1 1 0.5 7",
    "three rows": "q1 Q0 d2 2 1.5 tq2 Q0 d1 1 0.5 tq2 Q0 d2 2 0.5 t",
    "a mark": "q1 Q0 d2 2 1.5 t\ufeffq2 Q0 d1 1 0.5 t",
    "no line end": "q1 Q0 d2 2 1.5 tq2 Q0 \x85 1 0.5 t",
}


@pytest.mark.parametrize("line", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("before", ["", GOOD, "# made by\n" + GOOD[:-1] + " and more\n"])
@pytest.mark.filterwarnings("ignore:.* more than 6 fields")
def test_two_rows_of_a_run_in_one_line(write, line, before):
    """Of files without a line feed at their end that were joined."""
    path = write(f"{before}{line}\nq2 Q0 d9 9 0.25 tag\n".encode())
    n, width = before.count("\n") + 1, len(line.split(" "))
    with pytest.raises(lf.ReadError, match=f"line {n}: {SIX}found {width}: .*; these are two rows"):
        lf.read_runs(path)
    assert lf.check_run(path)["line"].to_list() == [n]


@pytest.mark.parametrize("more", ["a b c d", "0.1 2 3 0.5", "1 2 3 4 5 6 7"])
def test_what_is_no_second_row(write, more):
    with pytest.warns(lf.LexiframeWarning, match="2 lines have more than 6 fields"):
        assert lf.read_runs(write(GOOD[:-1] + f" {more}\nq1 Q0 d2 2 2 t {more}\n")).num_rows == 2


@pytest.mark.parametrize(
    "text, message",
    [
        ("q1 0 d2 1q2 0 d1 0\n", FOUR + "found 7: .* two rows"),
        ("1 0 d2 12 0 d1 0\n", FOUR + "found 7: .* two rows"),
        ("1 0 d2 1 2 0 d1 0\n" + JUDGED, FOUR + "found 8: .* two rows"),
        (JUDGED + "q1 0 d2 1q2 0 d1 0\n", FOUR + "found 7: .* two rows"),
        (JUDGED + "q1 0 d2 1 q2 0 d1 0\n", FOUR + "found 8: .* two rows"),
        ("q1 d1 1q2 d1 0\nq1 d0 1\n", "expected 3 fields .*, found 5: .* two rows"),
        ("q1 d0 1\nq1 d1 1q2 d1 0\n", "expected 3 fields .*, found 5: .* two rows"),
        ("qid,docno,label\nq1,d1,1q2,d1,0\n", "3 fields as in the header, found 5: .* two rows"),
        (
            '{"qid": 1, "docno": 2, "rel": 1}{"qid": 1, "docno": 3, "rel": 1}',
            "nothing behind the",
        ),
    ],
)
def test_two_judgments_in_one_line(write, text, message):
    path = write(text)
    with pytest.raises(lf.ReadError, match=message):
        lf.read_qrels(path)
    assert lf.check_qrels(path).height == 1


@pytest.mark.parametrize("glued", ["q1 d0 2q1 d1 1\n", "q1 d0 2 q1 d1 1\n"])
@pytest.mark.parametrize("before", ["", "# made by\n", "q1 d5 3\n"])
@pytest.mark.parametrize("third", ["score", "rank"])
def test_two_rows_of_three_columns_in_one_line(write, before, glued, third):
    path = write(before + glued + "q1 d2 1\n")
    with pytest.raises(lf.ReadError, match=r"expected 3 fields .*, found [56]: .* two rows"):
        lf.read_runs(path, third=third)


def test_several_objects_in_json(write):
    path = write('{"q1": {"d1": 1}}\n{"q2": {"d1": 1}}\n')
    with pytest.raises(
        lf.ReadError, match=r"line 2: .*Extra data\); mend it; join several objects"
    ):
        lf.read_runs(path)


@pytest.mark.parametrize("second", ['{"run": "r", "data": {"score": 1}}', "[1, 2]", '{"b": {}}'])
def test_json_behind_json_is_not_said_to_be_none(write, second):
    path = write('{"spec": {"a": 1}}\n' + second + "\n")
    found = r"line 2: expected nothing behind the first object or list, found "
    for read in (lf.read_scores, lf.read_runs):
        with pytest.raises(lf.ReadError, match=found):
            read(path)


def test_a_run_with_many_fields_given_as_qrels(write):
    with pytest.raises(lf.ReadError, match="this looks like a run, given as qrels"):
        lf.read_qrels(write("q1 Q0 d1 1 2.5 my own 7\n"))


MARK = "\ufeff"
MARKED = {
    "TREC": f"q1 Q0 d1 1 2 t\n{MARK}q2 Q0 d1 1 1 t\n",
    "CR": f"{MARK}q1 Q0 d1 1 2 t\r{MARK}q2 Q0 d1 1 1 t\r",
    "two": f"{MARK * 2}q1 Q0 d1 1 2 t\r\n{MARK * 2}q2 Q0 d1 1 1 t\r\n",
    "behind blanks": f"q1 Q0 d1 1 2 t\n \t{MARK} {MARK}q2 Q0 d1 1 1 t\n",
    "in quotes": f'qid,docno,score\n"q1",d1,2\n"{MARK}q2",d1,1\n',
    "before quotes": f'qid,docno,score\n"q1",d1,2\n {MARK}"{MARK}q2",d1,1\n',
    "CSV": f"{MARK}qid,docno,score\nq1,d1,2\n{MARK}q2,d1,1\n",
    "JSON": f'{{"qid": "q1", "docno": "d1", "score": 2}}\n{MARK}'
    '{"qid": "q2", "docno": "d1", "score": 1}\n',
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_byte_order_marks_of_files_that_were_joined(write, text, encoding):
    read = lf.read_runs(write(text.encode(encoding)))
    assert read["query_id"].to_pylist() == ["q1", "q2"]
    assert lf.check_run(write(text.encode(encoding))).is_empty()


def test_an_id_with_a_space_shifts_the_fields(write):
    path = write(GOOD + "q1 Q0 my doc 1 0.9 t\n")
    with pytest.raises(lf.ReadError, match="line 2: " + SIX + "found 7: 'q1 Q0 my doc 1 0.9 t'"):
        lf.read_runs(path)
    assert lf.check_run(path)["line"].to_list() == [2]
    with pytest.warns(lf.LexiframeWarning, match="1 line has more than 6 fields"):
        lf.read_runs(write(GOOD + "q1 Q0 d2 2 0.9 t and more\n"))


RUN_TABLES = {
    "rank": pl.DataFrame({"qid": "q", "docno": ["d"], "rank": [1], "score": [12.3]}),
    "run": pl.DataFrame({"run": "a", "qid": "q", "docno": ["d"], "score": [12.3]}),
    "a table of read_runs": lf.read_runs({"a": {"q": {"d": 12.3}}}),
}


@pytest.mark.parametrize("kind", RUN_TABLES)
def test_a_table_of_a_run_given_as_qrels(tmp_path, kind):
    table = RUN_TABLES[kind]
    path = lf.write_parquet(table, tmp_path / "a.parquet")
    for given in (table, path):
        with pytest.raises(
            lf.SchemaError, match="this looks like a run, given as qrels; qrels and"
        ):
            lf.read_qrels(given)
    assert lf.read_qrels(table, columns={"relevance": "score"})["relevance"].to_pylist() == [12.3]
    beir = pl.DataFrame({"query-id": ["q"], "corpus-id": "d", "score": 1})
    assert lf.read_qrels(beir)["relevance"].to_pylist() == [1]


@pytest.mark.parametrize("grade", ["label", "rel", "relevance"])
def test_a_table_of_qrels_given_as_a_run(write, grade):
    path = write(f"qid,docno,{grade}\nq,d,1\n")
    with pytest.raises(
        lf.SchemaError,
        match=r"the column score, found .* looks like qrels, given as a run; qrels and",
    ):
        lf.read_runs(path)


def test_fractional_grades_given_as_a_run(write):
    with pytest.raises(lf.ReadError, match="looks like a qrels file, given as a run"):
        lf.read_runs(write("q1 0 d1 0.5\n"))


def test_infinite_grades(write):
    with pytest.raises(lf.ReadError, match=r"line 1: expected a finite number in field 4 \(rel"):
        lf.read_qrels(write("q1 0 d1 inf\n"))
    with pytest.raises(lf.SchemaError, match="expected finite grades, found inf for document 'd1'"):
        lf.read_qrels({"q1": {"d1": float("inf")}})


TOO_GREAT = {
    "lines": ("q1 Q0 d1 1 5 t\nq1 Q0 d2 2 {} t\n", "q1 0 d1 1\nq1 0 d2 {}\n", "line 2: "),
    "csv": (
        "query_id,doc_id,score\nq1,d1,{}\n",
        "query_id,doc_id,relevance\nq1,d1,{}\n",
        "line 2: ",
    ),
    "json lines": (
        '{{"qid": "q1", "docno": "d1", "score": {}}}',
        '{{"qid": "q1", "docno": "d1", "rel": {}}}',
        "line 1: ",
    ),
    "json list": (
        '[{{"qid": "q1", "docno": "d1", "score": {}}}]',
        '[{{"qid": "q1", "docno": "d1", "rel": {}}}]',
        "record 1: ",
    ),
    "json": ('{{"q1": {{"d1": {}}}}}', '{{"q1": {{"d1": {}}}}}', "expected a number up"),
}


@pytest.mark.parametrize("number", ["1e400", "-1.5E+999", "1" * 400])
@pytest.mark.parametrize("form", TOO_GREAT)
def test_finite_numbers_beyond_the_greatest_float(write, form, number):
    """As float64 they would all be infinite, and ties."""
    *texts, place = TOO_GREAT[form]
    kinds = ((lf.read_runs, lf.check_run), (lf.read_qrels, lf.check_qrels))
    for text, (read, check) in zip(texts, kinds, strict=True):
        path = write(text.format(number))
        with pytest.raises(
            lf.ReadError, match=rf"{place}.*{number[:5]}".replace("+", r"\+")
        ) as told:
            read(path)
        assert "expected a number up to 1.8e308" in str(told.value)
        assert str(told.value).endswith("it is too great for float64: give a smaller one")
        assert check(path)["problem"].to_list() == ["number"]


@pytest.mark.parametrize("score", ["1e400", 10**400])
def test_finite_numbers_beyond_the_greatest_float_in_frames(score):
    data = {"q1": {"d1": score}}
    if isinstance(score, str):
        data = pl.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "score": [score]})
    with pytest.raises(
        lf.SchemaError, match=r"expected a number up to 1.8e308.*give a smaller one"
    ):
        lf.read_runs(data)


@pytest.mark.parametrize("form", ["frame", "lines", "json"])
def test_large_grades_and_values_that_would_be_equal(write, form):
    grades = [2**53, 2**53 + 1]
    rows = {"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "relevance": grades}
    given = pl.DataFrame(rows)
    if form == "lines":
        given = write("".join(f"q1 0 {d} {n}\n" for d, n in zip("ab", grades, strict=True)))
    elif form == "json":
        given = write('{"q1": {"a": 1.700000000000000001e18, "b": 1700000000000000002}}')
    with pytest.raises(lf.SchemaError, match=r"different grades that .*; give smaller grades"):
        lf.read_qrels(given)
    scores = pl.DataFrame({"run": ["a", "b"], "qid": "q1", "measure": "x", "value": grades})
    scores = scores.cast({"value": pl.String}) if form == "lines" else scores
    with pytest.raises(lf.SchemaError, match=r"that float64 can hold as value, found 90.*993; sub"):
        lf.read_scores(scores)
    assert lf.read_scores(scores.head(1))["value"].item() == 2**53


def test_large_ranks_that_would_be_equal():
    frame = pl.DataFrame({"qid": "q1", "docno": ["a", "b"], "rank": [2**53, 2**53 + 1]})
    with pytest.raises(
        lf.SchemaError, match=r"different ranks .*; count ranks from 1 in each query"
    ):
        lf.read_runs(frame)


@pytest.mark.parametrize("score", ["1.5", None, True])
def test_what_is_no_number_in_a_dictionary(score):
    for runs in ({"q": {"d": score}}, {"bm25": {"q": {"d": score}}}):
        message = f"number as score of document 'd' for query 'q', found {score!r}"
        with pytest.raises(lf.SchemaError, match=message):
            lf.read_runs(runs)


def test_runs_of_which_one_answered_nothing():
    table = lf.read_runs({"a": {"q": {"d": 1.0}}, "b": {"q": {}}})
    assert table["run"].to_pylist() == ["a", "b"]


def test_a_home_that_is_not_there():
    with pytest.raises(lf.ReadError, match=r"^~nobody-of-this-name/x.run: there is no such home"):
        lf.read_runs("~nobody-of-this-name/x.run")


def test_a_name_for_a_table_of_several_runs():
    frame = pl.DataFrame({"run": ["a", "b"], "qid": "q", "docno": "d", "score": 1.0})
    with pytest.raises(
        lf.SchemaError, match=r"expected one run under this name, found 2 \('a', 'b'\)"
    ):
        lf.read_runs({"mine": frame})


def test_a_file_of_a_table_without_rows(write):
    with pytest.raises(lf.SchemaError, match="expected the rows of a ranking, found no rows"):
        lf.read_runs(write("qid,docno,score\n"))


# --- What unpacks to more than memory holds -------------------------------------------------------


def parquet_of(table):
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def arrow_of(table):
    sink = io.BytesIO()
    feather.write_feather(table, sink, compression="zstd")
    return sink.getvalue()


ROW = b"q1 Q0 d1 1 0.5 tag\n"
TABLE = pa.table({"query_id": ["q1"] * 9999, "doc_id": ["d1"] * 9999, "score": [0.5] * 9999})
BOMBS = {
    "gzip": packed(ROW * 9999),
    "gzip members": packed(ROW * 5000) * 2,
    "bzip2": bz2.compress(ROW * 9999),
    "xz": lzma.compress(ROW * 9999),
    "zstd": pa.compress(ROW * 9999, "zstd", asbytes=True),
    "Parquet": parquet_of(TABLE),
    "Arrow": arrow_of(TABLE),
}


@pytest.mark.parametrize("packed", BOMBS)
def test_what_would_fill_the_memory_is_refused_unless_it_is_trusted(write, monkeypatch, packed):
    path = write(BOMBS[packed])
    monkeypatch.setattr("lexiframe.core.io.files.packings._ROOM", 100_000)
    monkeypatch.setenv("LEXIFRAME_UNPACK_RATIO", "2")
    message = r"bm25.run: the [0-9,]+ bytes of the file hold far more .*LEXIFRAME_UNPACK_RATIO=inf"
    with pytest.raises(lf.ReadError, match=message):
        lf.read_runs(path)
    monkeypatch.setenv("LEXIFRAME_UNPACK_RATIO", "inf")
    assert lf.read_runs(path).num_rows > 9000
    monkeypatch.delenv("LEXIFRAME_UNPACK_RATIO")
    monkeypatch.setattr("lexiframe.core.io.files.packings._ROOM", 1 << 30)
    assert lf.read_runs(path).num_rows > 9000
    for said in ("much", "nan", "-1", "0"):
        monkeypatch.setenv("LEXIFRAME_UNPACK_RATIO", said)
        with pytest.raises(lf.ReadError, match="RATIO: expected a positive number or inf, found"):
            lf.read_runs(path)
