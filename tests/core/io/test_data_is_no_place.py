"""What stands inside data is an id: it is neither opened nor fetched, whatever it looks like."""

import json
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lexiframe as lf
from lexiframe.core.cli import app as cli

IDS = [
    "*.txt", "-", "001.txt", "10.1000/182", "http://127.0.0.1:9/a", "irds:vaswani", "org/model",
    "s3://bucket/a.run", "src/main.rs", "~nobody/x",
]  # fmt: skip
SCORED = {name: float(-n) for n, name in enumerate(IDS)}
LINE = "q9 Q0 other 1 2.5 t\n"
_SEEN: list[str] | None = None
_FILES = ("open", "glob.glob", "os.scandir", "os.listdir")


def _note(event, args):
    is_place = event in _FILES and str(args[0]).endswith(tuple(IDS))
    if _SEEN is not None and (is_place or event.startswith(("socket.", "urllib."))):
        _SEEN.append(event)


sys.addaudithook(_note)


@contextmanager
def watched():
    """Note each file called like an id, and each socket, that is opened."""
    global _SEEN
    seen = _SEEN = []
    try:
        yield seen
    finally:
        _SEEN = None


@contextmanager
def nothing_opened():
    """Raise where something was opened."""
    with watched() as seen:
        yield
    assert seen == []


