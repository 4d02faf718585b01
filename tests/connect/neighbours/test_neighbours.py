"""What other libraries hold, read as it is: equal tables, and their own results beside ours.

Where definitions differ, a test says how. The way out again is in test_exchange.py.
"""

import gzip
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval

import lexiframe as lf
from tests.conftest import library
from tests.core.io.recommender_files import write_lenskit, write_recbole
from tests.parity.reference import assert_same_rows

pytestmark = pytest.mark.slow

KEY = ["query_id", "measure"]
MEASURES = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "P_5": "P@5"}


class Collection(NamedTuple):
    """One run and its judgments: TREC files, and the tables that lexiframe reads from them."""

    run: object
    qrels: object
    runs_table: pa.Table
    qrels_table: pa.Table


@pytest.fixture(
    scope="module",
    params=["example", pytest.param("cranfield", marks=pytest.mark.conformance)],
)
def collection(request, tmp_path_factory):
    """The example, and a real data set: 22,500 documents for 225 requests, grades 0 to 4."""
    if request.param == "example":
        folder = lf.bundled("example")
        run, qrels = folder / "runs" / "pca8_euclidean.run", folder / "qrels.txt"
    else:
        folder = request.getfixturevalue("shared") / "data" / "cranfield"
        data = gzip.decompress((folder / "runs" / "xapian_bm25.trec.gz").read_bytes())
        run = tmp_path_factory.mktemp("cranfield") / "xapian_bm25.run"
        run.write_bytes(data)
        qrels = folder / "qrels.trec"
    return Collection(run, qrels, lf.read_runs(run), lf.read_qrels(qrels))


def assert_same(table, other, *, ordered=True):
    """Equal as a whole, metadata apart; without the order, where a library has one of its own."""
    assert table.schema.remove_metadata() == other.schema.remove_metadata()
    table, other = pl.DataFrame(table), pl.DataFrame(other)
    key = [name for name in ("run", "query_id", "iteration", "doc_id") if name in table.columns]
    if not ordered:
        table, other = table.sort(key), other.sort(key)
    assert table.equals(other)


def without_rank(table):
    return table.drop_columns("rank")


def ours(runs, qrels, measures, **options):
    """Scores of one run; 0 for requests without a relevant document, as elsewhere."""
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(runs, qrels, **{"no_relevant": "zero", **options})
    return lf.scores(p, list(measures)).select("query_id", "measure", "value")


def assert_agree(theirs, expected):
    """Rows of (query, measure in our words, value), for every request."""
    theirs = pl.DataFrame(theirs, schema=[*KEY, "value"], orient="row")
    assert theirs.height >= 5
    assert_same_rows(theirs, expected, KEY, "value", relative=1e-12)


# --- PyTerrier ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pyterrier(tmp_path_factory):
    """It keeps its things at home, so it gets another one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTERRIER_HOME", str(tmp_path_factory.mktemp("pyterrier")))
        with warnings.catch_warnings(action="ignore"):  # of what it imports
            yield library("pyterrier")


def test_pyterriers_results_and_qrels(pyterrier, collection):
    results = pyterrier.io.read_results(str(collection.run))
    assert list(results.columns) == ["qid", "docno", "rank", "score", "name"]
    assert_same(lf.read_runs(results), lf.read_runs(collection.run, name_from="tag"))
    qrels = pyterrier.io.read_qrels(str(collection.qrels))
    assert list(qrels.columns) == ["qid", "docno", "label"]
    assert_same(lf.read_qrels(qrels), collection.qrels_table)


def test_pyterriers_pipelines(pyterrier, collection):
    """Frames that come out of a transformer carry the query's text, and docid is no id."""
    results = pyterrier.io.read_results(str(collection.run)).drop(columns="name")
    results = results.assign(docid=range(len(results)), rank=results["rank"] - 1)
    topics = pd.DataFrame({"qid": results["qid"].unique()})
    topics["query"] = "what is known of " + topics["qid"]
    frame = pyterrier.Transformer.from_df(results)(topics)
    assert {"qid", "query", "docno", "docid"} <= set(frame.columns)
    name = collection.runs_table["run"][0].as_py()
    table = lf.read_runs({name: frame})
    assert_same(without_rank(table), without_rank(collection.runs_table))
    assert table["rank"].to_pylist() == results["rank"].to_list()  # PyTerrier's begin with 0
    best = (pyterrier.Transformer.from_df(results) % 3)(topics)
    table = lf.read_runs(best)
    assert table.num_rows == 3 * len(topics)
    assert set(table["rank"].to_pylist()) == {0, 1, 2}


