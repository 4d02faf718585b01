"""One data set in every form in which runs and judgments are kept: always the same table.

Tables are compared whole: columns, types, and the order of rows; only the metadata may differ,
since they name the file.
"""

import bz2
import csv
import gzip
import hashlib
import io
import json
import lzma
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import NamedTuple

import pyarrow as pa
import pytest
from pyarrow import parquet

import lexiframe as lf
from lexiframe.core.cli import app as cli
from lexiframe.core.io.files.provenance import provenance_of
from lexiframe.core.io.forms import FORMS
from lexiframe.core.io.text.trec import parse_fields

pytestmark = pytest.mark.slow

NAME = "bm25"


class Collection(NamedTuple):
    """One run as (query, document, rank, score as text), and judgments (query, document, grade)."""

    run: list
    judged: list


# Scripts, white space beyond ASCII, what looks like a number or like nothing, and what separates
# or quotes elsewhere. None has a quotation mark: CSV as such doubles it, TSV does not.
ODD_IDS = [
    *"007 7 1e3 -0 NULL NaN nan None d,1 d;1 d#1 'd' ß д１ 文書 ٣".split(),
    *["\u00e9", "e\u0301", "\u200dx", "a\u00a0b", "\u3000"],  # one letter twice; no ASCII blanks
]
SCORES = ["inf", "12", "3.5", "2.25e-3", "1e-05", "0", "-0.125", "-3", "-1e300", "-inf"]


def odd():
    run = [
        (query, doc, rank, score)
        for query in ODD_IDS
        for rank, (doc, score) in enumerate(zip(reversed(ODD_IDS), SCORES, strict=False), 1)
    ]
    judged = [(q, d, str(n % 4 - 1)) for q in ODD_IDS for n, d in enumerate(ODD_IDS)]
    return Collection(run, judged)


def from_files(run, qrels):
    """Split lines by hand, so that lexiframe is compared with something else."""
    data = run.read_bytes()
    lines = (gzip.decompress(data) if run.suffix == ".gz" else data).decode().splitlines()
    rows = [(q, d, int(rank), score) for q, _, d, rank, score, _ in map(str.split, lines)]
    judged = [(q, d, g) for q, _, d, g in map(str.split, qrels.read_text().splitlines())]
    return Collection(rows, judged)


@pytest.fixture(
    scope="module",
    params=["odd", "example", pytest.param("cranfield", marks=pytest.mark.conformance)],
)
def collection(request):
    if request.param == "odd":
        return odd()
    if request.param == "example":
        folder = lf.bundled("example")
        return from_files(folder / "runs" / "pca8_euclidean.run", folder / "qrels.txt")
    folder = request.getfixturevalue("shared") / "data" / "cranfield"
    return from_files(folder / "runs" / "xapian_bm25.trec.gz", folder / "qrels.trec")


def arrow(columns):
    types = {"score": pa.float64(), "rank": pa.int64(), "relevance": pa.float64()}
    columns = {name: pa.array(of, types.get(name, pa.string())) for name, of in columns.items()}
    return pa.table(columns)


def run_table(run, *, ranked, ordered_by_rank=False):
    queries, documents, ranks, scores = zip(*run, strict=True)
    values = [-float(rank) for rank in ranks] if ordered_by_rank else [float(s) for s in scores]
    columns = {
        "run": [NAME] * len(run),
        "query_id": queries,
        "doc_id": documents,
        "score": values,
    }
    return arrow(columns | ({"rank": ranks} if ranked else {}))


def qrels_table(judged, iteration="0"):
    queries, documents, grades = zip(*judged, strict=True)
    columns = {"query_id": queries, "iteration": [iteration] * len(judged), "doc_id": documents}
    return arrow(columns | {"relevance": [float(grade) for grade in grades]})


def assert_same(table, expected):
    """As a whole, metadata apart; the first rows that differ, where rows do."""
    assert table.schema.remove_metadata() == expected.schema
    assert table.num_rows == expected.num_rows
    if not table.equals(expected):
        both = zip(table.to_pylist(), expected.to_pylist(), strict=True)
        assert [pair for pair in both if pair[0] != pair[1]][:3] == []
    assert table.equals(expected)


# --- Runs as TREC text --------------------------------------------------------------------------


def trec(run, *, between=" ", end="\n", line="{q}{s}Q0{s}{d}{s}{r}{s}{x}{s}tag", score=str):
    """Lines of six fields."""
    s = between
    return "".join(line.format(q=q, d=d, r=r, x=score(x), s=s) + end for q, d, r, x in run).encode()


def mixed_blanks(run):
    blanks = [" ", "\t", "   ", " \t ", "\t\t", "\v", "\f"]
    of_line = (blanks[n % len(blanks) :] + blanks[: n % len(blanks)] for n in range(len(run)))
    line = "{q}{}Q0{}{d}{}{r}{}{x}{}tag{}\n"
    rows = zip(of_line, run, strict=True)
    return "".join(line.format(*b, q=q, d=d, r=r, x=x) for b, (q, d, r, x) in rows).encode()


def with_comments(run):
    lines = trec(run).decode().splitlines(keepends=True)
    lines.insert(len(lines) // 2, "  # in the middle\n#\n\n")
    return ("# team: us\n# tag: other\n" + "".join(lines) + "#end").encode()


def scientific(score):
    return f"{float(score):.17E}"


def signed(score):
    return score if score.startswith("-") else f"+{score}"


def long_infinity(score):
    return score.replace("inf", "Infinity")


def decimal_comma(score):
    return score.replace(".", ",")


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def two_members(pack, data):
    half = len(data) // 2
    return pack(data[:half]) + pack(data[half:])


PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}


