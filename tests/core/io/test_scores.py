"""Per-request scores of other tools, from outputs that these tools really wrote."""

import contextlib
import gzip
import json
import re
import subprocess
import sys
import tempfile
import warnings
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import lexiframe as lf

pytestmark = pytest.mark.slow

KEY = ["run", "query_id", "measure"]
FOLDER = lf.bundled("example")
QRELS = FOLDER / "qrels.txt"
BOTH = ["pixels_euclidean", "random"]
NAMES = ["AP", "nDCG@10", "RR", "P@5"]
TREC = {"map": "AP", "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "P_5": "P@5"}
ROWS = [("bm25", "q1", "AP", 0.5), ("bm25", "q2", "AP", 0.25)]


def run_file(name):
    return FOLDER / "runs" / f"{name}.run"


@pytest.fixture(scope="module")
def ours():
    """lexiframe's own scores of two runs, in single floats as the other tools hold them."""
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(list(map(run_file, BOTH)), QRELS, score_type="float32", no_relevant="zero")
    return lf.scores(p, NAMES)


def assert_same(found, expected, names=None, absolute=1e-12):
    """The same runs, requests, measures (in the tool's words) and values."""
    found = pl.DataFrame(found)  # of pandas, where frames of pandas were read
    renamed = expected.with_columns(pl.col("measure").replace(names or {})).sort(KEY)
    assert found.schema == expected.schema
    assert found.select(KEY).rows() == renamed.select(KEY).rows()
    assert (found["value"] - renamed["value"]).abs().max() <= absolute


# --- PyTerrier ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pyterrier():
    with warnings.catch_warnings(action="ignore"):
        return pytest.importorskip("pyterrier")


@pytest.fixture
def experiment(pyterrier, tmp_path):
    """Make an experiment of PyTerrier with the two runs, with options of its own."""

    def perquery(more=(), **options):
        runs = pl.DataFrame(lf.read_runs(list(map(run_file, BOTH))))
        runs = runs.rename({"query_id": "qid", "doc_id": "docno"})
        qrels = pl.DataFrame(lf.read_qrels(QRELS)).select(
            qid="query_id", docno="doc_id", label=pl.col("relevance").cast(pl.Int64)
        )
        topics = [*qrels["qid"].unique(maintain_order=True), *more]
        topics = pd.DataFrame({"qid": topics, "query": "the text"})
        systems = [
            pyterrier.Transformer.from_df(runs.filter(run=name).drop("run").to_pandas())
            for name in BOTH
        ]
        return pyterrier.Experiment(
            systems, topics, qrels.to_pandas(), list(TREC), BOTH, perquery=True, **options
        )

    return perquery


WORDS = {ours: theirs for theirs, ours in TREC.items()}


@pytest.mark.filterwarnings("ignore:.*outputs could not be inspected")
@pytest.mark.filterwarnings("ignore:.*Transformer")
def test_pyterrier(experiment, ours, tmp_path):
    frame = experiment(save_dir=str(tmp_path))
    assert list(frame.columns) == ["name", "qid", "measure", "value"]
    assert_same(lf.read_scores(frame), ours, WORDS)
    assert_same(lf.read_scores(tmp_path / "perquery.csv"), ours, WORDS)
    frame.to_csv(tmp_path / "with_index.csv")
    assert_same(lf.read_scores(tmp_path / "with_index.csv"), ours, WORDS)
    frame.to_csv(tmp_path / "tabs.tsv.gz", sep="\t", index=False)
    assert_same(lf.read_scores(tmp_path / "tabs.tsv.gz"), ours, WORDS)
    means = re.escape("expected columns for query, measure and value (and for the run: name,")
    with pytest.raises(lf.SchemaError, match=means):
        lf.read_scores(tmp_path / "aggregated.csv")


@pytest.mark.filterwarnings("ignore:.*outputs could not be inspected")
@pytest.mark.filterwarnings("ignore:.*Transformer")
@pytest.mark.filterwarnings("ignore:1 topic")
def test_pyterriers_requests_without_judgments(experiment, ours, tmp_path):
    """PyTerrier gives them NaN, and says that they should not contribute to averages."""
    frame = experiment(more=["unjudged"], filter_by_qrels=False)
    frame.to_csv(tmp_path / "perquery.csv", index=False)
    for source in (frame, tmp_path / "perquery.csv"):
        with pytest.warns(lf.LexiframeWarning, match=r"left out: 1 \('unjudged'\)") as caught:
            assert_same(lf.read_scores(source), ours, WORDS)
        assert [warning.filename for warning in caught] == [__file__]


# --- ir_measures --------------------------------------------------------------------------------


def command(run, *options):
    """What ir_measures' command prints."""
    words = [sys.executable, "-W", "ignore", "-m", "ir_measures", QRELS, run, *NAMES, *options]
    return subprocess.check_output(words)


@pytest.mark.parametrize(
    "options", [["-q"], ["-q", "-n"], ["-q", "-o", "jsonl"], ["-q", "-n", "-o", "jsonl"]]
)
def test_ir_measures_command(options, ours, write):
    for name in BOTH:
        write(command(run_file(name), *options, "-p", "9"), f"{name}.eval")
    found = lf.read_scores([write(b"", "x").with_name(f"{name}.eval") for name in BOTH])
    assert_same(found, ours, absolute=1e-9)


def test_ir_measures_means_are_no_per_request_scores(write):
    message = r"bm25.run, line 1: expected measure, query and value, .* ask for these with -q"
    with pytest.raises(lf.ReadError, match=message):
        lf.read_scores(write(command(run_file("random"))))
    with pytest.raises(lf.SchemaError, match="expected columns for query, measure and value"):
        lf.read_scores(write(command(run_file("random"), "-o", "jsonl")))


def results(name):
    with warnings.catch_warnings(action="ignore"):
        measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.RR, ir_measures.P @ 5]
        qrels = list(ir_measures.read_trec_qrels(str(QRELS)))
        return ir_measures.iter_calc(
            measures, qrels, list(ir_measures.read_trec_run(str(run_file(name))))
        )


def test_ir_measures_results(ours):
    assert_same(lf.read_scores({name: results(name) for name in BOTH}), ours)
    of_random = ours.filter(run="random")
    assert_same(lf.read_scores(results("random"), run="random"), of_random)
    assert_same(lf.read_scores(list(results("random")), run="random"), of_random)
    frame = pd.DataFrame(results("random"))  # whose measures are objects
    assert_same(lf.read_scores({"random": frame}), of_random)
    assert lf.read_scores(islice(results("random"), 1), run="x").height == 1
    with pytest.raises(lf.LexiframeError, match="the rows do not say whose scores they are; pass "):
        lf.read_scores(results("random"))


