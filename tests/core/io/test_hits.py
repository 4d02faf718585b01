"""Answers of search engines and other tools by query, data for training, folders that name runs."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import lexiframe as lf
from lexiframe.core.cli import app as cli

pytestmark = pytest.mark.filterwarnings("ignore:rankings for requests without judgments")


def elastic(doc_id, score):
    return {"_index": "shop", "_id": doc_id, "_score": score, "_source": {"title": {"de": "x"}}}


def of_both(hit):
    return {"q1": [hit("d2", 3.5), hit("7", 2.0)], "q2": [hit("d3", 1.5)], "q3": []}


def response(hits):
    return {"took": 3, "hits": {"total": {"value": len(hits)}, "hits": hits}}


def nested(query, items, id="id"):
    hits = of_both(lambda d, x: {id: d, "score": x, "doc": {"text": "x"}})
    return [{"query": {query: name, "text": "?"}, items: of} for name, of in hits.items()]


SCORED = [("q1", "d2", 3.5), ("q1", "7", 2.0), ("q2", "d3", 1.5), ("q3", None, None)]
HITS = {
    "Elasticsearch": of_both(elastic),
    "whole responses": {name: response(hits) for name, hits in of_both(elastic).items()},
    "Qdrant": of_both(lambda d, x: {"id": d, "version": 1, "score": x, "payload": None}),
    "Vespa": of_both(lambda d, x: {"id": d, "relevance": x, "source": "s", "fields": {"a": 1}}),
    "Solr": of_both(lambda d, x: {"docno": d, "score": x}),
    "results": nested("id", "results"),
    "candidates": nested("qid", "candidates", "docid"),
}


def rows(table, *names):
    found = table.select(["query_id", "doc_id", *names]).to_pylist()
    return sorted((tuple(row.values()) for row in found), key=lambda row: (row[0], -(row[2] or 0)))


@pytest.mark.slow
@pytest.mark.parametrize("form", HITS)
@pytest.mark.parametrize("how", ["in memory", "file", "indented", "lines"])
def test_hits_by_query(form, how, tmp_path):
    data, path = HITS[form], tmp_path / "a.json"
    if how == "lines" and isinstance(data, list):
        path.write_text("".join(f"{json.dumps(record)}\n" for record in data))
    else:
        path.write_text(json.dumps(data, indent=1 if how == "indented" else None))
    if how != "in memory":
        assert lf.check_run(path).is_empty()
        done = CliRunner().invoke(cli.app, ["check", str(path)])
        assert (done.exit_code, done.stdout) == (0, "")
        assert rows(lf.read_runs(path), "score") == SCORED
        return
    assert rows(lf.read_runs(data), "score") == SCORED
    assert rows(lf.read_runs({"a": data, "b": data}), "score") == sorted(
        [*SCORED] * 2, key=lambda row: (row[0], -(row[2] or 0))
    )
    assert lf.evaluate({"a": data}, {"q1": {"7": 1}}, "RR").means["mean"].item() == 0.5


def test_hits_without_scores_keep_their_order_and_grades_are_judgments():
    hits = {"q1": [{"id": 7, "distance": 0.9}, {"id": 3, "distance": 0.1}]}
    assert lf.read_runs(hits)["doc_id"].to_pylist() == ["7", "3"]
    assert lf.read_runs(hits)["rank"].to_pylist() == [1, 2]
    judged = {"q1": [{"_id": "d1", "grade": 2, "_score": 0.5}, {"_id": "d2", "grade": 0}]}
    assert rows(lf.read_qrels(judged), "relevance") == [("q1", "d1", 2.0), ("q1", "d2", 0.0)]


def test_answers_in_other_shapes():
    plain = [{"query": {"id": 7}, "results": ["d2", "d1"]}]
    assert rows(lf.read_runs(plain), "rank") == [("7", "d2", 1), ("7", "d1", 2)][::-1]
    for odd in (
        [*plain, {"query": {"id": None}, "results": ["d1"]}],
        [*plain, {"query": {"id": [1]}, "results": ["d1"]}],
        [*plain, {"query": {"id": 8}}],
        [*plain, "q8"],
        {"q1": [{"_id": "d1", "_score": 1.0}, {"id": "d2", "_score": 0.5}]},
    ):
        with pytest.raises((lf.LexiframeError, TypeError)):
            lf.read_runs(odd)


def test_a_single_answer_names_no_query():
    hits = [elastic("d1", 2.5)]
    for one in ({"hits": hits}, {"hits": {"hits": hits}}, {"candidates": hits}):
        with pytest.raises(
            lf.SchemaError, match="the query of each list of documents, found names"
        ):
            lf.read_runs(one)
    twice = [*nested("id", "results"), *nested("id", "results")]
    with pytest.raises(lf.SchemaError, match=r"one for each query, found two for 3 \('q1', 'q2', "):
        lf.read_runs(twice)


@pytest.mark.parametrize("form", ["frame", "rows", "parquet", "jsonl", "json", "csv"])
@pytest.mark.parametrize("names", [("pos", "neg"), ("positive_ids", "negative_ids")])
def test_data_for_training_are_judgments(form, names, tmp_path):
    pos, neg = names
    frame = pl.DataFrame({"query": ["q1", "q2"], pos: [["a"], ["b", "c"]], neg: [["x", "y"], []]})
    path = tmp_path / f"train.{form}"
    if form == "csv":
        frame.with_columns(pl.col(pos, neg).list.join(" ")).write_csv(path)
    elif form in ("parquet", "jsonl"):
        getattr(frame, {"jsonl": "write_ndjson"}.get(form, "write_parquet"))(path)
    else:
        path.write_text(json.dumps(frame.to_dicts()))
    given = {"frame": frame, "rows": frame.to_dicts()}.get(form, path)
    judged = rows(lf.read_qrels(given), "relevance")
    assert sorted(judged) == [
        ("q1", "a", 1.0), ("q1", "x", 0.0), ("q1", "y", 0.0), ("q2", "b", 1.0), ("q2", "c", 1.0),
    ]  # fmt: skip


def test_folders_name_runs_whose_files_are_called_alike(tmp_path):
    for name in ("system_a", "system_b"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / "run.txt").write_text(f"q1 Q0 {name} 1 2.5 t\n")
        (folder / "ir-metadata.yml").write_text("tag: x\n")
    wanted = ["system_a", "system_b"]
    for given in (tmp_path / "runs", str(tmp_path / "runs" / "*" / "run.txt")):
        assert lf.read_runs(given)["run"].to_pylist() == wanted
        assert lf.read_runs(given)["doc_id"].to_pylist() == wanted
    assert lf.read_runs({"bm25": tmp_path / "runs"})["replicate"].to_pylist() == wanted
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 system_a 1\n")
    asked = ["evaluate", str(qrels), str(tmp_path / "runs"), "-m", "RR", "--format", "csv"]
    assert "\nsystem_a,RR,1.0" in CliRunner().invoke(cli.app, asked).output
    (tmp_path / "runs" / "system_b" / "other.txt").write_text("q1 Q0 d 1 2.5 t\n")
    with pytest.raises(lf.ReadError, match="the folders in it are not read"):
        lf.read_runs(tmp_path / "runs")


COMMAND = "Running command: ['java', '-jar', 'jtreceval.jar', '-q', 'qrels.txt', 'run.txt']\n"


@pytest.mark.parametrize(
    "text",
    [
        COMMAND + "Results:\nmap   \t1\t0.5\nmap   \t2\t0.25\nmap   \tall\t0.375\n",
        "map   \t1\t0.5\n" + COMMAND + "Results:\nmap   \t2\t0.25\n",
        "Downloading https://host.example/a.jar to /root/a.jar...\n/root/a.jar already exists!\n"
        "Skipping download.\n" + COMMAND + "Results:\r\n1 map 0.5\r\n2 map 0.25\r\n",
    ],
)
def test_what_pyserini_prints_around_scores(text, tmp_path):
    (tmp_path / "a.eval").write_text(text, newline="")
    found = lf.read_scores(tmp_path / "a.eval")
    assert found.select("query_id", "value").rows() == [("1", 0.5), ("2", 0.25)]
    (tmp_path / "b.eval").write_text(text + "map\n", newline="")
    n = text.count("\n") + 1
    with pytest.raises(lf.ReadError, match=rf"b.eval, line {n}: expected"):
        lf.read_scores(tmp_path / "b.eval")