def encoded(text, encoding):
    """With a byte order mark."""
    return ("\ufeff" + text.decode()).encode(encoding)


TEXTS = {
    "plain": trec,
    "tabs": partial(trec, between="\t"),
    "runs of spaces": partial(trec, between="   "),
    "all blanks there are": mixed_blanks,
    "leading blanks": partial(trec, line=" \t {q}{s}Q0{s}{d}{s}{r}{s}{x}{s}tag"),
    "trailing blanks": partial(trec, end=" \t \n"),
    "CRLF": partial(trec, end="\r\n"),
    "CR": partial(trec, end="\r"),
    "blanks and CRLF": partial(trec, between="\t", end=" \r\n"),
    "no last line end": lambda run: trec(run)[:-1],
    "CR, no last line end": lambda run: trec(run, end="\r")[:-1],
    "blank lines": partial(trec, end="\n\n \t\n"),
    "comments": with_comments,
    "scientific notation": partial(trec, score=scientific),
    "plus signs": partial(trec, score=signed),
    "plus signs, scientific": partial(trec, score=lambda score: signed(scientific(score))),
    "infinity in full": partial(trec, score=long_infinity),
    "infinity in capitals": partial(trec, score=str.upper),
    "five fields": partial(trec, line="{q}{s}Q0{s}{d}{s}{r}{s}{x}"),
    "five fields with tabs": partial(trec, line="{q}\tQ0\t{d}\t{r}\t{x}\t"),
    "0 in column 2": partial(trec, line="{q} 0 {d} {r} {x} tag"),
    "an id in column 2": partial(trec, line="{q} 文書 {d} {r} {x} tag"),
    "ranks as floats": partial(trec, line="{q} Q0 {d} {r}.0 {x} tag"),
    "quotes in the tag": partial(trec, line='{q} Q0 {d} {r} {x} "tag'),
} | {
    f"byte order mark of {encoding}": lambda run, encoding=encoding: encoded(trec(run), encoding)
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
}
TEXTS |= {
    f"{name}{' of two members' * twice}": lambda run, pack=pack, twice=twice: (
        two_members(pack, trec(run)) if twice else pack(trec(run))
    )
    for name, pack in PACK.items()
    for twice in (False, True)
}
TEXTS["gzip of UTF-16 with CRLF"] = lambda run: gzip.compress(
    encoded(trec(run, end="\r\n", between="\t"), "utf-16-le")
)


@pytest.mark.parametrize("form", TEXTS)
def test_runs_as_text(write, collection, form):
    path = write(TEXTS[form](collection.run), f"{NAME}.run")
    assert_same(lf.read_runs(path), run_table(collection.run, ranked=True))


def headed(line, names, **options):
    def form(run):
        return names.encode() + b"\n" + trec(run, line=line, **options)

    return form


THREE = "{q}{s}{d}{s}{x}"
OPTIONS = {
    "three columns, score": (partial(trec, line=THREE), {"third": "score"}, "score"),
    "three columns, score, tabs": (
        partial(trec, line=THREE, between="\t"),
        {"third": "score"},
        "score",
    ),
    "three columns, rank": (
        partial(trec, line="{q}{s}{d}{s}{r}", between="\t"),
        {"third": "rank"},
        "rank",
    ),
    "three columns, rank, CRLF": (
        partial(trec, line="{q} {d} {r}", end="\r\n"),
        {"third": "rank"},
        "rank",
    ),
    "third is said, six are there": (trec, {"third": "rank"}, "both"),
    "header and spaces": (headed(THREE, "qid docno score"), {"header": True}, "score"),
    "header and runs of spaces": (
        headed(THREE, "qid   docno \tscore", between="  \t"),
        {"header": True},
        "score",
    ),
    "header and tabs": (
        headed(THREE, "qid\tdocno\tscore", between="\t"),
        {"header": True},
        "score",
    ),
    "header of other names": (
        headed("{x} {d} {q}", "a b c"),
        {"header": True, "columns": {"query_id": "c", "doc_id": "b", "score": "a"}},
        "score",
    ),
    "header with rank": (
        headed("{q} Q0 {d} {r} {x}", "topic Q0 docid rank sim"),
        {"header": True},
        "both",
    ),
    "decimal comma": (partial(trec, score=decimal_comma), {"decimal": ","}, "both"),
    "decimal comma, scientific, tabs": (
        partial(trec, score=lambda score: decimal_comma(signed(scientific(score))), between="\t"),
        {"decimal": ","},
        "both",
    ),
    "decimal comma, three columns": (
        partial(trec, line=THREE, score=decimal_comma),
        {"decimal": ",", "third": "score"},
        "score",
    ),
}


def expected_run(run, holds):
    """Of a form that holds the ``"score"``, the ``"rank"``, or ``"both"``."""
    return run_table(run, ranked=holds != "score", ordered_by_rank=holds == "rank")


@pytest.mark.parametrize("form", OPTIONS)
def test_runs_as_text_that_needs_to_be_told(write, collection, form):
    make, options, holds = OPTIONS[form]
    path = write(make(collection.run), f"{NAME}.run")
    assert_same(lf.read_runs(path, **options), expected_run(collection.run, holds))


RUN_OF_NUMBERS = [row for row in odd().run if "." in row[3]]


@pytest.mark.parametrize(
    "form", ["three columns, rank", "three columns, score", "header with rank", "decimal comma"]
)
def test_without_being_told_it_is_refused_and_said(write, form):
    make, options, _ = OPTIONS[form]
    argument, value = next(iter(options.items()))
    with pytest.raises(lf.ReadError, match=f"line 1: .*{argument}={value!r}"):
        lf.read_runs(write(make(RUN_OF_NUMBERS), f"{NAME}.run"))