# --- trec_eval and pytrec_eval ------------------------------------------------------------------


def as_trec_eval(scores, tag=None):
    """The lines of `trec_eval -q`: requests, then means, of which the run's tag is the first."""
    lines = [f"{m:<22}\t{q}\t{v:.4f}" for _, q, m, v in scores.select(*KEY, "value").iter_rows()]
    means = scores.group_by("measure", maintain_order=True).agg(pl.mean("value"))
    tags = [f"{'runid':<22}\tall\t{tag}"] if tag else []
    return "\n".join([*lines, *tags, *(f"{m:<22}\tall\t{v:.4f}" for m, v in means.rows()), ""])


@pytest.mark.conformance
def test_trec_eval(shared, write):
    theirs = pl.read_parquet(shared / "conformance" / "trec_web_2012" / "trec_eval.parquet")
    by_run = theirs.partition_by("run", as_dict=True, include_key=True)
    paths = [
        write(gzip.compress(as_trec_eval(rows, "tag").encode()), f"{name}.trec.eval.gz")
        for (name,), rows in by_run.items()
    ]
    printed = 0.5001e-4  # trec_eval prints four digits
    assert_same(lf.read_scores(paths[0].parent), theirs, absolute=printed)
    several = write("".join(as_trec_eval(rows, name) for (name,), rows in by_run.items()), "a.eval")
    assert_same(lf.read_scores(several), theirs, absolute=printed)
    spaces = write(re.sub(r"[ \t]+", " ", several.read_text()), "b.eval")
    assert_same(lf.read_scores(spaces), theirs, absolute=printed)


@pytest.mark.conformance
def test_ndeval(shared, write):
    """CSV with a column a measure, and the mean as a row amean."""
    theirs = pl.read_parquet(shared / "conformance" / "trec_web_2012" / "ndeval.parquet")
    wide = theirs.pivot("measure", index=["run", "query_id"], values="value")
    wide = wide.rename({"run": "runid", "query_id": "topic"})
    means = wide.group_by("runid", maintain_order=True).agg(
        pl.lit("amean").alias("topic"), pl.exclude("topic").mean()
    )
    path = write(pl.concat([wide, means]).write_csv(), "ndeval.csv")
    assert_same(lf.read_scores(path), theirs)


@pytest.mark.parametrize("order", ["trec_eval", "ir_measures"])
def test_lines_without_a_summary(order, write):
    """Which column holds the measures is seen by their names, or else by trec_eval's padding."""
    for names in (["map", "P_5"], ["AP(rel=2)", "alpha_nDCG@5"], ["iprec_at_recall_0.10", "mine"]):
        rows = [(query, name) for query in ("q1", "map2") for name in names]
        if order == "trec_eval":
            text = "".join(f"{name}\t{query}\t0.5\n" for query, name in rows)
        else:
            text = "".join(f"{query}\t{name}\t0.5\n" for query, name in rows)
        expected = sorted(("bm25", query, name, 0.5) for query, name in rows)
        assert lf.read_scores(write(text)).rows() == expected
    for text in ("mine q1 0.5\nmine all 0.5\n", "q1 mine 0.5\nall mine 0.5\n"):
        assert lf.read_scores(write(text)).rows() == [("bm25", "q1", "mine", 0.5)]
    padded = write("mine     \tq1\t0.5\nyours    \tq1\t1\n")
    assert lf.read_scores(padded)["measure"].to_list() == ["mine", "yours"]
    with pytest.raises(
        lf.ReadError, match=r"cannot tell whether the measure or the query comes .*"
    ):
        lf.read_scores(write("mine q1 0.5\n"))


def test_values_of_trec_eval_that_are_texts(write):
    path = write("map \tq1\t0.5\nrelstring_10 \tq1\t'110'\nrunid \tall\tA\nmap \tall\t0.5\n")
    assert lf.read_scores(path).rows() == [("bm25", "q1", "map", 0.5)]


def test_pytrec_eval(ours, write):
    runs, qrels = map(lf.to_pytrec_eval, (lf.read_runs(FOLDER / "runs"), lf.read_qrels(QRELS)))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC))
    theirs = {name: evaluator.evaluate(runs[name]) for name in BOTH}
    assert_same(lf.read_scores(theirs), ours, WORDS)
    paths = [write(json.dumps(theirs[name]), f"{name}.json") for name in BOTH]
    assert_same(lf.read_scores(paths), ours, WORDS)


def test_scores_of_ranx_runs(write):
    """ranx.evaluate leaves them in Run.scores, the measures outside."""
    scores = {"map": {"q1": 0.5, "q2": 0.25}, "hit_rate@10": {"q1": 1.0, "q2": 0.0}}
    expected = [("bm25", q, m, scores[m][q]) for q in ("q1", "q2") for m in ("hit_rate@10", "map")]
    assert lf.read_scores({"bm25": scores}).rows() == expected
    assert lf.read_scores(write(json.dumps(scores), "bm25.json")).rows() == expected


def test_measures_that_are_objects():
    values = {"q1": {ir_measures.AP: 0.5, ir_measures.nDCG @ 10: 0.25}}
    expected = [("a", "q1", "AP", 0.5), ("a", "q1", "nDCG@10", 0.25)]
    assert lf.read_scores({"a": values}).rows() == expected


# --- Matrices -----------------------------------------------------------------------------------


@pytest.mark.conformance
@pytest.mark.parametrize("name", ["adhoc5_ap", "adhoc7_ap", "adhoc7_rr", "web2010_ndcg20"])
def test_matrices_of_tracks(shared, name):
    """50 requests and up to 103 runs; the paired tests on them are SciPy's."""
    path = shared / "data" / "trec_score_matrices" / f"{name}.csv"
    matrix = pd.read_csv(path)
    s = lf.read_scores(path, measure="AP")
    assert s.height == matrix.size
    wide = s.pivot("run", index="query_id", values="value")
    wide = wide.sort(pl.col("query_id").cast(pl.Int64))
    assert wide["query_id"].to_list() == [str(n + 1) for n in range(len(matrix))]
    assert wide.select(matrix.columns).equals(pl.DataFrame(matrix).cast(pl.Float64))
    c = lf.compare(s, "t", "none")
    for a, b in [("run1", "run2"), ("run10", "run7"), ("run3", "run60")]:
        theirs = stats.ttest_rel(matrix[a], matrix[b])
        row = c.row(by_predicate=(pl.col("run_a") == a) & (pl.col("run_b") == b), named=True)
        assert row["statistic"] == pytest.approx(theirs.statistic, rel=1e-9)
        assert row["p_value"] == pytest.approx(theirs.pvalue, rel=1e-9)
        assert row["n"] == len(matrix)
    for frame in (matrix, pl.DataFrame(matrix), pl.DataFrame(matrix).to_arrow()):
        assert lf.read_scores(frame, measure="AP").equals(s)


