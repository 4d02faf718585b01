"""Rankings cut at a depth, preferences at a cut-off, and queries that retrieve themselves."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import (
    assert_identical,
    assert_same_preferences,
    cells,
    items_of,
    judgments,
    measured,
    pairs_of,
    rankings,
)
from tests.strategies import collections, positions_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]
FEWER = settings(max_examples=settings().max_examples // 3)
DEPTHS = st.integers(1, 6)
FORMULAS = {
    "RPP": oracle.RPP,
    "dcgRPP": oracle.dcgRPP,
    "invRPP": oracle.invRPP,
    "LR": oracle.LR,
    "sgnLP": oracle.LP,
    "rrLR": oracle.rrLR,
    "rrLP": oracle.rrLP,
}


def cut_items(items, k):
    return [(p if p is not None and p <= k else None, grade) for p, grade in items]


@FEWER
@given(positions_tables(min_runs=2), DEPTHS)
def test_preferences_at_a_cutoff(p, k):
    d = lf.preferences(p, [f"{name}@{k}" for name in FORMULAS])
    for name, formula in FORMULAS.items():
        taken = list if name.endswith("RPP") else oracle.positions_of
        expected = {
            key: float(formula(*(taken(cut_items(items, k)) for items in pair)))
            for key, pair in pairs_of(items_of(p)).items()
        }
        assert_same_preferences(measured(d, f"{name}@{k}"), expected)


def more_found(p):
    found = np.isfinite(p).sum(axis=1)
    return np.sign(found[:, None] - found[None, :])


@FEWER
@given(positions_tables(min_runs=2), DEPTHS, st.sampled_from(["", "(rel=1.5)"]))
def test_a_cutoff_is_that_of_truncated_runs(p, k, rel):
    """For grades, a least grade, functions of one's own, and the level that decides."""
    if rel and (p["relevance"].max() or 0) < 1.5:
        return
    own = lf.MatrixPreference("found", more_found)
    names = [f"{name}{rel}" for name in FORMULAS]
    whole = [*(lf.parse_measure(name) for name in names), own]
    at_k = [measure @ k for measure in whole]
    truncated = lf.preferences(lf.truncate_runs(p, k), whole, deciding_level=True)
    cut = lf.preferences(p, at_k, deciding_level=True)
    cut = cut.with_columns(pl.col("measure").str.strip_suffix(f"@{k}"))
    assert_identical(cut.sort("query_id", "run_a", "run_b", "measure"), truncated)


@FEWER
@given(positions_tables(min_runs=2, subtopics=True), DEPTHS)
def test_a_cutoff_by_subtopic(p, k):
    names = ["ST-RPP", "ST-dcgRPP"]
    cut = pl.when(pl.col("position") <= k).then("position")
    found = lf.preferences(p, [f"{name}@{k}" for name in names])
    expected = lf.preferences(p.with_columns(position=cut), names)
    found = found.with_columns(pl.col("measure").str.strip_suffix(f"@{k}"))
    assert_identical(found, expected)


def test_notation_of_cutoffs():
    assert [str(m) for m in (lf.RPP @ 10, lf.LR(rel=2) @ 5, lf.ST_RPP @ 1)] == [
        "RPP@10",
        "LR(rel=2)@5",
        "ST-RPP@1",
    ]
    assert lf.parse_measure("LR(rel=2)@5") == lf.LR(rel=2) @ 5 != lf.LR(rel=2)
    assert str((lf.LR @ 5).rank) == "LR.rank@5"
    assert dict(lf.measures().select("name", "notation").rows())["RPP"] == "RPP@k"
    with pytest.raises(lf.LexiframeError, match="RPP@k: expected a whole number from 1, found 0"):
        lf.RPP @ 0
    said = "LR@5: a weighted sum of positions needs those of all items; leave the cut-off out"
    with pytest.raises(lf.LexiframeError, match=re.escape(said)):
        (lf.LR @ 5).metric(n=10)
    with pytest.raises(lf.LexiframeError, match="no closed form for LR@5"):
        lf.theory.tie_probability("LR@5", n=10, m=2)