def test_the_tag_names_the_run_in_every_encoding(write):
    run = odd().run[:4]
    for name in ("plain", "tabs", "byte order mark of utf-16-le", "comments", "zstd"):
        path = write(TEXTS[name](run), "other.run")
        assert lf.read_runs(path, name_from="tag")["run"].to_pylist() == ["tag"] * 4


# --- Runs as CSV and JSON -----------------------------------------------------------------------


def comma(run, names=("query_id", "doc_id", "score"), *, score=str, **options):
    """CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=options.pop("end", "\n"), **options)
    writer.writerow(names)
    writer.writerows((q, d, score(x), r)[: len(names)] for q, d, r, x in run)
    return text.getvalue().encode()


WITH_RANK = ("query_id", "doc_id", "score", "rank")
TABLES = {
    "CSV": comma,
    "CSV with ranks": partial(comma, names=WITH_RANK),
    "CSV, all quoted": partial(comma, quoting=csv.QUOTE_ALL),
    "CSV, texts quoted": partial(comma, quoting=csv.QUOTE_NONNUMERIC, score=float),
    "CSV with CRLF": partial(comma, end="\r\n"),
    "CSV with CR": partial(comma, end="\r"),
    "CSV without last line end": lambda run: comma(run)[:-1],
    "CSV and an empty line behind": lambda run: comma(run) + b"\n",
    "CSV, scientific and signed": partial(comma, score=lambda x: signed(scientific(x))),
    "CSV in UTF-8 with a mark": lambda run: encoded(comma(run), "utf-8"),
    "CSV in UTF-16": lambda run: encoded(comma(run, end="\r\n"), "utf-16-le"),
    "CSV in gzip": lambda run: gzip.compress(comma(run)),
    "TSV": partial(comma, delimiter="\t"),
    "TSV with CRLF and ranks": partial(comma, names=WITH_RANK, delimiter="\t", end="\r\n"),
    "TSV, texts quoted": partial(comma, delimiter="\t", quoting=csv.QUOTE_NONNUMERIC, score=float),
    "semicolons": partial(comma, delimiter=";"),
    "semicolons, quoted": partial(comma, delimiter=";", quoting=csv.QUOTE_ALL),
}


@pytest.mark.parametrize("form", TABLES)
@pytest.mark.parametrize("suffix", [".csv", ".run"])
def test_runs_as_tables_of_text(write, collection, form, suffix):
    form = TABLES[form]
    names = getattr(form, "keywords", {}).get("names")
    path = write(form(collection.run), NAME + suffix)
    assert_same(lf.read_runs(path), run_table(collection.run, ranked=names == WITH_RANK))


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_in_tables(write, collection, separator):
    path = write(comma(collection.run, delimiter=separator, score=decimal_comma), f"{NAME}.csv")
    assert_same(lf.read_runs(path, decimal=","), run_table(collection.run, ranked=False))


def test_decimal_commas_between_commas(write, collection):
    """Such scores are quoted."""
    path = write(comma(collection.run, score=decimal_comma), f"{NAME}.csv")
    assert_same(lf.read_runs(path, decimal=","), run_table(collection.run, ranked=False))


def test_quotes_inside_quotes(write):
    run = [('say "q"', 'a,"b"', 1, "2.5"), ('"', "d\t1", 2, "1")]
    path = write(comma(run), f"{NAME}.csv")
    assert_same(lf.read_runs(path), run_table(run, ranked=False))


# As DESIGN.md lists them, copied and not imported: they are a contract.
KNOWN_NAMES = {
    "query_id": "query_id qid q_id query query-id topic user_id user",
    "doc_id": "doc_id docno docid doc item_id item corpus-id",
    "score": "score sim prediction",
    "run": "run name system tag model",
}
GRADES = "relevance label rel grade gain rating score"
ITERATIONS = "iteration subtopic q0"
SPELLINGS = [(ours, theirs) for ours, names in KNOWN_NAMES.items() for theirs in names.split()]
USUAL = {"query_id": "query_id", "doc_id": "doc_id", "score": "score"}


@pytest.mark.parametrize("ours, theirs", SPELLINGS)
@pytest.mark.parametrize("form", ["CSV", "TSV", "JSON lines"])
def test_every_dialect_in_files(write, ours, theirs, form):
    names = {**USUAL, ours: theirs}
    named = {"run": NAME} if ours == "run" else {}
    records = [
        {names["query_id"]: q, names["doc_id"]: d, names["score"]: float(x)}
        | {names[key]: value for key, value in named.items()}
        for q, d, _, x in odd().run
        if "inf" not in x
    ]
    if form == "JSON lines":
        data = "".join(json.dumps(record) + "\n" for record in records)
    else:
        text = io.StringIO()
        writer = csv.DictWriter(text, list(records[0]), delimiter="\t" if form == "TSV" else ",")
        writer.writeheader()
        writer.writerows(records)
        data = text.getvalue()
    path = write(data, "other.csv" if named else f"{NAME}.csv")
    run = [row for row in odd().run if "inf" not in row[3]]
    assert_same(lf.read_runs(path), run_table(run, ranked=False))


@pytest.mark.parametrize("theirs", GRADES.split())
def test_every_dialect_of_grades_in_files(write, theirs):
    rows = "".join(f"{q}\t{d}\t{g}\n" for q, d, g in odd().judged)
    path = write(f"query-id\tcorpus-id\t{theirs}\n{rows}", "qrels.tsv")
    assert_same(lf.read_qrels(path), qrels_table(odd().judged))


@pytest.mark.parametrize("theirs", ITERATIONS.split())
def test_every_dialect_of_iterations_in_files(write, theirs):
    rows = "".join(f"{q};t1;{d};{g}\n" for q, d, g in odd().judged if ";" not in q + d)
    path = write(f"topic;{theirs};docno;rel\n{rows}", "qrels.csv")
    judged = [row for row in odd().judged if ";" not in row[0] + row[1]]
    assert_same(lf.read_qrels(path), qrels_table(judged, "t1"))


def records(run, *, number=float):
    return [{"qid": q, "docno": d, "score": number(x), "rank": r} for q, d, r, x in run]


def nested(run):
    queries = {}
    for q, d, _, x in run:
        queries.setdefault(q, {})[d] = float(x)
    return queries


def as_lines(rows, **options):
    return "".join(json.dumps(row, **options) + "\n" for row in rows).encode()


JSON = {
    "JSON lines": (lambda run: as_lines(records(run)), True),
    "JSON lines, letters as they are": (
        lambda run: as_lines(records(run), ensure_ascii=False),
        True,
    ),
    "JSON lines with CRLF": (lambda run: as_lines(records(run)).replace(b"\n", b"\r\n"), True),
    "JSON lines, blank ones between": (
        lambda run: as_lines(records(run)).replace(b"\n", b"\n\n"),
        True,
    ),
    "JSON lines of texts": (
        lambda run: as_lines(records(run, number=str)).replace(b'"inf"', b'"Infinity"'),
        True,
    ),
    "JSON lines in gzip": (lambda run: gzip.compress(as_lines(records(run))), True),
    "JSON list": (lambda run: json.dumps(records(run)).encode(), True),
    "JSON list on many lines": (lambda run: json.dumps(records(run), indent=2).encode(), True),
    "JSON of dictionaries": (lambda run: json.dumps(nested(run)).encode(), False),
    "JSON of dictionaries on many lines": (
        lambda run: json.dumps(nested(run), indent=1).encode(),
        False,
    ),
    "JSON of dictionaries in UTF-16": (
        lambda run: encoded(json.dumps(nested(run)).encode(), "utf-16-be"),
        False,
    ),
}


@pytest.mark.parametrize("form", JSON)
def test_runs_as_json(write, collection, form):
    """Python's json writes Infinity where JSON has no word."""
    make, is_ranked = JSON[form]
    path = write(make(collection.run), f"{NAME}.json")
    assert_same(lf.read_runs(path), run_table(collection.run, ranked=is_ranked))