MATRIX = pl.DataFrame({"topic": ["007", "x y"], "bm25": [0.5, 0.25], "dph": [1, 0]})
CELLS = [
    ("bm25", "007", "AP", 0.5),
    ("bm25", "x y", "AP", 0.25),
    ("dph", "007", "AP", 1.0),
    ("dph", "x y", "AP", 0.0),
]


def test_matrices_with_ids(write):
    pandas = MATRIX.to_pandas()
    sources = [
        MATRIX,
        MATRIX.lazy(),
        pandas,
        pandas.set_index("topic"),
        pandas.set_index("topic").rename_axis(None),
        write(MATRIX.write_csv(), "matrix.csv"),
        write(MATRIX.write_csv(separator=";"), "matrix.txt"),
        write("\n\n" + MATRIX.write_csv(separator="\t", line_terminator="\r\n"), "matrix.tsv"),
        write(pandas.set_index("topic").rename_axis(None).to_csv(), "indexed.csv"),
    ]
    for source in sources:
        assert lf.read_scores(source, measure="AP").rows() == CELLS
    assert (
        lf.read_scores(MATRIX.drop("topic"), measure="AP")["query_id"].to_list() == ["1", "2"] * 2
    )
    spaced = write("run 1, run 2, run 3\n0.5, 0.25, 1\n")
    assert lf.read_scores(spaced, measure="AP")["value"].to_list() == [0.5, 0.25, 1]
    integers = MATRIX.with_columns(topic=pl.Series([7, 8]))
    assert lf.read_scores(integers, measure="AP")["query_id"].to_list() == ["7", "8"] * 2


def test_ids_in_an_index_that_is_called_otherwise():
    pandas = MATRIX.to_pandas().set_index("topic")
    assert lf.read_scores(pandas.rename_axis("request"), measure="AP").rows() == CELLS
    placed = MATRIX.to_pandas().rename_axis("place")
    assert lf.read_scores(placed, measure="AP").rows() == CELLS
    several = MATRIX.to_pandas().assign(n=[1, 2]).set_index(["topic", "n"])
    assert lf.read_scores(several, measure="AP").rows() == CELLS
    assert lf.read_scores(pandas["bm25"], measure="AP").rows() == CELLS[:2]


@pytest.mark.parametrize("name", ["topic_no", "query number", "id"])
def test_ids_that_are_no_scores(name, write):
    """They were read as the scores of one more run."""
    matrix = MATRIX.rename({"topic": name}).with_columns(pl.Series(name, [301, 302]))
    message = f"found whole numbers, none of them twice, as {name}; if these are ids of queries, "
    for source in (matrix, write(matrix.write_csv(), "matrix.csv")):
        with pytest.raises(lf.SchemaError, match=message + "call the column query_id"):
            lf.read_scores(source, measure="AP")
    texts = MATRIX.rename({"topic": name}).with_columns(pl.Series(name, ["301", "x"]))
    with pytest.raises(lf.ReadError, match=f"row 2: expected a finite number as {name}, found 'x'"):
        lf.read_scores(texts, measure="AP")
    known = MATRIX.rename({"topic": "Topic"}).with_columns(Topic=pl.Series([301, 302]))
    assert lf.read_scores(known, measure="AP")["query_id"].unique().sort().to_list() == [
        "301",
        "302",
    ]
    counts = pl.DataFrame({"query_id": ["1", "2"], "user_knn": [3, 5]})
    assert lf.read_scores(counts, measure="num_rel_ret")["run"].unique().to_list() == ["user_knn"]


@pytest.mark.parametrize("values", [[date(2020, 1, 1), date(2020, 1, 2)], [[1], [2]], [b"1", b"2"]])
def test_a_column_called_like_ids_that_are_neither_ids_nor_scores(values):
    matrix = MATRIX.drop("topic").with_columns(topic_no=pl.Series(values))
    with pytest.raises(lf.SchemaError, match="scores: expected scores in the column topic_no, fou"):
        lf.read_scores(matrix, measure="AP")


@pytest.mark.parametrize("ids", [[timedelta(1), timedelta(2)], [[1], [2]], [True, False]])
def test_ids_of_queries_that_are_none(ids):
    matrix = MATRIX.with_columns(topic=pl.Series(ids))
    with pytest.raises(lf.SchemaError, match="scores: expected strings in query_id, found"):
        lf.read_scores(matrix, measure="AP")


def test_records_of_documents(write):
    path = write('{"doc_id": null}\n', "a.jsonl")
    with pytest.raises(lf.SchemaError, match=r"scores of whole rankings, found .* \(doc_id\)"):
        lf.read_scores(path)


INDEXED = pd.DataFrame({"qid": ["007", "x y"], "bm25": [0.5, 0.25], "dph": [1.0, 0.0]})
NOTE = r"number the rows or repeat the requests, as the index .* left out: [0-9] \('{}'"


def indexed(write, tmp_path):
    """Matrices in which pandas saved its index as a column, and the name of that column."""
    plain = write(INDEXED.to_csv(), "plain.csv")
    again = write(pd.read_csv(plain).to_csv(index=False), "again.csv")
    INDEXED.to_parquet(tmp_path / "sorted.parquet", index=True)
    renamed = INDEXED.rename(columns={"qid": "topic"}).rename_axis(None)
    numbered = pd.concat([INDEXED, INDEXED.assign(qid="z")], ignore_index=True)[:3]
    joined = pd.concat([numbered, numbered.assign(qid=["a", "b", "c"])])
    return {
        "reset_index": (INDEXED.reset_index(), "index"),
        "twice": (renamed.reset_index().reset_index(), "level_0"),
        "filtered": (pd.concat([INDEXED, INDEXED])[1:3].reset_index(), "index"),
        "joined": (joined.reset_index(), "index"),
        "copied": (INDEXED.assign(index=INDEXED.qid), "index"),
        "csv": (plain, ""),
        "csv again": (again, "Unnamed: 0"),
        "parquet": (tmp_path / "sorted.parquet", "__index_level_0__"),
    }


