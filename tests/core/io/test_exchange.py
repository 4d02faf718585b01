"""Runs and judgments handed to ir_measures, ranx and pytrec_eval: same tables, same results."""

import math
import warnings

import ir_measures
import polars as pl
import pytest
import pytrec_eval
from ir_measures import AP

import lexiframe as lf
from lexiframe.core.io import exchange
from tests.parity.reference import assert_same_rows

KEY = ["run", "query_id", "measure"]
MEASURES = ["AP", "nDCG@10", "RR", "P@5"]
RANX = {"map": "AP", "ndcg@10": "nDCG@10", "mrr": "RR", "precision@5": "P@5"}
COLLECTIONS = [
    "example",
    pytest.param("cranfield", marks=pytest.mark.conformance),
    pytest.param("trec_web_2012", marks=pytest.mark.conformance),  # grades −2 to 4
]


@pytest.fixture(scope="module", params=COLLECTIONS)
def tables(request):
    """Runs and judgments of a data set."""
    if request.param == "example":
        folder = lf.bundled("example")
        return lf.read_runs(folder / "runs"), lf.read_qrels(folder / "qrels.txt")
    folder = request.getfixturevalue("shared") / "data" / request.param
    runs = sorted((folder / "runs").iterdir())[:3]
    return lf.read_runs(runs), lf.read_qrels(folder / "qrels.trec")


def ours(tables, score_type):
    """lexiframe's own scores, 0 for a request without a relevant document as the others have it."""
    with warnings.catch_warnings(action="ignore"):
        p = lf.positions(*tables, score_type=score_type, no_relevant="zero")
    return lf.scores(p, MEASURES)


def assert_agree(theirs, expected):
    """Rows of (run, query, measure, value); the others have none for unanswered requests."""
    theirs = pl.DataFrame(theirs, schema=[*KEY, "value"], orient="row")
    assert theirs.height > 40
    expected = expected.join(theirs, on=KEY, how="semi")
    assert expected.height == theirs.height
    assert_same_rows(theirs, expected, KEY, "value", relative=1e-12)


# --- Their results on what they are given -------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unsafe cast")  # inside ranx
def test_ranx_agrees_where_no_scores_are_tied(tables):
    """The difference: ranx does not order documents of equal score, lexiframe and trec_eval do."""
    ranx = pytest.importorskip("ranx")
    runs, qrels = map(lf.to_ranx, tables)
    theirs = []
    for name, run in runs.items():
        ranx.evaluate(qrels, run.make_comparable(qrels), list(RANX))
        theirs += [
            (name, query, RANX[measure], value)
            for measure, values in run.scores.items()
            for query, value in values.items()
        ]
    table = pl.DataFrame(tables[0])
    tied = table.filter(pl.struct("run", "query_id", "score").is_duplicated())
    tied = set(tied.select("run", "query_id").iter_rows())
    assert_agree([row for row in theirs if row[:2] not in tied], ours(tables, "float64"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_ranx_leaves_ties_as_they_come():
    ranx = pytest.importorskip("ranx")
    qrels = pl.DataFrame({"query_id": "q", "doc_id": ["a"], "relevance": [1]})
    values = []
    for documents in (["a", "b", "c"], ["b", "a", "c"]):
        runs = pl.DataFrame({"run": "r", "query_id": "q", "doc_id": documents, "score": 1.0})
        values.append(ranx.evaluate(lf.to_ranx(qrels), lf.to_ranx(runs)["r"], "mrr"))
        assert lf.scores(lf.positions(runs, qrels), "RR")["value"].to_list() == [1 / 3]
    assert values == [1, 1 / 2]


# --- What is in the objects ---------------------------------------------------------------------

RUNS = pl.DataFrame(
    {
        "run": ["b", "a", "a", "a", "c"],
        "query_id": ["2", "1", "1", "2", "2"],
        "doc_id": ["x", "x", "y", None, None],
        "score": [0.5, math.inf, -math.inf, None, None],
    }
)
QRELS = pl.DataFrame(
    {
        "query_id": ["1", "1", "1", "2"],
        "iteration": ["t1", "t2", "t1", "t1"],
        "doc_id": ["x", "x", "y", "x"],
        "relevance": [2, 1, -2, 0],
    }
)


def test_a_query_answered_with_an_empty_list():
    assert lf.to_pytrec_eval(RUNS) == {
        "a": {"1": {"x": math.inf, "y": -math.inf}, "2": {}},
        "b": {"2": {"x": 0.5}},
        "c": {"2": {}},
    }
    assert list(lf.to_pytrec_eval(RUNS)) == ["a", "b", "c"]
    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"y": 1}, "2": {"x": 1}}, {"map"})
    of_a = evaluator.evaluate(lf.to_pytrec_eval(RUNS)["a"])
    assert of_a == {"1": {"map": 0.5}, "2": {"map": 0}}  # it takes infinite scores, and no items
    assert lf.to_ir_measures(RUNS)["c"] == []
    assert lf.to_ir_measures(RUNS)["a"] == [("1", "x", math.inf), ("1", "y", -math.inf)]