def test_numbers_as_ids_in_json(write):
    path = write('{"user": 7, "item": "007", "score": 1}\n{"user": "7", "item": 12, "score": 0.5}')
    rows = lf.read_runs(path).select(["query_id", "doc_id"]).to_pylist()
    assert rows == [{"query_id": "7", "doc_id": "007"}, {"query_id": "7", "doc_id": "12"}]


@pytest.mark.parametrize(
    "text, message",
    [
        (
            '{"qid": "q", "docno": "d", "score": 1}\n{"qid": "q", "docno": "d", "score": 1,}',
            r"bm25.run, line 2: expected JSON, found '\{\"qid\": \"q\", \"docno\"",
        ),
        (
            '{"qid": "q", "docno": "d", "score": 1}\n[1]',
            r"bm25.run, line 2: expected a record in braces, found '\[1\]'",
        ),
        (
            '{"qid": "q", "docno": "d", "score": 1}\n{"qid": "q", "docno": "e", "score": "x"}',
            "bm25.run, line 2: expected a number as score, found 'x'",
        ),
        (
            '[{"qid": "q", "docno": "d", "score": 1},\n\n{"qid": "q", "docno": "e", "score": []}]',
            r"bm25.run, record 2: expected a number as score, found \[\] \(query 'q', document",
        ),
        ('{"a":' * 100_000, "bm25.run, line 1: expected JSON, found"),
        ("[" * 100_000, "bm25.run, line 1: expected JSON, found"),
        (
            '[1, {"qid": "q"}]',
            "bm25.run, record 1: expected a record in braces, found '1'",
        ),
        (
            "[[1], 2]",
            "bm25.run: expected JSON with a record on each line, a list of records, or",
        ),
        (
            '[\n{"qid": "q", "docno": "d", "score": 1},\n{"qid": }\n]',
            r"bm25.run, line 3: expected JSON, found '{\"qid\": }' \(Expecting value\)",
        ),
        (
            '{"qid": "q", "docno": "d", "score": NaN}',
            "line 1: expected a number as score, found NaN;",
        ),
        (', "d1": 8,{"q0": {"d0": 9.5\n', 'line 1: expected JSON, found \', "d1": 8'),
    ],
    ids="comma,list,text,record,deep,deeper,mixed,numbers,broken,NaN,beginning".split(","),
)
def test_json_that_is_none(write, text, message):
    with pytest.raises(lf.LexiframeError, match=message):
        lf.read_runs(write(text))


# --- Runs as Parquet and Arrow ------------------------------------------------------------------


def as_parquet(table, **options):
    sink = io.BytesIO()
    parquet.write_table(table, sink, **options)
    return sink.getvalue()


def as_ipc(table, make=pa.ipc.new_file, **options):
    sink = io.BytesIO()
    with make(sink, table.schema, **options) as writer:
        writer.write_table(table, max_chunksize=50)
    return sink.getvalue()


def retyped(table, dtype):
    names = ("query_id", "doc_id")
    types = [dtype if field.name in names else field.type for field in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))


