"""Positions, metrics and preferences by subtopic are those of the oracle."""

import math
import random
import warnings
from itertools import combinations

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lexiframe as lf
from tests import oracle
from tests.frames import (
    assert_close,
    assert_identical,
    assert_same_preferences,
    judgments_by_subtopic,
    measured,
    rankings,
)
from tests.strategies import SUBTOPICS, collections, positions_tables

pytestmark = [pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning"), pytest.mark.slow]

FEWER = settings(max_examples=settings().max_examples // 3)
REL = st.sampled_from([None, 1, 1.5, 3])
ALPHA = st.sampled_from([0.5, 0.0, 0.1, 0.25, 1 / 3, 1.0])


def with_subtopics(**arguments):
    return collections(iterations=SUBTOPICS, **arguments)


def orders_of(runs, qrels, rel=None, **policies):
    """{(query_id, run): (ordered documents, judgments by subtopic)} where something is relevant."""
    judged = judgments_by_subtopic(qrels)
    return {
        (query_id, run): (oracle.order(answers.get(query_id, []), **policies), judged[query_id])
        for run, answers in rankings(runs).items()
        for query_id in judged
        if oracle.relevant_by_subtopic(judged[query_id], rel)
    }


def pairs_of_orders(runs, qrels, rel=None):
    """{(query_id, run_a, run_b): (ordered, ordered, judgments by subtopic)}, run_a < run_b."""
    orders = orders_of(runs, qrels, rel)
    return {
        (q, a, b): (orders[q, a][0], orders[q, b][0], orders[q, a][1])
        for q in {q for q, _ in orders}
        for a, b in combinations(sorted({run for _, run in orders}), 2)
    }


# --- Positions -----------------------------------------------------------------------------------


@given(with_subtopics(ranks=True), REL, st.sampled_from(["doc_id_desc", "input", "rank"]))
def test_every_row_of_positions(collection, rel, ties):
    expected = []
    for (q, run), (ordered, judged) in orders_of(*collection, rel, ties=ties).items():
        for t, documents in oracle.relevant_by_subtopic(judged, rel).items():
            items = oracle.project(ordered, judged[t], rel)
            found = {p: i for i, (p, _) in enumerate(items, start=1) if p is not None}
            for d in documents:
                place = oracle.position(ordered, d)
                sizes = (len(documents), len(ordered))
                row = (run, q, t, d, judged[t][d], place, found.get(place), *sizes)
                expected.append(row)
    p = lf.positions(*collection, rel=rel, ties=ties, subtopics=True)
    p = p.select(pl.exclude("rel"))
    is_found = pl.col("position").is_not_null()
    assert p.with_columns(pl.when(is_found).then("level")).rows() == sorted(expected)
    assert p.select("run", "query_id", "subtopic", "level").is_unique().all()


@given(with_subtopics(duplicates=True), REL)
def test_a_subtopic_is_as_if_it_were_judged_alone(collection, rel):
    """Condensed lists apart, and the pool, which are those of all subtopics."""
    options = dict(rel=rel, judged=True, duplicates="best", pool=True)
    p = lf.positions(*collection, **options, subtopics=True)
    for t in p["subtopic"].unique():
        qrels = collection.qrels.filter(pl.col("iteration") == t)
        ours = p.filter(pl.col("subtopic") == t)
        answered = collection.runs.join(qrels, on="query_id", how="semi").height
        if answered and ours["level"].is_not_null().any():
            alone = lf.positions(collection.runs, qrels, **options)
            both = ours.filter(pl.col("n_relevant") > 0).drop("subtopic", "pool_size")
            assert_identical(both, alone.drop("pool_size", "n_judged"))


@given(with_subtopics(), REL, st.booleans(), st.booleans())
def test_optional_rows_are_those_of_documents(collection, rel, judged, pool):
    """Whatever the policies, the documents of all subtopics are those of positions without them."""
    options = dict(rel=rel, judged=judged, pool=pool, no_relevant="zero", unjudged="remove")
    p = lf.positions(*collection, **options, subtopics=True)
    assert_identical(p, p.sort("run", "query_id", "subtopic", "doc_id"))
    same = ["run", "query_id", "doc_id", "position", "n_retrieved", *["pool_size"] * pool]
    documents = p.select(same).unique().sort("run", "query_id", "doc_id")
    assert_identical(documents, lf.positions(*collection, **options).select(same))


# --- Metrics -------------------------------------------------------------------------------------


@given(with_subtopics(), st.integers(1, 12), ALPHA, REL)
def test_metrics(collection, k, alpha, rel):
    p = lf.positions(*collection, rel=rel, subtopics=True)
    formulas = {
        f"strec@{k}": lambda *judged: oracle.strec(*judged, k, rel=rel),
        "MAP-IA": lambda *judged: oracle.MAP_IA(*judged, rel=rel),
        lf.WorstIntents: lambda *judged: oracle.WorstIntents(*judged, rel=rel),
        lf.WorstIntents("AP", share=0.3): lambda *j: oracle.WorstIntents(*j, 0.3, rel=rel),
        f"P-IA@{k}": lambda *judged: oracle.P_IA(*judged, k, rel=rel),
        lf.ERR_IA(alpha=alpha) @ k: lambda *judged: oracle.ERR_IA(*judged, k, alpha, rel=rel),
        lf.alpha_DCG(alpha=alpha) @ k: lambda *j: oracle.alpha_DCG(*j, k, alpha, rel=rel),
        lf.NRBP(alpha=alpha): lambda *judged: oracle.NRBP(*judged, alpha, rel=rel),
    }
    assert_formulas(lf.scores(p, list(formulas)), formulas, orders_of(*collection, rel))


@given(with_subtopics(), st.integers(1, 12), ALPHA, st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_metrics_over_the_greedy_ideal(collection, k, alpha, beta):
    p = lf.positions(*collection, subtopics=True)
    formulas = {
        lf.nERR_IA(alpha=alpha) @ k: lambda *j: oracle.ERR_IA(*j, k, alpha, "greedy"),
        lf.alpha_nDCG(alpha=alpha) @ k: lambda *j: oracle.alpha_DCG(*j, k, alpha, "greedy"),
        lf.nNRBP(alpha=alpha, beta=beta): lambda *j: oracle.nNRBP(*j, alpha, beta, "greedy"),
    }
    assert_formulas(lf.scores(p, list(formulas)), formulas, orders_of(*collection))


@given(with_subtopics(max_runs=2, max_queries=2), st.integers(1, 3), ALPHA)
def test_metrics_over_the_exact_ideal(collection, k, alpha):
    p = lf.positions(*collection, subtopics=True)
    exact = dict(alpha=alpha, ideal="exact")
    formulas = {
        lf.nERR_IA(**exact) @ k: lambda *j: oracle.ERR_IA(*j, k, **exact),
        lf.alpha_nDCG(**exact) @ k: lambda *j: oracle.alpha_DCG(*j, k, **exact),
    }
    assert_formulas(lf.scores(p, list(formulas)), formulas, orders_of(*collection))


@given(with_subtopics(max_queries=2, max_documents=6), ALPHA)
def test_the_exact_ideal_of_a_whole_ranking(collection, alpha):
    qrels = collection.qrels.filter(pl.col("doc_id").is_in(["d1", "d10", "d2", "d", "D1"]))
    assume((qrels["relevance"] > 0).any())
    assume(collection.runs.join(qrels, on="query_id", how="semi").height)
    p = lf.positions(collection.runs, qrels, subtopics=True)
    metric = lf.nNRBP(alpha=alpha, ideal="exact")
    formulas = {metric: lambda *j: oracle.nNRBP(*j, alpha=alpha, ideal="exact")}
    assert_formulas(lf.scores(p, metric), formulas, orders_of(collection.runs, qrels))


def assert_formulas(s, formulas, orders):
    for metric, formula in formulas.items():
        expected = {key: formula(*judged) for key, judged in orders.items()}
        assert_close(measured(s, str(metric)), expected, rel=1e-11, abs=1e-13)


@FEWER
@given(with_subtopics(), st.sampled_from([1.5, 2, 3]))
def test_a_metrics_own_rel_is_that_of_the_positions(collection, rel):
    names = ["MAP-IA", "P-IA@3", "alpha-nDCG@5", "ERR-IA@5", "WorstIntents(P, share=0.5)@3"]
    p = lf.positions(*collection, subtopics=True)
    own = [lf.parse_measure(name)(rel=rel) for name in names]
    s = lf.scores(p, own)
    expected = lf.scores(lf.positions(*collection, rel=rel, subtopics=True), names)
    for name, metric in zip(names, own, strict=True):
        assert_close(measured(s, str(metric)), measured(expected, name))
    zero = lf.scores(lf.positions(*collection, subtopics=True), own, no_relevant="zero")
    assert zero.height == p.select("run", "query_id").n_unique() * len(names)
    assert (zero.join(s, on=["run", "query_id", "measure"], how="anti")["value"] == 0).all()


ALL = [
    "WorstIntents",
    "strec@3",
    "strec",
    "MAP-IA",
    "MAP-IA@4",
    "P-IA@3",
    "ERR-IA@4",
    "alpha-DCG@4",
    "NRBP",
]
NORMALISED = ["nERR-IA", "alpha-nDCG", "alpha-nDCG@4", "nNRBP", "nNRBP(beta=0.8)"]
EXACT = ["nERR-IA(ideal='exact')@3", "alpha-nDCG(ideal='exact')@3", "nNRBP(ideal='exact')@3"]


@FEWER
@given(positions_tables(subtopics=True, no_relevant="zero"))
def test_bounds(p):
    s = lf.scores(p, [*ALL, *NORMALISED, *EXACT])
    assert s["value"].min() >= 0
    bounded = ~pl.col("measure").is_in(NORMALISED)
    assert s.filter(bounded)["value"].max() <= 1
    empty = p.filter(pl.col("doc_id").is_null())
    values = s.join(empty, on=["run", "query_id"], how="semi")["value"]
    assert values.to_list() == [0.0] * (empty.height * s["measure"].n_unique())


@given(with_subtopics(max_queries=2), ALPHA)
def test_the_greedy_ideal_scores_one(collection, alpha):
    """Whoever ranks the relevant documents as the greedy ideal does."""
    judged = judgments_by_subtopic(collection.qrels)
    rows = [
        ("ideal", q, doc_id, -float(r))
        for q, of_query in judged.items()
        for r, doc_id in enumerate(
            oracle.greedy_ideal(oracle.relevant_by_subtopic(of_query) or {"": set()}, alpha)
        )
    ]
    runs = pl.DataFrame(rows, schema=collection.runs.schema, orient="row")
    p = lf.positions(runs, collection.qrels, subtopics=True)
    s = lf.scores(p, [m(alpha=alpha) for m in (lf.nERR_IA @ 3, lf.alpha_nDCG, lf.nNRBP)])
    assert_close(dict(enumerate(s["value"])), dict.fromkeys(range(s.height), 1.0))


# --- Preferences ---------------------------------------------------------------------------------

WEIGHTED = {"ST-dcgRPP": lambda i: 1 / math.log2(i + 1), "ST-invRPP": lambda i: 1 / i}


@given(with_subtopics(min_runs=2), REL)
def test_recall_paired_preferences_by_subtopic(collection, rel):
    p = lf.positions(*collection, rel=rel, subtopics=True)
    d = lf.preferences(p, ["ST-RPP", *WEIGHTED])
    pairs = pairs_of_orders(*collection, rel)
    exact = {key: float(oracle.ST_RPP(*pair, rel)) for key, pair in pairs.items()}
    assert measured(d, "ST-RPP") == exact
    for name, weight in WEIGHTED.items():
        expected = {k: oracle.weighted_ST_RPP(*pair, weight, rel) for k, pair in pairs.items()}
        assert_same_preferences(measured(d, name), expected)


@FEWER
@given(with_subtopics(min_runs=2), st.sampled_from([1.5, 3]))
def test_a_preferences_own_rel_is_that_of_the_positions(collection, rel):
    own = lf.preferences(
        lf.positions(*collection, subtopics=True), [lf.ST_RPP(rel=rel), f"ST-invRPP(rel={rel})"]
    )
    d = lf.preferences(lf.positions(*collection, rel=rel, subtopics=True), [lf.ST_RPP, "ST-invRPP"])
    for name in ("ST-RPP", "ST-invRPP"):
        assert measured(own, f"{name}(rel={rel:g})") == measured(d, name)


@FEWER
@given(collections(min_runs=2, iterations=["s"]), REL)
def test_with_a_single_subtopic_it_is_binary_rpp(collection, rel):
    qrels = collection.qrels.with_columns(iteration=pl.lit("s"))
    qrels = qrels.unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    assume((qrels["relevance"] >= (rel or 1)).any())
    collection = collection._replace(qrels=qrels)
    by_subtopic = lf.preferences(
        lf.positions(*collection, rel=rel, subtopics=True), ["ST-RPP", "ST-dcgRPP", "ST-invRPP"]
    )
    least = rel or 1e-9
    d = lf.preferences(
        lf.positions(*collection, rel=rel), [m(rel=least) for m in (lf.RPP, lf.dcgRPP, lf.invRPP)]
    )
    assert measured(by_subtopic, "ST-RPP") == measured(d, f"RPP(rel={least:g})")
    for name in ("dcgRPP", "invRPP"):
        ours, binary = measured(by_subtopic, f"ST-{name}"), measured(d, f"{name}(rel={least:g})")
        assert_same_preferences(ours, binary)


MEASURES = ["ST-RPP", "ST-dcgRPP", "ST-invRPP", "alpha-nDCG@5", "MAP-IA"]


@FEWER
@given(st.data(), positions_tables(subtopics=True, min_runs=2), st.integers(0, 99))
def test_blind_to_names_of_runs_and_to_the_order_of_rows(data, p, seed):
    runs = sorted(p["run"].unique())
    names = dict(zip(runs, data.draw(st.permutations(runs)), strict=True))
    order = random.Random(seed).sample(range(p.height), p.height)
    other = p.with_columns(pl.col("run").replace_strict(names))[order]
    assert_identical(lf.scores(p[order], MEASURES[3:]), lf.scores(p, MEASURES[3:]))
    d, e = lf.preferences(p, MEASURES), lf.preferences(other, MEASURES)
    for measure in MEASURES:
        theirs = measured(e, measure)
        for (q, a, b), x in measured(d, measure).items():
            x_, y_ = names[a], names[b]
            found = theirs[q, x_, y_] if x_ < y_ else -theirs[q, y_, x_]
            assert found == x


@FEWER
@given(st.data(), with_subtopics(min_runs=2))
def test_blind_to_names_of_subtopics(data, collection):
    names = dict(zip(SUBTOPICS, data.draw(st.permutations(SUBTOPICS)), strict=True))
    names["0"] = "0"
    renamed = collection.qrels.with_columns(pl.col("iteration").replace_strict(names))
    p = lf.positions(*collection, subtopics=True)
    q = lf.positions(collection.runs, renamed, subtopics=True)
    metrics = [*ALL, *NORMALISED, lf.alpha_nDCG(alpha=0.3), lf.alpha_nDCG(alpha=1 / 3) @ 5]
    s, r = lf.scores(p, metrics), lf.scores(q, metrics)
    for name in s["measure"].unique():
        assert_close(measured(s, name), measured(r, name))
    d, e = lf.preferences(p, MEASURES), lf.preferences(q, MEASURES)
    for name in MEASURES:
        assert_same_preferences(measured(e, name), measured(d, name))


@given(positions_tables(subtopics=True, min_runs=2, no_relevant="zero"))
def test_differences_of_metrics_and_ties_without_relevant_items(p):
    d, s = lf.preferences(p, MEASURES), lf.scores(p, MEASURES[3:])
    for name in MEASURES[3:]:
        values = measured(s, name)
        expected = {
            (q, a, b): oracle.tie(values[q, a] - values[q, b]) for q, a, b in measured(d, name)
        }
        assert_same_preferences(measured(d, name), expected)
    empty = p.filter(pl.col("doc_id").is_null())["query_id"].unique()
    assert set(d.filter(pl.col("query_id").is_in(empty.implode()))["preference"]) <= {0.0}
    assert d["query_id"].n_unique() == p["query_id"].n_unique()


@FEWER
@given(positions_tables(subtopics=True, min_runs=2), st.booleans())
def test_judged_documents_that_are_not_relevant_change_nothing(p, zero):
    more = p.filter(pl.col("level") == 1).with_columns(
        doc_id=pl.lit("zz"), relevance=pl.lit(0.0), level=pl.lit(None, pl.Int64)
    )
    both = pl.concat([p, more]).sort("run", "query_id", "subtopic", "doc_id")
    assert_identical(lf.scores(both, ALL), lf.scores(p, ALL))
    assert_identical(lf.preferences(both, MEASURES), lf.preferences(p, MEASURES))


@FEWER
@given(with_subtopics(min_runs=2))
def test_evaluate_takes_measures_of_both_kinds(collection):
    asked = ["ST-RPP", "RPP", "alpha-nDCG@20", "AP"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = lf.evaluate(*collection, asked, test="sign")
    p, q = lf.positions(*collection), lf.positions(*collection, subtopics=True)
    s = pl.concat([lf.scores(p, "AP"), lf.scores(q, "alpha-nDCG@20")])
    assert_identical(e.scores, s.sort("run", "query_id", "measure"))
    d = pl.concat([lf.preferences(p, ["RPP", "AP"]), lf.preferences(q, asked[::2])])
    assert_identical(e.preferences, d.sort("query_id", "run_a", "run_b", "measure"))