@pytest.mark.parametrize(
    "case", [*"reset_index twice filtered joined copied csv parquet".split(), "csv again"]
)
def test_the_index_of_pandas_is_no_run(case, write, tmp_path):
    """It was compared as the best of the runs."""
    source, column = indexed(write, tmp_path)[case]
    with pytest.warns(lf.LexiframeWarning, match=NOTE.format(column)):
        s = lf.read_scores(source, measure="AP")
    assert s["run"].unique().sort().to_list() == ["bm25", "dph"]
    if case not in ("filtered", "joined"):
        assert s.rows() == CELLS
    with pytest.warns(lf.LexiframeWarning, match=NOTE.format(column)):
        e = lf.evaluate_scores(source, "AP")
    assert e.scores.equals(s)


def test_the_index_of_pandas_has_the_ids_when_no_column_has(write, tmp_path):
    ids = INDEXED.set_index("qid").rename_axis(None)
    ids.to_parquet(tmp_path / "ids.parquet")
    sources = [
        ids.reset_index(),
        write(pd.read_csv(write(ids.to_csv())).to_csv(index=False), "again.csv"),
        tmp_path / "ids.parquet",
    ]
    for source in sources:
        assert lf.read_scores(source, measure="AP").rows() == CELLS
    numbered = INDEXED.drop(columns="qid").reset_index()
    assert lf.read_scores(numbered, measure="AP")["query_id"].to_list() == ["0", "1"] * 2
    means = pd.DataFrame({"run": ["a", "b"], "AP": [0.5, 0.25]}).reset_index()
    with pytest.raises(lf.SchemaError, match="expected columns for query, measure and value"):
        lf.read_scores(means)


def test_a_column_index_that_may_be_a_run():
    run = INDEXED.assign(index=[0.75, 0.5])
    assert lf.read_scores(run, measure="AP")["run"].unique().sort().to_list() == [
        "bm25",
        "dph",
        "index",
    ]
    three = pd.concat([INDEXED, INDEXED.assign(qid=["a", "b"])]).assign(index=[0, 1, 0, 0])
    message = "the column index holds whole numbers, so it may be the index of pandas or the scores"
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_scores(three, measure="Success@1")
    long = pd.DataFrame({"name": "a", "qid": ["1"], "measure": "AP", "value": [0.5]})
    assert lf.read_scores(long.reset_index()).rows() == [("a", "1", "AP", 0.5)]


def test_a_dictionary_of_columns_is_a_table():
    columns = {name: INDEXED[name].to_list() for name in INDEXED}
    arrays = {name: INDEXED[name].to_numpy() for name in INDEXED}
    for table in (columns, arrays):
        assert lf.read_scores(table, measure="AP").rows() == CELLS
    assert lf.evaluate_scores(columns, "AP").scores.rows() == CELLS
    numbered = lf.read_scores({"bm25": [0.5, 0.25], "dph": (1, 0)}, measure="AP")
    assert numbered["query_id"].to_list() == ["1", "2"] * 2
    long = {"name": ["a"], "qid": ["1"], "measure": ["AP"], "value": [0.5]}
    assert lf.read_scores(long).rows() == [("a", "1", "AP", 0.5)]


@pytest.mark.parametrize(
    "scores, message",
    [
        (
            np.ones((2, 3)),
            r"found an array of the shape \(2, 3\), which does not name its runs; giv",
        ),
        (
            [[0.5, 0.25], [1, 0]],
            r"{run: file or frame}, found \[\[0.5, 0.25\], \[1, 0\]\], which d",
        ),
        ([0.5, 0.25], r"expected a file, a frame, a dictionary of columns .*, found \[0.5, 0.25\]"),
        (
            {"bm25": np.ones((2, 3))},
            r"found an array of the shape \(2, 3\) as 'bm25'; a column is a list of numbers",
        ),
        ({"bm25": 0.5}, "expected a file, a frame.*, found 0.5 as 'bm25'; a column is a list"),
        ({"bm25": [0.5, 1], "dph": [1]}, "of one length, found 1 values as 'dph' and 2 as 'bm25'"),
        (
            {"bm25": [0.5, "x"]},
            r"expected only numbers, or only texts, as bm25, found \[0.5, 'x'\]",
        ),
    ],
    ids=["array", "lists", "list", "arrays", "numbers", "lengths", "types"],
)
def test_arrays_and_lists_that_are_no_table(scores, message):
    for read in (lf.read_scores, lf.evaluate_scores):
        with pytest.raises((TypeError, lf.SchemaError), match=message):
            read(scores)


def test_a_matrix_of_measures():
    measures = MATRIX.rename({"bm25": "AP", "dph": "value of mine"})
    expected = [
        (q, m, v) for (_, q, _, v), m in zip(CELLS, ["AP"] * 2 + ["value of mine"] * 2, strict=True)
    ]
    expected = sorted(("bm25", *row) for row in expected)
    assert lf.read_scores(measures, run="bm25").rows() == expected
    assert lf.read_scores({"bm25": measures}).rows() == expected
    named = measures.with_columns(system=pl.lit("bm25"))
    assert lf.read_scores(named).rows() == expected
    message = r"the columns bm25, dph; if these are runs, say what was measured \(measure='AP'; "
    with pytest.raises(lf.LexiframeError, match=message):
        lf.read_scores(MATRIX)
    with pytest.raises(
        lf.LexiframeError, match=r"to be called 'x', found 2 .*; they have names, so leave"
    ):
        lf.read_scores(MATRIX, measure="AP", run="x")


def test_a_file_of_measures_is_named_like_its_run(write):
    """As trec_eval's output is; but only if all of its columns are measures."""
    measures = MATRIX.rename({"bm25": "AP", "dph": "nDCG@10"})
    found = lf.read_scores(write(measures.write_csv(), "bm25.scores.csv"))
    assert found.rows() == lf.read_scores(measures, run="bm25").rows()
    mixed = MATRIX.rename({"dph": "nDCG@10"})
    with pytest.raises(lf.LexiframeError, match=r"the columns bm25, nDCG@10; if these are runs"):
        lf.read_scores(write(mixed.write_csv(), "x.csv"))


def test_a_run_has_no_scores_per_request():
    """Its first line looks like a header; the name of a measure changes nothing."""
    message = (
        r"random.run: expected scores per request, found a run, .*; compare runs with evaluate\("
    )
    for options in ({}, {"measure": "AP"}):
        with pytest.raises(lf.ReadError, match=message):
            lf.read_scores(run_file("random"), **options)