BINARY = {
    "Parquet": as_parquet,
    "Parquet in zstd": partial(as_parquet, compression="zstd"),
    "Parquet in pieces": partial(as_parquet, row_group_size=30, use_dictionary=False),
    "Parquet of large strings": lambda table: as_parquet(retyped(table, pa.large_string())),
    "Parquet of categories": lambda table: as_parquet(
        retyped(table, pa.dictionary(pa.int32(), pa.string()))
    ),
    "Parquet packed by gzip": lambda table: gzip.compress(as_parquet(table)),
    "Arrow file": as_ipc,
    "Arrow stream": partial(as_ipc, make=pa.ipc.new_stream),
    "Arrow file in zstd": partial(as_ipc, options=pa.ipc.IpcWriteOptions(compression="zstd")),
    "Arrow stream in lz4": partial(
        as_ipc, make=pa.ipc.new_stream, options=pa.ipc.IpcWriteOptions(compression="lz4")
    ),
    "Arrow file of string views": lambda table: as_ipc(retyped(table, pa.string_view())),
    "Arrow file of categories": lambda table: as_ipc(
        retyped(table, pa.dictionary(pa.int16(), pa.string())).unify_dictionaries()
    ),
    "Arrow file packed by xz": lambda table: lzma.compress(as_ipc(table)),
}


@pytest.mark.parametrize("form", BINARY)
@pytest.mark.parametrize("with_names", [True, False])
def test_runs_as_arrow(write, collection, form, with_names):
    expected = run_table(collection.run, ranked=True)
    table = expected if with_names else expected.drop_columns("run")
    path = write(BINARY[form](table), f"{NAME}.run")
    assert_same(lf.read_runs(path), expected)


@pytest.mark.parametrize("form", BINARY)
def test_qrels_as_arrow(write, collection, form):
    expected = qrels_table(collection.judged)
    assert_same(lf.read_qrels(write(BINARY[form](expected))), expected)
    without = expected.drop_columns("iteration")
    assert_same(lf.read_qrels(write(BINARY[form](without))), expected)


def test_each_form_that_is_declared_is_among_these_and_among_the_files_of_the_fuzzer(collection):
    corpus = (Path(__file__).parents[2] / "fuzz/corpus").iterdir()
    files = [path.read_bytes() for path in corpus]
    made = [write(qrels_table(collection.judged)) for write in BINARY.values()]
    for form in FORMS:
        for magic in form.magic:
            assert any(data.startswith(magic) for data in files), form.name
            assert any(data.startswith(magic) for data in made), form.name


# --- Qrels --------------------------------------------------------------------------------------


def judged_lines(judged, line="{q} 0 {d} {g}", end="\n"):
    return "".join(line.format(q=q, d=d, g=g) + end for q, d, g in judged).encode()


def judged_columns(judged, names, **options):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", **options)
    writer.writerow(names)
    writer.writerows(judged)
    return text.getvalue().encode()


def judged_nested(judged):
    queries = {}
    for q, d, g in judged:
        queries.setdefault(q, {})[d] = int(g)
    return queries


QRELS = {
    "plain": judged_lines,
    "tabs": partial(judged_lines, line="{q}\t0\t{d}\t{g}"),
    "blanks everywhere": partial(judged_lines, line="  {q} \t 0   {d}\t\t{g}  "),
    "three columns": partial(judged_lines, line="{q} {d} {g}"),
    "three columns, tabs, CRLF": partial(judged_lines, line="{q}\t{d}\t{g}", end="\r\n"),
    "CRLF": partial(judged_lines, end="\r\n"),
    "CR": partial(judged_lines, end="\r"),
    "blank lines": partial(judged_lines, end="\n\n"),
    "comments": lambda judged: b"# judged by us\n" + judged_lines(judged) + b"#\n",
    "decimals": partial(judged_lines, line="{q} 0 {d} {g}.0"),
    "scientific notation": partial(judged_lines, line="{q} 0 {d} {g}e+00"),
    "byte order mark": lambda judged: encoded(judged_lines(judged), "utf-8"),
    "UTF-16": lambda judged: encoded(judged_lines(judged), "utf-16-le"),
    "gzip of two members": lambda judged: two_members(gzip.compress, judged_lines(judged)),
    "bzip2": lambda judged: bz2.compress(judged_lines(judged)),
    "xz": lambda judged: lzma.compress(judged_lines(judged)),
    "zstd": lambda judged: zstd(judged_lines(judged)),
    "CSV": partial(judged_columns, names=("query_id", "doc_id", "relevance")),
    "CSV, quoted": partial(judged_columns, names=("qid", "docno", "label"), quoting=csv.QUOTE_ALL),
    "TSV as BEIR has it": partial(
        judged_columns, names=("query-id", "corpus-id", "score"), delimiter="\t"
    ),
    "semicolons": partial(judged_columns, names=("user", "item", "rating"), delimiter=";"),
    "JSON lines": lambda judged: as_lines(
        {"query_id": q, "doc_id": d, "relevance": int(g)} for q, d, g in judged
    ),
    "JSON list": lambda judged: json.dumps(
        [{"query_id": q, "doc_id": d, "grade": float(g)} for q, d, g in judged]
    ).encode(),
    "JSON of dictionaries": lambda judged: json.dumps(judged_nested(judged)).encode(),
}


@pytest.mark.parametrize("form", QRELS)
def test_qrels_in_every_form(write, collection, form):
    path = write(QRELS[form](collection.judged), "qrels.txt")
    assert_same(lf.read_qrels(path), qrels_table(collection.judged))


@pytest.mark.parametrize("iteration", ["0", "Q0", "1", "0.5", "文書", "a#b"])
def test_an_iteration_is_any_text(write, iteration):
    line = f"{{q}} {iteration} {{d}} {{g}}"
    path = write(judged_lines(odd().judged, line), "qrels.txt")
    assert_same(lf.read_qrels(path), qrels_table(odd().judged, iteration))