@pytest.fixture(autouse=True)
def files_called_like_ids(tmp_path, monkeypatch):
    """Files of these names lie in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("001.txt", "10.1000/182", "src/main.rs", "s1.run"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(LINE)


def test_the_watch_sees_files_and_sockets():
    with watched() as seen:
        lf.read_runs("001.txt")
    assert "open" in seen
    with watched() as seen, pytest.raises(lf.ReadError, match="cannot be fetched"):
        lf.read_runs(["http://127.0.0.1:9/a"])
    assert any(event.startswith("socket.") for event in seen)


ROWS = [{"qid": "q1", "docno": name, "score": x, "label": 1} for name, x in SCORED.items()]
RUNS = {
    "lists": {"q1": IDS},
    "tuples": {"q1": tuple(IDS)},
    "arrays": {"q1": np.array(IDS)},
    "scored": {"q1": [*SCORED.items()]},
    "scores": {"q1": SCORED},
    "records by query": {"q1": [{"doc_id": name, "score": x} for name, x in SCORED.items()]},
    "rows": ROWS,
    "columns": {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "lists in rows": [{"qid": "q1", "retrieved_ids": IDS, "expected_ids": IDS}],
}
ONE = pytest.mark.parametrize("form", RUNS)


def documents(table):
    return sorted(one for one in table["doc_id"].to_pylist() if one is not None)


@pytest.mark.slow
@ONE
def test_in_memory(form):
    of_query = RUNS[form]
    with nothing_opened():
        assert documents(lf.read_runs(of_query)) == IDS
        assert documents(lf.read_runs({"a": of_query})) == IDS
        if form != "columns":
            assert documents(lf.read_runs([of_query])) == IDS
        e = lf.evaluate({"a": of_query, "b": of_query}, {"q1": {"001.txt": 1}}, "R@100")
    assert e.means["mean"].to_list() == [1.0, 1.0]
    assert lf.positions(lf.scan_runs({"a": of_query}), {"q1": {"001.txt": 1}}).height == 1


@pytest.mark.parametrize(
    "judged",
    [
        {"q1": IDS},
        {"q1": {*IDS}},
        {"q1": dict.fromkeys(IDS, 1)},
        {"q1": [(name, 1) for name in IDS]},
        ROWS,
        [{"qid": "q1", "expected_ids": IDS}],
        pl.DataFrame(ROWS).drop("score"),
    ],
)
def test_judgments(judged):
    with nothing_opened():
        assert documents(lf.read_qrels(judged)) == IDS
        if not isinstance(judged, pl.DataFrame) and not isinstance(judged, list):
            assert lf.judge_agreement({"a": judged, "b": judged})["n"].item() == len(IDS)


URL = "http://127.0.0.1:9/a"
OTHERS = [
    {"url": URL, "version": 4},
    {"url": URL, "q1": {"d1": 0.5}},
    {"q1": {"d1": 0.5}, "url": "001.txt"},
    {"a": {"seed 1": URL}},
    {"a": {"seed 1": Path("s1.run"), "seed 2": URL}},
    {"a": {"seed 1": Path("s1.run"), "seed 2": "irds:vaswani"}},
    {"a": ["001.txt", "s1.run"], "b": URL},
    {"a": {"q1": URL, "q2": {"d1": 0.5}}},
    [{"question": "one", "url": URL}, {"question": "two", "url": URL}],
    [{"a": {"seed 1": "001.txt"}}],
]


@pytest.mark.parametrize("data", OTHERS)
@pytest.mark.parametrize(
    "read", [lf.read_runs, lf.read_scores, lf.read_preferences, lf.read_nuggets, lf.read_qrels]
)
def test_what_is_neither_a_run_nor_a_place_is_refused_unopened(data, read):
    with nothing_opened(), pytest.raises((lf.LexiframeError, TypeError)):
        read(data)


def test_the_way_out_is_said():
    with pytest.raises(
        lf.SchemaError, match=r"\{run: file or frame\}, found 'n': 4; give a table "
    ):
        lf.read_runs({"url": URL, "n": 4})
    with pytest.raises(
        lf.SchemaError, match=r"found rows with 2 \('x', 'url'\); give a table as a"
    ):
        lf.read_runs([{"x": "a", "url": URL}] * 2)
    with pytest.raises(
        lf.SchemaError, match=r"found '001.txt'; a file of a replicate is a pathlib"
    ):
        lf.read_runs({"a": {"seed 1": "001.txt"}})
    with pytest.raises(lf.SchemaError, match=r"seed 2.*a path or a frame, found '001.txt'; give a"):
        lf.read_runs({"a": {"seed 1": Path("s1.run"), "seed 2": "001.txt"}})


def test_places_are_opened():
    assert lf.read_runs("001.txt")["doc_id"].to_pylist() == ["other"]
    assert lf.read_runs(["001.txt", "s1.run"]).num_rows == 2
    assert lf.read_runs({"a": "*.run"})["run"].to_pylist() == ["a"]
    assert lf.read_runs([{"a": "001.txt"}, {"b": "s1.run"}])["run"].to_pylist() == ["a", "b"]
    several = {"a": [Path("001.txt"), Path("s1.run")], "b": "s1.run", "c": []}
    with pytest.warns(lf.LexiframeWarning, match=r"runs without any row.* 1 \('c'\)"):
        assert lf.read_runs(several)["replicate"].to_pylist() == ["001", "s1", None]
    named = lf.read_runs({"a": {"one": Path("001.txt"), "two": Path("s1.run")}})
    assert named["replicate"].to_pylist() == ["one", "two"]


@pytest.mark.slow
def test_empty_lists_are_rankings_without_documents(tmp_path):
    qrels, empty = {"q1": ["a"], "q2": ["b"]}, {"q1": [], "q2": []}
    for one in (empty, {"q1": {}, "q2": []}, {"q1": (), "q2": []}):
        e = lf.evaluate({"none": one, "all": qrels}, qrels, "RR")
        assert dict(e.means.select("run", "mean").rows()) == {"all": 1.0, "none": 0.0}
        assert e.coverage.filter(run="none")["answered"].item() == 2
    for indent in (None, 1):
        path = tmp_path / "none.json"
        path.write_text(json.dumps(empty, indent=indent))
        assert lf.evaluate(path, qrels, "RR").means["mean"].to_list() == [0.0]
        assert lf.check_run(path).is_empty()
        path.write_text(json.dumps({"none": empty, "all": qrels}, indent=indent))
        assert dict(lf.evaluate(path, qrels, "RR").means.select("run", "mean").rows()) == {
            "all": 1.0,
            "none": 0.0,
        }
    assert lf.overlap({"s": {"q1": ["a"]}, "t": {"q1": []}}, "Jaccard@10")["value"].item() == 0.0
    mixed = lf.read_runs({"q1": [], "q2": {"b": 0.5}})
    assert mixed.select(["query_id", "doc_id"]).to_pylist() == [
        {"query_id": "q2", "doc_id": "b"},
        {"query_id": "q1", "doc_id": None},
    ]
    (tmp_path / "mixed.json").write_text('{"q1": [], "q2": {"b": 0.5}}')
    assert lf.read_runs(tmp_path / "mixed.json").drop("run").equals(mixed.drop("run"))
    for said in ({"q1": []}, {"q1": [], "q2": {"b": 1}}):
        with pytest.raises(
            lf.SchemaError, match=r"found an empty list for 1 \('q1'\); leave these"
        ):
            lf.read_qrels(said)


def test_check_names_and_counts_the_files():
    odd = {"hits": {"hits": [{"_source": {"judgmentRatings": [], "name": n}} for n in "ab"]}}
    for name in ("a.json", "b.json"):
        Path(name).write_text(json.dumps(odd))
    Path("q.json").write_text(json.dumps({"q1": ["10.1000/182"]}))
    done = CliRunner().invoke(cli.app, ["check", "q.json", "a.json", "b.json", "--format", "csv"])
    assert done.exit_code == 1
    assert "files checked: 3, with problems: 2" in done.output
    assert [line.partition(",")[0] for line in done.stdout.splitlines()[1:3]] == [
        "a.json",
        "b.json",
    ]


LISTED = {
    "a.csv": 'query_id,expected_ids\n1,"[""d1"", ""d2""]"\n2,"[""d3""]"\n',
    "b.jsonl": '{"qid": "1", "relevant_ids": ["d1"]}\n{"qid": "2", "relevant_ids": ["d2"]}\n',
    "d.jsonl": '{"qid": "1", "pos": ["d1"], "neg": ["d2", "d3"]}\n',
    "c.tsv": "user_id\trelevant\n1\td1 d2\n",
}


@pytest.mark.parametrize("name", LISTED)
def test_check_knows_judgments_in_lists(name):
    Path(name).write_text(LISTED[name])
    done = CliRunner().invoke(cli.app, ["check", name, "--format", "json"])
    assert done.exit_code == 0, done.output