def test_pyterrier_writes_what_is_read(pyterrier, collection, tmp_path):
    results = pyterrier.io.read_results(str(collection.run))
    name = collection.runs_table["run"][0].as_py()
    for ending in ("res", "res.gz"):
        path = tmp_path / f"{name}.{ending}"
        pyterrier.io.write_results(results, str(path))
        assert_same(lf.read_runs(path), collection.runs_table)
    path = tmp_path / f"{name}.tsv"
    pyterrier.io.write_results(results, str(path), format="minimal")  # MS MARCO's three columns
    table = lf.read_runs(path, third="rank")
    assert table["rank"].equals(collection.runs_table["rank"])
    assert table["doc_id"].equals(collection.runs_table["doc_id"])


# --- ir_measures --------------------------------------------------------------------------------


def test_ir_measures_generators_lists_and_frames(collection):
    def scored():
        return ir_measures.read_trec_run(str(collection.run))

    def judged():
        return ir_measures.read_trec_qrels(str(collection.qrels))

    name = collection.runs_table["run"][0].as_py()
    expected = without_rank(collection.runs_table)
    assert_same(lf.read_runs({name: scored()}), expected)
    assert_same(lf.read_runs({name: list(scored())}), expected)
    assert_same(lf.read_runs({name: pd.DataFrame(scored())}), expected)
    assert_same(lf.read_runs({name: pl.DataFrame(list(scored()), orient="row")}), expected)
    alone = lf.read_runs(scored())  # a run that nobody has named
    assert alone["run"].unique().to_pylist() == ["run"]
    assert_same(alone.drop_columns("run"), expected.drop_columns("run"))
    assert_same(lf.read_qrels(judged()), collection.qrels_table)
    assert_same(lf.read_qrels(tuple(judged())), collection.qrels_table)
    assert_same(lf.read_qrels(pd.DataFrame(judged())), collection.qrels_table)


def test_a_list_of_one_kind_is_needed():
    rows = [ir_measures.ScoredDoc("q", "d", 1.0), ir_measures.ScoredDoc("q", 7, 0.5)]
    with pytest.raises(lf.SchemaError, match=r"expected values of one type.* found int and str"):
        lf.read_runs(rows)
    with pytest.raises(TypeError, match=r"rows with query_id and doc_id \(ScoredDoc, Qrel\), fou"):
        lf.read_qrels([("q", "0", "d", 1)])


# --- pytrec_eval --------------------------------------------------------------------------------


def test_pytrec_evals_dictionaries(collection, tmp_path):
    with collection.run.open() as run, collection.qrels.open() as qrels:
        scored, judged = pytrec_eval.parse_run(run), pytrec_eval.parse_qrel(qrels)
    name = collection.runs_table["run"][0].as_py()
    assert_same(lf.read_runs({name: scored}), without_rank(collection.runs_table))
    assert_same(lf.read_qrels(judged), collection.qrels_table)
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(scored))
    assert_same(lf.read_runs(path), without_rank(collection.runs_table))
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES)).evaluate(scored)
    rows = [(q, MEASURES[m], value) for q, of in theirs.items() for m, value in of.items()]
    assert_agree(rows, ours(scored, judged, MEASURES.values(), score_type="float32"))