def test_qrels_with_a_header_and_decimal_commas(write):
    judged = [(q, d, f"{g}.5") for q, d, g in odd().judged if g != "-1"]
    data = judged_lines([(q, d, g.replace(".", ",")) for q, d, g in judged], "{q} {d} {g}")
    path = write(b"topic docno grade\n" + data, "qrels.txt")
    assert_same(lf.read_qrels(path, header=True, decimal=","), qrels_table(judged))
    path = write(data, "qrels.txt")
    assert_same(lf.read_qrels(path, decimal=","), qrels_table(judged))


# --- Where files are ----------------------------------------------------------------------------

TEXT = trec(odd().run)
EXPECTED = run_table(odd().run, ranked=True)
PACKED = {"plain": TEXT, "gzip": gzip.compress(TEXT), "Parquet": as_parquet(EXPECTED)}


def renamed(*names):
    """The tables of several runs that are the same apart from their names."""
    tables = [EXPECTED.set_column(0, "run", pa.array([n] * EXPECTED.num_rows)) for n in names]
    return pa.concat_tables(tables).combine_chunks()


def is_said_to_come_from(table, path, data):
    (source,) = provenance_of(table.schema)["sources"]
    return (source["path"], source["sha256"]) == (path, hashlib.sha256(data).hexdigest())


