"""Offline interleaving is that of the oracle, which merges two lists and counts clicks."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexiframe as lf
from lexiframe.core.pairwise import interleaved, read_to_a_rank
from tests import oracle
from tests.frames import assert_identical, assert_same_preferences, judgments, measured, rankings
from tests.strategies import BINARY, collections

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

FEWER = settings(max_examples=settings().max_examples // 3)
TIES = st.sampled_from(["doc_id_desc", "doc_id_asc", "input", "rank"])
SCORE_TYPES = st.sampled_from(["float64", "float32"])
REL = st.sampled_from([None, 1, 1.5, 3])
USERS = st.sampled_from(["uniform", "dcg", "rank"])
FORMULAS = {"OI": oracle.OI, "OI(user=dcg)": oracle.dcgOI, "OI(user=rank)": oracle.rankOI}


def expected(collection, formula, rel=None, *, no_relevant="drop", condensed=False, **policies):
    """{(query_id, run_a, run_b): Δ}, by the oracle."""
    answers, preferences = rankings(collection.runs), {}
    for query_id, grades in judgments(collection.qrels).items():
        relevant = oracle.relevant_items(grades, rel)
        orders = {}
        for run in answers:
            ranking = answers[run].get(query_id, [])
            ranking = oracle.condensed(ranking, grades) if condensed else ranking
            orders[run] = oracle.order(ranking, **policies)
        if relevant or no_relevant == "zero":
            for a, b in combinations(sorted(answers), 2):
                preferences[query_id, a, b] = float(formula(orders[a], orders[b], relevant))
    return preferences


def assert_is_the_oracles(collection, user="uniform", rel=None, *, oracles=(), **policies):
    d = lf.interleaving(*collection, user, rel=rel, **policies)
    measure = "OI" if user == "uniform" else f"OI(user={user})"
    assert d["measure"].unique().to_list() == [measure]
    assert d.equals(d.sort("query_id", "run_a", "run_b"))
    found = measured(d, measure)
    preferences = expected(collection, FORMULAS[measure], rel, **dict(oracles or policies))
    if user != "dcg":
        assert found == preferences, "a ratio of whole numbers, divided once"
    else:
        assert_same_preferences(found, preferences)


@given(collections(min_runs=2, ranks=True), TIES, SCORE_TYPES, REL, USERS)
def test_by_every_policy(collection, ties, score_type, rel, user):
    assert_is_the_oracles(collection, user, rel, ties=ties, score_type=score_type)


@given(collections(min_runs=2, max_runs=3, grades=BINARY, scores=[1.0, 2.0, 3.0]), USERS)
def test_of_lists_that_have_much_in_common(collection, user):
    assert_is_the_oracles(collection, user)


@given(collections(min_runs=2, ranks=True, duplicates=True), TIES, USERS)
def test_of_documents_that_are_there_twice(collection, ties, user):
    oracles = {"ties": ties}
    assert_is_the_oracles(collection, user, ties=ties, duplicates="best", oracles=oracles)


@given(collections(min_runs=2), USERS)
def test_of_condensed_lists(collection, user):
    assert_is_the_oracles(collection, user, unjudged="remove", oracles={"condensed": True})


@given(collections(min_runs=2), REL, USERS)
def test_without_relevant_items_it_is_a_tie(collection, rel, user):
    assert_is_the_oracles(collection, user, rel=rel, no_relevant="zero")


@given(collections(max_runs=1), USERS)
def test_equal_rankings_tie(collection, user):
    """Exactly, whatever they are called."""
    twins = [collection.runs.with_columns(run=pl.lit(name)) for name in "abc"]
    d = lf.interleaving(pl.concat(twins), collection.qrels, user)
    assert d["preference"].to_list() == [0.0] * d.height


@given(collections(min_runs=2), st.integers(1, 60), USERS)
def test_pairs_by_blocks(collection, cells, user):
    """How many pairs and requests are laid out at once changes nothing."""
    d = lf.interleaving(*collection, user)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_to_a_rank, "_CELLS", cells)
        patch.setattr(interleaved, "_CELLS", cells)
        patch.setattr(interleaved, "_ITEMS", cells // 4 + 1)
        assert_identical(lf.interleaving(*collection, user), d)