def test_pytrec_eval_leaves_out_what_a_run_does_not_answer():
    """lexiframe counts a request that a run does not answer as 0, and so does trec_eval -c."""
    judged = {"q1": {"a": 1}, "q2": {"b": 1}}
    scored = {"q1": {"a": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(scored)
    assert {query: of["map"] for query, of in theirs.items()} == {"q1": 1}
    assert ours(scored, judged, ["AP"]).rows() == [("q1", "AP", 1), ("q2", "AP", 0)]
    answered = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate({**scored, "q2": {}})
    assert {query: of["map"] for query, of in answered.items()} == {"q1": 1, "q2": 0}


def test_pytrec_eval_holds_scores_as_single_floats():
    """Scores that differ less tie there, and the greater id comes first; here with float32 only."""
    judged = {"q": {"a": 1}}
    scored = {"q": {"a": 16777217.0, "b": 16777216.0}}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(scored)
    assert theirs["q"]["recip_rank"] == 0.5
    assert ours(scored, judged, ["RR"])["value"].to_list() == [1]
    assert ours(scored, judged, ["RR"], score_type="float32")["value"].to_list() == [0.5]


# --- ranx ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ranx():
    return library("ranx")


@pytest.mark.filterwarnings("ignore:unsafe cast")  # inside ranx
def test_ranx_runs_and_qrels(ranx, collection, tmp_path):
    """ranx sorts its runs as it likes, and names a run after its tag."""
    name = collection.runs_table["run"][0].as_py()
    expected = without_rank(collection.runs_table)
    run = ranx.Run.from_file(str(collection.run), kind="trec")
    qrels = ranx.Qrels.from_file(str(collection.qrels), kind="trec")
    assert run.name == name
    for runs in (run, {name: run.to_dataframe()}):
        assert_same(lf.read_runs(runs), expected, ordered=False)
    for judged in (qrels, qrels.to_dataframe()):
        assert_same(lf.read_qrels(judged), collection.qrels_table, ordered=False)
    run.name = "another"
    assert lf.read_runs([run, {"q": {"d": 1.0}}])["run"].unique().to_pylist() == ["another", "run"]
    for ending in ("json", "trec", "parquet"):
        run.save(str(tmp_path / f"{name}.{ending}"))
        qrels.save(str(tmp_path / f"qrels.{ending}"))
        table = lf.read_runs(tmp_path / f"{name}.{ending}").select(expected.column_names)
        assert_same(table, expected, ordered=False)
        table = lf.read_qrels(tmp_path / f"qrels.{ending}")
        assert_same(table, collection.qrels_table, ordered=False)


def test_ranx_objects_in_each_others_place(ranx):
    """Its own functions take the qrels first."""
    run, qrels = ranx.Run({"q": {"d": 1.5}}), ranx.Qrels({"q": {"d": 1}}, name="judged")
    with pytest.raises(lf.SchemaError, match="this looks like qrels, given as a run"):
        lf.evaluate(qrels, run, ["AP"])


def test_an_empty_run_of_ranx(ranx):
    with pytest.warns(lf.LexiframeWarning, match=r"without any row, .*: 1 \('a'\)"):
        assert lf.read_runs({"a": ranx.Run()}).num_rows == 0


# --- ir_datasets --------------------------------------------------------------------------------

# In a process of its own: ir_datasets looks for its home when it is imported.
IR_DATASETS = """
import json, socket, sys
from pathlib import Path

def refuse(*args, **kwargs):
    raise AssertionError("the network is not for tests")

socket.socket.connect = socket.create_connection = refuse

import ir_datasets
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TrecScoredDocs
from ir_datasets.util import LocalDownload
import lexiframe as lf

run, qrels, home = map(Path, sys.argv[1:])
grades = {grade: "" for grade in range(5)}
judged = TrecQrels(LocalDownload(qrels), grades)
scored = TrecScoredDocs(LocalDownload(run))
ir_datasets.registry.register("local/both", Dataset(judged, scored))
ir_datasets.registry.register("local/qrels", Dataset(judged))
ir_datasets.registry.register("local/run", Dataset(scored))
gone, broken = home.parent / "gone", home.parent / "broken"
broken.write_text("q1 0 d1 high\\n")
for file in (gone, broken):
    of_file = TrecQrels(LocalDownload(file), grades), TrecScoredDocs(LocalDownload(file))
    ir_datasets.registry.register(f"local/{file.name}", Dataset(*of_file))

def said(function, name):
    try:
        return function(name)
    except lf.LexiframeError as error:
        return f"{type(error).__name__}: {error}"

out = {
    "qrels": lf.read_qrels("irds:local/both").to_pydict(),
    "runs": lf.read_runs("irds:local/both").to_pydict(),
    "named": lf.read_runs({"mine": "irds:local/run"}).to_pydict(),
    "listed": lf.read_runs(["irds:local/run", "irds:local/both"])["run"].unique().to_pylist(),
    "types": [str(kind) for kind in lf.read_qrels("irds:local/qrels").schema.types],
    "positions": lf.positions("irds:local/run", "irds:local/qrels").height,
    "from": lf.evaluate("irds:local/run", "irds:local/qrels", ["RR"]).provenance,
    "no runs": said(lf.read_runs, "irds:local/qrels"),
    "no qrels": said(lf.read_qrels, "irds:local/run"),
    "unknown": said(lf.read_qrels, "irds:local/bth"),
    "unknown runs": said(lf.read_runs, "irds:"),
    "gone": said(lf.read_qrels, "irds:local/gone"),
    "runs gone": said(lf.read_runs, "irds:local/gone"),
    "broken": said(lf.read_qrels, "irds:local/broken"),
    "home": str(ir_datasets.util.home_path()),
}
assert Path(out["home"]) == home
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def of_ir_datasets(collection, tmp_path_factory):
    """What a process says that has registered the files as data sets of ir_datasets."""
    library("ir_datasets")
    home = tmp_path_factory.mktemp("home")
    environment = os.environ | {
        "HOME": str(home),
        "IR_DATASETS_HOME": str(home / "ir"),
        "IR_DATASETS_TMP": str(home / "tmp"),
        "PYTHONPATH": str(Path(lf.__file__).parents[1]),
        "PYTHONWARNINGS": "ignore",
    }
    files = [str(collection.run), str(collection.qrels), str(home / "ir")]
    command = [sys.executable, "-c", IR_DATASETS, *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_data_sets_of_ir_datasets(of_ir_datasets, collection):
    expected = without_rank(collection.runs_table)
    for what, name in (("runs", "local/both"), ("named", "mine")):
        columns = of_ir_datasets[what]
        assert set(columns["run"]) == {name}
        assert {**columns, "run": expected["run"].to_pylist()} == expected.to_pydict()
    assert of_ir_datasets["qrels"] == collection.qrels_table.to_pydict()
    assert of_ir_datasets["types"] == ["string", "string", "string", "double"]
    assert of_ir_datasets["listed"] == ["local/both", "local/run"]
    assert of_ir_datasets["positions"] > 50
    assert of_ir_datasets["from"]["runs"] == [
        {"run": "local/run", "path": "irds:local/run", "sha256": None}
    ]


def test_what_ir_datasets_does_not_have(of_ir_datasets):
    assert of_ir_datasets["no runs"] == (
        "ReadError: irds:local/qrels: this data set of ir_datasets has no scoreddocs"
    )
    assert of_ir_datasets["no qrels"] == (
        "ReadError: irds:local/run: this data set of ir_datasets has no qrels"
    )
    unknown = "ir_datasets knows no data set of this name"
    assert of_ir_datasets["unknown"] == f"ReadError: irds:local/bth: {unknown}"
    assert of_ir_datasets["unknown runs"] == f"ReadError: irds:: {unknown}"


def test_what_ir_datasets_cannot_fetch_or_read(of_ir_datasets):
    """No network, a file that is gone, or one that is broken: its error becomes one of ours."""
    for what, table, message in [
        ("gone", "qrels", "ReadError: irds:local/gone: ir_datasets cannot give the qrels (/"),
        ("runs gone", "scoreddocs", "ReadError: irds:local/gone: ir_datasets cannot give the sco"),
        ("broken", "qrels", "ReadError: irds:local/broken: ir_datasets cannot give the qrels (inv"),
    ]:
        assert of_ir_datasets[what].startswith(message)
        name = what.removeprefix("runs ")
        advice = f"`ir_datasets export local/{name} {table}` says more"
        assert of_ir_datasets[what].endswith(advice)


def test_without_ir_datasets(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    message = r"irds:vaswani: needs ir_datasets; install it with pip install 'lexiframe\[interop\]'"
    for read in (lf.read_qrels, lf.read_runs):
        with pytest.raises(lf.ReadError, match=message):
            read("irds:vaswani")


# --- DuckDB -------------------------------------------------------------------------------------


@pytest.fixture
def duckdb(collection, tmp_path):
    """A database on disk that holds the run and the judgments."""
    with library("duckdb").connect(str(tmp_path / "runs.db")) as connection:
        connection.register("run_table", collection.runs_table)
        connection.register("qrels_table", collection.qrels_table)
        connection.execute("create table scored as select * from run_table")
        connection.execute("create table judged as select * from qrels_table")
        yield connection


def test_duckdbs_relations(duckdb, collection):
    assert_same(lf.read_runs(duckdb.table("scored")), collection.runs_table)
    assert_same(lf.read_qrels(duckdb.table("judged")), collection.qrels_table)
    assert_same(
        lf.read_runs(duckdb.sql("select * from scored").to_arrow_table()),
        lf.read_runs(collection.run),
    )
    named = duckdb.sql("select query_id as qid, doc_id as docno, score::float as sim from scored")
    single = collection.runs_table["score"].cast(pa.float32()).cast(pa.float64())
    table = lf.read_runs({"r": named})
    assert table["score"].to_pylist() == single.to_pylist()
    best = duckdb.sql("select * from scored where rank <= 5")
    assert lf.read_runs(best).num_rows == sum(
        rank <= 5 for rank in collection.runs_table["rank"].to_pylist()
    )


def test_duckdbs_parquet(duckdb, collection, tmp_path):
    path = tmp_path / "scored.parquet"
    duckdb.table("scored").write_parquet(str(path))
    assert_same(lf.read_runs(path), collection.runs_table)
    path = tmp_path / "judged.csv"
    duckdb.table("judged").write_csv(str(path))
    assert_same(lf.read_qrels(path), collection.qrels_table)


def test_precision_in_sql_agrees(duckdb, collection):
    """DuckDB compares strings by their bytes, as trec_eval does."""
    rows = duckdb.execute(
        """
        with ranked as (
            select *, row_number() over (
                partition by query_id order by score desc, doc_id desc
            ) as position from scored
        )
        select query_id, 'P@5', count(*) filter (judged.relevance > 0) / 5
        from ranked left join judged using (query_id, doc_id) where position <= 5 group by all
        """
    ).fetchall()
    assert_agree(rows, ours(duckdb.table("scored"), duckdb.table("judged"), ["P@5"]))


def test_relations_of_one_connection(duckdb, collection):
    """A connection of DuckDB refuses a second thread, and runs are read in several."""
    runs = {f"r{n}": duckdb.sql(f"select *, {n} as n from scored") for n in range(12)}
    lazy = {name: run.pl(lazy=True) for name, run in runs.items()}
    expected = lf.positions(dict.fromkeys(runs, collection.runs_table), collection.qrels)
    assert expected.equals(lf.positions(runs, duckdb.table("judged")))
    assert expected.equals(lf.positions(lazy, duckdb.table("judged")))
    lazily = lf.positions(lf.scan_runs(runs), duckdb.table("judged").pl(lazy=True))
    assert expected.equals(lazily)


# --- LensKit and RecBole ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def movielens(shared):
    """A recommender's lists for 400 users, and ratings from 1 to 5."""
    folder = shared / "data" / "movielens_100k"
    name = "itemknn_cos_ratings_k50"
    return folder / "runs" / f"{name}.trec.gz", folder / "qrels.trec", name


def single_floats(table):
    scores = table["score"].cast(pa.float32()).cast(pa.float64())
    return table.set_column(table.column_names.index("score"), "score", scores)


@pytest.mark.conformance
@pytest.mark.parametrize("layout", ["flat", "native"])
def test_lenskits_recommendations(movielens, tmp_path, layout):
    run, _, name = movielens
    expected = single_floats(lf.read_runs(run))
    rows = pl.DataFrame(expected).select("query_id", "doc_id", "score").rows()
    path = write_lenskit(rows, tmp_path / f"{name}.parquet", layout=layout)
    assert_same(lf.read_runs(path), expected)
    assert_same(lf.read_runs(tmp_path), expected)


@pytest.mark.conformance
def test_lenskits_users_without_recommendations(movielens, tmp_path):
    """An empty list is an answer, and only the native layout has it."""
    run, qrels, _ = movielens
    rows = pl.DataFrame(lf.read_runs(run)).select("query_id", "doc_id", "score")
    emptied = rows["query_id"].unique(maintain_order=True).head(3).to_list()
    rest = rows.filter(~pl.col("query_id").is_in(emptied)).rows()
    answered = {}
    for layout in ("native", "flat"):
        path = tmp_path / f"{layout}.parquet"
        write_lenskit(rest, path, layout=layout, without_items=emptied)
        with warnings.catch_warnings(action="ignore"):
            table = lf.coverage(path, qrels, rel=4)
        answered[layout] = table.select("requests", "answered", "missing", "retrieved").row(0)
    assert answered == {"native": (400, 400, 0, len(rest)), "flat": (400, 397, 3, len(rest))}
    table = lf.read_runs(tmp_path / "native.parquet")
    assert table.slice(len(rest))["query_id"].to_pylist() == emptied
    assert table.slice(len(rest))["doc_id"].to_pylist() == [None] * 3
    scores = [ours(tmp_path / f"{layout}.parquet", qrels, ["AP"], rel=4) for layout in answered]
    assert scores[0].equals(scores[1])


@pytest.mark.filterwarnings("ignore:.*positive grades.* have no gain")
@pytest.mark.conformance
def test_recboles_interactions(movielens, tmp_path):
    run, qrels, name = movielens
    expected = lf.read_qrels(qrels)
    rows = pl.DataFrame(expected).select("query_id", "doc_id", "relevance").rows()
    path = write_recbole(rows, tmp_path / "ml-100k.inter")
    assert_same(lf.read_qrels(path), expected)
    ratings = lf.read_runs(path, columns={"score": "rating"})
    assert ratings["run"].unique().to_pylist() == ["ml-100k"]
    assert ratings["score"].to_pylist() == expected["relevance"].to_pylist()
    scores = ours({name: run}, path, ["AP", "nDCG@10"], rel=4)
    assert scores.equals(ours({name: run}, qrels, ["AP", "nDCG@10"], rel=4))


@pytest.mark.conformance
def test_recommendations_evaluated_by_another_library(movielens, tmp_path):
    """LensKit's file and RecBole's here, the same numbers as dictionaries in pytrec_eval."""
    run, qrels, name = movielens
    scored, judged = pl.DataFrame(lf.read_runs(run)), pl.DataFrame(lf.read_qrels(qrels))
    rows = scored.select("query_id", "doc_id", "score").rows()
    lists = write_lenskit(rows, tmp_path / f"{name}.parquet")
    inter = write_recbole(
        judged.select("query_id", "doc_id", "relevance").rows(), tmp_path / "ml.inter"
    )
    liked = judged.with_columns(relevance=(pl.col("relevance") >= 4).cast(pl.Int64))
    dictionaries = {}
    for query, doc, relevance in liked.select("query_id", "doc_id", "relevance").iter_rows():
        dictionaries.setdefault(query, {})[doc] = relevance
    run_of = {}
    for query, doc, score in rows:
        run_of.setdefault(query, {})[doc] = score
    asked = {"map": "AP", "recip_rank": "RR", "P_5": "P@5"}
    theirs = pytrec_eval.RelevanceEvaluator(dictionaries, set(asked)).evaluate(run_of)
    rows = [(q, asked[m], value) for q, of in theirs.items() for m, value in of.items()]
    assert_agree(rows, ours(lists, inter, asked.values(), score_type="float32", rel=4))


# --- Libraries that are not there ---------------------------------------------------------------


def test_a_missing_library_skips_a_test_or_fails_it(monkeypatch):
    monkeypatch.delenv("LEXIFRAME_REQUIRE_LIBRARIES", raising=False)
    with pytest.raises(pytest.skip.Exception, match="could not import 'no_such_library'"):
        library("no_such_library")
    monkeypatch.setenv("LEXIFRAME_REQUIRE_LIBRARIES", "1")
    with pytest.raises(pytest.fail.Exception, match="is set, but no_such_library cannot be impo"):
        library("no_such_library")


def test_rows_that_are_tuples_are_evaluated_as_they_are_read():
    """As values of a dictionary, in a list, and alone."""
    rows = [ir_measures.ScoredDoc("q", "d", 1.0), ir_measures.ScoredDoc("q", "e", 0.5)]
    qrels = [ir_measures.Qrel("q", "e", 1)]
    other = {"q": {"e": 1.0}}
    e = lf.evaluate({"bm25": rows, "other": other}, qrels, "RR")
    assert e.means.select("run", "mean").rows() == [("other", 1.0), ("bm25", 0.5)]
    assert lf.scores(lf.positions(rows, qrels), "RR")["value"].to_list() == [0.5]
