"""Runs: every form of TREC text, Parquet and frames gives the same table."""

import bz2
import gzip
import lzma

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lexiframe as lf

TEXT = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2 tag\nq2 Q0 d1 1 -0.25 tag\n"
LINES = TEXT.splitlines()
ROWS = [("q1", "d1", 3.5), ("q1", "d2", 2.0), ("q2", "d1", -0.25)]
FRAME = pl.DataFrame(ROWS, schema=["query_id", "doc_id", "score"], orient="row")
NAMED = FRAME.insert_column(0, pl.lit("bm25").alias("run"))
QRELS = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d2", "d1"], "relevance": [1.0, 1.0]})


def rows(table):
    return pl.DataFrame(table.select(["query_id", "doc_id", "score"])).rows()


FORMS = {
    "plain": TEXT,
    "tabs": TEXT.replace(" ", "\t"),
    "blanks mixed": "q1 \tQ0  d1\t\t1 3.5\ttag\nq1 Q0\td2 2   2 \t tag\nq2 Q0 d1 1 -0.25 tag\n",
    "blanks at both ends": "".join(f"  \t{line} \t\n" for line in LINES),
    "five fields": TEXT.replace(" tag", ""),
    "five fields, then six": TEXT.replace(" tag", "", 1),
    "six fields, then five": TEXT[::-1].replace("gat ", "", 1)[::-1],
    "CRLF": TEXT.replace("\n", "\r\n"),
    "CRLF here and there": TEXT.replace("\n", "\r\n", 1),
    "no last newline": TEXT.rstrip(),
    "CRLF, no last newline": TEXT.replace("\n", "\r\n").rstrip(),
    "empty lines": "\n" + TEXT.replace("\n", "\n\n \t\n"),
    "comments": "# a header\n#\n" + "\n  # indented # \n".join(LINES) + "\n#end",
    "comments and CRLF": ("# made by\n" + TEXT).replace("\n", "\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "byte order mark and comments": b"\xef\xbb\xbf# made by\n" + TEXT.encode(),
    "other words in column 2": TEXT.replace("Q0", "0", 1).replace("Q0", "q0", 1),
    "numbers in other forms": TEXT.replace("3.5", "+.35E1").replace(" 2 tag", " 2. tag"),
    "quotes": TEXT.replace("tag", '"tag'),
    "gzip": gzip.compress(TEXT.encode()),
    "gzip of two members": gzip.compress(TEXT[:25].encode()) + gzip.compress(TEXT[25:].encode()),
    "bzip2 of two streams": bz2.compress(TEXT[:25].encode()) + bz2.compress(TEXT[25:].encode()),
    "xz of two streams": lzma.compress(TEXT[:25].encode()) + lzma.compress(TEXT[25:].encode()),
    "xz with padding": lzma.compress(TEXT.encode()) + bytes(8),
    "gzip of CRLF and tabs": gzip.compress(TEXT.replace(" ", "\t").replace("\n", "\r\n").encode()),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["bm25.run", "bm25", "bm25.trec.gz"])
def test_every_form_of_text(write, form, name):
    path = write(FORMS[form], name)
    table = lf.read_runs(path)
    assert rows(table) == ROWS
    assert table["run"].unique().to_pylist() == ["bm25"]
    assert table.schema.types[:4] == [pa.string(), pa.string(), pa.string(), pa.float64()]
    assert lf.positions(lf.scan_runs(path), QRELS).equals(lf.positions(table, QRELS))


def test_an_id_may_look_like_packed_data(write):
    """The bytes ``x^`` begin data that zlib packed."""
    text = TEXT.replace("q1", "x^1")
    assert lf.read_runs(write(text))["query_id"].to_pylist()[0] == "x^1"
    with pytest.warns(lf.LexiframeWarning, match="1 line has more than 6 fields"):
        uneven = lf.read_runs(write(text.replace("\n", " of mine\n", 1)))
    assert uneven["query_id"].to_pylist()[0] == "x^1"


@pytest.mark.parametrize(
    "before, behind", [("q1 Q0 ", "  1 3.5 tag\n"), ("q1 Q0 d1 1 3.5 ", " \n")]
)
@pytest.mark.parametrize("offset", [-2, -1, 0])
def test_stray_blanks_are_found_at_the_border_of_blocks(write, before, behind, offset):
    """Text is searched for them a quarter of a mebibyte at a time."""
    long_field = "x" * ((1 << 18) + offset - len(before))
    path = write(f"{before}{long_field}{behind}q2 Q0 d1 1 2.5 tag\n")
    assert lf.read_runs(path)["score"].to_pylist() == [3.5, 2.5]


FRAMES = {
    "polars": NAMED,
    "polars lazy": NAMED.lazy(),
    "pandas": pd.DataFrame(NAMED.to_dict(as_series=False)),
    "pandas with an index": pd.DataFrame(NAMED.to_dict(as_series=False), index=[7, 7, 9]),
    "pyarrow": NAMED.to_arrow(),
    "pyarrow batches": pa.table(NAMED.to_arrow()).to_reader(max_chunksize=1),
    "categories": NAMED.cast({"run": pl.Categorical, "query_id": pl.Categorical}),
    "single floats": NAMED.cast({"score": pl.Float32}),
    "more columns": NAMED.with_columns(text=pl.lit("?"), q0=pl.lit("other")),
    "columns in another order": NAMED.select(reversed(NAMED.columns)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind):
    table = lf.read_runs(FRAMES[kind])
    assert table.column_names == ["run", "query_id", "doc_id", "score"]
    assert table.schema.types == [pa.string(), pa.string(), pa.string(), pa.float64()]
    assert rows(table) == ROWS


@pytest.mark.parametrize("kind", ["polars", "polars lazy", "pandas", "pyarrow"])
def test_a_function_of_runs_takes_frames_too(kind):
    expected = lf.positions(NAMED, QRELS)
    qrels = {"pandas": QRELS.to_pandas, "pyarrow": QRELS.to_arrow, "polars lazy": QRELS.lazy}
    found = lf.positions(FRAMES[kind], qrels.get(kind, QRELS.clone)())
    assert pl.DataFrame(found).equals(expected)
    assert pl.DataFrame(lf.coverage(FRAMES[kind], QRELS))["answered"].to_list() == [2]


@pytest.mark.parametrize("frame", [NAMED, FRAME], ids=["run in a column", "run by its file"])
def test_parquet(write, frame):
    path = write(b"", "bm25.parquet")
    frame.write_parquet(path)
    table = lf.read_runs(path)
    assert rows(table) == ROWS
    assert table["run"].unique().to_pylist() == ["bm25"]
    path = path.rename(path.with_name("bm25.run"))  # it is known by its content
    assert rows(lf.read_runs(path)) == ROWS


@pytest.mark.parametrize("query_id", ["007", "1e3", "12345678901234567890123", "NULL", "NaN", "-"])
def test_ids_stay_strings(write, query_id):
    path = write(f"{query_id} Q0 {query_id} 1 1 {query_id}\n")
    for name_from in ("file", "tag"):
        table = lf.read_runs(path, name_from=name_from)
        assert table.select(["query_id", "doc_id"]).to_pylist() == [
            dict.fromkeys(["query_id", "doc_id"], query_id)
        ]
    assert table["run"].to_pylist() == [query_id]


@pytest.mark.parametrize("doc_id", ["a#b", "#", "d1#", "é", "a\u00a0b", 'say"d"', "\x01", "d,1"])
def test_ids_are_kept_as_they_are(write, doc_id):
    path = write(f"# comment\nq1 Q0 {doc_id} 1 1 tag\n")
    assert lf.read_runs(path)["doc_id"].to_pylist() == [doc_id]


@pytest.mark.parametrize(
    "score, value", [("inf", float("inf")), ("-INF", float("-inf")), ("-Infinity", float("-inf"))]
)
def test_infinite_scores_are_scores(write, score, value):
    assert lf.read_runs(write(f"q1 Q0 d1 1 {score} t"))["score"].to_pylist() == [value]


@pytest.mark.parametrize(
    "text, count",
    [
        ("q1 Q0 d1 1 3.5 tag and more\nq1 Q0 d2 2 2 tag\nq2 Q0 d1 1 -0.25 tag #\n", "2 lines have"),
        ("q1 Q0 d1 1 3.5\nq1 Q0 d2 2 2 tag\nq2 Q0 d1 1 -0.25 tag 7\n", "1 line has"),
        ("\n".join(f"{line}\textra" for line in LINES), "3 lines have"),
    ],
    ids=["mixed with six", "mixed with five and six", "all"],
)
def test_fields_after_the_sixth_are_ignored_with_one_warning(write, text, count):
    path = write(text)
    with pytest.warns(lf.LexiframeWarning) as caught:
        assert rows(lf.read_runs(path)) == ROWS
    (said,) = (str(warning.message) for warning in caught)
    assert said.startswith(f"{path}: {count} more than 6 fields; the fields after")


def test_the_rank_column_is_kept_when_it_holds_whole_numbers(write):
    assert lf.read_runs(write(TEXT))["rank"].to_pylist() == [1, 2, 1]
    assert lf.read_runs(write(TEXT))["rank"].type == pa.int64()
    by_pandas = write(TEXT.replace(" 1 ", " 1.0 "), "pandas.run")
    assert lf.read_runs(by_pandas)["rank"].to_pylist() == [1, 2, 1]
    not_whole = write(TEXT.replace(" 1 ", " 1.5 "), "other.run")
    assert "rank" not in lf.read_runs(not_whole).column_names
    both = lf.read_runs([write(TEXT), not_whole])
    assert "rank" not in both.column_names
    assert both.num_rows == 6


def test_runs_are_sorted_by_name_and_keep_the_order_of_their_file(write):
    shuffled = "\n".join([LINES[2], LINES[0], LINES[1]])
    table = lf.read_runs([write(shuffled, "z.run"), write(TEXT, "a.run")])
    assert table["run"].to_pylist() == ["a"] * 3 + ["z"] * 3
    assert rows(table.slice(3)) == [ROWS[2], ROWS[0], ROWS[1]]


def test_lines_of_a_table_that_was_read(write):
    """Duplicates are named by their lines as long as the file is there."""
    path = write("# c\n\nq1 Q0 d1 1 1 t\n\nq1 Q0 d1 2 1 t\n")
    table = lf.read_runs(path)
    qrels = pl.DataFrame({"query_id": "q1", "doc_id": ["d1"], "relevance": 1.0})
    with pytest.raises(lf.SchemaError, match=r"bm25.run: .* \(lines 3 and 5; 2 such rows"):
        lf.positions(table, qrels)
    path.unlink()
    with pytest.raises(lf.SchemaError, match=r"bm25.run: .* \(rows 1 and 2; 2 such rows"):
        lf.positions(table, qrels)


def test_columns_whose_names_are_patterns_to_polars(write):
    table = lf.read_runs(write("qid,docno,score,*,^a$\nq,d,1,x,y\n"))
    assert rows(table) == [("q", "d", 1.0)]
    frame = pl.DataFrame({"qid": "q", "docno": "d", "score": 1.0, "*": 1, "^.*$": 2})
    assert lf.read_runs({"bm25": frame}).equals(table)
