"""Judgments without grades: users and the items that they took."""

import gzip
import re

import polars as pl
import pytest

import lexiframe as lf

ROWS = [("u1", "i1"), ("u1", "i2"), ("u2", "i1")]
NOTE = "no column of grades, so all rows are read as relevant, with grade 1: 3"
TEXTS = {
    "a.csv": "user_id,item_id\nu1,i1\nu1,i2\nu2,i1\n",
    "b.tsv": "user\titem\tdate\nu1\ti1\t2020\nu1\ti2\t2021\nu2\ti1\t\n",
    "c.inter": "user_id:token\titem_id:token\ttimestamp:float\nu1\ti1\t5\nu1\ti2\t6\nu2\ti1\t7\n",
    "upper.csv": "User,Item,Timestamp\nu1,i1,5\nu1,i2,6\nu2,i1,7\n",
    "d.jsonl": "".join(f'{{"user": "{user}", "item": "{item}"}}\n' for user, item in ROWS),
}


def read(source, **options):
    with pytest.warns(lf.LexiframeWarning, match=re.escape(NOTE)) as caught:
        q = lf.read_qrels(source, **options)
    assert len(caught) == 1
    assert set(q["relevance"].to_pylist()) == {1.0}
    return [(row["query_id"], row["doc_id"]) for row in q.to_pylist()]


@pytest.mark.parametrize("name", TEXTS)
def test_files(tmp_path, name):
    (tmp_path / name).write_text(TEXTS[name])
    assert read(tmp_path / name) == ROWS
    (tmp_path / "packed.gz").write_bytes(gzip.compress(TEXTS[name].encode()))
    assert read(tmp_path / "packed.gz") == ROWS
    with pytest.warns(lf.LexiframeWarning, match=re.escape(NOTE)):
        assert lf.check_qrels(tmp_path / name).is_empty()


def test_an_evaluation_says_so_once():
    judged = pl.DataFrame({"user": ["u1", "u1", "u2"], "item": ["i1", "i2", "i1"]})
    runs = {"pop": {"u1": {"i1": 2, "i3": 1}, "u2": {"i3": 2, "i1": 1}}}
    with pytest.warns(lf.LexiframeWarning, match=re.escape(NOTE)) as caught:
        e = lf.evaluate(runs, judged, "recall@2")
    assert len(caught) == 1
    assert e.scores["value"].to_list() == [0.5, 1.0]


@pytest.mark.parametrize("column, called", [("user_id", "users"), ("query_id", "requests")])
def test_tables_and_warnings_call_requests_alike(column, called):
    rows = {column: ["1", "1", "2", "3"], "item_id": [*"abab"], "score": [2.0, 1.0, 1.0, 1.0]}
    held_out = pl.DataFrame({column: ["1", "2"], "item_id": ["a", "b"], "relevance": [1.0, 0.0]})
    with pytest.warns(lf.LexiframeWarning, match="without judgments, ignored") as caught:
        e = lf.evaluate({"als": pl.DataFrame(rows)}, held_out, "AP", no_relevant="zero")
    (said,) = (str(one.message) for one in caught)
    assert said == (
        f"rankings for {called} without judgments, ignored: 1; {called} without a relevant item: 1 "
        "(see lexiframe.coverage)"
    )
    assert f" over 2 {called}" in str(e)