@pytest.mark.parametrize(
    "name, run",
    [
        ("bm25.treceval", "bm25"),
        ("bm25.k1.2.run.EVAL.gz", "bm25.k1.2"),
        ("input.bm25.scores.txt", "bm25"),
        ("bm25.eval.scores", "bm25"),
        (".eval", ".eval"),
        ("bm25.evaluated", "bm25.evaluated"),
    ],
)
def test_endings_of_files_of_scores(write, name, run):
    text = "map   \tq1\t0.5\nmap   \tall\t0.5\n"
    path = write(gzip.compress(text.encode()) if name.endswith("gz") else text, name)
    for source in (path, [path], f"{path.parent}/{name[:5]}*"):
        assert lf.read_scores(source)["run"].to_list() == [run]
    assert lf.read_scores({"x.eval": path})["run"].to_list() == ["x.eval"]


# --- Names of runs, or of measures, as keys ------------------------------------------------------


def test_keys_that_are_names_of_measures_are_asked_about(write):
    other = MATRIX.with_columns(bm25=pl.lit(0.5))
    by_measure = {"AP": MATRIX, "nDCG@10": write(other.write_csv(), "x.csv")}
    message = (
        r"expected names of runs, found names of measures: 2 \('AP', 'nDCG@10'\); say "
        "keys='measure' if each .* or keys='run' if"
    )
    with pytest.raises(lf.LexiframeError, match=message):
        lf.read_scores(by_measure)
    with pytest.raises(lf.LexiframeError, match=r"names of measures: 1 \('P_5'\)"):
        lf.read_scores({"bm25": MATRIX, "P_5": MATRIX})
    found = lf.read_scores(by_measure, keys="measure")
    each = [lf.read_scores(MATRIX, measure="AP"), lf.read_scores(other, measure="nDCG@10")]
    assert found.equals(pl.concat(each).sort(KEY))
    assert set(lf.read_scores(by_measure, keys="run")["run"]) == {"AP", "nDCG@10"}


def test_the_file_behind_a_measure_names_the_run(write):
    """Of trec_eval's output, which does not; and the key is the measure's name."""
    path = write("map   \tq1\t0.5\nmap   \tall\t0.5\n", "bm25.run.treceval")
    found = lf.read_scores({"AP": path}, keys="measure")
    assert found.rows() == [("bm25", "q1", "AP", 0.5)]
    frame = pl.DataFrame({"qid": ["q1"], "measure": ["map"], "value": [0.5]})
    with pytest.raises(lf.LexiframeError, match="rows do not say whose scores they are"):
        lf.read_scores({"AP": frame}, keys="measure")


def test_keys_that_make_no_sense():
    with pytest.raises(lf.LexiframeError, match="expected keys to be one of 'run', 'measure'"):
        lf.read_scores({"a": MATRIX}, keys="system")
    with pytest.raises(lf.LexiframeError, match=r"keys='run' says what the names in \{name: file"):
        lf.read_scores(MATRIX, keys="run")
    with pytest.raises(lf.LexiframeError, match="keys='measure' and measure='AP' both name the m"):
        lf.read_scores({"RR": MATRIX}, keys="measure", measure="AP")


# --- Other tables -------------------------------------------------------------------------------


def test_tables_of_lexiframe(ours, write, tmp_path):
    ours.write_parquet(tmp_path / "scores.parquet")
    ours.write_ipc(tmp_path / "scores.arrow")
    paths = [
        tmp_path / "scores.parquet",
        tmp_path / "scores.arrow",
        write(ours.write_csv(), "scores.csv"),
        write(ours.write_ndjson(), "scores.jsonl"),
        write(ours.sample(fraction=1, shuffle=True, seed=1).write_csv(), "shuffled.csv"),
    ]
    for source in [*paths, ours, ours.to_pandas(), ours.lazy(), [ours]]:
        assert lf.read_scores(source).equals(ours)
    halves = [ours.filter(run=name) for name in reversed(BOTH)]
    assert lf.read_scores(halves).equals(ours)
    for half, folder in zip(halves, "ab", strict=True):  # of one name, which name no runs
        write(half.write_csv(), f"{folder}/perquery.csv")
    assert lf.read_scores(tmp_path / "*" / "perquery.csv").equals(ours)
    assert lf.read_scores([tmp_path / "a/perquery.csv", halves[1]]).equals(ours)


OF_RUN, OF_QUERY = "run name system tag model runid", "query_id qid q_id query query-id topic user"


@pytest.mark.parametrize("run, query, measure, value", [
    *((run, "qid", "measure", "value") for run in OF_RUN.split()),
    *(("run", query, "metric", "score") for query in [*OF_QUERY.split(), "user_id"]),
])  # fmt: skip
def test_dialects(run, query, measure, value, write):
    frame = pl.DataFrame(ROWS, schema=[run, query, measure, value], orient="row")
    assert lf.read_scores(frame).rows() == ROWS
    assert lf.read_scores(write(frame.write_csv())).rows() == ROWS
    assert lf.read_scores(write(frame.write_csv(separator=" "))).rows() == ROWS


def test_names_that_are_given(write):
    text = "qid,measure,value\n007,AP, 0.5 \n"
    assert lf.read_scores(write(text, "dph.csv")).rows() == [("dph", "007", "AP", 0.5)]
    assert lf.read_scores(write(text), run="x").rows() == [("x", "007", "AP", 0.5)]
    assert lf.read_scores({"x": write(text)}).rows() == [("x", "007", "AP", 0.5)]
    assert lf.read_scores(write(text), measure="map").rows() == [("bm25", "007", "map", 0.5)]
    bare = pl.DataFrame({"name": ["a"], "query": ["the text"], "qid": ["1"], "value": [1]})
    assert lf.read_scores(bare, measure="AP").rows() == [("a", "1", "AP", 1.0)]
    several = "qid,measure,value\n1,AP,0.5\n1,RR,0.5\n"
    with pytest.raises(
        lf.LexiframeError, match=r"expected one measure, to be called 'map', found 2"
    ):
        lf.read_scores(write(several), measure="map")
    with pytest.raises(
        lf.LexiframeError, match="run='x' names the run of one file or frame, found "
    ):
        lf.read_scores([write(text), write(text, "b.csv")], run="x")


# --- What cannot be read ------------------------------------------------------------------------

