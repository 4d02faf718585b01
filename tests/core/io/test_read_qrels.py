"""Judgments: every form of TREC text, Parquet and frames gives the same table."""

import gzip
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lexiframe as lf

TEXT = "q1 0 d1 2\nq1 0 d2 -1\nq2 t1 d1 1.5\n"
LINES = TEXT.splitlines()
ROWS = [("q1", "0", "d1", 2.0), ("q1", "0", "d2", -1.0), ("q2", "t1", "d1", 1.5)]
COLUMNS = ["query_id", "iteration", "doc_id", "relevance"]
FRAME = pl.DataFrame(ROWS, schema=COLUMNS, orient="row")


def rows(table):
    assert table.column_names == COLUMNS
    assert table.schema.types == [pa.string(), pa.string(), pa.string(), pa.float64()]
    return pl.DataFrame(table).rows()


FORMS = {
    "plain": TEXT,
    "tabs": TEXT.replace(" ", "\t"),
    "blanks mixed": "q1 \t0  d1\t2\n\tq1 0\td2 -1 \t\nq2  t1  d1  1.5  \n",
    "CRLF, no last newline": TEXT.replace("\n", "\r\n").rstrip(),
    "comments and empty lines": "#\n \n" + "\n # indented\n\n".join(LINES),
    "byte order mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "grades in other forms": TEXT.replace(" 2\n", " +2.0\n").replace("1.5", "15e-1"),
    "gzip of two members": gzip.compress(TEXT[:5].encode()) + gzip.compress(TEXT[5:].encode()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["qrels.txt", "qrels"])
def test_every_form_of_text(write, form, name):
    path = write(FORMS[form], name)
    assert rows(lf.read_qrels(path)) == rows(lf.read_qrels(str(path))) == ROWS


FRAMES = {
    "polars": FRAME,
    "polars lazy": FRAME.lazy(),
    "pandas": pd.DataFrame(FRAME.to_dict(as_series=False)),
    "pyarrow": FRAME.to_arrow(),
    "more columns": FRAME.select(pl.lit(1).alias("rank"), *reversed(COLUMNS)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind):
    assert rows(lf.read_qrels(FRAMES[kind])) == ROWS


def test_frames_without_iterations_and_with_integers():
    numbers = {"query_id": [7, 10], "doc_id": [1, 2], "relevance": [1, 0]}
    assert rows(lf.read_qrels(pl.DataFrame(numbers))) == [
        ("7", "0", "1", 1.0),
        ("10", "0", "2", 0.0),
    ]


def test_ids_stay_strings(write):
    text = "007 00 0x1 1\n1e3 NULL nan 1\n1 Q0 a#b 1\n"
    ids = [row[:3] for row in rows(lf.read_qrels(write(text)))]
    assert ids == [("007", "00", "0x1"), ("1e3", "NULL", "nan"), ("1", "Q0", "a#b")]


def test_a_folder_is_no_qrels(tmp_path):
    with pytest.raises(lf.ReadError, match=f"{tmp_path}: expected a file, found a folder"):
        lf.read_qrels(tmp_path)
    with pytest.raises(lf.ReadError, match="missing: no such file"):
        lf.read_qrels(tmp_path / "missing")


def test_grades_below_0_are_unjudged_or_not_relevant():
    """Spam in ClueWeb has the grade −2: somebody has judged it."""
    qrels = {"q1": {"a": 1, "spam": -2, "b": 0}}
    runs = {"x": {"q1": {"spam": 3.0, "a": 2.0, "other": 1.0}}}
    as_trec_eval = lf.read_qrels(qrels)
    judged = lf.read_qrels(qrels, negative="not relevant")
    assert sorted(judged["relevance"].to_pylist()) == [0.0, 0.0, 1.0]
    assert json.loads(judged.schema.metadata[b"lexiframe"])["negative"] == 1  # b is not counted
    assert lf.read_qrels(qrels)["relevance"].to_pylist() == as_trec_eval["relevance"].to_pylist()
    values = {}
    for name, table in {"unjudged": as_trec_eval, "not relevant": judged}.items():
        s = lf.scores(lf.positions(runs, table, judged=True), ["Judged@2", "bpref"])
        values[name] = s.sort("measure")["value"].to_list()
    assert values == {"unjudged": [0.5, 1.0], "not relevant": [1.0, 0.0]}
    with pytest.raises(lf.LexiframeError, match="negative to be one of 'unjudged', 'not relevant'"):
        lf.read_qrels(qrels, negative="spam")


RATINGS = {"q1": {"a": 1, "b": 5, "c": 3}, "q2": {"a": 4, "d": 2}}
RUNS = {name: {"q1": {"a": 3.0, "b": 2.0}, "q2": {"d": n}} for n, name in enumerate("xy", 1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "qrels, measures, rel",
    [
        ({"q1": {"a": 1, "b": 2}, "q2": {"d": 2}}, "RR", None),  # two degrees, all that was found
        (RATINGS, "RR", 4),
        (RATINGS, "RR", 1),  # which was asked for
        (RATINGS, ["AP(rel=4)", "LP(rel=3)"], None),
        ({"q1": {"a": 4, "b": 5}, "q2": {"d": 4}}, "RR", None),  # those that people liked
        ({"q1": {"a": 0, "b": 5, "c": 3}, "q2": {"d": 1}}, "RR", None),
        ({"q1": {"a": -1, "b": 5, "c": 3}, "q2": {"d": 1}}, "RR", None),
    ],
)
@pytest.mark.filterwarnings("error", "ignore:rankings missing", "ignore:requests without")
def test_other_grades_are_no_ratings(qrels, measures, rel):
    lf.evaluate(RUNS, qrels, measures, rel=rel)
    if rel is not None:
        lf.positions(RUNS, qrels, rel=rel)
        lf.coverage(RUNS, qrels, rel=rel)
        lf.interleaving(RUNS, qrels, rel=rel)


@pytest.mark.slow
def test_the_command_line_says_it_with_its_option(lexiframe, tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    rated = [(q, d, g) for q, of in RATINGS.items() for d, g in of.items()]
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rated))
    run.write_text("q1 Q0 a 1 2 x\nq2 Q0 d 1 2 x\n")
    for words in (("evaluate", qrels, run), ("coverage", qrels, run), ("check", qrels, run)):
        done = lexiframe(*words)
        assert done.status == 0
        assert "if the grades are ratings, --rel 4 counts only those from 4 on" in done.err
    assert "ratings" not in lexiframe("evaluate", qrels, run, "--rel", 4).err
    qrels.write_text(qrels.read_text().replace(" 5\n", " 3\n").replace(" 4\n", " 3\n"))
    assert "if all grades are relevant, --rel 1 says so" in lexiframe("evaluate", qrels, run).err
