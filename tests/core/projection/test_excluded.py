"""Documents that the user leaves out of the rankings of single queries: ``exclude``.

Many are given as lists of ids, which `connect.forms` reads.
"""

import json
import pickle
from copy import deepcopy
from dataclasses import asdict

import polars as pl
import pytest
from typer.testing import CliRunner

import lexiframe as lf
from lexiframe.core.cli import app as cli
from lexiframe.core.projection import Policies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*documents to exclude, left out"),
]
RUNS = {
    "a": {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.0}, "q2": {"d2": 2.0, "d3": 1.0}},
    "b": {"q1": {"d3": 4.0, "d1": 3.0}, "q2": {"d1": 2.0, "d2": 1.0}},
}
QRELS = {"q1": {"d1": 1, "d3": 1}, "q2": {"d2": 1}}
OUT = {"q1": ["d1", "d9"], "q2": ["d1"], "q9": ["d1"]}
ROWS = [(query, doc) for query, of in OUT.items() for doc in of]
TABLE = pl.DataFrame(ROWS, ["query_id", "doc_id"], orient="row")


def without(table):
    """The rows of a dictionary by query without the documents to leave out."""
    return {q: {d: x for d, x in of.items() if d not in OUT.get(q, ())} for q, of in table.items()}


WANTED = {name: without(run) for name, run in RUNS.items()}, without(QRELS)


def forms(folder):
    TABLE.write_csv(folder / "out.csv")
    TABLE.write_parquet(folder / "out.parquet")
    TABLE.with_columns(relevance=0.0).write_parquet(folder / "graded.parquet")
    (folder / "out.json").write_text(json.dumps(OUT))
    (folder / "out.txt").write_text("".join(f"{q} 0 {d} -1\n" for q, d in ROWS))
    files = [
        folder / f for f in ("out.csv", "out.parquet", "graded.parquet", "out.json", "out.txt")
    ]
    renamed = TABLE.rename({"query_id": "qid", "doc_id": "docno"}).to_pandas()
    sets = {query: {*of} for query, of in OUT.items()} | {"q3": []}
    return [*files, str(files[0]), TABLE, TABLE.lazy(), renamed, OUT, sets, lf.read_qrels(files[3])]


def test_beside_other_policies():
    own = {"q1": {"q1": 9.0, **RUNS["a"]["q1"]}, "q2": RUNS["a"]["q2"]}
    how = {"exclude": OUT, "judged": True, "unjudged": "remove", "depth": 1}
    with pytest.warns(lf.LexiframeWarning, match="rows of unjudged documents, removed: 2"):
        wanted = lf.positions({"a": WANTED[0]["a"]}, WANTED[1], **how)
    with pytest.warns(
        lf.LexiframeWarning, match=r"id of their query, left out: 1; rows of documents"
    ):
        assert lf.positions({"a": own}, QRELS, exclude_self=True, **how).equals(wanted)


def test_results_say_what_was_left_out_and_reuse_compares_it(tmp_path):
    e = lf.evaluate(RUNS, QRELS, "AP", exclude=OUT)
    said = e.provenance["policies"]["exclude"]
    assert said.startswith("4 documents (sha256 ")
    e.write(tmp_path / "results")
    again = lf.read_results(tmp_path / "results")
    assert again.provenance["policies"]["exclude"] == said
    assert f"exclude={said}" in str(again) == str(e)
    with pytest.warns(lf.LexiframeWarning, match=r"nothing is reused, .*exclude='4 documents"):
        lf.evaluate(RUNS, QRELS, "AP", reuse=tmp_path / "results")
    kept = lf.evaluate(RUNS, QRELS, "AP", exclude=TABLE, reuse=tmp_path / "results")
    assert kept.means.equals(e.means)
    assert kept.provenance["reused"]["runs"] == 2
    policies = Policies(exclude=OUT)
    for copied in (deepcopy(policies), pickle.loads(pickle.dumps(policies))):
        assert copied == policies
        assert copied.exclude.rows.equals(policies.exclude.rows)
    assert json.loads(json.dumps(asdict(policies)))["exclude"] == said


def test_on_the_command_line_and_with_judges(tmp_path):
    for name, data in (("q.json", QRELS), ("a.json", RUNS["a"]), ("b.json", RUNS["b"])):
        (tmp_path / name).write_text(json.dumps(data))
    TABLE.write_csv(tmp_path / "out.csv")
    files = [str(tmp_path / name) for name in ("q.json", "a.json", "b.json")]
    asked = [*files, "--exclude", str(tmp_path / "out.csv"), "-m", "RR", "--format", "csv"]
    means = lf.evaluate(*WANTED, "RR").means
    for command in ("evaluate", "compare"):
        done = CliRunner().invoke(cli.app, [command, *asked])
        assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli.app, ["evaluate", *asked])
    table = pl.read_csv(done.stdout.encode())
    assert table["mean"].to_list() == means["mean"].to_list()
    strict = {"q1": {"d1": 1, "d3": 1}, "q2": {"d2": 1, "d3": 1}}
    found = lf.compare_judges(RUNS, {"x": QRELS, "y": strict}, "RR", exclude=OUT)
    wanted = lf.compare_judges(WANTED[0], {"x": WANTED[1], "y": without(strict)}, "RR")
    assert found.orderings.equals(wanted.orderings)
