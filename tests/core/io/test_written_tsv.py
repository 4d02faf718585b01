"""Runs in three columns as MS MARCO's tools take them, and judgments as BEIR's loader does."""

import csv

import polars as pl
import pytest

import lexiframe as lf

RUN = pl.DataFrame(
    {
        "run": "bm25",
        "query_id": ["q2", "q1", "q1", "q1"],
        "doc_id": ["d1", "d1", "d3", "d2"],
        "score": [1.0, 0.5, 2.0, 0.5],
    }
)
JUDGED = pl.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "relevance": [2.0, 0.0]})


def test_three_columns_of_a_run(tmp_path):
    lf.write_trec(RUN, tmp_path / "a.tsv", form="tsv")
    text = (tmp_path / "a.tsv").read_text()
    assert text == "q1\td3\t1\nq1\td2\t2\nq1\td1\t3\nq2\td1\t1\n"
    back = lf.read_runs(tmp_path / "a.tsv", third="rank")
    assert sorted(back["rank"].to_pylist()) == [1, 1, 2, 3]


def test_judgments_as_the_loader_of_beir_reads_them(tmp_path):
    (path,) = lf.write_trec(JUDGED, tmp_path / "test.tsv", form="tsv")
    with path.open(newline="") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    assert header == ["query-id", "corpus-id", "score"]
    assert [(query, doc, int(score)) for query, doc, score in rows] == [
        ("q1", "d1", 2), ("q1", "d2", 0)
    ]  # fmt: skip
    assert lf.read_qrels(path)["relevance"].to_pylist() == [2.0, 0.0]


def test_what_the_forms_cannot_hold_is_refused(tmp_path):
    subtopics = JUDGED.with_columns(iteration=pl.Series(["1", "2"]))
    for judged in (subtopics, JUDGED.with_columns(pl.col("relevance") + 0.5)):
        with pytest.raises(lf.SchemaError, match="whole grades without subtopics, found others"):
            lf.write_trec(judged, tmp_path / "a.tsv", form="tsv")
    with pytest.raises(lf.LexiframeError, match="metadata: TREC text alone has comments"):
        lf.write_trec(RUN, tmp_path / "a.tsv", form="tsv", metadata={"bm25": {}, "x": {"a": 1}})
    with pytest.raises(lf.LexiframeError, match="'beir'"):
        lf.write_trec(RUN, tmp_path / "a.tsv", form="beir")
    assert [*tmp_path.iterdir()] == []