@pytest.fixture
def stdin(monkeypatch):
    """Give standard input its bytes."""

    def holding(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return holding


@pytest.mark.parametrize("form", PACKED)
def test_standard_input(stdin, form):
    stdin(PACKED[form])
    table = lf.read_runs({NAME: "-"})
    assert_same(table, EXPECTED)
    assert is_said_to_come_from(table, "-", PACKED[form])
    stdin(TEXT)
    assert_same(lf.read_runs("-"), renamed("stdin"))
    stdin(judged_lines(odd().judged))
    assert_same(lf.read_qrels("-"), qrels_table(odd().judged))


def test_standard_input_may_be_wrong(stdin):
    stdin(b"")
    with pytest.raises(lf.ReadError, match="standard input: the file is empty"):
        lf.read_runs("-")
    stdin(b"q1 Q0 d1 1 0.5 tag\nq1 Q0 d1\n")
    with pytest.raises(lf.ReadError, match="standard input, line 2: expected"):
        lf.read_runs("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("form", PACKED)
def test_a_pipe_is_read_once(tmp_path, form):
    """Whoever reads it twice waits for ever, which a thread may do."""
    path, tables = tmp_path / f"{NAME}.run", []
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(PACKED[form],), daemon=True)
    reader = threading.Thread(target=lambda: tables.append(lf.read_runs(path)), daemon=True)
    for thread in (writer, reader):
        thread.start()
    reader.join(20)
    assert not reader.is_alive(), "the pipe was read more than once"
    (table,) = tables
    assert_same(table, EXPECTED)
    assert is_said_to_come_from(table, str(path), PACKED[form])


def test_dictionaries_folders_and_globs(write):
    folder = write(TEXT, "runs/a.run").parent
    write(gzip.compress(TEXT), "runs/b.trec.gz")
    write(as_parquet(EXPECTED.drop_columns("run")), "runs/c.parquet")
    write(comma(odd().run, WITH_RANK), "runs/d.csv")
    expected = renamed("a", "b", "c", "d")
    assert_same(lf.read_runs(folder).combine_chunks(), expected)
    assert_same(lf.read_runs(f"{folder}/*.*").combine_chunks(), expected)
    assert_same(lf.read_runs(f"{folder}/[ab].*").combine_chunks(), renamed("a", "b"))
    named = {"y": folder / "d.csv", "x": str(folder / "c.parquet")}
    assert_same(lf.read_runs(named).combine_chunks(), renamed("x", "y"))


def test_what_lies_beside_the_runs_in_a_folder(write):
    folder = write(TEXT, f"runs/{NAME}.run").parent
    names = ["bm25.run.md5", "Makefile", "plot.png", "bm25.run~", "#bm25.run#", "bm25.run.bak"]
    for name in ("README.md", "LICENSE", "metadata.json", "info.txt", *names):
        write("about these runs", f"runs/{name}")
    message = r"left out, since they .* \(to read one, name it\): 10 \('#bm25.run#', "
    with pytest.warns(lf.LexiframeWarning, match=message) as caught:
        assert_same(lf.read_runs(folder), EXPECTED)
    assert len(caught) == 1
    (folder / f"{NAME}.run").unlink()
    with pytest.raises(lf.ReadError, match=r"could be read; their names .*: to read one, name it"):
        lf.read_runs(folder)


def test_addresses_of_files(write):
    path = write(PACKED["gzip"], f"{NAME}.run.gz")
    table = lf.read_runs(path.as_uri())
    assert_same(table, EXPECTED)
    assert is_said_to_come_from(table, path.as_uri(), PACKED["gzip"])
    with pytest.raises(lf.ReadError, match=r"file:///\S+missing.run: cannot be fetched"):
        lf.read_runs(path.with_name("missing.run").as_uri())
    with pytest.raises(lf.ReadError, match=r"gopher://x/y.run: cannot be fetched"):
        lf.read_runs("gopher://x/y.run")


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serve a folder on the loopback, and give its address."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    folder = partial(Quiet, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), folder) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_files_on_the_web(write, server):
    write(TEXT, f"plain/{NAME}.run")
    write(PACKED["gzip"], f"packed/{NAME}.trec.gz")
    write(PACKED["Parquet"], f"binary/{NAME}.parquet")
    for address in (f"plain/{NAME}.run", f"packed/{NAME}.trec.gz?download=1#top"):
        assert_same(lf.read_runs(f"{server}/{address}"), EXPECTED)
    table = lf.read_runs(f"{server}/binary/{NAME}.parquet")
    assert_same(table, EXPECTED)
    assert is_said_to_come_from(table, f"{server}/binary/{NAME}.parquet", PACKED["Parquet"])
    several = [f"{server}/plain/{NAME}.run", write(TEXT, "z.run")]
    assert_same(lf.read_runs(several).combine_chunks(), renamed(NAME, "z"))
    write(judged_lines(odd().judged), "qrels.txt")
    assert_same(lf.read_qrels(f"{server}/qrels.txt"), qrels_table(odd().judged))


def test_what_the_web_does_not_have(write, server):
    with pytest.raises(lf.ReadError, match=r"missing.run: cannot be fetched \(HTTP Error 404"):
        lf.read_runs(f"{server}/missing.run")
    write("<!DOCTYPE html><html><body>Sign in", "run.html")
    with pytest.raises(lf.ReadError, match="found an HTML page; a link may lead to a page about"):
        lf.read_runs(f"{server}/run.html")
    with pytest.raises(lf.ReadError, match=r"http://127.0.0.1:1/x.run: cannot be fetched"):
        lf.read_runs("http://127.0.0.1:1/x.run")


@contextmanager
def answering(send):
    """Serve one request with what a function sends, and give the address."""

    class Handler(StreamRequestHandler):
        def handle(self):
            self.request.recv(1 << 16)
            with suppress(OSError):  # whoever asked may have gone
                send(self.request.sendall)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


START, CHUNKED = b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n\r\n"
BROKEN = {
    "nothing": b"",
    "no HTTP": b"garbage\r\n\r\n",
    "a status that is none": b"HTTP/1.1 999999 \r\n\r\n",
    "an error": b"HTTP/1.1 500 Error\r\n\r\n",
    "cut": START + b"Content-Length: 100\r\n\r\n" + TEXT[:50],
    "a chunk that is none": START + CHUNKED + b"zz\r\n" + TEXT[:50],
    "a chunk that is cut": START + CHUNKED + b"99\r\n" + TEXT[:50],
    "no last chunk": START + CHUNKED + b"32\r\n" + TEXT[:50] + b"\r\n",
    "too many headers": START + b"a: b\r\n" * 200 + b"\r\n" + TEXT,
    "a redirection without a place": b"HTTP/1.1 302 Found\r\nLocation: gopher://x\r\n\r\n",
}


@pytest.mark.parametrize("answer", BROKEN)
@pytest.mark.parametrize("read", [lf.read_runs, lf.read_qrels, lf.read_scores])
def test_broken_downloads(monkeypatch, answer, read):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with (
        answering(lambda send: send(BROKEN[answer])) as address,
        pytest.raises(
            lf.ReadError, match=rf"^{address}/x.run: cannot be fetched \(\S.*\); check the"
        ),
    ):
        read(f"{address}/x.run?token=secret")


PARTS = {
    "the server sent only a part: HTTP 206": b"HTTP/1.1 206 Partial Content\r\n"
    b"Content-Range: bytes 0-1/9\r\nContent-Length: %d\r\n\r\n" % len(TEXT) + TEXT,
    "the server gives two lengths: 1, [0-9]+": START
    + b"Content-Length: 1\r\nContent-Length: %d\r\n\r\n" % len(TEXT)
    + TEXT,
}


@pytest.mark.parametrize("message", PARTS)
def test_answers_that_may_not_be_whole(monkeypatch, message):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with (
        answering(lambda send: send(PARTS[message])) as address,
        pytest.raises(lf.ReadError, match=rf"cannot be fetched \({message}\); check the address"),
    ):
        lf.read_runs(f"{address}/x.run")


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_server_that_drips(monkeypatch, start):
    """It sends something every now and then, and so never runs into a limit for silence."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("lexiframe.connect.remote.remote._PATIENCE", 0.5)
    done = threading.Event()

    def drip(send):
        send(start)
        while not done.wait(0.05):
            send(b"a")

    with answering(drip) as address:
        began = time.monotonic()
        with pytest.raises(
            lf.ReadError, match=r"x.run: cannot be fetched \(fewer than 65,536 byte"
        ):
            lf.read_runs(f"{address}/x.run")
        assert time.monotonic() - began < 10
        done.set()


def test_a_store_that_cannot_be_reached(monkeypatch):
    """By default the attempts go on for a quarter of an hour."""
    monkeypatch.setattr("lexiframe.connect.remote.remote._PATIENCE", 1.0)
    address = "gs://anonymous@bucket/x.run?scheme=http&endpoint_override=127.0.0.1%3A1"
    with pytest.raises(lf.ReadError, match=r"^gs://bucket/x.run: cannot be fetched \(\S"):
        lf.read_runs(address)


ADDRESSES = {
    "http://127.0.0.1:1/a b.run": "is no address that can be fetched: .* spaces are written %20",
    "http://me:word@127.0.0.1/x.run": "is no address .* user and password cannot be part of it",
    "http://127.0.0.1:80a/x.run": "is no address that can be fetched: a port is a number",
    "http://127.0.0.1:99999/x.run": "cannot be fetched",
    "http://[::1/x.run": "cannot be fetched",
    "http:///x.run": "cannot be fetched",
    "http://127.0.0.1:1/é.run": "cannot be fetched",
    "s3://a b/x.run": "cannot be fetched",
    "file:///dev/zero": "cannot be fetched",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_no_address(monkeypatch, address):
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(lf.ReadError, match=ADDRESSES[address]):
        lf.read_runs(address)


@pytest.mark.parametrize("scheme", ["http", "s3", "nothing"])
@pytest.mark.parametrize("secret", ["secret@", "me:secret@", "me:?secret@", "me:a/secret/b@"])
def test_secrets_in_addresses_are_not_said(monkeypatch, capsys, scheme, secret):
    monkeypatch.setenv("no_proxy", "*")
    address = f"{scheme}://{secret}127.0.0.1:1a/x.run?token=secret#secret"
    for read in (lf.read_runs, lf.read_qrels, lf.check_run, lambda a: lf.read_runs({"a": a})):
        with pytest.raises(lf.ReadError) as caught:
            read(address)
        assert str(caught.value).startswith(f"{scheme}://")
        assert "secret" not in str(caught.value)
    monkeypatch.setattr("sys.argv", ["lexiframe", "check", address])
    with pytest.raises(SystemExit):
        cli.main()
    said = "".join(capsys.readouterr())
    assert "cannot be fetched" in said or "is no address" in said
    assert "secret" not in said


def test_an_address_that_is_a_path_is_not_shown_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address = Path("http://me:secret@127.0.0.1/x.run")
    for read in (lf.read_runs, lf.read_qrels, lf.read_scores, lf.check_run):
        with pytest.raises(
            lf.ReadError,
            match=r"^http:/127.0.0.1/x.run: expected an address with two slashes, found one; give",
        ):
            read(address)
    Path("ab:").mkdir()
    Path("ab:/x.run").write_bytes(TEXT)
    assert lf.read_runs(Path("ab:/x.run")).num_rows


def test_secrets_in_addresses_are_not_in_provenance(write, server):
    write(TEXT, f"{NAME}.run")
    write(judged_lines(odd().judged), "qrels.txt")
    runs, qrels = (f"{server}/{name}?token=secret" for name in (f"{NAME}.run", "qrels.txt"))
    e = lf.evaluate(runs, qrels, ["RR"])
    assert [fact["path"] for fact in e.provenance["runs"]] == [f"{server}/{NAME}.run"]
    assert "secret" not in json.dumps(e.provenance)
    assert "secret" not in repr(lf.scan_runs(runs))


@pytest.mark.parametrize(
    "last", ["", "q9 Q0 d9 1 bad bm25\n", "q9 Q0 d9 1\n", "q9 Q0 é 1 0.5 bm25"]
)
def test_long_text_is_parsed_in_blocks(last, tmp_path, monkeypatch):
    path = tmp_path / "bm25.run"
    lines = [f"q{n // 10} Q0 d{n} {n % 10 + 1} {1 / (n + 1)} bm25\n" for n in range(99)]
    path.write_text("".join(lines) + last, "utf-8")

    def outcome():
        try:
            return lf.read_runs(path).to_pylist()
        except lf.LexiframeError as error:
            return str(error)

    whole = outcome()
    in_pieces_of(100, monkeypatch)
    assert outcome() == whole
    assert ("line 100" in whole) == ("d9 1" in last)


def in_pieces_of(size, monkeypatch):
    """Take files of more than twice so many bytes for long ones."""
    for module in ("text.trec", "parsing", "text.csv_tables", "text.json_tables"):
        monkeypatch.setattr(f"lexiframe.core.io.{module}.PIECE", size)


def test_numbers_of_long_text_are_parsed_before_its_ids(tmp_path, monkeypatch):
    """So that a bad line is found before anything is kept."""
    path, asked = tmp_path / "bm25.run", []
    path.write_text("".join(f"q{n} Q0 d{n} 1 {n} bm25\n" for n in range(99)) + "q Q0 d 1 x t\n")
    in_pieces_of(300, monkeypatch)

    def parsed(text, names, types):
        asked.append(types)
        return parse_fields(text, names, types)

    monkeypatch.setattr("lexiframe.core.io.text.trec.parse_fields", parsed)
    with pytest.raises(lf.ReadError, match="line 100: expected a number"):
        lf.read_runs(path)
    assert asked
    assert {dtype for types in asked for dtype in types.values()} == {pa.float64()}


LONG = {
    "csv": ("# of BM25\nqid,docno,score\n", "q{q},{d},{score}\n"),
    "quoted csv": ("qid,docno,score,text\n", 'q{q},{d},{score},"of two\nlines, {rank}"\n'),
    "tsv": ("qid\tdocno\tscore\n", "q{q}\t{d}\t{score}\n"),
    "json": ("", '{{"qid": "q{q}", "docno": "{d}", "score": {score}}}\n'),
}
ENDS = {
    "a number": ("score", "high"),
    "an id": ("d", ""),
    "a field": ("score", "1,2\t3 4 5 6 7 Q0 d 8 9 t"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("form", LONG)
def test_a_bad_line_of_long_text_is_found_before_a_table_is_made(form, end, tmp_path, monkeypatch):
    """What was parsed until the line comes takes several times as much memory as the file."""
    head, line = LONG[form]
    rows = [
        {"q": n // 10, "d": f"d{n}", "rank": n % 10 + 1, "score": 1 / (n + 1)} for n in range(99)
    ]
    bad = {**rows[7], ENDS[end][0]: ENDS[end][1]}
    text = head + "".join(line.format(**row) for row in rows)
    good, broken = tmp_path / "good.run", tmp_path / "broken.run"
    good.write_text(text)
    broken.write_text(text + line.format(**bad))
    table = lf.read_runs(good)
    with pytest.raises(lf.ReadError, match=rf"line {text.count(chr(10)) + 1}: ") as whole:
        lf.read_runs(broken)
    in_pieces_of(300, monkeypatch)
    assert lf.read_runs(good).equals(table)

    def never(*arguments):
        raise AssertionError(f"parsed whole: {arguments}")

    for function in ("parsing.parse_delimited", "text.json_tables.parse_json"):
        monkeypatch.setattr(f"lexiframe.core.io.{function}", never)
    with pytest.raises(lf.ReadError) as in_pieces:
        lf.read_runs(broken)
    assert str(in_pieces.value) == str(whole.value)
