"""``lexiframe evaluate --items``: measures of lists and of the catalogue."""

import json

import polars as pl
import pytest

import lexiframe as lf

pytestmark = pytest.mark.slow  # its room has quicker tests

EXAMPLE = lf.bundled("example")
QRELS, RUNS = EXAMPLE / "qrels.txt", EXAMPLE / "runs"


@pytest.fixture
def files(tmp_path):
    documents = pl.DataFrame(lf.read_runs(RUNS))["doc_id"].unique().sort()
    pl.DataFrame({"doc_id": documents}).write_parquet(tmp_path / "items.parquet")
    past = pl.DataFrame({"query_id": "someone", "doc_id": documents.head(40)})
    past.write_csv(tmp_path / "history.csv")
    return tmp_path / "items.parquet", tmp_path / "history.csv"


def test_it_gives_what_python_gives(lexiframe, files, tmp_path):
    items, history = files
    told = ("-m", "nDCG@10,Novelty@10,Coverage@10", "--items", items, "--history", history)
    outcome = lexiframe("evaluate", QRELS, RUNS, *told, "--format", "json", "-o", tmp_path / "out")
    assert outcome.status == 0
    table = json.loads(outcome.out)
    known = lf.read_items(items, history=history)
    measures = ["nDCG@10", "Novelty@10", "Coverage@10"]
    e = lf.evaluate(RUNS, QRELS, measures, items=known)
    assert table["means"] == e.means.to_dicts()
    assert table["catalogue"] == e.catalogue.values.to_dicts()
    assert lf.read_results(tmp_path / "out").catalogue.values.equals(e.catalogue.values)
    printed = lexiframe("evaluate", QRELS, RUNS, *told).out
    assert printed == f"{e}\n"
    assert "--table catalogue" in lexiframe("evaluate", QRELS, RUNS, *told, "--format", "csv").err


def test_the_tables_of_the_catalogue_are_printed(lexiframe, files):
    told = (QRELS, RUNS, "--items", files[0], "--format", "json")
    tables = json.loads(lexiframe("evaluate", *told, "-m", "RR,Coverage@10").out)
    for name in ("catalogue", "catalogue_comparisons"):
        asked = ("--table", name)
        found = lexiframe("evaluate", *told, "-m", "RR,Coverage@10", *asked).out
        assert json.loads(found) == tables[name]
        outcome = lexiframe("evaluate", *told, "-m", "RR", *asked)
        assert outcome.status == 1
        assert "expected a measure of the catalogue, found none in -m" in outcome.said


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((QRELS, RUNS, "--history", "past.csv"), "--history: is that of the users of --items"),
        (("--scores", "s.csv", "--items", "i.csv"), "--items: measures of lists need the runs"),
        ((QRELS, RUNS, "--items", "nowhere.csv"), "nowhere.csv"),
        ((QRELS, RUNS, "--table", "catalogue"), "is of the items of --items; add --items FILE"),
    ],
)
def test_what_it_refuses(lexiframe, arguments, message):
    outcome = lexiframe("evaluate", *arguments)
    assert outcome.status == 1
    assert message in outcome.said
