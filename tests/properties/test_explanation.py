"""Explanations have the rows of the oracle, and their columns sum to preferences and scores."""

import math

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import items_of, measured
from tests.oracle import positions_of
from tests.strategies import collections, positions_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

LEVELS = ["RPP", "dcgRPP", "invRPP"]
LEXICOGRAPHIC = ["LR", "LP", "rrLR", "rrLP", "sgnLR", "sgnLP"]
METRICS = ["AP", "RR", "nDCG", "nDCG@3", "AP@3", "RBP(p=0.5)", "R@5", "Rprec", "TSE(AP)"]
METRICS += [
    "ERR",
    "ERR@3",
    "gRBP",
    "Success@3",
    "ASL(n=1000)",
    "SL3(n=1000)",
    "nDCG(ideal='full')@2",
]
OWN = [
    lf.LevelPreference("my levels", weight=lambda i, m: i / m),
    lf.LexicographicPreference("my order", "recall", magnitude=lambda p: 1 / p.sqrt()),
    lf.RecallLevelMetric("my metric", exposure=lambda p: 1 / p.sqrt(), weight=lambda i, m: 1 / m),
    lf.GradedMetric("my graded", exposure=lambda p: 1 / p, gain=lambda y: y**2),
]


@st.composite
def questions(draw, **arguments):
    """A positions table, one of its requests and two of its runs, in any order."""
    p = draw(positions_tables(min_runs=2, **arguments))
    query_id = draw(st.sampled_from(p["query_id"].unique().sort().to_list()))
    return p, query_id, *draw(st.permutations(p["run"].unique().sort().to_list()))[:2]


def same(x, y):
    return math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-12)


@given(questions())
def test_explanations(question):
    names = ["RPP", "dcgRPP", "LR", "LP", "rrLP", "AP"]
    e = lf.explain(*question, names)
    columns = lf.explain(*question).columns
    assert columns == [*e.columns[: columns.index("RPP weight")], "RPP weight", "RPP", "LR", "LP"]
    assert_rows(e, question)
    assert_documents(e, question)
    assert_which_level_decides(e, question)
    assert_weights_of_levels(e)
    for name in ("LR", "LP"):
        decides = e["decides"].str.contains(name).fill_null(value=False)
        assert (decides == (e[name] != 0)).all()
    p, query_id, run_a, run_b = question
    other = lf.explain(p, query_id, run_b, run_a, names)
    for name in [*names[:-1], "sign"]:
        assert e[name].to_list() == (-other[name]).to_list()
    assert e["AP_a"].equals(other["AP_b"])
    assert e["decides"].equals(other["decides"])


def assert_rows(e, question):
    p, query_id, run_a, run_b = question
    a, b = (items_of(p)[run, query_id] for run in (run_a, run_b))
    rows = [(*row[:2], *row[2], *row[3], row[4]) for row in oracle.levels(a, b)]
    names = ["threshold", "level", "position_a", "relevance_a", "position_b", "relevance_b", "sign"]
    assert e.select(names).rows() == rows
    assert e.columns[:2] == names[:2]
    assert e.select("threshold", "level").equals(e.select("threshold", "level").sort(pl.all()))


def assert_documents(e, question):
    p, query_id, *runs = question
    e = e.filter(threshold=pl.col("threshold").min())
    for side, run in zip("ab", runs, strict=True):
        of_run = p.filter(run=run, query_id=query_id).sort("level")
        assert e[f"doc_{side}"].to_list() == of_run["doc_id"].to_list()
        assert e[f"position_{side}"].to_list() == of_run["position"].to_list()


def assert_which_level_decides(e, question):
    p, query_id, run_a, run_b = question
    a, b = (positions_of(items_of(p)[run, query_id]) for run in (run_a, run_b))
    decides = {}
    for name, largest in (("LR", True), ("LP", False)):
        level = oracle.deciding_level(a, b, largest)
        decides.setdefault(level, []).append(name)
    expected = [
        ", ".join(decides.get(level, [])) or None if grade == e["threshold"].min() else None
        for grade, level in e.select("threshold", "level").rows()
    ]
    assert e["decides"].to_list() == expected


def assert_weights_of_levels(e):
    counts = {grade: e.filter(threshold=grade).height for grade in e["threshold"].unique()}
    for name, weight in (("RPP", lambda i: 1), ("dcgRPP", lambda i: 1 / math.log2(i + 1))):
        for grade, i, found in e.select("threshold", "level", f"{name} weight").rows():
            m = counts[grade]
            norm = math.fsum(weight(k) for k in range(1, m + 1))
            assert same(found, m / sum(counts.values()) * weight(i) / norm)


@given(questions(), st.sampled_from([None, 1, 1.5, 2]))
def test_columns_sum_to_preferences_and_scores(question, rel):
    p, query_id, *_ = question
    greatest = p.filter(query_id=query_id)["relevance"].max()
    assume(rel is None or greatest >= rel)
    preferences = [lf.parse_measure(name) for name in LEVELS + LEXICOGRAPHIC] + OWN[:2]
    metrics = [lf.parse_measure(name) for name in METRICS] + OWN[2:]
    if rel is not None:
        preferences, metrics = (
            [measure(rel=rel) for measure in asked] for asked in (preferences, metrics)
        )
    e = lf.explain(*question, [*preferences, *metrics])
    assert_sums_are_preferences(e, question, preferences)
    assert_sums_are_scores(e, question, metrics, rel)