@FEWER
@given(positions_tables(min_runs=2, max_queries=2), DEPTHS)
def test_explanations_of_a_cutoff_sum_to_it(p, k):
    names = [f"{name}@{k}" for name in FORMULAS]
    for query_id, a, b in lf.preferences(p, "LR").select("query_id", "run_a", "run_b").rows():
        explained = lf.explain(p, query_id, a, b, names)
        d = lf.preferences(p, names).filter(query_id=query_id, run_a=a, run_b=b)
        for name, value in d.select("measure", "preference").rows():
            assert explained[name].sum() == pytest.approx(value, abs=1e-12)


def test_the_explanation_of_an_item_beyond_the_cutoff():
    runs = {"a": {"q": {"x": 3, "y": 2, "z": 1}}, "b": {"q": {"x": 3, "z": 2, "y": 1}}}
    p = lf.positions(runs, {"q": {"x": 1, "y": 1}})
    explained = lf.explain(p, "q", "a", "b", ["RPP", "RPP@1", "RPP@2"])
    assert [explained[name].to_list() for name in ("RPP", "RPP@1", "RPP@2")] == [
        [0, 0.5],
        [0, 0],
        [0, 0.5],
    ]


# --- Runs cut at a depth ------------------------------------------------------------------------


def cut_runs(runs, k, **policies):
    """The first k documents of every ranking, by the oracle; rows in the order of the frame."""
    ranks = {
        (run, query_id, doc_id): rank
        for run, answers in rankings(runs).items()
        for query_id, ranking in answers.items()
        for rank, doc_id in enumerate(oracle.order(ranking, **policies), 1)
    }
    kept = [ranks[key] <= k for key in runs.select("run", "query_id", "doc_id").iter_rows()]
    return runs.filter(pl.Series(kept, dtype=pl.Boolean))


TIES = st.sampled_from(["doc_id_desc", "doc_id_asc", "input", "rank"])


@FEWER
@given(collections(ranks=True), DEPTHS, TIES)
def test_positions_at_a_depth_are_those_of_cut_files(collection, k, ties):
    runs, qrels = collection
    options = dict(ties=ties, judged=True, pool=True)
    found = lf.positions(runs, qrels, depth=k, **options)
    assert_identical(found, lf.positions(cut_runs(runs, k, ties=ties), qrels, **options))


@FEWER
@given(collections(), DEPTHS, st.sampled_from(["keep", "remove"]))
def test_positions_at_a_depth_are_those_of_truncate_runs(collection, k, unjudged):
    key = ["run", "query_id", "doc_id"]
    found = lf.positions(*collection, depth=k, unjudged=unjudged)
    expected = lf.truncate_runs(lf.positions(*collection, unjudged=unjudged), k)
    columns = ["position", "n_relevant", "n_retrieved"]
    for column in columns:
        assert cells(found, key, column) == cells(expected, key, column)


@FEWER
@given(collections(min_runs=2, ranks=True), DEPTHS)
def test_evaluation_at_a_depth(collection, k):
    runs, qrels = collection
    asked = ["RPP", "LR", "AP", "nDCG@3", "ASL", "Judged@3"]
    e = lf.evaluate(runs, qrels, asked, depth=k, test="sign", ties="rank")
    of_cut = lf.evaluate(cut_runs(runs, k, ties="rank"), qrels, asked, test="sign", ties="rank")
    for name in ("scores", "preferences", "orderings", "comparisons", "tie_rates"):
        assert_identical(getattr(e, name), getattr(of_cut, name))
    counts = ["run", "answered", "missing", "retrieved", "judged", "relevant_retrieved"]
    assert_identical(e.coverage.select(counts), of_cut.coverage.select(counts))
    assert e.provenance["policies"]["depth"] == k


@FEWER
@given(collections(max_runs=2, max_queries=2, max_documents=5), DEPTHS)
def test_bounds_of_ties_at_a_depth(collection, k):
    """The least and the greatest AP over all orders of equal scores, each cut at the depth."""
    runs, qrels = collection
    covered = lf.coverage(runs, qrels, depth=k)

    def ap_at_k(ordered, grades):
        return oracle.AP(oracle.positions_of(oracle.project(ordered[:k], grades)))

    for run, answers in rankings(runs).items():
        values = [
            [ap_at_k(order, grades) for order in oracle.every_order(answers.get(query_id, []))]
            for query_id, grades in judgments(qrels).items()
            if oracle.relevant_items(grades)
        ]
        row = covered.row(by_predicate=pl.col("run") == run, named=True)
        assert row["AP_min"] == pytest.approx(np.mean([min(of_query) for of_query in values]))
        assert row["AP_max"] == pytest.approx(np.mean([max(of_query) for of_query in values]))


