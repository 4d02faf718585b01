"""What `check_run` and `check_qrels` list is what a plain loop finds, and what reading refuses.

A file whose listed lines and cells are mended is in order; reading one that is not names the place
of the first problem that is listed.
"""

import json
import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf

# What is doubted of a table that can be read has tests of its own.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")]

KINDS = {
    "run": (lf.check_run, lf.read_runs, "score"),
    "qrels": (lf.check_qrels, lf.read_qrels, "rel"),
}
IDS = ["q1", "q2", "d1", "d2"]  # queries and documents may have the same
NUMBERS = ["1", "-0.5", "1e3", "+2", "nan", "high", "0x1", "1_0", "١"]
GOOD_NUMBERS = {*NUMBERS[:4], '"2.5"'}
JSON_IDS = ['"q1"', '"d1"', "7", '"7"', '""', "null", "true", "1.5", "[1]", '{"a": 1}']
JSON_NUMBERS = [
    "1",
    "-0.5",
    '"2.5"',
    "true",
    *'null "x" NaN "1_0" [] {"a":1} "0,5"'.split(),
    '" 1 "',
]
RECORD = '{{"qid": {}, "docno": {}, "NUMBER": {}, "u": {}}}'
UNUSED = ["1", "[1]", '"x"', '[{"a": 1}, {"a": 2}]', "null"]
FIRST = '{"qid": "q0", "docno": "d0", "NUMBER": 1}'
TWINS = '{"qid": "q1", "docno": "d1", "docno": "d2", "NUMBER": "x"}'


def text_of_json(cell):
    """What an id reads as; None where it is none."""
    value = json.loads(cell)
    is_id = isinstance(value, str) or type(value) is int
    return str(value) if is_id else None


class Form(NamedTuple):
    """How a file is laid out, what its cells may hold, and what lines may be that are no rows."""

    row: str
    broken: dict
    above: str = ""
    between: str = "\n"
    below: str = "\n"
    ids: list = IDS
    numbers: list = NUMBERS
    text: Callable = str
    good: str = "{}"
    end: str = ""  # the broken line behind which nothing is read


JSON = {"ids": JSON_IDS, "numbers": JSON_NUMBERS, "text": text_of_json, "good": '"{}"'}
FORMS = {
    "TREC run": Form("{} Q0 {} 1 {} x", {"q1 Q0": "fields", "q1 Q0 d\udcff 1 x x": "encoding"}),
    "TREC qrels": Form("{} 0 {} {}", {"q1 0 d1 1 2 3": "fields", "q1 0 \udcff 1": "encoding"}),
    "CSV": Form(
        "{},{},{}",
        {"q1,d1": "fields", "q1,d1,0,5": "fields", 'q1,"d1,1': "fields", "\udcff,,": "encoding"},
        "qid,docno,NUMBER\n",
        ids=[*IDS, ""],
        numbers=[*NUMBERS, ""],
    ),
    "TSV": Form("{}\t{}\t{}", {"q1": "fields"}, "qid\tdocno\tNUMBER\n", ids=[*IDS, ""]),
    "JSON lines": Form(
        RECORD,
        {'{"qid": ': "fields", "[1]": "fields", TWINS: "fields", '{"qid": "\udcff"}': "encoding"},
        FIRST + "\n",
        **JSON,
    ),
    "JSON list": Form(
        RECORD,
        {'{"qid": }': "fields", "[1]": "fields", TWINS: "fields", '{"qid": "\\ud800"}': "fields"},
        f"[\n{FIRST},\n",
        ",\n",
        "\n]",
        end='{"qid": }',
        **JSON,
    ),
}
OF_KIND = [(form, kind) for form in FORMS for kind in KINDS if "TREC" not in form or kind in form]


def of_lines(problems):
    """The problems of lines; what is doubted of a file as a whole has tests of its own."""
    return problems.filter(~pl.col("problem").is_in(["ties", "one score", "ranks", "doubt"]))


def rows_of(form):
    ids, numbers = st.sampled_from(form.ids), st.sampled_from(form.numbers)
    row = st.tuples(ids, ids, numbers, st.sampled_from(UNUSED))
    return st.lists(row | st.sampled_from([*form.broken]), min_size=1, max_size=6)


def problems_by_a_loop(form, rows, kind):
    """The row, the problem and the cell of each, in the order of the file."""
    found, seen = [], set()
    readable = rows[: rows.index(form.end)] if form.end in rows else rows
    asked = Counter(form.text(row[0]) for row in readable if not isinstance(row, str))
    for n, row in enumerate(rows):
        if isinstance(row, str):
            found.append((n, form.broken[row], None))
            if row == form.end:
                break
            continue
        query, document = map(form.text, row[:2])
        if query and row[1:3] == ("null", "null"):  # answered with an empty list
            found += [(n, "id", None)] * (kind == "qrels" or asked[query] > 1)
            continue
        found += [(n, "id", cell) for cell, text in enumerate((query, document)) if not text]
        found += [(n, "number", 2)] * (row[2] not in GOOD_NUMBERS)
        if query and document:
            found += [(n, "duplicate", 1)] * ((query, document) in seen)
            seen.add((query, document))
    return found


def mended(form, rows, problems):
    """The rows with other lines and cells where problems were listed."""
    rows = [list(row) if isinstance(row, tuple) else row for row in rows]
    for n, _, cell in problems:
        new = form.good.format(f"new{n}")
        if cell is None:
            rows[n] = [new, new, "1", "1"]
        else:
            rows[n][cell] = "1" if cell == 2 else new
    return [row if isinstance(row, str) else tuple(row) for row in rows]


