"""Positions, imputation and coverage are those of the oracle, exactly."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import assert_close, cells, items_of, judgments, projections, rankings
from tests.strategies import collections, positions_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

TIES = st.sampled_from(["doc_id_desc", "doc_id_asc", "input", "rank"])
SCORE_TYPES = st.sampled_from(["float64", "float32"])
REL = st.sampled_from([None, 1, 1.5, 3])


@given(collections(ranks=True), TIES, SCORE_TYPES, REL)
def test_positions_by_every_policy(collection, ties, score_type, rel):
    p = lf.positions(*collection, ties=ties, score_type=score_type, rel=rel)
    assert items_of(p) == projections(*collection, rel, ties=ties, score_type=score_type)


@given(collections(), REL)
def test_every_column_and_the_order_of_the_rows(collection, rel):
    answers, graded = rankings(collection.runs), judgments(collection.qrels)
    rows = []
    for run in sorted(answers):
        for query_id in sorted(graded):
            ordered = oracle.order(answers[run].get(query_id, []))
            relevant = oracle.relevant_items(graded[query_id], rel)
            for doc_id in sorted(relevant):
                place = oracle.position(ordered, doc_id)
                rows.append(
                    (run, query_id, doc_id, relevant[doc_id], place, len(relevant), len(ordered))
                )
    p = lf.positions(*collection, rel=rel)
    assert p.columns[8:] == ([] if rel is None else ["rel"])
    assert rel is None or p["rel"].unique().to_list() == [rel]
    assert p.select(pl.exclude("level", "rel")).rows() == rows
    assert p.columns[5] == "level"


@given(collections(duplicates=True, ranks=True), TIES, SCORE_TYPES)
def test_of_duplicates_the_best_ranked_stays(collection, ties, score_type):
    p = lf.positions(*collection, duplicates="best", ties=ties, score_type=score_type)
    assert items_of(p) == projections(*collection, ties=ties, score_type=score_type)


@given(collections(), REL)
def test_requests_without_relevant_items_are_dropped_or_kept(collection, rel):
    dropped = lf.positions(*collection, rel=rel)
    kept = lf.positions(*collection, rel=rel, no_relevant="zero")
    assert kept.filter(pl.col("n_relevant") > 0).equals(dropped)
    answers, graded = rankings(collection.runs), judgments(collection.qrels)
    empty = [
        (run, query_id, None, None, None, None, 0, len(answers[run].get(query_id, [])))
        for run in sorted(answers)
        for query_id in sorted(graded)
        if not oracle.relevant_items(graded[query_id], rel)
    ]
    assert kept.filter(pl.col("n_relevant") == 0).select(pl.exclude("rel")).rows() == empty


@given(collections(), REL)
def test_judged_items_that_are_not_relevant_have_a_position_and_no_level(collection, rel):
    p = lf.positions(*collection, rel=rel, judged=True)
    answers, graded = rankings(collection.runs), judgments(collection.qrels)
    keep = [q for q, grades in graded.items() if oracle.relevant_items(grades, rel)]
    expected = {
        (run, q, doc_id): oracle.position(oracle.order(answers[run].get(q, [])), doc_id)
        for run in answers
        for q in keep
        for doc_id in graded[q]
    }
    assert cells(p, ["run", "query_id", "doc_id"], "position") == expected
    relevant = p.filter(pl.col("level").is_not_null())
    assert relevant.drop("n_judged").equals(lf.positions(*collection, rel=rel))
    in_judgments = {q: len(graded[q]) for q in keep}
    assert dict(p.select("query_id", "n_judged").rows()) == in_judgments


@given(collections(), REL)
def test_pool_size(collection, rel):
    p = lf.positions(*collection, rel=rel, pool=True)
    answers, graded = rankings(collection.runs), judgments(collection.qrels)
    for query_id, sizes in p.group_by("query_id").agg(pl.col("pool_size").unique()).iter_rows():
        orders = [oracle.order(of_run.get(query_id, [])) for of_run in answers.values()]
        assert sizes == [oracle.pool_size(orders, graded[query_id], rel)]


@given(positions_tables(pool=True), st.sampled_from(["pool", 60, 10**6]))
def test_pessimistic_imputation(p, n):
    sizes = cells(p.unique("query_id"), "query_id", "pool_size")
    expected = {
        (run, q): oracle.impute_pessimistic(items, sizes[q] if n == "pool" else n)
        for (run, q), items in items_of(p).items()
    }
    assert items_of(lf.impute(p, n)) == expected


@given(positions_tables())
def test_optimistic_imputation(p):
    retrieved = cells(p.unique(["run", "query_id"]), ["run", "query_id"], "n_retrieved")
    expected = {
        key: oracle.impute_optimistic(items, retrieved[key]) for key, items in items_of(p).items()
    }
    assert items_of(lf.impute(p, 60, how="optimistic")) == expected


@given(positions_tables(pool=True), st.sampled_from(["pessimistic", "optimistic"]))
def test_imputation_commutes_with_thresholds(p, how):
    """R_λ of the imputed ranking is R_λ with the omitted items at the end (or the front)."""
    retrieved = cells(p.unique(["run", "query_id"]), ["run", "query_id"], "n_retrieved")
    sizes = cells(p.unique("query_id"), "query_id", "pool_size")
    imputed = items_of(lf.impute(p, "pool", how=how))
    for (run, q), items in items_of(p).items():
        for grade in oracle.thresholds(items):
            alone = [item for item in items if item[1] >= grade]
            if how == "pessimistic":
                alone = oracle.impute_pessimistic(alone, sizes[q])
            else:
                alone = oracle.impute_optimistic(alone, retrieved[run, q])
            assert oracle.positions_of(imputed[run, q], grade) == [p for p, _ in alone]


@given(positions_tables(), st.integers(1, 60))
def test_a_corpus_that_is_too_small_is_refused(p, n):
    omitted = pl.col("position").null_count().cast(pl.Int64)
    needed = p.group_by("run", "query_id").agg(pl.col("n_retrieved").first() + omitted)
    if needed["n_retrieved"].max() > n:
        with pytest.raises(lf.LexiframeError, match=f"a corpus of {n} is too small"):
            lf.impute(p, n)
    else:
        assert lf.impute(p, n)["position"].null_count() == 0


@given(collections(ranks=True), TIES, SCORE_TYPES, REL)
def test_condensed_lists(collection, ties, score_type, rel):
    """As if the unjudged documents had never been in the runs, but for what was answered."""
    graded = judgments(collection.qrels)
    answers = rankings(collection.runs)
    for of_run in answers.values():
        for query_id, grades in graded.items():
            of_run[query_id] = oracle.condensed(of_run.get(query_id, []), grades)
    policies = dict(ties=ties, score_type=score_type)
    expected = {
        (run, query_id): oracle.project(oracle.order(of_run[query_id], **policies), grades, rel)
        for run, of_run in answers.items()
        for query_id, grades in graded.items()
        if oracle.relevant_items(grades, rel)
    }
    p = lf.positions(*collection, rel=rel, unjudged="remove", pool=True, **policies)
    assert items_of(p) == expected
    for row in p.iter_rows(named=True):
        q = row["query_id"]
        assert row["n_retrieved"] == len(answers[row["run"]][q])
        orders = [oracle.order(of_run[q]) for of_run in answers.values()]
        assert row["pool_size"] == oracle.pool_size(orders, graded[q], rel)


@given(collections(), REL)
def test_coverage_of_condensed_lists(collection, rel):
    """Requests stay answered; every document left is judged."""
    before = lf.coverage(*collection, rel=rel)
    table = lf.coverage(*collection, rel=rel, unjudged="remove")
    same = ["run", "requests", "answered", "missing", "extra", "without_relevant"]
    assert table.select(same).equals(before.select(same))
    assert table["relevant_retrieved"].equals(before["relevant_retrieved"])
    assert table["retrieved"].equals(table["judged"])


@given(collections(), REL, SCORE_TYPES)
def test_coverage(collection, rel, score_type):
    table = lf.coverage(*collection, rel=rel, score_type=score_type)
    assert_coverage(table, *collection, rel, score_type)


@given(collections(duplicates=True))
def test_coverage_counts_duplicates(collection):
    assert_coverage(lf.coverage(*collection, duplicates="best"), *collection)


def assert_coverage(table, runs, qrels, rel=None, score_type="float64"):
    answers, graded = rankings(runs), judgments(qrels)
    expected = {
        run: oracle.coverage(answers[run], graded, rel, score_type) for run in sorted(answers)
    }
    counts = table.select(pl.exclude("^.*_(min|max)$", "judged_at_10"))
    assert {row.pop("run"): row for row in counts.to_dicts()} == expected
    assert table["run"].to_list() == sorted(answers)


SHORT = collections(max_runs=3, max_queries=2, scores=[2.0, 1.0, 1 + 2.0**-40], max_documents=6)


@given(SHORT, REL, SCORE_TYPES, st.sampled_from(["drop", "zero"]))
def test_tie_sensitivity_is_that_of_all_orders(collection, rel, score_type, no_relevant):
    policies = dict(rel=rel, score_type=score_type, no_relevant=no_relevant)
    table = lf.coverage(*collection, **policies)
    answers, graded = rankings(collection.runs), judgments(collection.qrels)
    for name, measure in {
        "AP": lambda items: oracle.AP(oracle.positions_of(items)),
        "RR": lambda items: oracle.RR(oracle.positions_of(items)),
        "nDCG@10": lambda items: oracle.nDCG(items, 10),
    }.items():
        bounds = {
            run: oracle.extremes(of, graded, measure, **policies) for run, of in answers.items()
        }
        for n, bound in enumerate(("min", "max")):
            expected = {run: both[n] for run, both in bounds.items()}
            assert_close(cells(table, "run", f"{name}_{bound}"), expected)