def test_a_tie_across_the_depth():
    covered = lf.coverage({"a": {"q": {"x": 1, "y": 1}}}, {"q": {"x": 1}}, depth=1)
    assert covered.select("AP_min", "AP_max", "tied_relevant").row(0) == (0, 1, 1)
    covered = lf.coverage({"a": {"q": {"x": 1, "y": 1}}}, {"q": {"x": 1, "y": 1}}, depth=1)
    assert covered.select("AP_min", "AP_max", "tied_relevant").row(0) == (0.5, 0.5, 2)


@pytest.mark.parametrize("depth", [0, -1, 2.5, True, "10"])
def test_no_depth(depth):
    with pytest.raises(
        lf.LexiframeError,
        match=r"depth: expected a whole number from 1, found |depth to be a whole number or a dict",
    ):
        lf.positions({"a": {"q": {"x": 1}}}, {"q": {"x": 1}}, depth=depth)


# --- Queries that retrieve themselves -----------------------------------------------------------


@FEWER
@given(collections(), st.sampled_from(["keep", "remove"]))
def test_documents_with_the_id_of_their_query(collection, unjudged):
    runs, qrels = collection
    runs = runs.filter(pl.col("query_id").is_in(qrels["query_id"].unique().implode()))
    names = {q: f"d{n}" for n, q in enumerate(qrels["query_id"].unique().sort(), 1)}
    runs, qrels = (f.with_columns(pl.col("query_id").replace(names)) for f in (runs, qrels))
    without = [f.filter(pl.col("query_id") != pl.col("doc_id")) for f in (runs, qrels)]
    if not (without[1]["relevance"] > 0).any() or without[0].is_empty():
        return
    options = dict(judged=True, pool=True, unjudged=unjudged)
    found = lf.positions(runs, qrels, exclude_self=True, **options)
    expected = lf.positions(*without, **options)
    found = found.filter(pl.col("run").is_in(expected["run"].unique().implode()))
    common = expected["run"].n_unique() == runs["run"].n_unique()
    # A ranking of which nothing is left was answered; without its rows it is missing.
    ignored = ["answered"] if common else ["answered", "pool_size"]
    assert_identical(*(p.drop(ignored, strict=False) for p in (found, expected)))


def test_a_query_that_finds_itself_first():
    runs = {"a": {"x": {"x": 3, "y": 2}, "z": {"z": 1}}}
    qrels = {"x": {"x": 1, "y": 1}, "z": {"y": 1, "z": 0}}
    own = "have the id of their query, left out: 2"
    said = f"document has the id of their query, left out: 2; judgments of documents that {own}$"
    with pytest.warns(lf.LexiframeWarning, match=said):
        e = lf.evaluate(runs, qrels, "RR num_rel num_ret", exclude_self=True)
    values = dict(e.scores.select(pl.concat_str("query_id", "measure"), "value").rows())
    assert values == {
        "xRR": 1,
        "xnum_rel": 1,
        "xnum_ret": 1,
        "zRR": 0,
        "znum_rel": 1,
        "znum_ret": 0,
    }
    assert e.coverage.select("answered", "missing", "retrieved").rows() == [(2, 0, 1)]
    assert e.provenance["policies"]["exclude_self"]
    numbers = pl.DataFrame({"query_id": [1, 1], "doc_id": [1, 2], "score": [2.0, 1.0]})
    judged = pl.DataFrame({"query_id": [1], "doc_id": [2], "relevance": [1]})
    p = lf.positions(numbers, judged, exclude_self=True)
    assert p["position"].to_list() == [1]
    with pytest.raises(TypeError, match="exclude_self to be True or False, found a str: 'yes'"):
        lf.positions(runs, qrels, exclude_self="yes")