def write(path, form, rows, number):
    lines = [row if isinstance(row, str) else form.row.format(*row) for row in rows]
    text = form.above + form.between.join(lines) + form.below
    path.write_bytes(text.replace("NUMBER", number).encode("utf-8", "surrogateescape"))
    return path


def row_of(form, problem):
    """The row that a listed problem names by its line or record."""
    above = form.above.count("\n")
    if problem["line"] is not None:
        return problem["line"] - above - 1
    return int(re.search(r" in record (\d+)", problem["found"])[1]) - above


def refuses(read, path, listed):
    """Reading stops at the first problem, and says where it is and what was expected."""
    with pytest.raises(lf.ReadError) as refused:
        read(path)
    listed = [problem for problem in listed if problem["problem"] != "duplicate"]
    first = listed[0]
    place = re.search(r" in (record \d+)", first["found"])
    at = f"line {first['line']}" if place is None else place[1]
    at = f", {at}" if place or first["line"] is not None else ""
    assert str(refused.value).startswith(f"{path}{at}: expected {first['expected']}, found ")
    assert first["advice"] in str(refused.value)
    assert f"({len(listed) - 1} more: " in str(refused.value) or len(listed) == 1


@pytest.mark.filterwarnings("ignore:.*grades go down to -0.5")
@pytest.mark.parametrize("name, kind", OF_KIND)
@given(st.data())
def test_what_is_listed(name, kind, data):
    form, (check, read, number) = FORMS[name], KINDS[kind]
    rows = data.draw(rows_of(form))
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder, "bm25"), form, rows, number)
        listed = of_lines(check(path)).rows(named=True)
        expected = problems_by_a_loop(form, rows, kind)
        found = [(row_of(form, problem), problem["problem"]) for problem in listed]
        assert found == [(n, problem) for n, problem, _ in expected]
        assert all(problem["advice"] for problem in listed)
        if any(problem != "duplicate" for _, problem, _ in expected):
            refuses(read, path, listed)
        while expected:  # more than once where some problems hide those behind them
            rows = mended(form, rows, expected)
            expected = problems_by_a_loop(form, rows, kind)
        write(path, form, rows, number)
        assert of_lines(check(path)).is_empty()
        read(path)


ITEMS = st.lists(
    st.tuples(st.sampled_from(JSON_IDS), st.sampled_from(JSON_NUMBERS)) | st.just("7"), max_size=3
)


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(st.sampled_from(JSON_IDS), ITEMS | st.just("7")), max_size=4))
def test_lists_of_items(kind, records):
    check, read, number = KINDS[kind]
    lines, rows = ['{"qid": "q0", "docs": [{"docno": "d0", "NUMBER": 1}]}'], []
    for n, (query, items) in enumerate(records):
        if items == "7":
            inner, of_record = items, [("broken", n)]
        else:
            texts = [i if i == "7" else '{{"docno": {}, "NUMBER": {}}}'.format(*i) for i in items]
            inner = f"[{', '.join(texts)}]"
            of_record = [("broken", n) if i == "7" else (query, *i, n) for i in items]
            of_record = of_record or [(query, "null", "null", n)]
        lines.append(f'{{"qid": {query}, "docs": {inner}}}')
        rows += sorted(of_record, key=len)  # what is no row is told first
    form = FORMS["JSON lines"]._replace(broken={"broken": "fields"})
    by_loop = problems_by_a_loop(form, [row if len(row) > 2 else row[0] for row in rows], kind)
    expected = [(rows[n][-1] + 2, problem) for n, problem, _ in by_loop]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bm25")
        path.write_text("\n".join(lines).replace("NUMBER", number))
        listed = of_lines(check(path)).rows(named=True)
        assert [(problem["line"], problem["problem"]) for problem in listed] == expected
        if any(problem != "duplicate" for _, problem in expected):
            refuses(read, path, listed)
        elif kind == "run" or not expected:
            read(path)


NAMES = st.sampled_from(["", "q1", "q2", "é"])
DOCUMENTS = st.dictionaries(NAMES, st.sampled_from(["1", "-0.5", "Infinity", *JSON_NUMBERS]))


def problems_of_documents(queries, kind):
    """Problem, query and document of each, in the order of the file."""
    found = []
    for query, documents in queries.items():
        if not isinstance(documents, dict):
            found.append(("fields", query, None))
        elif not documents and query:
            found += [("id", query, None)] * (kind == "qrels")
        elif not documents:
            found += [("id", "", ""), ("id", "", ""), ("number", "", "")]
        else:
            for document, value in documents.items():
                found += [("id", query, document)] * ((not query) + (not document))
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                is_good = is_number and (math.isfinite(value) or (kind == "run" and value == value))
                found += [("number", query, document)] * (not is_good)
    return found


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("kind", KINDS)
@given(queries=st.dictionaries(NAMES, DOCUMENTS | st.sampled_from(["3", "[1]"]), max_size=3))
def test_documents_of_queries(kind, indent, queries):
    check, read, _ = KINDS[kind]
    whole = {
        query: {document: json.loads(cell) for document, cell in of.items()}
        if isinstance(of, dict)
        else json.loads(of)
        for query, of in {"q0": {"d0": "1"}, **queries}.items()
    }
    expected = problems_of_documents(whole, kind)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bm25")
        path.write_text(json.dumps(whole, indent=indent))
        listed = of_lines(check(path)).rows(named=True)
        assert [problem["problem"] for problem in listed] == [problem for problem, *_ in expected]
        for problem, (_, query, document) in zip(listed, expected, strict=True):
            ids = f" (query {query!r}, document {document!r})"
            assert problem["found"].endswith(f"query {query!r}" if document is None else ids) or (
                problem["found"] == f"an empty list (query {query!r})"
            )
        if expected:
            refuses(read, path, listed)
        else:
            read(path)