@pytest.mark.slow
def test_ranx_objects():
    ranx = pytest.importorskip("ranx")
    runs, qrels = lf.to_ranx(RUNS), lf.to_ranx(QRELS)
    assert {name: run.name for name, run in runs.items()} == {n: n for n in "abc"}
    assert {name: run.to_dict() for name, run in runs.items()} == {
        "a": {"1": {"x": math.inf, "y": -math.inf}, "2": {}},
        "b": {"2": {"x": 0.5}},
        "c": {},  # ranx has no run of empty lists only
    }
    assert qrels.to_dict() == {"1": {"x": 2, "y": -2}, "2": {"x": 0}}
    assert ranx.evaluate(qrels, runs["a"], "mrr", return_mean=False).tolist() == [1, 0]
    assert lf.to_ranx(QRELS[:0]).to_dict() == {}


def test_a_document_judged_under_several_iterations_has_its_greatest_grade():
    assert lf.to_pytrec_eval(QRELS) == {"1": {"x": 2, "y": -2}, "2": {"x": 0}}
    assert lf.to_pytrec_eval(QRELS.reverse())["1"]["x"] == 2
    assert lf.to_pytrec_eval(QRELS.drop("iteration").filter(relevance=-2)) == {"1": {"y": -2}}


def test_ir_measures_keeps_iterations_and_uses_the_greatest_grade():
    judged = lf.to_ir_measures(QRELS)
    assert set(judged) == {("1", "x", 2, "t1"), ("1", "x", 1, "t2"), *judged[:2]}
    assert [type(item.relevance) for item in judged] == [int] * 4
    run = [ir_measures.ScoredDoc("1", "x", 1.0), ir_measures.ScoredDoc("2", "x", 1.0)]
    for table in (QRELS, QRELS.reverse()):
        rows = ir_measures.iter_calc([AP(rel=2)], lf.to_ir_measures(table), run)
        assert {row.query_id: row.value for row in rows} == {"1": 1, "2": 0}
    one_each = QRELS.filter(iteration="t1")
    assert {item.iteration for item in lf.to_ir_measures(one_each.drop("iteration"))} == {"0"}
    assert [item.doc_id for item in lf.to_ir_measures(one_each)] == ["x", "y", "x"]


@pytest.mark.slow
def test_grades_between_whole_numbers_are_not_rounded():
    graded = QRELS.with_columns(pl.col("relevance").replace_strict({2: 1.5}, default=1.0))
    assert [item.relevance for item in lf.to_ir_measures(graded)] == [1, 1, 1, 1.5]
    with pytest.raises(lf.SchemaError, match=r"take whole grades only, found 1 \(1\.5\), the firs"):
        lf.to_pytrec_eval(graded)
    pytest.importorskip("ranx")
    with pytest.raises(lf.SchemaError, match="for query '1' and document 'x'; nothing is rounded"):
        lf.to_ranx(graded)


@pytest.mark.parametrize("export", [lf.to_pytrec_eval, lf.to_ir_measures])
def test_what_cannot_be_exported(export):
    with pytest.raises(lf.SchemaError, match=r"or judgments .*, found the columns run, query_id"):
        export(RUNS.drop("score"))
    with pytest.raises(lf.SchemaError, match="; doc_id is missing"):
        export(QRELS.drop("doc_id"))
    gap = RUNS.with_columns(score=pl.lit(math.nan))
    with pytest.raises(lf.SchemaError, match="3 rows have no number as score, the first for query"):
        export(gap)
    with pytest.raises(lf.SchemaError, match="1 rows have no number as relevance"):
        export(QRELS.with_columns(pl.col("relevance").replace(0, None)))
    with pytest.raises(lf.SchemaError, match=r"x' occurs .* a dictionary would keep only one"):
        export(pl.concat([RUNS, RUNS[:2]]))
    with pytest.raises(lf.SchemaError, match="qrels: the document 'x' occurs more than once for"):
        export(QRELS.with_columns(iteration=pl.lit("0")))
    with pytest.raises(TypeError, match="expected a frame that exports Arrow"):
        export([1])


@pytest.mark.parametrize(
    "export, library, extra",
    [(lf.to_ir_measures, "ir_measures", "interop"), (lf.to_ranx, "ranx", "peers")],
)
def test_a_library_that_is_not_installed(export, library, extra, monkeypatch):
    def not_there(name):
        raise ImportError(name)

    monkeypatch.setattr(exchange, "import_module", not_there)
    message = rf"{library} is not installed; it comes with the extra {extra}: pip install 'lexifr"
    with pytest.raises(lf.LexiframeError, match=message):
        export(RUNS)
    assert lf.to_pytrec_eval(RUNS[:1]) == {"b": {"2": {"x": 0.5}}}