BAD = {
    "no number": (
        "name,qid,measure,value\na,1,AP,0.5\na,2,AP,much\n",
        "bm25.run, line 3: expected a finite number as value, found 'much'",
    ),
    "infinite": (
        "map q1 inf\nmap q2 1\n",
        "line 1: expected a finite number as value, found 'inf'",
    ),
    "NaN": (
        "name,qid,measure,value\na,1,AP,nan\na,1,RR,0.5\na,2,AP,1\n",
        "bm25.run, line 2: expected a value of 'AP' for run 'a' and query '1', found none (1 such",
    ),
    "no value": (
        "name,qid,measure,value\na,1,AP\n\na,1,RR,0.5\n",
        "bm25.run, line 2: expected 4 fields as in the header, found 3: 'a,1,AP'",
    ),
    "NaN in JSON": (
        '{"qid": 1, "measure": "AP", "value": NaN}\n{"qid": 1, "measure": "RR", "value": 1}\n',
        "bm25.run, record 1: expected a value of 'AP' for run 'bm25' and query '1'",
    ),
    "no number behind other line ends": (
        "\r\n\r\nname,qid,measure,value\r\na,1,AP,0.5\r\na,2,AP,much\r\n",
        "bm25.run, line 5: expected a finite number as value, found 'much'",
    ),
    "no number in a line": (
        "map   \tq1\t0.5\nmap   \tq2\tx\n",
        "bm25.run, line 2: expected a finite number as value, found 'x'",
    ),
    "two values": (
        "name,qid,measure,value\na,1,AP,0.5\n\na,1,AP,0.5\n",
        "bm25.run, line 2 and ",
    ),
    "two values, where": (
        "map q1 0.5\nmap q2 1\nmap q1 0.25\n",
        "line 3: run 'bm25', query 'q1' and measure 'map' have more than one value (2 such rows in",
    ),
    "too many columns": (
        "name,qid,measure,value\na,1,AP,0.5,x\n",
        "bm25.run, line 2: expected 4 fields as in the header, found 5: 'a,1,AP,0.5,x'",
    ),
    "no table": (
        'a,b\n"x,2\n',
        "bm25.run, line 2: expected a closing quote at the end of each quoted field, found",
    ),
    "two columns of one name": (
        "qid,a,b,a\n1,1,1,1\n",
        "line 1: expected columns of different names, found two that are named 'a'; rename one",
    ),
    "no id": (
        "name,qid,measure,value\na,,AP,0.5\n",
        "bm25.run, line 2: expected a name as query_id, found none",
    ),
    "a blank id": (
        "a\tb\tmeasure\tvalue\n".replace("a\tb", "run\tqid") + "a\t \tAP\t1\n",
        ("bm25.run, line 2: expected a name as query_id, found none"),
    ),
    "other columns": (
        "name,date,measure,value\na,1,AP,0.5\n",
        "bm25.run: expected columns for query, measure and value (and for the run: name, qid, mea",
    ),
    "a measure without values": (
        "qid,measure,AP\n1,AP,0.5\n",
        "a matrix of requests (rows) and runs (columns); found the columns qid, measure, AP",
    ),
    "two candidates": (
        "name,model,qid,measure,value\na,b,1,AP,0.5\n",
        "bm25.run: the columns name and model could each be the run; drop or rename the others",
    ),
    "two values to choose from": ("qid,measure,value,score\n1,AP,1,2\n", "could each be the value"),
    "a run": (
        "qid,docno,score\n1,d1,0.5\n",
        "expected scores of whole rankings, found a column of documents (docno); read a run with",
    ),
    "judgments by run": (
        "run,docno,relevance\na,d1,1\n",
        "expected scores of whole rankings, found a column of documents (docno); read a run with",
    ),
    "a run in TREC's format": (
        "q1 Q0 d1 1 0.5\n",
        "bm25.run, line 1: expected measure, query and value, as trec_eval -q and ir_measures -q",
    ),
    "means": (
        "runid \tall\ta\nmap \tall\t0.5\n",
        "found only means over all of them, or nothing; ",
    ),
    "only a header": (
        "name,qid,measure,value\n",
        "found only means over all of them, or nothing; ",
    ),
    "no runid behind": (
        "map 1 1\nrunid all a\nmap 1 1\nrunid all b\nmap 1 1\n",
        "line 5: the file holds several runs, and no line runid follows that names this one",
    ),
    "no UTF-8": (
        b"map q1 0.5\nmap q\xff 1\n",
        r"line 2: expected UTF-8 text, found the bytes b'\xff 1'; save it as UTF-8",
    ),
    "empty": ("", "the file is empty"),
}


@pytest.mark.filterwarnings("ignore:measures that have no value for any request")
@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read(case, write):
    data, message = BAD[case]
    with pytest.raises(lf.LexiframeError, match=re.escape(message)):
        lf.read_scores(write(data))


def test_two_values_in_two_files(write):
    text = "name,qid,measure,value\na,1,AP,0.5\n"
    message = (
        r"a/x.csv, line 2 and .*b/x.csv, line 2: run 'a', query '1' and measure 'AP' have more"
    )
    with pytest.raises(lf.SchemaError, match=message):
        lf.read_scores([write(text, "a/x.csv"), write(text, "b/x.csv")])


def test_frames_that_cannot_be_read():
    dated = pl.DataFrame({"run": "a", "qid": "1", "measure": "AP", "value": [date(2026, 1, 1)]})
    with pytest.raises(lf.SchemaError, match="expected scores in the column value, found Date"):
        lf.read_scores(dated)
    true = lf.read_scores(dated.with_columns(value=pl.lit(value=True)))
    assert true["value"].to_list() == [1]
    with pytest.raises(
        lf.ReadError, match="scores, row 2: expected a finite number as dph, found i"
    ):
        lf.read_scores(MATRIX.with_columns(dph=pl.Series([1.0, float("inf")])), measure="AP")
    with pytest.raises(
        lf.ReadError, match="scores, row 1: expected a value of 'AP' for run 'dph' a"
    ):
        lf.read_scores(MATRIX.with_columns(dph=pl.Series([float("nan"), 1])), measure="AP")
    with pytest.raises(lf.SchemaError, match="expected strings in query_id, found Float64"):
        lf.read_scores(MATRIX.with_columns(topic=pl.Series([1.5, 2.0])), measure="AP")
    with pytest.raises(TypeError, match="expected a frame that exports Arrow"):
        lf.read_scores(5)
    with pytest.raises(lf.ReadError, match="the pattern matches no file"):
        lf.read_scores("no/such/*.csv")


def test_a_request_without_any_value_is_left_out(write):
    path = write("qid,a,b\n1,0.5,nan\n2,,NA\n3,1,0\n")
    with (
        pytest.raises(lf.ReadError, match="line 2: expected a value of 'AP' for run 'b' and query"),
        pytest.warns(lf.LexiframeWarning, match=r"run and measure, left out: 1 \('2'\)"),
    ):
        lf.read_scores(path, measure="AP")
    with pytest.raises(lf.ReadError, match="found none for any request"):
        lf.read_scores(write("qid,a,b\n2,,NA\n"), measure="AP")
    path = write("qid,a,b\n1,0.5,0\n2,,NA\n")
    with pytest.warns(lf.LexiframeWarning, match=r"run and measure, left out: 1 \('2'\)"):
        assert lf.read_scores(path, measure="AP")["query_id"].to_list() == ["1", "1"]


