"""Advice that leads to what was meant: names of columns, kinds of ids, repeated names, JSON."""

import json
import uuid

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import lexiframe as lf

RUN = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0]})


def message(read, *given, **how):
    with pytest.raises((lf.LexiframeError, TypeError)) as found:
        read(*given, **how)
    return str(found.value)


@pytest.mark.parametrize("made", ["objects", "extension", "bytes", "file"])
def test_ids_that_are_uuids(tmp_path, made):
    ids = [uuid.UUID(int=n) for n in (1, 2)]
    table = RUN.to_arrow()
    if made == "objects":
        runs = RUN.with_columns(doc_id=pl.Series(ids, dtype=pl.Object))
        assert "found objects (UUID); cast them to text" in message(lf.read_runs, runs)
        return
    kind = pa.binary(16) if made == "bytes" else pa.uuid()
    table = table.set_column(1, "doc_id", pa.array([one.bytes for one in ids], kind))
    if made == "file":
        with pa.ipc.new_file(tmp_path / "run.arrow", table.schema) as file:
            file.write_table(table)
        table = tmp_path / "run.arrow"
    assert "strings in doc_id, found UUIDs; write them as text" in message(lf.read_runs, table)


@pytest.mark.parametrize("user", ["query_id", "user_id", "qid"])
def test_a_ranking_without_scores_that_is_given_as_judgments(user):
    frame = RUN.rename({"score": "rank", "query_id": user})
    assert "the column rank and no grade: this looks like a run, g" in message(lf.read_qrels, frame)
    assert lf.read_runs(frame.with_columns(rank=pl.Series([1, 2])))["rank"].to_pylist() == [1, 2]
    with_grade = frame.with_columns(grade=1)
    assert lf.read_qrels(with_grade).num_rows == 2


@pytest.mark.parametrize("records", [1, 3])
@pytest.mark.parametrize("read", [lf.read_runs, lf.read_qrels, lf.read_scores])
def test_records_of_several_lines(write, read, records):
    record = json.dumps({"query_id": "q", "doc_id": "a", "score": 1.0}, indent=2)
    found = message(read, write("\n".join([record] * records)))
    assert "found a record of several lines; write each record on one line" in found


def test_a_log_of_one_record_of_several_lines(write):
    record = {"run": "bm25", "params": {"k1": 0.9}}
    log = lf.read_log(write(json.dumps(record, indent=2)))
    assert log.rows(named=True) == [{"run": "bm25", "params.k1": 0.9}]
    found = message(lf.read_log, write("\n".join([json.dumps(record, indent=2)] * 2)))
    assert "line 1: a record of several lines: '{'; write each record on one line" in found
    assert "broken JSON" in message(lf.read_log, write('{"run": \n"a",}\n'))


@pytest.mark.parametrize("log", [2, None, np.zeros((2, 2)), [1, 2], {"run": "a"}, b"log.csv", RUN])
def test_what_is_no_path_of_a_log(log):
    assert message(lf.read_log, log).startswith("read_log: expected path to be text or a path, fou")


@pytest.mark.parametrize("runs", ["table", "names", "path", "pandas"])
def test_runs_where_tables_of_them_are_expected(tmp_path, runs):
    given = {"table": lf.read_runs(RUN), "names": {"a": RUN, "b": RUN}, "path": tmp_path / "a.run"}
    if runs == "pandas":
        given["pandas"] = pytest.importorskip("pandas").DataFrame(RUN.to_dict(as_series=False))
    qrels = RUN.rename({"score": "relevance"})
    found = "found the path" if runs == "path" else "found runs"
    for function in (lf.scores, lf.preferences):
        for rest in ([], [qrels], [["AP"]]):
            said = message(function, given[runs], *rest)
            assert f"{function.__name__}: expected the table of positions, {found}" in said
            assert "evaluate(runs, qrels, measures) makes all tables in one call, and posi" in said
    for function in (lf.compare, lf.win_rates, lf.order_runs):
        assert f"expected scores or preferences, {found}" in message(function, given[runs], qrels)