def assert_sums_are_preferences(e, question, asked):
    d = lf.preferences(question[0], asked)
    for measure in asked:
        expected = oracle.delta(measured(d, str(measure)), *question[1:])
        assert same(e[str(measure)].sum(), expected)
        if isinstance(measure, lf.LevelPreference):
            weight, signs = e[f"{measure} weight"], e["sign"]
            assert same(weight.sum(), 1)
            assert (weight * signs).to_list() == e[str(measure)].to_list()


def assert_sums_are_scores(e, question, asked, rel):
    p, query_id, *runs = question
    least = e["threshold"].filter(e["threshold"] >= (rel or 0)).min()
    s = lf.scores(p, asked)
    for measure in asked:
        values = measured(s, str(measure))
        for side, run in zip("ab", runs, strict=True):
            column = e[f"{measure}_{side}"]
            assert same(column.sum(), values[query_id, run])
            assert (column.is_null() == (e["threshold"] != least)).all()


@given(questions(no_relevant="zero"))
def test_a_request_without_relevant_items_has_no_rows(question):
    p, query_id, *_ = question
    names = ["RPP", "RPP(rel=2)", *LEXICOGRAPHIC, "AP", "nDCG"]
    n_relevant = p.filter(query_id=query_id)["n_relevant"].max()
    assume(n_relevant == 0 or p.filter(query_id=query_id)["relevance"].max() >= 2)
    e = lf.explain(*question, names)
    assert (e.height == 0) == (n_relevant == 0)


def test_a_run_explained_against_itself():
    folder = lf.bundled("example")
    p = lf.positions(folder / "runs", folder / "qrels.txt")
    run = p["run"][0]
    e = lf.explain(p, p["query_id"][0], run, run, ["RPP", "LR", "rrLP", "AP"])
    assert e["sign"].unique().to_list() == [0]
    assert e["decides"].null_count() == e.height
    assert e.select("RPP", "LR", "rrLP").sum().row(0) == (0, 0, 0)


@given(collections(min_runs=2), st.sampled_from([1, 2]))
def test_judged_items_that_are_not_relevant_are_left_out(collection, rel):
    p, judged = (lf.positions(*collection, judged=j) for j in (False, True))
    question = (p["query_id"][0], *p["run"].unique().sort()[:2])
    assume(p.filter(query_id=question[0])["relevance"].max() >= rel)
    names = ["RPP", "AP", "nDCG@10", f"LR(rel={rel})", f"nDCG(rel={rel})"]
    assert lf.explain(judged, *question, names).equals(lf.explain(p, *question, names))


def test_ids_that_are_numbers():
    """As in tables of other libraries: `check` makes strings of them."""
    p = pl.DataFrame({"run": [8, 9], "query_id": 7, "doc_id": "d", "relevance": 1.0})
    p = p.with_columns(position=pl.Series([1, 2]), level=1, n_relevant=1, n_retrieved=5)
    assert lf.explain(p, 7, 8, 9)["RPP"].to_list() == [1.0]


@pytest.mark.parametrize("name", ["trec_covid_round1", "movielens_100k"])
def test_real_requests(shared, name):
    folder = shared / "data" / name
    p = lf.positions(folder / "runs", folder / "qrels.trec")
    runs = p["run"].unique().sort()[:2]
    names = ["RPP", "dcgRPP", "LR", "LP", "AP", "nDCG@10"]
    p = p.filter(pl.col("run").is_in(runs.implode()))
    d, s = lf.preferences(p, names), lf.scores(p, names[4:])
    for query_id in p["query_id"].unique().sort()[:5]:
        e = lf.explain(p, query_id, *runs, names)
        for measure in names[:4]:
            (expected,) = d.filter(query_id=query_id, measure=measure)["preference"]
            assert same(e[measure].sum(), expected)
        for measure in names[4:]:
            for side, run in zip("ab", runs, strict=True):
                (value,) = s.filter(query_id=query_id, measure=measure, run=run)["value"]
                assert same(e[f"{measure}_{side}"].sum(), value)


@given(collections(min_runs=2))
def test_what_judged_items_add(collection):
    p = lf.positions(*collection, judged=True)
    assume(p["level"].null_count() and p["run"].n_unique() > 1)
    query_id, (run_a, run_b) = p["query_id"][0], p["run"].unique().sort()[:2]
    e = lf.explain(p, query_id, run_a, run_b, ["bpref", "infAP", "AP"])
    s = lf.scores(p, ["bpref", "infAP", "AP"])
    for name in ("bpref", "infAP", "AP"):
        values = measured(s, name)
        for side, run in (("a", run_a), ("b", run_b)):
            assert same(e[f"{name}_{side}"].sum(), values[query_id, run])
    with pytest.raises(lf.LexiframeError, match="Judged@5 is not a sum over recall levels"):
        lf.explain(p, query_id, run_a, run_b, "Judged@5")


def test_a_reader_that_can_be_read_only_once():
    p = pl.DataFrame(
        {
            "run": ["a", "b"],
            "query_id": "q",
            "doc_id": "d",
            "relevance": 1.0,
            "position": [1, 2],
            "level": 1,
            "n_relevant": 1,
            "n_retrieved": 2,
        }
    )
    e = lf.explain(p.to_arrow().to_reader(), "q", "a", "b", ["RPP"])
    assert e.equals(lf.explain(p, "q", "a", "b", ["RPP"]))