def test_runs_that_lack_requests_are_said():
    """trec_eval and pytrec_eval leave out what a run did not answer: the mean hides it."""
    judged = {q: {"d": 1} for q in ("q1", "q2", "q3")}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank"})
    found = {"all": evaluator.evaluate({q: {"d": 1.0} for q in judged})}
    found["some"] = evaluator.evaluate({"q1": {"d": 1.0}})
    message = r"other runs have them: 1 \('some'\), 4 values in all; means are over the values"
    with pytest.warns(lf.LexiframeWarning, match=message):
        assert lf.read_scores(found).height == 8
    other = {"all": found["all"], "of AP alone": {q: {"map": 1.0} for q in judged}}
    assert lf.read_scores(other).height == 9


WORD = 'qid name measure value map q1 all 0.5 nan 1e999 é runid " { } [ ] : - , ; \\'.split()
PIECES = st.sampled_from([*WORD, "\t", " ", "\n", "\r\n", "\0"])


@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from([None, "AP"]))
def test_whatever_the_text_is(text, measure):
    """A table of scores, or an error of ours."""
    with tempfile.NamedTemporaryFile() as file, warnings.catch_warnings(action="ignore"):
        Path(file.name).write_bytes(text.encode())
        with contextlib.suppress(lf.LexiframeError):
            found = lf.read_scores(file.name, measure=measure).columns
            of_collections = ["run", "collection", *(["measure"] if measure else []), "value"]
            assert found in ([*KEY, "value"], of_collections)  # a row for each run: a leaderboard


@pytest.mark.parametrize("names", ["qidqid,name", "model,task,score"])
def test_a_leaderboard_without_rows(tmp_path, names):
    (tmp_path / "board.csv").write_text(names + "\n")
    with pytest.raises(lf.ReadError, match=r"board.csv: expected rows of scores, found only names"):
        lf.read_scores(tmp_path / "board.csv")


LONG = [
    ("a", "q1", "AP", 0.5),
    ("a", "q2", "AP", 0.25),
    ("b", "q1", "AP", 0.125),
    ("b", "q2", "AP", 1.0),
]


def test_json_lines_with_the_names_of_run_and_topic_ids(tmp_path):
    names = ("run_id", "topic_id", "measure", "value")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in LONG]
    (tmp_path / "scores.jsonl").write_text("\n".join(lines))
    assert lf.read_scores(tmp_path / "scores.jsonl").rows() == LONG


@pytest.mark.parametrize("between", ["\t", " ", "  "])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 2, 1)])
def test_text_with_four_columns(tmp_path, between, order):
    """The measure is known by its name; the run stands before the query."""
    lines = [between.join([*(row[n] for n in order), str(row[3])]) for row in LONG]
    (tmp_path / "scores.txt").write_text("\n".join(lines) + "\n\n")
    assert lf.read_scores(tmp_path / "scores.txt").rows() == LONG


def test_of_two_columns_the_one_of_numbers_is_the_query(tmp_path):
    (tmp_path / "scores.txt").write_text(
        "301 bm25 map 0.5\n302 bm25 map 0.25\nall bm25 map 0.375\n"
    )
    rows = lf.read_scores(tmp_path / "scores.txt").rows()
    assert rows == [("bm25", "301", "map", 0.5), ("bm25", "302", "map", 0.25)]


def test_four_columns_of_which_none_is_a_measure(tmp_path):
    (tmp_path / "scores.txt").write_text("a q1 mine 0.5\nb q1 mine 0.25\n")
    with pytest.raises(lf.ReadError, match="which of four columns is the measure; give the file"):
        lf.read_scores(tmp_path / "scores.txt")
    (tmp_path / "scores.txt").write_text("a q1 AP 0.5\nb q1 AP\n")
    with pytest.raises(lf.ReadError, match=r"scores.txt, line 2: expected run, query, measure and"):
        lf.read_scores(tmp_path / "scores.txt")


def test_a_row_of_json_without_values(tmp_path):
    (tmp_path / "scores.jsonl").write_text('{"query_id": null, "doc_id": null}\n')
    with pytest.raises(lf.SchemaError, match="expected columns for query, measure and value"):
        lf.read_scores(tmp_path / "scores.jsonl")


def test_names_of_columns_that_are_said(tmp_path):
    """One file with engine and task, and another whose measure is its name."""
    path = tmp_path / "nDCG@10.csv"
    path.write_text("model,kind,number,score\nbm25,t1,1,0.5\nbm25,t1,2,0.25\n")
    assert lf.read_scores(path, columns={"query_id": "number"}).rows() == [
        ("bm25", "1", "nDCG@10", 0.5),
        ("bm25", "2", "nDCG@10", 0.25),
    ]
    path.write_text("model,task,number,score\nbm25,t1,1,0.5\nbm25,t1,2,0.25\n")
    of_task = lf.read_scores(path, columns={"query_id": "number"})  # unless said, a collection
    assert of_task.columns == ["run", "collection", "query_id", "value"]
    assert of_task.rows() == [("bm25", "t1", "1", 0.5), ("bm25", "t1", "2", 0.25)]
    engines = pl.DataFrame(
        {
            "engine": ["a", "a"],
            "run": ["x", "x"],
            "task": ["t1", "t2"],
            "metric": "AP",
            "score": 0.5,
        }
    )
    for said in ({"run": "engine", "query_id": "task"}, {"engine": "run", "task": "query_id"}):
        assert lf.read_scores(engines, columns=said)["run"].to_list() == ["a", "a"]
    e = lf.evaluate_scores(
        pl.concat([engines, engines.with_columns(engine=pl.lit("b"), score=0.25)]),
        columns={"run": "engine", "query_id": "task"},
    )
    assert e.means["run"].to_list() == ["a", "b"]
    with pytest.raises(
        lf.SchemaError, match=r"columns names 'machine', which is not there .found: "
    ):
        lf.read_scores(engines, columns={"run": "machine"})
    with pytest.raises(
        lf.SchemaError, match=r"columns: expected one of lexiframe's names .run, que"
    ):
        lf.read_scores(engines, columns={"rum": "engine"})
    with pytest.raises(lf.SchemaError, match=r"measure, metric; value: value, score; .*run=engine"):
        lf.read_scores(pl.DataFrame({"name": ["a", "a"], "number": [1.0, 0.5]}))  # no leaderboard


def test_a_file_without_a_measure_is_called_like_it(tmp_path):
    path = tmp_path / "quality.csv"
    path.write_text("system,query,score\nbm25,1,0.5\ndph,1,0.25\n")
    assert lf.read_scores(path)["measure"].unique().to_list() == ["quality"]
    assert lf.read_scores(path, measure="AP")["measure"].unique().to_list() == ["AP"]
    e = lf.evaluate_scores(path, measure_name="satisfaction")
    assert e.provenance["measures"] == ["satisfaction"]
    matrix = tmp_path / "AP.csv"
    matrix.write_text("query,bm25,dph\n1,0.5,0.25\n2,0.25,0.5\n")
    assert lf.read_scores(matrix)["measure"].unique().to_list() == ["AP"]
    other = tmp_path / "matrix.csv"
    other.write_text(matrix.read_text())
    with pytest.raises(lf.LexiframeError, match="say what was measured"):
        lf.read_scores(other)


@pytest.mark.parametrize("run", [pl.Series([["a"], ["b"]]), pl.Series([b"a", b"b"])])
def test_names_that_are_no_names_are_refused(run):
    """A column of runs that holds lists or bytes, in a table with a column for each collection."""
    table = pl.DataFrame({"model": run, "news": [0.5, 0.75], "law": [0.25, 0.5]})
    with pytest.raises(lf.LexiframeError, match="expected names in model, found"):
        lf.read_scores(table)


def test_dictionaries_that_are_no_columns_are_refused_whatever_their_names():
    for data in ({1: 2}, {None: 0.5}, {("a", 1): 2}):
        with pytest.raises(TypeError, match="a column is a list of numbers"):
            lf.read_scores(data)
    with pytest.raises(lf.SchemaError, match="two columns are called '1'"):
        lf.read_scores({1: [0.5], "1": [0.25]}, measure="AP")


EIGHT = pl.DataFrame({
    "query_id": [f"q{i}" for i in range(8)],
    "bm25": np.random.default_rng(1).random(8), "dense": np.random.default_rng(2).random(8),
})  # fmt: skip


@pytest.mark.parametrize("name", ["ALL", "mean", "Average", "overall", "macro avg", "sum up"])
@pytest.mark.parametrize("decimals", [4, 15])
def test_a_row_of_means_is_no_request(name, decimals):
    means = EIGHT.mean().with_columns(query_id=pl.lit(name)).select(EIGHT.columns)
    table = pl.concat([EIGHT, means]).with_columns(pl.selectors.float().round(decimals))
    match = rf"requests whose values are the means of the others, left out: 1 \('{name}'\)"
    plain = lf.read_scores(EIGHT.with_columns(pl.selectors.float().round(decimals)), measure="AP")
    with pytest.warns(lf.LexiframeWarning, match=match):
        assert lf.read_scores(table, measure="AP").equals(plain)
    with pytest.warns(lf.LexiframeWarning, match=match):
        found = lf.evaluate_scores(table, measures="AP").comparisons
    assert found["n"].to_list() == [8]


def test_a_column_of_means_is_no_run():
    wide = EIGHT.with_columns(ql=pl.Series(np.random.default_rng(3).random(8)))
    table = wide.with_columns(all_runs=pl.mean_horizontal("bm25", "dense", "ql"))
    with pytest.warns(lf.LexiframeWarning, match=r"runs whose .* left out: 1 \('all_runs'\)"):
        assert lf.read_scores(table, measure="AP").equals(lf.read_scores(wide, measure="AP"))


def test_a_row_of_shares_of_zeros_and_ones_is_no_request_if_it_is_called_so():
    rows = [("a", f"q{i}", float(i % 3 == 0)) for i in range(40)]
    table = pl.DataFrame([*rows, ("a", "mean", 0.35)], schema=["run", "qid", "em"], orient="row")
    with pytest.warns(lf.LexiframeWarning, match="left out: 1"):
        assert lf.read_scores(table).height == 40


def test_a_request_that_is_called_like_a_mean_is_named():
    other = EIGHT.with_columns(query_id=pl.col("query_id").replace({"q0": "total"}))
    with pytest.warns(
        lf.LexiframeWarning,
        match=r"do not sum the others up: 1 \('total'\); they count as requests",
    ):
        assert lf.read_scores(other, measure="AP")["query_id"].n_unique() == 8


@pytest.mark.parametrize("levels", [2, 3, 5, 11, 10_001])
def test_no_request_is_the_mean_by_chance(levels):
    rng = np.random.default_rng(levels)
    for requests, runs in [(3, 1), (3, 2), (50, 1), (50, 3), (200, 2)]:
        ids = [f"q{i}" for i in range(requests)]
        x = rng.integers(0, levels, (requests, runs)) / (levels - 1)
        table = pl.DataFrame({"query_id": ids, **{f"r{j}": x[:, j] for j in range(runs)}})
        assert lf.read_scores(table, measure="P@2").height == requests * runs


def test_what_lies_in_the_middle_of_even_steps_is_no_mean():
    """It is the mean of the others to the last digit, and one of the data."""
    ids = [f"q{i}" for i in range(1, 6)]
    steps = {f"r{j}": [round(0.1 * i + 0.05 * j, 2) for i in range(5)] for j in range(4)}
    assert lf.read_scores(pl.DataFrame({"query_id": ids, **steps}), measure="AP").height == 20
    board = {"nq": [0.5, 0.6, 0.7], "fiqa": [0.3, 0.4, 0.5], "hotpot": [0.6, 0.65, 0.7]}
    table = pl.DataFrame({"model": ["small", "base", "large"], **board})
    assert lf.read_scores(table)["run"].n_unique() == 3
    assert lf.leaderboard(table).ranking["run"].to_list() == ["large", "base", "small"]


def test_a_column_of_objects_is_no_index(tmp_path):
    path = tmp_path / "scores.jsonl"
    path.write_text('{"RUN": null, "": {}}\n')
    with pytest.raises(lf.LexiframeError, match="found a row for each request and the columns RUN"):
        lf.read_scores(path)


@pytest.mark.parametrize("blank", ["\t", " "])
def test_a_decimal_comma_in_the_first_line_is_no_name_of_a_column(blank, tmp_path):
    path = tmp_path / "a.eval"
    path.write_text(f"map{blank}q1{blank}0,5\nmap{blank}q2{blank}0,25\n")
    with pytest.raises(lf.ReadError, match=r"line 1: expected a finite number as value, .* '0,5'"):
        lf.read_scores({"bm25": path})
